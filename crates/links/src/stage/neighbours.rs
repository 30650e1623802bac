//! Neighbouring access points on the channel: each keeps it busy around its beacon, once per beacon interval, and a
//! sender that wants to start a frame meanwhile waits. Other traffic of the neighbours, and frames of the own network
//! that collide, are left out.

use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A wait ends after at most so many beacons in a row.
const MOST_IN_A_ROW: usize = 16;
/// Phases over which the budget takes its mean.
const PHASES: i64 = 4096;

/// The times that a sender's waits are made of.
#[derive(Debug, Clone, Copy)]
pub struct NeighbourTiming {
    /// From one beacon of a neighbour to the next.
    pub interval: Picoseconds,
    /// How long the neighbour keeps the channel busy.
    pub busy: Picoseconds,
    /// DIFS: how long the channel must have been free.
    pub free: Picoseconds,
    /// A backoff slot.
    pub slot: Picoseconds,
    /// The longest backoff, in slots.
    pub longest_backoff: u64,
}

/// The sender's wait for a channel that is free of beacons.
pub struct Neighbours<F> {
    clocks: Vec<GateClock>,
    timing: NeighbourTiming,
    /// How long a frame of ours keeps the channel busy, with what follows it without a break; nothing where neighbours
    /// cannot hear it.
    exchange: Option<F>,
    /// Idle time between two exchanges.
    gap: Picoseconds,
    /// The last frame's exchange: a beacon that falls due meanwhile follows it.
    own: (Picoseconds, Picoseconds),
}

impl<F: Fn(&Load) -> Picoseconds> Neighbours<F> {
    /// `count` neighbours. With an `exchange` they hear our frames, put their beacons off until after them, and get
    /// in between two frames that are `gap` apart; without, their beacons only meet the first frame of a message.
    pub fn new(count: u64, timing: NeighbourTiming, exchange: Option<F>, gap: Picoseconds) -> Self {
        let clocks = (1..=count).map(|n| GateClock::new(format!("neighbour {n}"), timing.interval)).collect();
        let never = Picoseconds::new(-i64::MAX / 4);
        Self { clocks, timing, exchange, gap, own: (never, never) }
    }

    /// When a beacon that is due at `due` leaves the channel free again, if it keeps it busy at `now`.
    fn busy_until(
        &self,
        due: Picoseconds,
        own: (Picoseconds, Picoseconds),
        now: Picoseconds,
    ) -> Option<Picoseconds> {
        let start = if due >= own.0 && due < own.1 { own.1 + self.timing.free } else { due };
        let end = start + self.timing.busy;
        // A beacon that waits for the channel has it before a frame that comes later.
        (due <= now && now < end).then_some(end)
    }

    fn waits(&self, load: &Load) -> bool {
        self.exchange.is_some() || load.is_first
    }

    fn mean_backoff(&self) -> Picoseconds {
        self.timing.free + Picoseconds::new(self.timing.slot.ps() * self.timing.longest_backoff as i64 / 2)
    }

    /// The mean wait behind one neighbour when a frame of `load` comes along at time zero.
    fn mean_wait(&self, load: &Load) -> Picoseconds {
        let own = match &self.exchange {
            Some(exchange) if !load.is_first => {
                let end = Picoseconds::ZERO - self.gap;
                let before = Load { frame_index: load.frame_index - 1, ..*load };
                (end - exchange(&before), end)
            }
            _ => self.own,
        };
        let mut total = 0i128;
        for step in 0..PHASES {
            let due = Picoseconds::new(
                -(i128::from(self.timing.interval.ps()) * i128::from(step) / i128::from(PHASES)) as i64,
            );
            if due < own.0 && !load.is_first {
                break;
            }
            if let Some(end) = self.busy_until(due, own, Picoseconds::ZERO) {
                total += i128::from((end + self.mean_backoff()).ps());
            }
        }
        Picoseconds::new((total / i128::from(PHASES)) as i64)
    }
}

impl<F> std::fmt::Debug for Neighbours<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Neighbours")
            .field("clocks", &self.clocks)
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> Picoseconds + Send> Stage for Neighbours<F> {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("wait for a neighbour's beacon", Cause::Gate)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let mut at = visit.now;
        if self.waits(&visit.load) {
            for clock in &mut self.clocks {
                clock.settle(visit.random);
            }
            for _ in 0..MOST_IN_A_ROW {
                let ends = self.clocks.iter().filter_map(|clock| {
                    let due = clock.next(at + Picoseconds::new(1) - self.timing.interval);
                    self.busy_until(due, self.own, at)
                });
                let Some(end) = ends.max() else { break };
                let slots = visit.random.below(self.timing.longest_backoff + 1) as i64;
                at = end + self.timing.free + Picoseconds::new(self.timing.slot.ps() * slots);
            }
        }
        if let Some(exchange) = &self.exchange {
            self.own = (at, at + exchange(&visit.load));
        }
        Passage::Leave { part: 0, at }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        if self.waits(load) {
            budget.add_weighted(0, self.mean_wait(load), self.clocks.len() as f64);
        }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        self.clocks.iter_mut().collect()
    }
}
