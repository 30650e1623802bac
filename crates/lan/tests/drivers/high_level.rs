//! `w5500-hl` with `w5500-dhcp` and `w5500-dns`: the chip's own sockets, polled.

use std::cell::Cell;

use lan::BusUse;
use units::{PS_PER_US, Picoseconds};
use w5500_dns::RData;
use w5500_hl::ll::{LinkStatus, Registers, Sn, SocketStatus};
use w5500_hl::net::{Eui48Addr, SocketAddrV4};
use w5500_hl::{Error, Hostname, Tcp, Udp};

use crate::support::peers::{Checksum, Ping, Role, Transfer, UdpEcho, checksum_of, stream};
use crate::support::world::{
    CHIP, CHIP_MAC, Driver, MASK, PC, POOL, Seat, Setup, World, endpoint, ms, seconds, time_without_loss,
    transfer_bytes,
};

const DHCP_SOCKET: Sn = Sn::Sn0;
const DATA_SOCKET: Sn = Sn::Sn1;
const FROM_PC: u64 = 11;
const FROM_CHIP: u64 = 22;
const PORT: u16 = 5_001;

/// How long a driver that found nothing to do looks away.
const PAUSE: Picoseconds = Picoseconds::new(20 * PS_PER_US);

fn on_the_link(world: &World) -> Driver {
    let mut w5500 = world.reset_chip();
    w5500.set_shar(&Eui48Addr { octets: CHIP_MAC }).unwrap();
    world.poll(seconds(10), ms(10), || w5500.phycfgr().unwrap().lnk() == LinkStatus::Up);
    w5500
}

fn with_static_address(world: &World) -> Driver {
    let mut w5500 = on_the_link(world);
    w5500.set_sipr(&CHIP).unwrap();
    w5500.set_subr(&MASK).unwrap();
    w5500.set_gar(&PC).unwrap();
    w5500
}

fn lease<'a>(world: &World, w5500: &mut Driver) -> w5500_dhcp::Client<'a> {
    let mac = Eui48Addr { octets: CHIP_MAC };
    let mut client = w5500_dhcp::Client::new(DHCP_SOCKET, 0x1234_5678, mac, Hostname::new_unwrapped("chip"));
    client.setup_socket(w5500).unwrap();
    world.poll(seconds(60), ms(10), || {
        client.process(w5500, world.whole_seconds()).unwrap();
        client.has_lease()
    });
    client
}

/// Sends a stream and takes in another at the same time.
fn exchange(world: &World, w5500: &mut Driver, send_bytes: u64, expected_bytes: u64) -> Checksum {
    exchange_while(world, w5500, send_bytes, expected_bytes, || {})
}

/// The same, with something to be done at every turn.
fn exchange_while(
    world: &World,
    w5500: &mut Driver,
    send_bytes: u64,
    expected_bytes: u64,
    mut turn: impl FnMut(),
) -> Checksum {
    let (mut sent, mut pending, mut received) = (0, Vec::new(), Checksum::default());
    let mut buffer = [0; 2_048];
    let end = world.now() + seconds(3_600);
    while sent < send_bytes || received.bytes < expected_bytes {
        turn();
        if pending.is_empty() {
            pending = stream(FROM_CHIP, sent, (send_bytes - sent).min(2_048) as usize);
        }
        let written = w5500.tcp_write(DATA_SOCKET, &pending).unwrap();
        pending.drain(..usize::from(written));
        sent += u64::from(written);
        let read = w5500.tcp_read(DATA_SOCKET, &mut buffer).unwrap();
        received.add(&buffer[..usize::from(read)]);
        if written == 0 && read == 0 {
            world.wait(PAUSE);
            let state = w5500.sn_sr(DATA_SOCKET).unwrap();
            assert!(world.now() < end, "{sent} bytes sent, {} received, {state:?}", received.bytes);
            assert_ne!(state, Ok(SocketStatus::Closed), "{sent} bytes sent, {} received", received.bytes);
        }
    }
    received
}

fn close(world: &World, w5500: &mut Driver) {
    w5500.tcp_disconnect(DATA_SOCKET).unwrap();
    world.poll(seconds(60), ms(1), || w5500.sn_sr(DATA_SOCKET).unwrap() == Ok(SocketStatus::Closed));
}

fn connect(world: &World, w5500: &mut Driver) {
    w5500.tcp_connect(DATA_SOCKET, 40_000, &SocketAddrV4::new(PC, PORT)).unwrap();
    world.poll(seconds(30), ms(1), || {
        let state = w5500.sn_sr(DATA_SOCKET).unwrap();
        assert_ne!(state, Ok(SocketStatus::Closed), "the PC did not answer");
        state == Ok(SocketStatus::Established) || state == Ok(SocketStatus::CloseWait)
    });
}

fn listen(world: &World, w5500: &mut Driver, peer: Transfer) -> Seat {
    w5500.tcp_listen(DATA_SOCKET, PORT).unwrap();
    let peer = world.seat(peer);
    world.poll(seconds(30), ms(1), || {
        let state = w5500.sn_sr(DATA_SOCKET).unwrap();
        state == Ok(SocketStatus::Established) || state == Ok(SocketStatus::CloseWait)
    });
    peer
}

/// What the driver's bus was used for, and when the transfer was over.
fn both_ways(setup: &Setup, role: Role) -> (BusUse, Picoseconds) {
    let bytes = transfer_bytes();
    let world = World::new(setup);
    let mut w5500 = with_static_address(&world);
    let transfer = Transfer::new(role, FROM_PC, bytes);
    let peer = if role == Role::Listen(PORT) {
        let peer = world.seat(transfer);
        connect(&world, &mut w5500);
        peer
    } else {
        listen(&world, &mut w5500, transfer)
    };
    let begin = world.now();
    let received = exchange(&world, &mut w5500, bytes, bytes);
    assert_eq!(received, checksum_of(FROM_PC, bytes));
    assert!(setup.loss_percent > 0 || world.now() - begin < time_without_loss(bytes));
    close(&world, &mut w5500);
    world.poll(seconds(120), ms(10), || world.machine(peer, |peer: &Transfer| peer.closed.is_some()));
    world.machine(peer, |peer: &Transfer| {
        assert_eq!(peer.closed, Some(Ok(())));
        assert_eq!(peer.received, checksum_of(FROM_CHIP, bytes));
    });
    assert_eq!(world.lost_any(), setup.loss_percent > 0);
    (world.used(), world.now())
}

#[test]
fn the_same_seed_gives_the_same_use_of_the_bus_to_the_picosecond() {
    let run = |seed| both_ways(&Setup { loss_percent: 1, seed, ..Setup::default() }, Role::Listen(PORT));
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

#[test]
fn a_client_moves_data_both_ways_and_closes() {
    both_ways(&Setup::default(), Role::Listen(PORT));
}

#[test]
fn a_client_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways(&Setup { loss_percent: 1, ..Setup::default() }, Role::Listen(PORT));
}

#[test]
fn a_server_moves_data_both_ways_and_closes() {
    both_ways(&Setup::default(), Role::Connect(endpoint(CHIP, PORT)));
}

#[test]
fn a_server_moves_data_both_ways_while_one_frame_in_a_hundred_is_lost() {
    both_ways(&Setup { loss_percent: 1, ..Setup::default() }, Role::Connect(endpoint(CHIP, PORT)));
}

#[test]
fn a_transfer_goes_on_after_the_cable_was_pulled_for_a_second() {
    let bytes = transfer_bytes();
    let world = World::new(&Setup::default());
    let mut w5500 = with_static_address(&world);
    let peer = world.seat(Transfer::new(Role::Listen(PORT), FROM_PC, bytes));
    connect(&world, &mut w5500);
    let (begin, plugged) = (world.now(), Cell::new(true));
    let received = exchange_while(&world, &mut w5500, bytes, bytes, || {
        let pulled = (ms(5)..ms(1_005)).contains(&(world.now() - begin));
        if plugged.replace(!pulled) == pulled {
            world.set_plugged(!pulled);
        }
    });
    assert!(world.now() - begin > ms(1_005));
    assert_eq!(received, checksum_of(FROM_PC, bytes));
    close(&world, &mut w5500);
    world.poll(seconds(120), ms(10), || world.machine(peer, |peer: &Transfer| peer.closed.is_some()));
    world.machine(peer, |peer: &Transfer| assert_eq!(peer.received, checksum_of(FROM_CHIP, bytes)));
}

#[test]
fn dhcp_leases_an_address_and_the_chip_answers_ping_there() {
    let world = World::new(&Setup::default());
    world.serve_dhcp();
    let mut w5500 = on_the_link(&world);
    let client = lease(&world, &mut w5500);
    let address = client.leased_ip().unwrap();
    assert!(POOL.contains(&address), "{address} is not of the pool");
    assert_eq!(w5500.sipr().unwrap(), address);
    assert_eq!(w5500.subr().unwrap(), MASK);
    assert_eq!(client.dns(), Some(PC));
    let ping = world.seat(Ping::new(address, ms(100), 56));
    world.wait(ms(1_050));
    world.machine(ping, |ping: &Ping| assert_eq!((ping.sent, ping.answered, ping.garbled), (11, 11, 0)));
}

#[test]
fn dhcp_gets_through_although_one_frame_in_five_is_lost() {
    let world = World::new(&Setup { loss_percent: 20, ..Setup::default() });
    world.serve_dhcp();
    let mut w5500 = on_the_link(&world);
    let client = lease(&world, &mut w5500);
    assert!(POOL.contains(&client.leased_ip().unwrap()));
}

#[test]
fn ping_blocked_in_the_mode_register_gets_no_answer() {
    let world = World::new(&Setup::default());
    let mut w5500 = with_static_address(&world);
    w5500.set_mr(w5500_hl::ll::Mode::DEFAULT.enable_pb()).unwrap();
    let ping = world.seat(Ping::new(CHIP, ms(100), 56));
    world.wait(ms(1_050));
    world.machine(ping, |ping: &Ping| assert_eq!((ping.sent, ping.answered), (11, 0)));
}

#[test]
fn dns_resolves_a_name_that_the_pc_knows() {
    let world = World::new(&Setup::default());
    world.serve_dns("pc.airwire.test", PC);
    let mut w5500 = with_static_address(&world);
    let mut client = w5500_dns::Client::new(Sn::Sn2, 45_917, PC, 99);
    let id = client.a_question(&mut w5500, &Hostname::new_unwrapped("pc.airwire.test")).unwrap();
    let mut name = [0; 64];
    let end = world.now() + seconds(5);
    let mut response = loop {
        // The borrow of a response lasts as long as its result: look first, then take.
        if w5500.sn_rx_rsr(Sn::Sn2).unwrap() > 0 {
            break client.response(&mut w5500, &mut name, id).unwrap();
        }
        assert!(world.now() < end, "the name server did not answer");
        world.wait(ms(1));
    };
    assert_eq!(response.next_rr().unwrap().unwrap().rdata, RData::A(PC));
    response.done().unwrap();
}

#[test]
fn datagrams_come_back_from_an_echo_server_byte_by_byte() {
    let world = World::new(&Setup::default());
    let echo = world.seat(UdpEcho::new(7));
    let mut w5500 = with_static_address(&world);
    w5500.udp_bind(DATA_SOCKET, 7_000).unwrap();
    let to = SocketAddrV4::new(PC, 7);
    let mut buffer = [0; 2_048];
    for (index, count) in [1, 2, 3, 511, 512, 1_000, 1_471, 1_472].into_iter().enumerate() {
        let sent = stream(FROM_CHIP, index as u64 * 4_096, count);
        assert_eq!(usize::from(w5500.udp_send_to(DATA_SOCKET, &sent, &to).unwrap()), count);
        let end = world.now() + seconds(1);
        let (read, origin) = loop {
            match w5500.udp_recv_from(DATA_SOCKET, &mut buffer) {
                Ok(received) => break received,
                Err(Error::WouldBlock) => world.wait(ms(1)),
                Err(error) => panic!("a datagram of {count} bytes: {error:?}"),
            }
            assert!(world.now() < end, "a datagram of {count} bytes did not come back");
        };
        assert_eq!(origin, to);
        assert_eq!(buffer[..usize::from(read)], sent);
    }
    world.machine(echo, |echo: &UdpEcho| assert_eq!(echo.answered, 8));
}

#[test]
fn a_connection_that_nobody_accepts_is_refused() {
    let world = World::new(&Setup::default());
    let mut w5500 = with_static_address(&world);
    w5500.tcp_connect(DATA_SOCKET, 40_000, &SocketAddrV4::new(PC, 9)).unwrap();
    world.poll(seconds(2), ms(1), || w5500.sn_sr(DATA_SOCKET).unwrap() == Ok(SocketStatus::Closed));
    assert!(!w5500.sn_ir(DATA_SOCKET).unwrap().timeout_raised());
}

#[test]
fn eight_sockets_transfer_at_once() {
    let world = World::new(&Setup::default());
    let mut w5500 = with_static_address(&world);
    let bytes = 8_192;
    let ports = 6_000..6_008;
    let peers: Vec<_> = ports
        .clone()
        .map(|port| world.seat(Transfer::new(Role::Listen(port), u64::from(port), bytes)))
        .collect();
    let sockets = w5500_hl::ll::SOCKETS;
    for (sn, port) in sockets.into_iter().zip(ports.clone()) {
        w5500.tcp_connect(sn, port + 1_000, &SocketAddrV4::new(PC, port)).unwrap();
    }
    let mut received = vec![Checksum::default(); sockets.len()];
    let mut buffer = [0; 700];
    world.poll(seconds(60), PAUSE, || {
        for (sn, received) in sockets.into_iter().zip(&mut received) {
            let read = w5500.tcp_read(sn, &mut buffer).unwrap();
            received.add(&buffer[..usize::from(read)]);
        }
        received.iter().all(|received| received.bytes == bytes)
    });
    for (port, received) in ports.zip(&received) {
        assert_eq!(*received, checksum_of(u64::from(port), bytes));
    }
    for sn in sockets {
        w5500.tcp_disconnect(sn).unwrap();
    }
    world.poll(seconds(60), ms(1), || {
        peers.iter().all(|&peer| world.machine(peer, |p: &Transfer| p.closed == Some(Ok(()))))
    });
}
