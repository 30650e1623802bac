//! Images made at random: noise behind a valid start, valid code on random registers, code that pokes registers, and both
//! cores at once. All but the noise have a HardFault handler that goes on behind the instruction that faulted.

use crate::asm::{Asm, If, RAM};
use crate::random::Registers;
use testing::Random;

pub(crate) const FLASH: u32 = 0x1000_0000;
const FLASH_BYTES: usize = 0x1_0000;
/// Where a second table of vectors and code for core 1 may lie.
const STACK: u32 = 0x2004_0000;
const CORE1_STACK: u32 = 0x2003_8000;
const RESETS_CLEAR: u32 = 0x4000_f000;

/// What an image is, for the loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Flash,
    Ram,
}

/// A made image.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) place: Place,
}

/// The kinds of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Noise,
    NoiseBehindBoot2,
    NoiseInRam,
    Thumb,
    ThumbInRam,
    Pokes,
    /// Code that only counts, while registers are poked from outside, block by block.
    Blocks,
    BothCores,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::Noise,
    Kind::NoiseBehindBoot2,
    Kind::NoiseInRam,
    Kind::Thumb,
    Kind::ThumbInRam,
    Kind::Pokes,
    Kind::Blocks,
    Kind::BothCores,
];

pub(crate) fn make(kind: Kind, random: &mut Random) -> Made {
    match kind {
        Kind::Noise => Made { bytes: noise(random, FLASH), place: Place::Flash },
        Kind::NoiseBehindBoot2 => Made { bytes: noise_behind_boot2(random), place: Place::Flash },
        Kind::NoiseInRam => Made { bytes: noise(random, RAM), place: Place::Ram },
        Kind::Thumb => program(random, FLASH, false, instruction),
        Kind::ThumbInRam => program(random, RAM, false, instruction),
        Kind::Pokes => program(random, RAM, false, poke),
        Kind::Blocks => program(random, RAM, false, count),
        Kind::BothCores => {
            let body = if random.one_in(2) { instruction } else { poke };
            let base = if random.one_in(2) { RAM } else { FLASH };
            program(random, base, true, body)
        }
    }
}

/// A valid vector table, whose handlers are anywhere in the noise behind it.
fn noise(random: &mut Random, base: u32) -> Vec<u8> {
    let length = 0x400 + random.below(FLASH_BYTES as u32 - 0x400) as usize;
    let mut bytes = random.bytes(length);
    bytes[..4].copy_from_slice(&STACK.to_le_bytes());
    for vector in 1..48 {
        let entry = base + ((0xc0 + random.below(length as u32 - 0xc4)) | 1);
        bytes[4 * vector..4 * vector + 4].copy_from_slice(&entry.to_le_bytes());
    }
    bytes
}

/// A second stage of noise with the checksum that the boot ROM asks for.
fn noise_behind_boot2(random: &mut Random) -> Vec<u8> {
    let mut bytes = random.bytes(FLASH_BYTES);
    let mut sum = u32::MAX;
    for bit in bytes[..252].iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)) {
        let top = sum >> 31 != u32::from(bit);
        sum = sum << 1 ^ if top { 0x04c1_1db7 } else { 0 };
    }
    bytes[252..256].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// A start that lets the blocks out of reset and gives them clocks, then random instructions in a loop.
fn program(random: &mut Random, base: u32, both: bool, body: fn(&mut Asm, &mut Random)) -> Made {
    let mut asm = Asm::with_vectors(base, STACK);
    // VTOR, then the blocks out of reset, peripheral clock, USB and ADC clocks on, tick on.
    asm.poke(0xe000_ed08, base);
    if !random.one_in(8) {
        asm.poke(RESETS_CLEAR, random.of(&[0x01ff_ffff, 0x01ff_ffff, 0x00ff_ffff]));
        asm.poke(0x4000_8048, 1 << 11).poke(0x4000_8054, 1 << 11).poke(0x4000_8060, 1 << 11);
        asm.poke(0x4005_802c, 0x200 | 12);
    }
    if random.one_in(2) {
        asm.poke(0x4002_4000, 0xfa_baa0).poke(0xe000_e100, random.any() as u32);
    }
    asm.bl("rest");
    hard_fault(&mut asm);
    any_handlers(&mut asm, random);
    asm.label("rest");
    if both {
        launch(&mut asm, base);
    }
    rows(&mut asm, random, "one", body);
    asm.label("core1");
    rows(&mut asm, random, "two", body);
    asm.align(4).label("table");
    for word in [0, 0, 1, base, CORE1_STACK] {
        asm.word(word);
    }
    let core1 = asm.place("core1") | 1;
    asm.word(core1);
    Made { bytes: asm.finish(), place: if base == RAM { Place::Ram } else { Place::Flash } }
}

/// Goes on behind the instruction that faulted, whichever stack it used.
fn hard_fault(asm: &mut Asm) {
    asm.handler(3, "hard_fault").ldr_sp(0, 24).adds(0, 2).str_sp(0, 24).op(0x4770);
}

/// All other exceptions end at once, some after they mask their interrupt.
fn any_handlers(asm: &mut Asm, random: &mut Random) {
    asm.label("quick").op(0x4770);
    asm.label("masking");
    asm.constant(0, 0xe000_e180).constant(1, u32::MAX).str(1, 0, 0).op(0x4770);
    for exception in (2..48).filter(|&exception| exception != 3) {
        asm.vector(exception, if random.one_in(4) { "masking" } else { "quick" });
    }
}

/// Core 1 is launched through the FIFO, with time for its answers.
fn launch(asm: &mut Asm, base: u32) {
    let _ = base;
    asm.constant(2, 0xd000_0050).address(3, "table").subs(3, 1).movs(4, 6);
    asm.label("send").ldr(1, 3, 0).str(1, 2, 4).sev().adds(3, 4).movs(5, 40);
    asm.label("wait").subs(5, 1).b_if(If::NotEqual, "wait");
    asm.ldr(0, 2, 8).subs(4, 1).b_if(If::NotEqual, "send");
}

/// Registers at random, a row of random instructions, and again.
fn rows(asm: &mut Asm, random: &mut Random, label: &'static str, body: fn(&mut Asm, &mut Random)) {
    asm.label(label);
    for _ in 0..3 {
        let end = [1, 2, 3].map(|_| random.below(8) as u8);
        for register in 0..8 {
            let value = if end.contains(&register) { random.value() } else { random.address() };
            asm.constant(register, value);
        }
        for _ in 0..random.below(24) {
            body(asm, random);
        }
    }
    asm.constant(0, STACK).mov(13, 0);
    asm.b(label);
    asm.pool();
}

/// Nothing but time.
fn count(asm: &mut Asm, _: &mut Random) {
    asm.adds(0, 1);
}

/// A register gets a random value, or is read.
fn poke(asm: &mut Asm, random: &mut Random) {
    let address = if random.one_in(8) { random.address() } else { random.register() };
    asm.constant(6, address);
    match random.below(8) {
        0 => asm.ldr(7, 6, 0),
        1 => asm.constant(7, random.value()).strb(7, 6, 0),
        2 => asm.constant(7, random.value()).strh(7, 6, 0),
        _ => asm.constant(7, random.value()).str(7, 6, 0),
    };
    if random.one_in(8) {
        asm.wfe();
    }
}

/// A valid instruction of any kind, loads and stores more often than others.
fn instruction(asm: &mut Asm, random: &mut Random) {
    let any = random.any() as u16;
    let code = match random.below(16) {
        0..=2 => 0x5000 | any & 0x0fff,
        3..=7 => 0x6000 | any & 0x3fff,
        8 => 0xb400 | any & 0x0bff & !0x0100,
        9 => 0xc000 | any & 0x0fff,
        10 => 0x4000 | any & 0x03ff,
        11 => any & 0x3fff,
        12 => 0x4400 | any & 0x03ff & !0x0080,
        13 => random.of(&[0xbf00, 0xbf20, 0xbf30, 0xbf40, 0xb662, 0xb672, 0xdf01, 0xba00, 0xb200, 0xbe00]),
        // A branch forward over one instruction, taken or not.
        14 => 0xd000 | ((any & 0x0f00) % 0x0e00),
        _ => return special(asm, random),
    };
    asm.op(code);
}

fn special(asm: &mut Asm, random: &mut Random) {
    let register = random.below(8) as u8;
    match random.below(8) {
        0 => asm.msr(random.of(&[0, 8, 9, 16, 20]), register),
        1 => asm.mrs(register, random.of(&[0, 3, 5, 8, 9, 16, 20])),
        2 => asm.isb(),
        // Functions of the boot ROM.
        3 => asm.constant(register, random.below(0x4000) | 1).blx(register),
        4 => asm.constant(register, random.value()),
        5 => asm.op(random.any() as u16),
        _ => asm.constant(register, random.address()),
    };
}
