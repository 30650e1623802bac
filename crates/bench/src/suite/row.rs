//! One row of a suite: what it is run on, what is taken from it and when that is enough, and what it is compared with. That
//! part is the same whatever the target is.

use std::path::PathBuf;

use links::{Definition, Settings};
use units::Picoseconds;

use super::addresses::AddressSetup;
use super::boards::BoardSetup;
use super::bounds::RowBound;
use super::published::{Published, Statistic};
use super::trigger::Trigger;

/// What a suite asks once.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name: entry, varied settings and payload, such as `lora sf=9/128B`.
    pub name: String,
    /// The entry; of a link with its varied settings.
    pub entry: String,
    /// What it is called in a table.
    pub title: String,
    /// What it is run on.
    pub target: TargetSetup,
    /// When it ends, and what is taken from it.
    pub measurement: Measurement,
    /// The row that it is compared with.
    pub same_but: Option<SameBut>,
    /// What others measured.
    pub published: Option<Published>,
    /// What its figures are to keep.
    pub bounds: Vec<RowBound>,
    /// Where it stands, for errors.
    pub place: Place,
}

impl Row {
    /// What of its latencies its figure is: what was published, else the median; nothing where it measures none.
    pub fn statistic(&self) -> Option<Statistic> {
        let published = self.published.as_ref().and_then(|published| published.statistic);
        (self.measurement.quantity == Quantity::Latency).then(|| published.unwrap_or(Statistic::Median))
    }

    /// The link that it is run on, where it is one.
    pub fn link(&self) -> Option<&LinkSetup> {
        match &self.target {
            TargetSetup::Link(setup) => Some(setup),
            _ => None,
        }
    }

    /// The boards that it is run on, where they are some.
    pub fn board(&self) -> Option<&BoardSetup> {
        match &self.target {
            TargetSetup::Board(setup) => Some(setup),
            _ => None,
        }
    }

    /// The board at an address that it is run on, where it is one.
    pub fn address(&self) -> Option<&AddressSetup> {
        match &self.target {
            TargetSetup::Address(setup) => Some(setup),
            _ => None,
        }
    }

    /// Whether a user means this row by a name: the row's, the entry's, or the link's.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.name == name || self.entry == name || self.link().is_some_and(|setup| setup.link.name == name)
    }
}

/// What a row is run on.
#[derive(Debug, Clone)]
pub enum TargetSetup {
    /// The model of a link.
    Link(LinkSetup),
    /// A virtual board with the PC, or with another board.
    Board(Box<BoardSetup>),
    /// A board on the network of this computer.
    Address(Box<AddressSetup>),
    /// Something that no suite names, such as a capture file.
    Other,
}

/// A link, and what goes over it.
#[derive(Debug, Clone)]
pub struct LinkSetup {
    /// The link.
    pub link: &'static Definition,
    /// All settings.
    pub settings: Settings,
    /// The payload.
    pub payload_bytes: u32,
    /// When messages are triggered.
    pub trigger: Trigger,
}

/// Where an entry stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The suite's file.
    pub path: PathBuf,
    /// The line of the entry.
    pub line: usize,
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
    /// Whether those count after all where there are no others.
    pub skip_if_more: bool,
    /// The row ends after so many that count.
    pub samples: Option<u64>,
    /// The row ends when the interval of its figure is no wider to either side than this share of it.
    pub stop_within: Option<f64>,
    /// The row ends at this virtual time at the latest.
    pub limit: Picoseconds,
}

impl Measurement {
    /// How many of so many messages are left out.
    pub fn skipped_of(&self, messages: usize) -> u64 {
        if self.skip_if_more && messages as u64 <= self.skip { 0 } else { self.skip }
    }

    /// Latencies of all messages that there are.
    pub fn of_all() -> Self {
        Self { samples: None, ..Self::of_samples(0) }
    }

    /// Latencies of so many messages, however long that takes.
    pub fn of_samples(samples: u64) -> Self {
        Self {
            quantity: Quantity::Latency,
            of: None,
            skip: 0,
            skip_if_more: false,
            samples: Some(samples),
            stop_within: None,
            limit: Picoseconds::new(i64::MAX),
        }
    }
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
