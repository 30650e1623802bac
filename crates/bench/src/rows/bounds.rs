//! The bounds of a row, held against what was measured of it.

use serde::Serialize;

use super::RowResult;
use crate::suite::{Bounded, RowBound};
use crate::targets::Facts;

/// A bound in a manifest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundEntry {
    /// The figure, as the suite names it.
    pub quantity: &'static str,
    /// `<=`, `<`, `>=` or `>`.
    pub relation: &'static str,
    /// The limit.
    pub limit: f64,
    /// The unit of limit and figure; 1 of a share.
    pub unit: &'static str,
    /// The figure; nothing where there is none, and then the bound is broken.
    pub measured: Option<f64>,
    /// Whether the figure keeps it.
    pub holds: bool,
}

impl BoundEntry {
    /// All bounds of a row, in the order of the suite.
    pub(super) fn of(result: &RowResult) -> Vec<Self> {
        result.row.bounds.iter().map(|bound| Self::one(bound, result)).collect()
    }

    fn one(row_bound: &RowBound, result: &RowResult) -> Self {
        let RowBound { name, bounded, bound } = *row_bound;
        let measured = measured(bounded, result);
        Self {
            quantity: name,
            relation: bound.relation.sign(),
            limit: bound.limit,
            unit: bounded.unit(),
            measured,
            holds: measured.is_some_and(|measured| bound.holds(measured)),
        }
    }
}

/// The figure that a bound is on, in its unit.
fn measured(bounded: Bounded, result: &RowResult) -> Option<f64> {
    let sizes = || match &result.entry.facts {
        Facts::Board(board) => Some(board.firmware.sizes),
        _ => None,
    };
    match bounded {
        Bounded::Latency(name) => {
            let figures = result.statistics.summary.as_ref()?.by_name();
            figures.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
        }
        Bounded::Rate(_) => result.figure.map(|figure| figure.value),
        Bounded::Loss => loss(result),
        Bounded::Flash => sizes()?.flash_bytes.map(f64::from),
        Bounded::Ram => sizes()?.ram_bytes.map(f64::from),
        Bounded::Energy => match &result.entry.facts {
            Facts::Link(link) => link.energy?.with_interval_j(),
            Facts::Board(board) => board.energy.as_ref()?.message_j,
            _ => None,
        },
    }
}

/// Lost messages by all; counted first, so that one of a thousand is the nearest number to 0.1 %.
fn loss(result: &RowResult) -> Option<f64> {
    let sent = result.outcomes.triggers();
    (sent > 0).then(|| (sent - result.outcomes.paired) as f64 / sent as f64)
}
