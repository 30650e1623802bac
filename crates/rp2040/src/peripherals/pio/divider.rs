//! The fractional clock divider of a state machine or a PWM slice (RP2040 datasheet 3.5.5 and 4.5.2.4): a count of whole
//! cycles, and a first-order delta-sigma sum of fractions. Whenever the sum wraps, the next period but none before it is
//! a cycle longer. The divider runs whether or not somebody listens to its ticks, so it is computed, not stepped.

/// Fractions are counted in 1/256 of a cycle.
const ONE: u64 = 256;

/// A divider and the cycle of its next tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Divider {
    next: u64,
    whole: u64,
    part: u64,
    sum: u64,
    carry: u64,
}

impl Divider {
    /// A divider by one, whose first tick is at cycle `next`.
    pub(crate) fn new(next: u64) -> Self {
        Self { next, whole: 1, part: 0, sum: 0, carry: 0 }
    }

    /// Divides by `whole` (at least 1) and `part` / 256, from the next tick on.
    pub(crate) fn set(&mut self, whole: u32, part: u32) {
        (self.whole, self.part) = (u64::from(whole.max(1)), u64::from(part) % ONE);
    }

    /// Starts over with a tick at cycle `next` and no fraction.
    pub(crate) fn restart(&mut self, next: u64) {
        (self.next, self.sum, self.carry) = (next, 0, 0);
    }

    /// The cycle of the next tick.
    #[inline]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Whether all ticks are equally far apart.
    pub(crate) fn is_even(&self) -> bool {
        self.part == 0 && self.carry == 0
    }

    /// The cycles that so many ticks take each time from the tick `from` on; nothing where they do not always take as many.
    pub(crate) fn even_cycles(&self, from: u64, ticks: u64) -> Option<u64> {
        let [first, second, third] = [0, 1, 2].map(|times| self.after(from + times * ticks));
        let is_even = (ticks * self.part).is_multiple_of(ONE) && second - first == third - second;
        is_even.then_some(second - first)
    }

    /// Puts the next tick off by some cycles.
    pub(crate) fn put_off(&mut self, cycles: u64) {
        self.next = self.next.saturating_add(cycles);
    }

    /// Passes the next tick.
    #[inline]
    pub(crate) fn tick(&mut self) {
        self.next += self.whole + self.carry;
        let sum = self.sum + self.part;
        (self.carry, self.sum) = (sum / ONE, sum % ONE);
    }

    /// The cycle of the tick `ticks` after the next one.
    #[inline]
    pub(crate) fn after(&self, ticks: u64) -> u64 {
        match ticks {
            0 => self.next,
            _ => {
                let parts = self.sum + (ticks - 1) * self.part;
                self.next.saturating_add(ticks.saturating_mul(self.whole) + self.carry + parts / ONE)
            }
        }
    }

    /// Passes a number of ticks.
    pub(crate) fn skip(&mut self, ticks: u64) {
        if ticks == 0 {
            return;
        }
        let before = self.sum + (ticks - 1) * self.part;
        let sum = before + self.part;
        self.next = self.after(ticks);
        (self.carry, self.sum) = (sum / ONE - before / ONE, sum % ONE);
    }

    /// How many ticks there are up to and including `cycle`.
    #[inline]
    pub(crate) fn ticks_through(&self, cycle: u64) -> u64 {
        if cycle < self.next {
            return 0;
        }
        let left = cycle - self.next;
        let first = self.whole + self.carry;
        if left < first {
            return 1;
        }
        if self.part == 0 && self.whole == 1 {
            return 2 + left - first;
        }
        let parts = (left - first + 1) * ONE - 1 - self.sum;
        2 + parts / (self.whole * ONE + self.part)
    }

    /// The cycle of the first tick at or after `cycle`.
    pub(crate) fn at_or_after(&self, cycle: u64) -> u64 {
        self.after(self.ticks_through(cycle.saturating_sub(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_whose_fractions_make_whole_cycles_are_even() {
        let mut divider = Divider::new(100);
        divider.set(1, 128);
        assert_eq!([2, 3, 4].map(|ticks| divider.even_cycles(1, ticks)), [Some(3), None, Some(6)]);
        divider.set(3, 0);
        assert_eq!(divider.even_cycles(0, 5), Some(15));
    }

    /// The counter as the datasheet describes it: it counts cycles down and ticks when it reaches one.
    struct Counter {
        count: u64,
        sum: u64,
        carry: u64,
    }

    impl Counter {
        fn cycle(&mut self, whole: u64, part: u64) -> bool {
            if self.count > 1 {
                self.count -= 1;
                return false;
            }
            self.count = whole + self.carry;
            self.carry = (self.sum + part) >> 8;
            self.sum = (self.sum + part) & 0xff;
            true
        }
    }

    #[test]
    fn two_and_a_half_alternates_two_and_three_cycles_after_a_first_period_of_two() {
        let mut divider = Divider::new(0);
        divider.set(2, 128);
        let ticks: Vec<u64> = (0..7).map(|n| divider.after(n)).collect();
        assert_eq!(ticks, [0, 2, 4, 7, 9, 12, 14]);
        divider.tick();
        assert_eq!(divider.next(), 2);
    }

    proptest! {
        #[test]
        fn ticks_are_those_of_a_counter_that_is_stepped(
            whole in 1u64..6, part in 0u64..256, other in 1u64..6, change in 0u64..40, skips in prop::collection::vec(0u64..9, 8),
        ) {
            let mut counter = Counter { count: 1, sum: 0, carry: 0 };
            let mut expected = Vec::new();
            let setting = |ticks: usize| if ticks > change as usize { other } else { whole };
            for cycle in 0..900 {
                if counter.cycle(setting(expected.len() + 1), part) {
                    expected.push(cycle);
                }
            }
            let mut divider = Divider::new(0);
            divider.set(whole as u32, part as u32);
            let mut passed = 0usize;
            for skip in skips {
                let room = (change as usize).saturating_sub(passed) as u64;
                if room == 0 {
                    divider.set(other as u32, part as u32);
                }
                let step = if room == 0 { skip } else { skip.min(room) };
                for cycle in expected[passed]..expected[passed + step as usize] {
                    let count = expected[passed..].iter().filter(|&&tick| tick <= cycle).count() as u64;
                    prop_assert_eq!(divider.ticks_through(cycle), count);
                }
                divider.skip(step);
                passed += step as usize;
                prop_assert_eq!(divider.next(), expected[passed]);
            }
        }
    }
}
