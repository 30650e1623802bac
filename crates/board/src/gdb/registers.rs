//! The registers of a Cortex-M0+ as GDB numbers them, and the description by which it knows them.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use rp2040::chip::Rp2040;

/// R0 to R15, then XPSR, MSP, PSP, PRIMASK and CONTROL.
pub(super) const REGISTERS: usize = CONTROL + 1;
const PC: usize = 15;
const XPSR: usize = 16;
const MSP: usize = 17;
const PSP: usize = 18;
const PRIMASK: usize = 19;
const CONTROL: usize = 20;
const REGISTER_BYTES: usize = 4;

/// GDB unwinds exceptions with the stack pointers of the second feature.
const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
  <architecture>arm</architecture>
  <feature name="org.gnu.gdb.arm.m-profile">
    <reg name="r0" bitsize="32" regnum="0" type="int" group="general"/>
    <reg name="r1" bitsize="32" type="int" group="general"/>
    <reg name="r2" bitsize="32" type="int" group="general"/>
    <reg name="r3" bitsize="32" type="int" group="general"/>
    <reg name="r4" bitsize="32" type="int" group="general"/>
    <reg name="r5" bitsize="32" type="int" group="general"/>
    <reg name="r6" bitsize="32" type="int" group="general"/>
    <reg name="r7" bitsize="32" type="int" group="general"/>
    <reg name="r8" bitsize="32" type="int" group="general"/>
    <reg name="r9" bitsize="32" type="int" group="general"/>
    <reg name="r10" bitsize="32" type="int" group="general"/>
    <reg name="r11" bitsize="32" type="int" group="general"/>
    <reg name="r12" bitsize="32" type="int" group="general"/>
    <reg name="sp" bitsize="32" type="data_ptr" group="general"/>
    <reg name="lr" bitsize="32" type="int" group="general"/>
    <reg name="pc" bitsize="32" type="code_ptr" group="general"/>
    <reg name="xpsr" bitsize="32" regnum="16" type="int" group="general"/>
  </feature>
  <feature name="org.gnu.gdb.arm.m-system">
    <reg name="msp" bitsize="32" regnum="17" type="data_ptr" group="system"/>
    <reg name="psp" bitsize="32" regnum="18" type="data_ptr" group="system"/>
    <reg name="primask" bitsize="32" regnum="19" type="int" group="system"/>
    <reg name="control" bitsize="32" regnum="20" type="int" group="system"/>
  </feature>
</target>
"#;

/// The Cortex-M0+ for the crate that speaks the protocol.
#[derive(Debug)]
pub(super) enum CortexM0Plus {}

impl Arch for CortexM0Plus {
    type Usize = u32;
    type Registers = CoreRegisters;
    /// Bytes of the instruction that would be replaced; nothing is replaced here.
    type BreakpointKind = usize;
    type RegId = RegisterNumber;

    fn target_description_xml() -> Option<&'static str> {
        Some(DESCRIPTION)
    }
}

/// All registers of a core.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CoreRegisters(pub(super) [u32; REGISTERS]);

impl Registers for CoreRegisters {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[PC]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in self.0.iter().flat_map(|word| word.to_le_bytes()) {
            write_byte(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        if bytes.len() != REGISTERS * REGISTER_BYTES {
            return Err(());
        }
        for (word, bytes) in self.0.iter_mut().zip(bytes.chunks_exact(REGISTER_BYTES)) {
            *word = word_of(bytes).ok_or(())?;
        }
        Ok(())
    }
}

/// The number of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterNumber(pub(super) usize);

impl RegId for RegisterNumber {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < REGISTERS).then_some((Self(id), NonZeroUsize::new(REGISTER_BYTES)))
    }
}

/// A little-endian word.
pub(super) fn word_of(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Reads a register of a core.
pub(super) fn read(chip: &Rp2040, core: usize, number: usize) -> u32 {
    let (main, process) = chip.core(core).stack_pointers();
    match number {
        0..=PC => chip.core(core).registers()[number],
        XPSR => chip.core(core).xpsr(),
        MSP => main,
        PSP => process,
        PRIMASK => u32::from(chip.primask(core)),
        _ => chip.control(core),
    }
}

/// Writes a register of a core that differs from `value`; of XPSR only the flags.
pub(super) fn write(chip: &mut Rp2040, core: usize, number: usize, value: u32) {
    if read(chip, core, number) == value {
        return;
    }
    let (main, process) = chip.core(core).stack_pointers();
    match number {
        PC => chip.set_program_counter(core, value),
        0..PC => chip.core_mut(core).set_register(number, value),
        XPSR => chip.core_mut(core).set_apsr(value),
        MSP => chip.set_stack_pointers(core, value, process),
        PSP => chip.set_stack_pointers(core, main, value),
        PRIMASK => chip.set_primask(core, value & 1 == 1),
        _ => chip.set_control(core, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_every_register_once() {
        assert_eq!(DESCRIPTION.matches("<reg name=").count(), REGISTERS);
    }

    #[test]
    fn registers_of_another_length_are_refused() {
        let mut registers = CoreRegisters::default();
        assert_eq!(registers.gdb_deserialize(&[0; 20 * 4]), Err(()));
        assert_eq!(registers.gdb_deserialize(&[1; 21 * 4]), Ok(()));
        assert_eq!(registers.0[20], 0x0101_0101);
    }
}
