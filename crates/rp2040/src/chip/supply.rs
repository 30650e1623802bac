//! What the chip's supply feels of its cores: when one of them is awake, and when none is.

use mcu::{Sleep, SupplyState};
use units::Picoseconds;

use super::Rp2040;

/// How long no core was awake, so far as one has woken since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct AllAsleep {
    time: Picoseconds,
    cycles: u64,
}

impl Rp2040 {
    /// Told before a core wakes, or starts anew, at a cycle.
    pub(super) fn end_of_sleep(&mut self, cycle: u64) {
        self.asleep = self.asleep_until(cycle);
    }

    fn asleep_until(&self, cycle: u64) -> AllAsleep {
        let AllAsleep { time, cycles } = self.asleep;
        let fell_asleep = self.cores.iter().map(|core| core.cycle).max().unwrap_or(cycle);
        if self.cores.iter().any(|core| core.sleep == Sleep::Awake) || cycle <= fell_asleep {
            return self.asleep;
        }
        let [from, to] = [fell_asleep, cycle].map(|at| self.bus.clock.time_of(at));
        AllAsleep { time: time + (to - from).max(Picoseconds::ZERO), cycles: cycles + (cycle - fell_asleep) }
    }

    /// Both states, which together are all time: clocks that are gated in a sleep count as if they ran.
    pub(crate) fn supply_states(&self) -> Vec<SupplyState> {
        let counts = self.counts();
        let asleep = self.asleep_until(counts.cycles);
        let awake = |core: usize| counts.cycles.saturating_sub(counts.idle_cycles[core]);
        vec![
            SupplyState {
                state: "running",
                time: (self.now() - asleep.time).max(Picoseconds::ZERO),
                cycles: counts.cycles.saturating_sub(asleep.cycles),
                core_cycles: (0..self.cores.len()).map(awake).sum(),
            },
            SupplyState { state: "asleep", time: asleep.time, cycles: asleep.cycles, core_cycles: 0 },
        ]
    }
}
