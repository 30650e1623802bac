//! The server: sends back each message as it came, answers pings, and closes when it is asked to.

use std::collections::{BTreeMap, VecDeque};

use units::{PS_PER_S, Picoseconds};

use super::frame::{Message, NORMAL, Reader};
use super::handshake::{HeadReader, answer};
use super::settings::ServerSettings;
use crate::answers::Answers;
use crate::flow::{Flow, MOST_CONNECTIONS};
use crate::losses::{Cause, Losses};
use crate::outbox::after;
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results, Sample};

const LISTENER: Connection = Connection(0);
/// How long a client may take for its opening handshake, and to end its connection after the closing one.
const STEP: Picoseconds = Picoseconds::new(10 * PS_PER_S);

#[derive(Debug, Clone)]
enum Phase {
    Opening(HeadReader),
    Open(Reader),
    /// All has been said; what comes is passed over.
    Closing,
}

#[derive(Debug, Clone)]
struct Peer {
    phase: Phase,
    flow: Flow,
    /// When it is reset unless it has gone on before.
    give_up_at: Option<Picoseconds>,
}

/// A WebSocket echo server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: ServerSettings,
    peers: BTreeMap<Connection, Peer>,
    answers: Answers,
    answered: u64,
    pings: u64,
    malformed: u64,
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
            settings,
            peers: BTreeMap::new(),
            answers: Answers::default(),
            answered: 0,
            pings: 0,
            malformed: 0,
            refused: Losses::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// Messages that were sent back.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Connections that were no WebSocket or broke its rules.
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            return self.actions.push_back(Action::Abort(connection));
        }
        self.actions.push_back(Action::NoDelay(connection, true));
        let phase = Phase::Opening(HeadReader::default());
        let give_up_at = Some(after(now, STEP));
        self.peers.insert(connection, Peer { phase, flow: Flow::default(), give_up_at });
    }

    fn receive(&mut self, now: Picoseconds, connection: Connection, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Some(peer) = self.peers.get_mut(&connection) else { return };
            match &mut peer.phase {
                Phase::Closing => return,
                Phase::Opening(reader) => match reader.take(&mut bytes) {
                    Ok(None) => return,
                    Ok(Some(head)) => self.open(now, connection, &head),
                    Err(_) => self.open(now, connection, b""),
                },
                Phase::Open(reader) => match reader.take(&mut bytes) {
                    Ok(None) => return,
                    Ok(Some(message)) => self.answer(now, connection, message),
                    Err(violation) => {
                        self.malformed += 1;
                        self.close(now, connection, violation.code());
                    }
                },
            }
        }
    }

    fn open(&mut self, now: Picoseconds, connection: Connection, head: &[u8]) {
        let (answer, opens) = answer(head);
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        peer.flow.send(connection, answer, &mut self.actions);
        if opens {
            peer.phase = Phase::Open(Reader::new(true));
            peer.give_up_at = None;
            self.answers.client_came(now);
        } else {
            self.malformed += 1;
            self.finish(now, connection);
        }
    }

    fn answer(&mut self, now: Picoseconds, connection: Connection, message: Message) {
        let answer = match message {
            Message::Text(_) | Message::Binary(_) => {
                self.answered += 1;
                self.answers.answered(now, message.len(), message.len());
                message
            }
            Message::Ping(bytes) => {
                self.pings += 1;
                Message::Pong(bytes)
            }
            Message::Pong(_) => return,
            Message::Close(code) => return self.close(now, connection, code.unwrap_or(NORMAL)),
        };
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.flow.send(connection, answer.frame(None), &mut self.actions);
        }
    }

    /// Says that the connection ends, and why.
    fn close(&mut self, now: Picoseconds, connection: Connection, code: u16) {
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.flow.send(connection, Message::Close(Some(code)).frame(None), &mut self.actions);
        }
        self.finish(now, connection);
    }

    fn finish(&mut self, now: Picoseconds, connection: Connection) {
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.phase = Phase::Closing;
            peer.give_up_at = Some(after(now, STEP));
            self.actions.push_back(Action::Finish(connection));
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        let is_late = |peer: &Peer| peer.give_up_at.is_some_and(|at| at <= now);
        let late: Vec<Connection> =
            self.peers.iter().filter(|(_, peer)| is_late(peer)).map(|(connection, _)| *connection).collect();
        for connection in late {
            self.peers.remove(&connection);
            self.actions.push_back(Action::Abort(connection));
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Wake => self.wake(now),
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, bytes) => self.receive(now, connection, bytes),
            Event::Room(connection, _) => {
                if let Some(peer) = self.peers.get_mut(&connection) {
                    peer.flow.room(connection, &mut self.actions);
                }
            }
            Event::PeerFinished(connection) => {
                self.peers.remove(&connection);
                self.actions.push_back(Action::Finish(connection));
            }
            Event::Closed(connection, _) => drop(self.peers.remove(&connection)),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.peers.values().filter_map(|peer| peer.give_up_at).min()
    }

    fn results(&self) -> Results {
        Results::counted(&[
            ("answered", self.answered, "messages"),
            ("pings", self.pings, "messages"),
            ("malformed", self.malformed, "connections"),
            ("refused", self.refused.count(), "connections"),
        ])
        .with(&self.refused)
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
