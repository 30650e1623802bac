//! A stage that only some frames pass; the others go by without a stay.

use super::{GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A stage with a condition.
pub struct When<P, S> {
    applies: P,
    stage: S,
}

impl<P: Fn(&Load) -> bool, S: Stage> When<P, S> {
    /// `stage` for the loads to which it `applies`.
    pub fn new(applies: P, stage: S) -> Self {
        Self { applies, stage }
    }
}

impl<P, S: std::fmt::Debug> std::fmt::Debug for When<P, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("When").field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl<P: Fn(&Load) -> bool + Send, S: Stage> Stage for When<P, S> {
    fn parts(&self) -> Vec<Part> {
        self.stage.parts()
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        if (self.applies)(&visit.load) {
            self.stage.pass(visit)
        } else {
            Passage::Leave { part: 0, at: visit.now }
        }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        if (self.applies)(load) {
            self.stage.budget(load, budget);
        }
    }

    fn budget_of_loss(&self, load: &Load, budget: &mut Budget<'_>) {
        if (self.applies)(load) {
            self.stage.budget_of_loss(load, budget);
        }
    }

    fn loss(&self, load: &Load) -> f64 {
        if (self.applies)(load) { self.stage.loss(load) } else { 0.0 }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        self.stage.gates()
    }
}
