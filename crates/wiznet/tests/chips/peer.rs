//! Each chip against a smoltcp interface, which knows nothing of the model: ARP, ICMP, UDP and TCP in both directions.

use smoltcp::socket::{icmp, tcp, udp};
use smoltcp::wire::{Icmpv4Packet, Icmpv4Repr, IpAddress, IpEndpoint, Ipv4Address};

use crate::support::{
    Bench, CHIP_IP, CON, MODELS, PEER_IP, PEER_MAC, RECV, SENDOK, TIMEOUT, command, ms, sn,
};

const UDP: u8 = 2;
const TCP: u8 = 1;

fn chip_at(port: u16) -> IpEndpoint {
    IpEndpoint::new(IpAddress::Ipv4(Ipv4Address::from(CHIP_IP)), port)
}

fn udp_socket() -> udp::Socket<'static> {
    let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 8], vec![0; 8192]);
    let mut socket = udp::Socket::new(buffer(), buffer());
    socket.bind(5000).expect("the port is free");
    socket
}

fn tcp_socket() -> tcp::Socket<'static> {
    tcp::Socket::new(tcp::SocketBuffer::new(vec![0; 8192]), tcp::SocketBuffer::new(vec![0; 8192]))
}

#[test]
fn a_ping_is_answered_without_any_socket() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let buffer = || icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; 4], vec![0; 4096]);
        let mut socket = icmp::Socket::new(buffer(), buffer());
        socket.bind(icmp::Endpoint::Ident(0x22B)).expect("the identifier is free");
        let request = Icmpv4Repr::EchoRequest { ident: 0x22B, seq_no: 3, data: &[0x5A; 1400] };
        let space = socket
            .send(request.buffer_len(), IpAddress::Ipv4(Ipv4Address::from(CHIP_IP)))
            .expect("there is room");
        request.emit(&mut Icmpv4Packet::new_unchecked(space), &smoltcp::phy::ChecksumCapabilities::default());
        let handle = peer.sockets.add(socket);
        bench.pass(ms(5));
        let peer = bench.peer.as_mut().expect("there is a peer");
        let socket = peer.sockets.get_mut::<icmp::Socket<'_>>(handle);
        let (payload, from) = socket.recv().unwrap_or_else(|_| panic!("{model:?} did not answer"));
        assert_eq!(from, IpAddress::Ipv4(Ipv4Address::from(CHIP_IP)));
        let reply = Icmpv4Repr::parse(
            &Icmpv4Packet::new_checked(payload).expect("it is whole"),
            &smoltcp::phy::ChecksumCapabilities::default(),
        );
        assert_eq!(
            reply.expect("it is right"),
            Icmpv4Repr::EchoReply { ident: 0x22B, seq_no: 3, data: &[0x5A; 1400] }
        );
    }
}

#[test]
fn datagrams_go_both_ways() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        let handle = bench.peer.as_mut().expect("there is a peer").sockets.add(udp_socket());
        bench.open(1, UDP, 4000);
        assert_eq!(bench.u8(1, sn::SR), 0x22, "{model:?}");
        bench.write(1, sn::DIPR, &PEER_IP);
        bench.write(1, sn::DPORT, &5000u16.to_be_bytes());
        bench.send(1, b"from the chip");
        assert!(bench.wait(ms(5), |bench| bench.u8(1, sn::IR) & SENDOK != 0), "{model:?}");
        assert_eq!(bench.read(1, sn::DHAR, 6), PEER_MAC);
        bench.pass(ms(1));
        let peer = bench.peer.as_mut().expect("there is a peer");
        let socket = peer.sockets.get_mut::<udp::Socket<'_>>(handle);
        let (data, from) = socket.recv().unwrap_or_else(|_| panic!("{model:?}: no datagram came"));
        assert_eq!((data, from.endpoint), (&b"from the chip"[..], chip_at(4000)));
        socket.send_slice(b"and back", chip_at(4000)).expect("there is room");
        assert!(bench.wait(ms(5), |bench| bench.u8(1, sn::IR) & RECV != 0), "{model:?}");
        assert_eq!(bench.u16(1, sn::RX_RSR), 16);
        let info = bench.packet_info(PEER_IP, Some(5000), 8);
        assert_eq!(bench.take(1, 16), [&info[..], b"and back"].concat());
        assert_eq!(bench.u16(1, sn::RX_RSR), 0);
    }
}

#[test]
fn a_client_connects_exchanges_data_and_closes() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let mut server = tcp_socket();
        server.listen(7000).expect("the port is free");
        let handle = peer.sockets.add(server);
        bench.open(0, TCP, 4001);
        assert_eq!(bench.u8(0, sn::SR), 0x13);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17), "{model:?} did not connect");
        assert_eq!(bench.u8(0, sn::IR) & (CON | TIMEOUT), CON);
        let text: Vec<u8> = (0..6000u32).map(|n| (n * 7) as u8).collect();
        let mut received = Vec::new();
        for part in text.chunks(1500) {
            assert!(
                bench.wait(ms(500), |bench| usize::from(bench.u16(0, sn::TX_FSR)) >= part.len()),
                "{model:?}"
            );
            bench.send(0, part);
            assert!(bench.wait(ms(500), |bench| bench.u8(0, sn::IR) & SENDOK != 0), "{model:?}");
            bench.write(0, sn::IR, &[SENDOK]);
            bench.pass(ms(20));
            let peer = bench.peer.as_mut().expect("there is a peer");
            let server = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
            let mut buffer = [0; 8192];
            let bytes = server.recv_slice(&mut buffer).expect("it is open");
            received.extend_from_slice(&buffer[..bytes]);
        }
        assert!(received == text, "{model:?}: {} bytes came", received.len());
        let peer = bench.peer.as_mut().expect("there is a peer");
        let server = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
        server.send_slice(b"enough").expect("it is open");
        assert!(bench.wait(ms(100), |bench| bench.u16(0, sn::RX_RSR) == 6), "{model:?}");
        assert_eq!(bench.take(0, 6), b"enough");
        bench.peer.as_mut().expect("there is a peer").sockets.get_mut::<tcp::Socket<'_>>(handle).close();
        assert!(bench.wait(ms(100), |bench| bench.u8(0, sn::SR) == 0x1C), "{model:?} saw no FIN");
        bench.command(0, command::DISCON);
        assert!(bench.wait(ms(500), |bench| bench.u8(0, sn::SR) == 0), "{model:?} did not close");
    }
}

#[test]
fn the_segment_size_is_what_both_sides_offer_up_to_the_end_of_a_connection_and_what_is_written_behind_it() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        bench.listen_at_peer(7000);
        bench.open(0, TCP, 4001);
        bench.write(0, sn::DIPR, &PEER_IP);
        bench.write(0, sn::DPORT, &7000u16.to_be_bytes());
        bench.command(0, command::CONNECT);
        assert!(bench.wait(ms(20), |bench| bench.u8(0, sn::SR) == 0x17), "{model:?} did not connect");
        assert_eq!(bench.u16(0, sn::MSSR), 1460, "{model:?}");
        bench.command(0, command::CLOSE);
        bench.write(0, sn::MSSR, &1000u16.to_be_bytes());
        assert_eq!(bench.u16(0, sn::MSSR), 1000, "{model:?}");
        bench.open(0, UDP, 4002);
        bench.write(0, sn::MSSR, &500u16.to_be_bytes());
        assert_eq!(bench.u16(0, sn::MSSR), 500, "{model:?}");
    }
}

#[test]
fn a_server_shows_who_its_client_is() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        bench.open(2, TCP, 80);
        bench.command(2, command::LISTEN);
        assert_eq!(bench.u8(2, sn::SR), 0x14);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let handle = peer.sockets.add(tcp_socket());
        let socket = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
        socket.connect(peer.interface.context(), chip_at(80), 49_152).expect("it is closed");
        assert!(bench.wait(ms(100), |bench| bench.u8(2, sn::SR) == 0x17), "{model:?} did not accept");
        assert_eq!(bench.read(2, sn::DIPR, 4), PEER_IP);
        assert_eq!(bench.u16(2, sn::DPORT), 49_152);
        assert_eq!(bench.read(2, sn::DHAR, 6), PEER_MAC);
    }
}

#[test]
fn a_connection_to_a_port_that_nobody_has_is_reset() {
    for model in MODELS {
        let mut bench = Bench::with_peer(model);
        let peer = bench.peer.as_mut().expect("there is a peer");
        let handle = peer.sockets.add(tcp_socket());
        let socket = peer.sockets.get_mut::<tcp::Socket<'_>>(handle);
        socket.connect(peer.interface.context(), chip_at(81), 49_153).expect("it is closed");
        bench.pass(ms(20));
        let peer = bench.peer.as_mut().expect("there is a peer");
        assert_eq!(peer.sockets.get_mut::<tcp::Socket<'_>>(handle).state(), tcp::State::Closed, "{model:?}");
    }
}
