//! The bounds of the MQTT broker and how it misbehaves for tests, with the table of its options.

use crate::options::{self, Values, option};
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Flag, Port, Text};

/// Section 4.2 of the standard names it.
const PORT: u16 = 1883;

/// What the broker allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where it listens.
    pub port: u16,
    /// Who may connect; empty for anybody.
    pub user: String,
    /// How that user proves it.
    pub password: String,
    /// Connections at a time; more are reset.
    pub most_connections: usize,
    /// Sessions, of which those of absent clients are part.
    pub most_sessions: usize,
    /// A greater packet closes its connection.
    pub most_packet_bytes: usize,
    /// Messages that wait in a session; more are dropped.
    pub most_queued: usize,
    /// Messages that one client has not acknowledged.
    pub most_inflight: usize,
    /// Bytes that wait for room on a connection.
    pub most_unsent_bytes: usize,
    /// Retained messages; more are not kept.
    pub most_retained: usize,
    /// Subscriptions of a session; more are refused.
    pub most_subscriptions: usize,
    /// Switches Nagle's algorithm off on every connection.
    pub no_delay: bool,
    /// Whether anything is answered.
    pub answers: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            port: PORT,
            user: String::new(),
            password: String::new(),
            most_connections: 64,
            most_sessions: 256,
            most_packet_bytes: 262_144,
            most_queued: 1000,
            most_inflight: 20,
            most_unsent_bytes: 1_048_576,
            most_retained: 1000,
            most_subscriptions: 100,
            no_delay: false,
            answers: true,
        }
    }
}

/// The options of the MQTT broker.
pub const OPTIONS: &[Field] = &[
    option("port", Port, "1883", "Where the broker listens.", "11883"),
    option("user", Text("a text"), "", "Who may connect; nothing for anybody.", "board"),
    option("password", Text("a text"), "", "The password of that user.", "secret"),
    option("most_connections", Count(1, 1024), "64", "Connections at a time; more are reset.", "8"),
    option(
        "most_sessions",
        Count(1, 4096),
        "256",
        "Sessions, those of absent clients among them; more are refused.",
        "8",
    ),
    option(
        "most_packet_bytes",
        Count(128, 16_777_216),
        "262144",
        "A greater packet closes its connection.",
        "1024",
    ),
    option(
        "most_queued",
        Count(1, 100_000),
        "1000",
        "Messages that wait in a session; more are dropped.",
        "10",
    ),
    option(
        "most_inflight",
        Count(1, 1000),
        "20",
        "Messages that a client may leave unacknowledged before more wait.",
        "1",
    ),
    option(
        "most_unsent_bytes",
        Count(1024, 67_108_864),
        "1048576",
        "Bytes that wait for room on a connection; messages beyond wait or are dropped.",
        "65536",
    ),
    option(
        "most_retained",
        Count(0, 100_000),
        "1000",
        "Retained messages; more are delivered but not kept.",
        "0",
    ),
    option("most_subscriptions", Count(1, 1000), "100", "Subscriptions of a session; more are refused.", "4"),
    option(
        "no_delay",
        Flag,
        "false",
        "Switches Nagle's algorithm off on every connection; it is on in Mosquitto's default too.",
        "true",
    ),
    option("answers", Flag, "true", "Whether a client that connects hears anything.", "false"),
];

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            user: values.text("user").to_owned(),
            password: values.text("password").to_owned(),
            most_connections: values.read("most_connections", options::parsed)?,
            most_sessions: values.read("most_sessions", options::parsed)?,
            most_packet_bytes: values.read("most_packet_bytes", options::parsed)?,
            most_queued: values.read("most_queued", options::parsed)?,
            most_inflight: values.read("most_inflight", options::parsed)?,
            most_unsent_bytes: values.read("most_unsent_bytes", options::parsed)?,
            most_retained: values.read("most_retained", options::parsed)?,
            most_subscriptions: values.read("most_subscriptions", options::parsed)?,
            no_delay: values.read("no_delay", options::switch)?,
            answers: values.read("answers", options::switch)?,
        })
    }
}
