//! A frame on the air among others: bursts of interference come at random, and a frame that meets one is lost. The
//! longer a frame, the more it meets. Bursts that come in groups, and frames that survive one, are left out.

use units::{PS_PER_S, Picoseconds};

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A time on the air that depends on the load, during which the frame can be hit.
pub struct Exposed<F> {
    part: Part,
    time: F,
    bursts_per_second: f64,
}

impl<F: Fn(&Load) -> Picoseconds> Exposed<F> {
    /// `bursts_per_second` that would destroy a frame come on average.
    pub fn new(name: impl Into<String>, time: F, bursts_per_second: f64) -> Self {
        Self { part: Part::new(name, Cause::Air), time, bursts_per_second }
    }

    fn hit(&self, load: &Load) -> f64 {
        let seconds = (self.time)(load).ps() as f64 / PS_PER_S as f64;
        -libm::expm1(-self.bursts_per_second * seconds)
    }
}

impl<F> std::fmt::Debug for Exposed<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = self.bursts_per_second;
        f.debug_struct("Exposed")
            .field("part", &self.part)
            .field("bursts_per_second", &rate)
            .finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> Picoseconds + Send> Stage for Exposed<F> {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let at = visit.now + (self.time)(&visit.load);
        if self.bursts_per_second > 0.0 && visit.random.chance(self.hit(&visit.load)) {
            return Passage::Lost { part: 0, at };
        }
        Passage::Leave { part: 0, at }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, (self.time)(load));
    }

    fn loss(&self, load: &Load) -> f64 {
        self.hit(load)
    }
}
