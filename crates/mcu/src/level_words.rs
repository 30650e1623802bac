//! Bits that some pins show one group after the other, evenly, told together: words of a parallel bus that is clocked elsewhere.

use units::Picoseconds;

use crate::level_row::LevelRow;

/// Levels that neighbouring pins get evenly.
#[derive(Debug, Clone, Copy)]
pub struct LevelWords<'a> {
    /// The levels of all pins before that, a bit for each GPIO.
    pub before: u32,
    /// When the first levels come, and how far all are apart.
    pub start: Picoseconds,
    /// See `start`.
    pub step: Picoseconds,
    /// The first of the pins, and how many there are: 1, 2, 4, 8 or 16.
    pub pin: u8,
    /// See `pin`.
    pub bits: u8,
    /// The bits, the first ones in the lowest place of the first word.
    pub words: &'a [u32],
    /// Steps that come a little earlier than that, in order: their numbers, and when they come.
    pub early: &'a [(usize, Picoseconds)],
}

impl LevelWords<'_> {
    /// The bits for all pins, those of each step in turn.
    fn steps(&self) -> impl Iterator<Item = u32> {
        let (bits, mask) = (u32::from(self.bits), u32::MAX >> (32 - u32::from(self.bits)));
        self.words.iter().flat_map(move |word| (0..32 / bits).map(move |step| word >> (step * bits) & mask))
    }

    /// The levels that differ from those before them, and when they come.
    pub fn changes(&self) -> impl Iterator<Item = (Picoseconds, u32)> {
        let (others, mut before) = (self.before & !self.mask(), self.before);
        self.steps().enumerate().filter_map(move |(number, bits)| {
            let levels = others | bits << self.pin;
            (std::mem::replace(&mut before, levels) != levels).then(|| (self.at(number), levels))
        })
    }

    /// The same as a row, for those who take no words.
    pub fn in_row(&self, take: impl FnOnce(&LevelRow<'_>)) {
        let levels: Vec<_> = self.changes().collect();
        take(&LevelRow { before: self.before, levels: &levels });
    }

    /// When a step comes.
    fn at(&self, number: usize) -> Picoseconds {
        let early = self.early.iter().find(|(early, _)| *early == number).map(|&(_, at)| at);
        early.unwrap_or(self.start + Picoseconds::new(self.step.ps() * number as i64))
    }

    /// The pins that get them.
    pub fn mask(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.bits)) << self.pin
    }

    /// The levels of all pins behind the last ones.
    pub fn last(&self) -> u32 {
        let last = self.words.last().map(|word| word >> (32 - u32::from(self.bits)) << self.pin);
        last.map_or(self.before, |last| self.before & !self.mask() | last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bits_are_in_the_lowest_place_and_only_changes_are_told() {
        let at = Picoseconds::from_ns;
        let words = [0x0000_00b4, 0xc000_0000];
        let row = LevelWords {
            before: 0b1_0000,
            start: at(100),
            step: at(20),
            pin: 1,
            bits: 2,
            words: &words,
            early: &[(2, at(139)), (7, at(239))],
        };
        let levels = |bits: u32| 0b1_0000 | bits << 1;
        let changes: Vec<_> = row.changes().collect();
        // 0b10_11_01_00, then zeros, and at the very end 0b11.
        let expected = [(120, 0b01), (139, 0b11), (160, 0b10), (180, 0b00), (100 + 31 * 20, 0b11)];
        assert_eq!(changes, expected.map(|(ns, bits)| (at(ns), levels(bits))));
        assert_eq!((row.mask(), row.last()), (0b110, levels(0b11)));
        assert_eq!(row.steps().count(), 32);
    }

    #[test]
    fn words_of_which_there_are_none_change_nothing() {
        let row = LevelWords {
            before: 5,
            start: Picoseconds::ZERO,
            step: Picoseconds::ZERO,
            pin: 0,
            bits: 1,
            words: &[],
            early: &[],
        };
        assert_eq!((row.changes().count(), row.last()), (0, 5));
    }
}
