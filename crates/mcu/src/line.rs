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

/// The serial lines and wires between a chip and that of another board. A chip without UARTs has none, and need not say anything.
pub trait Lines {
    /// A line to another board begins at a pin.
    fn begin_line(&mut self, pin: u8) {
        let _ = pin;
    }

    /// A wire to another board begins at a pin: not what the chip drives goes out there, but the level that the pin has.
    fn begin_wire(&mut self, pin: u8) {
        let _ = pin;
    }

    /// A line from another board ends at the receiving pin of a UART; false where a pin is none.
    fn end_line(&mut self, pin: u8) -> bool {
        let _ = pin;
        false
    }

    /// Takes what left on lines since the last call.
    fn take_lines(&mut self) -> Outgoing {
        Outgoing::default()
    }

    /// Up to and including which time the levels of a line from a pin are all that were taken, if the chip has run to a time
    /// (or slept through it) and to the present.
    fn line_known_to(&mut self, pin: u8, ran_to: Picoseconds) -> Picoseconds {
        let _ = pin;
        ran_to
    }

    /// The changes of level on the line that ends at a pin, up to and including a time, from those told before on.
    ///
    /// # Errors
    /// The time at which a character was whole, where the chip was looked at since.
    fn hear_line(&mut self, pin: u8, edges: &[Edge], known_to: Picoseconds) -> Result<(), Picoseconds> {
        let _ = (pin, edges, known_to);
        Ok(())
    }

    /// How long a character is to the UART at the receiving end of a line, as it is set now; nothing where it does not receive.
    fn received_character(&self, pin: u8) -> Option<Picoseconds> {
        let _ = pin;
        None
    }

    /// How many characters a line brought while its pin was another function's than the UART's, which saw none of them.
    fn unheard_characters(&self, pin: u8) -> u64 {
        let _ = pin;
        0
    }
}
