//! A tiny assembler for the images of the tests: the instructions that they need, labels, constants, a vector table.
//! It is written from the encodings of the ARMv6-M Architecture Reference Manual (A5), not from the chip's decoder.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;

/// Where the images of the tests lie: vector table first, then code.
pub(crate) const RAM: u32 = 0x2000_0000;
/// Bytes of a vector table with all 32 interrupts.
pub(crate) const VECTORS_BYTES: u32 = 48 * 4;
/// A word that the programs log to; the 64 words behind it are for what they keep.
pub(crate) const LOG: u32 = 0x2001_0000;
/// The single-cycle I/O block.
pub(crate) const SIO: u32 = 0xd000_0000;
/// SYSm numbers of MSR and MRS.
pub(crate) const MSP: u8 = 8;
pub(crate) const PSP: u8 = 9;
pub(crate) const PRIMASK: u8 = 16;
pub(crate) const CONTROL: u8 = 20;

/// Conditions of a branch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum If {
    Equal = 0,
    NotEqual = 1,
    CarryClear = 3,
    Plus = 5,
    Higher = 8,
    LowerOrSame = 9,
}

#[derive(Debug, Clone, Copy)]
enum Fixup {
    Branch,
    Conditional,
    Link,
}

#[derive(Debug, Clone, Copy)]
enum Constant {
    Value(u32),
    Address(&'static str),
}

/// Machine code under construction.
#[derive(Debug, Clone)]
pub(crate) struct Asm {
    base: u32,
    bytes: Vec<u8>,
    labels: BTreeMap<&'static str, u32>,
    fixups: Vec<(usize, &'static str, Fixup)>,
    constants: Vec<(usize, Constant)>,
    addresses: Vec<(usize, &'static str)>,
    vectors: Vec<(usize, &'static str)>,
}

impl Asm {
    /// Begins with a vector table at `base`, in which the reset vector is the code that follows.
    pub(crate) fn with_vectors(base: u32, stack: u32) -> Self {
        let mut bytes = vec![0; VECTORS_BYTES as usize];
        bytes[..4].copy_from_slice(&stack.to_le_bytes());
        bytes[4..8].copy_from_slice(&(base + VECTORS_BYTES + 1).to_le_bytes());
        Self { bytes, ..Self::code_at(base) }
    }

    /// Code alone.
    pub(crate) fn code_at(base: u32) -> Self {
        Self {
            base,
            bytes: Vec::new(),
            labels: BTreeMap::new(),
            fixups: Vec::new(),
            constants: Vec::new(),
            addresses: Vec::new(),
            vectors: Vec::new(),
        }
    }

    /// The address of what comes next.
    pub(crate) fn here(&self) -> u32 {
        self.base + self.bytes.len() as u32
    }

    pub(crate) fn label(&mut self, name: &'static str) -> &mut Self {
        assert!(self.labels.insert(name, self.here()).is_none(), "{name} is there twice");
        self
    }

    /// A handler begins here: its number goes into the vector table (16 is interrupt 0).
    pub(crate) fn handler(&mut self, exception: usize, name: &'static str) -> &mut Self {
        self.vectors.push((exception, name));
        self.label(name)
    }

    /// Where it begins.
    pub(crate) fn base(&self) -> u32 {
        self.base
    }

    /// An exception goes to a label that several share.
    pub(crate) fn vector(&mut self, exception: usize, name: &'static str) -> &mut Self {
        self.vectors.push((exception, name));
        self
    }

    /// Any instruction of 16 bits.
    pub(crate) fn op(&mut self, code: u16) -> &mut Self {
        self.bytes.extend(code.to_le_bytes());
        self
    }

    pub(crate) fn word(&mut self, word: u32) -> &mut Self {
        self.bytes.extend(word.to_le_bytes());
        self
    }

    pub(crate) fn align(&mut self, bytes: u32) -> &mut Self {
        while !self.here().is_multiple_of(bytes) {
            self.nop();
        }
        self
    }

    pub(crate) fn nop(&mut self) -> &mut Self {
        self.op(0xbf00)
    }
    pub(crate) fn nops(&mut self, count: usize) -> &mut Self {
        for _ in 0..count {
            self.nop();
        }
        self
    }
    pub(crate) fn wfe(&mut self) -> &mut Self {
        self.op(0xbf20)
    }
    pub(crate) fn wfi(&mut self) -> &mut Self {
        self.op(0xbf30)
    }
    pub(crate) fn sev(&mut self) -> &mut Self {
        self.op(0xbf40)
    }
    pub(crate) fn mask_interrupts(&mut self) -> &mut Self {
        self.op(0xb672)
    }
    pub(crate) fn unmask_interrupts(&mut self) -> &mut Self {
        self.op(0xb662)
    }
    pub(crate) fn svc(&mut self, number: u8) -> &mut Self {
        self.op(0xdf00 | u16::from(number))
    }
    pub(crate) fn bkpt(&mut self) -> &mut Self {
        self.op(0xbe00)
    }
    pub(crate) fn undefined(&mut self) -> &mut Self {
        self.op(0xde00)
    }
    pub(crate) fn movs(&mut self, to: u8, value: u8) -> &mut Self {
        self.op(0x2000 | u16::from(to) << 8 | u16::from(value))
    }
    pub(crate) fn adds(&mut self, to: u8, value: u8) -> &mut Self {
        self.op(0x3000 | u16::from(to) << 8 | u16::from(value))
    }
    pub(crate) fn subs(&mut self, to: u8, value: u8) -> &mut Self {
        self.op(0x3800 | u16::from(to) << 8 | u16::from(value))
    }
    /// Any two of the sixteen registers.
    pub(crate) fn mov(&mut self, to: u8, from: u8) -> &mut Self {
        let (to, from) = (u16::from(to), u16::from(from));
        self.op(0x4600 | (to & 8) << 4 | from << 3 | to & 7)
    }
    pub(crate) fn bx(&mut self, register: u8) -> &mut Self {
        self.op(0x4700 | u16::from(register) << 3)
    }
    pub(crate) fn blx(&mut self, register: u8) -> &mut Self {
        self.op(0x4780 | u16::from(register) << 3)
    }
    /// `lr` adds LR to R0 to R7, which have a bit each.
    pub(crate) fn push(&mut self, registers: u8, lr: bool) -> &mut Self {
        self.op(0xb400 | u16::from(lr) << 8 | u16::from(registers))
    }
    pub(crate) fn pop(&mut self, registers: u8, pc: bool) -> &mut Self {
        self.op(0xbc00 | u16::from(pc) << 8 | u16::from(registers))
    }
    pub(crate) fn ldr(&mut self, to: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x6800, to, base, offset / 4)
    }
    pub(crate) fn str(&mut self, from: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x6000, from, base, offset / 4)
    }
    pub(crate) fn ldrh(&mut self, to: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x8800, to, base, offset / 2)
    }
    pub(crate) fn strh(&mut self, from: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x8000, from, base, offset / 2)
    }
    pub(crate) fn ldrb(&mut self, to: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x7800, to, base, offset)
    }
    pub(crate) fn strb(&mut self, from: u8, base: u8, offset: u8) -> &mut Self {
        self.immediate(0x7000, from, base, offset)
    }
    fn immediate(&mut self, code: u16, register: u8, base: u8, units: u8) -> &mut Self {
        self.op(code | u16::from(units) << 6 | u16::from(base) << 3 | u16::from(register))
    }
    /// LDR relative to SP.
    pub(crate) fn ldr_sp(&mut self, to: u8, offset: u8) -> &mut Self {
        self.op(0x9800 | u16::from(to) << 8 | u16::from(offset / 4))
    }
    pub(crate) fn str_sp(&mut self, from: u8, offset: u8) -> &mut Self {
        self.op(0x9000 | u16::from(from) << 8 | u16::from(offset / 4))
    }
    pub(crate) fn msr(&mut self, special: u8, from: u8) -> &mut Self {
        self.op(0xf380 | u16::from(from)).op(0x8800 | u16::from(special))
    }
    pub(crate) fn mrs(&mut self, to: u8, special: u8) -> &mut Self {
        self.op(0xf3ef).op(0x8000 | u16::from(to) << 8 | u16::from(special))
    }
    pub(crate) fn isb(&mut self) -> &mut Self {
        self.op(0xf3bf).op(0x8f6f)
    }
    pub(crate) fn b(&mut self, label: &'static str) -> &mut Self {
        self.fixups.push((self.bytes.len(), label, Fixup::Branch));
        self.op(0xe000)
    }
    pub(crate) fn b_if(&mut self, condition: If, label: &'static str) -> &mut Self {
        self.fixups.push((self.bytes.len(), label, Fixup::Conditional));
        self.op(0xd000 | (condition as u16) << 8)
    }
    pub(crate) fn bl(&mut self, label: &'static str) -> &mut Self {
        self.fixups.push((self.bytes.len(), label, Fixup::Link));
        self.op(0xf000).op(0xd000)
    }
    /// Goes round for ever.
    pub(crate) fn stop(&mut self) -> &mut Self {
        self.op(0xe7fe)
    }

    /// A constant into R0 to R7, from behind the code.
    pub(crate) fn constant(&mut self, to: u8, value: u32) -> &mut Self {
        self.literal(to, Constant::Value(value))
    }
    /// The address of a label with the Thumb bit.
    pub(crate) fn address(&mut self, to: u8, label: &'static str) -> &mut Self {
        self.literal(to, Constant::Address(label))
    }
    fn literal(&mut self, to: u8, constant: Constant) -> &mut Self {
        self.constants.push((self.bytes.len(), constant));
        self.op(0x4800 | u16::from(to) << 8)
    }

    /// Writes a word to an address, by way of R6 and R7.
    pub(crate) fn poke(&mut self, address: u32, value: u32) -> &mut Self {
        self.constant(6, address).constant(7, value).str(7, 6, 0)
    }
    /// Reads a word and keeps it elsewhere, by way of R6 and R7.
    pub(crate) fn keep(&mut self, address: u32, at: u32) -> &mut Self {
        self.constant(6, address).ldr(7, 6, 0).constant(6, at).str(7, 6, 0)
    }
    /// Keeps R0 to R5.
    pub(crate) fn keep_register(&mut self, register: u8, at: u32) -> &mut Self {
        self.constant(6, at).str(register, 6, 0)
    }
    /// Adds to a word in memory, by way of R6 and R7.
    pub(crate) fn count(&mut self, at: u32, step: u8) -> &mut Self {
        self.constant(6, at).ldr(7, 6, 0).adds(7, step).str(7, 6, 0)
    }

    /// Adds a digit to the word at `LOG`, by way of R6 and R7.
    pub(crate) fn log(&mut self, digit: u8) -> &mut Self {
        const SHIFT_R7_BY_4: u16 = 0x013f;
        self.constant(6, LOG).ldr(7, 6, 0).op(SHIFT_R7_BY_4).adds(7, digit).str(7, 6, 0)
    }
    /// Goes round, three cycles a time.
    pub(crate) fn wait(&mut self, rounds: u8, label: &'static str) -> &mut Self {
        self.movs(7, rounds).label(label).subs(7, 1).b_if(If::NotEqual, label)
    }
    /// Launches core 1 through the inter-core FIFO, with a pause for each answer (RP2040 datasheet 2.8.2).
    pub(crate) fn launch(&mut self, entry: &'static str, vectors: u32, stack: u32) -> &mut Self {
        const WORDS: [&str; 6] = ["fifo 0", "fifo 1", "fifo 2", "fifo 3", "fifo 4", "fifo 5"];
        for (i, wait) in WORDS.into_iter().enumerate() {
            match i {
                0 | 1 => self.movs(5, 0),
                2 => self.movs(5, 1),
                3 => self.constant(5, vectors),
                4 => self.constant(5, stack),
                _ => self.address(5, entry),
            };
            self.constant(4, SIO).str(5, 4, 0x54).sev().wait(40, wait).ldr(5, 4, 0x58);
        }
        self
    }

    /// Where a label is.
    pub(crate) fn place(&self, label: &str) -> u32 {
        *self.labels.get(label).unwrap_or_else(|| panic!("no label {label}"))
    }

    fn half(&mut self, at: usize, code: u16) {
        let code = code | u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]);
        self.bytes[at..at + 2].copy_from_slice(&code.to_le_bytes());
    }

    /// The constants of the code so far, behind a jump that never comes back.
    pub(crate) fn pool(&mut self) -> &mut Self {
        while !self.here().is_multiple_of(4) {
            self.nop();
        }
        for (at, constant) in std::mem::take(&mut self.constants) {
            let pc = (self.base + at as u32 + 4) & !3;
            let distance = (self.here() - pc) / 4;
            self.half(at, u16::try_from(distance).ok().filter(|&d| d < 256).expect("the constant is near"));
            match constant {
                Constant::Value(value) => self.word(value),
                Constant::Address(label) => {
                    self.addresses.push((self.bytes.len(), label));
                    self.word(0)
                }
            };
        }
        self
    }

    /// The machine code, with constants behind it.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.pool();
        for (at, label) in std::mem::take(&mut self.addresses) {
            let address = self.place(label) | 1;
            self.bytes[at..at + 4].copy_from_slice(&address.to_le_bytes());
        }
        for (at, label, kind) in std::mem::take(&mut self.fixups) {
            let distance = (self.place(label) as i32 - (self.base as i32 + at as i32 + 4)) / 2;
            match kind {
                Fixup::Branch => self.half(at, distance as u16 & 0x7ff),
                Fixup::Conditional => self.half(at, distance as u16 & 0xff),
                Fixup::Link => {
                    // J1 and J2 are set: their bits are those of the sign inverted, twice.
                    self.half(at, (distance >> 11) as u16 & 0x3ff | if distance < 0 { 0x400 } else { 0 });
                    self.half(at + 2, distance as u16 & 0x7ff | 0x2800);
                }
            }
        }
        for (exception, label) in std::mem::take(&mut self.vectors) {
            let entry = self.place(label) | 1;
            self.bytes[4 * exception..4 * exception + 4].copy_from_slice(&entry.to_le_bytes());
        }
        self.bytes
    }
}
