//! The decoder: one or two halfwords of Thumb code into an [`Op`] (ARMv6-M Architecture Reference Manual A5 and A6).
//! Encodings that the manual calls UNDEFINED, and those UNPREDICTABLE ones that no compiler emits, fault.

use crate::isa::{Kind, Op};

/// Decodes the instruction at `pc`. `second` is the halfword behind it, which only 32-bit instructions need.
pub(crate) fn decode(pc: u32, first: u16, second: u16) -> Op {
    let code = u32::from(first);
    match code >> 11 {
        0b00000..=0b00010 => shift_immediate(code),
        0b00011 => add_subtract(code),
        0b00100..=0b00111 => immediate8(code),
        0b01000 => data_processing_or_special(pc, code),
        0b01001 => {
            let address = (pc.wrapping_add(4) & !3).wrapping_add((code & 0xff) << 2);
            Op::new(Kind::LoadLiteral, field(code, 8), 0, 0, address)
        }
        0b01010 | 0b01011 => load_store_register(code),
        0b01100..=0b10011 => load_store_immediate(code),
        0b10100 => {
            let address = (pc.wrapping_add(4) & !3).wrapping_add((code & 0xff) << 2);
            Op::new(Kind::Constant, field(code, 8), 0, 0, address)
        }
        0b10101 => Op::new(Kind::AddAddress, field(code, 8), 13, 0, (code & 0xff) << 2),
        0b10110 | 0b10111 => miscellaneous(code),
        0b11000 | 0b11001 => multiple(code),
        0b11010 | 0b11011 => conditional_branch(pc, code),
        0b11100 => branch(Kind::Branch, pc, sign_extend(code & 0x7ff, 11)),
        0b11101 | 0b11111 => undefined(),
        _ => wide(code, u32::from(second)),
    }
}

const fn field(code: u32, low: u32) -> u32 {
    code >> low & 7
}

const fn undefined() -> Op {
    Op::new(Kind::Undefined, 0, 0, 0, 0)
}

fn sign_extend(value: u32, bits: u32) -> u32 {
    ((value << (32 - bits)) as i32 >> (32 - bits)) as u32
}

/// A branch by `offset` halfwords from PC + 4.
fn branch(kind: Kind, pc: u32, offset: u32) -> Op {
    Op::branch(kind, pc, offset.wrapping_add(2))
}

fn shift_immediate(code: u32) -> Op {
    let (rd, rm, amount) = (field(code, 0), field(code, 3), code >> 6 & 31);
    let kind = match (code >> 11, amount) {
        (0, 0) => Kind::MovsRegister,
        (0, _) => Kind::LslImmediate,
        (1, 0) => Kind::Lsr32,
        (1, _) => Kind::LsrImmediate,
        (_, 0) => Kind::Asr32,
        _ => Kind::AsrImmediate,
    };
    // The bit that is shifted out last.
    let carry = if code >> 11 == 0 { 32 - amount } else { amount.wrapping_sub(1) & 31 };
    Op::new(kind, rd, rm, carry, amount)
}

fn add_subtract(code: u32) -> Op {
    let (rd, rn, third) = (field(code, 0), field(code, 3), field(code, 6));
    match code >> 9 & 3 {
        0 => Op::new(Kind::AddRegister, rd, rn, third, 0),
        1 => Op::new(Kind::SubRegister, rd, rn, third, 0),
        2 => Op::new(Kind::AddImmediate, rd, rn, 0, third),
        _ => Op::new(Kind::SubImmediate, rd, rn, 0, third),
    }
}

fn immediate8(code: u32) -> Op {
    let (rd, value) = (field(code, 8), code & 0xff);
    let kind = match code >> 11 & 3 {
        0 => Kind::MovImmediate,
        1 => Kind::CmpImmediate,
        2 => Kind::AddImmediate,
        _ => Kind::SubImmediate,
    };
    Op::new(kind, rd, rd, 0, value)
}

fn data_processing_or_special(pc: u32, code: u32) -> Op {
    if code >> 10 == 0b010001 {
        return special_data(pc, code);
    }
    const KINDS: [Kind; 16] = [
        Kind::And,
        Kind::Eor,
        Kind::LslRegister,
        Kind::LsrRegister,
        Kind::AsrRegister,
        Kind::Adc,
        Kind::Sbc,
        Kind::Ror,
        Kind::Tst,
        Kind::Neg,
        Kind::CmpRegister,
        Kind::Cmn,
        Kind::Orr,
        Kind::Mul,
        Kind::Bic,
        Kind::Mvn,
    ];
    Op::new(KINDS[(code >> 6 & 15) as usize], field(code, 0), field(code, 3), 0, 0)
}

fn special_data(pc: u32, code: u32) -> Op {
    let rd = field(code, 0) | code >> 4 & 8;
    let rm = code >> 3 & 15;
    let here = pc.wrapping_add(4);
    match (code >> 8 & 3, rd, rm) {
        // ADD of two program counters and CMP with one are unpredictable.
        (0, 15, 15) | (1, 15, _) | (1, _, 15) => undefined(),
        (0, 15, _) => Op::new(Kind::ToProgramCounter, 15, rm, 1, here),
        (0, 13, 15) => Op::new(Kind::AddAddress, 13, 13, 0, here & !3),
        (0, 13, _) => Op::new(Kind::ToStackPointer, 13, rm, 1, 0),
        (0, _, 15) => Op::new(Kind::AddProgramCounter, rd, 0, 0, here),
        (0, _, _) => Op::new(Kind::AddHigh, rd, rm, 0, 0),
        (1, _, _) => Op::new(Kind::CmpRegister, rd, rm, 0, 0),
        (2, 15, 15) => branch(Kind::Branch, pc, 0),
        (2, 15, _) => Op::new(Kind::ToProgramCounter, 15, rm, 0, 0),
        (2, 13, 15) => Op::new(Kind::Constant, 13, 0, 0, here & !3),
        (2, 13, _) => Op::new(Kind::ToStackPointer, 13, rm, 0, 0),
        (2, _, 15) => Op::new(Kind::Constant, rd, 0, 0, here),
        (2, _, _) => Op::new(Kind::MovHigh, rd, rm, 0, 0),
        // BX and BLX: bits 2 to 0 should be zero, PC is no operand.
        (_, _, 15) => undefined(),
        _ if code & 0x80 == 0 => Op::new(Kind::BranchExchange, rm, 0, 0, 0),
        _ => Op::new(Kind::BranchLinkExchange, rm, 0, 0, 0),
    }
}

fn load_store_register(code: u32) -> Op {
    const KINDS: [Kind; 8] = [
        Kind::StoreWordRegister,
        Kind::StoreHalfRegister,
        Kind::StoreByteRegister,
        Kind::LoadSignedByte,
        Kind::LoadWordRegister,
        Kind::LoadHalfRegister,
        Kind::LoadByteRegister,
        Kind::LoadSignedHalf,
    ];
    Op::new(KINDS[field(code, 9) as usize], field(code, 0), field(code, 3), field(code, 6), 0)
}

fn load_store_immediate(code: u32) -> Op {
    let offset = code >> 6 & 31;
    let (kind, scale) = match code >> 11 {
        0b01100 => (Kind::StoreWordImmediate, 2),
        0b01101 => (Kind::LoadWordImmediate, 2),
        0b01110 => (Kind::StoreByteImmediate, 0),
        0b01111 => (Kind::LoadByteImmediate, 0),
        0b10000 => (Kind::StoreHalfImmediate, 1),
        0b10001 => (Kind::LoadHalfImmediate, 1),
        relative => {
            let kind = if relative & 1 == 0 { Kind::StoreWordImmediate } else { Kind::LoadWordImmediate };
            return Op::new(kind, field(code, 8), 13, 0, (code & 0xff) << 2);
        }
    };
    Op::new(kind, field(code, 0), field(code, 3), 0, offset << scale)
}

fn miscellaneous(code: u32) -> Op {
    let (rd, rm) = (field(code, 0), field(code, 3));
    let two = |kind| Op::new(kind, rd, rm, 0, 0);
    match code >> 5 & 0x7f {
        0b0000000..=0b0000011 => Op::new(Kind::AdjustStackPointer, 13, 0, 0, (code & 0x7f) << 2),
        0b0000100..=0b0000111 => {
            Op::new(Kind::AdjustStackPointer, 13, 0, 0, ((code & 0x7f) << 2).wrapping_neg())
        }
        0b0010000 | 0b0010001 => two(Kind::SignExtendHalf),
        0b0010010 | 0b0010011 => two(Kind::SignExtendByte),
        0b0010100 | 0b0010101 => two(Kind::ZeroExtendHalf),
        0b0010110 | 0b0010111 => two(Kind::ZeroExtendByte),
        0b0100000..=0b0101111 if code & 0x1ff != 0 => {
            list(Kind::Push, 13, 1, code & 0xff | (code & 0x100) << 6)
        }
        0b0110011 if code & 0xf == 2 => Op::new(Kind::ChangePrimask, code >> 4 & 1, 0, 0, 0),
        0b1010000 | 0b1010001 => two(Kind::Rev),
        0b1010010 | 0b1010011 => two(Kind::Rev16),
        0b1010110 | 0b1010111 => two(Kind::Revsh),
        0b1100000..=0b1100111 if code & 0xff != 0 => list(Kind::Pop, 13, 1, code & 0xff),
        0b1101000..=0b1101111 => list(Kind::PopProgramCounter, 13, 1, code & 0xff),
        0b1110000..=0b1110111 => Op::new(Kind::Bkpt, 0, 0, 0, code & 0xff),
        0b1111000..=0b1111111 => hint(code),
        _ => undefined(),
    }
}

fn hint(code: u32) -> Op {
    let kind = match (code & 0xf, code >> 4 & 0xf) {
        (0, 2) => Kind::Wfe,
        (0, 3) => Kind::Wfi,
        (0, 4) => Kind::Sev,
        // Unallocated hints execute as NOP (A5.2.5); with a mask they would be IT, which ARMv6-M has not.
        (0, _) => Kind::Nop,
        _ => Kind::Undefined,
    };
    Op::new(kind, 0, 0, 0, 0)
}

fn multiple(code: u32) -> Op {
    let (rn, registers) = (field(code, 8), code & 0xff);
    if registers == 0 {
        return undefined();
    }
    if code >> 11 & 1 == 0 {
        return list(Kind::StoreMultiple, rn, 1, registers);
    }
    list(Kind::LoadMultiple, rn, u32::from(registers >> rn & 1 == 0), registers)
}

/// An instruction on a list of registers; it keeps how many words these are.
fn list(kind: Kind, base: u32, write_back: u32, registers: u32) -> Op {
    let words = registers.count_ones() + u32::from(kind == Kind::PopProgramCounter);
    Op::new(kind, base, words, write_back, registers)
}

fn conditional_branch(pc: u32, code: u32) -> Op {
    const KINDS: [Kind; 14] = [
        Kind::BranchEq,
        Kind::BranchNe,
        Kind::BranchCs,
        Kind::BranchCc,
        Kind::BranchMi,
        Kind::BranchPl,
        Kind::BranchVs,
        Kind::BranchVc,
        Kind::BranchHi,
        Kind::BranchLs,
        Kind::BranchGe,
        Kind::BranchLt,
        Kind::BranchGt,
        Kind::BranchLe,
    ];
    match code >> 8 & 15 {
        14 => undefined(),
        15 => Op::new(Kind::Svc, 0, 0, 0, code & 0xff),
        condition => branch(KINDS[condition as usize], pc, sign_extend(code & 0xff, 8)),
    }
}

/// The 32-bit instructions (A5.3): BL, MSR, MRS, the barriers, and nothing else.
fn wide(first: u32, second: u32) -> Op {
    if first >> 11 != 0b11110 || second >> 15 == 0 {
        return undefined();
    }
    match (second >> 12 & 7, first >> 4 & 0x7f) {
        (0b101 | 0b111, _) => branch_link(first, second),
        (0b000 | 0b010, 0b0111000 | 0b0111001) if first & 15 != 13 && first & 15 != 15 => {
            Op::new(Kind::Msr, first & 15, 0, 0, second & 0xff)
        }
        (0b000 | 0b010, 0b0111011) if matches!(second >> 4 & 15, 4..=6) => Op::new(Kind::Barrier, 0, 0, 0, 0),
        (0b000 | 0b010, 0b0111110 | 0b0111111) if !matches!(second >> 8 & 15, 13 | 15) => {
            Op::new(Kind::Mrs, second >> 8 & 15, 0, 0, second & 0xff)
        }
        _ => undefined(),
    }
}

fn branch_link(first: u32, second: u32) -> Op {
    let sign = first >> 10 & 1;
    let i1 = !(second >> 13 ^ sign) & 1;
    let i2 = !(second >> 11 ^ sign) & 1;
    let offset = sign << 23 | i1 << 22 | i2 << 21 | (first & 0x3ff) << 11 | second & 0x7ff;
    Op::new(Kind::BranchLink, 0, 0, 0, sign_extend(offset, 24).wrapping_add(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: u32 = 0x2000_0102;

    #[test]
    fn the_program_counter_goes_to_the_stack_pointer_without_its_low_bits() {
        let (add, mov) = (decode(HERE, 0x44fd, 0), decode(HERE, 0x46fd, 0));
        assert_eq!(add, Op::new(Kind::AddAddress, 13, 13, 0, 0x2000_0104));
        assert_eq!(mov, Op::new(Kind::Constant, 13, 0, 0, 0x2000_0104));
    }

    #[test]
    fn mov_of_the_program_counter_to_itself_skips_an_instruction() {
        assert_eq!(decode(HERE, 0x46ff, 0), Op::new(Kind::Branch, 0, 0, 0, 2));
    }

    #[test]
    fn adding_the_program_counter_to_itself_faults() {
        assert_eq!(decode(HERE, 0x44ff, 0), undefined());
    }
}
