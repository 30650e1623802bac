//! Stretches of time that do not overlap: when a channel is taken, when a station listens.

use std::collections::VecDeque;

use units::Picoseconds;

/// Beyond so many the two earliest count as one.
const MOST: usize = 4096;

/// Stretches in ascending order; each includes its beginning and not its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Intervals(VecDeque<(Picoseconds, Picoseconds)>);

impl Intervals {
    /// Forgets what has ended by a time.
    pub(super) fn forget_before(&mut self, at: Picoseconds) {
        while self.0.front().is_some_and(|&(_, end)| end <= at) {
            self.0.pop_front();
        }
    }

    /// Adds a stretch; it becomes one with those that it touches.
    pub(super) fn add(&mut self, mut start: Picoseconds, mut end: Picoseconds) {
        if end <= start {
            return;
        }
        let first = self.0.partition_point(|&(_, before)| before < start);
        while let Some(&(from, until)) = self.0.get(first).filter(|&&(from, _)| from <= end) {
            (start, end) = (start.min(from), end.max(until));
            self.0.remove(first);
        }
        self.0.insert(first, (start, end));
        if self.0.len() > MOST
            && let Some((from, _)) = self.0.pop_front()
            && let Some(next) = self.0.front_mut()
        {
            next.0 = from;
        }
    }

    /// Whether a time lies in one of them.
    pub(super) fn contain(&self, at: Picoseconds) -> bool {
        self.0.iter().any(|&(start, end)| start <= at && at < end)
    }

    /// When the next one begins after a time.
    pub(super) fn next_start(&self, after: Picoseconds) -> Option<Picoseconds> {
        self.0.iter().map(|&(start, _)| start).find(|&start| start > after)
    }

    /// The first time from `earliest` on at which none begins for so long.
    pub(super) fn first_gap(&self, earliest: Picoseconds, length: Picoseconds) -> Picoseconds {
        let mut start = earliest;
        for &(from, until) in &self.0 {
            if from >= start + length {
                break;
            }
            start = start.max(until);
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn ns(ns: i64) -> Picoseconds {
        Picoseconds::from_ns(ns)
    }

    #[test]
    fn the_first_gap_is_the_first_that_is_long_enough() {
        let mut taken = Intervals::default();
        taken.add(ns(10), ns(20));
        taken.add(ns(25), ns(40));
        assert_eq!(taken.first_gap(ns(0), ns(10)), ns(0));
        assert_eq!(taken.first_gap(ns(1), ns(10)), ns(40));
        assert_eq!(taken.first_gap(ns(1), ns(5)), ns(1));
        assert_eq!(taken.first_gap(ns(12), ns(5)), ns(20));
    }

    #[test]
    fn an_end_is_outside_and_a_beginning_inside() {
        let mut awake = Intervals::default();
        awake.add(ns(10), ns(20));
        assert_eq!([9, 10, 19, 20].map(|at| awake.contain(ns(at))), [false, true, true, false]);
        assert_eq!((awake.next_start(ns(9)), awake.next_start(ns(10))), (Some(ns(10)), None));
    }

    proptest! {
        #[test]
        fn they_hold_exactly_what_was_added(added in prop::collection::vec((0i64..60, 0i64..9), 0..20)) {
            let mut all = Intervals::default();
            let mut model = [false; 80];
            for (start, length) in added {
                all.add(ns(start), ns(start + length));
                model[start as usize..(start + length) as usize].fill(true);
            }
            for (at, &inside) in model.iter().enumerate() {
                prop_assert_eq!(all.contain(ns(at as i64)), inside);
            }
            prop_assert!(all.0.iter().zip(all.0.iter().skip(1)).all(|(one, next)| one.1 < next.0));
        }
    }
}
