//! What a command takes over from the registers: later writes wait for the next one. The table is in
//! `docs/explanation/fidelity-wiznet.md`.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    ArpOperation, IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr,
    TcpSeqNumber, UdpPacket, UdpRepr,
};
use wiznet::Model;

use super::{arp, is_request_for};
use crate::support::{
    Bench, CHIP_IP, CHIP_MAC, MODELS, PEER_IP, PEER_MAC, SENDOK, TIMEOUT, command, ms, sn, us,
};

const TCP: u8 = 0x01;
const UDP: u8 = 0x02;
const IPRAW: u8 = 0x03;
const MACRAW: u8 = 0x04;
const MULTICAST: u8 = 0x80;

const GROUP: [u8; 4] = [224, 1, 1, 11];
const GROUP_MAC: [u8; 6] = [1, 0, 0x5E, 1, 1, 11];
const OTHER_IP: [u8; 4] = [192, 168, 7, 9];

/// Bytes of a frame, by what they mean.
struct Sent(Vec<u8>);

impl Sent {
    fn hardware_address(&self) -> [u8; 6] {
        self.0[..6].try_into().unwrap()
    }

    fn destination(&self) -> [u8; 4] {
        self.0[30..34].try_into().unwrap()
    }

    fn ports(&self) -> (u16, u16) {
        let port = |at: usize| u16::from_be_bytes([self.0[at], self.0[at + 1]]);
        (port(34), port(36))
    }
}

fn last_sent(bench: &mut Bench) -> Sent {
    bench.pass(us(20));
    Sent(bench.take_seen().pop().expect("something was sent").bytes)
}

fn packet(
    to_mac: [u8; 6],
    to: [u8; 4],
    protocol: IpProtocol,
    bytes: usize,
    fill: impl FnOnce(&mut [u8]),
) -> Vec<u8> {
    let mut frame = vec![0; 34 + bytes];
    frame[..6].copy_from_slice(&to_mac);
    frame[6..12].copy_from_slice(&PEER_MAC);
    frame[12..14].copy_from_slice(&[8, 0]);
    Ipv4Repr {
        src_addr: Ipv4Address::from(PEER_IP),
        dst_addr: Ipv4Address::from(to),
        next_header: protocol,
        payload_len: bytes,
        hop_limit: 64,
    }
    .emit(&mut Ipv4Packet::new_unchecked(&mut frame[14..]), &ChecksumCapabilities::default());
    fill(&mut frame[34..]);
    frame.resize(frame.len().max(60), 0);
    frame
}

fn datagram(to_mac: [u8; 6], to: [u8; 4], port: u16) -> Vec<u8> {
    let (from, destination) = (Ipv4Address::from(PEER_IP).into(), Ipv4Address::from(to).into());
    packet(to_mac, to, IpProtocol::Udp, 12, |bytes| {
        UdpRepr { src_port: 5000, dst_port: port }.emit(
            &mut UdpPacket::new_unchecked(bytes),
            &from,
            &destination,
            4,
            |payload| payload.copy_from_slice(b"ping"),
            &ChecksumCapabilities::default(),
        );
    })
}

fn segment(to: u16, control: TcpControl, numbers: (i32, Option<i32>)) -> Vec<u8> {
    let repr = TcpRepr {
        src_port: 1000,
        dst_port: to,
        control,
        seq_number: TcpSeqNumber(numbers.0),
        ack_number: numbers.1.map(TcpSeqNumber),
        window_len: 8192,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    };
    let (from, destination) = (Ipv4Address::from(PEER_IP).into(), Ipv4Address::from(CHIP_IP).into());
    packet(CHIP_MAC, CHIP_IP, IpProtocol::Tcp, repr.buffer_len(), |bytes| {
        let mut segment = TcpPacket::new_unchecked(bytes);
        repr.emit(&mut segment, &from, &destination, &ChecksumCapabilities::default());
    })
}

fn reply(from: [u8; 4]) -> Vec<u8> {
    arp(ArpOperation::Reply, PEER_MAC, from, CHIP_IP)
}

/// What Sn_SR reads while ARP runs for a socket that reads otherwise `before` (W5200 datasheet, p. 32, Sn_SR).
pub(crate) fn while_arp_runs(model: Model, before: u8) -> u8 {
    if matches!(model, Model::W5100 | Model::W5200) { 0x01 } else { before }
}

fn begin_connect(bench: &mut Bench) {
    bench.open(0, TCP, 4001);
    bench.write(0, sn::DIPR, &PEER_IP);
    bench.write(0, sn::DPORT, &[0, 80]);
    bench.command(0, command::CONNECT);
}

fn join(bench: &mut Bench) {
    join_at(bench, 3000);
}

fn join_at(bench: &mut Bench, port: u16) {
    bench.write(1, sn::DIPR, &GROUP);
    bench.write(1, sn::DPORT, &port.to_be_bytes());
    bench.write(1, sn::DHAR, &GROUP_MAC);
    bench.open(1, UDP | MULTICAST, 3000);
    bench.take_seen();
}

#[test]
fn a_listen_while_connect_asks_by_arp_opens_no_door() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        begin_connect(&mut bench);
        bench.command(0, command::LISTEN);
        let warnings = bench.chip.take_warnings();
        assert_eq!(warnings.len(), 1, "{model:?}");
        assert!(warnings[0].sentence.contains("LISTEN of socket 0 was ignored"), "{}", warnings[0].sentence);
        bench.take_seen();
        bench.arrive(&segment(4001, TcpControl::Syn, (77, None)));
        assert_eq!(bench.seen[0].bytes[47], 0x14, "{model:?}: a stranger is reset");
        assert_eq!((bench.u8(0, sn::SR), bench.u8(0, sn::IR)), (while_arp_runs(model, 0x15), 0), "{model:?}");
        bench.arrive(&reply(PEER_IP));
        assert_eq!(bench.u8(0, sn::SR), 0x15, "{model:?}: SYN was sent");
        assert_eq!(last_sent(&mut bench).ports(), (4001, 80));
    }
}

#[test]
fn a_second_connect_while_arp_runs_is_ignored() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        begin_connect(&mut bench);
        bench.take_seen();
        bench.command(0, command::CONNECT);
        bench.pass(us(50));
        assert!(bench.seen.is_empty(), "{model:?} asks once in RTR");
        assert_eq!(bench.chip.take_warnings().len(), 1, "{model:?}");
    }
}

#[test]
fn connect_goes_where_the_registers_pointed_at_the_command() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        begin_connect(&mut bench);
        bench.write(0, sn::DIPR, &OTHER_IP);
        bench.write(0, sn::DPORT, &[0, 81]);
        bench.write(0, sn::PORT, &[0x20, 0]);
        bench.arrive(&reply(PEER_IP));
        let syn = last_sent(&mut bench);
        assert_eq!((syn.destination(), syn.ports()), (PEER_IP, (4001, 80)), "{model:?}");
    }
}

#[test]
fn a_datagram_goes_where_the_registers_pointed_at_its_send() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 4000);
        bench.write(1, sn::DIPR, &PEER_IP);
        bench.write(1, sn::DPORT, &[0, 7]);
        bench.send(1, b"first");
        bench.write(1, sn::DIPR, &OTHER_IP);
        bench.write(1, sn::DPORT, &[0, 9]);
        bench.arrive(&reply(PEER_IP));
        let sent = last_sent(&mut bench);
        assert_eq!((sent.destination(), sent.ports()), (PEER_IP, (4000, 7)), "{model:?}");
        assert_eq!(bench.u8(1, sn::IR) & SENDOK, SENDOK, "{model:?}");
    }
}

#[test]
fn time_to_live_and_protocol_are_those_of_open() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 4000);
        bench.write(1, sn::TTL, &[3]);
        bench.write(1, sn::DIPR, &[255; 4]);
        bench.send(1, b"x");
        assert_eq!(last_sent(&mut bench).0[22], 0x80, "{model:?}");
        let warnings = bench.chip.take_warnings();
        assert_eq!(warnings.len(), 1, "{model:?}");
        assert!(warnings[0].sentence.contains(" of socket 1 was changed to 3"), "{}", warnings[0].sentence);

        bench.write(2, sn::PROTO, &[89]);
        bench.open(2, IPRAW, 0);
        bench.write(2, sn::PROTO, &[90]);
        bench.write(2, sn::DIPR, &[255; 4]);
        bench.send(2, b"x");
        assert_eq!(last_sent(&mut bench).0[23], 89, "{model:?}");
    }
}

/// A DHCP client for a W5500 opens its socket, sets Sn_PORT to 68, and has its offers (rschlaikjer/w5500 bc75fd7, DHCP.cpp).
#[test]
fn a_port_that_is_set_after_open_counts_with_a_word_that_it_is_late() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 0);
        bench.write(1, sn::PORT, &68u16.to_be_bytes());
        bench.write(1, sn::DIPR, &[255; 4]);
        bench.send(1, b"x");
        assert_eq!(last_sent(&mut bench).ports().0, 68, "{model:?}");
        bench.arrive(&datagram(CHIP_MAC, CHIP_IP, 68));
        assert_eq!(bench.u16(1, sn::RX_RSR), 12, "{model:?}");
        let warnings = bench.chip.take_warnings();
        assert_eq!(warnings.len(), 1, "{model:?}");
        let register = if model == Model::W6100 { "Sn_PORTR" } else { "Sn_PORT" };
        let told = format!("{register} of socket 1 was changed to 68 after OPEN");
        assert!(warnings[0].sentence.contains(&told), "{}", warnings[0].sentence);
    }
}

/// WIZnetInterface of Mbed (df957a2, `connect()`) sets Sn_PORT between OPEN and CONNECT.
#[test]
fn a_connection_has_the_port_that_stands_when_it_begins() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, TCP, 0);
        bench.write(0, sn::PORT, &81u16.to_be_bytes());
        bench.command(0, command::LISTEN);
        bench.arrive(&segment(81, TcpControl::Syn, (77, None)));
        assert_eq!(bench.u8(0, sn::SR), 0x16, "{model:?}");

        let mut bench = Bench::linked(model);
        bench.open(0, TCP, 0);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &[0, 80]);
        bench.write(0, sn::PORT, &4002u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        bench.arrive(&reply(PEER_IP));
        assert_eq!(last_sent(&mut bench).ports(), (4002, 80), "{model:?}");
    }
}

/// W5200 datasheet, p. 34: Sn_DIPR is set after the connection was established.
#[test]
fn a_listener_shows_its_peer_once_that_is_connected() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(0, TCP, 80);
        bench.command(0, command::LISTEN);
        bench.arrive(&segment(80, TcpControl::Syn, (77, None)));
        assert_eq!((bench.u8(0, sn::SR), bench.u16(0, sn::DPORT)), (0x16, 0), "{model:?}");
        let answer = bench.take_seen().pop().expect("SYN and ACK").bytes;
        let sequence = i32::from_be_bytes(answer[38..42].try_into().unwrap());
        bench.arrive(&segment(80, TcpControl::None, (78, Some(sequence.wrapping_add(1)))));
        assert_eq!((bench.u8(0, sn::SR), bench.u16(0, sn::DPORT)), (0x17, 1000), "{model:?}");
        assert_eq!(bench.read(0, sn::DIPR, 4), PEER_IP, "{model:?}");
        assert_eq!(bench.read(0, sn::DHAR, 6), PEER_MAC, "{model:?}");
    }
}

/// WIZnet's own multicast loopback (ioLibrary, Application/multicast) answers with sendto(), which writes the sender's address
/// into Sn_DIPR and Sn_DPORT.
#[test]
fn a_member_of_a_group_stays_one_after_it_has_answered_a_stranger() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        join(&mut bench);
        for round in 1..=3 {
            bench.arrive(&datagram(GROUP_MAC, GROUP, 3000));
            assert_eq!(bench.u16(1, sn::RX_RSR), 12, "{model:?}, round {round}");
            bench.take(1, 12);
            bench.write(1, sn::DIPR, &PEER_IP);
            bench.write(1, sn::DPORT, &5000u16.to_be_bytes());
            bench.send(1, b"pong");
            let sent = last_sent(&mut bench);
            let group = (GROUP_MAC, GROUP, (3000, 3000));
            assert_eq!((sent.hardware_address(), sent.destination(), sent.ports()), group, "{model:?}");
        }
        bench.command(1, command::CLOSE);
        let leave = last_sent(&mut bench);
        assert_eq!((leave.0[34], &leave.0[38..42]), (0x17, &GROUP[..]), "{model:?}");
    }
}

/// The consoles of WIZnet's example of a receiver, on a W5500 and a W5100S: its sockets are at port 3000 (ioLibrary,
/// Application/multicast), and show what was sent to port 30000 of the group.
#[test]
fn a_member_at_another_port_takes_what_goes_to_the_port_of_its_group() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        join_at(&mut bench, 30_000);
        for (port, bytes) in [(30_000, 12), (3000, 12), (30_001, 0)] {
            bench.arrive(&datagram(GROUP_MAC, GROUP, port));
            assert_eq!(bench.u16(1, sn::RX_RSR), bytes, "{model:?}, port {port}");
            bench.take(1, bytes.into());
        }
        // What is for the board alone goes to its own port.
        bench.arrive(&datagram(CHIP_MAC, CHIP_IP, 30_000));
        assert_eq!(bench.u16(1, sn::RX_RSR), 0, "{model:?}");
    }
}

/// arduino-libraries/Ethernet, issue 271: with SEND a datagram goes to the port of OPEN, with SEND_MAC to the new one.
#[test]
fn send_mac_goes_to_the_registers_also_from_a_group() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        join(&mut bench);
        bench.write(1, sn::DIPR, &PEER_IP);
        bench.write(1, sn::DPORT, &5000u16.to_be_bytes());
        bench.write(1, sn::DHAR, &PEER_MAC);
        bench.send_with(1, b"pong", command::SEND_MAC);
        let sent = last_sent(&mut bench);
        let peer = (PEER_MAC, PEER_IP, (3000, 5000));
        assert_eq!((sent.hardware_address(), sent.destination(), sent.ports()), peer, "{model:?}");
    }
}

#[test]
fn a_query_is_answered_for_the_group_of_open() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        join(&mut bench);
        bench.write(1, sn::DIPR, &PEER_IP);
        let query = packet([1, 0, 0x5E, 0, 0, 1], [224, 0, 0, 1], IpProtocol::Igmp, 8, |bytes| {
            bytes.copy_from_slice(&[0x11, 100, 0xEE, 0x9B, 0, 0, 0, 0]);
        });
        bench.arrive(&query);
        let report = last_sent(&mut bench);
        assert_eq!((report.0[34], &report.0[38..42]), (0x16, &GROUP[..]), "{model:?}");
    }
}

#[test]
fn whose_group_it_is_does_not_change_with_the_mode_register() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        join(&mut bench);
        bench.write(1, sn::MR, &[UDP]);
        bench.arrive(&datagram(GROUP_MAC, GROUP, 3000));
        assert_eq!(bench.u16(1, sn::RX_RSR), 12, "{model:?}");
        bench.command(1, command::CLOSE);
        assert_eq!(last_sent(&mut bench).0[34], 0x17, "{model:?}");
    }
}

/// W5200 datasheet, p. 32, Sn_SR.
#[test]
fn sn_sr_shows_arp_for_a_datagram_and_its_own_status_after_it() {
    for model in MODELS {
        for (mode, status) in [(UDP, 0x22), (IPRAW, 0x32)] {
            let mut bench = Bench::linked(model);
            bench.write(1, sn::PROTO, &[89]);
            bench.open(1, mode, 4000);
            bench.write(1, sn::DIPR, &PEER_IP);
            bench.send(1, b"x");
            assert_eq!(bench.u8(1, sn::SR), while_arp_runs(model, status), "{model:?}");
            bench.pass(ms(1_801));
            assert_eq!((bench.u8(1, sn::SR), bench.u8(1, sn::IR)), (status, TIMEOUT), "{model:?}");
            bench.send(1, b"x");
            bench.arrive(&reply(PEER_IP));
            assert_eq!(bench.u8(1, sn::SR), status, "{model:?}");
        }
    }
}

#[test]
fn a_socket_takes_datagrams_while_it_asks_by_arp() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 4000);
        bench.write(1, sn::DIPR, &PEER_IP);
        bench.send(1, b"x");
        bench.arrive(&datagram(CHIP_MAC, CHIP_IP, 4000));
        assert_eq!(bench.u16(1, sn::RX_RSR), 12, "{model:?}");
    }
}

/// W5200 datasheet, p. 32: ARP runs where the previous and the current value of Sn_DIPR differ.
#[test]
fn the_older_chips_ask_for_each_new_destination_behind_a_gateway() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.open(1, UDP, 4000);
        bench.write(1, sn::DIPR, &[8, 8, 8, 8]);
        bench.send(1, b"x");
        bench.arrive(&reply(PEER_IP));
        bench.take_seen();
        bench.send(1, b"y");
        assert_eq!(last_sent(&mut bench).destination(), [8, 8, 8, 8], "{model:?}");
        bench.write(1, sn::DIPR, &[8, 8, 4, 4]);
        bench.send(1, b"z");
        let asks = is_request_for(&last_sent(&mut bench).0, PEER_IP);
        assert_eq!(asks, matches!(model, Model::W5100 | Model::W5200), "{model:?}");
    }
}

#[test]
fn ipraw_for_tcp_or_udp_is_told_of() {
    for model in MODELS {
        for protocol in [6, 17] {
            let mut bench = Bench::linked(model);
            bench.write(2, sn::PROTO, &[protocol]);
            bench.open(2, IPRAW, 0);
            let warnings = bench.chip.take_warnings();
            assert_eq!(warnings.len(), 1, "{model:?}");
            let register = if model == Model::W6100 { "Sn_PNR" } else { "Sn_PROTO" };
            let told = format!("{register} of socket 2");
            assert!(warnings[0].sentence.contains(&told), "{}", warnings[0].sentence);
        }
    }
}

#[test]
fn memory_sizes_are_judged_when_a_socket_opens_that_needs_them() {
    for model in [Model::W5200, Model::W5500] {
        let mut bench = Bench::linked(model);
        // One after the other, so that they add up to more in between.
        for (n, kibibytes) in (0..8).zip([8, 4, 1, 1, 1, 1, 0, 0]) {
            bench.write(n, sn::TXBUF, &[kibibytes]);
            bench.write(n, sn::RXBUF, &[kibibytes]);
        }
        bench.open(0, UDP, 4000);
        assert_eq!(bench.chip.take_warnings(), [], "{model:?}");
        bench.write(0, sn::TXBUF, &[16]);
        bench.write(0, sn::RXBUF, &[16]);
        bench.open(0, MACRAW, 0);
        assert_eq!(bench.chip.take_warnings(), [], "{model:?}: all of it for MACRAW, on purpose");
        bench.open(1, UDP, 4000);
        assert_eq!(bench.chip.take_warnings().len(), 1, "{model:?}");
    }
}
