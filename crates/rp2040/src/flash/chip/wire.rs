//! The wire of the flash chip: the select line and the clocks, by which a command comes in part by part and its data go out. What
//! a command answers and does is in `effects`.

use units::Picoseconds;

use super::{ERASED, FlashChip, PAGE_BYTES, Phase};
use crate::flash::command::{self as c, Shape};

/// Mode bits M5 and M4 and the value that keeps the chip reading (datasheet 8.2.12).
const MODE_MASK: u8 = 0x30;
const MODE_CONTINUOUS: u8 = 0x20;

impl FlashChip {
    /// The select line falls.
    pub fn select(&mut self, _now: Picoseconds) {
        if self.selected {
            return;
        }
        self.selected = true;
        self.data_bytes = 0;
        self.enter(Phase::Opcode);
        if let Some((opcode, shape)) = self.continuous.and_then(|read| Some((read, Shape::of(read)?))) {
            (self.opcode, self.shape) = (opcode, shape);
            self.enter(Phase::Address);
        }
    }

    /// The select line rises: what was received whole is carried out.
    pub fn deselect(&mut self, now: Picoseconds) {
        if !self.selected {
            return;
        }
        self.selected = false;
        let whole = match self.phase {
            Phase::Complete => true,
            Phase::Input => self.bits == 0 && self.data_bytes > 0,
            // Release from power-down needs no more than its opcode.
            Phase::Address | Phase::Output => self.opcode == c::RELEASE_POWER_DOWN,
            _ => false,
        };
        if whole {
            self.carry_out(now);
        }
    }

    /// One clock: the four lines as the controller drives them; the answer is what the chip drives (one-line data
    /// come on line 1).
    pub fn clock(&mut self, now: Picoseconds, lines: u8) -> u8 {
        if !self.selected {
            return 0;
        }
        match self.phase {
            Phase::Opcode => {
                if self.shift_in(lines, 1, 8) {
                    self.begin(now, self.shift as u8);
                }
            }
            Phase::Address => {
                if self.shift_in(lines, self.shape.address_lines, 24) {
                    self.address = self.shift & 0xff_ffff;
                    self.after_address();
                }
            }
            Phase::Mode => {
                if self.shift_in(lines, self.shape.address_lines, 8) {
                    let stays = self.shift as u8 & MODE_MASK == MODE_CONTINUOUS;
                    self.continuous = stays.then_some(self.opcode);
                    self.after_mode();
                }
            }
            Phase::Dummy => {
                self.dummy_left -= 1;
                if self.dummy_left == 0 {
                    self.enter(Phase::Output);
                }
            }
            Phase::Output => return self.shift_out(now),
            Phase::Input => {
                if self.shift_in(lines, self.shape.data_lines, 8) {
                    self.take_byte(self.shift as u8);
                }
            }
            Phase::Complete => self.phase = Phase::Deaf,
            Phase::Deaf => {}
        }
        0
    }

    /// A whole command on one line: sends bytes, then receives. The boot ROM's routines work with it.
    pub fn command(&mut self, now: Picoseconds, send: &[u8], receive: &mut [u8]) {
        self.select(now);
        for &byte in send {
            self.exchange(now, byte);
        }
        for byte in receive {
            *byte = self.exchange(now, 0);
        }
        self.deselect(now);
    }

    /// Eight clocks on one line.
    pub fn exchange(&mut self, now: Picoseconds, byte: u8) -> u8 {
        (0..8).rev().fold(0, |received, bit| {
            // Nobody drives lines 1 to 3: pull-ups hold them high (RP2040 datasheet 2.8.1.2).
            received << 1 | self.clock(now, 0b1110 | byte >> bit & 1) >> 1 & 1
        })
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.shift = 0;
        self.bits = 0;
    }

    /// Shifts in from the lines; true when `wanted` bits are together.
    fn shift_in(&mut self, lines: u8, count: u8, wanted: u8) -> bool {
        let mask = (1u8 << count) - 1;
        self.shift = self.shift << count | u32::from(lines & mask);
        self.bits += count;
        if self.bits < wanted {
            return false;
        }
        self.bits = 0;
        true
    }

    fn begin(&mut self, now: Picoseconds, opcode: u8) {
        self.opcode = opcode;
        let deaf = (self.powered_down && opcode != c::RELEASE_POWER_DOWN)
            || (self.is_busy(now) && !c::works_while_busy(opcode))
            || (c::needs_quad(opcode) && !self.quad_enabled())
            || opcode == c::MODE_RESET;
        let shape = Shape::of(opcode);
        if shape.is_none() && !deaf {
            self.note = Some(c::describe_unknown(opcode));
        }
        match shape.filter(|_| !deaf) {
            None => self.enter(Phase::Deaf),
            Some(shape) => {
                self.shape = shape;
                self.address = 0;
                if shape.address_lines > 0 { self.enter(Phase::Address) } else { self.after_mode() }
            }
        }
    }

    fn after_address(&mut self) {
        if self.shape.mode { self.enter(Phase::Mode) } else { self.after_mode() }
    }

    fn after_mode(&mut self) {
        let Shape { data_lines, input, dummy_clocks, .. } = self.shape;
        self.page = if input { [ERASED; PAGE_BYTES] } else { self.page };
        self.dummy_left = dummy_clocks;
        self.enter(match (dummy_clocks, data_lines, input) {
            (1.., ..) => Phase::Dummy,
            (0, 0, _) => Phase::Complete,
            (0, _, true) => Phase::Input,
            (0, _, false) => Phase::Output,
        });
    }

    fn shift_out(&mut self, now: Picoseconds) -> u8 {
        if self.bits == 0 {
            self.shift = u32::from(self.output_byte(now));
            self.bits = 8;
        }
        let count = self.shape.data_lines;
        self.bits -= count;
        let lines = (self.shift >> self.bits) & ((1 << count) - 1);
        if count == 1 { (lines << 1) as u8 } else { lines as u8 }
    }

    fn take_byte(&mut self, byte: u8) {
        // Programming begins anywhere in a page and wraps at its end (datasheet 8.2.13).
        let index = self.address.wrapping_add(self.data_bytes) as usize % PAGE_BYTES;
        self.page[index] = byte;
        self.data_bytes = self.data_bytes.saturating_add(1);
    }
}
