//! What every measurement leaves behind, whatever was measured: the run folder with its tables, and the statistics of
//! samples. [`Control`] stops a measurement from another thread and tells how far it is.

mod control;
pub mod run_folder;
mod sample;
mod statistics;

pub use control::{Control, Seen};
pub use sample::{Exchange, Outcome, Sample, Samples};
pub use statistics::{IntervalReport, Statistics, statistics};
