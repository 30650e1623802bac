//! What the client is told.

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use crate::options::{self, Values, option, to};
use crate::pingpong::Payload;
use crate::{Declared, IpEndpoint, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Size, Word};

/// Datagrams of one run, also of one that ends by time: each leaves a sample.
const MOST_DATAGRAMS: u64 = 10_000_000;
/// What one Ethernet frame of 1500 bytes holds beside the headers of IPv4 and UDP.
const MOST_BYTES: u64 = 1500 - 20 - 8;

/// The settings of [`super::Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server is.", "192.168.1.20:5000"),
    option("rounds", Count(1, MOST_DATAGRAMS), "1000", "How many datagrams to send.", "100"),
    option(
        "duration",
        Duration,
        "",
        "For how long to send datagrams, instead of how many; with both, whichever ends first.",
        "10s",
    ),
    option(
        "rate",
        Count(1, 1_000_000),
        "",
        "Datagrams a second at fixed times, whether or not answers come; latency counts from those times.",
        "200",
    ),
    option(
        "payload",
        Word(&["bytes", "counter"]),
        "bytes",
        "What a datagram holds: bytes with sequence number and CRC, or a decimal number.",
        "counter",
    ),
    option(
        "answer",
        Word(&["same", "any"]),
        "same",
        "What an answer holds: the datagram itself (of a counter the next number), or anything: then it belongs to the oldest datagram \
         without one.",
        "any",
    ),
    option("first_number", Count(0, u64::MAX), "1", "The first number of the counter.", "100"),
    option("size", Size(8, MOST_BYTES), "12B", "The size of a datagram of bytes.", "128B"),
    option("seed", Count(0, u64::MAX), "0", "Determines the bytes of datagrams.", "7"),
    option(
        "think_time",
        Duration,
        "0s",
        "Pause between an answer and the next datagram; not with rate.",
        "10ms",
    ),
    option("timeout", Duration, "1s", "How long an answer may take; a later one is late.", "500ms"),
];

/// The settings of [`super::Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server is.
    pub to: IpEndpoint,
    /// How many datagrams to send at most.
    pub rounds: u64,
    /// For how long to send them.
    pub duration: Option<Picoseconds>,
    /// Datagrams a second at fixed times (open loop); without it an answer or its time-out is followed by the next datagram.
    pub rate: Option<u32>,
    /// What a datagram holds, and what its answer.
    pub payload: Payload,
    /// Whether any datagram from the server is an answer, to the oldest datagram without one.
    pub takes_any_answer: bool,
    /// Pause between an answer and the next datagram in a closed loop.
    pub think_time: Picoseconds,
    /// How long an answer may take; a later one is late.
    pub timeout: Picoseconds,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            rounds: 1000,
            duration: None,
            rate: None,
            payload: Payload::Bytes { bytes: 12, seed: 0 },
            takes_any_answer: false,
            think_time: Picoseconds::ZERO,
            timeout: Picoseconds::new(PS_PER_S),
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let start = values.read("first_number", options::parsed)?;
        let counter = Payload::Counter { start, newline: false };
        let to = values.read("to", |text| options::endpoint(text, PORT))?;
        let bytes = options::fitting("size", values.read("size", options::size)?, to.address)?;
        let seed = values.read("seed", options::parsed)?;
        let duration = values.read_if_set("duration", options::time)?;
        let ends_by_time = duration.is_some() && !values.is_given("rounds");
        let rounds = values.read("rounds", options::parsed)?;
        if values.is_given("rate") {
            values.have_no_use(
                &["think_time"],
                "no datagram waits for an answer where rate says when it leaves",
            )?;
        }
        match values.text("payload") {
            "counter" => values.have_no_use(&["size"], "the payload is a counter")?,
            _ => values.have_no_use(&["first_number"], "the payload is no counter")?,
        }
        Ok(Self {
            to,
            rounds: if ends_by_time { MOST_DATAGRAMS } else { rounds },
            duration,
            rate: values.read_if_set("rate", options::parsed)?,
            payload: values
                .choose("payload", &[("bytes", Payload::Bytes { bytes, seed }), ("counter", counter)])?,
            takes_any_answer: values.choose("answer", &[("same", false), ("any", true)])?,
            think_time: values.read("think_time", options::time)?,
            timeout: values.read("timeout", options::time)?,
        })
    }
}
