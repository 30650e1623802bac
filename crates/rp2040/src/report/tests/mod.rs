//! Reports of small programs in SRAM, which are written as machine code.

mod branch_traces;
mod stops;

use units::Picoseconds;

use crate::chip::{Rp2040, Setup};
use mcu::Stop;
use mcu::image::{LoadOptions, RawBinary};

/// Where the programs begin.
const BASE: u32 = 0x2000_0000;
const BKPT: u16 = 0xbe00;
const SVC: u16 = 0xdf00;
const UDF: u16 = 0xde00;
const WFI: u16 = 0xbf30;
const B_SELF: u16 = 0xe7fe;
const NOP: u16 = 0xbf00;
/// `ldr r0, [pc, #0]`, a branch over the word, and the word: loads a constant into R0. Aligned to four bytes.
fn load_r0(value: u32) -> [u16; 4] {
    [0x4800, 0xe001, value as u16, (value >> 16) as u16]
}

/// Runs a program for a millisecond.
fn run(code: &[u16]) -> (Rp2040, Stop) {
    let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    let options = LoadOptions { raw_binary: RawBinary::Ram };
    let image =
        crate::load_image(&bytes, "program.bin", &options).expect("a raw binary for SRAM is an image");
    let mut chip = Rp2040::new(&Setup::default()).expect("the default setup can be built");
    chip.load(&image).expect("the program can be started");
    let stop = chip.run_until(Picoseconds::new(1_000_000_000));
    (chip, stop)
}
