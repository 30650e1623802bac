//! The server: answers each datagram with the same bytes, or a decimal number with that number plus one.

use std::collections::VecDeque;

use units::Picoseconds;

use super::PORT;
use crate::answers::Answers;
use crate::options::{self, Values, option};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Port, Word};

const SOCKET: Connection = Connection(0);
/// The ports of the echo service and of the character generator (RFC 862, RFC 864): who answers them is answered for ever.
const PORTS_THAT_ANSWER: [u16; 2] = [7, 19];

/// The settings of [`Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5000", "The UDP port to answer at.", "5010"),
    option(
        "answer",
        Word(&["echo", "counter"]),
        "echo",
        "What is sent back: the same bytes, or the decimal number plus one.",
        "counter",
    ),
];

/// The settings of [`Server`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// The UDP port to answer at.
    pub port: u16,
    /// Whether numbers are answered with the number plus one, or all datagrams with the same bytes.
    pub counts: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { port: PORT, counts: false }
    }
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            counts: values.choose("answer", &[("echo", false), ("counter", true)])?,
        })
    }
}

/// A server of ping-pong over UDP.
#[derive(Debug, Clone)]
pub struct Server {
    settings: ServerSettings,
    answered: u64,
    malformed: u64,
    answers: Answers,
    bound: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the socket, by which a seat tells its port.
    pub const SOCKET: Connection = SOCKET;

    /// A server that binds its port when it is seated.
    pub fn new(settings: ServerSettings) -> Self {
        Self {
            settings,
            answered: 0,
            malformed: 0,
            answers: Answers::default(),
            bound: false,
            actions: VecDeque::new(),
        }
    }

    /// Datagrams that were answered.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Datagrams that were no number, and so were not answered.
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        if PORTS_THAT_ANSWER.contains(&from.port) {
            return;
        }
        let answer = if self.settings.counts { next_number(bytes) } else { Some(bytes.to_vec()) };
        let Some(answer) = answer else {
            self.malformed += 1;
            return;
        };
        self.answers.client_came(now);
        self.answers.answered(now, bytes.len(), answer.len());
        self.answered += 1;
        self.actions.push_back(Action::SendTo(SOCKET, from, answer));
    }
}

/// The number after the one in a datagram; blanks around it do not count.
fn next_number(bytes: &[u8]) -> Option<Vec<u8>> {
    let number: u64 = std::str::from_utf8(bytes).ok()?.trim().parse().ok()?;
    Some(number.wrapping_add(1).to_string().into_bytes())
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.bound => {
                self.bound = true;
                self.actions.push_back(Action::Bind(SOCKET, self.settings.port, false));
            }
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
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
            ("answered", self.answered, "datagrams"),
            ("malformed", self.malformed, "datagrams"),
        ])
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
