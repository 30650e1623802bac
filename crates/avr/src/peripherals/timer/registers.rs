//! What the core reads and writes of a timer.

use super::mode::{Kind, Top};
use super::{Timer, has};

impl Timer {
    pub(crate) fn flags(&mut self, cycle: u64) -> u8 {
        self.advance(cycle);
        self.flags
    }

    pub(crate) fn clear_flags(&mut self, flags: u8, cycle: u64) {
        self.advance(cycle);
        self.flags &= !flags;
    }

    pub(crate) fn enabled(&self) -> u8 {
        self.enabled
    }

    pub(crate) fn enable(&mut self, enabled: u8, cycle: u64) {
        self.advance(cycle);
        self.enabled = enabled;
    }

    pub(crate) fn read(&mut self, register: u8, cycle: u64) -> u8 {
        self.advance(cycle);
        if !self.is_wide {
            return match register {
                0 | 1 => self.control[usize::from(register)],
                2 => self.count as u8,
                3 | 4 => self.buffered[usize::from(register - 3)] as u8,
                _ => 0,
            };
        }
        match register {
            0 | 1 => self.control[usize::from(register)],
            // The upper byte of a counter or a capture is kept when the lower one is read; that of OCRn is not.
            4 | 6 => {
                let value = if register == 4 { self.count } else { self.capture };
                self.temp = (value >> 8) as u8;
                value as u8
            }
            5 | 7 => self.temp,
            8..=13 => self.buffered[usize::from(register - 8) / 2].to_le_bytes()[usize::from(register & 1)],
            _ => 0,
        }
    }

    /// Writes a register in a cycle; it counts on from the next one.
    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) {
        self.advance(cycle + 1);
        match register {
            0 | 1 => self.control(register, value),
            _ if !self.is_wide => self.write_narrow(register, value),
            2 => self.force(value >> 5),
            5 | 7 | 9 | 11 | 13 => self.temp = value,
            _ => {
                let value = u16::from_le_bytes([value, self.temp]);
                match register {
                    4 => self.set_count(value),
                    6 => self.capture = value,
                    8 | 10 | 12 => self.set_compare(usize::from(register - 8) / 2, value),
                    _ => {}
                }
            }
        }
    }

    fn write_narrow(&mut self, register: u8, value: u8) {
        match register {
            2 => self.set_count(value.into()),
            3 | 4 => self.set_compare(usize::from(register - 3), value.into()),
            _ => {}
        }
    }

    fn control(&mut self, register: u8, value: u8) {
        self.control[usize::from(register)] =
            if self.is_wide || register == 0 { value } else { value & 0x0f };
        if !matches!(self.mode().kind, Kind::Phase { .. }) {
            self.counts_up = true;
        }
        if self.mode().kind == Kind::Plain {
            self.compare = self.buffered;
        }
        if !self.is_wide && register == 1 {
            self.force((value >> 7 & 1) << 2 | (value >> 6 & 1) << 1);
        }
    }

    /// FOCnA to FOCnC, from bit 2 down: the output acts as at a match, in the modes that are no PWM.
    fn force(&mut self, outputs: u8) {
        let mode = self.mode();
        for output in
            self.channels().filter(|output| mode.kind == Kind::Plain && has(outputs, 2 - *output as u8))
        {
            self.act(output, mode);
        }
    }

    fn set_count(&mut self, value: u16) {
        self.count = value;
        self.is_blocked = true;
    }

    /// A fixed TOP of PWM masks what is written ("Phase Correct PWM Mode" and "Fast PWM Mode" of the 16-bit timers).
    fn set_compare(&mut self, output: usize, value: u16) {
        let mode = self.mode();
        self.buffered[output] = match mode.top {
            Top::Fixed(top) if mode.kind != Kind::Plain => value & top,
            _ => value,
        };
        if mode.kind == Kind::Plain {
            self.compare = self.buffered;
        }
    }
}
