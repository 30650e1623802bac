//! A PC that plays every host that is asked for, so that firmware finds what it looks for at whatever address was built in.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use crate::common::{Carried, LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Wire, ms, options, us};
use ethernet::{Host, HostOptions, Station, TcpState};
use smoltcp::wire::{
    ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr,
};
use units::Picoseconds;

type Shared<T> = Arc<Mutex<T>>;

fn shared<T>(value: T) -> Shared<T> {
    Arc::new(Mutex::new(value))
}

const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 254);
const FAR: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

fn for_all() -> HostOptions {
    HostOptions { answers_for_all: true, ..options(false) }
}

/// A board on the left with a gateway, and the PC on the right that plays every host.
fn board_and_pc() -> Wire {
    let board = HostOptions { gateway: Some(GATEWAY), ..options(true) };
    Wire::new(board, for_all())
}

/// Has the PC send back what arrives at a TCP port.
fn tcp_echo(wire: &mut Wire, port: u16) {
    let mut listener = None;
    let mut connections = Vec::new();
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(port).expect("a free port"));
        while let Some((id, _)) = sockets.accept(listener) {
            connections.push(id);
        }
        for id in &connections {
            let mut bytes = Vec::new();
            sockets.receive(*id, |arrived| {
                bytes.extend_from_slice(arrived);
                arrived.len()
            });
            sockets.send(*id, &bytes);
        }
        None
    });
}

/// Has the board open a connection, say something and keep the answer.
fn tcp_client(wire: &mut Wire, to: Ipv4Addr, port: u16) -> Shared<Vec<u8>> {
    let answer = shared(Vec::new());
    let told = answer.clone();
    let mut connection = None;
    let mut sent = false;
    wire.on_left(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(to, port).expect("a way"));
        if sockets.state(id) == Some(TcpState::Open) && !std::mem::replace(&mut sent, true) {
            sockets.send(id, b"hello");
        }
        sockets.receive(id, |arrived| {
            told.lock().expect("a lock").extend_from_slice(arrived);
            arrived.len()
        });
        None
    });
    answer
}

fn arp(operation: ArpOperation, mac: [u8; 6], from: Ipv4Addr, wanted: Ipv4Addr) -> Vec<u8> {
    let arp = ArpRepr::EthernetIpv4 {
        operation,
        source_hardware_addr: EthernetAddress(mac),
        source_protocol_addr: from,
        target_hardware_addr: EthernetAddress([0; 6]),
        target_protocol_addr: wanted,
    };
    let ethernet = EthernetRepr {
        src_addr: EthernetAddress(mac),
        dst_addr: EthernetAddress::BROADCAST,
        ethertype: EthernetProtocol::Arp,
    };
    let mut bytes = vec![0; ethernet.buffer_len() + arp.buffer_len()];
    let mut frame = EthernetFrame::new_unchecked(&mut bytes);
    ethernet.emit(&mut frame);
    arp.emit(&mut ArpPacket::new_unchecked(frame.payload_mut()));
    bytes
}

/// Whoever answered for an address, in the frames of a PC.
fn replies(frames: &[Vec<u8>]) -> Vec<([u8; 6], Ipv4Addr)> {
    let of = |bytes: &Vec<u8>| {
        let frame = EthernetFrame::new_checked(bytes.as_slice()).ok()?;
        let arp = (frame.ethertype() == EthernetProtocol::Arp).then(|| frame.payload())?;
        match ArpRepr::parse(&ArpPacket::new_checked(arp).ok()?).ok()? {
            ArpRepr::EthernetIpv4 {
                operation: ArpOperation::Reply,
                source_hardware_addr,
                source_protocol_addr,
                ..
            } => Some((source_hardware_addr.0, source_protocol_addr)),
            _ => None,
        }
    };
    frames.iter().filter_map(of).collect()
}

/// A PC by itself, spoken to with frames.
struct Lone {
    host: Host,
    now: Picoseconds,
}

impl Lone {
    fn new(options: HostOptions) -> Self {
        Self { host: Host::new(options).expect("a PC"), now: us(1) }
    }

    /// Sends a frame and answers what comes back within 1 ms.
    fn say(&mut self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        self.host.receive(self.now, &ethernet::Frame::new(bytes));
        self.now = self.now + ms(1);
        let mut frames = Vec::new();
        while let Some(at) = self.host.next_event().filter(|at| *at <= self.now) {
            self.host.advance(at);
            while let Some(frame) = self.host.take_frame() {
                frames.push(frame.bytes);
            }
        }
        frames
    }

    fn asks(&mut self, wanted: Ipv4Addr) -> Vec<([u8; 6], Ipv4Addr)> {
        replies(&self.say(arp(ArpOperation::Request, LEFT_MAC, LEFT, wanted)))
    }
}

fn host(d: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, d)
}

#[test]
fn an_address_that_the_board_asks_for_is_the_pcs() {
    let mut pc = Lone::new(for_all());
    assert_eq!(pc.asks(host(77)), [(RIGHT_MAC, host(77))]);
    assert_eq!(pc.asks(Ipv4Addr::new(172, 16, 5, 9)), [(RIGHT_MAC, Ipv4Addr::new(172, 16, 5, 9))]);
    let mut ordinary = Lone::new(options(false));
    assert_eq!(ordinary.asks(host(77)), []);
    assert_eq!(ordinary.asks(RIGHT), [(RIGHT_MAC, RIGHT)]);
}

#[test]
fn addresses_of_no_one_host_are_not_the_pcs() {
    let mut pc = Lone::new(for_all());
    for nobody in [
        Ipv4Addr::BROADCAST,
        host(255),
        host(0),
        Ipv4Addr::UNSPECIFIED,
        Ipv4Addr::LOCALHOST,
        Ipv4Addr::new(224, 0, 0, 251),
        Ipv4Addr::new(250, 1, 2, 3),
    ] {
        assert_eq!(pc.asks(nobody), [], "{nobody}");
    }
}

#[test]
fn a_probe_for_a_duplicate_address_is_not_answered_and_takes_the_address_back() {
    let mut pc = Lone::new(for_all());
    let probe = |wanted| arp(ArpOperation::Request, LEFT_MAC, Ipv4Addr::UNSPECIFIED, wanted);
    assert_eq!(replies(&pc.say(probe(host(50)))), []);
    assert_eq!(pc.asks(host(50)), [(RIGHT_MAC, host(50))]);
    assert_eq!(replies(&pc.say(probe(host(50)))), []);
    let announcement = arp(ArpOperation::Request, LEFT_MAC, host(50), host(50));
    assert_eq!(replies(&pc.say(announcement)), []);
    let other = arp(ArpOperation::Request, [2, 0, 0, 0, 0, 9], host(9), host(50));
    assert_eq!(replies(&pc.say(other)), [], "it is the board's now");
    assert_eq!(replies(&pc.say(probe(RIGHT))), [(RIGHT_MAC, RIGHT)], "the PC's own is taken");
}

#[test]
fn an_address_of_a_station_that_was_seen_stays_that_stations() {
    let mut pc = Lone::new(for_all());
    let other = arp(ArpOperation::Request, [2, 0, 0, 0, 0, 9], host(9), RIGHT);
    assert_eq!(replies(&pc.say(other)), [(RIGHT_MAC, RIGHT)]);
    assert_eq!(pc.asks(host(9)), []);
    assert_eq!(pc.asks(host(10)), [(RIGHT_MAC, host(10))]);
    let comes_later = arp(ArpOperation::Request, [2, 0, 0, 0, 0, 10], host(10), host(11));
    assert_eq!(replies(&pc.say(comes_later)), [(RIGHT_MAC, host(11))]);
    assert_eq!(pc.asks(host(10)), [], "another station has it after all");
}

#[test]
fn a_connection_to_any_address_behind_the_gateway_is_answered_from_there() {
    let mut wire = board_and_pc();
    tcp_echo(&mut wire, 80);
    let answers = [FAR, GATEWAY, RIGHT].map(|to| tcp_client(&mut wire, to, 80));
    wire.run(ms(500));
    for answer in answers {
        assert_eq!(*answer.lock().expect("a lock"), b"hello");
    }
    let asked: Vec<Ipv4Addr> = wire.carried.iter().filter(|c| c.from_left).filter_map(asked_for).collect();
    assert!(asked.contains(&GATEWAY) && !asked.contains(&FAR), "{asked:?}");
}

fn asked_for(carried: &Carried) -> Option<Ipv4Addr> {
    let arp = ArpPacket::new_checked(carried.bytes.get(14..)?).ok()?;
    match ArpRepr::parse(&arp).ok()? {
        ArpRepr::EthernetIpv4 { operation: ArpOperation::Request, target_protocol_addr, .. } => {
            Some(target_protocol_addr)
        }
        _ => None,
    }
}

#[test]
fn the_same_ports_at_two_addresses_are_two_connections() {
    let mut wire = board_and_pc();
    let seen = shared(Vec::new());
    let told = seen.clone();
    let mut listener = None;
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(80).expect("a free port"));
        while let Some((id, _)) = sockets.accept(listener) {
            told.lock().expect("a lock").push(sockets.local_address(id).expect("open"));
        }
        None
    });
    let _ = tcp_client(&mut wire, FAR, 80);
    let _ = tcp_client(&mut wire, host(33), 80);
    wire.run(ms(100));
    let mut seen = seen.lock().expect("a lock").clone();
    seen.sort();
    assert_eq!(seen, [host(33), FAR]);
}

#[test]
fn a_datagram_is_answered_from_the_address_that_it_was_sent_to() {
    let mut wire = board_and_pc();
    let mut socket = None;
    wire.on_right(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| sockets.bind(53, false).expect("a free port"));
        let mut arrived = Vec::new();
        while sockets.receive_from(id, |from, bytes| arrived.push((from, bytes.to_vec()))) {}
        while sockets.take_news().is_some() {}
        for (from, bytes) in arrived {
            assert!(sockets.send_to(id, from.0, from.1, &bytes));
        }
        None
    });
    let answers = shared(Vec::new());
    let told = answers.clone();
    let mut socket = None;
    let targets = [FAR, host(53), RIGHT];
    wire.on_left(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| {
            let id = sockets.bind(4000, false).expect("a free port");
            assert!(sockets.send_to(id, targets[0], 53, b"one"));
            id
        });
        while sockets.receive_from(id, |from, _| told.lock().expect("a lock").push(from.0)) {
            let next = told.lock().expect("a lock").len();
            if let Some(&to) = targets.get(next) {
                assert!(sockets.send_to(id, to, 53, b"more"));
            }
        }
        while sockets.take_news().is_some() {}
        None
    });
    wire.run(ms(100));
    assert_eq!(*answers.lock().expect("a lock"), targets);
}

#[test]
fn a_server_answers_from_that_address_at_a_port_of_its_own_too() {
    // As those of TFTP do (RFC 1350).
    let mut wire = board_and_pc();
    let mut sockets_of_it = None;
    wire.on_right(move |_, sockets| {
        let bound =
            |sockets: &mut ethernet::Sockets<'_>, port| sockets.bind(port, false).expect("a free port");
        let (asked, answers) =
            *sockets_of_it.get_or_insert_with(|| (bound(sockets, 69), bound(sockets, 50_000)));
        let mut arrived = Vec::new();
        while sockets.receive_from(asked, |from, bytes| arrived.push((from, bytes.to_vec()))) {}
        while sockets.take_news().is_some() {}
        for (from, bytes) in arrived {
            assert!(sockets.send_to(answers, from.0, from.1, &bytes));
        }
        None
    });
    let answered = shared(None);
    let told = answered.clone();
    let mut socket = None;
    wire.on_left(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| {
            let id = sockets.bind(4000, false).expect("a free port");
            assert!(sockets.send_to(id, FAR, 69, b"which file"));
            id
        });
        while sockets.receive_from(id, |from, _| *told.lock().expect("a lock") = Some(from)) {}
        while sockets.take_news().is_some() {}
        None
    });
    wire.run(ms(100));
    assert_eq!(*answered.lock().expect("a lock"), Some((FAR.into(), 50_000)));
}

#[test]
fn a_ping_of_any_address_is_answered_from_there() {
    let mut wire = board_and_pc();
    let from = shared(Vec::new());
    let told = from.clone();
    let mut sent = false;
    wire.on_left(move |_, sockets| {
        if !std::mem::replace(&mut sent, true) {
            for to in [FAR, GATEWAY, RIGHT] {
                assert!(sockets.echo_request(to, 7, 0, b"ping"));
            }
        }
        while let Some(reply) = sockets.take_echo_reply() {
            told.lock().expect("a lock").push(reply.from);
        }
        None
    });
    wire.run(ms(100));
    let mut from = from.lock().expect("a lock").clone();
    from.sort();
    assert_eq!(from, [RIGHT, GATEWAY, FAR]);
}

/// The board is in a network that the PC is not in.
fn strangers(board: Ipv4Addr) -> Wire {
    Wire::new(HostOptions::new("board", LEFT_MAC, board, 24), for_all())
}

#[test]
fn to_a_board_in_another_network_the_pc_speaks_as_a_neighbour() {
    for (board, expected) in [([192, 168, 7, 42], [192, 168, 7, 1]), ([192, 168, 7, 1], [192, 168, 7, 254])] {
        let (board, expected) = (Ipv4Addr::from(board), IpAddr::from(expected));
        let mut wire = strangers(board);
        let peer = shared(None);
        let told = peer.clone();
        let mut listener = None;
        wire.on_left(move |_, sockets| {
            let listener = *listener.get_or_insert_with(|| sockets.listen(5001).expect("a free port"));
            if let Some((_, peer)) = sockets.accept(listener) {
                *told.lock().expect("a lock") = Some(peer.0);
            }
            None
        });
        let pinged = shared(0);
        let told = pinged.clone();
        let mut connection = None;
        wire.on_right(move |_, sockets| {
            connection.get_or_insert_with(|| {
                assert!(sockets.echo_request(board, 1, 0, b"ping"));
                sockets.connect(board, 5001).expect("a way")
            });
            while sockets.take_echo_reply().is_some() {
                *told.lock().expect("a lock") += 1;
            }
            None
        });
        wire.run(ms(100));
        assert_eq!(*peer.lock().expect("a lock"), Some(expected));
        assert_eq!(*pinged.lock().expect("a lock"), 1);
    }
}

#[test]
fn an_address_without_a_connection_makes_room_and_one_with_a_connection_stays() {
    let mut wire = board_and_pc();
    tcp_echo(&mut wire, 80);
    for d in 11..=16 {
        let _ = tcp_client(&mut wire, host(d), 80);
    }
    let _ = tcp_client(&mut wire, host(17), 81);
    wire.run(ms(100));
    assert_eq!(wire.right.connections(), 6, "port 81 was refused");
    let eighth = tcp_client(&mut wire, host(18), 80);
    wire.run(ms(200));
    assert_eq!(*eighth.lock().expect("a lock"), b"hello");
    assert_eq!(wire.right.counts().addresses_refused, 0);
    let ninth = tcp_client(&mut wire, host(19), 80);
    wire.run(ms(3_000));
    assert!(ninth.lock().expect("a lock").is_empty());
    assert!(wire.right.counts().addresses_refused > 0);
}

#[test]
fn a_datagram_to_everyone_in_a_network_that_the_pc_is_not_in_is_heard() {
    let mut wire = strangers(Ipv4Addr::new(192, 168, 7, 42));
    let heard = shared(Vec::new());
    let told = heard.clone();
    let mut socket = None;
    wire.on_right(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| sockets.bind(9, false).expect("a free port"));
        while sockets.receive_from(id, |from, _| told.lock().expect("a lock").push(from.0)) {}
        None
    });
    wire.on_left(|_, sockets| {
        let id = sockets.bind(9, true).expect("a free port");
        assert!(sockets.send_to(id, Ipv4Addr::new(192, 168, 7, 255), 9, b"all"));
        None
    });
    wire.run(ms(10));
    assert_eq!(*heard.lock().expect("a lock"), [Ipv4Addr::new(192, 168, 7, 42)]);
}
