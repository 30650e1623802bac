//! What a chip puts on a serial line to another board. A UART decides on a whole character when its start bit begins, so
//! that the levels of the line are known up to the end of the character before they are there.

use units::Picoseconds;

use crate::Edge;

/// A character of a UART on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Character {
    /// The pin that it leaves.
    pub pin: u8,
    /// The beginning of its start bit.
    pub start: Picoseconds,
    /// The end of its last stop bit.
    pub end: Picoseconds,
    /// Its data bits, the first one lowest.
    pub byte: u8,
}

/// What left on lines since somebody asked last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outgoing {
    /// Changes of level, of each line in the order of time; those of characters under way lie in the future.
    pub edges: Vec<Edge>,
    /// The characters of UARTs among them.
    pub characters: Vec<Character>,
}
