//! Devices of a network: one that this crate has never heard of does as well as its own, and an id of another network stands
//! for no device.

use std::collections::VecDeque;

use ethernet::Speed;
use lan::{IdealMac, Lan, NetDevice, NetworkSetup, SentFrame};
use sim::Passive;
use units::Picoseconds;
use wiznet::{Chip, Model, Options};

/// Sends every frame back a while after it came.
#[derive(Debug, Clone, Default)]
struct Mirror {
    has_link: bool,
    waiting: VecDeque<SentFrame>,
    sent: VecDeque<SentFrame>,
}

const DELAY: Picoseconds = Picoseconds::new(50 * units::PS_PER_US);

impl Passive for Mirror {
    fn next_event(&self) -> Option<Picoseconds> {
        self.waiting.front().map(|&(at, _)| at)
    }

    fn advance(&mut self, at: Picoseconds) {
        while self.waiting.front().is_some_and(|&(due, _)| due <= at) {
            self.sent.extend(self.waiting.pop_front());
        }
    }
}

impl NetDevice for Mirror {
    fn set_cable(&mut self, _: Picoseconds, speed: Option<Speed>) {
        self.has_link = speed.is_some();
    }

    fn has_link(&self) -> bool {
        self.has_link
    }

    fn takes_frames(&self) -> bool {
        true
    }

    fn interrupt_is_low(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn receive(&mut self, at: Picoseconds, bytes: &[u8], _: bool) {
        let mut bytes = bytes.to_vec();
        bytes[..12].rotate_left(6);
        self.waiting.push_back((at + DELAY, bytes));
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        self.sent.pop_front()
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }
}

fn network() -> Lan {
    Lan::new(&NetworkSetup { pc: None, traffic: Vec::new(), ..NetworkSetup::default() })
}

#[test]
fn a_device_of_another_kind_needs_nothing_but_the_trait() {
    const REGISTERS: [(u32, u32); 3] = [(0x0c, 0x4100_0002), (0x10, 0x5057), (0x04, 3)];
    let mut lan = network();
    let mirror = lan.attach("mirror", Mirror::default());
    let mac = lan.attach("mac", IdealMac::default());
    // A frame of the ideal MAC to a group reaches the mirror (docs/reference/ideal-mac.md has the registers).
    lan.with_device(mac, |mac| {
        for (register, value) in REGISTERS {
            assert!(mac.write(Picoseconds::ZERO, register, 4, value));
        }
        for (offset, word) in [(0, u32::MAX), (4, 0x0002_ffff), (8, 0x5057_4100)] {
            assert!(mac.write(Picoseconds::ZERO, 0x2000 + offset, 4, word));
        }
        assert!(mac.write(Picoseconds::ZERO, 0x20, 4, 60));
    });
    while !lan.interrupt_is_low(mirror) {
        let next = lan.next_event().expect("the frame is on its way");
        lan.advance(next);
    }
    let (came, mut branch) = (lan.now(), lan.snapshot().expect("every device can be copied"));
    for lan in [&mut lan, &mut branch] {
        lan.advance(came + DELAY + DELAY);
        assert!(!lan.interrupt_is_low(mirror));
        assert!(lan.interrupt_is_low(mac), "the frame is back");
    }
}

#[test]
fn an_id_of_another_network_stands_for_no_device() {
    let mut others = network();
    let (first, second) =
        (others.attach("first", IdealMac::default()), others.attach("second", IdealMac::default()));
    let mut lan = network();
    lan.attach("chip", Chip::new(Options::of(Model::W5500)));
    for id in [first, second] {
        assert!(lan.device(id).is_none());
        assert_eq!(lan.with_device(id, |_| ()), None);
    }
    assert_eq!((lan.port(second), lan.interrupt_is_low(second)), (None, false));
    lan.set_plugged(lan.now(), second, false);
}

/// A W5500 with an address in SIPR, its socket 0 in MACRAW and its link up, through which a driver sends frames.
fn network_card(setup: &NetworkSetup, sipr: [u8; 4]) -> (Lan, lan::DeviceId<Chip>) {
    let mut lan = Lan::new(setup);
    let link_up_time = Picoseconds::from_ns(10_000_000);
    let chip = lan.attach("chip", Chip::new(Options { link_up_time, ..Options::of(Model::W5500) }));
    lan.advance(Picoseconds::from_ns(60_000_000));
    // W5500 datasheet 2.2.2, 4.1 and 4.2: SHAR and SIPR; Sn_MR = MACRAW, Sn_CR = OPEN.
    let addresses = [&[0, 9, 4, 2, 8, 0xDC, 1, 2, 3][..], &sipr].concat();
    for frame in [addresses, vec![0, 0, 0x0C, 4, 1]] {
        let now = lan.now() + Picoseconds::from_ns(1_000_000);
        lan.advance(now);
        lan.with_device(chip, |chip| {
            chip.select(now, true);
            for byte in frame {
                chip.spi_byte(now, byte, 20_000_000);
            }
            chip.select(now, false);
        });
    }
    lan.advance(lan.now() + Picoseconds::from_ns(1_000_000));
    assert!(lan.device(chip).is_some_and(Chip::is_network_card));
    (lan, chip)
}

/// Writes a frame into socket 0's buffer and has it sent (Sn_TX_WR, SEND).
fn send_frame(lan: &mut Lan, chip: lan::DeviceId<Chip>, bytes: &[u8]) {
    let now = lan.now() + Picoseconds::from_ns(1_000_000);
    lan.advance(now);
    let length = (bytes.len() as u16).to_be_bytes();
    let frames = [
        [&[0, 0, 0x14][..], bytes].concat(),
        [&[0, 0x24, 0x0C][..], &length].concat(),
        vec![0, 1, 0x0C, 0x20],
    ];
    for frame in frames {
        lan.with_device(chip, |chip| {
            chip.select(now, true);
            for byte in frame {
                chip.spi_byte(now, byte, 20_000_000);
            }
            chip.select(now, false);
        });
    }
    lan.advance(now + Picoseconds::from_ns(1_000_000));
}

/// The stack says where it is (RFC 5227, section 2.3).
fn announcement(address: [u8; 4]) -> Vec<u8> {
    let (everyone, own) = ([0xFF; 6], [2, 8, 0xDC, 1, 2, 3]);
    let head =
        [&everyone[..], &own, &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1], &own, &address, &[0; 6], &address].concat();
    [head, vec![0; 18]].concat()
}

/// The stack asks whether anybody has an address (RFC 4862, section 5.4.2).
fn probe_for(address: [u8; 16]) -> Vec<u8> {
    let [.., e, f, g] = address;
    let group = [0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, e, f, g];
    let head =
        [&[0x33, 0x33, 0xFF, e, f, g, 2, 8, 0xDC, 1, 2, 3, 0x86, 0xDD][..], &[0x60, 0, 0, 0, 0, 24, 58, 255]];
    [&head.concat()[..], &[0; 16], &group, &[135, 0, 0, 0, 0, 0, 0, 0], &address].concat()
}

#[test]
fn a_stack_that_probed_for_an_address_of_ipv6_has_it_a_second_later() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board6 count=1 interval=1ms").unwrap();
    let (mut lan, chip) = network_card(&setup, [1, 1, 1, 1]);
    let waits = |lan: &Lan| lan.results().into_iter().find(|one| one.name == "ping").unwrap().waits_for;
    let own = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 8, 0xDC, 0xFF, 0xFE, 1, 2, 3];
    send_frame(&mut lan, chip, &probe_for(own));
    let probed = lan.now();
    for (ms, awaited) in
        [(900, Some(lan::Awaited::Ipv6Address)), (1_050, Some(lan::Awaited::Settling)), (1_150, None)]
    {
        lan.advance(probed + Picoseconds::new(ms * units::PS_PER_MS));
        assert_eq!(waits(&lan), awaited, "after {ms} ms");
    }
}

#[test]
fn a_stack_behind_macraw_is_where_it_speaks_from_and_not_where_sipr_says() {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=1 interval=1ms").unwrap();
    let (mut lan, chip) = network_card(&setup, [1, 1, 1, 1]);
    lan.advance(lan.now() + Picoseconds::from_ns(500_000_000));
    assert_eq!(lan.addresses().next(), None, "it has said nothing");
    let waits = lan.results().into_iter().find(|one| one.name == "ping").unwrap().waits_for;
    assert_eq!(waits, Some(lan::Awaited::Address));
    let own = [192, 168, 1, 77];
    send_frame(&mut lan, chip, &announcement(own));
    assert_eq!(lan.addresses().next(), Some(own.into()));
    // What the chip itself answers from SIPR says nothing against that.
    send_frame(&mut lan, chip, &announcement([1, 1, 1, 1]));
    assert_eq!(lan.addresses().next(), Some(own.into()));
}
