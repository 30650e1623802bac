//! Which functions use the cores, from samples: every so many cycles the program counters of the cores that are awake are
//! noted. The interval is a prime, so that it beats with no loop for long, and doubles as a run goes on, so that a long run
//! costs no more than a short one per second. While every core sleeps samples are farther apart. Busy cycles themselves
//! are counted by the chip, and exact; only their share by function is estimated here. An exact one is a profile.

use std::collections::BTreeMap;

use mcu::{Mcu, Sleep};
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
    pub(super) next: Picoseconds,
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
            next: Picoseconds::ZERO,
            interval_cycles: FIRST_INTERVAL_CYCLES,
            last_cycle: 0,
            since_doubling: 0,
            samples: 0,
            cycles: BTreeMap::new(),
        }
    }
}

impl Sampler {
    /// Takes a sample, if one is due.
    pub(super) fn look(&mut self, chip: &dyn Mcu) {
        let now = chip.now();
        if now < self.next {
            return;
        }
        let cycle = chip.cycles();
        let weight = cycle.saturating_sub(self.last_cycle);
        self.last_cycle = cycle;
        let mut awake = false;
        for id in 0..chip.facts().cores {
            let core = chip.core(id);
            if core.sleep == Sleep::Awake {
                awake = true;
                *self.cycles.entry(core.pc).or_default() += weight;
            }
        }
        self.samples += u64::from(awake);
        self.since_doubling += 1;
        if self.since_doubling >= SAMPLES_BEFORE_DOUBLING && self.interval_cycles < LONGEST_INTERVAL_CYCLES {
            self.interval_cycles *= 2;
            self.since_doubling = 0;
        }
        let factor = if awake { 1 } else { ASLEEP_FACTOR };
        let interval_ps = i128::from(self.interval_cycles * factor) * i128::from(PS_PER_S);
        let interval_ps = (interval_ps / i128::from(chip.clock_hz().max(1))) as i64;
        self.next = Picoseconds::new(now.ps().saturating_add(interval_ps));
    }

    /// How many samples met a core awake.
    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    /// Cycles by program counter.
    pub(super) fn cycles(&self) -> impl Iterator<Item = (u32, u64)> {
        self.cycles.iter().map(|(pc, cycles)| (*pc, *cycles))
    }
}
