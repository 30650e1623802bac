//! A receiver that looks at what has come in only at its own slots, but still takes what comes shortly after one.

use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// Waits for the receiver's next slot, unless one began within the grace.
#[derive(Debug)]
pub struct ReceiverSlot {
    part: Part,
    clock: GateClock,
    grace: Picoseconds,
}

impl ReceiverSlot {
    /// A wait named `wait` for the slots of a clock.
    pub fn new(wait: impl Into<String>, clock: GateClock, grace: Picoseconds) -> Self {
        Self { part: Part::new(wait, Cause::Gate), clock, grace }
    }
}

impl Stage for ReceiverSlot {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        self.clock.settle(visit.random);
        let slot = self.clock.next(visit.now - self.grace);
        Passage::Leave { part: 0, at: slot.max(visit.now) }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        // Evenly between 0 and what is left of the period, and 0 within the grace.
        let left = (self.clock.period() - self.grace).ps().max(0) as f64;
        budget.add_weighted(0, Picoseconds::new(1), left * left / 2.0 / self.clock.period().ps() as f64);
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}
