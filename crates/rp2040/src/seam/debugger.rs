//! The RP2040 as a debugger has it, with its registers by the numbers that GDB gives them, and its memories.

use cortexm::gdb::{self, CONTROL, MSP, PC, PRIMASK, PSP, XPSR};
use mcu::{Debugger, GdbFacts, GdbRegion, MemoryError, Observer, SetupError, Sleep, Stop, Watchpoint};

use crate::chip::Rp2040;

/// The upper byte of BKPT, and its length.
const BKPT: u8 = 0xbe;
const BKPT_BYTES: u32 = 2;

/// RP2040 datasheet 2.2.
const REGIONS: [GdbRegion; 9] = [
    region("rom", 0x0000_0000, 0x4000),
    region("rom", 0x1100_0000, 0x0300_0000),
    region("ram", 0x1400_0000, 0x0100_4000),
    region("ram", 0x1800_0000, 0x0010_0000),
    region("ram", 0x2000_0000, 0x0004_2000),
    region("ram", 0x2100_0000, 0x0004_0000),
    region("ram", 0x4000_0000, 0x1fff_ffff),
    region("ram", 0xd000_0000, 0x1000_0000),
    region("ram", 0xe000_0000, 0x0010_0000),
];

pub(crate) const GDB: GdbFacts = GdbFacts {
    description: gdb::DESCRIPTION,
    registers: &gdb::REGISTERS,
    pc: PC,
    regions: &REGIONS,
    flash_start: 0x1000_0000,
    // RP2040 datasheet 2.8.3.1.3.
    sector_bytes: 4096,
};

const fn region(kind: &'static str, start: u32, bytes: u32) -> GdbRegion {
    GdbRegion { kind, start, bytes }
}

impl Debugger for Rp2040 {
    fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        Rp2040::read_memory(self, address, length)
    }

    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        Rp2040::write_memory(self, address, bytes)
    }

    fn ram(&self) -> Option<(u32, &[u8])> {
        Some(self.sram())
    }

    fn register(&self, core: usize, number: usize) -> u32 {
        let (main, process) = self.core(core).stack_pointers();
        match number {
            0..=PC => self.core(core).registers()[number],
            XPSR => self.core(core).xpsr(),
            MSP => main,
            PSP => process,
            PRIMASK => u32::from(self.primask(core)),
            _ => self.control(core),
        }
    }

    /// Of XPSR only the flags.
    fn set_register(&mut self, core: usize, number: usize, value: u32) {
        let (main, process) = self.core(core).stack_pointers();
        match number {
            0..=PC => self.core_mut(core).set_register(number, value),
            XPSR => self.core_mut(core).set_apsr(value),
            MSP => self.set_stack_pointers(core, value, process),
            PSP => self.set_stack_pointers(core, main, value),
            PRIMASK => self.set_primask(core, value & 1 == 1),
            CONTROL => self.set_control(core, value),
            _ => {}
        }
    }

    fn set_program_counter(&mut self, core: usize, address: u32) {
        Rp2040::set_program_counter(self, core, address);
    }

    fn flash_bytes(&self) -> u32 {
        Rp2040::flash_bytes(self)
    }

    fn set_debugger(&mut self, attached: bool) {
        Rp2040::set_debugger(self, attached);
    }

    fn set_breakpoints(&mut self, addresses: Vec<u32>) {
        Rp2040::set_breakpoints(self, addresses);
    }

    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        Rp2040::set_watchpoints(self, watchpoints);
    }

    fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        Rp2040::observe(self, observer)
    }

    fn step(&mut self, core: usize) -> Stop {
        Rp2040::step(self, core)
    }

    /// At a BKPT the core goes on behind it.
    fn leave_stop(&mut self, core: usize) {
        let pc = self.core(core).registers()[PC];
        let code = self.read_memory(pc, BKPT_BYTES as usize).unwrap_or_default();
        if code.get(1) == Some(&BKPT) {
            self.set_program_counter(core, pc.wrapping_add(BKPT_BYTES));
        } else {
            self.pass_breakpoint(core);
        }
    }

    fn hold_core(&mut self, core: usize) -> Sleep {
        Rp2040::hold_core(self, core)
    }

    fn release_core(&mut self, core: usize, before: Sleep) {
        Rp2040::release_core(self, core, before);
    }

    fn reset_now(&mut self) -> Result<(), SetupError> {
        Ok(Rp2040::reset_now(self)?)
    }

    fn reset_to_flash(&mut self) -> Result<(), SetupError> {
        Ok(Rp2040::reset_to_flash(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_regions_overlap() {
        let mut regions: Vec<(u64, u64)> =
            REGIONS.iter().map(|region| (u64::from(region.start), u64::from(region.bytes))).collect();
        regions.push((u64::from(GDB.flash_start), 16 << 20));
        regions.sort_unstable();
        assert!(regions.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{regions:x?}");
    }
}
