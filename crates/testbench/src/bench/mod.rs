//! The virtual link bench: runs a suite's rows in virtual time, on all cores, and keeps them in a run folder.

mod edges;
mod keep;
mod row;
mod run;

pub use edges::VirtualEdges;
pub use keep::{LinkFolder, LinkManifest, RowEntry, StageEntry, spans_table};
pub use row::{Measure, RowResult, simulate_row};
pub use run::{BenchRun, run};
