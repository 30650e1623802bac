//! What instructions of one cycle compute: arithmetic with its flags, logic, shifts, moves. Whoever knows the kind when
//! it compiles (each arm of the interpreter does) gets the code of that kind alone.

use crate::isa::{Kind, Op};
use crate::{Core, Flags, SP};

impl Flags {
    /// N and Z of a result.
    #[inline(always)]
    pub(super) fn result(&mut self, value: u32) -> u32 {
        self.nz = u64::from(value);
        value
    }

    /// The sum, with all flags.
    #[inline(always)]
    pub(super) fn sum(&mut self, x: u32, y: u32) -> u32 {
        let (sum, carry) = x.overflowing_add(y);
        self.c = carry;
        self.v = (x as i32).overflowing_add(y as i32).1;
        self.result(sum)
    }

    /// The sum with the carry, with all flags.
    #[inline(always)]
    fn sum_with_carry(&mut self, x: u32, y: u32) -> u32 {
        let wide = u64::from(x) + u64::from(y) + u64::from(self.c);
        let sum = wide as u32;
        self.c = wide >> 32 != 0;
        self.v = ((x ^ sum) & (y ^ sum)) >> 31 != 0;
        self.result(sum)
    }

    /// The difference, with all flags.
    #[inline(always)]
    pub(super) fn difference(&mut self, x: u32, y: u32) -> u32 {
        self.c = x >= y;
        self.v = (x as i32).overflowing_sub(y as i32).1;
        self.result(x.wrapping_sub(y))
    }

    /// Whether a conditional branch of this kind is taken.
    #[inline(always)]
    pub(super) fn hold(self, branch: Kind) -> bool {
        match branch {
            Kind::BranchEq => self.zero(),
            Kind::BranchNe => !self.zero(),
            Kind::BranchCs => self.c,
            Kind::BranchCc => !self.c,
            Kind::BranchMi => self.negative(),
            Kind::BranchPl => !self.negative(),
            Kind::BranchVs => self.v,
            Kind::BranchVc => !self.v,
            Kind::BranchHi => self.c && !self.zero(),
            Kind::BranchLs => !self.c || self.zero(),
            Kind::BranchGe => self.negative() == self.v,
            Kind::BranchLt => self.negative() != self.v,
            Kind::BranchGt => !self.zero() && self.negative() == self.v,
            Kind::BranchLe => self.zero() || self.negative() != self.v,
            kind => unreachable!("{kind:?} is no conditional branch"),
        }
    }
}

impl Core {
    #[inline(always)]
    pub(super) fn reg(&self, number: u8) -> u32 {
        self.r[usize::from(number)]
    }

    #[inline(always)]
    pub(super) fn set_reg(&mut self, number: u8, value: u32) {
        self.r[usize::from(number)] = value;
    }

    /// Executes an instruction that takes one cycle and leaves the program counter alone.
    #[inline(always)]
    pub(super) fn operate(&mut self, kind: Kind, op: &Op) {
        match kind {
            Kind::Nop => {}
            Kind::CmpImmediate => _ = self.flags.difference(self.reg(op.a), op.imm),
            Kind::CmpRegister => _ = self.flags.difference(self.reg(op.a), self.reg(op.b)),
            Kind::Cmn => _ = self.flags.sum(self.reg(op.a), self.reg(op.b)),
            Kind::Tst => _ = self.flags.result(self.reg(op.a) & self.reg(op.b)),
            Kind::ToStackPointer => {
                let base = if op.c == 1 { self.r[SP] } else { 0 };
                self.r[SP] = base.wrapping_add(self.reg(op.b)) & !3;
            }
            Kind::AdjustStackPointer => self.r[SP] = self.r[SP].wrapping_add(op.imm),
            _ => {
                let value = self.computed(kind, op);
                self.set_reg(op.a, value);
            }
        }
    }

    /// What the destination becomes, with the flags set where the instruction sets them.
    #[inline(always)]
    fn computed(&mut self, kind: Kind, op: &Op) -> u32 {
        let (a, b) = (self.reg(op.a), self.reg(op.b));
        let flags = &mut self.flags;
        match kind {
            Kind::MovImmediate => flags.result(op.imm),
            Kind::MovsRegister => flags.result(b),
            Kind::AddRegister => flags.sum(b, self.r[usize::from(op.c)]),
            Kind::SubRegister => flags.difference(b, self.r[usize::from(op.c)]),
            Kind::AddImmediate => flags.sum(b, op.imm),
            Kind::SubImmediate => flags.difference(b, op.imm),
            Kind::Adc => flags.sum_with_carry(a, b),
            Kind::Sbc => flags.sum_with_carry(a, !b),
            Kind::Neg => flags.difference(0, b),
            Kind::And => flags.result(a & b),
            Kind::Eor => flags.result(a ^ b),
            Kind::Orr => flags.result(a | b),
            Kind::Bic => flags.result(a & !b),
            Kind::Mvn => flags.result(!b),
            Kind::Mul => flags.result(a.wrapping_mul(b)),
            Kind::AddHigh => a.wrapping_add(b),
            Kind::MovHigh => b,
            Kind::Constant => op.imm,
            Kind::AddAddress => b.wrapping_add(op.imm),
            Kind::AddProgramCounter => a.wrapping_add(op.imm),
            Kind::SignExtendHalf => b as i16 as u32,
            Kind::SignExtendByte => b as i8 as u32,
            Kind::ZeroExtendHalf => b & 0xffff,
            Kind::ZeroExtendByte => b & 0xff,
            Kind::Rev => b.swap_bytes(),
            Kind::Rev16 => b.swap_bytes().rotate_left(16),
            Kind::Revsh => (b as u16).swap_bytes() as i16 as u32,
            _ => self.shifted(kind, op),
        }
    }

    #[inline(always)]
    fn shifted(&mut self, kind: Kind, op: &Op) -> u32 {
        let b = self.reg(op.b);
        let carry = b >> (op.c & 31) & 1 != 0;
        let (value, carry) = match kind {
            Kind::LslImmediate => (b << (op.imm & 31), carry),
            Kind::LsrImmediate => (b >> (op.imm & 31), carry),
            Kind::AsrImmediate => ((b as i32 >> (op.imm & 31)) as u32, carry),
            Kind::Lsr32 => (0, b >> 31 != 0),
            Kind::Asr32 => ((b as i32 >> 31) as u32, b >> 31 != 0),
            Kind::LslRegister | Kind::LsrRegister | Kind::AsrRegister | Kind::Ror => {
                shift(kind, self.reg(op.a), b & 0xff, self.flags.c)
            }
            kind => unreachable!("{kind:?} takes more than one cycle"),
        };
        self.flags.c = carry;
        self.flags.result(value)
    }
}

/// Shifts by a register: amounts from 0 to 255, of which those of 32 and more clear or fill.
#[inline(always)]
fn shift(kind: Kind, value: u32, amount: u32, carry: bool) -> (u32, bool) {
    if amount == 0 {
        return (value, carry);
    }
    let wide = u64::from(value);
    match kind {
        Kind::LslRegister if amount > 32 => (0, false),
        Kind::LslRegister => {
            let shifted = wide << amount;
            (shifted as u32, shifted >> 32 & 1 != 0)
        }
        Kind::LsrRegister if amount > 32 => (0, false),
        Kind::LsrRegister => ((wide >> amount) as u32, wide >> (amount - 1) & 1 != 0),
        Kind::AsrRegister => {
            let wide = i64::from(value as i32);
            let amount = amount.min(33);
            ((wide >> amount) as u32, wide >> (amount - 1) & 1 != 0)
        }
        _ => {
            let rotated = value.rotate_right(amount & 31);
            (rotated, rotated >> 31 != 0)
        }
    }
}
