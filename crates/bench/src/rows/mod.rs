//! The virtual bench: runs a suite's rows of links and boards in virtual time, on all cores, and keeps them in a run folder.

mod boards;
mod edges;
mod keep;
mod row;
mod run;

pub use boards::{BoardRun, run_boards};
pub use edges::VirtualEdges;
pub use keep::{
    PublishedMedianEntry, RowEntry, StageEntry, SuiteFolder, SuiteManifest, SuiteRow, link_spans,
};
pub use row::{Measure, RowResult, simulate_row};
pub use run::{BenchRun, run};
