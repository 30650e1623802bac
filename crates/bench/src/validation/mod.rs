//! The ledger: every link model against real captures. Rules say which capture was made with which link and
//! settings; a model is run with all clock phases unknown, and with the phases of that very capture.

mod explain;
mod fit;
mod leave_one_out;
mod ledger;
mod locked;
mod observed;
mod plan;
mod refit;
mod rules;
mod waits;

pub use explain::{CaptureQuestion, ExplainError, Explained, explain};
pub use fit::{FittedPhase, fit_phases};
pub use leave_one_out::LeftOut;
pub use ledger::{Case, Class, LedgerRow, Mode};
pub use observed::Observed;
pub use plan::{Ledger, LedgerError, Plan, PlannedCapture, STEPS_PER_CAPTURE, plan, validate};
pub use rules::{CaptureRule, rule_of};
