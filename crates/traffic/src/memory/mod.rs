//! A seat in memory and in virtual time: machines at addresses of their own, joined by a wire that delays and never loses.
//! It is small and deterministic, for tests and examples; a network with packets, rates and losses is the crate `ethernet`.
//!
//! ```
//! use traffic::memory::Memory;
//! use traffic::pingpong::{Client, ClientSettings, Server, ServerSettings};
//! use units::Picoseconds;
//!
//! let mut wire = Memory::new(Picoseconds::from_ns(500_000));
//! let server = wire.add([10, 0, 0, 1].into(), Box::new(Server::new(ServerSettings::default())));
//! let to = traffic::IpEndpoint { address: [10, 0, 0, 1].into(), port: 5000 };
//! let client = Client::new(ClientSettings { rounds: 3, ..ClientSettings::to(to) });
//! let client = wire.add([10, 0, 0, 2].into(), Box::new(client));
//! wire.run_until_done(client, Picoseconds::from_ns(1_000_000_000));
//! let samples = wire.machine::<Client>(client).unwrap().samples();
//! assert_eq!(samples.len(), 3);
//! assert_eq!(samples[1].latency(), Some(Picoseconds::from_ns(1_000_000)));
//! # let _ = server;
//! ```

mod link;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use units::Picoseconds;

use crate::{Action, Connection, Event, IpEndpoint, Machine};
use link::{End, Link};

/// The first of the ports that the seat chooses (RFC 6335, section 6).
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// The most bytes that one delivery carries, unless the seat is told to cut finer.
const SEGMENT_BYTES: usize = 1460;

/// One end of a connection: its number and which side.
type Place = (usize, usize);

#[derive(Debug, Clone)]
enum Delivery {
    Knock(usize, IpEndpoint),
    Opened(Place),
    Segment(Place, Vec<u8>),
    Finish(Place),
    Acknowledged(Place, usize),
    Reset(Place, String),
    Datagram { host: usize, port: u16, from: IpEndpoint, bytes: Vec<u8> },
    EchoRequest { to: IpAddr, from: usize, identifier: u16, sequence: u16, payload: Vec<u8> },
    EchoReply { host: usize, from: IpAddr, identifier: u16, sequence: u16, payload: Vec<u8> },
}

#[derive(Debug, Clone)]
struct Host {
    address: IpAddr,
    machine: Box<dyn Machine>,
    listeners: BTreeMap<u16, Connection>,
    connections: BTreeMap<Connection, Place>,
    sockets: BTreeMap<Connection, u16>,
    next_port: u16,
    next_accepted: u32,
}

/// Machines on a wire in memory.
#[derive(Debug, Clone)]
pub struct Memory {
    now: Picoseconds,
    delay: Picoseconds,
    segment_bytes: usize,
    deliveries: BTreeMap<(Picoseconds, u64), Delivery>,
    sequence: u64,
    hosts: Vec<Host>,
    links: Vec<Link>,
}

impl Memory {
    /// A wire that takes so long for each direction; no time at all is made a picosecond, so that time goes on.
    pub fn new(delay: Picoseconds) -> Self {
        Self {
            now: Picoseconds::ZERO,
            delay: delay.max(Picoseconds::new(1)),
            segment_bytes: SEGMENT_BYTES,
            deliveries: BTreeMap::new(),
            sequence: 0,
            hosts: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Cuts streams into deliveries of at most so many bytes, and at least one.
    #[must_use]
    pub fn cut_into(self, bytes: usize) -> Self {
        Self { segment_bytes: bytes.max(1), ..self }
    }

    /// Seats a machine and wakes it; its number is returned.
    pub fn add(&mut self, address: IpAddr, machine: Box<dyn Machine>) -> usize {
        let number = self.hosts.len();
        self.hosts.push(Host {
            address,
            machine,
            listeners: BTreeMap::new(),
            connections: BTreeMap::new(),
            sockets: BTreeMap::new(),
            next_port: FIRST_DYNAMIC_PORT,
            next_accepted: Connection::FIRST_ACCEPTED,
        });
        self.tell(number, Event::Wake);
        number
    }

    /// A machine as the type that was seated.
    pub fn machine<M: Machine>(&self, number: usize) -> Option<&M> {
        let machine: &dyn std::any::Any = &*self.hosts.get(number)?.machine;
        machine.downcast_ref()
    }

    /// The time that has been reached.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// Lets time pass.
    pub fn run_until(&mut self, end: Picoseconds) {
        while self.step(end) {}
        self.now = self.now.max(end);
    }

    /// Lets time pass until a machine is done, at most until `end`; whether it is.
    pub fn run_until_done(&mut self, machine: usize, end: Picoseconds) -> bool {
        while !self.hosts[machine].machine.is_done() {
            if !self.step(end) {
                return false;
            }
        }
        true
    }

    /// The next delivery or wake, unless it lies behind `end`.
    fn step(&mut self, end: Picoseconds) -> bool {
        let delivery = self.deliveries.keys().next().map(|key| key.0);
        let wakes = self.hosts.iter().enumerate();
        let wake =
            wakes.filter_map(|(number, host)| Some((host.machine.wake_at()?.max(self.now), number))).min();
        match (delivery, wake) {
            (Some(at), wake) if at <= end && wake.is_none_or(|(wake, _)| at <= wake) => {
                self.now = at;
                if let Some((_, delivery)) = self.deliveries.pop_first() {
                    self.deliver(delivery);
                }
                true
            }
            (_, Some((at, number))) if at <= end => {
                self.now = at;
                self.tell(number, Event::Wake);
                true
            }
            _ => false,
        }
    }

    fn tell(&mut self, host: usize, event: Event<'_>) {
        self.hosts[host].machine.handle(self.now, event);
        while let Some(action) = self.hosts[host].machine.poll() {
            self.perform(host, action);
        }
    }

    fn send_off(&mut self, delivery: Delivery) {
        self.deliveries.insert((self.now + self.delay, self.sequence), delivery);
        self.sequence += 1;
    }

    fn choose_port(&mut self, host: usize) -> u16 {
        let port = self.hosts[host].next_port;
        self.hosts[host].next_port = port.checked_add(1).unwrap_or(FIRST_DYNAMIC_PORT);
        port
    }

    fn host_at(&self, address: IpAddr) -> Option<usize> {
        self.hosts.iter().position(|host| host.address == address)
    }

    fn perform(&mut self, host: usize, action: Action) {
        match action {
            Action::Listen(listener, port) => {
                self.hosts[host].listeners.insert(port, listener);
                self.hosts[host].machine.handle(self.now, Event::Listening(listener, port));
            }
            Action::Connect(connection, to) => self.connect(host, connection, to),
            Action::Send(connection, bytes) => self.on_end(host, connection, |end| end.queue(&bytes)),
            Action::SendBlock(connection, bytes) => self.on_end(host, connection, |end| end.queue(&bytes)),
            Action::WantRoom(connection, bytes) => self.on_end(host, connection, |end| end.want_room(bytes)),
            Action::Hold(connection, held) => self.on_end(host, connection, |end| end.held = held),
            Action::NoDelay(..) => {}
            Action::Finish(connection) => self.on_end(host, connection, |end| end.finish = true),
            Action::Abort(connection) => self.abort(host, connection),
            Action::Bind(socket, port, _) => {
                let port = if port == 0 { self.choose_port(host) } else { port };
                self.hosts[host].sockets.insert(socket, port);
            }
            Action::SendTo(socket, to, bytes) | Action::SendToStation(socket, to, _, bytes) => {
                self.send_to(host, socket, to, &bytes);
            }
            Action::EchoRequest { to, identifier, sequence, payload } => {
                self.send_off(Delivery::EchoRequest { to, from: host, identifier, sequence, payload });
            }
        }
    }

    fn connect(&mut self, host: usize, connection: Connection, to: IpEndpoint) {
        let port = self.choose_port(host);
        let local = IpEndpoint { address: self.hosts[host].address, port };
        let number = self.links.len();
        self.links.push(Link { ends: [End::new(host, connection, local), End::nobody(to)] });
        self.hosts[host].connections.insert(connection, (number, 0));
        self.send_off(Delivery::Knock(number, to));
    }

    fn on_end(&mut self, host: usize, connection: Connection, act: impl FnOnce(&mut End)) {
        let Some(&place) = self.hosts[host].connections.get(&connection) else { return };
        act(self.end(place));
        self.pump(place);
    }

    fn end(&mut self, place: Place) -> &mut End {
        &mut self.links[place.0].ends[place.1]
    }

    fn abort(&mut self, host: usize, connection: Connection) {
        self.hosts[host].listeners.retain(|_, listener| *listener != connection);
        self.hosts[host].sockets.remove(&connection);
        let Some(place) = self.hosts[host].connections.get(&connection).copied() else { return };
        let local = self.end(place).local;
        self.forget(place);
        self.send_off(Delivery::Reset(other(place), format!("connection reset by {local}")));
    }

    fn forget(&mut self, place: Place) {
        let end = self.end(place);
        end.gone = true;
        let (host, connection) = (end.host, end.connection);
        if let Some(host) = host {
            self.hosts[host].connections.remove(&connection);
        }
    }

    fn send_to(&mut self, host: usize, socket: Connection, to: IpEndpoint, bytes: &[u8]) {
        let Some(&port) = self.hosts[host].sockets.get(&socket) else { return };
        let from = IpEndpoint { address: self.hosts[host].address, port };
        for number in 0..self.hosts.len() {
            let all = to.address == Ipv4Addr::BROADCAST && number != host;
            if all || self.hosts[number].address == to.address {
                let bytes = bytes.to_owned();
                self.send_off(Delivery::Datagram { host: number, port: to.port, from, bytes });
            }
        }
    }

    /// Sends what the window takes and tells what has been waited for.
    fn pump(&mut self, place: Place) {
        let segment_bytes = self.segment_bytes;
        while let Some(bytes) = self.end(place).next_segment(segment_bytes) {
            self.send_off(Delivery::Segment(other(place), bytes));
        }
        if self.end(place).take_finish() {
            self.send_off(Delivery::Finish(other(place)));
        }
        let end = self.end(place);
        let (host, connection) = (end.host, end.connection);
        let Some(host) = host else { return };
        // The machine is told at once but later than what it is doing now, hence by way of an acknowledgement of nothing.
        if end.asks() {
            end.telling = true;
            let at = (self.now, self.sequence);
            self.sequence += 1;
            self.deliveries.insert(at, Delivery::Acknowledged(place, 0));
        }
        self.read(place, host, connection);
    }

    /// Hands over what was held back, and ends the connection when both directions have ended.
    fn read(&mut self, place: Place, host: usize, connection: Connection) {
        while let Some(bytes) = self.end(place).next_unread() {
            self.send_off(Delivery::Acknowledged(other(place), bytes.len()));
            self.tell(host, Event::Received(connection, &bytes));
        }
        if self.end(place).take_peer_finished() {
            self.tell(host, Event::PeerFinished(connection));
        }
        if self.end(place).is_over() {
            self.forget(place);
            self.tell(host, Event::Closed(connection, None));
        }
    }

    fn deliver(&mut self, delivery: Delivery) {
        match delivery {
            Delivery::Knock(link, to) => self.knock(link, to),
            Delivery::Opened(place) => self.with(place, |seat, host, connection| {
                seat.end(place).open = true;
                seat.tell(host, Event::Opened(connection));
                seat.pump(place);
            }),
            Delivery::Segment(place, bytes) => self.with(place, |seat, host, connection| {
                seat.end(place).unread.push_back(bytes);
                seat.read(place, host, connection);
            }),
            Delivery::Finish(place) => self.with(place, |seat, host, connection| {
                seat.end(place).peer_finish = true;
                seat.read(place, host, connection);
            }),
            Delivery::Acknowledged(place, bytes) => self.with(place, |seat, host, connection| {
                seat.end(place).in_flight -= bytes;
                seat.pump(place);
                seat.end(place).telling &= bytes > 0;
                if let Some(room) = seat.end(place).take_room() {
                    seat.tell(host, Event::Room(connection, room));
                }
                if seat.end(place).take_drained() {
                    seat.tell(host, Event::Drained(connection));
                }
            }),
            Delivery::Reset(place, reason) => self.with(place, |seat, host, connection| {
                seat.forget(place);
                seat.tell(host, Event::Closed(connection, Some(&reason)));
            }),
            Delivery::Datagram { host, port, from, bytes } => self.datagram(host, port, from, &bytes),
            Delivery::EchoRequest { to, from, identifier, sequence, payload } => {
                if self.host_at(to).is_some() {
                    let reply = Delivery::EchoReply { host: from, from: to, identifier, sequence, payload };
                    self.send_off(reply);
                }
            }
            Delivery::EchoReply { host, from, identifier, sequence, payload } => {
                self.tell(host, Event::EchoReply { from, identifier, sequence, payload: &payload });
            }
        }
    }

    /// Acts on an end unless it is gone.
    fn with(&mut self, place: Place, act: impl FnOnce(&mut Self, usize, Connection)) {
        let end = self.end(place);
        if let (Some(host), false, connection) = (end.host, end.gone, end.connection) {
            act(self, host, connection);
        }
    }

    fn knock(&mut self, link: usize, to: IpEndpoint) {
        let caller = self.links[link].ends[0].local;
        let Some(host) = self.host_at(to.address) else { return };
        let Some(&listener) = self.hosts[host].listeners.get(&to.port) else {
            self.send_off(Delivery::Reset((link, 0), format!("connection refused at {to}")));
            return;
        };
        let connection = Connection(self.hosts[host].next_accepted);
        self.hosts[host].next_accepted = connection.0.checked_add(1).unwrap_or(Connection::FIRST_ACCEPTED);
        self.links[link].ends[1] = End::new(host, connection, to);
        self.end((link, 1)).open = true;
        self.hosts[host].connections.insert(connection, (link, 1));
        self.send_off(Delivery::Opened((link, 0)));
        self.tell(host, Event::Accepted { listener, connection, peer: caller, to });
    }

    fn datagram(&mut self, host: usize, port: u16, from: IpEndpoint, bytes: &[u8]) {
        let sockets = self.hosts[host].sockets.iter();
        let socket = sockets.filter(|(_, bound)| **bound == port).map(|(socket, _)| *socket).next();
        if let Some(socket) = socket {
            self.tell(host, Event::Datagram { socket, from, bytes });
        }
    }
}

fn other(place: Place) -> Place {
    (place.0, 1 - place.1)
}
