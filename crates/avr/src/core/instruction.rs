//! Instructions of the AVRe+ core, decoded: what each names, as numbers of registers, addresses and offsets (AVR Instruction
//! Set Manual, DS40002198). Mnemonics that are another one's alias (TST, CLR, LSL, ROL, SBR, BRNE and their like) do not stand here.

/// An instruction. `d` and `r` are numbers of registers, `a` an address of I/O, `b` a bit, `k` an immediate or an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the manual's mnemonics.
pub enum Instruction {
    Adc {
        d: u8,
        r: u8,
    },
    Add {
        d: u8,
        r: u8,
    },
    Adiw {
        d: u8,
        k: u8,
    },
    And {
        d: u8,
        r: u8,
    },
    Andi {
        d: u8,
        k: u8,
    },
    Asr {
        d: u8,
    },
    Bclr {
        b: u8,
    },
    Bld {
        d: u8,
        b: u8,
    },
    /// Branches where a flag is clear; `k` counts words from the next instruction.
    Brbc {
        b: u8,
        k: i8,
    },
    /// Branches where a flag is set.
    Brbs {
        b: u8,
        k: i8,
    },
    Break,
    Bset {
        b: u8,
    },
    Bst {
        d: u8,
        b: u8,
    },
    /// `k` is the address of a word.
    Call {
        k: u32,
    },
    Cbi {
        a: u8,
        b: u8,
    },
    Com {
        d: u8,
    },
    Cp {
        d: u8,
        r: u8,
    },
    Cpc {
        d: u8,
        r: u8,
    },
    Cpi {
        d: u8,
        k: u8,
    },
    Cpse {
        d: u8,
        r: u8,
    },
    Dec {
        d: u8,
    },
    Eicall,
    Eijmp,
    Elpm {
        d: u8,
        increment: bool,
    },
    Eor {
        d: u8,
        r: u8,
    },
    /// A word that nothing was programmed into, which the core takes for SBRS R31, 7.
    Erased,
    Fmul {
        d: u8,
        r: u8,
    },
    Fmuls {
        d: u8,
        r: u8,
    },
    Fmulsu {
        d: u8,
        r: u8,
    },
    Icall,
    Ijmp,
    In {
        d: u8,
        a: u8,
    },
    Inc {
        d: u8,
    },
    Jmp {
        k: u32,
    },
    Ld {
        d: u8,
        pointer: Pointer,
    },
    Ldd {
        d: u8,
        base: u8,
        q: u8,
    },
    Ldi {
        d: u8,
        k: u8,
    },
    Lds {
        d: u8,
        k: u16,
    },
    Lpm {
        d: u8,
        increment: bool,
    },
    Lsr {
        d: u8,
    },
    Mov {
        d: u8,
        r: u8,
    },
    Movw {
        d: u8,
        r: u8,
    },
    Mul {
        d: u8,
        r: u8,
    },
    Muls {
        d: u8,
        r: u8,
    },
    Mulsu {
        d: u8,
        r: u8,
    },
    Neg {
        d: u8,
    },
    Nop,
    Or {
        d: u8,
        r: u8,
    },
    Ori {
        d: u8,
        k: u8,
    },
    Out {
        a: u8,
        r: u8,
    },
    Pop {
        d: u8,
    },
    Push {
        r: u8,
    },
    Rcall {
        k: i16,
    },
    Ret,
    Reti,
    Rjmp {
        k: i16,
    },
    Ror {
        d: u8,
    },
    Sbc {
        d: u8,
        r: u8,
    },
    Sbci {
        d: u8,
        k: u8,
    },
    Sbi {
        a: u8,
        b: u8,
    },
    Sbic {
        a: u8,
        b: u8,
    },
    Sbis {
        a: u8,
        b: u8,
    },
    Sbiw {
        d: u8,
        k: u8,
    },
    Sbrc {
        r: u8,
        b: u8,
    },
    Sbrs {
        r: u8,
        b: u8,
    },
    Sleep,
    Spm {
        increment: bool,
    },
    St {
        r: u8,
        pointer: Pointer,
    },
    Std {
        r: u8,
        base: u8,
        q: u8,
    },
    Sts {
        k: u16,
        r: u8,
    },
    Sub {
        d: u8,
        r: u8,
    },
    Subi {
        d: u8,
        k: u8,
    },
    Swap {
        d: u8,
    },
    Wdr,
    /// A word that is no instruction of this core.
    Undefined {
        word: u16,
    },
}

/// How a pointer register is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The lower register of the pair: 26 for X, 28 for Y, 30 for Z.
    pub base: u8,
    /// What happens to it.
    pub step: Step,
}

/// What happens to a pointer register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Stays,
    /// One up, after the access.
    Up,
    /// One down, before the access.
    Down,
}

/// The lower register of X.
pub(super) const X: u8 = 26;
/// The lower register of Y.
pub(super) const Y: u8 = 28;
/// The lower register of Z.
pub(super) const Z: u8 = 30;

impl Instruction {
    /// Its length in words, from its first word.
    pub fn words_of(word: u16) -> u32 {
        let long = word & 0xfe0c == 0x940c || matches!(word & 0xfe0f, 0x9000 | 0x9200);
        1 + u32::from(long)
    }
}
