//! Whatever happens, in whatever order, a machine neither panics nor asks without end.

use std::net::{IpAddr, Ipv4Addr};

use proptest::prelude::*;
use traffic::{Action, Connection, Event, IpEndpoint, KINDS, Machine};
use traffic::{bulk, http, iperf, iperf3, ping, pingpong, small, udp, ws};
use units::Picoseconds;

const PEER: IpEndpoint = IpEndpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), port: 5000 };
/// Of a WebSocket's client, and of its server for the first key of a client of ours.
const UPGRADE: &str = "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
const UPGRADED: &str = "HTTP/1.1 101 -\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Accept: iHMz0/J1GsQtRh2NfVC0Q7CZKMQ=\r\n\r\n";
/// More than an event of 200 bytes can honestly ask for.
const MOST_ACTIONS: usize = 8_000;
/// A client makes at most a thousand messages here, of which each begins and ends by a wake, and one every millisecond.
const MOST_WAKES: u32 = 50_000;
/// What one event of 200 bytes may make a machine queue.
const MOST_QUEUED_BYTES: usize = 256 * 1024;

fn machines() -> Vec<Box<dyn Machine>> {
    let counter = pingpong::Payload::Counter { start: 1, newline: true };
    let bytes = pingpong::Payload::Bytes { bytes: 12, seed: 1 };
    let text = pingpong::Payload::Text { bytes: 12, seed: 1 };
    let some_time = Picoseconds::from_ns(1_000);
    let udp = iperf::UdpClientSettings {
        amount: bulk::Amount::Time(some_time),
        ..iperf::UdpClientSettings::to(PEER)
    };
    let mut machines: Vec<Box<dyn Machine>> = vec![
        Box::new(http::Client::new(http::ClientSettings {
            concurrency: 3,
            keep_alive: true,
            ..http::ClientSettings::to(PEER)
        })),
        Box::new(http::Server::new(http::ServerSettings::default())),
        Box::new(ping::Client::new(ping::ClientSettings::to(PEER.address))),
        Box::new(iperf::TcpClient::new(iperf::TcpClientSettings::to(PEER))),
        Box::new(iperf::TcpServer::new(iperf::TcpServerSettings {
            interval: Some(some_time),
            ..iperf::TcpServerSettings::default()
        })),
        Box::new(http::Client::new(http::ClientSettings {
            concurrency: 3,
            rate: Some(1000),
            duration: Some(Picoseconds::from_ns(100_000_000)),
            keep_alive: true,
            ..http::ClientSettings::to(PEER)
        })),
        Box::new(udp::Client::new(udp::ClientSettings::to(PEER))),
        Box::new(udp::Client::new(udp::ClientSettings { rate: Some(1000), ..udp::ClientSettings::to(PEER) })),
        Box::new(udp::Server::new(udp::ServerSettings::default())),
        Box::new(udp::Server::new(udp::ServerSettings { counts: true, ..Default::default() })),
        Box::new(ws::Client::new(ws::ClientSettings::to(PEER))),
        Box::new(ws::Server::new(ws::ServerSettings::default())),
        Box::new(iperf3::Client::new(iperf3::ClientSettings {
            parallel: 2,
            ..iperf3::ClientSettings::to(PEER)
        })),
        Box::new(iperf3::Client::new(iperf3::ClientSettings {
            reverse: true,
            ..iperf3::ClientSettings::to(PEER)
        })),
        Box::new(iperf3::Server::new(iperf3::ServerSettings::default())),
        Box::new(iperf::UdpClient::new(udp)),
        Box::new(iperf::UdpServer::new(iperf::UdpServerSettings { port: 5001, interval: Some(some_time) })),
    ];
    use iperf::Direction::{Dual, FullDuplex, Reverse, Tradeoff};
    for direction in [Reverse, FullDuplex, Dual, Tradeoff] {
        let settings =
            iperf::TcpClientSettings { direction, parallel: 2, ..iperf::TcpClientSettings::to(PEER) };
        machines.push(Box::new(iperf::TcpClient::new(settings)));
    }
    for payload in [counter, bytes, text] {
        let settings = pingpong::ClientSettings { payload, ..pingpong::ClientSettings::to(PEER) };
        machines.push(Box::new(pingpong::Client::new(settings)));
    }
    for newline in [false, true] {
        let answer = pingpong::Answer::Counter { newline };
        machines
            .push(Box::new(pingpong::Server::new(pingpong::ServerSettings { answer, ..Default::default() })));
    }
    for service in [small::Service::Echo, small::Service::Discard, small::Service::Chargen] {
        machines.push(Box::new(small::Server::new(service, service.port())));
    }
    for send in [None, Some(bulk::Amount::Bytes(100_000)), Some(bulk::Amount::Time(some_time))] {
        let (seed, interval) = (1, Some(some_time));
        for reset_after in [None, Some(1000)] {
            let client =
                bulk::ClientSettings { send, seed, interval, reset_after, ..bulk::ClientSettings::to(PEER) };
            machines.push(Box::new(bulk::Client::new(client)));
        }
        machines.push(Box::new(bulk::Server::new(bulk::ServerSettings { port: 5002, send, seed, interval })));
    }
    machines
}

/// Clients of which each step has a time-out; `bulk` has none.
fn clients_with_time_outs() -> Vec<Box<dyn Machine>> {
    let kinds = KINDS.iter().filter(|kind| !kind.serves && kind.name != "bulk" && kind.name != "scan");
    let made = kinds.map(|kind| {
        let to: &[_] = match kind.name {
            "ping" => &[("to", "10.0.0.1")],
            // It asks everybody.
            "dhcp-client" => &[],
            _ => &[("to", "10.0.0.1:5000")],
        };
        kind.machine(to).unwrap()
    });
    let more = [
        ("iperf", "direction", "reverse"),
        ("iperf", "direction", "tradeoff"),
        ("iperf3", "reverse", "true"),
        ("udp", "rate", "1000"),
        ("http", "rate", "1000"),
    ];
    let more = more.map(|(kind, name, value)| {
        traffic::machine(kind, &[("to", "10.0.0.1:5000"), (name, value)]).unwrap()
    });
    made.chain(more).collect()
}

/// An event with its bytes: kind, connection, time that passes before it, payload.
type Happening = (u8, u32, u16, Vec<u8>);

fn event<'a>((kind, number, _, bytes): &'a Happening) -> Event<'a> {
    let connection = Connection(number % 3 + if number & 4 == 0 { 0 } else { Connection::FIRST_ACCEPTED });
    let port = *number as u16;
    match kind % 11 {
        0 => Event::Wake,
        1 => Event::Opened(connection),
        2 => Event::Accepted { listener: Connection(0), connection, peer: PEER, to: PEER },
        3 | 4 => Event::Received(connection, bytes),
        5 => Event::Room(connection, bytes.len()),
        6 => Event::Drained(connection),
        7 => Event::PeerFinished(connection),
        8 => Event::Closed(connection, (number & 8 == 0).then_some("a reason")),
        9 => Event::Datagram { socket: connection, from: IpEndpoint { port, ..PEER }, bytes },
        _ => Event::EchoReply { from: PEER.address, identifier: 1, sequence: port % 4, payload: bytes },
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        "[0-9]{1,4}\n?".prop_map(String::into_bytes),
        Just(b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        Just(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".to_vec()),
        Just(UPGRADE.as_bytes().to_vec()),
        Just(UPGRADED.as_bytes().to_vec()),
        Just(b"\x89\x00\x81\x03abc\x88\x00".to_vec()),
        Just(b"\x89\x80abcd\x81\x83abcdxyz\x88\x80abcd".to_vec()),
        (0u8..18).prop_map(|state| vec![state]),
        Just(vec![b'c'; 37]),
        Just(b"\0\0\0\x1d{\"tcp\":true,\"time\":1,\"num\":0}".to_vec()),
        Just(b"\0\0\0\x0e{\"streams\":[]}".to_vec()),
        Just([0xC0, 1, 0, 0x79, 0, 0, 0, 1, 0, 0, 0x17, 9].repeat(6)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_sequence_of_events_makes_a_machine_panic_or_ask_without_end(
        happenings in proptest::collection::vec((any::<u8>(), any::<u32>(), any::<u16>(), bytes()), 0..60),
    ) {
        for mut machine in machines() {
            let mut now = Picoseconds::ZERO;
            machine.handle(now, Event::Wake);
            for happening in &happenings {
                now = now + Picoseconds::from_ns(i64::from(happening.2) * 10_000);
                machine.handle(now, event(happening));
                let actions: Vec<Action> = std::iter::from_fn(|| machine.poll()).take(MOST_ACTIONS).collect();
                prop_assert!(actions.len() < MOST_ACTIONS, "{machine:?}");
                let queued: usize = actions.iter().map(|action| match action {
                    Action::Send(_, bytes)
                    | Action::SendTo(_, _, bytes)
                    | Action::SendToStation(_, _, _, bytes) => bytes.len(),
                    Action::SendBlock(_, bytes) => bytes.len(),
                    _ => 0,
                }).sum();
                prop_assert!(queued <= MOST_QUEUED_BYTES, "{queued} B: {machine:?}");
            }
            let _ = (machine.wake_at(), machine.is_done(), machine.clone());
        }
    }

    #[test]
    fn whatever_a_peer_has_said_a_client_ends_by_its_own_clock_once_it_says_no_more(
        happenings in proptest::collection::vec((any::<u8>(), any::<u32>(), any::<u16>(), bytes()), 0..20),
    ) {
        for mut machine in clients_with_time_outs() {
            let mut now = Picoseconds::ZERO;
            machine.handle(now, Event::Wake);
            for happening in &happenings {
                now = now + Picoseconds::from_ns(i64::from(happening.2) * 10_000);
                machine.handle(now, event(happening));
                while machine.poll().is_some() {}
            }
            let mut wakes = 0;
            while !machine.is_done() {
                let Some(at) = machine.wake_at() else { panic!("it waits for nothing: {machine:?}") };
                now = now.max(at);
                machine.handle(now, Event::Wake);
                while machine.poll().is_some() {}
                wakes += 1;
                prop_assert!(wakes < MOST_WAKES, "{machine:?}");
            }
        }
    }
}
