//! Programs that write their own flash (ATmega328P datasheet, "Boot Loader Support"): where SPM works, and what SPMCSR tells.

use mcu::{Mcu, McuKind};

use crate::support::{CLI, HANG, NOP, SEI, bare, hex, ldi, load, out, read, run, sts};

const SPMCSR: u16 = 0x37;
const SPM: u16 = 0x95e8;
/// Bits of SPMCSR.
const RWWSB: u32 = 1 << 6;
const SIGRD: u16 = 1 << 5;
const RWWSRE: u16 = 1 << 4;
const PGWRT: u16 = 1 << 2;
const PGERS: u16 = 1 << 1;
const SPMEN: u16 = 1 << 0;

/// Each chip with the first byte of the largest boot section.
const CHIPS: [(&McuKind, u32); 3] =
    [(&avr::ATMEGA328P, 0x7000), (&avr::ATMEGA2560, 0x3_e000), (&avr::ATMEGA1284P, 0x1_e000)];

/// The page at 0x2000, which is in nobody's way.
const PAGE: u32 = 0x2000;
const MARK: u8 = 0x5a;

fn store(control: u16) -> [u16; 3] {
    [ldi(16, control | SPMEN), out(SPMCSR, 16), SPM]
}

/// Waits until SPMEN is clear.
fn wait() -> [u16; 3] {
    // IN R17; SBRC R17, 0; RJMP back.
    [read(17, SPMCSR), 0xfd10, 0xcffd]
}

/// Where an image states the low and the high fuse.
const FUSES: u32 = 0x82_0000;

/// Runs words, with the high fuse where it is stated.
fn run_words(kind: &'static McuKind, high_fuse: Option<u8>, words: &[u16]) -> Box<dyn Mcu> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let fuses = high_fuse.map_or(hex(0, &[]), |fuse| hex(FUSES, &[0xff, fuse]));
    let image = hex(0, &bytes).replace(":00000001FF\n", "") + &fuses;
    let mut chip = bare(kind);
    chip.load(&load(kind, image.as_bytes()).unwrap()).unwrap();
    run(&mut *chip, 300_000);
    chip
}

/// Runs words at a place of the flash, with a mark in the page and Z pointing there.
fn run_at(kind: &'static McuKind, start: u32, body: &[u16]) -> Box<dyn Mcu> {
    run_at_with(kind, None, start, body)
}

fn run_at_with(kind: &'static McuKind, high_fuse: Option<u8>, start: u32, body: &[u16]) -> Box<dyn Mcu> {
    let mut words = vec![NOP; start as usize / 2];
    // JMP.
    let target = start / 2;
    words[0] = 0x940c | u16::from(target >> 16 != 0);
    words[1] = target as u16;
    words[PAGE as usize / 2] = u16::from_le_bytes([MARK; 2]);
    words.extend([ldi(30, 0), ldi(31, PAGE as u16 >> 8)]);
    words.extend(body);
    words.push(HANG);
    run_words(kind, high_fuse, &words)
}

fn byte(chip: &dyn Mcu) -> u8 {
    chip.read_memory(PAGE, 1).unwrap()[0]
}

fn erase() -> Vec<u16> {
    [&store(PGERS)[..], &wait()].concat()
}

#[test]
fn a_page_is_erased_from_the_boot_section_and_from_nowhere_below() {
    // "Boot Loader Support": "the SPM instruction can only be executed from the Boot Loader section".
    for (kind, boot) in CHIPS {
        assert_eq!(byte(&*run_at(kind, boot, &erase())), 0xff);
        let below = run_at(kind, boot - 0x100, &erase());
        assert_eq!(byte(&*below), MARK);
        assert_eq!(below.cycles() / 300_000, 1, "it runs on");
        assert!(below.register(0, 34) > boot - 0x100 + 14, "SPMEN clears itself");
    }
}

#[test]
fn the_boot_section_is_that_of_bootsz_where_the_fuses_are_stated() {
    // "Boot Size Configuration" of the ATmega328P; BOOTRST is not programmed, so that a reset starts at 0.
    for (fuse, boot) in [(0xdf, 0x7e00), (0xdd, 0x7c00), (0xdb, 0x7800), (0xd9, 0x7000)] {
        let byte_behind = |start| byte(&*run_at_with(&avr::ATMEGA328P, Some(fuse), start, &erase()));
        assert_eq!([byte_behind(boot - 0x100), byte_behind(boot)], [MARK, 0xff], "{fuse:#x}");
    }
}

#[test]
fn vectors_in_the_boot_section_lie_where_bootsz_says() {
    // INT0 is wired to nothing, and a program that writes PD2 as an output interrupts by it. IVCE, then IVSEL, in MCUCR.
    const MCUCR: u16 = 0x35;
    const EIMSK: u16 = 0x1d;
    const EICRA: u16 = 0x69;
    const DDRD: u16 = 0x0a;
    const PORTD: u16 = 0x0b;
    let start =
        [&[CLI, ldi(16, 1), ldi(17, 2), out(MCUCR, 16), out(MCUCR, 17), ldi(18, 3)][..], &sts(EICRA, 18)];
    let rise = [ldi(19, 4), out(DDRD, 19), out(EIMSK, 16), SEI, out(PORTD, 19), NOP, NOP, HANG];
    for (fuse, boot) in [(0xdf, 0x7e00), (0xdb, 0x7800)] {
        let mut words = [&start.concat()[..], &rise].concat();
        words.resize(0x4000, HANG);
        let vector = boot / 2 + 2;
        words[vector..vector + 2].copy_from_slice(&[ldi(22, 7), HANG]);
        let chip = run_words(&avr::ATMEGA328P, Some(fuse), &words);
        assert_eq!(chip.register(0, 34), 2 * (vector as u32 + 1), "{fuse:#x}");
        assert_eq!(chip.register(0, 22), 7, "{fuse:#x}");
    }
}

#[test]
fn who_uses_spm_outside_of_the_boot_section_is_told_so_once() {
    let chip = run_at(&avr::ATMEGA328P, 0x6000, &[erase(), erase()].concat());
    let told = chip.unknown_accesses();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].pc, told[0].write, told[0].ignored), (0x6008, true, true));
    assert!(told[0].detail.contains("boot section"), "{}", told[0].detail);
    assert!(run_at(&avr::ATMEGA328P, 0x7000, &erase()).unknown_accesses().is_empty());
}

#[test]
fn the_section_that_was_programmed_is_busy_until_it_is_enabled_again() {
    // "SPMCSR", bit 6: RWWSB is set when a page is erased or written in that section, until RWWSRE is stored.
    let body = [
        &store(PGERS)[..],
        &[read(20, SPMCSR)],
        &wait(),
        &[read(21, SPMCSR)],
        &store(PGWRT),
        &[read(22, SPMCSR)],
        &wait(),
        &[read(23, SPMCSR)],
        &store(RWWSRE),
        &[read(24, SPMCSR)],
    ]
    .concat();
    for (kind, boot) in CHIPS {
        let chip = run_at(kind, boot, &body);
        let seen = [20, 21, 22, 23, 24].map(|register| chip.register(0, register));
        assert_eq!(seen, [0x43, 0x40, 0x45, 0x40, 0x00]);
    }
}

#[test]
fn the_page_buffer_can_be_filled_before_the_section_is_enabled_again() {
    // "SPMCSR", bit 6: "the RWWSB bit will automatically be cleared if a page load operation is initiated".
    let words = [&erase()[..], &[read(20, SPMCSR)], &store(0), &[read(21, SPMCSR)]].concat();
    let chip = run_at(&avr::ATMEGA328P, 0x7000, &words);
    assert_eq!([20, 21].map(|register| chip.register(0, register)), [0x40, 0]);
}

#[test]
fn spm_that_follows_sigrd_does_nothing() {
    // "SPMCSR", bit 5: "an SPM instruction within four cycles after SIGRD and SPMEN are set will have no effect".
    let words =
        [&erase()[..], &[ldi(17, 0x12), 0x2e01], &store(SIGRD), &[read(20, SPMCSR)], &store(PGWRT), &wait()];
    let chip = run_at(&avr::ATMEGA328P, 0x7000, &words.concat());
    assert_eq!(chip.register(0, 20), 0x40, "nothing was loaded, so the section is busy still");
    assert_eq!(byte(&*chip), 0xff);
}

#[test]
fn a_page_of_the_boot_section_leaves_the_other_section_free() {
    // Z is the last page of the flash: "Read-While-Write and No Read-While-Write Flash Sections".
    let words = [&[ldi(31, 0x7f)][..], &store(PGERS), &[read(20, SPMCSR)], &wait()].concat();
    let chip = run_at(&avr::ATMEGA328P, 0x7000, &words);
    assert_eq!(chip.register(0, 20) & RWWSB, 0);
}
