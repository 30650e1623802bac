//! What becomes of a frame that was just on the air among interference: it takes no time, and loses the frame that was
//! hit.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;
use crate::site::Interference;

/// Loses frames that interference met; `on_air` is how long a frame was exposed to it.
pub struct Hit<F> {
    on_air: F,
    interference: Interference,
}

impl<F: Fn(&Load) -> Picoseconds> Hit<F> {
    /// The stage, where there is interference.
    pub fn where_there_is_some(interference: Interference, on_air: F) -> Option<Self> {
        interference.is_some().then_some(Self { on_air, interference })
    }
}

impl<F> std::fmt::Debug for Hit<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hit").field("interference", &self.interference).finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> Picoseconds + Send> Stage for Hit<F> {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("frame hit by interference", Cause::Retry)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let hit = self.interference.hit((self.on_air)(&visit.load));
        if visit.random.chance(hit) {
            Passage::Lost { part: 0, at: visit.now }
        } else {
            Passage::Leave { part: 0, at: visit.now }
        }
    }

    fn budget(&self, _load: &Load, _budget: &mut Budget<'_>) {}

    fn loss(&self, load: &Load) -> f64 {
        self.interference.hit((self.on_air)(load))
    }
}
