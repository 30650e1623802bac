//! Words of flash into instructions (AVR Instruction Set Manual, DS40002198, the opcodes of each instruction).

use super::instruction::{Instruction, Pointer, Step, X, Y, Z};

/// What flash holds that nothing was programmed into.
const ERASED: u16 = 0xffff;

/// Decodes an instruction from its first word; `next` is the word behind it, which LDS, STS, JMP and CALL take too.
pub fn decode(word: u16, next: u16) -> Instruction {
    match word >> 12 {
        _ if word == ERASED => Instruction::Erased,
        0x0 => low(word),
        0x1 | 0x2 => two_registers(word),
        0x3 => Instruction::Cpi { d: upper(word), k: immediate(word) },
        0x4 => Instruction::Sbci { d: upper(word), k: immediate(word) },
        0x5 => Instruction::Subi { d: upper(word), k: immediate(word) },
        0x6 => Instruction::Ori { d: upper(word), k: immediate(word) },
        0x7 => Instruction::Andi { d: upper(word), k: immediate(word) },
        0x8 | 0xa => displaced(word),
        0x9 => nine(word, next),
        0xb if word & 0x0800 == 0 => Instruction::In { d: d5(word), a: io6(word) },
        0xb => Instruction::Out { a: io6(word), r: d5(word) },
        0xc => Instruction::Rjmp { k: offset12(word) },
        0xd => Instruction::Rcall { k: offset12(word) },
        0xe => Instruction::Ldi { d: upper(word), k: immediate(word) },
        _ => bits(word),
    }
}

fn d5(word: u16) -> u8 {
    (word >> 4 & 0x1f) as u8
}

fn r5(word: u16) -> u8 {
    (word & 0xf | word >> 5 & 0x10) as u8
}

/// A register from 16 to 31.
fn upper(word: u16) -> u8 {
    (word >> 4 & 0xf) as u8 + 16
}

fn immediate(word: u16) -> u8 {
    (word & 0xf | word >> 4 & 0xf0) as u8
}

fn io6(word: u16) -> u8 {
    (word & 0xf | word >> 5 & 0x30) as u8
}

fn offset12(word: u16) -> i16 {
    ((word << 4) as i16) >> 4
}

fn low(word: u16) -> Instruction {
    let (d, r) = (d5(word), r5(word));
    let (d3, r3) = ((word >> 4 & 7) as u8 + 16, (word & 7) as u8 + 16);
    match word >> 8 {
        0x00 if word == 0 => Instruction::Nop,
        0x00 => Instruction::Undefined { word },
        0x01 => Instruction::Movw { d: (word >> 4 & 0xf) as u8 * 2, r: (word & 0xf) as u8 * 2 },
        0x02 => Instruction::Muls { d: upper(word), r: (word & 0xf) as u8 + 16 },
        0x03 => match word & 0x88 {
            0x00 => Instruction::Mulsu { d: d3, r: r3 },
            0x08 => Instruction::Fmul { d: d3, r: r3 },
            0x80 => Instruction::Fmuls { d: d3, r: r3 },
            _ => Instruction::Fmulsu { d: d3, r: r3 },
        },
        0x04..=0x07 => Instruction::Cpc { d, r },
        0x08..=0x0b => Instruction::Sbc { d, r },
        _ => Instruction::Add { d, r },
    }
}

fn two_registers(word: u16) -> Instruction {
    let (d, r) = (d5(word), r5(word));
    match word >> 10 & 7 {
        0b100 => Instruction::Cpse { d, r },
        0b101 => Instruction::Cp { d, r },
        0b110 => Instruction::Sub { d, r },
        0b111 => Instruction::Adc { d, r },
        0b000 => Instruction::And { d, r },
        0b001 => Instruction::Eor { d, r },
        0b010 => Instruction::Or { d, r },
        _ => Instruction::Mov { d, r },
    }
}

/// LDD and STD; without a displacement they are LD and ST.
fn displaced(word: u16) -> Instruction {
    let q = (word & 7 | word >> 7 & 0x18 | word >> 8 & 0x20) as u8;
    let base = if word & 8 == 0 { Z } else { Y };
    match word & 0x0200 {
        0 => Instruction::Ldd { d: d5(word), base, q },
        _ => Instruction::Std { r: d5(word), base, q },
    }
}

fn nine(word: u16, next: u16) -> Instruction {
    let pair = (word >> 4 & 3) as u8 * 2 + 24;
    let k6 = (word & 0xf | word >> 2 & 0x30) as u8;
    let (a, b) = ((word >> 3 & 0x1f) as u8, (word & 7) as u8);
    match word >> 8 & 0xf {
        0x0 | 0x1 => load(word, next),
        0x2 | 0x3 => store(word, next),
        0x4 | 0x5 => one_register(word, next),
        0x6 => Instruction::Adiw { d: pair, k: k6 },
        0x7 => Instruction::Sbiw { d: pair, k: k6 },
        0x8 => Instruction::Cbi { a, b },
        0x9 => Instruction::Sbic { a, b },
        0xa => Instruction::Sbi { a, b },
        0xb => Instruction::Sbis { a, b },
        _ => Instruction::Mul { d: d5(word), r: r5(word) },
    }
}

/// The pointer of LD and ST by their last four bits.
fn pointer(word: u16) -> Option<Pointer> {
    let (base, step) = match word & 0xf {
        0x1 => (Z, Step::Up),
        0x2 => (Z, Step::Down),
        0x9 => (Y, Step::Up),
        0xa => (Y, Step::Down),
        0xc => (X, Step::Stays),
        0xd => (X, Step::Up),
        0xe => (X, Step::Down),
        _ => return None,
    };
    Some(Pointer { base, step })
}

fn load(word: u16, next: u16) -> Instruction {
    let d = d5(word);
    match word & 0xf {
        0x0 => Instruction::Lds { d, k: next },
        0x4 => Instruction::Lpm { d, increment: false },
        0x5 => Instruction::Lpm { d, increment: true },
        0x6 => Instruction::Elpm { d, increment: false },
        0x7 => Instruction::Elpm { d, increment: true },
        0xf => Instruction::Pop { d },
        _ => match pointer(word) {
            Some(pointer) => Instruction::Ld { d, pointer },
            None => Instruction::Undefined { word },
        },
    }
}

fn store(word: u16, next: u16) -> Instruction {
    let r = d5(word);
    match word & 0xf {
        0x0 => Instruction::Sts { k: next, r },
        0xf => Instruction::Push { r },
        _ => match pointer(word) {
            Some(pointer) => Instruction::St { r, pointer },
            None => Instruction::Undefined { word },
        },
    }
}

fn one_register(word: u16, next: u16) -> Instruction {
    let (d, b) = (d5(word), (word >> 4 & 7) as u8);
    let k = u32::from(word & 1 | word >> 3 & 0x3e) << 16 | u32::from(next);
    match word & 0xf {
        0x0 => Instruction::Com { d },
        0x1 => Instruction::Neg { d },
        0x2 => Instruction::Swap { d },
        0x3 => Instruction::Inc { d },
        0x5 => Instruction::Asr { d },
        0x6 => Instruction::Lsr { d },
        0x7 => Instruction::Ror { d },
        0x8 if word & 0xff8f == 0x9408 => Instruction::Bset { b },
        0x8 if word & 0xff8f == 0x9488 => Instruction::Bclr { b },
        0x8 => without_operands(word),
        0x9 => match word {
            0x9409 => Instruction::Ijmp,
            0x9419 => Instruction::Eijmp,
            0x9509 => Instruction::Icall,
            0x9519 => Instruction::Eicall,
            _ => Instruction::Undefined { word },
        },
        0xa => Instruction::Dec { d },
        0xc | 0xd => Instruction::Jmp { k },
        0xe | 0xf => Instruction::Call { k },
        _ => Instruction::Undefined { word },
    }
}

fn without_operands(word: u16) -> Instruction {
    match word {
        0x9508 => Instruction::Ret,
        0x9518 => Instruction::Reti,
        0x9588 => Instruction::Sleep,
        0x9598 => Instruction::Break,
        0x95a8 => Instruction::Wdr,
        0x95c8 => Instruction::Lpm { d: 0, increment: false },
        0x95d8 => Instruction::Elpm { d: 0, increment: false },
        0x95e8 => Instruction::Spm { increment: false },
        0x95f8 => Instruction::Spm { increment: true },
        _ => Instruction::Undefined { word },
    }
}

/// Branches, and single bits of registers. Bit 3 of the latter is written 0; the core does not look at it.
fn bits(word: u16) -> Instruction {
    let (d, b) = (d5(word), (word & 7) as u8);
    let k = ((word >> 2 & 0xfe) as i8) >> 1;
    match word >> 9 & 7 {
        0b000 | 0b001 => Instruction::Brbs { b, k },
        0b010 | 0b011 => Instruction::Brbc { b, k },
        0b100 => Instruction::Bld { d, b },
        0b101 => Instruction::Bst { d, b },
        0b110 => Instruction::Sbrc { r: d, b },
        _ => Instruction::Sbrs { r: d, b },
    }
}
