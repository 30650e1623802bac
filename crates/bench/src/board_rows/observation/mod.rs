//! A row's boards are run once more and looked at: what is seen goes to crate `attribution`, which says where the time went.

mod cpu;
mod trace;
mod wire;
mod witness;

pub use trace::{HEAVY_TAIL, RowBudget, budget_of};
