//! clk_sys as a ruler: which cycle is at which time. Cycles are counted since the chip started; when the frequency changes
//! the count goes on from there with the new one, so that no rounded period is ever accumulated.

use units::{PS_PER_S, Picoseconds};

/// The relation between cycles of clk_sys and virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct CycleClock {
    start_cycle: u64,
    start: Picoseconds,
    hz: u64,
    /// Cycle n begins floor(n · `picoseconds` / `cycles`) after the start: the period as a fraction in lowest terms, which
    /// keeps products small.
    picoseconds: u64,
    cycles: u64,
}

impl CycleClock {
    pub(crate) fn new(hz: u64) -> Self {
        let mut clock = Self { start_cycle: 0, start: Picoseconds::ZERO, hz: 1, picoseconds: 1, cycles: 1 };
        clock.set_frequency(0, hz);
        clock
    }

    /// From this cycle on the clock has another frequency. What is planned by a stopped clock is by one of 1 Hz: no core
    /// executes anything meanwhile.
    pub(crate) fn set_frequency(&mut self, cycle: u64, hz: u64) {
        self.start_at(cycle, self.time_of(cycle), hz);
    }

    /// A clock that stood goes on at this time, with this cycle.
    pub(crate) fn start_at(&mut self, cycle: u64, time: Picoseconds, hz: u64) {
        self.start = time;
        self.start_cycle = cycle;
        self.hz = hz.max(1);
        let common = common_divisor(PS_PER_S as u64, self.hz);
        (self.picoseconds, self.cycles) = (PS_PER_S as u64 / common, self.hz / common);
    }

    /// When a cycle begins: floor(n · 10¹² / hz) after the start.
    #[inline]
    pub(crate) fn time_of(&self, cycle: u64) -> Picoseconds {
        let count = cycle.saturating_sub(self.start_cycle);
        let after = match count.checked_mul(self.picoseconds) {
            Some(product) if self.cycles == 1 => product,
            Some(product) => product / self.cycles,
            None => saturated(u128::from(count) * u128::from(self.picoseconds) / u128::from(self.cycles)),
        };
        Picoseconds::new(self.start.ps().saturating_add_unsigned(after))
    }

    /// The first cycle that begins at `time` or later.
    #[inline]
    pub(crate) fn cycle_at(&self, time: Picoseconds) -> u64 {
        let after = time.ps().saturating_sub(self.start.ps()).max(0) as u64;
        let count = match after.checked_mul(self.cycles) {
            Some(product) => product.div_ceil(self.picoseconds),
            None => {
                let product = u128::from(after) * u128::from(self.cycles);
                saturated(product.div_ceil(u128::from(self.picoseconds)))
            }
        };
        self.start_cycle.saturating_add(count)
    }
}

fn saturated(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cycle_is_found_again_by_its_time(
            hz in 1u64..300_000_000,
            cycle in 0u64..1_000_000_000,
            change in 0u64..1_000_000,
        ) {
            let mut clock = CycleClock::new(6_500_000);
            clock.set_frequency(change, hz);
            let cycle = cycle + change;
            let time = clock.time_of(cycle);
            prop_assert_eq!(clock.cycle_at(time), cycle);
            prop_assert_eq!(clock.cycle_at(Picoseconds::new(time.ps() + 1)), cycle + 1);
        }
    }
}
