//! A seat in virtual time for one server: it hands over datagrams and bytes, gives room at once, wakes the machine exactly
//! when it asked for it, and keeps what came out with its time.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use traffic::{Action, Cause, Connection, Event, IpEndpoint, Machine};
use units::Picoseconds;

pub(crate) const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * units::PS_PER_MS)
}

pub(crate) const fn s(count: i64) -> Picoseconds {
    Picoseconds::new(count * units::PS_PER_S)
}

pub(crate) fn host(last: u8, port: u16) -> IpEndpoint {
    IpEndpoint::new(Ipv4Addr::new(192, 168, 1, last), port)
}

/// Why a server lost messages or turned clients away, and how often.
pub(crate) fn causes(server: &dyn Machine) -> Vec<(Cause, u64)> {
    server.results().losses.iter().map(|loss| (loss.cause, loss.count)).collect()
}

/// A datagram that the server sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Picoseconds,
    /// From which socket.
    pub(crate) socket: Connection,
    pub(crate) to: IpEndpoint,
    /// The Ethernet address, where the server gives it.
    pub(crate) station: Option<[u8; 6]>,
    pub(crate) bytes: Vec<u8>,
}

/// How a connection ended from the server's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Finished,
    Aborted,
}

#[derive(Debug, Clone)]
pub(crate) struct Seat<M: Machine> {
    pub(crate) machine: M,
    pub(crate) now: Picoseconds,
    pub(crate) sent: Vec<Sent>,
    pub(crate) opened: Vec<Action>,
    pub(crate) streams: BTreeMap<Connection, Vec<u8>>,
    pub(crate) ends: BTreeMap<Connection, (Picoseconds, End)>,
    /// Room that a connection has; none means that all asked for is there.
    pub(crate) room: Option<usize>,
    waiting_for_room: Vec<(Connection, usize)>,
    accepted: u32,
}

impl<M: Machine> Seat<M> {
    pub(crate) fn new(machine: M) -> Self {
        let mut seat = Self {
            machine,
            now: Picoseconds::ZERO,
            sent: Vec::new(),
            opened: Vec::new(),
            streams: BTreeMap::new(),
            ends: BTreeMap::new(),
            room: None,
            waiting_for_room: Vec::new(),
            accepted: 0,
        };
        seat.tell(Event::Wake);
        seat
    }

    fn tell(&mut self, event: Event<'_>) {
        self.machine.handle(self.now, event);
        while let Some(action) = self.machine.poll() {
            self.perform(action);
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::SendTo(socket, to, bytes) => {
                self.sent.push(Sent { at: self.now, socket, to, station: None, bytes });
            }
            Action::SendToStation(socket, to, station, bytes) => {
                self.sent.push(Sent { at: self.now, socket, to, station: Some(station), bytes });
            }
            Action::Send(connection, bytes) => {
                assert!(
                    !self.ends.contains_key(&connection),
                    "nothing is sent on a connection that has ended"
                );
                self.streams.entry(connection).or_default().extend(bytes);
            }
            Action::SendBlock(connection, bytes) => self.perform(Action::Send(connection, bytes.into())),
            Action::WantRoom(connection, bytes) if self.room.is_none() => {
                self.machine.handle(self.now, Event::Room(connection, bytes));
            }
            Action::WantRoom(connection, bytes) => self.waiting_for_room.push((connection, bytes)),
            Action::Finish(connection) => {
                self.ends.insert(connection, (self.now, End::Finished));
            }
            Action::Abort(connection) => {
                self.ends.insert(connection, (self.now, End::Aborted));
            }
            Action::NoDelay(..) => {}
            action => self.opened.push(action),
        }
    }

    /// Hands over a datagram; what the server sends at once.
    pub(crate) fn datagram(&mut self, from: IpEndpoint, bytes: &[u8]) -> Vec<Sent> {
        self.datagram_at(Connection(0), from, bytes)
    }

    /// The same at another socket than the first.
    pub(crate) fn datagram_at(&mut self, socket: Connection, from: IpEndpoint, bytes: &[u8]) -> Vec<Sent> {
        let before = self.sent.len();
        self.tell(Event::Datagram { socket, from, bytes });
        self.sent[before..].to_vec()
    }

    /// Lets time pass; what the server sends meanwhile.
    pub(crate) fn advance(&mut self, duration: Picoseconds) -> Vec<Sent> {
        let (before, until) = (self.sent.len(), self.now + duration);
        let mut wakes = 0;
        while let Some(at) = self.machine.wake_at().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.tell(Event::Wake);
            wakes += 1;
            assert!(wakes < 100_000, "a machine wakes without end");
        }
        self.now = until;
        self.sent[before..].to_vec()
    }

    pub(crate) fn accept(&mut self) -> Connection {
        let connection = Connection(Connection::FIRST_ACCEPTED + self.accepted);
        self.accepted += 1;
        let peer = host(50, 40_000);
        self.tell(Event::Accepted { listener: Connection(0), connection, peer, to: host(1, 0) });
        connection
    }

    /// Hands over bytes of a stream; all that the server sent on it since it was last asked.
    pub(crate) fn receive(&mut self, connection: Connection, bytes: &[u8]) -> Vec<u8> {
        self.tell(Event::Received(connection, bytes));
        self.take(connection)
    }

    pub(crate) fn take(&mut self, connection: Connection) -> Vec<u8> {
        self.streams.remove(&connection).unwrap_or_default()
    }

    pub(crate) fn close(&mut self, connection: Connection, reason: Option<&str>) {
        self.tell(Event::Closed(connection, reason));
    }

    /// Gives so much room to everybody who waits for it, once.
    pub(crate) fn give_room(&mut self, bytes: usize) {
        for (connection, asked) in std::mem::take(&mut self.waiting_for_room) {
            self.tell(Event::Room(connection, bytes.max(asked)));
        }
    }
}
