//! A row's boards are run once more and looked at: what is seen goes to crate `attribution`, which says where the time went.

mod cpu;
mod energy;
mod table;
mod trace;
mod wire;
mod witness;

pub(super) use energy::Metered;
pub(super) use table::spans_table;
pub use trace::HEAVY_TAIL;
pub(super) use trace::{RowBudget, budget_of};
