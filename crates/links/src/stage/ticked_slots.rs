//! A chip whose operating system and radio run on one crystal: a message waits for the tick, takes its time on the
//! host, and waits for the radio's slots. The slots stay where they are against the ticks for a whole run.

use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// The way of a message from the trigger to the radio.
#[derive(Debug)]
pub struct TickedSlots {
    tick: Option<GateClock>,
    host: Picoseconds,
    slots: GateClock,
}

impl TickedSlots {
    /// Waits for the `tick` where there is one, takes `host`, and waits for `slots`, which drift as the tick does.
    pub fn new(tick: Option<GateClock>, host: Picoseconds, slots: GateClock) -> Self {
        Self { tick, host, slots }
    }

    /// The slots count from a tick, on the tick's crystal.
    fn next_slot(&self, now: Picoseconds) -> Picoseconds {
        let Some(tick) = &self.tick else { return self.slots.next(now) };
        let settled = "both clocks are settled before a message gets here";
        let mut same_crystal = self.slots.clone();
        same_crystal
            .lock(tick.phase().expect(settled) + self.slots.phase().expect(settled), tick.drift_ppb());
        same_crystal.next(now)
    }
}

impl Stage for TickedSlots {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("wait for the OS tick", Cause::Gate),
            Part::new("host's time for a write", Cause::Cpu),
            Part::new("wait for the radio's slots", Cause::Gate),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        match visit.stays {
            0 => {
                self.slots.settle(visit.random);
                let until = match &mut self.tick {
                    Some(tick) => {
                        tick.settle(visit.random);
                        tick.next(visit.now)
                    }
                    None => visit.now,
                };
                Passage::Stay { part: 0, until }
            }
            1 => Passage::Stay { part: 1, until: visit.now + self.host },
            _ => Passage::Leave { part: 2, at: self.next_slot(visit.now) },
        }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        if let Some(tick) = &self.tick {
            budget.add(0, Picoseconds::new(tick.period().ps() / 2));
        }
        budget.add(1, self.host);
        budget.add(2, Picoseconds::new(self.slots.period().ps() / 2));
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        self.tick.iter_mut().chain([&mut self.slots]).collect()
    }
}
