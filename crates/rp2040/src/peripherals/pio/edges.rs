//! The edges of a clock, numbered: when edge n is, and which edge was the last at a time. Edge n is at
//! start + floor(n · 10¹² / hz), never a multiple of a rounded period; the base moves along so that the numbers stay
//! small enough for quick arithmetic. A clock that changes its frequency keeps counting.

use units::{PS_PER_S, Picoseconds};

const SECOND_PS: u64 = PS_PER_S as u64;
/// Up to here a count of cycles fits the quick arithmetic, at any frequency that it takes.
const QUICK_CYCLES: u64 = 1 << 31;
/// The base is left behind no further: 8 ms at 125 MHz, within the reach of `QUICK_PS`.
const FOLLOWED_CYCLES: u64 = 1 << 20;
/// The cycles of the recent past that the base does not pass.
const PAST_CYCLES: u64 = 1 << 10;
const _: () = assert!(PAST_CYCLES < FOLLOWED_CYCLES);
const QUICK_HZ: std::ops::Range<u64> = 1_000_000..1 << 29;
const QUICK_PS: u64 = 1 << 34;

/// A clock whose edges are counted.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct ClockEdges {
    hz: u64,
    period_ps: u64,
    /// What a period of whole picoseconds leaves of a second, in picoseconds for each second.
    rest: u64,
    quick: bool,
    /// 2^64 / hz; 0 where that was not computed.
    #[serde(skip)]
    inverse: u64,
    cycle: u64,
    at_ps: i64,
    /// How far the base lies behind `at_ps`, in 1/hz of a picosecond.
    carry: u64,
}

impl ClockEdges {
    /// A clock whose edge number `cycle` is at `at`.
    pub(crate) fn new(hz: u64, cycle: u64, at: Picoseconds) -> Self {
        let (period_ps, rest) = match hz {
            0 => (0, 0),
            hz => (SECOND_PS / hz, SECOND_PS % hz),
        };
        let inverse = u64::MAX.checked_div(hz).unwrap_or(0);
        Self { hz, period_ps, rest, quick: QUICK_HZ.contains(&hz), inverse, cycle, at_ps: at.ps(), carry: 0 }
    }

    /// The frequency.
    #[inline]
    pub(crate) fn hz(&self) -> u64 {
        self.hz
    }

    /// From `at` on the clock has another frequency, beginning with an edge there.
    pub(crate) fn retime(&mut self, hz: u64, at: Picoseconds) {
        *self = Self::new(hz, self.cycle_at(at), at);
    }

    /// How long so many cycles take, wherever they begin; nothing where that differs by a rounded picosecond.
    pub(crate) fn even_step(&self, cycles: u64) -> Option<Picoseconds> {
        let parts = cycles.checked_mul(SECOND_PS).filter(|parts| self.hz != 0 && parts % self.hz == 0)?;
        i64::try_from(parts / self.hz).ok().map(Picoseconds::new)
    }

    /// When an edge is, from the base on; nothing when the clock stands or the time is beyond reach.
    #[inline]
    pub(crate) fn time_of(&self, cycle: u64) -> Option<Picoseconds> {
        let cycles = cycle.saturating_sub(self.cycle);
        if self.quick && cycles < QUICK_CYCLES {
            let fraction = if self.rest == 0 { 0 } else { self.whole(self.carry + cycles * self.rest) };
            let ahead = cycles * self.period_ps + fraction;
            return self.at_ps.checked_add(ahead as i64).map(Picoseconds::new);
        }
        self.time_of_any(cycles)
    }

    /// How many picoseconds so many parts of 1/hz make. The product with the inverse is one too small at the most.
    #[inline]
    fn whole(&self, parts: u64) -> u64 {
        if self.inverse == 0 {
            return parts / self.hz;
        }
        let least = ((u128::from(parts) * u128::from(self.inverse)) >> 64) as u64;
        least + u64::from(parts - least * self.hz >= self.hz)
    }

    fn time_of_any(&self, cycles: u64) -> Option<Picoseconds> {
        if cycles == 0 {
            return Some(Picoseconds::new(self.at_ps));
        }
        let parts = u128::from(cycles) * u128::from(SECOND_PS) + u128::from(self.carry);
        let ahead = i64::try_from(parts.checked_div(u128::from(self.hz))?).ok()?;
        self.at_ps.checked_add(ahead).map(Picoseconds::new)
    }

    /// The last edge up to and including a time. Two domains of one clock that were anchored at different edges differ
    /// by a rounded picosecond, so an edge one picosecond ahead counts as there.
    #[inline]
    pub(crate) fn cycle_at(&self, at: Picoseconds) -> u64 {
        let ahead = at.ps().saturating_sub(self.at_ps).saturating_add(2);
        if ahead <= 0 {
            return self.cycle;
        }
        let ahead = ahead as u64;
        if self.quick && ahead < QUICK_PS {
            return self.cycle + (ahead * self.hz - self.carry - 1) / SECOND_PS;
        }
        let parts = (u128::from(ahead) * u128::from(self.hz)).saturating_sub(u128::from(self.carry) + 1);
        self.cycle.saturating_add(u64::try_from(parts / u128::from(SECOND_PS)).unwrap_or(u64::MAX))
    }

    /// The last edge at `at` or before it, to the picosecond.
    pub(crate) fn last_at(&self, at: Picoseconds) -> u64 {
        let cycle = self.cycle_at(at);
        if self.time_of(cycle).is_some_and(|edge| edge > at) { cycle.saturating_sub(1) } else { cycle }
    }

    /// The last edge at `at` or before it, where none is a picosecond ahead.
    #[inline]
    pub(crate) fn apart_at(&self, at: Picoseconds) -> Option<u64> {
        let cycle = self.cycle_at(at);
        self.time_of(cycle).is_none_or(|edge| edge <= at).then_some(cycle)
    }

    /// Counts from a cycle shortly before `cycle` on, when the base has fallen far behind: changes that are just past are still told
    /// apart.
    #[inline]
    pub(crate) fn follow(&mut self, cycle: u64) {
        if cycle.saturating_sub(self.cycle) > FOLLOWED_CYCLES {
            self.rebase(cycle - PAST_CYCLES);
        }
    }

    fn rebase(&mut self, cycle: u64) {
        let Some(at) = self.time_of(cycle) else { return };
        let parts =
            u128::from(cycle.saturating_sub(self.cycle)) * u128::from(self.rest) + u128::from(self.carry);
        let carry = (parts % u128::from(self.hz.max(1))) as u64;
        *self = Self { carry, ..Self::new(self.hz, cycle, at) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Hertz;

    proptest! {
        #[test]
        fn edges_are_those_of_the_exact_clock_wherever_the_base_is(
            hz in 1u64..1_000_000_000, start in 0i64..1 << 50, steps in prop::collection::vec(1u64..1 << 33, 1..20),
        ) {
            let mut edges = ClockEdges::new(hz, 100, Picoseconds::new(start));
            let mut cycles = 0;
            for step in steps {
                let Some(exact) = Hertz::new(hz).and_then(|clock| clock.try_edge(cycles + step)) else { break };
                cycles += step;
                let Some(at) = exact.ps().checked_add(start).map(Picoseconds::new) else { break };
                prop_assert_eq!(edges.time_of(100 + cycles), Some(at));
                if hz < 100_000_000 {
                    prop_assert_eq!(edges.cycle_at(at), 100 + cycles);
                    prop_assert_eq!(edges.cycle_at(at - Picoseconds::new(2)), 99 + cycles);
                }
                edges.follow(100 + cycles);
                prop_assert_eq!(edges.time_of(100 + cycles), Some(at));
            }
        }
    }

    #[test]
    fn edges_of_the_recent_past_are_told_apart_wherever_the_base_is() {
        let mut edges = ClockEdges::new(150_000_000, 0, Picoseconds::ZERO);
        let untouched = edges;
        for now in (0..).step_by(100_003).take(60) {
            edges.follow(now);
            for cycle in now.saturating_sub(40)..=now {
                let at = untouched.time_of(cycle).unwrap();
                assert_eq!(edges.cycle_at(at), cycle, "at cycle {now}");
            }
        }
    }

    #[test]
    fn an_edge_that_rounds_to_a_picosecond_later_is_already_there() {
        let edges = ClockEdges::new(133_000_000, 0, Picoseconds::ZERO);
        assert_eq!(edges.time_of(2), Some(Picoseconds::new(15_037)));
        assert_eq!(edges.cycle_at(Picoseconds::new(15_036)), 2);
        assert_eq!(edges.cycle_at(Picoseconds::new(15_035)), 1);
    }

    #[test]
    fn a_stopped_clock_has_no_further_edge() {
        let edges = ClockEdges::new(0, 7, Picoseconds::from_ns(1));
        assert_eq!(edges.time_of(8), None);
        assert_eq!(edges.cycle_at(Picoseconds::from_ns(5_000)), 7);
    }

    #[test]
    fn a_new_frequency_counts_on_from_its_first_edge() {
        let mut edges = ClockEdges::new(100_000_000, 0, Picoseconds::ZERO);
        edges.retime(50_000_000, Picoseconds::from_ns(104));
        assert_eq!(edges.time_of(10), Some(Picoseconds::from_ns(104)));
        assert_eq!(edges.time_of(12), Some(Picoseconds::from_ns(144)));
    }
}
