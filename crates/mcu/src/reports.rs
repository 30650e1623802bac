//! What a chip says of a run that ended, in words. It alone knows its instructions and its registers; whoever asks gets
//! sentences and a text.

use units::Picoseconds;

use crate::image::Symbols;
use crate::{Fault, Stop};

/// A fault with all that a user needs to find its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultReport {
    /// When.
    pub at: Picoseconds,
    /// The whole report; its first line is what happened, in a sentence.
    pub text: String,
}

/// Sentences on a run that came back.
pub trait Reports {
    /// The last fault.
    fn fault(&self) -> Option<Fault>;

    /// The report of a fault. Best right after the run that came back with it: the stack changes when it goes on.
    fn fault_report(&self, symbols: &Symbols, fault: Fault) -> FaultReport;

    /// Why a run stopped, in a sentence without the time.
    fn describe_stop(&self, symbols: &Symbols, stop: Stop) -> String;

    /// What the cores are doing, in half a sentence each.
    fn describe_cores(&self, symbols: &Symbols) -> String;

    /// What could come from outside and wake a core that sleeps, such as `uart0 receives`.
    fn wakes_from_outside(&self) -> Vec<String> {
        Vec::new()
    }

    /// What a user should know of how the image treats the chip, in whole sentences.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Why nothing runs: the clock of the processor stands, from where it should come, and what would start it; in half a
    /// sentence.
    fn describe_stopped_clock(&self) -> Option<String> {
        None
    }

    /// Which core is caught in an instruction that branches to itself, and where, in half a sentence.
    fn describe_hang(&self, symbols: &Symbols) -> Option<String>;

    /// The status of an image that ended itself by what looks like this fault.
    fn end_status(&self, fault: Fault) -> Option<u32>;
}
