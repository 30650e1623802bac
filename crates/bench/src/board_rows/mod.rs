//! Rows of a suite that run firmware on a virtual board: firmware, board and network are brought together ([`prepare`]), the
//! board runs until enough was measured ([`run_row`]), and what was measured becomes samples and one figure with its
//! interval.
//!
//! What a suite says of such rows is in `suite/boards`; rows are kept in a run folder beside those of links.

mod edges;
mod figure;
mod keep;
mod observation;
mod peers;
mod prepare;
mod result;
mod rig;
mod rounds;
mod run;
mod tables;

pub use figure::Figure;
pub use keep::BoardEntry;
pub use observation::{HEAVY_TAIL, RowBudget, budget_of};
pub use prepare::{Firmware, ReadyBoard, ReadyRow, ReadyTrigger, prepare};
pub use result::{BoardRowResult, LatencyFigures, PeerResult};
pub use run::{STEPS, run_row};
pub use tables::{board_spans, samples_of};
