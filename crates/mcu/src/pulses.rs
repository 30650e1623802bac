//! ClockPulses of a clock in a row, as one thing to be told: what a controller shifts out or in bit by bit between two words.

use std::fmt::{self, Debug, Formatter};

use units::Picoseconds;

/// ClockPulses on a pin in an even row: each rises and then falls. They stand for all that [`crate::Outside::pins_changed`] would be
/// told of the two pins meanwhile.
#[derive(Clone, Copy)]
pub struct ClockPulses<'a> {
    /// The pin of the clock, which is low before the first pulse.
    pub clock: u8,
    /// The pin of the data.
    pub data: u8,
    /// How many pulses: 1 to 32.
    pub count: u32,
    /// Where the chip drives the data: their level when each pulse rises, the first in the highest bit. Nothing where it
    /// leaves them to whoever answers.
    pub sent: Option<u32>,
    /// When a pulse rises and falls, by its number from 0 on.
    pub times: &'a dyn Fn(u32) -> [Picoseconds; 2],
}

/// What the surroundings made of [`ClockPulses`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer {
    /// How many pulses they took. The next one is told edge by edge.
    pub count: u32,
    /// The level to which they pull the data after that edge of each pulse at which they speak, the first in the highest bit;
    /// nothing where they leave it as it is.
    pub levels: Option<u32>,
    /// Whether they speak at the rise, and not at the fall.
    pub at_rise: bool,
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
    /// When a pulse rises.
    pub fn rise(&self, number: u32) -> Picoseconds {
        (self.times)(number)[0]
    }

    /// When it falls.
    pub fn fall(&self, number: u32) -> Picoseconds {
        (self.times)(number)[1]
    }
}

impl Debug for ClockPulses<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { clock, data, count, sent, .. } = self;
        write!(formatter, "{count} pulses of {clock} with {data} at {sent:x?}")
    }
}
