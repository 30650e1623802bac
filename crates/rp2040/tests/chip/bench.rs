//! A chip with a program in RAM or flash, and the questions that the tests ask it.

use mcu::Stop;
use mcu::image::{LoadOptions, RawBinary};
use rp2040::chip::{Rp2040, Setup};
use units::Picoseconds;

use crate::asm::{Asm, LOG, RAM};

pub(crate) const STACK: u32 = 0x2003_0000;
pub(crate) const VTOR: u32 = 0xe000_ed08;
pub(crate) const ICSR: u32 = 0xe000_ed04;
pub(crate) const SCR: u32 = 0xe000_ed10;
pub(crate) const ISER: u32 = 0xe000_e100;
pub(crate) const ISPR: u32 = 0xe000_e200;
pub(crate) const ICPR: u32 = 0xe000_e280;
/// Clear alias of RESETS.RESET.
pub(crate) const RESETS_CLEAR: u32 = 0x4000_f000;
/// The first exception number of an interrupt.
pub(crate) const IRQ0: usize = 16;

/// The word `n` of those that programs keep.
pub(crate) fn kept(n: u32) -> u32 {
    LOG + 4 + 4 * n
}

/// A program in RAM that has set its vector table.
pub(crate) fn in_ram() -> Asm {
    let mut asm = Asm::with_vectors(RAM, STACK);
    asm.poke(VTOR, RAM);
    asm
}

/// A program in flash; the core starts from its vector table.
pub(crate) fn in_flash() -> Asm {
    Asm::with_vectors(0x1000_0000, STACK)
}

pub(crate) fn chip_with(asm: Asm) -> Rp2040 {
    let base = asm.base();
    chip_with_bytes(&asm.finish(), base)
}

pub(crate) fn chip_with_bytes(bytes: &[u8], base: u32) -> Rp2040 {
    let raw_binary = if base == RAM { RawBinary::Ram } else { RawBinary::Flash };
    let image = rp2040::load_image(bytes, "test", &LoadOptions { raw_binary }).expect("an image");
    let setup = Setup { flash_bytes: 1 << 20, ..Setup::default() };
    let mut chip = Rp2040::new(&setup).expect("a chip");
    chip.load(&image).expect("it starts");
    chip
}

/// Runs a program for a while.
pub(crate) fn ran(asm: Asm) -> Rp2040 {
    let mut chip = chip_with(asm);
    run(&mut chip, 1000);
    chip
}

pub(crate) fn run(chip: &mut Rp2040, microseconds: i64) -> Stop {
    let now = chip.now();
    chip.run_until(now + us(microseconds))
}

pub(crate) fn word(chip: &Rp2040, address: u32) -> u32 {
    chip.read_word(address).expect("there is memory")
}

pub(crate) fn log(chip: &Rp2040) -> u32 {
    word(chip, LOG)
}

pub(crate) fn pc(chip: &Rp2040) -> u32 {
    chip.core(0).registers()[15]
}

/// Executes up to the instruction at an address.
pub(crate) fn go_to(chip: &mut Rp2040, address: u32) {
    for _ in 0..10_000 {
        if pc(chip) == address {
            return;
        }
        chip.step(0);
    }
    panic!("core 0 never comes to {address:#x}; it is at {:#x}", pc(chip));
}

/// The cycles that the next instruction takes, with whatever comes before it.
pub(crate) fn step_cycles(chip: &mut Rp2040) -> u64 {
    let before = chip.counts().cycles;
    chip.step(0);
    chip.counts().cycles - before
}

pub(crate) fn us(microseconds: i64) -> Picoseconds {
    Picoseconds::new(microseconds * 1_000_000)
}
