//! The ledger: every link model against real captures. Rules say which capture was made with which link and
//! settings; a model is run with all clock phases unknown, and with the phases of that very capture.

mod fit;
mod ledger;
mod observed;
mod rules;

pub use fit::{FittedPhase, fit_phases};
pub use ledger::{Class, LedgerRow, Mode, validate_capture};
pub use observed::Observed;
pub use rules::{CaptureRule, rule_of};
