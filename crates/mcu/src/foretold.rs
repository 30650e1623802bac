//! Levels that the surroundings will drive whatever happens meanwhile, as what a PHY gives at its pins while a frame passes. A chip may
//! take them ([`crate::Outside::take_foretold`]) and carry them out itself: so nobody outside need be asked at each of them.

use units::Picoseconds;

/// A level of each pin from a step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Change {
    step: u32,
    levels: u8,
}

/// Levels of up to eight pins in a row, in even steps of time. Behind the last change they stay.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Foretold {
    first_pin: u8,
    pins: u8,
    start: Picoseconds,
    step: Picoseconds,
    changes: Vec<Change>,
}

impl Foretold {
    /// Of so many `pins` from `first_pin` on, the lowest bit of a level first: a level for each step, the first of them from `start` on.
    /// Steps without a change are left out.
    ///
    /// # Panics
    /// With no pin, more than eight, or such as no chip has; without a step of time or without a level.
    pub fn new(
        (first_pin, pins): (u8, u8),
        (start, step): (Picoseconds, Picoseconds),
        levels: impl IntoIterator<Item = u8>,
    ) -> Self {
        assert!((1..=8).contains(&pins) && first_pin + pins <= 32, "a level has 1 to 8 pins");
        assert!(step > Picoseconds::ZERO, "a step takes time");
        let levels = levels.into_iter();
        let mut changes: Vec<Change> = Vec::with_capacity(levels.size_hint().0);
        for (levels, step) in levels.zip(0..) {
            if changes.last().is_none_or(|last| last.levels != levels) {
                changes.push(Change { step, levels });
            }
        }
        assert!(!changes.is_empty(), "there is a level to come");
        Self { first_pin, pins, start, step, changes }
    }

    /// The pins, a bit each.
    pub fn mask(&self) -> u32 {
        (u32::MAX >> (32 - u32::from(self.pins))) << self.first_pin
    }

    /// How long each step takes.
    pub fn step(&self) -> Picoseconds {
        self.step
    }

    /// The first change from `from` on that comes later than at a time.
    pub fn first_after(&self, from: usize, at: Picoseconds) -> usize {
        let steps = (at - self.start).ps().div_euclid(self.step.ps());
        let rest = self.changes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|change| i64::from(change.step) <= steps).count()
    }

    /// The step with which a change comes.
    #[inline]
    pub fn step_of(&self, change: usize) -> Option<u64> {
        self.changes.get(change).map(|change| change.step.into())
    }

    /// When a change comes.
    #[inline]
    pub fn at(&self, change: usize) -> Option<Picoseconds> {
        let step = self.step_of(change)?;
        Some(self.start + Picoseconds::new(self.step.ps() * step as i64))
    }

    /// When the last change comes.
    pub fn end(&self) -> Picoseconds {
        self.at(self.changes.len() - 1).unwrap_or(self.start)
    }

    /// The levels from a change on, each at the bit of its pin; those of the last one behind it.
    #[inline]
    pub fn levels(&self, change: usize) -> u32 {
        let last = self.changes.len() - 1;
        u32::from(self.changes[change.min(last)].levels) << self.first_pin
    }

    /// The first change, from `from` on, with which one of these pins (a bit each) gets this level or has it already.
    pub fn first_with(&self, from: usize, pins: u32, is_high: bool) -> Option<usize> {
        (from..self.changes.len()).find(|&change| (self.levels(change) & pins != 0) == is_high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(levels: &[u8]) -> Foretold {
        let times = (Picoseconds::from_ns(100), Picoseconds::from_ns(20));
        Foretold::new((6, 3), times, levels.iter().copied())
    }

    #[test]
    fn steps_without_a_change_are_left_out() {
        let foretold = of(&[4, 4, 5, 5, 5, 0]);
        let change = |n| Some((foretold.at(n)?.ps() / 1000, foretold.levels(n) >> 6));
        let changes = (0..).map_while(change);
        assert_eq!(changes.collect::<Vec<_>>(), [(100, 4), (140, 5), (200, 0)]);
        assert_eq!((foretold.mask(), foretold.end()), (0b111 << 6, Picoseconds::from_ns(200)));
        assert_eq!((foretold.at(3), foretold.levels(3)), (None, 0));
        let after = [99, 100, 139, 140, 900].map(|ns| foretold.first_after(0, Picoseconds::from_ns(ns)));
        assert_eq!(after, [0, 1, 1, 2, 3]);
    }

    #[test]
    fn it_is_known_from_when_on_a_pin_is_low() {
        let foretold = of(&[4, 5, 1, 5, 1]);
        assert_eq!(foretold.first_with(0, 1 << 8, false), Some(2));
        assert_eq!(foretold.first_with(3, 1 << 8, false), Some(4));
        assert_eq!(foretold.first_with(0, 1 << 7, true), None);
    }
}
