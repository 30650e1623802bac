//! Call frame information (`.debug_frame`): where a function keeps its caller's registers, at each of its instructions.
//! What compilers write for Thumb code is offsets from a register; rules with DWARF expressions are not read.

use std::sync::Arc;

use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EndianArcSlice, LittleEndian, Register, RegisterRule, UnwindContext,
    UnwindSection,
};

use super::elf::Elf;
use super::lines::debug_section;

/// The registers that the rules are about: R0 to R15.
const REGISTERS: u16 = 16;

/// How a caller's register is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterRecovery {
    /// It holds the same value.
    Same,
    /// It is lost.
    Lost,
    /// In memory, at this offset from the frame's address.
    Saved(i32),
    /// It is the frame's address plus this offset.
    Offset(i32),
    /// In another register.
    Moved(usize),
}

/// How the registers of the caller follow from those at an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFrame {
    /// The frame's address, which is the caller's stack pointer: a register and an offset.
    pub address: (usize, i32),
    /// Each register's rule.
    pub registers: [RegisterRecovery; 16],
}

/// The call frame information of an image.
#[derive(Default)]
pub(super) struct CallFrames {
    section: Option<DebugFrame<EndianArcSlice<LittleEndian>>>,
}

impl CallFrames {
    pub(super) fn of(elf: &Elf) -> CallFrames {
        let section = debug_section(elf, ".debug_frame").map(|contents| {
            let mut frame = DebugFrame::from(EndianArcSlice::new(Arc::from(contents), LittleEndian));
            frame.set_address_size(4);
            frame
        });
        CallFrames { section }
    }

    pub(super) fn at(&self, address: u32) -> Option<CallFrame> {
        let mut context = UnwindContext::new();
        let row = self
            .section
            .as_ref()?
            .unwind_info_for_address(
                &BaseAddresses::default(),
                &mut context,
                u64::from(address),
                DebugFrame::cie_from_offset,
            )
            .ok()?;
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
        let base = core_register(*register)?;
        let mut registers = [RegisterRecovery::Same; 16];
        for (register, rule) in row.registers() {
            if let Some(number) = core_register(*register) {
                registers[number] = recovery(rule)?;
            }
        }
        Some(CallFrame { address: (base, i32::try_from(*offset).ok()?), registers })
    }
}

fn core_register(register: Register) -> Option<usize> {
    (register.0 < REGISTERS).then_some(usize::from(register.0))
}

fn recovery(rule: &RegisterRule<usize>) -> Option<RegisterRecovery> {
    match rule {
        RegisterRule::Undefined => Some(RegisterRecovery::Lost),
        RegisterRule::SameValue => Some(RegisterRecovery::Same),
        RegisterRule::Offset(offset) => Some(RegisterRecovery::Saved(i32::try_from(*offset).ok()?)),
        RegisterRule::ValOffset(offset) => Some(RegisterRecovery::Offset(i32::try_from(*offset).ok()?)),
        RegisterRule::Register(other) => core_register(*other).map(RegisterRecovery::Moved),
        _ => None,
    }
}
