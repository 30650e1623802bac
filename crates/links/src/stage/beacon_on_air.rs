//! An access point's beacon in the way of a frame: one that is on the air already, or that comes while the frame contends.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// Waits for a beacon to end.
#[derive(Debug, Clone)]
pub struct BeaconOnAir {
    interval: Picoseconds,
    air: Picoseconds,
    access: Picoseconds,
}

impl BeaconOnAir {
    /// One of `air` in each `interval`; a frame contends for `access` on average.
    pub fn new(interval: Picoseconds, air: Picoseconds, access: Picoseconds) -> Self {
        Self { interval, air, access }
    }
}

impl Stage for BeaconOnAir {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("beacon in the way", Cause::Protocol)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let since = visit.random.time_below(self.interval);
        let wait = match since {
            since if since < self.air => self.air - since,
            since if since < self.air + self.access => self.air,
            _ => Picoseconds::ZERO,
        };
        Passage::Leave { part: 0, at: visit.now + wait }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        let share = |time: Picoseconds| time.ps() as f64 / self.interval.ps() as f64;
        budget.add_weighted(0, self.air, share(self.air) / 2.0 + share(self.access));
    }
}
