//! The PC's sockets over IPv6: against a second PC on a wire that may lose frames, and against smoltcp's own interface, which
//! knows nothing of the PC.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};

use ethernet::{Ending, Frame, Host, HostError, HostOptions, SeatId, Station, TcpState, Unreachable};
use smoltcp::iface::{Config, Interface, SocketSet};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpCidr};
use testing::Cable;
use units::Picoseconds;

use crate::common::{Carried, LEFT_MAC, RIGHT_MAC, Script, Wire, ms, options, pattern, us, wire};

const LEFT: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 1);
const RIGHT: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, 2);
const NOBODY: Ipv6Addr = Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0, 0, 0x1234);

const SOLICITATION: u8 = 135;
const TCP: u8 = 6;
const UDP: u8 = 17;

type Shared<T> = Arc<Mutex<T>>;

fn shared<T: Default>() -> Shared<T> {
    Arc::default()
}

fn got<T: Clone>(shared: &Shared<T>) -> T {
    shared.lock().expect("a lock").clone()
}

fn is_ipv6(carried: &Carried, protocol: u8) -> bool {
    carried.bytes[12..14] == [0x86, 0xDD] && carried.bytes[20] == protocol
}

fn solicitations(wire: &Wire) -> usize {
    let asks = |one: &&Carried| is_ipv6(one, 58) && one.bytes[54] == SOLICITATION;
    wire.carried.iter().filter(asks).count()
}

/// Has a PC accept everything at a port and send it back, until the peer has finished.
fn echoes(host: &mut Host, port: u16) -> Shared<Vec<IpAddr>> {
    let peers: Shared<Vec<IpAddr>> = shared();
    let told = peers.clone();
    let mut listener = None;
    let mut open = Vec::new();
    host.seat(Script::boxed(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(port).expect("a free port"));
        while sockets.take_news().is_some() {}
        while let Some((id, (from, _))) = sockets.accept(listener) {
            told.lock().expect("a lock").push(from);
            open.push((id, Vec::new()));
        }
        for (id, bytes) in &mut open {
            sockets.receive(*id, |arrived| {
                bytes.extend_from_slice(arrived);
                arrived.len()
            });
            let sent = sockets.send(*id, bytes);
            bytes.drain(..sent);
            if sockets.peer_finished(*id) && bytes.is_empty() {
                sockets.finish(*id);
            }
        }
        None
    }));
    peers
}

/// What became of a connection: what came back, and how it ended.
type Outcome = (Vec<u8>, Option<Ending>);

/// Has a PC send bytes to a port, and read until the end.
fn calls(host: &mut Host, to: (IpAddr, u16), bytes: Vec<u8>) -> (SeatId, Shared<Outcome>) {
    let outcome: Shared<Outcome> = shared();
    let told = outcome.clone();
    let (mut connection, mut sent) = (None, 0);
    let seat = host.seat(Script::boxed(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(to.0, to.1).expect("a way"));
        while sockets.take_news().is_some() {}
        let mut told = told.lock().expect("a lock");
        if sockets.state(id) == Some(TcpState::Open) {
            sent += sockets.send(id, &bytes[sent..]);
            if sent == bytes.len() {
                sockets.finish(id);
            }
        }
        sockets.receive(id, |arrived| {
            told.0.extend_from_slice(arrived);
            arrived.len()
        });
        told.1 = sockets.ending(id);
        None
    }));
    (seat, outcome)
}

#[test]
fn one_listener_serves_both_families() {
    let mut wire = wire();
    let peers = echoes(&mut wire.right, 7);
    let sent = pattern(0, 100_000);
    let (_, over_ipv6) = calls(&mut wire.left, (RIGHT.into(), 7), sent.clone());
    let (_, over_ipv4) = calls(&mut wire.left, ([10, 0, 0, 2].into(), 7), sent.clone());
    wire.run(ms(2_000));
    let whole = (sent, Some(Ending::Finished));
    assert_eq!((got(&over_ipv6), got(&over_ipv4)), (whole.clone(), whole));
    let mut peers = got(&peers);
    peers.sort();
    assert_eq!(peers, [IpAddr::from([10, 0, 0, 1]), LEFT.into()]);
}

#[test]
fn segments_are_twenty_bytes_shorter_than_over_ipv4() {
    let mut wire = wire();
    echoes(&mut wire.right, 7);
    calls(&mut wire.left, (RIGHT.into(), 7), pattern(0, 100_000));
    wire.run(ms(1_000));
    // 1500 bytes, of which 40 are IPv6's, 20 TCP's and 12 of a timestamp.
    let longest = wire.carried.iter().filter(|one| is_ipv6(one, TCP)).map(|one| one.bytes.len()).max();
    assert_eq!(longest, Some(14 + 1500));
    let syn = wire.carried.iter().find(|one| is_ipv6(one, TCP)).expect("a SYN");
    assert!(syn.bytes[74..].windows(4).any(|option| option == [2, 4, 0x05, 0xA0]), "an MSS of 1440");
}

#[test]
fn each_neighbour_is_asked_for_once_and_lost_frames_are_sent_again() {
    let mut wire = wire();
    echoes(&mut wire.right, 7);
    let sent = pattern(5, 200_000);
    let (_, outcome) = calls(&mut wire.left, (RIGHT.into(), 7), sent.clone());
    wire.loses = Box::new(|count, carried| is_ipv6(carried, TCP) && count % 41 == 40);
    wire.run(ms(60_000));
    assert_eq!(got(&outcome), (sent, Some(Ending::Finished)));
    // The right PC has heard in the question where the left one is.
    assert_eq!(solicitations(&wire), 1);
}

#[test]
fn a_neighbour_that_was_long_silent_is_asked_again_to_itself() {
    let mut wire = wire();
    let mut hearing = None;
    wire.on_right(move |_, sockets| {
        hearing.get_or_insert_with(|| sockets.bind(9, false).expect("a free port"));
        None
    });
    let mut socket = None;
    wire.on_left(move |now, sockets| {
        let id = *socket.get_or_insert_with(|| sockets.bind(5000, false).expect("a free port"));
        assert!(sockets.send_to(id, RIGHT, 9, b"still there?"));
        Some(now + ms(20_000))
    });
    wire.loses = Box::new(|_, carried| !carried.from_left && carried.at > ms(1_000));
    wire.run(ms(50_000));
    let probes: Vec<(i64, bool)> = wire
        .carried
        .iter()
        .filter(|one| is_ipv6(one, 58) && one.bytes[54] == SOLICITATION)
        .map(|one| (one.at.ps() / units::PS_PER_S, one.bytes[0] == 0x33))
        .collect();
    // 5 s after a packet that follows 30 s of silence: three questions a second apart.
    assert_eq!(probes, [(0, true), (45, false), (46, false), (47, false)]);
}

#[test]
fn a_port_without_a_socket_refuses_connections_and_datagrams() {
    let mut wire = wire();
    let (_, outcome) = calls(&mut wire.left, (RIGHT.into(), 81), b"x".to_vec());
    let notices: Shared<Vec<Unreachable>> = shared();
    let told = notices.clone();
    let mut socket = None;
    wire.on_left(move |_, sockets| {
        socket.get_or_insert_with(|| {
            let id = sockets.bind(5555, false).expect("a free port");
            assert!(sockets.send_to(id, RIGHT, 4444, b"anyone?"));
        });
        told.lock().expect("a lock").extend(std::iter::from_fn(|| sockets.take_unreachable()));
        None
    });
    wire.run(ms(500));
    assert_eq!(got(&outcome), (Vec::new(), Some(Ending::Refused)));
    let (from, to) = (RIGHT.into(), RIGHT.into());
    let refused = Unreachable { from, code: 3, protocol: UDP, to, local_port: 5555, remote_port: 4444 };
    assert_eq!(got(&notices), [refused]);
}

#[test]
fn nobody_at_an_address_is_told_after_three_questions() {
    let mut wire = wire();
    let (_, outcome) = calls(&mut wire.left, (NOBODY.into(), 7), b"x".to_vec());
    wire.run(ms(2_900));
    assert_eq!(got(&outcome).1, None);
    wire.run(ms(3_100));
    assert_eq!((got(&outcome).1, solicitations(&wire)), (Some(Ending::Unreachable), 3));
}

#[test]
fn the_pc_pings_over_ipv6() {
    let mut wire = wire();
    let replies = shared();
    let told: Shared<Vec<(IpAddr, u16, Vec<u8>)>> = Arc::clone(&replies);
    let mut asked = false;
    wire.on_left(move |_, sockets| {
        if !std::mem::replace(&mut asked, true) {
            assert!(sockets.echo_request(RIGHT, 7, 1, &pattern(0, 1_452)));
            assert!(!sockets.echo_request(RIGHT, 7, 2, &pattern(0, 1_453)), "one packet holds no more");
        }
        while let Some(reply) = sockets.take_echo_reply() {
            told.lock().expect("a lock").push((reply.from, reply.identifier, reply.payload));
        }
        None
    });
    wire.run(ms(100));
    assert_eq!(got(&replies), [(RIGHT.into(), 7, pattern(0, 1_452))]);
}

#[test]
fn an_address_beyond_the_link_has_no_way_and_says_so() {
    let mut wire = wire();
    let refusal: Shared<Option<String>> = shared();
    let told = refusal.clone();
    wire.on_left(move |_, sockets| {
        let far = Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1);
        let error = sockets.connect(far, 80).expect_err("there is no router");
        assert_eq!(error, HostError::NoRouteOverIpv6(far, 80));
        *told.lock().expect("a lock") = Some(error.to_string());
        None
    });
    wire.run(ms(1));
    assert_eq!(
        got(&refusal).as_deref(),
        Some(
            "[2001:db8::1]:80 cannot be reached: over IPv6 the PC reaches its own networks alone. Use a link-local address, \
             which begins with fe80, or give the PC an address in that network."
        )
    );
}

const LEFT_BESIDE: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1);
const RIGHT_BESIDE: Ipv6Addr = Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2);

#[test]
fn each_network_is_spoken_to_from_the_address_in_it() {
    let with = |left: bool, beside| HostOptions { ipv6: Some((beside, 64)), ..options(left) };
    let mut wire = Wire::new(with(true, LEFT_BESIDE), with(false, RIGHT_BESIDE));
    let peers = echoes(&mut wire.right, 7);
    let sent = pattern(0, 5_000);
    let (_, beside) = calls(&mut wire.left, (RIGHT_BESIDE.into(), 7), sent.clone());
    wire.run(ms(500));
    let (_, on_the_link) = calls(&mut wire.left, (RIGHT.into(), 7), sent.clone());
    wire.run(ms(1_000));
    let whole = (sent, Some(Ending::Finished));
    assert!((got(&beside), got(&on_the_link)) == (whole.clone(), whole));
    assert_eq!(got(&peers), [IpAddr::from(LEFT_BESIDE), LEFT.into()]);
}

#[test]
fn an_address_that_is_no_hosts_beyond_the_link_is_refused() {
    for (address, prefix) in [("fe80::1", 64), ("ff02::1", 64), ("::", 64), ("::1", 64), ("fd00::1", 129)] {
        let ipv6 = Some((address.parse().expect("an address"), prefix));
        let error = Host::new(HostOptions { ipv6, ..options(true) }).expect_err(address);
        assert_eq!(error, HostError::Ipv6Address("left".to_owned()));
    }
}

/// smoltcp's interface at the other end of a wire that takes 50 us.
struct Station6 {
    interface: Interface,
    sockets: SocketSet<'static>,
    cable: Cable,
}

impl Station6 {
    fn new() -> Self {
        let mut cable = Cable::default();
        let config = Config::new(HardwareAddress::Ethernet(EthernetAddress(RIGHT_MAC)));
        let mut interface = Interface::new(config, &mut cable, Instant::from_micros(0));
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(RIGHT.into(), 64)).expect("there is room");
        });
        Self { interface, sockets: SocketSet::new(Vec::new()), cable }
    }

    /// Both stations take turns of 50 us, with `act` on smoltcp's socket in each.
    fn run(&mut self, host: &mut Host, until: Picoseconds, mut act: impl FnMut(&mut Self)) {
        let mut now = Picoseconds::ZERO;
        while now < until {
            now = now + us(50);
            host.advance(now);
            while let Some(frame) = host.take_frame() {
                self.cable.to_smoltcp.push_back(frame.bytes);
            }
            act(self);
            let instant = Instant::from_micros(now.ps() / units::PS_PER_US);
            self.interface.poll(instant, &mut self.cable, &mut self.sockets);
            for frame in self.cable.from_smoltcp.drain(..) {
                host.receive(now, &Frame::new(frame));
            }
        }
    }
}

fn tcp_socket() -> tcp::Socket<'static> {
    let buffer = || tcp::SocketBuffer::new(vec![0; 8_192]);
    tcp::Socket::new(buffer(), buffer())
}

#[test]
fn another_stack_calls_the_pc_over_ipv6() {
    let mut host = Host::new(options(true)).expect("a PC");
    assert_eq!((options(true).mac, host.link_local_address()), (LEFT_MAC, LEFT));
    let peers = echoes(&mut host, 7);
    let mut station = Station6::new();
    let handle = station.sockets.add(tcp_socket());
    let socket = station.sockets.get_mut::<tcp::Socket<'_>>(handle);
    socket.connect(station.interface.context(), (LEFT, 7), 49_152).expect("it is closed");
    let (sent, mut done, mut came) = (pattern(0, 50_000), 0, Vec::new());
    station.run(&mut host, ms(2_000), |station| {
        let socket = station.sockets.get_mut::<tcp::Socket<'_>>(handle);
        done += socket.send_slice(&sent[done..]).unwrap_or(0);
        let mut buffer = [0; 4_096];
        let count = socket.recv_slice(&mut buffer).unwrap_or(0);
        came.extend_from_slice(&buffer[..count]);
    });
    assert_eq!(came.len(), sent.len());
    assert!(came == sent);
    assert_eq!(got(&peers), [IpAddr::from(RIGHT)]);
}

#[test]
fn the_pc_calls_another_stack_over_ipv6() {
    let mut host = Host::new(options(true)).expect("a PC");
    let mut station = Station6::new();
    let handle = station.sockets.add(tcp_socket());
    station.sockets.get_mut::<tcp::Socket<'_>>(handle).listen(7).expect("the port is free");
    let sent = pattern(3, 30_000);
    let (_, outcome) = calls(&mut host, (RIGHT.into(), 7), sent.clone());
    station.run(&mut host, ms(2_000), |station| {
        let socket = station.sockets.get_mut::<tcp::Socket<'_>>(handle);
        if socket.can_recv() && socket.can_send() {
            let room = socket.send_capacity() - socket.send_queue();
            let bytes = socket.recv(|bytes| (bytes.len().min(room), bytes[..bytes.len().min(room)].to_vec()));
            socket.send_slice(&bytes.expect("it can")).expect("it can");
        } else if socket.state() == tcp::State::CloseWait && socket.send_queue() == 0 {
            socket.close();
        }
    });
    assert!(got(&outcome) == (sent, Some(Ending::Finished)));
}
