//! What client and server are told.

use units::{PS_PER_S, Picoseconds};

use super::{BLOCK_BYTES, MOST_BLOCK_BYTES, MOST_STREAMS, PORT};
use crate::bulk::{self, Amount};
use crate::options::{self, Values, option, to};
use crate::{Declared, IpEndpoint, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Port, Size};

const DEFAULT_AMOUNT: Amount = Amount::Time(Picoseconds::new(10 * PS_PER_S));

/// The settings of [`super::Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where iperf3 -s listens.", "192.168.1.20:5201"),
    option("time", Duration, "10s", "How long the test lasts.", "5s"),
    option("send", Size(1, u64::MAX), "", "How much passes, instead of how long.", "10MB"),
    option("reverse", Flag, "false", "Whether the server sends, and not the client.", "true"),
    option("parallel", Count(1, MOST_STREAMS as u64), "1", "How many streams at a time.", "4"),
    option("block", Size(1, MOST_BLOCK_BYTES as u64), "131072B", "How much is sent at a time.", "1460B"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
    option("timeout", Duration, "10s", "How long to wait for each step of the server.", "2s"),
];

/// The settings of [`super::Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5201", "The TCP port to listen on.", "5211"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`super::Client`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// How much, or how long, is sent.
    pub amount: Amount,
    /// Whether the server sends.
    pub reverse: bool,
    /// How many streams at a time; kept between 1 and 128.
    pub parallel: u32,
    /// How much is sent at a time; kept between 1 B and 1 MiB.
    pub block_bytes: u32,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
    /// How long to wait for each step of the server, and for bytes when so many are to pass.
    pub timeout: Picoseconds,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            amount: DEFAULT_AMOUNT,
            reverse: false,
            parallel: 1,
            block_bytes: BLOCK_BYTES,
            interval: Some(Picoseconds::new(PS_PER_S)),
            timeout: Picoseconds::new(10 * PS_PER_S),
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            amount: bulk::amount(values)?.unwrap_or(DEFAULT_AMOUNT),
            reverse: values.read("reverse", options::switch)?,
            parallel: values.read("parallel", options::parsed)?,
            block_bytes: values.read("block", options::size)?,
            interval: Some(values.read("interval", options::time)?),
            timeout: values.read("timeout", options::time)?,
        })
    }
}

/// The settings of [`super::Server`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerSettings {
    /// The port to listen on.
    pub port: u16,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { port: PORT, interval: Some(Picoseconds::new(PS_PER_S)) }
    }
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
        })
    }
}
