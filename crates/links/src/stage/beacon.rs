//! Delivery to a Wi-Fi station that sleeps between beacons: the access point keeps the frame, announces it in the
//! next DTIM beacon whose map is still open, and hands it over once the station has asked for it. The station's
//! awake times after traffic of its own are left out.

use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// More beacons in a row are never missed.
const MOST_MISSED: u32 = 20;

/// Waits for the beacon that announces the frame.
#[derive(Debug, Clone)]
pub struct BeaconDelivery {
    clock: GateClock,
    lead: Picoseconds,
    missed: f64,
}

impl BeaconDelivery {
    /// `interval` lies between the beacons for which the station wakes; a frame is announced in the first of them that
    /// is at least `lead` away, and heard unless it is `missed`, a probability.
    pub fn new(interval: Picoseconds, lead: Picoseconds, missed: f64) -> Self {
        Self { clock: GateClock::new("beacon", interval), lead, missed }
    }
}

impl Stage for BeaconDelivery {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("wait for the beacon", Cause::Gate),
            Part::new("announcement closed before the beacon", Cause::Protocol),
            Part::new("beacon missed", Cause::Retry),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        self.clock.settle(visit.random);
        match visit.stays {
            0 => Passage::Stay { part: 0, until: self.clock.next(visit.now + self.lead) - self.lead },
            1 => Passage::Stay { part: 1, until: visit.now + self.lead },
            _ => {
                let mut at = visit.now;
                for _ in 0..MOST_MISSED {
                    if !visit.random.chance(self.missed) {
                        break;
                    }
                    at = at + self.clock.period();
                }
                Passage::Leave { part: 2, at }
            }
        }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, Picoseconds::new(self.clock.period().ps() / 2));
        budget.add(1, self.lead);
        let mean_missed: f64 = (1..=MOST_MISSED).map(|n| libm::pow(self.missed, f64::from(n))).sum();
        budget.add_weighted(2, self.clock.period(), mean_missed);
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}
