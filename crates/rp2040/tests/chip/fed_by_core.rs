//! A core that feeds machines word by word, and looks at their FIFOs before each: a driver of a display does nothing else. Nobody can tell
//! that such a block stays behind. A chip around which somebody listens to every pin, so that its blocks never do, is held against one
//! around which nobody does.

use rp2040::chip::Rp2040;
use testing::Random;
use units::Picoseconds;

use crate::bench::*;
use crate::pio::{
    Attentive, DMA, GPIO_IN, IO_BANK0, PIO, SEEN, TABLE, WORDS, edges, pio_registers, table_driven,
};
use crate::waiting::{same, same_registers};

const WORDS_FED: usize = 400;
const PINS: u32 = 6;
const FSTAT: u32 = 4;
const FDEBUG: u32 = 8;
const FLEVEL: u32 = 0xc;
const IRQ: u32 = 0x30;
const ADDR: u32 = 0xd4;
const TIMERAWL: u32 = 0x4005_4028;
/// Raw edges at the first eight pins.
const INTR0: u32 = IO_BANK0 + 0xf0;
const NOP: u32 = 0xa042;
const SYSTICK: u32 = 0xe000_e010;
/// Cycles between two ticks, each of which ends a wait for what never comes.
const RELOAD: u32 = 9_001;

/// A loop that shifts bits out, with or without a clock beside it; some pull words themselves, and some count rounds.
fn program(random: &mut Random) -> Vec<u32> {
    let side = |random: &mut Random| random.below(2) << 12;
    let delay = |random: &mut Random| if random.one_in(2) { 0 } else { random.below(6) << 8 };
    let bits = random.of(&[1, 1, 1, 2, 4, 8]);
    let to = random.of(&[0, 0, 0, 3]) << 5;
    let out = 0x6000 | to | bits | side(random) | delay(random);
    let nop = NOP | side(random) | delay(random);
    let (pull, set_y, again) = (0x80a0, 0xe040 | random.below(16), 0x0080);
    match random.below(6) {
        0 => vec![out],
        1 => vec![nop, out],
        2 => vec![pull | side(random), out, nop],
        3 => vec![out, nop, set_y, 0x0083 | side(random)],
        4 => vec![out, 0xa027, nop, again],
        _ => vec![out, nop],
    }
}

fn machine(random: &mut Random, block: u32, n: u32, table: &mut Vec<[u32; 3]>) {
    let program = program(random);
    let first = 8 * n;
    let last = first + program.len() as u32 - 1;
    for (instruction, place) in program.iter().zip(first..) {
        let jumps = instruction >> 13 == 0;
        let target = if jumps { first + (instruction & 0x1f) % program.len() as u32 } else { 0 };
        let word = if jumps { instruction & !0x1f | target } else { *instruction };
        table.push([0, block + 0x48 + 4 * place, word]);
    }
    let at = block + 0xc8 + 0x18 * n;
    let threshold = random.of(&[8, 8, 16, 24, 32, 5]);
    // Without it only a program that pulls takes any word.
    let pulls = program.iter().any(|word| word >> 13 == 4);
    let autopull = if pulls && random.one_in(2) { 0 } else { 1 << 17 };
    let shift = autopull | (threshold % 32) << 25 | random.below(2) << 19 | random.below(2) << 30;
    let divider =
        random.of(&[1 << 16, 1 << 16, 2 << 16, 5 << 16, 2 << 16 | 128 << 8, 3 << 16 | 77 << 8, 16 << 16]);
    table.push([0, at, divider]);
    table.push([0, at + 4, last << 12 | first << 7 | random.below(2) << 30]);
    table.push([0, at + 8, shift]);
    // One pin is the clock's, and as many get data as there is room for.
    table.push([
        0,
        at + 0x14,
        1 << 29 | random.below(4) << 20 | 1 << 26 | random.below(PINS) << 10 | random.below(PINS),
    ]);
    table.push([0, at + 0x10, first]);
}

/// What a driver does around a word.
fn beside(random: &mut Random, block: u32, n: u32) -> [u32; 3] {
    match random.below(40) {
        0..=5 => [2, 0, 1 + random.below(12)],
        6 | 7 => [2, 0, 1 + random.below(400)],
        8..=14 => [1, block + random.of(&[FSTAT, FLEVEL, FDEBUG, IRQ]), 0],
        15 => [1, GPIO_IN, 0],
        16 => [1, INTR0, 0],
        17 => [0, INTR0, u32::MAX],
        18 => [1, TIMERAWL, 0],
        19 => [1, block + ADDR + 0x18 * n, 0],
        20 => [0, block + FDEBUG, u32::MAX],
        21 => [4, block + FDEBUG, 1 << (24 + n)],
        22 => [0, block + 0x10 + 4 * n, random.any() as u32],
        23 => [0, block + 0xc8 + 0x18 * n, random.of(&[1 << 16, 3 << 16])],
        24 => [0, block, random.of(&[0x7, 0xf, 0x117, 0x1f])],
        25 => [7, block + FSTAT, block + FLEVEL],
        26 => [0, 0xd000_001c, 1 << random.below(PINS)],
        _ => [2, 0, 1],
    }
}

/// A channel brings a machine some words as well.
fn feed_by_dma(block: u32, n: u32, table: &mut Vec<[u32; 3]>) {
    table.extend([[0, DMA, WORDS], [0, DMA + 4, block + 0x10 + 4 * n], [0, DMA + 8, 60]]);
    table.push([0, DMA + 0xc, 1 | 2 << 2 | 1 << 4 | n << 15]);
}

fn table(seed: u64) -> Vec<[u32; 3]> {
    let mut random = Random::new(seed);
    let mut table: Vec<_> =
        (0..PINS).map(|pin| [0, IO_BANK0 + 8 * pin + 4, random.of(&[6, 6, 6, 5])]).collect();
    table.push([0, 0xd000_0024, 0x3f]);
    let block = PIO[0];
    let machines = 1 + random.below(2) + random.below(2);
    (0..machines).for_each(|n| machine(&mut random, block, n, &mut table));
    for n in 0..machines {
        // All pins are outputs: five and one.
        let at = block + 0xd8 + 0x18 * n;
        table.extend([[0, at + 4, 5 << 26], [0, at, 0xe09f], [0, at + 4, 1 << 26 | 5 << 5], [0, at, 0xe081]]);
    }
    // Setting the directions took their PINCTRL: they are set up anew, and with other programs.
    let mut random_again = Random::new(seed);
    (0..machines).for_each(|n| machine(&mut random_again, block, n, &mut table));
    table.push([0, block, (1 << machines) - 1]);
    if random.one_in(4) {
        feed_by_dma(block, 0, &mut table);
    }
    table.extend([[0, SYSTICK + 4, RELOAD], [0, SYSTICK + 8, 0], [0, SYSTICK, 7]]);
    let starts_dma = !is_in_flash(seed);
    let favourite = random.below(machines);
    for _ in 0..WORDS_FED {
        let n = if random.one_in(6) { random.below(machines) } else { favourite };
        if starts_dma && random.one_in(80) {
            feed_by_dma(block, n, &mut table);
        }
        if random.one_in(3) {
            table.push(beside(&mut random, block, n));
        }
        table.push([5, block + FSTAT, 1 << (16 + n)]);
        table.push([0, block + 0x10 + 4 * n, random.any() as u32]);
    }
    table.push([9, 0, 0]);
    table
}

/// Whether the driver executes from the flash.
fn is_in_flash(seed: u64) -> bool {
    seed.is_multiple_of(3)
}

fn chip(seed: u64, is_heard: bool) -> Rp2040 {
    let start = if is_in_flash(seed) { in_flash } else { in_ram };
    let mut chip = chip_with(table_driven(start(), [125, 133, 48][seed as usize % 3]));
    let bytes: Vec<u8> = table(seed).as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &Random::new(seed).bytes(1024)).expect("SRAM");
    // Where edges are kept each of them is led to its pin, and elsewhere their sum.
    if seed.is_multiple_of(2) {
        chip.record_pins(0x3f);
    }
    if is_heard {
        chip.connect(Box::new(Attentive));
    }
    chip
}

/// The bytes that the core has kept of what it saw.
fn check(seed: u64) -> u32 {
    let (mut quick, mut slow) = (chip(seed, false), chip(seed, true));
    let mut pieces = Random::new(seed);
    let mut end = us(100);
    for _ in 0..8 {
        end = end + Picoseconds::new(i64::from(pieces.below(200_000_000)));
        quick.run_until(end);
        slow.run_until(end);
        let how = format!("seed {seed}");
        same(&quick, &slow, &how);
        assert_eq!(edges(&mut quick), edges(&mut slow), "{how}: edges");
        let registers = pio_registers().chain([INTR0, GPIO_IN]);
        same_registers(&mut quick, &mut slow, registers, &how);
    }
    quick.core(0).registers()[5] - SEEN
}

#[test]
fn a_block_that_a_core_feeds_word_by_word_shows_what_one_does_that_is_never_behind() {
    let seen: u32 = (0..60).map(check).sum();
    assert!(seen > 6_000, "{seen} bytes");
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn many_blocks_that_a_core_feeds_show_what_those_do_that_are_never_behind() {
    (100..3000).for_each(|seed| _ = check(seed));
}
