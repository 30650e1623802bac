//! Loops of a core that waits: whether a stretch of code only computes, looks and branches, and what it takes to leave turns
//! of it out as if they had run.

use crate::decode::decode;
use crate::isa::{Class, Kind};
use crate::{Core, PC};

/// Halfwords in the longest loop that is looked at.
const LONGEST_LOOP_HALFWORDS: u32 = 32;

/// What an instruction of a loop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopStep {
    /// It changes registers and flags from registers and flags, or branches.
    Computes,
    /// It loads one register from this address.
    LoadsLiteral(u32),
    /// It loads one register from an address in registers.
    Loads,
    /// It does anything else.
    Other,
}

/// What the instruction at `pc` does in a loop. `second` is the halfword behind it.
#[inline]
pub fn loop_step(pc: u32, first: u16, second: u16) -> LoopStep {
    let op = decode(pc, first, second);
    match op.kind {
        Kind::LoadLiteral => LoopStep::LoadsLiteral(op.imm),
        Kind::Branch => LoopStep::Computes,
        kind => match kind.class() {
            Class::load => LoopStep::Loads,
            Class::compute | Class::branch => LoopStep::Computes,
            _ => LoopStep::Other,
        },
    }
}

impl Core {
    /// The address from which the next instruction loads one register, and how many bytes, if that is what it does.
    #[inline]
    pub fn load_of(&self, first: u16, second: u16) -> Option<(u32, u32)> {
        let op = decode(self.r[PC], first, second);
        (op.kind.class() == Class::load).then(|| self.load_address(op))
    }

    /// The first and the last instruction between which the core went to and fro in its last branches.
    #[inline]
    pub fn loop_of(&self, branches: usize) -> Option<(u32, u32)> {
        let turn = || self.branches.backwards().take(branches);
        let first = turn().map(|branch| branch.to).min()?;
        let last = turn().map(|branch| branch.from).max()?;
        let inside = |address: u32| (first..=last).contains(&address);
        let stays = turn().all(|branch| !branch.is_exception && inside(branch.from) && inside(branch.to));
        (stays && inside(self.r[PC]) && last - first < 2 * LONGEST_LOOP_HALFWORDS).then_some((first, last))
    }

    /// Counts turns of a loop that were left out, each of so many cycles, instructions and branches.
    #[inline]
    pub fn leave_out(&mut self, turns: u64, cycles: u64, instructions: u64, branches: usize) {
        self.cycle += turns * cycles;
        self.instructions += turns * instructions;
        self.branches.repeat(branches, turns);
    }
}
