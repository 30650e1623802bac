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
