//! A chip with a program of words, and the instructions that the tests need as words.

use std::sync::Arc;

use mcu::image::{Image, ImageError, LoadOptions};
use mcu::{Mcu, McuKind, Setup, Stop};
use units::Picoseconds;

pub(crate) const CLOCK_HZ: u64 = 16_000_000;
/// GDB's numbers.
pub(crate) const SREG: usize = 32;
pub(crate) const SP: usize = 33;
pub(crate) const PC: usize = 34;
/// Where the data space begins for a debugger.
pub(crate) const DATA: u32 = 0x80_0000;

pub(crate) const NOP: u16 = 0x0000;
pub(crate) const SEI: u16 = 0x9478;
pub(crate) const CLI: u16 = 0x94f8;
pub(crate) const RETI: u16 = 0x9518;
pub(crate) const RET: u16 = 0x9508;
pub(crate) const SLEEP: u16 = 0x9588;
/// A jump to itself.
pub(crate) const HANG: u16 = 0xcfff;

pub(crate) fn ldi(register: u16, value: u16) -> u16 {
    0xe000 | (value & 0xf0) << 4 | (register - 16) << 4 | value & 0xf
}

/// OUT, by the address in I/O.
pub(crate) fn out(address: u16, register: u16) -> u16 {
    0xb800 | (address & 0x30) << 5 | register << 4 | address & 0xf
}

/// IN, likewise.
pub(crate) fn read(register: u16, address: u16) -> u16 {
    0xb000 | (address & 0x30) << 5 | register << 4 | address & 0xf
}

/// STS, by the address in the data space.
pub(crate) fn sts(address: u16, register: u16) -> [u16; 2] {
    [0x9200 | register << 4, address]
}

/// LDS, likewise.
pub(crate) fn lds(register: u16, address: u16) -> [u16; 2] {
    [0x9000 | register << 4, address]
}

pub(crate) fn rjmp(words: i16) -> u16 {
    0xc000 | words as u16 & 0xfff
}

/// Intel HEX of some bytes.
pub(crate) fn hex(address: u32, bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut segment = None;
    for (at, row) in (address..).step_by(16).zip(bytes.chunks(16)) {
        if segment.replace(at >> 16) != Some(at >> 16) {
            text += &record(0, 4, &((at >> 16) as u16).to_be_bytes());
        }
        text += &record(at as u16, 0, row);
    }
    text + ":00000001FF\n"
}

fn record(address: u16, kind: u8, bytes: &[u8]) -> String {
    let [high, low] = address.to_be_bytes();
    let mut all = vec![bytes.len() as u8, high, low, kind];
    all.extend_from_slice(bytes);
    all.push(all.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte)));
    let digits: String = all.iter().map(|byte| format!("{byte:02X}")).collect();
    format!(":{digits}\n")
}

pub(crate) fn load(kind: &'static McuKind, file: &[u8]) -> Result<Image, ImageError> {
    Image::load(&Arc::new(file.to_vec()), "f.hex", kind.facts.images, &LoadOptions::default())
}

pub(crate) fn bare(kind: &'static McuKind) -> Box<dyn Mcu> {
    let flash_bytes = kind.facts.usual_flash_bytes;
    let setup = Setup { crystal_hz: CLOCK_HZ, flash_bytes, rom: None, usb_connected: false, seed: 1 };
    (kind.build)(&setup).unwrap()
}

/// A chip that runs these words from address 0.
pub(crate) fn chip_of(kind: &'static McuKind, words: &[u16]) -> Box<dyn Mcu> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut chip = bare(kind);
    chip.load(&load(kind, hex(0, &bytes).as_bytes()).unwrap()).unwrap();
    chip
}

pub(crate) fn chip(words: &[u16]) -> Box<dyn Mcu> {
    chip_of(&avr::ATMEGA328P, words)
}

pub(crate) fn step(chip: &mut dyn Mcu, instructions: usize) {
    for _ in 0..instructions {
        assert_eq!(chip.step(0), Stop::Time);
    }
}

/// Runs for so many cycles.
pub(crate) fn run(chip: &mut dyn Mcu, cycles: u64) -> Stop {
    let end = chip.now().ps() + (cycles * 62_500) as i64;
    chip.run_until(Picoseconds::new(end))
}

/// A program with handlers: each vector is two words, and what is not given hangs.
pub(crate) fn with_handlers(main: &[u16], handlers: &[(usize, &[u16])]) -> Vec<u16> {
    const VECTORS: usize = 57;
    let mut words: Vec<u16> = [HANG, NOP].repeat(VECTORS);
    let start = words.len() as u16;
    words[..2].copy_from_slice(&[0x940c, start]);
    words.extend_from_slice(main);
    for (vector, handler) in handlers {
        let at = words.len() as u16;
        words[2 * vector..2 * vector + 2].copy_from_slice(&[0x940c, at]);
        words.extend_from_slice(handler);
    }
    words
}
