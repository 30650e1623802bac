//! gSPI at the level of pins: one clock and one line of data for both directions. A transfer begins when chip select falls, with
//! a command of 32 bits; then come the data, and a status word where the host asked for one.
//!
//! The host's bits are taken at rising edges of the clock. The chip's first one is on the line from the falling edge on that
//! ends what the host sent (CYW43362 data sheet 4.2.1.3, of a chip with the same bus). The others come out at rising edges where
//! HIGH_SPEED is set, some nanoseconds later, and at falling ones where it is not. While the chip is not selected, the line has
//! the level of its interrupt.
//!
//! Left out: times within half a pulse. A bit that comes out late is on the line from that edge on which is nearer.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::command::{Command, Function};
use crate::word_order::WordOrder;

pub(crate) const WORD_BITS: u32 = 32;
const WORD_BYTES: u32 = 4;
/// From a rising edge of the clock to the chip's next bit. Reports of clocks with which the SDK's driver starts on boards, and with
/// which it does not, leave 11.3 to 16.7 ns (pico-sdk issue 1392, cyw43-driver issue 51).
const OUTPUT_DELAY: Picoseconds = Picoseconds::new(15_800);

/// What is behind the bus.
pub(crate) trait Behind {
    /// How values are on the line now.
    fn order(&self) -> WordOrder;
    /// Whether bits come out at rising edges.
    fn is_high_speed(&self) -> bool;
    /// Bytes that come before the data of a read.
    fn delay_bytes(&self, function: Function) -> u32;
    /// Whether a status word follows the data.
    fn appends_status(&self) -> bool;
    /// That word.
    fn status(&self) -> u32;
    /// Up to four bytes of data, the lowest of `value` first, from `offset` of the transfer on.
    fn write(&mut self, at: Picoseconds, command: &Command, offset: u32, bytes: u32, value: u32);
    /// The next four bytes.
    fn read(&mut self, at: Picoseconds, command: &Command, offset: u32) -> u32;
    /// Chip select rises; so many bytes of data were moved.
    fn end(&mut self, at: Picoseconds, command: &Command, bytes: u32);
}

/// Where a transfer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Command,
    /// So many bytes came from the host.
    Write(u32),
    /// So many bytes, those of the delay among them, were handed to the line.
    Read(u32),
    /// The status word is next on the line, or on it.
    Status {
        is_out: bool,
    },
    /// Nothing else comes.
    Over,
}

/// The chip's end of the bus.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Gspi {
    is_selected: bool,
    pub(crate) phase: Phase,
    pub(crate) command: Option<Command>,
    /// The bits that came, or that are to go out, the next one the highest.
    pub(crate) shift: u32,
    pub(crate) bits: u32,
    /// What it drives while it is selected.
    out: Option<bool>,
    /// When the clock rose last.
    rose_at: Picoseconds,
    /// Its last pulse was so long that a bit that is late is nearer to the rise than to the fall.
    is_slow: bool,
}

impl Default for Gspi {
    fn default() -> Self {
        Self {
            is_selected: false,
            phase: Phase::Over,
            command: None,
            shift: 0,
            bits: 0,
            out: None,
            rose_at: Picoseconds::ZERO,
            is_slow: false,
        }
    }
}

impl Gspi {
    pub(crate) fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// The bit on the line; nothing where the host has it.
    pub(crate) fn out(&self) -> Option<bool> {
        self.out
    }

    pub(crate) fn select(&mut self, at: Picoseconds, selected: bool, behind: &mut impl Behind) {
        if selected == self.is_selected {
            return;
        }
        self.is_selected = selected;
        if selected {
            *self = Self { is_selected: true, phase: Phase::Command, ..Self::default() };
        } else {
            self.finish(at, behind);
        }
    }

    /// What was begun ends with chip select.
    fn finish(&mut self, at: Picoseconds, behind: &mut impl Behind) {
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        self.out = None;
        let Some(command) = self.command.take() else { return };
        let moved = match phase {
            Phase::Write(bytes) => bytes + self.take_rest(at, &command, bytes, behind),
            Phase::Read(bytes) => bytes.saturating_sub(behind.delay_bytes(command.function)),
            _ => command.bytes,
        };
        behind.end(at, &command, moved.min(command.bytes));
    }

    /// The bytes of a last word that did not become whole; how many.
    fn take_rest(
        &mut self,
        at: Picoseconds,
        command: &Command,
        offset: u32,
        behind: &mut impl Behind,
    ) -> u32 {
        let bytes = (self.bits / 8).min(command.bytes.saturating_sub(offset));
        if bytes != 0 {
            let value = behind.order().swap(self.shift << (WORD_BITS - self.bits));
            behind.write(at, command, offset, bytes, value);
        }
        bytes
    }

    /// The clock rises while the line has a level.
    pub(crate) fn clock_rises(&mut self, at: Picoseconds, level: bool, behind: &mut impl Behind) {
        if !self.is_selected {
            return;
        }
        self.rose_at = at;
        match self.phase {
            Phase::Command | Phase::Write(_) => self.take_bit(at, level, behind),
            Phase::Read(_) | Phase::Status { .. } if self.speaks_at_rise(behind) => self.put_bit(at, behind),
            _ => {}
        }
    }

    /// The clock falls.
    pub(crate) fn clock_falls(&mut self, at: Picoseconds, behind: &mut impl Behind) {
        if !self.is_selected {
            return;
        }
        let speaks = matches!(self.phase, Phase::Read(_) | Phase::Status { .. });
        if speaks && !self.speaks_at_rise(behind) {
            self.put_bit(at, behind);
        }
        self.end_pulse(self.rose_at, at);
    }

    /// The clock was high meanwhile.
    pub(crate) fn end_pulse(&mut self, rose_at: Picoseconds, fell_at: Picoseconds) {
        (self.rose_at, self.is_slow) = (rose_at, is_slow([rose_at, fell_at]));
    }

    /// Whether the next bit is on the line from a rise on: the first one never is. How long this pulse is shows when it ends, so
    /// it is taken to be as long as the one before.
    pub(crate) fn speaks_at_rise(&self, behind: &impl Behind) -> bool {
        self.is_slow && self.out.is_some() && behind.is_high_speed()
    }

    /// Whether the pulses are of the length of the one before, as far as it matters.
    pub(crate) fn goes_on_with(&self, pulse: [Picoseconds; 2]) -> bool {
        self.is_slow == is_slow(pulse)
    }

    fn take_bit(&mut self, at: Picoseconds, level: bool, behind: &mut impl Behind) {
        self.shift = self.shift << 1 | u32::from(level);
        self.bits += 1;
        if self.bits == WORD_BITS {
            self.word_is_complete(at, behind);
        }
    }

    pub(crate) fn word_is_complete(&mut self, at: Picoseconds, behind: &mut impl Behind) {
        let word = behind.order().swap(self.shift);
        (self.shift, self.bits) = (0, 0);
        self.take_word(at, word, behind);
    }

    fn take_word(&mut self, at: Picoseconds, word: u32, behind: &mut impl Behind) {
        let Some(command) = self.command else {
            let command = Command::of(word);
            self.command = Some(command);
            self.phase = if command.is_write { Phase::Write(0) } else { Phase::Read(0) };
            return;
        };
        let Phase::Write(offset) = self.phase else { return };
        let bytes = (command.bytes - offset).min(WORD_BYTES);
        behind.write(at, &command, offset, bytes, word);
        self.phase = match offset + bytes {
            moved if moved < command.bytes => Phase::Write(moved),
            _ if behind.appends_status() => Phase::Status { is_out: false },
            _ => Phase::Over,
        };
    }

    fn put_bit(&mut self, at: Picoseconds, behind: &mut impl Behind) {
        if self.bits == 0 && !self.take_up_word(at, behind) {
            self.out = None;
            return;
        }
        self.put_first(1);
    }

    /// The next word goes to the line; false where there is none.
    pub(crate) fn take_up_word(&mut self, at: Picoseconds, behind: &mut impl Behind) -> bool {
        let Some(word) = self.next_word(at, behind) else { return false };
        (self.shift, self.bits) = (behind.order().swap(word), WORD_BITS);
        true
    }

    /// Bits of the present word go over the line; the last one of them stays there.
    pub(crate) fn put_first(&mut self, bits: u32) {
        self.out = Some(self.shift >> (WORD_BITS - bits) & 1 == 1);
        self.shift = self.shift.checked_shl(bits).unwrap_or(0);
        self.bits -= bits;
    }

    /// Whether no word follows the present one.
    pub(crate) fn has_said_all(&self, behind: &impl Behind) -> bool {
        let Some(command) = self.command else { return true };
        match self.phase {
            Phase::Read(sent) => {
                let delay = behind.delay_bytes(command.function);
                sent >= delay && sent - delay >= command.bytes && !behind.appends_status()
            }
            Phase::Status { is_out } => is_out || !behind.appends_status(),
            _ => true,
        }
    }

    /// The next word for the line.
    fn next_word(&mut self, at: Picoseconds, behind: &mut impl Behind) -> Option<u32> {
        let command = self.command?;
        if let Phase::Read(sent) = self.phase {
            let delay = behind.delay_bytes(command.function);
            if sent < delay {
                self.phase = Phase::Read(sent + WORD_BYTES.min(delay - sent));
                return Some(0);
            }
            if sent - delay < command.bytes {
                self.phase = Phase::Read(sent + WORD_BYTES);
                return Some(behind.read(at, &command, sent - delay));
            }
        }
        let is_out = matches!(self.phase, Phase::Status { is_out: true });
        if is_out || !behind.appends_status() {
            self.phase = Phase::Over;
            return None;
        }
        self.phase = Phase::Status { is_out: true };
        Some(behind.status())
    }
}

/// Whether a bit that comes out late in a pulse, from its rise to its fall, is nearer to the rise.
fn is_slow([rise, fall]: [Picoseconds; 2]) -> bool {
    fall - rise > OUTPUT_DELAY + OUTPUT_DELAY
}
