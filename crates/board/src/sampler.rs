//! Which functions use the cores, from samples: every so many cycles the program counters of the cores that are awake are
//! noted. The interval is a prime, so that it beats with no loop for long, and doubles as a run goes on, so that a long run
//! costs no more than a short one per second. While every core sleeps samples are farther apart. Busy cycles themselves
//! are counted by the chip, and exact; only their share by function is estimated here. An exact one is a profile.

use std::collections::BTreeMap;

use mcu::Samples;
use units::{PS_PER_S, Picoseconds};

const FIRST_INTERVAL_CYCLES: u64 = 997;
const LONGEST_INTERVAL_CYCLES: u64 = FIRST_INTERVAL_CYCLES << 7;
/// After so many samples the interval doubles.
const SAMPLES_BEFORE_DOUBLING: u64 = 1 << 12;
/// How much farther apart samples are while every core sleeps.
const ASLEEP_FACTOR: u64 = 64;

/// The samples of a run.
#[derive(Debug, Clone)]
pub(super) struct Sampler {
    /// When the next sample is due.
    due: Picoseconds,
    interval_cycles: u64,
    last_cycle: u64,
    since_doubling: u64,
    samples: u64,
    /// Cycles by program counter, all cores.
    cycles: BTreeMap<u32, u64>,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            due: Picoseconds::ZERO,
            interval_cycles: FIRST_INTERVAL_CYCLES,
            last_cycle: 0,
            since_doubling: 0,
            samples: 0,
            cycles: BTreeMap::new(),
        }
    }
}

impl Samples for Sampler {
    fn due(&self) -> Picoseconds {
        self.due
    }

    fn look(&mut self, now: Picoseconds, (cycle, hz): (u64, u64), awake: &[u32]) {
        let weight = cycle.saturating_sub(self.last_cycle);
        self.last_cycle = cycle;
        for &pc in awake {
            *self.cycles.entry(pc).or_default() += weight;
        }
        let is_awake = !awake.is_empty();
        self.samples += u64::from(is_awake);
        self.since_doubling += 1;
        if self.since_doubling >= SAMPLES_BEFORE_DOUBLING && self.interval_cycles < LONGEST_INTERVAL_CYCLES {
            self.interval_cycles *= 2;
            self.since_doubling = 0;
        }
        let factor = if is_awake { 1 } else { ASLEEP_FACTOR };
        let interval_ps = i128::from(self.interval_cycles * factor) * i128::from(PS_PER_S);
        let interval_ps = (interval_ps / i128::from(hz.max(1))) as i64;
        self.due = Picoseconds::new(now.ps().saturating_add(interval_ps));
    }
}

impl Sampler {
    /// How many samples met a core awake.
    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    /// Cycles by program counter.
    pub(super) fn cycles(&self) -> impl Iterator<Item = (u32, u64)> {
        self.cycles.iter().map(|(pc, cycles)| (*pc, *cycles))
    }
}
