//! The SPI at pins that a wire joins with others of this chip: SCK and TX have the levels of each bit, and what is received is the
//! level that RX has at the edges of SCK that capture (RP2040 datasheet 4.4.3.10 to 4.4.3.13).

use super::pace::Instant;
use super::{BITS_SOURCE, Spi, wires};
use crate::io::Io;
use crate::pins::Pins;

/// A frame whose bits are at the pins.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct AtPins {
    /// When the next half of a bit begins, and which one it is of the frame.
    next: Instant,
    halves: u8,
    /// What RX was at the edges that capture.
    heard: u16,
    /// The frame is over, and TX falls to its level at rest.
    is_over: bool,
}

impl Spi {
    /// The pins of RX at which somebody else of this chip may be, a bit each.
    pub(crate) fn listens_to(&self, pins: &Pins) -> u32 {
        wires::joined_receiver(pins, self.port)
    }

    /// Bits begin at an instant, which are to be seen where a wire leads from here.
    #[inline]
    pub(super) fn begin_at_pins(&mut self, first: Instant, io: &mut Io) {
        self.at_pins = None;
        if wires::is_joined(&io.pins, self.port) {
            self.at_pins = Some(AtPins { next: first, halves: 0, heard: 0, is_over: false });
            io.wake_at(BITS_SOURCE[self.index()], first.time());
        }
    }

    /// Half a bit begins. With SPH = 0 the first edge of SCK lies in the middle of a bit, with SPH = 1 at its start; what captures
    /// is the edge in the middle.
    pub(super) fn begin_half(&mut self, io: &mut Io) {
        let Some(mut frame) = self.at_pins else { return };
        if frame.is_over {
            wires::drive_data(io, self.port, false);
            self.at_pins = None;
            return;
        }
        let is_middle = frame.halves % 2 == 1;
        let is_active = is_middle != self.pace.captures_second();
        if is_middle {
            frame.heard = frame.heard << 1 | u16::from(wires::hears(&io.pins, self.port));
        } else {
            let shift = self.pace.word_bits - 1 - frame.halves / 2;
            wires::drive_data(io, self.port, self.shifting >> shift & 1 == 1);
        }
        wires::drive_clock(io, self.port, is_active != self.pace.sck_at_rest());
        frame.halves += 1;
        frame.next = self.pace.after(frame.next, self.pace.half());
        if frame.halves < 2 * self.pace.word_bits {
            io.wake_at(BITS_SOURCE[self.index()], frame.next.time());
        }
        self.at_pins = Some(frame);
    }

    /// The last bit of a frame ends; gives what was heard at RX, where that is joined with others of this chip.
    pub(super) fn end_at_pins(&mut self, io: &mut Io) -> Option<u16> {
        let frame = self.at_pins.as_mut()?;
        let heard = self.pace.mask(frame.heard);
        wires::drive_clock(io, self.port, self.pace.sck_at_rest());
        frame.is_over = true;
        if self.tx.is_empty() || !self.is_running() {
            let at_rest = self.pace.after(self.due, self.pace.trail);
            io.wake_at(BITS_SOURCE[self.index()], at_rest.time());
        }
        (self.listens_to(&io.pins) != 0).then_some(heard)
    }
}
