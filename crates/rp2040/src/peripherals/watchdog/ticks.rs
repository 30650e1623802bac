//! The tick that the watchdog derives from clk_ref and that drives TIMER as well (RP2040 datasheet 4.7.2): tick n
//! comes n · CYCLES cycles of clk_ref after the start, with no rounded period accumulated.

use units::{Hertz, PS_PER_S, Picoseconds};

/// Ticks counted since they began at their present rate.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(in crate::peripherals) struct Ticks {
    ref_hz: u64,
    /// Cycles of clk_ref from one tick to the next; 0 when nothing ticks.
    cycles: u64,
    start: Picoseconds,
    /// The length of a tick in picoseconds where that is a whole number, else 0.
    whole_ps: u64,
}

impl Ticks {
    pub(in crate::peripherals) fn stopped() -> Self {
        Self { ref_hz: 0, cycles: 0, start: Picoseconds::ZERO, whole_ps: 0 }
    }

    /// Ticks of `cycles` cycles of clk_ref that begin at `start`.
    pub(in crate::peripherals) fn new(ref_hz: u64, cycles: Option<u32>, start: Picoseconds) -> Self {
        let cycles = u64::from(cycles.unwrap_or(0));
        if ref_hz == 0 || cycles == 0 {
            return Self { start, ..Self::stopped() };
        }
        let ps = cycles * PS_PER_S as u64;
        let whole_ps = if ps.is_multiple_of(ref_hz) { ps / ref_hz } else { 0 };
        Self { ref_hz, cycles, start, whole_ps }
    }

    pub(in crate::peripherals) fn is_running(&self) -> bool {
        self.cycles != 0
    }

    /// Whether they have this rate already.
    pub(in crate::peripherals) fn has_rate(&self, ref_hz: u64, cycles: Option<u32>) -> bool {
        let other = Self::new(ref_hz, cycles, self.start);
        (other.ref_hz, other.cycles) == (self.ref_hz, self.cycles)
    }

    /// How many ticks there were by `now`.
    #[inline]
    pub(in crate::peripherals) fn count(&self, now: Picoseconds) -> u64 {
        match self.whole_ps {
            0 if self.cycles == 0 => 0,
            0 => self.ref_cycles(now) / self.cycles,
            whole => self.elapsed(now) / whole,
        }
    }

    /// When tick `n` is; tick 0 is the start. Nothing when it never comes.
    pub(in crate::peripherals) fn time_of(&self, n: u64) -> Option<Picoseconds> {
        let after_ps = match self.whole_ps {
            0 => Hertz::new(self.ref_hz)?.try_edge(n.checked_mul(self.cycles)?)?.ps(),
            whole => i64::try_from(n.checked_mul(whole)?).ok()?,
        };
        self.start.ps().checked_add(after_ps).map(Picoseconds::new)
    }

    /// How many cycles of clk_ref are left until the next tick.
    pub(in crate::peripherals) fn cycles_left(&self, now: Picoseconds) -> u64 {
        match self.cycles {
            0 => 0,
            cycles => cycles - self.ref_cycles(now) % cycles,
        }
    }

    fn elapsed(&self, now: Picoseconds) -> u64 {
        now.ps().saturating_sub(self.start.ps()).max(0) as u64
    }

    /// The number of edges of clk_ref by `now`: the greatest k with floor(k · 10¹² / hz) not after it.
    fn ref_cycles(&self, now: Picoseconds) -> u64 {
        let behind = (u128::from(self.elapsed(now)) + 1) * u128::from(self.ref_hz) - 1;
        u64::try_from(behind / PS_PER_S as u128).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_tick_of_12_cycles_at_12_mhz_is_a_microsecond() {
        let ticks = Ticks::new(12_000_000, Some(12), Picoseconds::from_ns(500));
        assert_eq!(ticks.time_of(3), Some(Picoseconds::from_ns(3500)));
        assert_eq!(ticks.count(Picoseconds::new(3_499_999)), 2);
        assert_eq!(ticks.count(Picoseconds::new(3_500_000)), 3);
        assert_eq!(ticks.cycles_left(Picoseconds::new(3_499_999)), 1);
        assert_eq!(ticks.cycles_left(Picoseconds::new(3_500_000)), 12);
    }

    #[test]
    fn nothing_ticks_without_a_clock_or_without_cycles() {
        for ticks in
            [Ticks::new(0, Some(12), Picoseconds::ZERO), Ticks::new(12_000_000, None, Picoseconds::ZERO)]
        {
            assert!(!ticks.is_running());
            assert_eq!(ticks.count(Picoseconds::from_ns(1_000_000_000)), 0);
            assert_eq!(ticks.time_of(1), None);
        }
    }

    proptest! {
        /// Also where a tick is no whole number of picoseconds.
        #[test]
        fn a_tick_is_counted_at_its_time_and_not_a_picosecond_before(
            hz in 1_000u64..50_000_000, cycles in 1u32..512, n in 1u64..10_000_000,
        ) {
            let ticks = Ticks::new(hz, Some(cycles), Picoseconds::new(12_345));
            let at = ticks.time_of(n).expect("within range");
            prop_assert_eq!(ticks.count(at), n);
            prop_assert_eq!(ticks.count(at - Picoseconds::new(1)), n - 1);
        }
    }
}
