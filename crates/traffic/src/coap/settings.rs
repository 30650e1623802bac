//! What the CoAP server holds and how it misbehaves for tests, with the table of its options.

use units::Picoseconds;

use crate::declared::{self, Declared};
use crate::outbox::seconds;
use crate::{OptionError, ServiceOption};

/// RFC 7252 section 6.1.
const PORT: u16 = 5683;

/// How the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where it listens.
    pub port: u16,
    /// What /hello says.
    pub hello: String,
    /// Size of /large.
    pub large_bytes: usize,
    /// The greatest block: 16 to 1024 bytes, a power of two.
    pub block_bytes: usize,
    /// How much one entry of /store may hold, also while it arrives in blocks.
    pub most_store_bytes: usize,
    /// Entries of /store.
    pub most_entries: usize,
    /// Observers of all resources.
    pub most_observers: usize,
    /// How often /ticks changes and tells its observers.
    pub tick: Picoseconds,
    /// Whether notifications are confirmable.
    pub confirmable_notifications: bool,
    /// Acknowledges a confirmable request at once and responds so much later; zero responds in the acknowledgement.
    pub separate: Picoseconds,
    /// Time from request to answer, of whichever kind.
    pub delay: Picoseconds,
    /// Time to the first retransmission; it doubles each time.
    pub ack_timeout: Picoseconds,
    /// Retransmissions of a confirmable message.
    pub max_retransmit: u8,
    /// Whether anything is answered.
    pub answers: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            port: PORT,
            hello: "Hello world!".to_owned(),
            large_bytes: 4096,
            block_bytes: 1024,
            most_store_bytes: 65_536,
            most_entries: 64,
            most_observers: 64,
            tick: seconds(1),
            confirmable_notifications: true,
            separate: Picoseconds::ZERO,
            delay: Picoseconds::ZERO,
            ack_timeout: seconds(2),
            max_retransmit: 4,
            answers: true,
        }
    }
}

/// The options of the CoAP server.
pub const OPTIONS: &[ServiceOption] = &[
    ServiceOption {
        name: "port",
        takes: "a UDP port",
        default: "5683",
        help: "Where the server listens.",
        example: "15683",
    },
    ServiceOption {
        name: "hello",
        takes: "a text",
        default: "Hello world!",
        help: "What /hello says.",
        example: "hi",
    },
    ServiceOption {
        name: "large_bytes",
        takes: "1 to 1048576",
        default: "4096",
        help: "Size of /large, which goes out in blocks.",
        example: "10000",
    },
    ServiceOption {
        name: "block_bytes",
        takes: "16, 32, 64, 128, 256, 512 or 1024",
        default: "1024",
        help: "The greatest block; a client may ask for smaller ones.",
        example: "64",
    },
    ServiceOption {
        name: "most_store_bytes",
        takes: "1 to 1048576",
        default: "65536",
        help: "How much one entry of /store may hold.",
        example: "1024",
    },
    ServiceOption {
        name: "most_entries",
        takes: "1 to 1000",
        default: "64",
        help: "Entries of /store; more are refused.",
        example: "2",
    },
    ServiceOption {
        name: "most_observers",
        takes: "0 to 1000",
        default: "64",
        help: "Observers of all resources; more are answered once.",
        example: "1",
    },
    ServiceOption {
        name: "tick",
        takes: "a duration of 1 ms or more",
        default: "1 s",
        help: "How often /ticks counts on and tells its observers.",
        example: "100ms",
    },
    ServiceOption {
        name: "confirmable_notifications",
        takes: "yes or no",
        default: "yes",
        help: "Whether observers have to acknowledge notifications.",
        example: "no",
    },
    ServiceOption {
        name: "separate",
        takes: "a duration",
        default: "0 s",
        help: "Acknowledges a confirmable request at once and responds so much later; 0 s responds in the acknowledgement.",
        example: "500ms",
    },
    ServiceOption {
        name: "delay",
        takes: "a duration",
        default: "0 s",
        help: "Time from a request to whatever answers it.",
        example: "3s",
    },
    ServiceOption {
        name: "ack_timeout",
        takes: "a duration of 1 ms or more",
        default: "2 s",
        help: "Time to the first retransmission of a confirmable message; it doubles each time.",
        example: "1s",
    },
    ServiceOption {
        name: "max_retransmit",
        takes: "0 to 10",
        default: "4",
        help: "Retransmissions of a confirmable message.",
        example: "2",
    },
    ServiceOption {
        name: "answers",
        takes: "yes or no",
        default: "yes",
        help: "Whether anything is answered.",
        example: "no",
    },
];

/// Times that something recurs in, so that no machine wakes without end.
fn period(value: &str) -> Option<Picoseconds> {
    declared::duration(value).filter(|period| *period >= Picoseconds::new(units::PS_PER_MS))
}

impl Declared for Settings {
    const SERVICE: &'static str = "coap";
    const OPTIONS: &'static [ServiceOption] = OPTIONS;

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "port" => self.port = declared::number(value, 1, u16::MAX)?,
            "hello" => value.clone_into(&mut self.hello),
            "large_bytes" => self.large_bytes = declared::number(value, 1, 1 << 20)?,
            "block_bytes" => {
                self.block_bytes =
                    declared::number(value, 16, 1024).filter(|bytes: &usize| bytes.is_power_of_two())?;
            }
            "most_store_bytes" => self.most_store_bytes = declared::number(value, 1, 1 << 20)?,
            "most_entries" => self.most_entries = declared::number(value, 1, 1000)?,
            "most_observers" => self.most_observers = declared::number(value, 0, 1000)?,
            "tick" => self.tick = period(value)?,
            "confirmable_notifications" => self.confirmable_notifications = declared::yes_or_no(value)?,
            "separate" => self.separate = declared::duration(value)?,
            "delay" => self.delay = declared::duration(value)?,
            "ack_timeout" => self.ack_timeout = period(value)?,
            "max_retransmit" => self.max_retransmit = declared::number(value, 0, 10)?,
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

    /// The greatest block as RFC 7959's exponent.
    pub(super) fn block_exponent(&self) -> u8 {
        (self.block_bytes.ilog2() as u8).saturating_sub(4)
    }
}
