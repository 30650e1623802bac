//! The registers of a core for GDB: their number and their sizes are the chip's ([`mcu::GdbFacts`]), which the crate that speaks
//! the protocol hears only when it asks for them.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};
use mcu::{GdbFacts, Mcu};

/// More registers than any core has.
const MOST_REGISTERS: usize = 1 << 10;

/// Any chip, for the crate that speaks the protocol.
#[derive(Debug)]
pub(super) enum AnyCore {}

impl Arch for AnyCore {
    type Usize = u32;
    type Registers = CoreRegisters;
    /// Bytes of the instruction that would be replaced; nothing is replaced here.
    type BreakpointKind = usize;
    type RegId = RegisterNumber;
}

/// All registers of a core, one after another, each with its lowest byte first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CoreRegisters(Vec<u8>);

impl Registers for CoreRegisters {
    type ProgramCounter = u32;

    /// Nobody asks for it: it is for code that is run on its own.
    fn pc(&self) -> u32 {
        0
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        for byte in &self.0 {
            write_byte(Some(*byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = bytes.to_vec();
        Ok(())
    }
}

impl CoreRegisters {
    /// Those of a core.
    pub(super) fn of(chip: &dyn Mcu, core: usize) -> Self {
        let all = chip.facts().gdb.registers.iter().enumerate();
        let bytes = all.flat_map(|(number, register)| bytes_of(chip.register(core, number), register.bytes));
        Self(bytes.collect())
    }

    /// The words of all of them; nothing when they are more or fewer than a core has.
    pub(super) fn words(&self, gdb: &GdbFacts) -> Option<Vec<u32>> {
        let mut rest = &self.0[..];
        let mut words = Vec::new();
        for register in gdb.registers {
            let (word, behind) = rest.split_at_checked(register.bytes)?;
            words.push(word_of(word));
            rest = behind;
        }
        rest.is_empty().then_some(words)
    }
}

/// The number of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterNumber(pub(super) usize);

impl RegId for RegisterNumber {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (id < MOST_REGISTERS).then_some((Self(id), None))
    }
}

/// The lowest bytes of a word.
pub(super) fn bytes_of(word: u32, bytes: usize) -> impl Iterator<Item = u8> {
    word.to_le_bytes().into_iter().take(bytes)
}

/// A word of bytes, the lowest one first.
pub(super) fn word_of(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Writes a register of a core that differs from `value`.
pub(super) fn write(chip: &mut dyn Mcu, core: usize, number: usize, value: u32) {
    if chip.register(core, number) == value {
        return;
    }
    if number == chip.facts().gdb.pc {
        chip.set_program_counter(core, value);
    } else {
        chip.set_register(core, number, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcus::MCUS;

    #[test]
    fn registers_of_another_length_are_refused() {
        let gdb = &MCUS[0].facts.gdb;
        let words = |bytes: &[u8]| {
            let mut registers = CoreRegisters::default();
            registers.gdb_deserialize(bytes).unwrap();
            registers.words(gdb)
        };
        assert_eq!(words(&[0; 20 * 4]), None);
        assert_eq!(words(&[0; 22 * 4]), None);
        assert_eq!(words(&[1; 21 * 4]).unwrap()[20], 0x0101_0101);
    }

    #[test]
    fn a_register_takes_as_many_bytes_as_it_has() {
        assert_eq!(bytes_of(0x0102_0304, 2).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(word_of(&[4, 3]), 0x0304);
    }
}
