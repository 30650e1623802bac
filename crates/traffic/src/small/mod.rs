//! The small services, each over TCP and UDP: echo (RFC 862), discard (RFC 863) and the character generator (RFC 864).
//!
//! Datagrams from the echo and chargen ports are not answered, or two servers could answer each other for ever.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use units::{PS_PER_MS, Picoseconds};

use crate::answers::{Answers, of_intervals};
use crate::flow::{Flow, MOST_CONNECTIONS};
use crate::losses::{Cause, Losses};
use crate::meter::ArrivalMeter;
use crate::options::{self, Values, option};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::Port;

const LISTENER: Connection = Connection(0);
const SOCKET: Connection = Connection(1);
/// RFC 862.
const ECHO_PORT: u16 = 7;
/// RFC 863.
const DISCARD_PORT: u16 = 9;
/// RFC 864.
const CHARGEN_PORT: u16 = 19;
/// RFC 864: each line has 72 of the 95 printing characters, from one further on than the line before.
const LINE_CHARACTERS: usize = 72;
const PRINTING_CHARACTERS: usize = 95;
const LINE_BYTES: usize = LINE_CHARACTERS + 2;
/// RFC 864: an answering datagram has from 0 to 512 characters.
const MOST_DATAGRAM_CHARACTERS: u64 = 512;
/// What the generator sends at a time.
const BLOCK_LINES: u64 = 64;
/// Bytes are counted in intervals of this length at least, where they are what a board is measured by.
const INTERVAL: Picoseconds = Picoseconds::new(20 * PS_PER_MS);

/// The settings of [`Server`], declared.
pub const SERVER_OPTIONS: &[Field] =
    &[option("port", Port, "", "The TCP and UDP port; the service's own (7, 9 or 19) if empty.", "7007")];

/// The settings of [`Server`], for whichever service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// The TCP and UDP port; the service's own if nothing.
    pub port: Option<u16>,
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self { port: values.read_if_set("port", options::parsed)? })
    }
}

/// Which service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Sends back what comes.
    Echo,
    /// Throws away what comes.
    Discard,
    /// Sends characters for as long as the peer takes them.
    Chargen,
}

impl Service {
    /// The port that is assigned to it.
    pub fn port(self) -> u16 {
        match self {
            Self::Echo => ECHO_PORT,
            Self::Discard => DISCARD_PORT,
            Self::Chargen => CHARGEN_PORT,
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Peer {
    flow: Flow,
    next_line: u64,
    finished: bool,
}

/// A server of one of the small services.
#[derive(Debug, Clone)]
pub struct Server {
    service: Service,
    port: u16,
    peers: BTreeMap<Connection, Peer>,
    received_bytes: u64,
    sent_bytes: u64,
    datagrams: u64,
    refused: Losses,
    /// Bytes that came, or went where characters are made.
    meter: ArrivalMeter,
    answers: Answers,
    listening: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the TCP listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;
    /// The connection number of the UDP socket.
    pub const SOCKET: Connection = SOCKET;

    /// A server that listens on a TCP and a UDP port when it is seated.
    pub fn new(service: Service, port: u16) -> Self {
        Self {
            service,
            port,
            peers: BTreeMap::new(),
            received_bytes: 0,
            sent_bytes: 0,
            datagrams: 0,
            refused: Losses::default(),
            meter: ArrivalMeter::new(INTERVAL),
            answers: Answers::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// The same from settings.
    pub fn of(service: Service, settings: ServerSettings) -> Self {
        Self::new(service, settings.port.unwrap_or_else(|| service.port()))
    }

    /// Bytes received, over TCP and UDP.
    pub fn received_bytes(&self) -> u64 {
        self.received_bytes
    }

    /// Bytes sent, over TCP and UDP.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// Connections that were reset because too many were open.
    pub fn refused(&self) -> u64 {
        self.refused.count()
    }

    /// Counts what an event moved.
    fn measure(&mut self, now: Picoseconds, bytes: u64) {
        match self.service {
            _ if bytes == 0 => {}
            Service::Echo => self.answers.answered(now, bytes as usize, bytes as usize),
            Service::Discard | Service::Chargen => self.meter.count(now, bytes),
        }
    }

    /// Bytes of the direction in which the service works.
    fn moved_bytes(&self) -> u64 {
        if self.service == Service::Chargen { self.sent_bytes } else { self.received_bytes }
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        self.answers.client_came(now);
        self.peers.insert(connection, Peer::default());
        if self.service == Service::Chargen {
            self.want_room(connection);
        }
    }

    fn want_room(&mut self, connection: Connection) {
        self.actions.push_back(Action::WantRoom(connection, BLOCK_LINES as usize * LINE_BYTES));
    }

    fn receive(&mut self, connection: Connection, bytes: &[u8]) {
        self.received_bytes += bytes.len() as u64;
        if let (Service::Echo, Some(peer)) = (self.service, self.peers.get_mut(&connection)) {
            self.sent_bytes += bytes.len() as u64;
            peer.flow.send(connection, bytes.to_vec(), &mut self.actions);
        }
    }

    fn room(&mut self, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        if self.service != Service::Chargen {
            peer.flow.room(connection, &mut self.actions);
        } else if !peer.finished {
            let lines = peer.next_line..peer.next_line + BLOCK_LINES;
            peer.next_line = lines.end;
            let bytes: Vec<u8> = lines.flat_map(chargen_line).collect();
            self.sent_bytes += bytes.len() as u64;
            self.actions.push_back(Action::Send(connection, bytes));
            self.want_room(connection);
        }
    }

    fn peer_finished(&mut self, connection: Connection) {
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.finished = true;
            self.actions.push_back(Action::Finish(connection));
        }
    }

    fn datagram(&mut self, from: IpEndpoint, bytes: &[u8]) {
        self.received_bytes += bytes.len() as u64;
        self.datagrams += 1;
        let answer = match self.service {
            _ if matches!(from.port, ECHO_PORT | CHARGEN_PORT) => return,
            Service::Discard => return,
            Service::Echo => bytes.to_vec(),
            Service::Chargen => {
                // The length is to be random; a count that no small number divides serves as well, and can be repeated.
                let length = self.datagrams.wrapping_mul(389) % (MOST_DATAGRAM_CHARACTERS + 1);
                (0..).flat_map(chargen_line).take(length as usize).collect()
            }
        };
        self.sent_bytes += answer.len() as u64;
        self.actions.push_back(Action::SendTo(SOCKET, from, answer));
    }
}

fn chargen_line(number: u64) -> Vec<u8> {
    let first = (number % PRINTING_CHARACTERS as u64) as usize;
    let characters = (first..first + LINE_CHARACTERS).map(|at| b' ' + (at % PRINTING_CHARACTERS) as u8);
    characters.chain(*b"\r\n").collect()
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let before = self.moved_bytes();
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.port));
                self.actions.push_back(Action::Bind(SOCKET, self.port, false));
            }
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, bytes) => self.receive(connection, bytes),
            Event::Room(connection, _) => self.room(connection),
            Event::PeerFinished(connection) => self.peer_finished(connection),
            Event::Closed(connection, _) => drop(self.peers.remove(&connection)),
            Event::Datagram { from, bytes, .. } => self.datagram(from, bytes),
            _ => {}
        }
        self.measure(now, self.moved_bytes() - before);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn results(&self) -> Results {
        Results::counted(&[
            ("received", self.received_bytes, "bytes"),
            ("sent", self.sent_bytes, "bytes"),
            ("datagrams", self.datagrams, "datagrams"),
            ("refused", self.refused.count(), "connections"),
        ])
        .with(&self.refused)
    }

    fn work(&self) -> Vec<Sample> {
        match self.service {
            Service::Echo => self.answers.samples().to_vec(),
            Service::Discard | Service::Chargen => of_intervals(self.meter.intervals().iter().copied()),
        }
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
