//! The server of bulk transfers: does the same on every connection, and keeps the results. With nothing to send it is a sink.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::duplex::{Amount, Content, Duplex, MOST_KEPT, Transfer};
use crate::answers::intervals_as_samples;
use crate::flow::MOST_CONNECTIONS;
use crate::losses::{Cause, Losses};
use crate::options::{self, Values, option};
use crate::pattern::Pattern;
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Count, Duration, Port, Size};

const LISTENER: Connection = Connection(0);

/// The settings of [`Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5002", "The TCP port to listen on.", "5012"),
    option("send", Size(0, u64::MAX), "0 B", "How much to send on each connection.", "10MB"),
    option("time", Duration, "", "How long to send, instead of how much.", "10s"),
    option("seed", Count(0, u64::MAX), "0", "Determines the bytes, in both directions.", "7"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`Server`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// The TCP port to listen on.
    pub port: u16,
    /// How much to send on each connection.
    pub send: Option<Amount>,
    /// Determines the bytes, in both directions.
    pub seed: u64,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            send: super::amount(values)?,
            seed: values.read("seed", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

/// A server of bulk transfers.
#[derive(Debug, Clone)]
pub struct Server {
    port: u16,
    content: Content,
    send: Option<Amount>,
    interval: Option<Picoseconds>,
    peers: BTreeMap<Connection, Duplex>,
    transfers: VecDeque<Transfer>,
    dropped_transfers: u64,
    refused: Losses,
    listening: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: ServerSettings) -> Self {
        Self {
            port: settings.port,
            content: Content::Pattern(Pattern::new(settings.seed)),
            send: settings.send,
            interval: settings.interval,
            peers: BTreeMap::new(),
            transfers: VecDeque::new(),
            dropped_transfers: 0,
            refused: Losses::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// The results of connections that are over, the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.transfers.iter()
    }

    /// What has passed so far on connections that are not over.
    pub fn running(&self) -> Vec<Transfer> {
        self.peers.values().map(Duplex::transfer).collect()
    }

    /// Results that were dropped because too many were kept.
    pub fn dropped_transfers(&self) -> u64 {
        self.dropped_transfers
    }

    /// Connections that were reset because too many were open.
    pub fn refused(&self) -> u64 {
        self.refused.count()
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        let mut duplex = Duplex::new(connection, self.content.clone(), self.send, self.interval);
        duplex.open(now, &mut self.actions);
        self.peers.insert(connection, duplex);
    }

    fn advance(&mut self, now: Picoseconds, connection: Connection, event: &Event<'_>) {
        let Some(duplex) = self.peers.get_mut(&connection) else { return };
        duplex.handle(now, event, &mut self.actions);
        if duplex.is_over() {
            let transfer = duplex.transfer();
            self.peers.remove(&connection);
            if self.transfers.len() >= MOST_KEPT {
                self.transfers.pop_front();
                self.dropped_transfers += 1;
            }
            self.transfers.push_back(transfer);
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.port));
            }
            Event::Wake => {
                let connections: Vec<Connection> = self.peers.keys().copied().collect();
                for connection in connections {
                    self.advance(now, connection, &event);
                }
            }
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, _)
            | Event::Room(connection, _)
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
        self.peers.values().filter_map(Duplex::wake_at).min()
    }

    fn results(&self) -> Results {
        let transfers: Vec<Transfer> = self.transfers.iter().cloned().chain(self.running()).collect();
        Results::transferred(&transfers, self.refused.count()).with(&self.refused)
    }

    fn work(&self) -> Vec<Sample> {
        let transfers: Vec<Transfer> = self.transfers.iter().cloned().chain(self.running()).collect();
        intervals_as_samples(&transfers)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
