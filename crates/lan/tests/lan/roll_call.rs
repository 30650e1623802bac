//! A board that says nothing of itself: the PC asks for it, address by address, where something waits for it.

use std::collections::VecDeque;

use ethernet::Speed;
use lan::{Awaited, Lan, NetDevice, NetworkSetup, SentFrame};
use sim::Passive;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

const MAC: [u8; 6] = [2, 8, 0xDC, 1, 2, 3];
const ADDRESS: [u8; 4] = [192, 168, 1, 77];
const PC: [u8; 4] = [192, 168, 1, 1];
/// The first address of the PC's DHCP server.
const LEASED: [u8; 4] = [192, 168, 1, 100];

/// A device whose stack has an address of its own, and says so unasked or not.
#[derive(Debug, Clone, Default)]
struct Hermit {
    announces_at: Option<Picoseconds>,
    /// When it asks for a lease, and when it asks who else has its address.
    leases_at: Option<Picoseconds>,
    probes: VecDeque<Picoseconds>,
    has_link: bool,
    /// When it was asked for which address.
    asked: Vec<(Picoseconds, [u8; 4])>,
    sent: VecDeque<SentFrame>,
}

/// A message of ARP from it (RFC 826): 1 asks, 2 answers.
fn arp(operation: u8, to: [u8; 6], target: &[u8]) -> Vec<u8> {
    let head = [&to[..], &MAC, &[8, 6, 0, 1, 8, 0, 6, 4, 0, operation], &MAC, &ADDRESS, target].concat();
    [head, vec![0; 18]].concat()
}

/// Values of DHCP's option 53.
const DISCOVER: u8 = 1;
const REQUEST: u8 = 3;

/// A message of a DHCP client that wants that address (RFC 2131, section 4.4.1), in IPv4 and UDP.
fn dhcp(message: u8) -> Vec<u8> {
    let options = [&[53, 1, message, 50, 4][..], &LEASED, &[54, 4], &PC, &[255]].concat();
    let bootp =
        [&[1, 1, 6, 0, 9, 9, 9, 9][..], &[0; 20], &MAC, &[0; 202], &[99, 130, 83, 99], &options].concat();
    let udp = [&[0, 68, 0, 67][..], &(8 + bootp.len() as u16).to_be_bytes(), &[0, 0], &bootp].concat();
    let mut ip =
        [&[0x45, 0][..], &(20 + udp.len() as u16).to_be_bytes(), &[0, 0, 0, 0, 64, 17, 0, 0]].concat();
    ip.extend([0, 0, 0, 0, 255, 255, 255, 255]);
    let sum: u32 = ip.chunks(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]]))).sum();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    ip[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    [&[0xFF; 6][..], &MAC, &[8, 0], &ip, &udp].concat()
}

impl Passive for Hermit {
    fn next_event(&self) -> Option<Picoseconds> {
        self.announces_at.into_iter().chain(self.leases_at).chain(self.probes.front().copied()).min()
    }

    fn advance(&mut self, at: Picoseconds) {
        if self.announces_at.take_if(|due| *due <= at).is_some() {
            self.sent.push_back((at, arp(1, [0xFF; 6], &[&[0; 6][..], &ADDRESS].concat())));
        }
        if self.leases_at.take_if(|due| *due <= at).is_some() {
            self.sent.extend([(at, dhcp(DISCOVER)), (at + Picoseconds::new(10 * PS_PER_MS), dhcp(REQUEST))]);
        }
        if self.probes.front().is_some_and(|due| *due <= at) {
            self.probes.pop_front();
            let mut probe = arp(1, [0xFF; 6], &[&[0; 6][..], &LEASED].concat());
            probe[28..32].fill(0);
            self.sent.push_back((at, probe));
        }
    }
}

impl NetDevice for Hermit {
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
        false
    }

    fn receive(&mut self, at: Picoseconds, bytes: &[u8], _: bool) {
        if bytes[12..22] != [8, 6, 0, 1, 8, 0, 6, 4, 0, 1] {
            return;
        }
        let target = bytes[38..42].try_into().expect("four bytes");
        self.asked.push((at, target));
        if target == ADDRESS {
            let asker: [u8; 6] = bytes[22..28].try_into().expect("six bytes");
            self.sent.push_back((at, arp(2, asker, &bytes[22..32])));
        }
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        self.sent.pop_front()
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }
}

fn network(traffic: &str, announces_at: Option<Picoseconds>) -> (Lan, lan::DeviceId<Hermit>) {
    let mut setup = NetworkSetup::default();
    setup.add_traffic(traffic).expect("traffic");
    let mut lan = Lan::new(&setup);
    let hermit = lan.attach("hermit", Hermit { announces_at, ..Hermit::default() });
    (lan, hermit)
}

fn waits_for(lan: &Lan) -> Option<Awaited> {
    lan.results().into_iter().find(|one| one.name == "ping").expect("it was asked for").waits_for
}

fn asked(lan: &Lan, hermit: lan::DeviceId<Hermit>) -> Vec<(Picoseconds, [u8; 4])> {
    lan.device(hermit).expect("it is there").asked.clone()
}

#[test]
fn a_board_that_never_speaks_unasked_is_found_by_its_answer() {
    let (mut lan, hermit) = network("ping to=board count=1 interval=1ms", None);
    lan.advance(Picoseconds::new(5 * PS_PER_S));
    assert_eq!(waits_for(&lan), Some(Awaited::Address), "it may still speak of itself");
    lan.advance(Picoseconds::new(6 * PS_PER_S));
    assert_eq!(lan.addresses().next(), Some(ADDRESS.into()));
    assert_eq!(waits_for(&lan), None);
    let asked = asked(&lan, hermit);
    let others = asked.iter().filter(|(_, target)| ![PC, ADDRESS].contains(target));
    assert_eq!(others.count(), 75, "nobody is asked for behind the one that answered");
    assert!(asked[..76].windows(2).all(|two| two[1].0 - two[0].0 >= Picoseconds::new(PS_PER_MS)));
}

#[test]
fn a_board_in_another_network_is_asked_for_again_and_again_and_not_found() {
    let text = "[pc]\naddress = \"10.1.0.1/24\"\n";
    let mut setup = NetworkSetup::parse(std::path::Path::new("network.toml"), text).expect("a network");
    setup.add_traffic("ping to=board count=1 interval=1ms").expect("traffic");
    let mut lan = Lan::new(&setup);
    let hermit = lan.attach("hermit", Hermit::default());
    lan.advance(Picoseconds::new(11 * PS_PER_S));
    assert_eq!(waits_for(&lan), Some(Awaited::Address));
    assert_eq!(asked(&lan, hermit).iter().filter(|(_, target)| *target != [10, 1, 0, 1]).count(), 2 * 253);
}

#[test]
fn nobody_is_asked_for_where_the_board_has_said_its_address_or_nothing_waits_for_it() {
    let announces_at = Some(Picoseconds::new(4 * PS_PER_S));
    for (traffic, announces_at) in [
        ("ping to=board count=1 interval=1ms", announces_at),
        ("ping to=192.168.1.9 count=1 start=20s", None),
    ] {
        let (mut lan, hermit) = network(traffic, announces_at);
        lan.advance(Picoseconds::new(15 * PS_PER_S));
        let asked = asked(&lan, hermit);
        assert!(asked.iter().all(|(_, target)| [PC, ADDRESS].contains(target)), "{traffic}: {asked:?}");
    }
}

/// When the PC first asks for the address that it gave to a board which says nothing from it.
fn asked_for_the_lease_at(leases_at_s: i64, probes_ms: &[i64]) -> Option<Picoseconds> {
    let mut setup = NetworkSetup::default();
    setup.add_traffic("ping to=board count=1 interval=1ms").expect("traffic");
    let mut lan = Lan::new(&setup);
    let hermit = Hermit {
        leases_at: Some(Picoseconds::new(leases_at_s * PS_PER_S)),
        probes: probes_ms.iter().map(|ms| Picoseconds::new(ms * PS_PER_MS)).collect(),
        ..Hermit::default()
    };
    let hermit = lan.attach("hermit", hermit);
    lan.advance(Picoseconds::new(30 * PS_PER_S));
    asked(&lan, hermit).into_iter().find(|(_, target)| *target == LEASED).map(|(at, _)| at)
}

/// The times are those of RFC 5227: the first probe comes within a second, and the address is announced at the latest four
/// seconds behind a probe.
#[test]
fn a_silent_lease_counts_once_no_check_of_it_has_begun_or_the_last_check_is_over() {
    let second = |at: Option<Picoseconds>| at.expect("it is asked for").ps() / PS_PER_S;
    assert_eq!(second(asked_for_the_lease_at(3, &[])), 4);
    assert_eq!(second(asked_for_the_lease_at(3, &[3_700])), 7);
    assert_eq!(second(asked_for_the_lease_at(3, &[3_900, 5_500, 7_400])), 11);
}
