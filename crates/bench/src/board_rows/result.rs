//! What became of a row.

use std::collections::BTreeMap;

use ::capture::pairing::Outcomes;
use ::traffic::Sample;

use super::observation::RowBudget;
use super::{Figure, ReadyRow};
use crate::suite::{BoardRow, Compare, Statistic};
use record::Statistics;

/// A row that was run.
#[derive(Debug, Clone)]
pub struct BoardRowResult {
    /// What was asked, with all that came from files.
    pub ready: ReadyRow,
    /// Whose messages were taken, and of which kind it is.
    pub traffic: Option<(String, String)>,
    /// The messages that count.
    pub samples: Vec<Sample>,
    /// What their latencies say.
    pub statistics: Statistics,
    /// The figure of the row.
    pub figure: Option<Figure>,
    /// Of rows that measure latencies.
    pub latency: Option<LatencyFigures>,
    /// How the run ended, for people.
    pub ended: String,
    /// Why there is no figure, or not the one that was wanted.
    pub problem: Option<String>,
    /// The end of the run.
    pub end_ps: i64,
    /// What was counted on the board: shares and figures by name.
    pub counts: BTreeMap<&'static str, f64>,
    /// What was counted on the board in the place of the PC.
    pub peer: Option<PeerResult>,
    /// Where the time of some of its messages goes; nothing where none was answered.
    pub budget: Option<RowBudget>,
    /// What a user should know of how the board's chips were treated.
    pub notes: Vec<String>,
}

/// What is told of the same latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyFigures {
    /// Half of them are shorter.
    pub median: Figure,
    /// Their sum by their number.
    pub mean: Figure,
    /// The shortest.
    pub least_ps: i64,
    /// The longest.
    pub most_ps: i64,
    /// The mean of the time until the connection is there, and of what follows; nothing where not every message opens one.
    pub parts: Option<(f64, f64)>,
}

impl LatencyFigures {
    /// One of them.
    pub fn of(self, statistic: Statistic) -> Figure {
        match statistic {
            Statistic::Median => self.median,
            Statistic::Mean => self.mean,
        }
    }
}

/// What became of a peer.
#[derive(Debug, Clone)]
pub struct PeerResult {
    /// How its run ended, for people.
    pub ended: String,
    /// What was counted on it.
    pub counts: BTreeMap<&'static str, f64>,
}

impl BoardRowResult {
    /// What was asked.
    pub fn row(&self) -> &BoardRow {
        &self.ready.row
    }

    /// How many messages were answered rightly, and how many were not.
    pub fn outcomes(&self) -> Outcomes {
        let right = self.samples.iter().filter(|sample| sample.outcome == ::traffic::Outcome::Ok).count();
        Outcomes { paired: right as u64, missed: (self.samples.len() - right) as u64, ..Outcomes::default() }
    }

    /// This row's figure as a share of the published one, or of a published ratio its ratio to `other`, the figure of the row
    /// of `same_but`. A range of single messages is of no figure.
    pub fn share_of_published(&self, other: Option<f64>) -> Option<f64> {
        let published = self.row().published.as_ref()?;
        let quantity = self.row().measurement.quantity;
        if published.is_of_single_messages(quantity) {
            return None;
        }
        let own = self.figure?.value;
        let found = if published.compare == Compare::Ratio { own / other? } else { own };
        Some(published.in_unit_of(quantity)?.share(found))
    }
}
