//! What client and server are told.

use units::{PS_PER_S, Picoseconds};

use super::{MOST_MESSAGE_BYTES, PORT};
use crate::options::{self, Values, option, to};
use crate::{Declared, IpEndpoint, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Port, Size, Text, Word};

/// Messages of one run, also of one that ends by time: each leaves a sample.
const MOST_ROUNDS: u64 = 10_000_000;

/// The settings of [`super::Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server listens.", "192.168.1.20:80"),
    option("path", Text("a path that begins with /"), "/", "What to open.", "/ws"),
    option("host", Text("a host name"), "", "The Host header; the server's address if empty.", "board.local"),
    option("rounds", Count(1, MOST_ROUNDS), "1000", "How many messages to send.", "100"),
    option(
        "duration",
        Duration,
        "",
        "For how long to send messages, instead of how many; with both, whichever ends first.",
        "10s",
    ),
    option("payload", Word(&["text", "binary"]), "text", "What a message holds.", "binary"),
    option("size", Size(8, MOST_MESSAGE_BYTES as u64), "12B", "The size of a message.", "128B"),
    option("seed", Count(0, u64::MAX), "0", "Determines messages, keys and masks.", "7"),
    option("think_time", Duration, "0s", "Pause between an answer and the next message.", "10ms"),
    option("timeout", Duration, "10s", "How long to wait for an answer, an opening or a closing.", "500ms"),
    option("no_delay", Flag, "true", "Switches Nagle's algorithm off.", "false"),
];

/// The settings of [`super::Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[option("port", Port, "8765", "The TCP port to listen on.", "8080")];

/// The settings of [`super::Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// What to open.
    pub path: String,
    /// The Host header; the server's address if empty.
    pub host: String,
    /// How many messages to send at most.
    pub rounds: u64,
    /// For how long to send messages, from the first opening on.
    pub duration: Option<Picoseconds>,
    /// Whether messages are text; else they are binary.
    pub text: bool,
    /// The size of a message; kept between 8 B and 1 MiB.
    pub message_bytes: u32,
    /// Determines messages, keys and masks.
    pub seed: u64,
    /// Pause between an answer and the next message.
    pub think_time: Picoseconds,
    /// How long to wait for an answer, an opening or a closing.
    pub timeout: Picoseconds,
    /// Switches Nagle's algorithm off.
    pub no_delay: bool,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            path: "/".to_owned(),
            host: String::new(),
            rounds: 1000,
            duration: None,
            text: true,
            message_bytes: 12,
            seed: 0,
            think_time: Picoseconds::ZERO,
            timeout: Picoseconds::new(10 * PS_PER_S),
            no_delay: true,
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let duration = values.read_if_set("duration", options::time)?;
        let ends_by_time = duration.is_some() && !values.is_given("rounds");
        let rounds = values.read("rounds", options::parsed)?;
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            path: values.read("path", crate::http::path)?,
            host: values.read("host", |text| (!text.contains(char::is_control)).then(|| text.to_owned()))?,
            rounds: if ends_by_time { MOST_ROUNDS } else { rounds },
            duration,
            text: values.choose("payload", &[("text", true), ("binary", false)])?,
            message_bytes: values.read("size", options::size)?,
            seed: values.read("seed", options::parsed)?,
            think_time: values.read("think_time", options::time)?,
            timeout: values.read("timeout", options::time)?,
            no_delay: values.read("no_delay", options::switch)?,
        })
    }
}

/// The settings of [`super::Server`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// The port to listen on.
    pub port: u16,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { port: PORT }
    }
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self { port: values.read("port", options::parsed)? })
    }
}
