//! What happens once for all messages that come at the same time, such as the frame with which a station says that it
//! is awake: the first of them goes through the stage, the others wait for it.

use units::Picoseconds;

use super::{GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A stage that the messages of a burst go through as one.
#[derive(Debug)]
pub struct OncePerBurst<S> {
    stage: S,
    /// The message that goes through for all, and when it came.
    first: Option<(u64, Picoseconds)>,
    /// What the stage said of it last.
    last: Passage,
}

impl<S: Stage> OncePerBurst<S> {
    /// `stage`, once for messages of the same time.
    pub fn new(stage: S) -> Self {
        Self { stage, first: None, last: Passage::Wait { until: Picoseconds::ZERO } }
    }
}

impl<S: Stage> Stage for OncePerBurst<S> {
    fn parts(&self) -> Vec<Part> {
        self.stage.parts()
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        match self.first {
            Some((first, entered)) if entered == visit.entered && first != visit.message => match self.last {
                Passage::Leave { part, at } if at <= visit.now => Passage::Leave { part, at: visit.now },
                Passage::Lost { part, at } if at <= visit.now => Passage::Lost { part, at: visit.now },
                Passage::Wait { until } | Passage::Stay { until, .. } => Passage::Wait { until },
                Passage::Leave { at, .. } | Passage::Lost { at, .. } => Passage::Wait { until: at },
            },
            _ => {
                self.first = Some((visit.message, visit.entered));
                self.last = self.stage.pass(visit);
                self.last
            }
        }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        self.stage.budget(load, budget);
    }

    fn budget_of_loss(&self, load: &Load, budget: &mut Budget<'_>) {
        self.stage.budget_of_loss(load, budget);
    }

    fn loss(&self, load: &Load) -> f64 {
        self.stage.loss(load)
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        self.stage.gates()
    }
}
