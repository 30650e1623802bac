//! The UART at pins that a wire joins with others of this chip: whoever is at the other end, another UART, software or a PIO
//! program, sees the levels of each bit, and is heard bit by bit. A receiver samples a bit in its middle. A falling edge that is
//! still low half a bit later is a start bit.
//!
//! Left out: that start bits are found with a sixteenth of a bit, and the filter of short pulses.

use units::Picoseconds;

use super::line::{self, Format};
use super::receiver::{Reception, word_of};
use super::registers::LCR_BRK;
use super::{BITS_SOURCE, LINE_SOURCE, Uart};
use crate::io::Io;
use crate::pins::Pins;
use mcu::Reception as _;

/// What RX brings.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct AtPins {
    under_way: Option<UnderWay>,
    /// A character whose stop bit was sampled, as UARTDR has it, and when that bit is over.
    sampled: Option<(Picoseconds, u16)>,
}

/// A character of which some bits were sampled.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct UnderWay {
    reception: Reception,
    start: Picoseconds,
    bits: u16,
    count: u32,
}

impl UnderWay {
    /// The middle of the next bit.
    fn next(&self) -> Picoseconds {
        self.start + self.reception.half_bits(2 * self.count + 1)
    }

    /// The last bit that was sampled is the stop bit.
    fn is_whole(&self) -> bool {
        self.count > self.reception.bits_before_stop()
    }

    fn frame(&self) -> mcu::Frame<Reception> {
        let Self { reception, start, bits, .. } = *self;
        mcu::Frame {
            sampled: start + reception.until_stop_sample(),
            whole: start + reception.whole(),
            bits,
            reception,
        }
    }
}

impl AtPins {
    /// When RX is to be looked at again.
    fn next(&self) -> Option<Picoseconds> {
        let whole = self.sampled.map(|(whole, _)| whole);
        self.under_way.map(|character| character.next()).into_iter().chain(whole).min()
    }

    /// Samples a bit.
    fn sample(&mut self, level: bool) {
        let Some(character) = &mut self.under_way else { return };
        character.bits |= u16::from(level) << character.count;
        character.count += 1;
        let is_glitch = character.count == 1 && level;
        if character.is_whole() {
            let frame = character.frame();
            self.sampled = Some((frame.whole, word_of(&frame)));
        } else if !is_glitch {
            return;
        }
        self.under_way = None;
    }
}

impl Uart {
    /// The pins of RX at which somebody else of this chip may be, a bit each.
    pub(crate) fn listens_to(&self, pins: &Pins) -> u32 {
        let own = line::receiving(pins, self.port);
        if pins.wired_with(own) & !own == 0 { 0 } else { own }
    }

    /// The levels that peripherals see changed at some pins.
    pub(crate) fn inputs_changed(&mut self, changed: u32, io: &mut Io) {
        let own = self.listens_to(&io.pins);
        let falls = changed & own != 0 && io.pins.inputs() & own == 0;
        if falls && self.at_pins.under_way.is_none() && self.line.is_none() {
            let begin = |reception| UnderWay { reception, start: io.now, bits: 0, count: 0 };
            self.at_pins.under_way = self.reception(io).map(begin);
            self.plan_look(io);
        }
    }

    /// A bit of RX is to be sampled, or a character is over.
    pub(super) fn look_at_pins(&mut self, io: &mut Io) {
        if let Some((_, word)) = self.at_pins.sampled.take_if(|(whole, _)| *whole <= io.now) {
            self.accept(word, io);
        }
        if self.at_pins.under_way.is_some_and(|character| character.next() <= io.now) {
            let level = io.pins.inputs() & self.listens_to(&io.pins) != 0;
            self.at_pins.sample(level);
        }
        self.plan_look(io);
    }

    fn plan_look(&self, io: &mut Io) {
        if let Some(at) = self.at_pins.next() {
            io.wake_at(LINE_SOURCE[self.index()], at);
        }
    }

    /// A frame begins: its levels are to be shown where somebody sees them.
    pub(super) fn begin_at_pins(&mut self, io: &mut Io) {
        self.is_shown = line::is_joined(&io.pins, self.port);
        self.show(io);
    }

    /// TX gets the level that it has now, and is looked at again when that changes.
    pub(super) fn show(&self, io: &mut Io) {
        let Some((byte, format)) = self.shifting.filter(|_| self.is_shown) else { return };
        self.drive(io);
        if let Some((at, _)) = line::edges(&self.beat, format, byte, 0).find(|(at, _)| *at > io.now) {
            io.wake_at(BITS_SOURCE[self.index()], at);
        }
    }

    /// The level of TX.
    pub(super) fn level(&self, now: Picoseconds) -> bool {
        match self.shifting {
            Some((byte, format)) if self.is_shown => self.level_of(byte, format, now),
            shifting => self.lcr_h & LCR_BRK == 0 || shifting.is_some(),
        }
    }

    fn level_of(&self, byte: u8, format: Format, now: Picoseconds) -> bool {
        let passed = line::edges(&self.beat, format, byte, 0).take_while(|(at, _)| *at <= now);
        passed.last().is_none_or(|(_, level)| level)
    }
}
