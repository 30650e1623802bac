//! The options of the free client.

use std::fs;

use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Text, Word};
use units::Picoseconds;

use crate::IpEndpoint;
use crate::options::{self, Declared, OptionError, Values, option, to};
use crate::outbox::after;

/// That of ping-pong, for want of a better one.
const PORT: u16 = 5000;
const MOST_FILE_BYTES: u64 = 16 << 20;
/// What one datagram holds: 1500 bytes without the headers of IPv4 and UDP.
const MOST_DATAGRAM_BYTES: usize = 1472;

/// The options of [`Client`](super::Client).
pub const OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the board listens.", "192.168.1.20:5000"),
    option("over", Word(&["tcp", "udp"]), "tcp", "One TCP connection for all messages, or UDP.", "udp"),
    option(
        "send",
        Text("a text with escapes such as \\r\\n or \\x00"),
        "",
        "The bytes of each message; on a command line a blank is \\x20. Without it and file, the client listens.",
        "GET\\x20temperature\\r\\n",
    ),
    option("file", Text("a file"), "", "A file with the bytes of each message.", "message.bin"),
    option("count", Count(1, 1_000_000), "1", "How many messages to send.", "10"),
    option(
        "interval",
        Duration,
        "1s",
        "From message to message, or longer where an answer takes longer.",
        "100ms",
    ),
    option(
        "at",
        Text("times between commas"),
        "",
        "When messages leave, counted from the client's begin, in the place of count and interval.",
        "0s,250ms,2s",
    ),
    option("answers", Flag, "true", "Whether each message waits for an answer.", "false"),
    option(
        "expect",
        Text("a text with escapes such as \\r\\n or \\x00"),
        "",
        "What an answer holds, wherever in it; whatever comes first if empty.",
        "OK\\r\\n",
    ),
    option("timeout", Duration, "10s", "How long to wait for an answer, or for the connection.", "500ms"),
    option("linger", Duration, "0s", "How long to listen after the last message.", "2s"),
    option("no_delay", Flag, "true", "Switches Nagle's algorithm off.", "false"),
];

/// Over what messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// One connection.
    Tcp,
    /// Datagrams.
    Udp,
}

impl Over {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        }
    }
}

/// The settings of [`Client`](super::Client).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the peer listens.
    pub to: IpEndpoint,
    /// Over what.
    pub over: Over,
    /// The bytes of each message.
    pub message: Vec<u8>,
    /// When each message leaves at the earliest, counted from the client's begin.
    pub times: Vec<Picoseconds>,
    /// Whether each waits for an answer.
    pub answers: bool,
    /// What an answer holds; anything if empty.
    pub expected: Vec<u8>,
    /// How long to wait for an answer, or for the connection.
    pub timeout: Picoseconds,
    /// How long to listen after the last message.
    pub linger: Picoseconds,
    /// Switches Nagle's algorithm off.
    pub no_delay: bool,
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let bytes = |text: &str| fields::unescaped(text).ok();
        let interval = values.read("interval", options::time)?;
        let count: u64 = values.read("count", options::parsed)?;
        let at: Vec<Picoseconds> = values.read("at", |text| options::list(text, options::time))?;
        if !at.is_empty() {
            values.have_no_use(&["count", "interval"], "at says when each message leaves")?;
        }
        let settings = Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            over: values.choose("over", &[("tcp", Over::Tcp), ("udp", Over::Udp)])?,
            message: message(values.read("send", bytes)?, values.text("file"))?,
            times: if at.is_empty() { evenly(count, interval) } else { at },
            answers: values.read("answers", options::switch)?,
            expected: values.read("expect", bytes)?,
            timeout: values.read("timeout", options::time)?,
            linger: values.read("linger", options::time)?,
            no_delay: values.read("no_delay", options::switch)?,
        };
        settings.check()
    }
}

impl ClientSettings {
    fn check(self) -> Result<Self, OptionError> {
        let together = |name, reason: &str| Err(OptionError::Together { name, reason: reason.to_owned() });
        if !self.times.is_sorted() {
            return together("at", "a message cannot leave before the one before it; put the times in order");
        }
        if self.over == Over::Udp && self.message.len() > MOST_DATAGRAM_BYTES {
            return together("over", "a datagram holds at most 1472 bytes; send less, or over tcp");
        }
        if self.over == Over::Udp {
            options::fitting("over", self.message.len() as u32, self.to.address)?;
        }
        if !self.answers && !self.expected.is_empty() {
            return together("expect", "nothing is expected where answers is false");
        }
        Ok(self)
    }
}

fn message(sent: Vec<u8>, path: &str) -> Result<Vec<u8>, OptionError> {
    let refused = |reason| OptionError::Together { name: "file", reason };
    if path.is_empty() {
        return Ok(sent);
    }
    if !sent.is_empty() {
        return Err(refused("send says the bytes already, and only one of the two can hold".to_owned()));
    }
    let unreadable = |error: std::io::Error| refused(format!("{path} cannot be read: {error}"));
    let found = fs::metadata(path).map_err(unreadable)?;
    if !found.is_file() || found.len() > MOST_FILE_BYTES {
        return Err(refused(format!("{path} is no file of at most {MOST_FILE_BYTES} bytes")));
    }
    fs::read(path).map_err(unreadable)
}

fn evenly(count: u64, interval: Picoseconds) -> Vec<Picoseconds> {
    let next = |time: &Picoseconds| Some(after(*time, interval));
    std::iter::successors(Some(Picoseconds::ZERO), next).take(count as usize).collect()
}
