//! Levels that pins get one after the other, told together.

use units::Picoseconds;

/// Levels that some pins get in a row.
#[derive(Debug, Clone, Copy)]
pub struct LevelRow<'a> {
    /// The levels of all pins before that, a bit for each GPIO.
    pub before: u32,
    /// When they get others, and which, in order.
    pub levels: &'a [(Picoseconds, u32)],
}

impl LevelRow<'_> {
    /// Each change: when, which pins change, and the levels of all behind it.
    pub fn changes(&self) -> impl Iterator<Item = (Picoseconds, u32, u32)> {
        let before = std::iter::once(self.before).chain(self.levels.iter().map(|&(_, levels)| levels));
        self.levels.iter().zip(before).map(|(&(at, levels), before)| (at, before ^ levels, levels))
    }

    /// The pins that change at all.
    pub fn changed(&self) -> u32 {
        self.changes().fold(0, |all, (_, changed, _)| all | changed)
    }

    /// The levels behind the last change.
    pub fn last(&self) -> u32 {
        self.levels.last().map_or(self.before, |&(_, levels)| levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_told_with_the_pins_that_changed() {
        let at = Picoseconds::from_ns;
        let levels = [(at(10), 0b110), (at(30), 0b010), (at(40), 0b011)];
        let row = LevelRow { before: 0b100, levels: &levels };
        let changes: Vec<_> = row.changes().collect();
        assert_eq!(changes, [(at(10), 0b010, 0b110), (at(30), 0b100, 0b010), (at(40), 0b001, 0b011)]);
        assert_eq!((row.changed(), row.last()), (0b111, 0b011));
    }

    #[test]
    fn a_row_without_levels_changes_nothing() {
        let row = LevelRow { before: 5, levels: &[] };
        assert_eq!((row.changes().count(), row.changed(), row.last()), (0, 0, 5));
    }
}
