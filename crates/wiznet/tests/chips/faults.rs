//! What goes wrong on a network: refusals, cables that are pulled, storms, floods, silent peers.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::tcp;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IpAddress, IpProtocol, Ipv4Address,
    Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber, UdpPacket, UdpRepr,
};
use wiznet::Model;

use crate::support::{
    Bench, CHIP_IP, CHIP_MAC, FAST, MODELS, PEER_IP, PEER_MAC, TIMEOUT, command, ms, sn, us,
};

const TCP: u8 = 0x01;
const UDP: u8 = 0x02;

fn packet(protocol: IpProtocol, payload_bytes: usize, fill: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut frame = vec![0; 34 + payload_bytes];
    EthernetRepr {
        src_addr: EthernetAddress(PEER_MAC),
        dst_addr: EthernetAddress(CHIP_MAC),
        ethertype: EthernetProtocol::Ipv4,
    }
    .emit(&mut EthernetFrame::new_unchecked(&mut frame[..]));
    Ipv4Repr {
        src_addr: Ipv4Address::from(PEER_IP),
        dst_addr: Ipv4Address::from(CHIP_IP),
        next_header: protocol,
        payload_len: payload_bytes,
        hop_limit: 64,
    }
    .emit(&mut Ipv4Packet::new_unchecked(&mut frame[14..]), &ChecksumCapabilities::default());
    fill(&mut frame[34..]);
    frame.resize(frame.len().max(60), 0);
    frame
}

fn addresses() -> (IpAddress, IpAddress) {
    (Ipv4Address::from(PEER_IP).into(), Ipv4Address::from(CHIP_IP).into())
}

fn syn(from: u16, to: u16) -> Vec<u8> {
    let repr = TcpRepr {
        src_port: from,
        dst_port: to,
        control: TcpControl::Syn,
        seq_number: TcpSeqNumber(77),
        ack_number: None,
        window_len: 8192,
        window_scale: None,
        max_seg_size: Some(1460),
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    };
    let (source, destination) = addresses();
    packet(IpProtocol::Tcp, repr.buffer_len(), |bytes| {
        repr.emit(
            &mut TcpPacket::new_unchecked(bytes),
            &source,
            &destination,
            &ChecksumCapabilities::default(),
        );
    })
}

fn datagram(to: u16) -> Vec<u8> {
    let (source, destination) = addresses();
    packet(IpProtocol::Udp, 12, |bytes| {
        UdpRepr { src_port: 9, dst_port: to }.emit(
            &mut UdpPacket::new_unchecked(bytes),
            &source,
            &destination,
            4,
            |payload| payload.fill(1),
            &ChecksumCapabilities::default(),
        );
    })
}

#[test]
fn a_port_that_the_peer_refuses_is_told_by_the_unreachable_registers() {
    for (model, uipr) in [(Model::W5100, 0x2A), (Model::W5100S, 0x2A), (Model::W5500, 0x28)] {
        let mut bench = Bench::with_peer(model);
        bench.open(1, UDP, 4000);
        bench.write(1, sn::DIPR, &PEER_IP);
        bench.write(1, sn::DPORT, &5999u16.to_be_bytes());
        bench.send(1, b"anyone?");
        bench.pass(ms(3));
        assert_eq!(bench.common_read(0x15, 1)[0] & 0x40, 0x40, "{model:?}");
        assert_eq!(bench.common_read(uipr, 6), [&PEER_IP[..], &5999u16.to_be_bytes()].concat());
    }
}

#[test]
fn a_datagram_for_nobody_is_refused_except_where_blocked() {
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.arrive(&datagram(81));
        let sent = bench.take_seen();
        assert_eq!(sent[0].bytes[34..36], [3, 3], "{model:?}: port unreachable");
    }
    let mut bench = Bench::linked(Model::W5100S);
    bench.common_write(0x30, &[0x50]);
    bench.arrive(&datagram(81));
    assert!(bench.seen.is_empty());
}

#[test]
fn a_pulled_cable_delays_a_transfer_and_loses_nothing() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let buffer = || tcp::SocketBuffer::new(vec![0; 8192]);
        let mut server = tcp::Socket::new(buffer(), buffer());
        server.listen(7000).expect("the port is free");
        let handle = peer.sockets.add(server);
        bench.open(0, TCP, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17), "{model:?}");
        bench.chip.set_cable(bench.now, None);
        bench.send(0, &[0x42; 2000]);
        bench.pass(ms(1_000));
        assert_eq!(bench.u8(0, sn::SR), 0x17);
        bench.chip.set_cable(bench.now, Some(FAST));
        bench.pass(ms(3_000));
        let peer = bench.peer.as_mut().expect("there is a peer");
        let mut received = [0; 4096];
        let server = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
        assert_eq!(server.recv_slice(&mut received), Ok(2000), "{model:?}");
        assert!(received[..2000].iter().all(|&byte| byte == 0x42));
        assert_eq!(bench.u16(0, sn::TX_FSR), 2048);
    }
}

#[test]
fn a_refused_connect_closes_without_a_time_out() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        bench.open(0, TCP, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &7001u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0), "{model:?}");
        assert_eq!(bench.u8(0, sn::IR) & TIMEOUT, 0);
    }
}

#[test]
fn pings_can_be_blocked() {
    let echo = packet(IpProtocol::Icmp, 12, |bytes| {
        bytes[0] = 8;
        smoltcp::wire::Icmpv4Packet::new_unchecked(bytes).fill_checksum();
    });
    for model in MODELS {
        let mut bench = Bench::linked(model);
        bench.arrive(&echo);
        assert_eq!(bench.take_seen().len(), 1, "{model:?}");
        // MR.PB, and NET4MR.PB of the W6100.
        let (register, bit) = if model == Model::W6100 { (0x4000, 0x01) } else { (0x0000, 0x10) };
        bench.common_write(register, &[bit]);
        bench.arrive(&echo);
        assert!(bench.seen.is_empty(), "{model:?}");
    }
}

#[test]
fn sockets_that_listen_on_one_port_share_its_clients() {
    let mut bench = Bench::linked(Model::W5500);
    for n in [1, 4] {
        bench.open(n, TCP, 80);
        bench.command(n, command::LISTEN);
    }
    for client in [1000, 1001] {
        bench.arrive(&syn(client, 80));
    }
    assert_eq!((bench.u8(1, sn::SR), bench.u8(4, sn::SR)), (0x16, 0x16));
    let port = |sent: &wiznet::Sent| u16::from_be_bytes([sent.bytes[36], sent.bytes[37]]);
    assert_eq!(bench.take_seen().iter().map(port).collect::<Vec<_>>(), [1000, 1001]);
    bench.arrive(&syn(1002, 80));
    let flags = bench.seen[0].bytes[47];
    assert_eq!(flags, 0x14, "a third client is reset");
}

#[test]
fn a_flood_of_a_hundred_thousand_syns_leaves_the_chip_as_it_was() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, TCP, 80);
    bench.command(0, command::LISTEN);
    for n in 0..100_000u32 {
        bench.chip.receive(bench.now, &syn(1024 + (n % 60_000) as u16, 80), true);
        bench.now = bench.now + us(7);
        while bench.chip.take_sent().is_some() {}
    }
    bench.pass(ms(60_000));
    assert_eq!(bench.u8(0, sn::SR), 0, "the half-open connection has timed out");
    bench.open(1, UDP, 9);
    bench.arrive(&datagram(9));
    assert_eq!(bench.u16(1, sn::RX_RSR), 12);
}

#[test]
fn a_storm_faster_than_the_wire_is_bounded_and_counted() {
    let mut bench = Bench::linked(Model::W5500);
    for _ in 0..10_000 {
        bench.chip.receive(bench.now, &datagram(81), true);
        bench.now = bench.now + us(1);
        bench.chip.advance(bench.now);
    }
    bench.pass(ms(10));
    let sent = bench.take_seen();
    let dropped = bench.chip.dropped();
    assert!(sent.len() < 2_500, "{}", sent.len());
    assert_eq!(sent.len() as u64 + dropped.answers + dropped.no_room, 10_000);
}

#[test]
fn a_silent_peer_is_given_up_after_thirty_one_point_eight_seconds() {
    // SYN to a peer that answers ARP and nothing else.
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, TCP, 4001);
    bench.write(0, sn::DIPR, &PEER_IP);
    bench.write(0, sn::DPORT, &[0, 80]);
    bench.command(0, command::CONNECT);
    let mut reply = vec![0; 60];
    reply[..6].copy_from_slice(&CHIP_MAC);
    reply[12..22].copy_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 2]);
    reply[22..28].copy_from_slice(&PEER_MAC);
    reply[28..32].copy_from_slice(&PEER_IP);
    reply[32..38].copy_from_slice(&CHIP_MAC);
    reply[38..42].copy_from_slice(&CHIP_IP);
    bench.arrive(&reply);
    let first = bench.seen.last().expect("SYN was sent").start;
    bench.pass(first + ms(31_799) - bench.now);
    assert_eq!(bench.u8(0, sn::SR), 0x15);
    bench.pass(ms(2));
    assert_eq!((bench.u8(0, sn::SR), bench.u8(0, sn::IR)), (0, TIMEOUT));
}

#[test]
fn a_network_card_leaves_answers_to_its_driver() {
    let mut bench = Bench::linked(Model::W5500);
    bench.open(0, 0x04, 0);
    bench.arrive(&syn(1000, 80));
    bench.arrive(&datagram(81));
    assert!(bench.seen.is_empty());
    assert_eq!(bench.u16(0, sn::RX_RSR), 62 + 62);
}
