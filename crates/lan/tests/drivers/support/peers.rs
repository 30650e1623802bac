//! What runs on the PC at the other end of a driver: a transfer with a checksum over what arrived, echo over UDP, ping,
//! and a server of decimal counters. Small on purpose and apart from the load of crate traffic, so that what a driver's
//! bytes are checked against is not what they came from.

use std::collections::VecDeque;
use std::fmt;
use std::net::Ipv4Addr;

use traffic::{Action, Connection, Event, IpEndpoint, Machine};
use units::Picoseconds;

const LISTENER: Connection = Connection(0);
const DIALLED: Connection = Connection(1);
const SOCKET: Connection = Connection(2);

/// How much a sender hands over at once.
const CHUNK_BYTES: u64 = 8_192;

/// The bytes of a stream from `position` on: a mix of the position and a seed, without a period that divides a buffer.
pub(crate) fn stream(seed: u64, position: u64, count: usize) -> Vec<u8> {
    let skipped = (position % 8) as usize;
    let mut bytes = vec![0; (skipped + count).next_multiple_of(8)];
    for (index, word) in (position / 8..).zip(bytes.chunks_exact_mut(8)) {
        let mixed = (index ^ seed.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        word.copy_from_slice(&(mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9).to_le_bytes());
    }
    bytes.truncate(skipped + count);
    bytes.drain(..skipped);
    bytes
}

/// The checksum of the first `count` bytes of a stream.
pub(crate) fn checksum_of(seed: u64, count: u64) -> Checksum {
    let mut checksum = Checksum::default();
    while checksum.bytes < count {
        let part = (count - checksum.bytes).min(65_536) as usize;
        checksum.add(&stream(seed, checksum.bytes, part));
    }
    checksum
}

/// How many bytes arrived, and the CRC-32 over them.
#[derive(Clone, Default)]
pub(crate) struct Checksum {
    state: crc32fast::Hasher,
    /// How many.
    pub(crate) bytes: u64,
}

impl Checksum {
    /// More bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn crc32(&self) -> u32 {
        self.state.clone().finalize()
    }
}

impl PartialEq for Checksum {
    fn eq(&self, other: &Self) -> bool {
        (self.bytes, self.crc32()) == (other.bytes, other.crc32())
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes with CRC-32 {:08x}", self.bytes, self.crc32())
    }
}

/// Who begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The PC listens on a port.
    Listen(u16),
    /// The PC connects.
    Connect(IpEndpoint),
}

/// One connection on which the PC sends a stream and takes in another, and which both sides close.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    role: Role,
    send_seed: u64,
    send_bytes: u64,
    sent_bytes: u64,
    holds_open: bool,
    begun: bool,
    connection: Option<Connection>,
    actions: VecDeque<Action>,
    /// What arrived.
    pub(crate) received: Checksum,
    /// Whether the driver's side said that it has sent everything.
    pub(crate) peer_finished: bool,
    /// How the connection ended: with a reason, or as it should.
    pub(crate) closed: Option<Result<(), String>>,
}

impl Transfer {
    /// A transfer of so many bytes from the PC, and of whatever comes from the driver.
    pub(crate) fn new(role: Role, send_seed: u64, send_bytes: u64) -> Self {
        Self {
            role,
            send_seed,
            send_bytes,
            sent_bytes: 0,
            holds_open: false,
            begun: false,
            connection: None,
            actions: VecDeque::new(),
            received: Checksum::default(),
            peer_finished: false,
            closed: None,
        }
    }

    /// The same, but the PC does not finish before the driver does.
    pub(crate) fn held_open(self) -> Self {
        Self { holds_open: true, ..self }
    }

    fn begin(&mut self) {
        self.begun = true;
        self.actions.push_back(match self.role {
            Role::Listen(port) => Action::Listen(LISTENER, port),
            Role::Connect(to) => Action::Connect(DIALLED, to),
        });
    }

    fn opened(&mut self, connection: Connection) {
        self.connection = Some(connection);
        self.go_on(connection);
    }

    fn go_on(&mut self, connection: Connection) {
        let left = self.send_bytes - self.sent_bytes;
        if left > 0 {
            self.actions.push_back(Action::WantRoom(connection, left.min(CHUNK_BYTES) as usize));
        } else if !self.holds_open || self.peer_finished {
            self.actions.push_back(Action::Finish(connection));
        }
    }

    fn send(&mut self, connection: Connection, room: usize) {
        let count = (self.send_bytes - self.sent_bytes).min(room as u64).min(CHUNK_BYTES);
        let bytes = stream(self.send_seed, self.sent_bytes, count as usize);
        self.sent_bytes += count;
        self.actions.push_back(Action::Send(connection, bytes));
        self.go_on(connection);
    }
}

impl Machine for Transfer {
    fn handle(&mut self, _now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.begun => self.begin(),
            Event::Opened(connection) | Event::Accepted { connection, .. } if self.connection.is_none() => {
                self.opened(connection);
            }
            Event::Accepted { connection, .. } => self.actions.push_back(Action::Abort(connection)),
            Event::Received(_, bytes) => self.received.add(bytes),
            Event::Room(connection, room) => self.send(connection, room),
            Event::PeerFinished(connection) => {
                self.peer_finished = true;
                if self.holds_open && self.sent_bytes == self.send_bytes {
                    self.go_on(connection);
                }
            }
            Event::Closed(connection, reason) if self.connection.is_none_or(|own| own == connection) => {
                self.closed = Some(reason.map_or(Ok(()), |reason| Err(reason.to_owned())));
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn is_done(&self) -> bool {
        self.closed.is_some()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// Pings an address at an interval.
#[derive(Debug, Clone)]
pub(crate) struct Ping {
    to: Ipv4Addr,
    interval: Picoseconds,
    payload: Vec<u8>,
    next: Option<Picoseconds>,
    actions: VecDeque<Action>,
    /// Requests so far.
    pub(crate) sent: u16,
    /// Replies with the payload that was sent.
    pub(crate) answered: u16,
    /// Replies with another.
    pub(crate) garbled: u16,
}

impl Ping {
    const IDENTIFIER: u16 = 0x5049;

    /// A client of so many bytes of payload.
    pub(crate) fn new(to: Ipv4Addr, interval: Picoseconds, payload_bytes: usize) -> Self {
        let payload = stream(7, 0, payload_bytes);
        let next = Some(Picoseconds::ZERO);
        Self { to, interval, payload, next, actions: VecDeque::new(), sent: 0, answered: 0, garbled: 0 }
    }

    fn request(&mut self, now: Picoseconds) {
        self.sent = self.sent.wrapping_add(1);
        self.next = Some(now + self.interval);
        self.actions.push_back(Action::EchoRequest {
            to: self.to.into(),
            identifier: Self::IDENTIFIER,
            sequence: self.sent,
            payload: self.payload.clone(),
        });
    }
}

impl Machine for Ping {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if self.next.is_some_and(|at| at <= now) => self.request(now),
            Event::EchoReply { from, identifier: Self::IDENTIFIER, payload, .. } if from == self.to => {
                let right = payload == self.payload;
                self.answered += u16::from(right);
                self.garbled += u16::from(!right);
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.next
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// Sends datagrams back to where they came from.
#[derive(Debug, Clone)]
pub(crate) struct UdpEcho {
    port: u16,
    bound: bool,
    actions: VecDeque<Action>,
    /// How many.
    pub(crate) answered: u64,
}

impl UdpEcho {
    /// A server on a port.
    pub(crate) fn new(port: u16) -> Self {
        Self { port, bound: false, actions: VecDeque::new(), answered: 0 }
    }
}

impl Machine for UdpEcho {
    fn handle(&mut self, _now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.bound => {
                self.bound = true;
                self.actions.push_back(Action::Bind(SOCKET, self.port, false));
            }
            Event::Datagram { from, bytes, .. } => {
                self.answered += 1;
                self.actions.push_back(Action::SendTo(SOCKET, from, bytes.to_vec()));
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// Answers each decimal number with the next one.
#[derive(Debug, Clone)]
pub(crate) struct Counter {
    port: u16,
    begun: bool,
    actions: VecDeque<Action>,
    /// Messages that were answered.
    pub(crate) answered: u64,
}

impl Counter {
    /// A server on a port.
    pub(crate) fn new(port: u16) -> Self {
        Self { port, begun: false, actions: VecDeque::new(), answered: 0 }
    }
}

impl Machine for Counter {
    fn handle(&mut self, _now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.begun => {
                self.begun = true;
                self.actions.push_back(Action::Listen(LISTENER, self.port));
            }
            Event::Accepted { connection, .. } => self.actions.push_back(Action::NoDelay(connection, true)),
            Event::Received(connection, bytes) => {
                let number = std::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse::<u64>().ok());
                self.actions.push_back(match number {
                    Some(number) => Action::Send(connection, (number + 1).to_string().into_bytes()),
                    None => Action::Abort(connection),
                });
                self.answered += u64::from(number.is_some());
            }
            Event::PeerFinished(connection) => self.actions.push_back(Action::Finish(connection)),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
