//! Other stations' frames on a Wi-Fi channel: a frame that finds the channel busy waits for the rest of what is on the air,
//! and for whole exchanges of others that win it next. Collisions with them, and bursts of them, are left out.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A frame never loses the channel more often in a row.
const MOST_LOST: u32 = 200;

/// Waits while others have the channel.
#[derive(Debug, Clone)]
pub struct BusyChannel {
    busy: f64,
    exchange: Picoseconds,
}

impl BusyChannel {
    /// Others hold the channel for the share `busy` of the time, with exchanges that each take `exchange`.
    pub fn new(busy: f64, exchange: Picoseconds) -> Self {
        Self { busy, exchange }
    }
}

impl Stage for BusyChannel {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("others' frames on the channel", Cause::Protocol)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        if self.busy <= 0.0 || !visit.random.chance(self.busy) {
            return Passage::Leave { part: 0, at: visit.now };
        }
        let mut at = visit.now + visit.random.time_below(self.exchange);
        for _ in 0..MOST_LOST {
            if !visit.random.chance(self.busy) {
                break;
            }
            at = at + self.exchange;
        }
        Passage::Leave { part: 0, at }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        let mean_lost: f64 = (1..=MOST_LOST).map(|n| libm::pow(self.busy, f64::from(n))).sum();
        budget.add_weighted(0, self.exchange, self.busy * (0.5 + mean_lost));
    }
}
