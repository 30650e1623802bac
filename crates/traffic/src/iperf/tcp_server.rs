//! iperf 2 over TCP, the server: takes what clients send, and sends to those that ask for it, on their connection or on one
//! back to them.

use std::collections::{BTreeMap, VecDeque};

use units::{PS_PER_S, Picoseconds};

use super::head::{Direction, HeadReader, TcpHead};
use super::{BLOCK, PORT, block_bytes};
use crate::answers::intervals_as_samples;
use crate::bulk::{Amount, BLOCK_BYTES, Content, Duplex, MOST_KEPT, Transfer};
use crate::flow::MOST_CONNECTIONS;
use crate::losses::{Cause, Losses};
use crate::options::{self, Values, option};
use crate::outbox::after;
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Duration, Port};

const LISTENER: Connection = Connection(0);
/// A client that listens only after it has asked for a connection back may refuse it at first.
const MOST_TRIES: u32 = 20;
const PAUSE_BETWEEN_TRIES: Picoseconds = Picoseconds::new(PS_PER_S / 10);
/// However long a client asks to be sent to.
const MOST_TIME: Picoseconds = Picoseconds::new(24 * 3600 * PS_PER_S);

/// The settings of [`TcpServer`], declared.
pub const TCP_SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5001", "The TCP port to listen on.", "5011"),
    option("block", BLOCK, "16384B", "How much is sent at a time to clients that ask for it.", "131072B"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`TcpServer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpServerSettings {
    /// The port to listen on.
    pub port: u16,
    /// How much is sent at a time; kept between 1 B and 128 KiB.
    pub block_bytes: u32,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Default for TcpServerSettings {
    fn default() -> Self {
        Self { port: PORT, block_bytes: BLOCK_BYTES as u32, interval: Some(Picoseconds::new(PS_PER_S)) }
    }
}

impl Declared for TcpServerSettings {
    const OPTIONS: &'static [Field] = TCP_SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            block_bytes: values.read("block", options::size)?,
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

#[derive(Debug, Clone)]
struct Peer {
    duplex: Duplex,
    from: IpEndpoint,
    head: HeadReader,
    /// To be made once the client has sent all.
    afterwards: Option<Return>,
    /// What this connection is, as long as it is not open, if it is one back to a client.
    opening: Option<Return>,
}

/// A connection back to a client.
#[derive(Debug, Clone, Copy)]
struct Return {
    to: IpEndpoint,
    amount: Amount,
    tries: u32,
}

/// An iperf 2 server over TCP.
#[derive(Debug, Clone)]
pub struct TcpServer {
    settings: TcpServerSettings,
    peers: BTreeMap<Connection, Peer>,
    /// Connections back to clients so far; they are numbered from 1.
    connected_back: u32,
    /// Those that were refused, and when to try again.
    refused_back: VecDeque<(Picoseconds, Return)>,
    transfers: VecDeque<Transfer>,
    refused: Losses,
    listening: bool,
    actions: VecDeque<Action>,
}

impl TcpServer {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: TcpServerSettings) -> Self {
        Self {
            settings,
            peers: BTreeMap::new(),
            connected_back: 0,
            refused_back: VecDeque::new(),
            transfers: VecDeque::new(),
            refused: Losses::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// The tests that are over, the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.transfers.iter()
    }

    /// What has passed so far in tests that are not over.
    pub fn running(&self) -> Vec<Transfer> {
        self.peers.values().map(|peer| peer.duplex.transfer()).collect()
    }

    fn all(&self) -> Vec<Transfer> {
        self.transfers.iter().cloned().chain(self.running()).collect()
    }

    fn duplex(&self, connection: Connection, send: Option<Amount>) -> Duplex {
        let duplex = Duplex::new(connection, Content::Digits(Vec::new()), send, self.settings.interval);
        duplex.in_blocks_of(block_bytes(self.settings.block_bytes))
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        let mut duplex = self.duplex(connection, None);
        duplex.open(now, &mut self.actions);
        let head = HeadReader::new();
        self.peers.insert(connection, Peer { from, duplex, head, afterwards: None, opening: None });
    }

    fn connect_back(&mut self, now: Picoseconds, back: Return) {
        let Return { to, amount, .. } = back;
        if self.peers.len() >= MOST_CONNECTIONS || self.connected_back >= Connection::FIRST_ACCEPTED - 1 {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(to));
            return;
        }
        self.connected_back += 1;
        let connection = Connection(self.connected_back);
        let duplex = self.duplex(connection, Some(amount));
        let head = HeadReader::Done;
        self.peers.insert(connection, Peer { from: to, duplex, head, afterwards: None, opening: Some(back) });
        self.actions.push_back(Action::Connect(connection, to));
    }

    fn read_head(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let Some(head) = peer.head.take(bytes) else { return };
        let TcpHead { direction, port, amount, .. } = head;
        let amount = match amount {
            Amount::Time(time) => Amount::Time(time.min(MOST_TIME)),
            bytes @ Amount::Bytes(_) => bytes,
        };
        let back = Return { to: IpEndpoint { port, ..peer.from }, amount, tries: 0 };
        match direction {
            Direction::Send => {}
            Direction::Reverse | Direction::FullDuplex => {
                peer.duplex.send_too(now, amount, &mut self.actions);
            }
            Direction::Dual | Direction::Tradeoff if port == 0 => {}
            Direction::Dual => self.connect_back(now, back),
            Direction::Tradeoff => peer.afterwards = Some(back),
        }
    }

    fn advance(&mut self, now: Picoseconds, connection: Connection, event: &Event<'_>) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let has_room = self.refused_back.len() < MOST_CONNECTIONS;
        let again = peer.opening.filter(|back| has_room && back.tries + 1 < MOST_TRIES);
        if let (Event::Closed(..), Some(back)) = (event, again) {
            self.peers.remove(&connection);
            let back = Return { tries: back.tries + 1, ..back };
            return self.refused_back.push_back((after(now, PAUSE_BETWEEN_TRIES), back));
        }
        peer.duplex.handle(now, event, &mut self.actions);
        let afterwards = match event {
            Event::PeerFinished(_) => peer.afterwards.take(),
            _ => None,
        };
        if peer.duplex.is_over() {
            let transfer = peer.duplex.transfer();
            self.peers.remove(&connection);
            if self.transfers.len() >= MOST_KEPT {
                self.transfers.pop_front();
            }
            self.transfers.push_back(transfer);
        }
        if let Some(back) = afterwards {
            self.connect_back(now, back);
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        let connections: Vec<Connection> = self.peers.keys().copied().collect();
        for connection in connections {
            self.advance(now, connection, &Event::Wake);
        }
        while self.refused_back.front().is_some_and(|(at, _)| *at <= now) {
            let (_, back) = self.refused_back.pop_front().expect("the front was there a line above");
            self.connect_back(now, back);
        }
    }
}

impl Machine for TcpServer {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Wake => self.wake(now),
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Opened(connection) => {
                if let Some(peer) = self.peers.get_mut(&connection).filter(|peer| peer.opening.is_some()) {
                    peer.opening = None;
                    peer.duplex.open(now, &mut self.actions);
                }
            }
            Event::Received(connection, bytes) => {
                self.advance(now, connection, &event);
                self.read_head(now, connection, bytes);
            }
            Event::Room(connection, _)
            | Event::Drained(connection)
            | Event::PeerFinished(connection)
            | Event::Closed(connection, _) => self.advance(now, connection, &event),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        let again = self.refused_back.front().map(|(at, _)| *at);
        self.peers.values().filter_map(|peer| peer.duplex.wake_at()).chain(again).min()
    }

    fn results(&self) -> Results {
        Results::transferred(&self.all(), self.refused.count()).with(&self.refused)
    }

    fn work(&self) -> Vec<Sample> {
        intervals_as_samples(&self.all())
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
