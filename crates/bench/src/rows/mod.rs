//! Rows of a suite, whatever they are run on: one driver that runs a row and says when it has enough, one scheduler that has
//! all cores busy, and one keeper that puts what was measured into a run folder in the order of the suite.

mod bounds;
mod entry;
mod figure;
mod keep;
mod measure;
mod result;
mod room;
mod schedule;

use std::sync::Arc;

use crate::suite::Row;
use crate::target::Recipe;

pub use bounds::BoundEntry;
pub use entry::{
    FigureEntry, LatencyEntry, PublishedEntry, PublishedFigureEntry, PublishedMedianEntry, RowEntry,
    SameButEntry, TimesEntry,
};
pub use figure::{Figure, MedianInterval};
pub use keep::{SuiteFolder, SuiteManifest};
pub use measure::{Measure, measure_row};
pub use result::{LatencyFigures, RowResult};
pub use room::check_room;
pub use schedule::{BenchRun, run, run_into, steps};

/// A row that can be run.
#[derive(Debug, Clone)]
pub struct ReadyRow {
    /// What was asked.
    pub row: Row,
    /// What it is run on.
    pub recipe: Arc<dyn Recipe>,
}
