//! What the CoAP server holds and how it misbehaves for tests, with the table of its options.

use units::Picoseconds;

use crate::options::{self, Values, option};
use crate::outbox::seconds;
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Flag, Period, Port, Text, Word};

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
pub const OPTIONS: &[Field] = &[
    option("port", Port, "5683", "Where the server listens.", "15683"),
    option("hello", Text("a text"), "Hello world!", "What /hello says.", "hi"),
    option("large_bytes", Count(1, 1_048_576), "4096", "Size of /large, which goes out in blocks.", "10000"),
    option(
        "block_bytes",
        Word(&["16", "32", "64", "128", "256", "512", "1024"]),
        "1024",
        "The greatest block; a client may ask for smaller ones.",
        "64",
    ),
    option(
        "most_store_bytes",
        Count(1, 1_048_576),
        "65536",
        "How much one entry of /store may hold.",
        "1024",
    ),
    option("most_entries", Count(1, 1000), "64", "Entries of /store; more are refused.", "2"),
    option(
        "most_observers",
        Count(0, 1000),
        "64",
        "Observers of all resources; more are answered once.",
        "1",
    ),
    option("tick", Period, "1 s", "How often /ticks counts on and tells its observers.", "100ms"),
    option(
        "confirmable_notifications",
        Flag,
        "true",
        "Whether observers have to acknowledge notifications.",
        "false",
    ),
    option(
        "separate",
        Duration,
        "0 s",
        "Acknowledges a confirmable request at once and responds so much later; 0 s responds in the acknowledgement.",
        "500ms",
    ),
    option("delay", Duration, "0 s", "Time from a request to whatever answers it.", "3s"),
    option(
        "ack_timeout",
        Period,
        "2 s",
        "Time to the first retransmission of a confirmable message; it doubles each time.",
        "1s",
    ),
    option("max_retransmit", Count(0, 10), "4", "Retransmissions of a confirmable message.", "2"),
    option("answers", Flag, "true", "Whether anything is answered.", "false"),
];

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            hello: values.text("hello").to_owned(),
            large_bytes: values.read("large_bytes", options::parsed)?,
            block_bytes: values.read("block_bytes", options::parsed)?,
            most_store_bytes: values.read("most_store_bytes", options::parsed)?,
            most_entries: values.read("most_entries", options::parsed)?,
            most_observers: values.read("most_observers", options::parsed)?,
            tick: values.read("tick", options::time)?,
            confirmable_notifications: values.read("confirmable_notifications", options::switch)?,
            separate: values.read("separate", options::time)?,
            delay: values.read("delay", options::time)?,
            ack_timeout: values.read("ack_timeout", options::time)?,
            max_retransmit: values.read("max_retransmit", options::parsed)?,
            answers: values.read("answers", options::switch)?,
        })
    }
}

impl Settings {
    /// The greatest block as RFC 7959's exponent.
    pub(super) fn block_exponent(&self) -> u8 {
        (self.block_bytes.ilog2() as u8).saturating_sub(4)
    }
}
