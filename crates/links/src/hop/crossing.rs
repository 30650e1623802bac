//! A stage that single frames cross at absolute times, without a simulation around it: whoever brings the frames keeps the
//! clock.

use sim::RandomStream;
use units::Picoseconds;

use crate::stage::{Load, Passage, Stage, Visit};

/// A stage with its own random numbers.
#[derive(Debug, Clone)]
pub struct Crossing<S> {
    stage: S,
    random: RandomStream,
}

/// How a frame came out of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossed {
    /// When.
    pub at: Picoseconds,
    /// Whether the stage lost it.
    pub lost: bool,
}

impl<S: Stage> Crossing<S> {
    /// A stage whose random stream has a path; unknown phases of its gates are drawn from it.
    pub fn new(mut stage: S, seed: u64, path: &str) -> Self {
        let mut random = RandomStream::named(seed, path);
        for gate in stage.gates() {
            gate.settle(&mut random);
        }
        Self { stage, random }
    }

    /// The stage.
    pub fn stage(&self) -> &S {
        &self.stage
    }

    /// Takes a frame that comes in at `at` to the stage's end.
    pub fn cross(&mut self, at: Picoseconds, load: Load) -> Crossed {
        let (mut now, mut stays) = (at, 0);
        loop {
            let mut visit = Visit::alone(now, at, stays, load, &mut self.random);
            match self.stage.pass(&mut visit) {
                Passage::Wait { until } => now = until,
                Passage::Stay { until, .. } => (now, stays) = (until, stays + 1),
                Passage::Leave { at, .. } => return Crossed { at, lost: false },
                Passage::Lost { at, .. } => return Crossed { at, lost: true },
            }
        }
    }
}
