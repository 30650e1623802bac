//! The clock of the core and its peripherals: cycles, and the time at which each begins. No rounded period is ever accumulated:
//! edge n of the crystal is at floor(n * 10^12 / hz).

use units::{PS_PER_S, Picoseconds};

/// A crystal behind the prescaler of CLKPR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Clock {
    crystal_hz: u64,
    /// How many of its periods are a cycle.
    division: u64,
    /// When this division began: the cycle, and the crystal's edge.
    since: (u64, u64),
}

impl Clock {
    pub(crate) fn new(crystal_hz: u64) -> Self {
        Self { crystal_hz, division: 1, since: (0, 0) }
    }

    /// Of the core's clock.
    pub(crate) fn hz(&self) -> u64 {
        self.crystal_hz / self.division
    }

    pub(crate) fn divide(&mut self, cycle: u64, division: u64) {
        self.since = (cycle, self.edge_of(cycle));
        self.division = division;
    }

    fn edge_of(&self, cycle: u64) -> u64 {
        let (since, edge) = self.since;
        edge + cycle.saturating_sub(since) * self.division
    }

    /// When a cycle begins.
    pub(crate) fn time(&self, cycle: u64) -> Picoseconds {
        let edge = self.edge_of(cycle);
        let hz = self.crystal_hz;
        let ps_per_s = PS_PER_S as u64;
        if ps_per_s.is_multiple_of(hz) {
            return Picoseconds::new((edge * (ps_per_s / hz)) as i64);
        }
        Picoseconds::new((u128::from(edge) * u128::from(ps_per_s) / u128::from(hz)) as i64)
    }

    /// The first cycle that begins at a time or later.
    pub(crate) fn cycle_at(&self, at: Picoseconds) -> u64 {
        if at.ps() == i64::MAX {
            return u64::MAX;
        }
        let (since, first) = self.since;
        let ps = at.ps().max(0) as u128;
        let mut edge = (ps * u128::from(self.crystal_hz) / PS_PER_S as u128) as u64;
        while (u128::from(edge) * PS_PER_S as u128 / u128::from(self.crystal_hz)) < ps {
            edge += 1;
        }
        since + edge.saturating_sub(first).div_ceil(self.division)
    }

    /// The cycles that a time takes, rounded up.
    pub(crate) fn cycles_of(&self, us: u64) -> u64 {
        (us * self.hz()).div_ceil(1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_a_crystal_without_a_whole_period_never_drift() {
        let clock = Clock::new(22_118_400);
        assert_eq!(clock.time(22_118_400), Picoseconds::new(PS_PER_S));
        for cycle in [1, 2, 7, 1_000_003] {
            assert_eq!(clock.cycle_at(clock.time(cycle)), cycle);
            assert_eq!(clock.cycle_at(clock.time(cycle) + Picoseconds::new(1)), cycle + 1);
        }
    }

    #[test]
    fn a_divided_clock_goes_on_where_it_was() {
        let mut clock = Clock::new(16_000_000);
        clock.divide(16, 8);
        assert_eq!(clock.time(16), Picoseconds::from_ns(1000));
        assert_eq!(clock.time(17), Picoseconds::from_ns(1500));
        assert_eq!(clock.cycle_at(Picoseconds::from_ns(1001)), 17);
        assert_eq!(clock.hz(), 2_000_000);
    }
}
