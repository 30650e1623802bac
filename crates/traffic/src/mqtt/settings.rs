//! The bounds of the MQTT broker and how it misbehaves for tests, with the table of its options.

use crate::declared::{self, Declared};
use crate::{OptionError, ServiceOption};

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
pub const OPTIONS: &[ServiceOption] = &[
    ServiceOption {
        name: "port",
        takes: "a TCP port",
        default: "1883",
        help: "Where the broker listens.",
        example: "11883",
    },
    ServiceOption {
        name: "user",
        takes: "a text",
        default: "",
        help: "Who may connect; nothing for anybody.",
        example: "board",
    },
    ServiceOption {
        name: "password",
        takes: "a text",
        default: "",
        help: "The password of that user.",
        example: "secret",
    },
    ServiceOption {
        name: "most_connections",
        takes: "1 to 1024",
        default: "64",
        help: "Connections at a time; more are reset.",
        example: "8",
    },
    ServiceOption {
        name: "most_sessions",
        takes: "1 to 4096",
        default: "256",
        help: "Sessions, those of absent clients among them; more are refused.",
        example: "8",
    },
    ServiceOption {
        name: "most_packet_bytes",
        takes: "128 to 16777216",
        default: "262144",
        help: "A greater packet closes its connection.",
        example: "1024",
    },
    ServiceOption {
        name: "most_queued",
        takes: "1 to 100000",
        default: "1000",
        help: "Messages that wait in a session; more are dropped.",
        example: "10",
    },
    ServiceOption {
        name: "most_inflight",
        takes: "1 to 1000",
        default: "20",
        help: "Messages that a client may leave unacknowledged before more wait.",
        example: "1",
    },
    ServiceOption {
        name: "most_unsent_bytes",
        takes: "1024 to 67108864",
        default: "1048576",
        help: "Bytes that wait for room on a connection; messages beyond wait or are dropped.",
        example: "65536",
    },
    ServiceOption {
        name: "most_retained",
        takes: "0 to 100000",
        default: "1000",
        help: "Retained messages; more are delivered but not kept.",
        example: "0",
    },
    ServiceOption {
        name: "most_subscriptions",
        takes: "1 to 1000",
        default: "100",
        help: "Subscriptions of a session; more are refused.",
        example: "4",
    },
    ServiceOption {
        name: "no_delay",
        takes: "yes or no",
        default: "no",
        help: "Switches Nagle's algorithm off on every connection; it is on in Mosquitto's default too.",
        example: "yes",
    },
    ServiceOption {
        name: "answers",
        takes: "yes or no",
        default: "yes",
        help: "Whether a client that connects hears anything.",
        example: "no",
    },
];

impl Declared for Settings {
    const SERVICE: &'static str = "mqtt";
    const OPTIONS: &'static [ServiceOption] = OPTIONS;

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "port" => self.port = declared::number(value, 1, u16::MAX)?,
            "user" => value.clone_into(&mut self.user),
            "password" => value.clone_into(&mut self.password),
            "most_connections" => self.most_connections = declared::number(value, 1, 1024)?,
            "most_sessions" => self.most_sessions = declared::number(value, 1, 4096)?,
            "most_packet_bytes" => self.most_packet_bytes = declared::number(value, 128, 1 << 24)?,
            "most_queued" => self.most_queued = declared::number(value, 1, 100_000)?,
            "most_inflight" => self.most_inflight = declared::number(value, 1, 1000)?,
            "most_unsent_bytes" => self.most_unsent_bytes = declared::number(value, 1024, 1 << 26)?,
            "most_retained" => self.most_retained = declared::number(value, 0, 100_000)?,
            "most_subscriptions" => self.most_subscriptions = declared::number(value, 1, 1000)?,
            "no_delay" => self.no_delay = declared::yes_or_no(value)?,
            "answers" => self.answers = declared::yes_or_no(value)?,
            _ => return None,
        }
        Some(())
    }
}

impl Settings {
    /// The defaults with pairs of option and value laid over them.
    ///
    /// # Errors
    /// When an option is not there or does not take the value.
    pub fn from_options(pairs: &[(&str, &str)]) -> Result<Self, OptionError> {
        Self::default().with_options(pairs)
    }
}
