//! The server: answers a decimal number with the number plus one, or messages of a fixed size with themselves.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::PORT;
use crate::answers::Answers;
use crate::flow::{Flow, MOST_CONNECTIONS};
use crate::losses::{Cause, Losses};
use crate::options::{self, Values, option};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Flag, Port, Size, Word};

/// A sign and the digits of any 64-bit number, with room for blanks around.
const MOST_NUMBER_BYTES: usize = 32;
const LISTENER: Connection = Connection(0);

/// The settings of [`Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5000", "The TCP port to listen on.", "5010"),
    option(
        "answer",
        Word(&["counter", "echo"]),
        "counter",
        "What to answer: a decimal number plus one, or each message itself.",
        "echo",
    ),
    option("newline", Flag, "false", "Whether a newline ends each number.", "true"),
    option("size", Size(1, 1_048_576), "12B", "The size of a message that is echoed.", "128B"),
    option("no_delay", Flag, "true", "Switches Nagle's algorithm off.", "false"),
];

/// What the server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A decimal number with the number plus one.
    Counter {
        /// Whether a newline ends each number.
        newline: bool,
    },
    /// A message of so many bytes with itself, when it is whole.
    Echo {
        /// The size of a message; 0 is taken as 1.
        bytes: u32,
    },
}

/// The settings of [`Server`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The TCP port to listen on.
    pub port: u16,
    /// What to answer.
    pub answer: Answer,
    /// Switches Nagle's algorithm off.
    pub no_delay: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { port: PORT, answer: Answer::Counter { newline: false }, no_delay: true }
    }
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let counter = Answer::Counter { newline: values.read("newline", options::switch)? };
        let echo = Answer::Echo { bytes: values.read("size", options::size)? };
        Ok(Self {
            port: values.read("port", options::parsed)?,
            answer: values.choose("answer", &[("counter", counter), ("echo", echo)])?,
            no_delay: values.read("no_delay", options::switch)?,
        })
    }
}

#[derive(Debug, Clone, Default)]
struct Peer {
    received: Vec<u8>,
    /// Of those so many have been answered; they go in one move after all that can be answered is.
    taken: usize,
    /// The number that a counting client sends next.
    next: Option<i64>,
    flow: Flow,
}

/// A ping-pong server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: ServerSettings,
    peers: BTreeMap<Connection, Peer>,
    answered: u64,
    answers: Answers,
    malformed: u64,
    refused: Losses,
    listening: bool,
    actions: VecDeque<Action>,
}

/// A message that is no number.
struct Malformed;

impl Server {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: ServerSettings) -> Self {
        Self {
            settings,
            peers: BTreeMap::new(),
            answered: 0,
            answers: Answers::default(),
            malformed: 0,
            refused: Losses::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    /// Messages that were answered.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Messages that were no number; each cost its connection.
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Connections that were reset because too many were open.
    pub fn refused(&self) -> u64 {
        self.refused.count()
    }

    fn receive(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        peer.received.extend_from_slice(bytes);
        loop {
            let taken = peer.taken;
            match peer.next_answer(self.settings.answer) {
                Ok(Some(answer)) => {
                    self.answered += 1;
                    self.answers.answered(now, peer.taken - taken, answer.len());
                    peer.flow.send(connection, answer, &mut self.actions);
                }
                Ok(None) => return drop(peer.received.drain(..std::mem::take(&mut peer.taken))),
                Err(Malformed) => {
                    self.malformed += 1;
                    self.peers.remove(&connection);
                    self.actions.push_back(Action::Abort(connection));
                    return;
                }
            }
        }
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        if self.settings.no_delay {
            self.actions.push_back(Action::NoDelay(connection, true));
        }
        self.answers.client_came(now);
        self.peers.insert(connection, Peer::default());
    }
}

impl Peer {
    fn rest(&self) -> &[u8] {
        &self.received[self.taken..]
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.rest()[..count].to_vec();
        self.taken += count;
        taken
    }

    fn next_answer(&mut self, answer: Answer) -> Result<Option<Vec<u8>>, Malformed> {
        match answer {
            Answer::Echo { bytes } => {
                let size = bytes.max(1) as usize;
                Ok((self.rest().len() >= size).then(|| self.take(size)))
            }
            Answer::Counter { newline: true } => {
                let Some(end) = self.rest().iter().position(|byte| *byte == b'\n') else {
                    return if self.rest().len() > MOST_NUMBER_BYTES { Err(Malformed) } else { Ok(None) };
                };
                let line = self.take(end + 1);
                let mut text = self.count(&line)?;
                text.push(b'\n');
                Ok(Some(text))
            }
            Answer::Counter { newline: false } => {
                let Some(end) = self.end_of_number() else { return Ok(None) };
                let number = self.take(end);
                self.count(&number).map(Some)
            }
        }
    }

    /// Where a number without newline ends: after the one that must come next, else with what has come.
    fn end_of_number(&self) -> Option<usize> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let expected = self.next.map(|next| next.to_string().into_bytes()).unwrap_or_default();
        if !expected.is_empty() && rest.starts_with(&expected) {
            Some(expected.len())
        } else if expected.starts_with(rest) {
            None
        } else {
            Some(rest.len())
        }
    }

    fn count(&mut self, text: &[u8]) -> Result<Vec<u8>, Malformed> {
        if text.len() > MOST_NUMBER_BYTES + 1 {
            return Err(Malformed);
        }
        let text = std::str::from_utf8(text).map_err(|_| Malformed)?;
        let number: i64 = text.trim().parse().map_err(|_| Malformed)?;
        let answer = number.checked_add(1).ok_or(Malformed)?;
        self.next = answer.checked_add(1);
        Ok(answer.to_string().into_bytes())
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, bytes) => self.receive(now, connection, bytes),
            Event::Room(connection, _) => {
                if let Some(peer) = self.peers.get_mut(&connection) {
                    peer.flow.room(connection, &mut self.actions);
                }
            }
            Event::PeerFinished(connection) => self.actions.push_back(Action::Finish(connection)),
            Event::Closed(connection, _) => drop(self.peers.remove(&connection)),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn results(&self) -> Results {
        Results::counted(&[
            ("answered", self.answered, "messages"),
            ("malformed", self.malformed, "messages"),
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
