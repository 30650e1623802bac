//! Pulses of a clock in a row, as one thing to be told: what a controller shifts out or in bit by bit between two words.

use std::fmt::{self, Debug, Formatter};

use units::Picoseconds;

/// A data line meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataLine {
    /// Its pin.
    pub pin: u8,
    /// A level for each pulse, the first in the highest bit.
    pub levels: u32,
}

/// Pulses of a clock in an even row: in each the clock rises and falls. They stand for all that [`crate::Outside::pins_changed`]
/// would be told of the pins meanwhile.
#[derive(Clone, Copy)]
pub struct ClockPulses<'a> {
    /// The pin of the clock.
    pub clock: u8,
    /// The clock is high before the first pulse, and each falls and then rises.
    pub falls_first: bool,
    /// How many pulses: 1 to 32.
    pub count: u32,
    /// The line on which the chip shifts bits out, if it does: the levels when each pulse rises.
    pub sent: Option<DataLine>,
    /// The levels of all pins before the first pulse. Those of the others stay as they are unless they are moved in answer.
    pub levels: u32,
    /// The pins that may be driven in answer, a bit each: the chip does not, and sees of them what is driven.
    pub may_drive: u32,
    /// Those of them that may be pulled in answer: nobody drives them.
    pub may_pull: u32,
    /// When a pulse rises and falls, by its number from 0 on.
    pub times: &'a dyn Fn(u32) -> [Picoseconds; 2],
}

/// Words of such pulses behind each other, each as long as the one before. In the pulses before them the surroundings said
/// something, and go on to say it on the same line in the same way.
#[derive(Clone, Copy)]
pub struct ClockWords<'a> {
    /// The pin of the clock.
    pub clock: u8,
    /// The clock is high before the first pulse, and each falls and then rises.
    pub falls_first: bool,
    /// How many pulses each word has: 1 to 32.
    pub count: u32,
    /// The pin on which the chip shifts bits out.
    pub sent_pin: u8,
    /// Its levels when each pulse of a word rises, the first in the highest bit.
    pub sent: &'a [u32],
    /// What was said in the word before.
    pub said: Said,
    /// The levels of all pins before the first pulse.
    pub levels: u32,
    /// As for [`ClockPulses`].
    pub may_drive: u32,
    /// As for [`ClockPulses`].
    pub may_pull: u32,
    /// When a pulse of a word rises and falls, by the numbers of both from 0 on.
    pub times: &'a dyn Fn(usize, u32) -> [Picoseconds; 2],
}

/// What the surroundings made of [`ClockPulses`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer {
    /// How many pulses they took. The next one is told edge by edge.
    pub count: u32,
    /// What they said meanwhile; nothing where they left all pins as they were.
    pub said: Option<Said>,
}

/// What the surroundings say in [`ClockPulses`]: a level in each that they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// The line, and the levels that it has from that edge of each pulse on at which they speak.
    pub line: DataLine,
    /// Whether they speak at the rise, and not at the fall.
    pub at_rise: bool,
    /// They pull the line through a resistor, and do not drive it.
    pub is_pulled: bool,
}

/// Pins that are spoken over in [`ClockPulses`], a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Patience {
    /// Those of [`crate::Outside::listens_to`] whose changes may be told late, in their order and with their times. What the
    /// surroundings do about one shows at the pins of `moved` alone. So does what they do later of their own accord because of
    /// one, unless it comes a millisecond later at the earliest.
    pub heard: u32,
    /// The pins that they may pull or drive in answer.
    pub moved: u32,
}

impl ClockPulses<'_> {
    /// The levels of a pin when each pulse rises, the first in the highest bit, if nobody moves it in answer.
    pub fn levels_of(&self, pin: u8) -> u32 {
        match self.sent {
            Some(line) if line.pin == pin => line.levels,
            _ => 0u32.wrapping_sub(self.levels >> pin & 1),
        }
    }

    /// When a pulse rises.
    pub fn rise(&self, number: u32) -> Picoseconds {
        (self.times)(number)[0]
    }

    /// When it falls.
    pub fn fall(&self, number: u32) -> Picoseconds {
        (self.times)(number)[1]
    }
}

impl ClockWords<'_> {
    /// As many words as are told at once.
    pub const MOST: usize = 128;
}

impl Debug for ClockWords<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { clock, count, sent, .. } = self;
        write!(formatter, "{} words of {count} pulses of {clock}", sent.len())
    }
}

impl Debug for ClockPulses<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { clock, count, sent, .. } = self;
        write!(formatter, "{count} pulses of {clock} with {sent:x?}")
    }
}
