//! The servers and clients of crate `traffic` under bytes from anybody: none asks for more than an event gives reason for, and time
//! goes on.

use std::net::{IpAddr, Ipv4Addr};

use traffic::{Action, Connection, Event, IpEndpoint, Machine};
use traffic::{bulk, coap, dhcp, dns, http, iperf, iperf3, mqtt, pingpong, small, sntp, udp, ws};
use units::Picoseconds;

use super::Input;

/// What one event may make a server ask for.
const MOST_ACTIONS: usize = 10_000;
const MOST_QUEUED_BYTES: usize = 4 << 20;
/// How often a server may wake at one instant.
const MOST_WAKES: u32 = 1_000;

fn server(choice: u8) -> Box<dyn Machine> {
    let bulk =
        bulk::ServerSettings { port: 5002, send: Some(bulk::Amount::Bytes(10_000)), seed: 1, interval: None };
    match choice {
        // The last choices are of kinds that came later, so that a corpus stays what it is.
        255 => return of_kind("tftp", &[("files", "c.bin=3KiB"), ("most_transfers", "4")]),
        254 => return of_kind("dhcpv6", &[("addresses", "2")]),
        _ => {}
    }
    match choice % 20 {
        0 => Box::new(dhcp::Server::new(dhcp::Settings::default())),
        1 => Box::new(dns::Server::new(dns::Settings::default())),
        2 => Box::new(mqtt::Broker::new(mqtt::Settings::default())),
        3 => Box::new(coap::Server::new(coap::Settings::default())),
        4 => Box::new(http::Server::new(http::ServerSettings::default())),
        5 => of_kind("iperf-server", &[]),
        6 => of_kind("iperf-udp-server", &[]),
        7 => Box::new(sntp::Server::new(sntp::Settings::default())),
        8 => Box::new(small::Server::new(small::Service::Echo, 7)),
        9 => Box::new(small::Server::new(small::Service::Chargen, 19)),
        10 => Box::new(pingpong::Server::new(pingpong::ServerSettings::default())),
        11 => Box::new(bulk::Server::new(bulk)),
        12 => Box::new(udp::Server::new(udp::ServerSettings { counts: true, ..Default::default() })),
        13 => Box::new(iperf3::Server::new(iperf3::ServerSettings::default())),
        14 => Box::new(ws::Server::new(ws::ServerSettings::default())),
        15 => of_kind("ftp", &[("user", "a"), ("password", "b"), ("files", "c.bin=3KiB")]),
        16 => of_kind("tls-echo", &[]),
        17 => of_kind("https-server", &[("version", "1.2")]),
        18 => of_kind("mqtts", &[("record_size", "1KiB")]),
        _ => of_kind("http-server", &[("size", "10KiB")]),
    }
}

fn of_kind(name: &str, options: &[(&str, &str)]) -> Box<dyn Machine> {
    traffic::machine(name, options).expect("its options fit")
}

/// Where clients call the server.
const OWN: IpEndpoint = IpEndpoint { address: IpAddr::V4(Ipv4Addr::new(192, 168, 1, 1)), port: 80 };
/// Who answers the clients.
const PEER: IpEndpoint = IpEndpoint { address: IpAddr::V4(Ipv4Addr::new(192, 168, 1, 1)), port: 69 };

fn client(choice: u8) -> Box<dyn Machine> {
    match choice % 12 {
        0 => Box::new(ws::Client::new(ws::ClientSettings::to(PEER))),
        1 => Box::new(iperf3::Client::new(iperf3::ClientSettings::to(PEER))),
        2 => Box::new(iperf3::Client::new(iperf3::ClientSettings {
            reverse: true,
            ..iperf3::ClientSettings::to(PEER)
        })),
        3 => Box::new(udp::Client::new(udp::ClientSettings::to(PEER))),
        4 => Box::new(udp::Client::new(udp::ClientSettings {
            rate: Some(1000),
            ..udp::ClientSettings::to(PEER)
        })),
        5 => Box::new(http::Client::new(http::ClientSettings {
            keep_alive: true,
            body_contains: "aab".to_owned(),
            ..http::ClientSettings::to(PEER)
        })),
        6 => Box::new(iperf::TcpClient::new(iperf::TcpClientSettings {
            direction: iperf::Direction::Dual,
            ..iperf::TcpClientSettings::to(PEER)
        })),
        7 => Box::new(pingpong::Client::new(pingpong::ClientSettings::to(PEER))),
        8 => of_kind(
            "talk",
            &[("to", "192.168.1.1:69"), ("send", "a\\r\\n"), ("at", "0s,1ms,5s"), ("expect", "b")],
        ),
        9 => of_kind("talk", &[("to", "192.168.1.1:69"), ("over", "udp"), ("send", "a"), ("count", "5")]),
        10 => of_kind("bulk", &[("to", "192.168.1.1:69")]),
        _ => of_kind("scan", &[("to", "192.168.1.1"), ("ports", "1-100")]),
    }
}

/// What a seat would know of a server or a client.
struct Seat {
    machine: Box<dyn Machine>,
    now: Picoseconds,
    listeners: Vec<Connection>,
    datagrams: Vec<Connection>,
    connecting: Vec<Connection>,
    open: Vec<Connection>,
    accepted: u32,
    /// Those that asked for room.
    wanting: Vec<(Connection, usize)>,
}

/// The first byte chooses the server, then things happen to it.
pub fn servers(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let machine = server(input.byte());
    Seat::run(machine, input);
    Ok(())
}

/// The first byte chooses the client, then things happen to it.
pub fn clients(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let machine = client(input.byte());
    Seat::run(machine, input);
    Ok(())
}

impl Seat {
    fn run(machine: Box<dyn Machine>, mut input: Input<'_>) {
        let mut seat = Self {
            machine,
            now: Picoseconds::ZERO,
            listeners: Vec::new(),
            datagrams: Vec::new(),
            connecting: Vec::new(),
            open: Vec::new(),
            accepted: 0,
            wanting: Vec::new(),
        };
        seat.tell(Event::Wake);
        while !input.is_over() {
            seat.happening(&mut input);
        }
    }

    fn happening(&mut self, input: &mut Input<'_>) {
        let what = input.byte();
        let from = IpEndpoint::new(Ipv4Addr::new(192, 168, 1, what & 3), 68 + u16::from(what & 7));
        let connection = self.open.get(usize::from(what >> 3) % self.open.len().max(1)).copied();
        let length =
            if what & 0x80 == 0 { usize::from(input.byte()) } else { usize::from(input.word()) % 2_048 };
        match (what % 8, connection) {
            (0, _) if !self.connecting.is_empty() => {
                let connection = self.connecting.remove(0);
                self.open.push(connection);
                self.tell(Event::Opened(connection));
            }
            (0, _) => self.accept(from),
            (1..=3, Some(connection)) => self.tell(Event::Received(connection, input.take(length))),
            (1..=4, _) => {
                // Servers with a socket for each client tell them apart by it.
                let place = usize::from(what >> 3) % self.datagrams.len().max(1);
                if let Some(&socket) = self.datagrams.get(place) {
                    self.tell(Event::Datagram { socket, from, bytes: input.take(length) });
                }
            }
            (5, _) => self.pass(Picoseconds::from_ns(1 << (length % 38))),
            (6, _) => {
                if let Some((connection, bytes)) = self.wanting.pop() {
                    self.tell(if bytes == 0 {
                        Event::Drained(connection)
                    } else {
                        Event::Room(connection, bytes)
                    });
                }
            }
            (_, Some(connection)) if what & 0x40 == 0 => self.tell(Event::PeerFinished(connection)),
            (_, Some(connection)) => {
                self.forget(connection);
                self.tell(Event::Closed(connection, (what & 8 == 0).then_some("connection reset by peer")));
            }
            _ => {}
        }
    }

    fn accept(&mut self, peer: IpEndpoint) {
        let Some(&listener) = self.listeners.first() else { return };
        if self.open.len() >= 100 {
            return;
        }
        let connection = Connection(Connection::FIRST_ACCEPTED + self.accepted);
        self.accepted += 1;
        self.open.push(connection);
        self.tell(Event::Accepted { listener, connection, peer, to: OWN });
    }

    /// Time passes; the server is woken when it asked for it.
    fn pass(&mut self, time: Picoseconds) {
        let end = self.now + time;
        let mut at_once = 0;
        for _ in 0..10_000 {
            let Some(wake) = self.machine.wake_at().filter(|&at| at <= end) else { break };
            at_once = if wake > self.now { 0 } else { at_once + 1 };
            assert!(at_once < MOST_WAKES, "time stands still at {}: {:?}", self.now, self.machine);
            self.now = self.now.max(wake);
            self.tell(Event::Wake);
        }
        self.now = end;
    }

    fn forget(&mut self, connection: Connection) {
        self.open.retain(|&open| open != connection);
        self.connecting.retain(|&connecting| connecting != connection);
        self.wanting.retain(|&(wanting, _)| wanting != connection);
    }

    fn tell(&mut self, event: Event<'_>) {
        self.machine.handle(self.now, event);
        let mut queued_bytes = 0;
        for _ in 0..MOST_ACTIONS {
            let Some(action) = self.machine.poll() else { return };
            match action {
                Action::Listen(listener, _) => self.listeners.push(listener),
                Action::Connect(connection, _) => self.connecting.push(connection),
                Action::Bind(socket, ..) => self.datagrams.push(socket),
                Action::Send(_, bytes) | Action::SendTo(_, _, bytes) => queued_bytes += bytes.len(),
                Action::SendBlock(_, bytes) => queued_bytes += bytes.len(),
                Action::WantRoom(connection, bytes) => {
                    self.wanting.retain(|&(wanting, _)| wanting != connection);
                    self.wanting.push((connection, bytes));
                }
                Action::Abort(connection) => {
                    self.datagrams.retain(|&socket| socket != connection);
                    self.forget(connection);
                }
                _ => {}
            }
            assert!(queued_bytes <= MOST_QUEUED_BYTES, "{queued_bytes} B at once: {:?}", self.machine);
        }
        panic!("it asks without end: {:?}", self.machine);
    }
}
