//! Floods, scans and garbage towards the virtual PC: it stays up, answers what it should, and keeps its bounds.

use crate::common::{LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Script, ms, options, us};
use ethernet::{Frame, Host, Station};
use proptest::prelude::*;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, IpAddress, IpProtocol, Ipv4Packet, Ipv4Repr,
    TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use std::net::Ipv4Addr;
use units::Picoseconds;

const PORT: u16 = 80;

fn victim() -> Host {
    let mut host = Host::new(options(false)).expect("a PC");
    let mut listener = None;
    let mut all = Vec::new();
    let mut udp = None;
    host.seat(Script::boxed(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(PORT).expect("a free port"));
        udp.get_or_insert_with(|| sockets.bind(53, true).expect("a free port"));
        while let Some((id, _)) = sockets.accept(listener) {
            all.push(id);
        }
        while sockets.take_news().is_some() {}
        all.retain(|id| {
            let bytes = sockets.receive(*id, <[u8]>::len);
            sockets.send(*id, &vec![1; bytes]);
            if sockets.peer_finished(*id) {
                sockets.finish(*id);
            }
            let over = sockets.ending(*id).is_some();
            if over {
                sockets.forget(*id);
            }
            !over
        });
        None
    }));
    host
}

/// Runs to `until`; answers what came out.
fn run(host: &mut Host, until: Picoseconds) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    while let Some(at) = host.next_event().filter(|at| *at <= until) {
        host.advance(at);
        while let Some(frame) = host.take_frame() {
            out.push(frame.bytes);
        }
    }
    host.advance(until);
    out
}

fn syn(source: Ipv4Addr, source_port: u16, port: u16) -> Vec<u8> {
    tcp(source, source_port, port, TcpControl::Syn, 1, None, &[])
}

fn tcp(
    source: Ipv4Addr,
    source_port: u16,
    port: u16,
    control: TcpControl,
    sequence: i32,
    acknowledgment: Option<i32>,
    payload: &[u8],
) -> Vec<u8> {
    let tcp = TcpRepr {
        src_port: source_port,
        dst_port: port,
        control,
        seq_number: TcpSeqNumber(sequence),
        ack_number: acknowledgment.map(TcpSeqNumber),
        window_len: 2_048,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload,
    };
    let ip = Ipv4Repr {
        src_addr: source,
        dst_addr: RIGHT,
        next_header: IpProtocol::Tcp,
        payload_len: tcp.buffer_len(),
        hop_limit: 64,
    };
    let mut bytes = vec![0; 34 + tcp.buffer_len()];
    let mut ethernet = EthernetFrame::new_unchecked(&mut bytes);
    ethernet.set_src_addr(EthernetAddress(LEFT_MAC));
    ethernet.set_dst_addr(EthernetAddress(RIGHT_MAC));
    ethernet.set_ethertype(EthernetProtocol::Ipv4);
    let checksums = ChecksumCapabilities::default();
    ip.emit(&mut Ipv4Packet::new_unchecked(&mut bytes[14..]), &checksums);
    let mut packet = TcpPacket::new_unchecked(&mut bytes[34..]);
    tcp.emit(&mut packet, &IpAddress::Ipv4(source), &IpAddress::Ipv4(RIGHT), &checksums);
    bytes
}

fn arp(operation: u8, source: Ipv4Addr, mac: [u8; 6], target: Ipv4Addr) -> Vec<u8> {
    let mut bytes = vec![0xFF; 6];
    bytes.extend_from_slice(&mac);
    bytes.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, operation]);
    bytes.extend_from_slice(&mac);
    bytes.extend_from_slice(&source.octets());
    bytes.extend_from_slice(&[0; 6]);
    bytes.extend_from_slice(&target.octets());
    bytes
}

fn is_tcp_with(frame: &[u8], flags: u8) -> bool {
    frame[12..14] == [8, 0] && frame[23] == 6 && frame[47] & flags == flags
}

/// What a connection of the left PC's own gets for an answer: whether the PC still serves.
fn still_serves(host: &mut Host, at: Picoseconds) -> bool {
    host.receive(at, &Frame::new(arp(1, LEFT, LEFT_MAC, RIGHT)));
    host.receive(at + us(1), &Frame::new(syn(LEFT, 61_111, PORT)));
    run(host, at + ms(10))
        .iter()
        .any(|frame| is_tcp_with(frame, 0x12) && frame[36..38] == 61_111_u16.to_be_bytes())
}

#[test]
fn a_flood_of_100000_syns_is_bounded_and_passes() {
    let mut host = victim();
    run(&mut host, us(10));
    let mut at = us(10);
    host.receive(at, &Frame::new(arp(1, LEFT, LEFT_MAC, RIGHT)));
    let mut most = 0;
    for n in 0..100_000_u32 {
        at = at + us(1);
        let source = Ipv4Addr::new(10, 0, 0, 3 + (n % 200) as u8);
        host.receive(at, &Frame::new(syn(source, (1_024 + n / 200) as u16, PORT)));
        run(&mut host, at);
        most = most.max(host.connections());
    }
    run(&mut host, at + ms(1));
    assert_eq!(most, 128, "the backlog");
    assert_eq!(host.counts().syns_dropped, 100_000 - 128);
    assert!(!still_serves(&mut host, at + ms(2)), "the backlog is full");
    run(&mut host, at + ms(200_000));
    assert_eq!(host.connections(), 0, "none of them came to anything");
    assert!(still_serves(&mut host, at + ms(200_000)));
}

#[test]
fn a_port_scan_finds_the_open_port_and_resets_elsewhere() {
    let mut host = victim();
    host.receive(us(1), &Frame::new(arp(1, LEFT, LEFT_MAC, RIGHT)));
    run(&mut host, us(50));
    let mut answers = Vec::new();
    for port in 1..=65_535_u16 {
        let at = us(50 + i64::from(port));
        host.receive(at, &Frame::new(syn(LEFT, 50_000, port)));
        answers.extend(run(&mut host, at));
    }
    answers.extend(run(&mut host, ms(100)));
    let open: Vec<_> = answers.iter().filter(|frame| is_tcp_with(frame, 0x12)).collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0][34..36], PORT.to_be_bytes());
    assert_eq!(answers.iter().filter(|frame| is_tcp_with(frame, 0x14)).count(), 65_534);
}

#[test]
fn an_arp_storm_is_answered_where_it_asks_for_the_pc_and_leaves_it_working() {
    let mut host = victim();
    let mut answered = 0;
    for n in 0..50_000_u32 {
        let at = us(10 + i64::from(n));
        let bytes = n.to_be_bytes();
        let source = Ipv4Addr::new(10, 0, 0, 3 + (n % 250) as u8);
        let mac = [2, 9, bytes[0], bytes[1], bytes[2], bytes[3]];
        let target = if n % 2 == 0 { RIGHT } else { Ipv4Addr::new(10, 0, 0, 77) };
        host.receive(at, &Frame::new(arp(1 + (n / 2 % 2) as u8, source, mac, target)));
        answered += run(&mut host, at).len();
    }
    answered += run(&mut host, ms(100)).len();
    assert_eq!(answered, 12_500, "the requests for its own address");
    assert!(still_serves(&mut host, ms(200)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn garbage_neither_stops_the_pc_nor_grows_it(
        frames in prop::collection::vec(garbage(), 1..60),
    ) {
        let mut host = victim();
        host.receive(us(1), &Frame::new(arp(1, LEFT, LEFT_MAC, RIGHT)));
        let mut at = us(10);
        for bytes in frames {
            at = at + us(500);
            host.receive(at, &Frame::new(bytes));
            run(&mut host, at);
        }
        run(&mut host, at + ms(300));
        prop_assert!(host.connections() <= 60);
        prop_assert!(still_serves(&mut host, at + ms(400)));
    }
}

/// Random bytes; random bytes behind a right header; segments of any kind with right check sums; and those with a few bytes
/// changed.
fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let raw = prop::collection::vec(any::<u8>(), 0..200);
    let addressed = (prop::collection::vec(any::<u8>(), 0..200), prop::sample::select(vec![0_u8, 6]))
        .prop_map(|(rest, kind)| [RIGHT_MAC.to_vec(), LEFT_MAC.to_vec(), vec![8, kind], rest].concat());
    let segment = (
        prop::sample::select(vec![
            LEFT,
            RIGHT,
            Ipv4Addr::new(10, 0, 0, 9),
            Ipv4Addr::UNSPECIFIED,
            Ipv4Addr::LOCALHOST,
        ]),
        prop::sample::select(vec![1_u16, 50_000]),
        prop::sample::select(vec![PORT, 53, 9]),
        prop::sample::select(vec![
            TcpControl::Syn,
            TcpControl::Fin,
            TcpControl::Rst,
            TcpControl::Psh,
            TcpControl::None,
        ]),
        -3_i32..10,
        prop::option::of(any::<i32>()),
        prop::collection::vec(any::<u8>(), 0..20),
    )
        .prop_map(|(source, source_port, port, control, sequence, acknowledgment, payload)| {
            tcp(source, source_port, port, control, sequence, acknowledgment, &payload)
        })
        .boxed();
    let changed = (segment.clone(), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4))
        .prop_map(|(mut bytes, changes)| {
            for (index, byte) in changes {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            bytes
        });
    prop_oneof![1 => raw, 2 => addressed, 4 => segment, 4 => changed]
}
