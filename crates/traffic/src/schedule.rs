//! Points in time at a fixed rate: those of an open loop, which asks whether or not the answers before have come.

use units::{PS_PER_S, Picoseconds};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    start: Picoseconds,
    per_second: u32,
}

impl Schedule {
    /// The first point is the start; a rate of 0 is taken as 1.
    pub(crate) fn new(start: Picoseconds, per_second: u32) -> Self {
        Self { start, per_second: per_second.max(1) }
    }

    /// The point of an index, counted from the start and never from a rounded period.
    pub(crate) fn due(&self, index: u64) -> Picoseconds {
        let ps = u128::from(index) * u128::from(PS_PER_S.unsigned_abs()) / u128::from(self.per_second);
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX).saturating_add(self.start.ps()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_a_second_are_a_second_apart_after_three() {
        let start = Picoseconds::new(7);
        let schedule = Schedule::new(start, 3);
        assert_eq!(
            [0, 3, 3_000_000].map(|index| (schedule.due(index) - start).ps() / PS_PER_S),
            [0, 1, 1_000_000]
        );
        assert_eq!((schedule.due(1) - start).ps(), PS_PER_S / 3);
        assert!(schedule.due(u64::MAX) > schedule.due(1), "the end of time");
    }
}
