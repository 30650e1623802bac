//! The chip as a debugger has it: memory by GDB's addresses, registers, breakpoints, and a core that is held.

use mcu::{MemoryError, Sleep, Watchpoint};

use super::{Avr, DATA, EEPROM};
use crate::core::{Bus, EIND, FIRST_IO, RAMPZ, SPH, SPL, SREG};

/// Registers by GDB's numbers: R0 to R31, and these.
pub(crate) const SREG_NUMBER: usize = 32;
pub(crate) const SP_NUMBER: usize = 33;
pub(crate) const PC_NUMBER: usize = 34;

impl Avr {
    pub(crate) fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        (0..length as u32).map(|offset| self.byte(address.wrapping_add(offset))).collect()
    }

    fn byte(&self, address: u32) -> Result<u8, MemoryError> {
        let nothing = MemoryError(address);
        match address {
            0..DATA => self.io.devices.program.bytes.get(address as usize).copied().ok_or(nothing),
            DATA..EEPROM => self.data((address - DATA) as u16).ok_or(nothing),
            _ => self.io.devices.eeprom.bytes.get((address - EEPROM) as usize).copied().ok_or(nothing),
        }
    }

    fn data(&self, address: u16) -> Option<u8> {
        let core = &self.state.core;
        match address {
            0..FIRST_IO => Some(core.r[usize::from(address)]),
            SPL => Some(core.sp as u8),
            SPH => Some((core.sp >> 8) as u8),
            SREG => Some(core.sreg),
            RAMPZ if self.part.flash_bytes > 64 << 10 => Some(core.rampz),
            EIND if self.part.long_pc => Some(core.eind),
            _ if address < self.part.ram_start => Some(self.io.peek(address, core.cycle)),
            _ => self.state.ram.get(usize::from(address - self.part.ram_start)).copied(),
        }
    }

    pub(crate) fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        for (offset, &byte) in (0..).zip(bytes) {
            let address = address.wrapping_add(offset);
            let done = match address {
                0..DATA => self.put_flash(address, &[byte]),
                DATA..EEPROM => self.set_data((address - DATA) as u16, byte),
                _ => self.put_eeprom((address - EEPROM) as usize, &[byte]),
            };
            if !done {
                return Err(MemoryError(address));
            }
        }
        Ok(())
    }

    fn set_data(&mut self, address: u16, byte: u8) -> bool {
        let core = &mut self.state.core;
        match address {
            0..FIRST_IO => core.r[usize::from(address)] = byte,
            SPL => core.sp = core.sp & 0xff00 | u16::from(byte),
            SPH => core.sp = core.sp & 0x00ff | u16::from(byte) << 8,
            SREG => core.sreg = byte,
            RAMPZ if self.part.flash_bytes > 64 << 10 => core.rampz = byte,
            EIND if self.part.long_pc => core.eind = byte,
            _ if address < self.part.ram_start => {
                let cycle = core.cycle;
                self.io.accessed_from(core.pc);
                self.io.write(address, byte, cycle);
            }
            _ => {
                let place = self.state.ram.get_mut(usize::from(address - self.part.ram_start));
                return place.map(|place| *place = byte).is_some();
            }
        }
        true
    }

    pub(crate) fn register(&self, number: usize) -> u32 {
        let core = &self.state.core;
        match number {
            SREG_NUMBER => core.sreg.into(),
            SP_NUMBER => core.sp.into(),
            PC_NUMBER => core.pc << 1,
            _ => core.r[number & 31].into(),
        }
    }

    pub(crate) fn set_register(&mut self, number: usize, value: u32) {
        let core = &mut self.state.core;
        match number {
            SREG_NUMBER => core.sreg = value as u8,
            SP_NUMBER => core.sp = value as u16,
            PC_NUMBER => self.set_program_counter(value),
            _ => core.r[number & 31] = value as u8,
        }
    }

    /// Goes on at an address; a core that sleeps wakes.
    pub(crate) fn set_program_counter(&mut self, address: u32) {
        self.state.core.pc = address >> 1;
        self.end_sleep();
    }

    pub(crate) fn set_breakpoints(&mut self, addresses: &[u32]) {
        self.watch.breakpoints = addresses.iter().map(|address| address >> 1).collect();
    }

    /// Those of the data space: flash is not written behind the core's back.
    pub(crate) fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        let in_data =
            |watch: Watchpoint| Some(Watchpoint { address: watch.address.checked_sub(DATA)?, ..watch });
        self.watch.watchpoints = watchpoints.into_iter().filter_map(in_data).collect();
    }

    /// Goes on from a breakpoint, or behind a BREAK of the image.
    pub(crate) fn leave_stop(&mut self) {
        let pc = self.state.core.pc;
        let code = &self.io.devices.program.code;
        if code[pc as usize % code.len()] == crate::core::Instruction::Break {
            self.state.core.pc += 1;
        } else {
            self.watch.passed = Some(pc);
        }
    }

    pub(crate) fn sleep(&self) -> Sleep {
        match self.state.asleep {
            _ if self.is_held => Sleep::Off,
            _ if self.state.is_in_reset => Sleep::Off,
            Some(_) => Sleep::Interrupt,
            None => Sleep::Awake,
        }
    }

    pub(crate) fn hold(&mut self) -> Sleep {
        let before = self.sleep();
        self.is_held = true;
        before
    }

    pub(crate) fn release(&mut self) {
        self.is_held = false;
    }
}
