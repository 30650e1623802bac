//! TCP and UDP over IPv6.

use std::net::Ipv4Addr;

use smoltcp::socket::{icmp, tcp, udp};
use smoltcp::wire::{Icmpv6Packet, Icmpv6Repr, IpAddress, IpEndpoint};

use super::*;
use crate::support::{CHIP_IP, CON, DISCON, RECV, SENDOK, TIMEOUT};

fn chip_at(port: u16) -> IpEndpoint {
    IpEndpoint::new(IpAddress::Ipv6(global()), port)
}

fn udp_socket() -> udp::Socket<'static> {
    let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 8], vec![0; 8192]);
    let mut socket = udp::Socket::new(buffer(), buffer());
    socket.bind(5000).expect("the port is free");
    socket
}

fn call(bench: &mut Bench, port: u16) -> smoltcp::iface::SocketHandle {
    let buffer = || tcp::SocketBuffer::new(vec![0; 8192]);
    let peer = bench.peer.as_mut().expect("there is a peer");
    let handle = peer.sockets.add(tcp::Socket::new(buffer(), buffer()));
    let socket = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
    socket.connect(peer.interface.context(), chip_at(port), 49_152).expect("it is closed");
    handle
}

#[test]
fn a_ping_is_answered_without_any_socket_unless_blocked() {
    for (blocked, expected) in [(false, true), (true, false)] {
        let mut bench = with_peer();
        bench.common_write(0x4004, &[u8::from(blocked)]);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let buffer = || icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; 4], vec![0; 4096]);
        let mut socket = icmp::Socket::new(buffer(), buffer());
        socket.bind(icmp::Endpoint::Ident(0x22B)).expect("the identifier is free");
        let request = Icmpv6Repr::EchoRequest { ident: 0x22B, seq_no: 3, data: &[0x5A; 1400] };
        let space = socket.send(request.buffer_len(), IpAddress::Ipv6(global())).expect("there is room");
        let caps = smoltcp::phy::ChecksumCapabilities::default();
        request.emit(&super::peer(), &global(), &mut Icmpv6Packet::new_unchecked(space), &caps);
        let handle = peer.sockets.add(socket);
        bench.pass(ms(5));
        let peer = bench.peer.as_mut().expect("there is a peer");
        let answer = peer.sockets.get_mut::<icmp::Socket<'_>>(handle).recv();
        assert_eq!(answer.is_ok(), expected);
        if let Ok((payload, from)) = answer {
            assert_eq!(
                (from, payload[0], &payload[8..]),
                (IpAddress::Ipv6(global()), 129, &[0x5A; 1400][..])
            );
        }
    }
}

#[test]
fn datagrams_go_both_ways_with_sixteen_bytes_of_address() {
    for mode in [UDP6, UDPD] {
        let mut bench = with_peer();
        let handle = bench.peer.as_mut().expect("there is a peer").sockets.add(udp_socket());
        bench.open(1, mode, 4000);
        assert_eq!(bench.u8(1, sn::SR), 0x22);
        bench.own_write(1, own::DIP6R, &peer().octets());
        bench.write(1, sn::DPORT, &5000u16.to_be_bytes());
        bench.send_with(1, b"from the chip", SEND6);
        assert!(bench.wait(ms(5), |bench| bench.u8(1, sn::IR) & SENDOK != 0));
        assert_eq!(bench.read(1, sn::DHAR, 6), PEER_MAC, "as neighbour discovery found it");
        bench.pass(ms(1));
        let peer_socket = bench.peer.as_mut().expect("there is a peer");
        let socket = peer_socket.sockets.get_mut::<udp::Socket<'_>>(handle);
        let (data, from) = socket.recv().expect("a datagram came");
        assert_eq!((data, from.endpoint), (&b"from the chip"[..], chip_at(4000)));
        socket.send_slice(b"and back", chip_at(4000)).expect("there is room");
        assert!(bench.wait(ms(5), |bench| bench.u8(1, sn::IR) & RECV != 0));
        // Two bytes of length with the family in its upper bits, the address, the port.
        let info = [&[0x80, 8], &peer().octets()[..], &5000u16.to_be_bytes()].concat();
        assert_eq!(bench.take(1, 28), [&info[..], b"and back"].concat());
        assert_eq!(bench.u16(1, sn::RX_RSR), 0);
    }
}

#[test]
fn a_dual_socket_takes_datagrams_of_both_families_and_tells_them_apart() {
    let mut bench = with_peer();
    let handle = bench.peer.as_mut().expect("there is a peer").sockets.add(udp_socket());
    bench.open(1, UDPD, 4000);
    let peer_socket = bench.peer.as_mut().expect("there is a peer");
    let socket = peer_socket.sockets.get_mut::<udp::Socket<'_>>(handle);
    let over_ipv4 = IpEndpoint::new(Ipv4Addr::from(CHIP_IP).into(), 4000);
    socket.send_slice(b"six", chip_at(4000)).expect("there is room");
    socket.send_slice(b"four", over_ipv4).expect("there is room");
    // smoltcp asks for one neighbour a second.
    assert!(bench.wait(ms(3_000), |bench| bench.u16(1, sn::RX_RSR) == 20 + 3 + 8 + 4));
    let received = bench.take(1, 35);
    let (first, second) = if received[0] == 0x80 { received.split_at(23) } else { received.split_at(12) };
    let mut lengths = [first.len(), second.len()];
    lengths.sort_unstable();
    assert_eq!(lengths, [12, 23]);
}

#[test]
fn a_client_connects_exchanges_data_and_closes() {
    for mode in [TCP6, TCPD] {
        let mut bench = with_peer();
        let handle = bench.listen_at_peer(7000);
        bench.open(0, mode, 4001);
        bench.own_write(0, own::DIP6R, &peer().octets());
        bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
        bench.command(0, CONNECT6);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17));
        assert_eq!(bench.u8(0, sn::IR) & (CON | TIMEOUT), CON);
        // Over IPv6, a client, from GUAR.
        assert_eq!(bench.own_read(0, own::ESR, 1), [0x07]);
        assert_eq!(bench.u16(0, sn::MSSR), 1440);
        let text: Vec<u8> = (0..6000u32).map(|n| (n * 7) as u8).collect();
        let mut received = Vec::new();
        for part in text.chunks(1500) {
            bench.send(0, part);
            assert!(bench.wait(ms(500), |bench| bench.u8(0, sn::IR) & SENDOK != 0));
            bench.write(0, sn::IR, &[SENDOK]);
            bench.pass(ms(20));
            let peer = bench.peer.as_mut().expect("there is a peer");
            let server = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
            let mut buffer = [0; 8192];
            let bytes = server.recv_slice(&mut buffer).expect("it is open");
            received.extend_from_slice(&buffer[..bytes]);
        }
        assert!(received == text, "{} bytes came", received.len());
        let longest = bench.seen.iter().map(|sent| sent.bytes.len()).max();
        assert_eq!(longest, Some(1514), "1440 bytes behind the headers of TCP and IPv6");
        let peer = bench.peer.as_mut().expect("there is a peer");
        let server = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
        server.send_slice(b"enough").expect("it is open");
        server.close();
        assert!(bench.wait(ms(100), |bench| bench.u16(0, sn::RX_RSR) == 6));
        assert_eq!(bench.take(0, 6), b"enough");
        assert!(bench.wait(ms(100), |bench| bench.u8(0, sn::SR) == 0x1C));
        assert_eq!(bench.u8(0, sn::IR) & DISCON, DISCON);
        bench.command(0, command::DISCON);
        assert!(bench.wait(ms(500), |bench| bench.u8(0, sn::SR) == 0));
    }
}

#[test]
fn a_dual_server_shows_of_which_family_its_client_is() {
    let mut bench = with_peer();
    bench.open(2, TCPD, 80);
    bench.command(2, command::LISTEN);
    call(&mut bench, 80);
    assert!(bench.wait(ms(100), |bench| bench.u8(2, sn::SR) == 0x17));
    assert_eq!(bench.own_read(2, own::DIP6R, 16), peer().octets());
    assert_eq!(bench.u16(2, sn::DPORT), 49_152);
    // Over IPv6, a server, at GUAR.
    assert_eq!(bench.own_read(2, own::ESR, 1), [0x05]);
}

#[test]
fn a_socket_of_the_other_family_does_not_hear_a_call() {
    let mut bench = with_peer();
    bench.open(2, TCP, 80);
    bench.command(2, command::LISTEN);
    let handle = call(&mut bench, 80);
    bench.pass(ms(20));
    assert_eq!(bench.u8(2, sn::SR), 0x14);
    let peer = bench.peer.as_mut().expect("there is a peer");
    assert_eq!(peer.sockets.get_mut::<tcp::Socket<'_>>(handle).state(), tcp::State::Closed, "it was reset");
}

#[test]
fn a_port_that_the_peer_refuses_is_told_by_the_unreachable_registers() {
    let mut bench = with_peer();
    bench.open(1, UDP6, 4000);
    bench.own_write(1, own::DIP6R, &peer().octets());
    bench.write(1, sn::DPORT, &5999u16.to_be_bytes());
    bench.send_with(1, b"anyone?", SEND6);
    bench.pass(ms(3));
    assert_eq!(bench.common_read(common::IR, 1), [0x10]);
    assert_eq!(bench.common_read(common::UIP6R, 16), peer().octets());
    assert_eq!(bench.common_read(0x41C0, 2), 5999u16.to_be_bytes());
}

#[test]
fn raw_sockets_give_the_payload_behind_length_and_address() {
    let mut bench = linked();
    bench.write(3, sn::PROTO, &[89]);
    bench.open(3, IPRAW6, 0);
    assert_eq!(bench.u8(3, sn::SR), 0x33);
    bench.arrive(&discovery::packet(CHIP_MAC, peer(), global(), 89, 64, b"hello"));
    let info = [&[0x80, 5], &peer().octets()[..]].concat();
    assert_eq!(bench.take(3, 23), [&info[..], b"hello"].concat());
    bench.arrive(&discovery::packet(CHIP_MAC, peer(), link_local(), 89, 64, b"near"));
    assert_eq!(bench.take(3, 22)[..2], [0x90, 4], "to the link-local address");
}
