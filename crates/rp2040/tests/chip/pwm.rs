//! PWM that nobody listens to is led on only when somebody looks; nobody can tell. A chip around which somebody listens to every pin
//! is held against one around which nobody does, with random slices, now and then beside PIO programs that move and see pins, and a
//! core that writes, reads, waits and is interrupted at random.

use mcu::Stop;
use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::bench::*;
use crate::pio::{
    Attentive, DMA, GPIO_IN, IO_BANK0, PIO, SEEN, TABLE, WORDS, action as pio_action, edges, program,
    table_driven,
};
use crate::waiting::same;
use testing::Random;

const PWM: u32 = 0x4005_0000;
const SLICE_BYTES: u32 = 0x14;
const PADS_BANK0: u32 = 0x4001_c000;
const CLK_SYS_DIV: u32 = 0x4000_8040;
const EN: u32 = 0xa0;
const ACTIONS: usize = 120;
const PINS: u32 = 8;
const SEEN_BYTES: usize = 4 * ACTIONS;
/// FUNCSEL of pins.
const BY_PWM: u32 = 4;
const BY_SOFTWARE: u32 = 5;
const BY_PIO0: u32 = 6;

/// TOP, or a level: mostly of short periods.
fn count(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.below(0x1_0000),
        1 => 0,
        2 => random.below(2000),
        _ => random.below(24),
    }
}

/// A write to a register of slices.
fn setting(random: &mut Random) -> [u32; 3] {
    let slice = PWM + SLICE_BYTES * random.below(PINS / 2);
    match random.below(6) {
        0 => [0, slice, random.of(&[1, 1, 1, 3, 0xd, 0, 0x41, 0x81, 0x11, 0x21])],
        1 => [0, slice + 4, random.of(&[0x10, 0x10, 0x18, 0x13, 0x27, random.clone().below(0x1000)])],
        2 => [0, slice + 8, count(random)],
        3 => [0, slice + 0xc, count(random) << 16 | count(random)],
        4 => [0, slice + 0x10, count(random)],
        _ => [0, PWM + EN, random.below(16)],
    }
}

fn action(random: &mut Random) -> [u32; 3] {
    let slice = PWM + SLICE_BYTES * random.below(PINS / 2);
    match random.below(24) {
        0..=4 => [2, 0, 1 + random.below(3000)],
        5 | 6 => [2, 0, 1 + random.below(20)],
        7..=9 => setting(random),
        10 => [1, slice + 8, 0],
        11 => [1, PWM + random.of(&[0xa0, 0xa4, 0xb0]), 0],
        12 | 13 => [1, GPIO_IN, 0],
        14 => [1, IO_BANK0 + 0xf0, 0],
        15 => [0, IO_BANK0 + 0xf0, random.any() as u32],
        16 => [0, IO_BANK0 + 0x100, if random.one_in(2) { 0xc << (4 * random.below(PINS)) } else { 0 }],
        17 => [0, PWM + 0xa4, random.below(16)],
        18 => [0, PWM + random.of(&[0xa8, 0xac]), if random.one_in(2) { random.below(16) } else { 0 }],
        19 => [0, IO_BANK0 + 8 * random.below(PINS) + 4, funcsel(random)],
        20 => [0, PADS_BANK0 + 4 + 4 * random.below(PINS), random.of(&[0x40, 0x40, 0x40, 0xc0, 0])],
        // A wrap of slice 0 or 1 moves a word.
        21 => [3, random.below(2), random.of(&[3, 500])],
        22 => [0, CLK_SYS_DIV, random.of(&[0x100, 0x100, 0x200])],
        _ => [0, 0xd000_001c, random.below(1 << PINS)],
    }
}

fn funcsel(random: &mut Random) -> u32 {
    let overrides = if random.one_in(6) { random.of(&[1 << 8, 2 << 8, 1 << 16, 1 << 28]) } else { 0 };
    random.of(&[BY_PWM, BY_PWM, BY_PWM, BY_PIO0, BY_SOFTWARE]) | overrides
}

fn table(random: &mut Random, with_pio: bool) -> Vec<[u32; 3]> {
    let mut table = Vec::new();
    for pin in 0..PINS {
        table.push([0, IO_BANK0 + 8 * pin + 4, funcsel(random)]);
    }
    if with_pio {
        program(random, PIO[0], &mut table);
    }
    table.extend((0..16).map(|_| setting(random)));
    table.push([0, PWM + EN, random.below(16)]);
    for _ in 0..ACTIONS {
        let next = if with_pio && random.one_in(4) { pio_action(random) } else { action(random) };
        match next {
            [3, number @ (0 | 1), words] => {
                let at = DMA + 0x40 * number;
                let control = 1 | 2 << 2 | 1 << 4 | 6 << 6 | (24 + number) << 15 | number << 11;
                table.extend([[0, at, WORDS], [0, at + 4, WORDS + 0x400], [0, at + 8, words]]);
                table.push([0, at + 0xc, control]);
            }
            [3, ..] => {}
            other => table.push(other),
        }
    }
    table.push([9, 0, 0]);
    table
}

fn chip(seed: u64, attentive: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut chip = chip_with(table_driven(in_ram(), 125));
    let table = table(&mut random, seed.is_multiple_of(3));
    let bytes: Vec<u8> = table.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.record_pins(random.of(&[0, 0, 0x3, 0x30, 0xff]));
    if attentive {
        chip.connect(Box::new(Attentive));
    }
    chip
}

fn check(seed: u64) {
    let (mut quick, mut slow) = (chip(seed, false), chip(seed, true));
    let mut pieces = Random::new(seed);
    let mut end = Picoseconds::ZERO;
    for _ in 0..6 {
        end = end + us(100) + Picoseconds::new(i64::from(pieces.below(400_000_000)));
        quick.run_until(end);
        slow.run_until(end);
        let case = format!("seed {seed}");
        same(&quick, &slow, &case);
        let [seen, expected] = [&quick, &slow].map(|chip| chip.read_memory(SEEN, SEEN_BYTES).expect("SRAM"));
        assert_eq!(seen, expected, "{case}: what the core read");
        let (one, other) = (edges(&mut quick), edges(&mut slow));
        let first = one.iter().zip(&other).position(|(one, other)| one != other);
        assert_eq!((first, one.len()), (None, other.len()), "{case}: edges");
        let registers = (0..0xb4).map(|register| PWM + register).chain((0..0x130).map(|at| IO_BANK0 + at));
        for at in registers.step_by(4) {
            assert_eq!(quick.read_word(at), slow.read_word(at), "{case}: {at:#x}");
        }
        assert_eq!(quick.pins().levels(), slow.pins().levels(), "{case}");
    }
}

#[test]
fn slices_that_nobody_listens_to_do_what_others_do() {
    for seed in 0..24 {
        check(seed);
    }
    // A counter that is read between two runs, a cycle after the last event.
    check(714);
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_slices_that_nobody_listens_to_do_what_others_do() {
    for seed in 100..2000 {
        check(seed);
    }
}

#[test]
fn slices_that_nobody_listens_to_end_no_sleep_and_stop_no_core() {
    // Two pins move every 32 ns for ten seconds, which would be 1.25 thousand million edges.
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(IO_BANK0 + 4, BY_PWM).poke(IO_BANK0 + 0xc, BY_PWM);
    asm.poke(PWM + 0x10, 3).poke(PWM + 0xc, 3 << 16 | 1).poke(PWM, 1);
    asm.label("sleep").wfe().b("sleep").pool();
    let mut chip = chip_with(asm);
    let started = std::time::Instant::now();
    assert_eq!(run(&mut chip, 10_000_000), Stop::Time);
    assert!(started.elapsed() < std::time::Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(word(&chip, IO_BANK0 + 0xf0) & 0xcc, 0xcc, "both pins rose and fell");
}
