//! The EEPROM (ATmega328P datasheet, "EEPROM Data Memory"): a read halts the core for 4 cycles, the start of a write for 2; a
//! byte takes 3.4 ms, or 1.8 ms where it is only erased or only written. EEMPE opens a window of 4 cycles for EEPE.

use super::{NEVER, has};

const EEPM: u8 = 0x30;
const EERIE: u8 = 3;
const EEMPE: u8 = 1 << 2;
const EEPE: u8 = 1 << 1;
const EERE: u8 = 1 << 0;
const WINDOW_CYCLES: u64 = 4;
const READ_CYCLES: u64 = 4;
const WRITE_CYCLES: u64 = 2;
const BOTH_US: u64 = 3_400;
const ONE_US: u64 = 1_800;
const ERASED: u8 = 0xff;

/// The EEPROM.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Eeprom {
    pub(crate) bytes: Vec<u8>,
    control: u8,
    data: u8,
    address: u16,
    window_until: u64,
    busy_until: u64,
    /// How often a byte was read that nothing was written to.
    pub(crate) erased_reads: u32,
}

impl Eeprom {
    pub(crate) fn new(bytes: u16) -> Self {
        Self {
            bytes: vec![ERASED; bytes.into()],
            control: 0,
            data: 0,
            address: 0,
            window_until: 0,
            busy_until: NEVER,
            erased_reads: 0,
        }
    }

    pub(crate) fn reset(&mut self) {
        (self.control, self.window_until) = (0, 0);
    }

    pub(crate) fn next(&self) -> u64 {
        self.busy_until
    }

    /// It is ready, as a level.
    pub(crate) fn interrupts(&self) -> bool {
        has(self.control, EERIE) && self.busy_until == NEVER
    }

    pub(crate) fn advance(&mut self, cycle: u64) {
        if self.busy_until <= cycle {
            self.busy_until = NEVER;
        }
    }

    pub(crate) fn read(&self, register: u8, cycle: u64) -> u8 {
        match register {
            0 => {
                let busy = if self.busy_until == NEVER { 0 } else { EEPE };
                let window = if cycle < self.window_until { EEMPE } else { 0 };
                self.control | busy | window
            }
            1 => self.data,
            2 => self.address as u8,
            _ => (self.address >> 8) as u8,
        }
    }

    /// Writes a register; `cycles_of` knows how many cycles some microseconds are. The cycles for which the core is halted.
    pub(crate) fn write(
        &mut self,
        register: u8,
        value: u8,
        cycle: u64,
        cycles_of: impl Fn(u64) -> u64,
    ) -> u64 {
        match register {
            0 => return self.control(value, cycle, cycles_of),
            1 => self.data = value,
            2 => self.address = self.address & 0xff00 | u16::from(value),
            _ => self.address = self.address & 0x00ff | u16::from(value) << 8,
        }
        0
    }

    fn control(&mut self, value: u8, cycle: u64, cycles_of: impl Fn(u64) -> u64) -> u64 {
        let is_idle = self.busy_until == NEVER;
        let mode = if is_idle { value & EEPM } else { self.control & EEPM };
        self.control = value & 1 << EERIE | mode;
        let place = usize::from(self.address) % self.bytes.len();
        if value & EEPE != 0 && cycle < self.window_until && is_idle {
            let byte = &mut self.bytes[place];
            let us = match mode {
                0x10 => ONE_US,
                0x20 => ONE_US,
                _ => BOTH_US,
            };
            *byte = match mode {
                0x10 => ERASED,
                0x20 => *byte & self.data,
                _ => self.data,
            };
            self.busy_until = cycle + 1 + cycles_of(us);
            self.window_until = 0;
            return WRITE_CYCLES;
        }
        if value & EEMPE != 0 && value & EEPE == 0 {
            self.window_until = cycle + 1 + WINDOW_CYCLES;
        }
        if value & EERE != 0 && is_idle {
            self.data = self.bytes[place];
            self.erased_reads = self.erased_reads.saturating_add(u32::from(self.data == ERASED));
            return READ_CYCLES;
        }
        0
    }
}
