//! The kinds of target, each behind [`Target`](crate::target::Target): capture files, models of links, virtual boards with
//! the PC or with another board, and boards at an address. A new kind is a file here and a line in [`ready_rows`]. [`mock`] is for tests alone.

pub mod address;
pub mod board;
pub mod capture;
mod exchanges;
pub mod link;
mod link_edges;
pub mod mock;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

pub use board::ImagePlaces;
pub use link_edges::VirtualEdges;

use crate::rows::ReadyRow;
use crate::suite::{Suite, SuiteError, TargetSetup};
use crate::target::Recipe;

/// What a manifest says of a target that others of its kind have as well, and those of other kinds have not.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Facts {
    /// Of the model of a link.
    Link(Box<link::LinkFacts>),
    /// Of virtual boards.
    Board(Box<board::BoardFacts>),
    /// Of a board at an address.
    Address(Box<address::AddressFacts>),
    /// Of a capture file.
    Capture(Box<capture::CaptureFacts>),
    /// Of a kind without a type of its own.
    Other(BTreeMap<String, serde_json::Value>),
}

impl Facts {
    /// The value that a setting had, by the name that comparisons have for it.
    pub fn setting(&self, name: &str) -> Option<String> {
        match self {
            Self::Link(link) => link.settings.get(name).cloned(),
            Self::Board(board) => board.setting(name),
            Self::Address(_) | Self::Capture(_) | Self::Other(_) => None,
        }
    }
}

/// Brings the rows of a suite together with all that they need from files, before the first one runs: a mistake in the last
/// one costs no time. `firmware` is where images are looked for.
///
/// # Errors
/// When an image, a board or a network is missing or cannot be used as the row says; the message names file and line.
pub fn ready_rows(suite: &Suite, firmware: &ImagePlaces) -> Result<Vec<ReadyRow>, SuiteError> {
    let mut boards = board::Places::new(suite, firmware);
    let ready = suite.rows.iter().map(|row| {
        let recipe: Arc<dyn Recipe> = match &row.target {
            TargetSetup::Link(setup) => Arc::new(setup.clone()),
            TargetSetup::Board(setup) => Arc::new(boards.prepare(row, setup)?),
            TargetSetup::Address(setup) => Arc::new(address::ReadyAddress::prepare(row, setup)?),
            TargetSetup::Other => unreachable!("a suite names links, boards and addresses"),
        };
        Ok(ReadyRow { row: row.clone(), recipe })
    });
    ready.collect()
}
