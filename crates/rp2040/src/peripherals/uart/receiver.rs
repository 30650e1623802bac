//! The receiver on a line from another board: what it makes of a frame ([`LineEnd`]). A stop bit that is low is a framing error, or a
//! break where all before it was low too (Arm PrimeCell UART PL011, DDI 0183, 2.4 and 3.3.1). Then it waits for a high level and
//! the next start bit.
//!
//! Left out: that the chip has a character half a bit earlier, when its stop bit has been sampled.

use mcu::{Edge, LineEnd, Next};
use units::{PS_PER_S, Picoseconds};

use super::line::Format;
use super::registers::{DR_BE, DR_FE, DR_PE};

/// How characters are received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Reception {
    pub(super) format: Format,
    /// Of the clock, in 1/64: a bit has 16 times as many cycles.
    pub(super) divider: u32,
    pub(super) hz: u64,
}

impl mcu::Reception for Reception {
    fn half_bits(&self, count: u32) -> Picoseconds {
        let ps = u128::from(count) * u128::from(self.divider) * PS_PER_S as u128 / (8 * u128::from(self.hz));
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 4))
    }

    fn bits_before_stop(&self) -> u32 {
        self.format.bits_before_stop()
    }
}

/// What can be said of the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is there.
    Character {
        /// When its stop bit is sampled.
        sampled: Picoseconds,
        /// When its stop bit is over.
        whole: Picoseconds,
        /// As UARTDR has it, with its errors.
        word: u16,
    },
    /// The chip may run up to this time; then more of the line has to be known.
    Unknown(Picoseconds),
    /// The receiver is off.
    Nothing,
}

/// The end of a line.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    pub(super) pin: u8,
    /// Characters that came while the pin was another function's.
    pub(super) unheard: u64,
    end: LineEnd<Reception>,
}

impl Receiver {
    /// The end of a line that was idle until now, at a pin.
    pub(super) fn new(pin: u8, at: Picoseconds, reception: Option<Reception>) -> Self {
        Self { pin, unheard: 0, end: LineEnd::new(at, reception) }
    }

    /// Characters that begin from now on are received like that.
    pub(super) fn set(&mut self, at: Picoseconds, reception: Option<Reception>) {
        self.end.set(at, reception);
    }

    /// More is known of the line.
    pub(super) fn hear(&mut self, edges: &[Edge], known_to: Picoseconds) {
        self.end.hear(edges, known_to);
    }

    /// A character was received, whose stop bit was sampled then.
    pub(super) fn take(&mut self, sampled: Picoseconds) {
        self.end.take(sampled);
    }

    /// What comes next on the line.
    pub(super) fn look(&self) -> Seen {
        match self.end.look() {
            Next::Frame(frame) => {
                Seen::Character { sampled: frame.sampled, whole: frame.whole, word: word_of(&frame) }
            }
            Next::Unknown(at) => Seen::Unknown(at),
            Next::Nothing => Seen::Nothing,
        }
    }
}

/// A frame as UARTDR has it, with its errors.
pub(super) fn word_of(frame: &mcu::Frame<Reception>) -> u16 {
    let format = frame.reception.format;
    let stop = format.bits_before_stop();
    let byte = frame.data(format.word_bits()) as u8;
    let has_stop = frame.bit(stop);
    let is_right = format.parity_bit(byte).is_none_or(|parity| parity == frame.bit(stop - 1));
    let is_low = frame.data(stop - 1) == 0;
    let errors = match (has_stop, is_low) {
        (false, true) => DR_BE | DR_FE,
        (has_stop, _) => (if has_stop { 0 } else { DR_FE }) | (if is_right { 0 } else { DR_PE }),
    };
    u16::from(byte) | errors as u16
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
