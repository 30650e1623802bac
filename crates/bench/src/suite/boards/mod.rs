//! Rows of a suite that run firmware on a virtual board: what is asked, as the suite says it. Nothing is read from files
//! here but the suite itself; `targets::board` brings firmware, boards and networks to it.

mod differences;
mod entry;
mod fields;
mod lines;
mod peer;
mod pin_trigger;
mod read_published;
pub(super) mod schema;
mod toml_text;

use std::collections::BTreeMap;

pub(super) use entry::board_rows;
pub use fields::BOARD_FIELDS;
use lan::{NetworkSetup, TrafficSetup};
pub use lines::{LinePin, LineSetup};
pub use peer::PeerSetup;
pub use pin_trigger::PinTrigger;

/// The board of an entry, or of a peer, that names none.
const DEFAULT_BOARD: &str = "w5500-evb-pico";

/// What is run: what a comparison may differ in.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardSetup {
    /// The board: a name, or a file.
    pub board: String,
    /// The image's file.
    pub firmware: String,
    /// An ELF of the same build, for an image without names.
    pub symbols: Option<String>,
    /// Settings of the image that are changed.
    pub settings: BTreeMap<String, String>,
    /// The network.
    pub network: NetworkSource,
    /// What runs on the PC beside its servers, as the suite has it.
    pub traffic: Vec<TrafficSetup>,
    /// The board in the place of the PC.
    pub peer: Option<PeerSetup>,
    /// The serial lines to it, in the place of a wire between chips with Ethernet.
    pub lines: Vec<LineSetup>,
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
