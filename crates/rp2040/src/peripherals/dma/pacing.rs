//! The four pacing timers (RP2040 datasheet 2.5.5.1): X requests in every Y cycles of clk_sys. A timer runs from the write
//! that set it; between the requests that somebody waits for, it costs nothing.
//!
//! Left out: the phase across a change of clk_sys; the timer then starts anew.

use units::{PS_PER_S, Picoseconds};

use crate::frequencies;

/// One X/Y timer.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct PacingTimer {
    /// TIMERx: X above, Y below.
    pub(super) register: u32,
    anchor: Picoseconds,
    hz: u64,
    /// Requests since the anchor that were given out or that nobody waited for.
    counted: u128,
}

impl PacingTimer {
    fn x(&self) -> u128 {
        (self.register >> 16).into()
    }

    fn y(&self) -> u128 {
        (self.register & 0xffff).into()
    }

    /// It requests in every cycle: X/Y is 1 or more.
    pub(super) fn is_permanent(&self) -> bool {
        self.x() != 0 && self.x() >= self.y()
    }

    /// It requests, but not in every cycle.
    pub(super) fn ticks(&self) -> bool {
        self.x() != 0 && self.x() < self.y()
    }

    pub(super) fn set(&mut self, register: u32, now: Picoseconds, hz: u64) {
        *self = Self { register, anchor: now, hz, counted: 0 };
    }

    /// The requests up to now that were not taken yet.
    pub(super) fn take(&mut self, now: Picoseconds, hz: u64) -> u64 {
        if hz != self.hz {
            self.set(self.register, now, hz);
        }
        if !self.ticks() {
            return 0;
        }
        let elapsed_ps = (now.ps().saturating_sub(self.anchor.ps())).max(0) as u128;
        // The last cycle n with floor(n · 10¹² / hz) <= elapsed.
        let cycles = ((elapsed_ps + 1) * u128::from(hz)).div_ceil(PS_PER_S as u128).saturating_sub(1);
        let requests = cycles * self.x() / self.y();
        let new = requests.saturating_sub(self.counted);
        self.counted = requests;
        u64::try_from(new).unwrap_or(u64::MAX)
    }

    /// When the first request comes that was not taken.
    pub(super) fn next(&self) -> Option<Picoseconds> {
        if !self.ticks() {
            return None;
        }
        let cycles = ((self.counted + 1) * self.y()).div_ceil(self.x());
        let after = frequencies::duration(self.hz, u64::try_from(cycles).ok()?)?;
        self.anchor.ps().checked_add(after.ps()).map(Picoseconds::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_timer_requests_as_an_accumulator_of_x_modulo_y_overflows(
            x in 1u32..400, y in 2u32..400, hz in 1_000_000u64..300_000_000, start in 0i64..1_000_000,
        ) {
            let (start, y) = (Picoseconds::new(start), y.max(x + 1));
            let mut timer = PacingTimer::default();
            timer.set(x << 16 | y, start, hz);
            let mut accumulator = 0;
            for cycle in 1..600 {
                accumulator += x;
                if accumulator >= y {
                    accumulator -= y;
                    let at = timer.next().expect("it ticks");
                    prop_assert_eq!(Some(at - start), frequencies::duration(hz, cycle));
                    prop_assert_eq!(timer.take(Picoseconds::new(at.ps() - 1), hz), 0);
                    prop_assert_eq!(timer.take(at, hz), 1);
                }
            }
        }
    }

    #[test]
    fn a_timer_that_nobody_asked_for_long_counts_all_it_missed() {
        let mut timer = PacingTimer::default();
        timer.set(3 << 16 | 10, Picoseconds::ZERO, 125_000_000);
        assert_eq!(timer.take(Picoseconds::from_ns(8 * 1000), 125_000_000), 300);
    }

    #[test]
    fn a_stopped_clock_or_an_x_of_zero_never_requests() {
        let mut timer = PacingTimer::default();
        assert_eq!(timer.next(), None);
        timer.set(1 << 16 | 10, Picoseconds::ZERO, 0);
        assert_eq!(timer.next(), None);
        assert_eq!(timer.take(Picoseconds::from_ns(1000), 0), 0);
    }
}
