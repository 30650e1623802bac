//! The pace of a stream of writes: each takes its time on the host, or the time on the air of the one before it,
//! whichever is longer.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// Phases of the host's jitter over which the budget takes its mean.
const PHASES: i64 = 1024;

/// The time from one write to the next.
pub struct PacedWrites<F> {
    host: Picoseconds,
    jitter: Picoseconds,
    air: F,
}

impl<F: Fn(&Load) -> Picoseconds> PacedWrites<F> {
    /// The host takes `host` and up to `jitter` more per write; the write before it occupies the air for `air`.
    pub fn new(host: Picoseconds, jitter: Picoseconds, air: F) -> Self {
        Self { host, jitter, air }
    }

    fn time(&self, load: &Load, jitter: Picoseconds) -> (usize, Picoseconds) {
        let (host, air) = (self.host + jitter, (self.air)(load));
        if host >= air { (0, host) } else { (1, air) }
    }
}

impl<F> std::fmt::Debug for PacedWrites<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PacedWrites")
            .field("host", &self.host)
            .field("jitter", &self.jitter)
            .finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> Picoseconds + Send> Stage for PacedWrites<F> {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("host's time for a write", Cause::Cpu),
            Part::new("packets of earlier writes on the air", Cause::Air),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let jitter = visit.random.time_below(self.jitter);
        let (part, time) = self.time(&visit.load, jitter);
        Passage::Leave { part, at: visit.now + time }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        for step in 0..PHASES {
            let jitter = Picoseconds::new(self.jitter.ps() * (2 * step + 1) / (2 * PHASES));
            let (part, time) = self.time(load, jitter);
            budget.add_weighted(part, time, 1.0 / PHASES as f64);
        }
    }
}
