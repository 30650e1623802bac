//! The virtual link bench: runs a suite's rows in virtual time, on all cores, and keeps them in a run folder.

mod boards;
mod edges;
mod keep;
mod row;
mod run;

pub use boards::{BoardRun, run_boards};
pub use edges::VirtualEdges;
pub use keep::{LinkFolder, LinkManifest, RowEntry, StageEntry, SuiteRow, spans_table};
pub use row::{Measure, RowResult, simulate_row};
pub use run::{BenchRun, run};
