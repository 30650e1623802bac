//! Rows of a suite that run firmware on a virtual board: what is asked, as the suite says it. Nothing is read from files
//! here but the suite itself; `board_rows` brings firmware, boards and networks to it.

mod differences;
mod entry;
mod fields;
mod peer;
mod pin_trigger;
mod published;
mod read_published;
pub(crate) mod schema;
mod toml_text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use units::Picoseconds;

pub(super) use entry::board_rows;
pub use fields::BOARD_FIELDS;
pub use peer::PeerSetup;
pub use pin_trigger::PinTrigger;
pub use published::{Amount, Compare, Parts, Published, Statistic, Times};

use lan::{NetworkSetup, TrafficSetup};

/// The board of an entry, or of a peer, that names none.
const DEFAULT_BOARD: &str = "w5500-evb-pico";

/// A row that runs firmware on a board.
#[derive(Debug, Clone)]
pub struct BoardRow {
    /// Its name: entry and varied settings, such as `pingpong spi_hz=2000000`.
    pub name: String,
    /// The entry.
    pub entry: String,
    /// What it is called in a table.
    pub title: String,
    /// What is run.
    pub setup: BoardSetup,
    /// When it ends, and what is taken from it.
    pub measurement: Measurement,
    /// The row that it is compared with.
    pub same_but: Option<SameBut>,
    /// What others measured.
    pub published: Option<Published>,
    /// Where it stands, for errors.
    pub place: Place,
}

impl BoardRow {
    /// What of its latencies its figure is: what was published, else the median; nothing where it measures none.
    pub fn statistic(&self) -> Option<Statistic> {
        let published = self.published.as_ref().and_then(|published| published.statistic);
        (self.measurement.quantity == Quantity::Latency).then(|| published.unwrap_or(Statistic::Median))
    }
}

/// Where an entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The suite's file.
    pub path: PathBuf,
    /// The line of the entry.
    pub line: usize,
}

/// What is run: what a comparison may differ in.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardSetup {
    /// The board: a name, or a file.
    pub board: String,
    /// The image's file.
    pub firmware: String,
    /// Settings of the image that are changed.
    pub settings: BTreeMap<String, String>,
    /// The network.
    pub network: NetworkSource,
    /// What runs on the PC beside its servers, as the suite has it.
    pub traffic: Vec<TrafficSetup>,
    /// The board in the place of the PC.
    pub peer: Option<PeerSetup>,
    /// Edges that are messages to the peer.
    pub trigger: Option<PinTrigger>,
}

/// Where a network comes from.
#[derive(Debug, Clone)]
pub enum NetworkSource {
    /// A PC that runs every server, on a cable.
    Default,
    /// A network file.
    File(String),
    /// In the suite itself, with its text.
    Inline(Box<NetworkSetup>, String),
}

impl NetworkSource {
    /// As it stands in a sentence and in the manifest.
    pub fn text(&self) -> &str {
        match self {
            Self::Default => "default",
            Self::File(path) => path,
            Self::Inline(_, text) => text,
        }
    }
}

impl PartialEq for NetworkSource {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// What is taken from a row, and when that is enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// What is told of it.
    pub quantity: Quantity,
    /// The client or server whose messages count; by default the first client, or the server that answered most.
    pub of: Option<String>,
    /// Messages that are left out at the start.
    pub skip: u64,
    /// The row ends after so many that count.
    pub samples: Option<u64>,
    /// The row ends when the interval of its figure is no wider to either side than this share of it.
    pub stop_within: Option<f64>,
    /// The row ends at this virtual time at the latest.
    pub limit: Picoseconds,
}

/// What is told of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Messages per second.
    Messages,
    /// Requests per second.
    Requests,
    /// The time of a message.
    Latency,
    /// Bits per second.
    Bulk,
}

impl Quantity {
    /// Names as in suites.
    pub const ALL: [(&'static str, Self); 4] = [
        ("messages", Self::Messages),
        ("requests", Self::Requests),
        ("latency", Self::Latency),
        ("bulk", Self::Bulk),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, quantity)| *quantity == self).expect("every quantity has a name").0
    }

    /// The unit that its figures are kept in.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Messages => "messages/s",
            Self::Requests => "requests/s",
            Self::Latency => "ps",
            Self::Bulk => "bit/s",
        }
    }
}

/// The row that another is compared with: exactly one thing differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameBut {
    /// The row's name.
    pub row: String,
    /// What differs: a setting, `firmware`, `board`, `network`, `traffic` or `peer`, or of two peers `peer.firmware` and its like.
    pub what: String,
    /// Its value here; nothing where it is the image's own.
    pub here: Option<String>,
    /// Its value there.
    pub there: Option<String>,
}
