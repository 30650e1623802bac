//! Levels that the surroundings will drive whatever happens meanwhile, as what a PHY gives at its pins while a frame passes. A chip may
//! take them ([`crate::Outside::take_foretold`]) and carry them out itself: so nobody outside need be asked at each of them.

use units::Picoseconds;

/// Levels that are looked at together.
const LEVELS_AT_ONCE: usize = 64;

/// Levels of up to eight pins in a row, in even steps of time. Behind the last change they stay.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Foretold {
    first_pin: u8,
    pins: u8,
    start: Picoseconds,
    step: Picoseconds,
    /// Of each step up to the last change, the lowest pin first.
    levels: Vec<u8>,
}

impl Foretold {
    /// Of so many `pins` from `first_pin` on, the lowest bit of a level first: a level for each step, the first of them from `start` on.
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
        let mut levels: Vec<u8> = levels.into_iter().collect();
        let last = *levels.last().expect("there is a level to come");
        let stays = levels.iter().rev().take_while(|&&level| level == last).count();
        levels.truncate(levels.len() + 1 - stays);
        Self { first_pin, pins, start, step, levels }
    }

    /// The pins, a bit each.
    pub fn mask(&self) -> u32 {
        (u32::MAX >> (32 - u32::from(self.pins))) << self.first_pin
    }

    /// How long each step takes.
    pub fn step(&self) -> Picoseconds {
        self.step
    }

    /// The steps, up to and including the last change.
    pub fn steps(&self) -> usize {
        self.levels.len()
    }

    /// The first step that comes later than at a time.
    pub fn first_after(&self, at: Picoseconds) -> usize {
        let steps = (at - self.start).ps().div_euclid(self.step.ps()) + 1;
        usize::try_from(steps).unwrap_or(0).min(self.levels.len())
    }

    /// The first step, from `from` on, that changes a level, as the first of all does.
    #[inline]
    pub fn next_change(&self, from: usize) -> Option<usize> {
        (from..self.levels.len()).find(|&step| self.is_change(step))
    }

    /// Whether a step changes a level.
    #[inline]
    pub fn is_change(&self, step: usize) -> bool {
        step == 0 || self.levels.get(step).is_some_and(|level| *level != self.levels[step - 1])
    }

    /// The first step of some behind which there are no more than so many changes, that one with them.
    pub fn last_changes(&self, steps: std::ops::Range<usize>, most: usize) -> usize {
        let changes = steps.clone().rev().filter(|&step| self.is_change(step));
        changes.take(most).last().unwrap_or(steps.end)
    }

    /// When a step begins; nothing behind the last change.
    #[inline]
    pub fn at(&self, step: usize) -> Option<Picoseconds> {
        (step < self.levels.len()).then(|| self.start + Picoseconds::new(self.step.ps() * step as i64))
    }

    /// When the last change comes.
    pub fn end(&self) -> Picoseconds {
        self.at(self.levels.len() - 1).unwrap_or(self.start)
    }

    /// The levels in a step, each at the bit of its pin; those of the last one behind it.
    #[inline]
    pub fn levels(&self, step: usize) -> u32 {
        let last = self.levels.len() - 1;
        u32::from(self.levels[step.min(last)]) << self.first_pin
    }

    /// The levels in some steps, a byte each with the first pin as its lowest bit; nothing where one of them is behind the last change.
    #[inline]
    pub fn row(&self, steps: std::ops::Range<usize>) -> Option<&[u8]> {
        self.levels.get(steps)
    }

    /// The lowest of its pins.
    pub fn first_pin(&self) -> u8 {
        self.first_pin
    }

    /// The first step, from `from` on, in which one of these pins (a bit each) has this level.
    pub fn first_with(&self, from: usize, pins: u32, is_high: bool) -> Option<usize> {
        let pins = (pins >> self.first_pin) as u8;
        let is_met = |level: &u8| (level & pins != 0) == is_high;
        let rest = self.levels.get(from..)?;
        let passed = rest
            .chunks_exact(LEVELS_AT_ONCE)
            .take_while(|levels| !levels.iter().fold(false, |met, level| met | is_met(level)));
        let passed = LEVELS_AT_ONCE * passed.count();
        rest[passed..].iter().position(is_met).map(|step| from + passed + step)
    }

    /// The pins that change in some steps, and those that do so more than once, behind the levels that were before.
    pub fn moved(&self, steps: std::ops::Range<usize>, before: u32) -> (u32, u32) {
        let row = self.levels.get(steps).unwrap_or_default();
        let mut before = (before >> self.first_pin) as u8 & u8::MAX >> (8 - self.pins);
        let first = row.first().map_or(0, |level| level ^ before);
        let all = row.iter().zip(row.get(1..).unwrap_or_default()).fold(first, |all, (a, b)| all | (a ^ b));
        let (mut changed, mut pulsed) = (0, 0);
        for &level in row {
            let moved = level ^ before;
            (pulsed, changed, before) = (pulsed | changed & moved, changed | moved, level);
            if pulsed == all {
                break;
            }
        }
        (u32::from(changed) << self.first_pin, u32::from(pulsed) << self.first_pin)
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
    fn it_ends_with_the_last_change_and_knows_each() {
        let foretold = of(&[4, 4, 5, 5, 5, 0, 0, 0]);
        let mut changes = vec![];
        while let Some(step) = foretold.next_change(changes.last().map_or(0, |&(step, _, _)| step + 1)) {
            changes.push((step, foretold.at(step), foretold.levels(step) >> 6));
        }
        let at = |ns| Some(Picoseconds::from_ns(ns));
        assert_eq!(changes, [(0, at(100), 4), (2, at(140), 5), (5, at(200), 0)]);
        assert_eq!((foretold.mask(), Some(foretold.end())), (0b111 << 6, at(200)));
        assert_eq!((foretold.steps(), foretold.at(6), foretold.levels(6)), (6, None, 0));
        let after = [-50, 99, 100, 139, 140, 900].map(|ns| foretold.first_after(Picoseconds::from_ns(ns)));
        assert_eq!(after, [0, 0, 1, 2, 3, 6]);
    }

    #[test]
    fn a_row_of_levels_ends_with_the_last_change() {
        let foretold = of(&[4, 4, 5, 0, 0]);
        assert_eq!((foretold.row(1..4), foretold.first_pin()), (Some(&[4, 5, 0][..]), 6));
        assert_eq!(foretold.row(1..5), None);
    }

    #[test]
    fn the_last_changes_are_found_from_the_end() {
        let foretold = of(&[4, 4, 5, 4, 4, 6]);
        assert_eq!([0, 1, 2, 3, 9].map(|most| foretold.last_changes(0..6, most)), [6, 5, 3, 2, 0]);
        assert_eq!(foretold.last_changes(4..5, 9), 5);
    }

    #[test]
    fn it_is_known_from_when_on_a_pin_is_low() {
        let foretold = of(&[4, 5, 1, 5, 1]);
        assert_eq!(foretold.first_with(0, 1 << 8, false), Some(2));
        assert_eq!(foretold.first_with(3, 1 << 8, false), Some(4));
        assert_eq!(foretold.first_with(0, 1 << 7, true), None);
        assert_eq!(foretold.first_with(9, 1 << 8, true), None);
    }

    #[test]
    fn a_pin_is_found_as_far_off_as_it_is() {
        for far in [0, 1, 63, 64, 65, 127, 128, 200] {
            let levels = [vec![4; far], vec![5, 4, 0]].concat();
            let foretold = of(&levels);
            assert_eq!(foretold.first_with(0, 1 << 6, true), Some(far));
            assert_eq!(foretold.first_with(far / 2, 1 << 6, true), Some(far));
            assert_eq!(foretold.first_with(far, 1 << 8, false), Some(far + 2));
            assert_eq!(foretold.first_with(far + 1, 1 << 6, true), None);
        }
    }

    #[test]
    fn it_is_known_which_pins_changed_and_which_more_than_once() {
        let foretold = of(&[4, 4, 5, 4, 6, 6]);
        assert_eq!(foretold.moved(0..5, 0), (0b111 << 6, 0b001 << 6));
        assert_eq!(foretold.moved(0..2, u32::MAX), (0b011 << 6, 0));
        assert_eq!(foretold.moved(3..5, 0b101 << 6), (0b011 << 6, 0));
    }
}
