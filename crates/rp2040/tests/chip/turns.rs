//! Cores that look at two registers in turn until one shows something else. Whoever executes every turn sees when that is; what
//! changes between the two looks of a turn is seen by the next one, and not left out with it.

use rp2040::chip::Rp2040;
use testing::Random;

use crate::bench::*;
use crate::pio::{DMA, PIO, SEEN, TABLE, WORDS, edges, program, table_driven};
use crate::waiting::same;

const UART: u32 = 0x4003_4000;
const SYSTICK: u32 = 0xe000_e010;
const IO_BANK0: u32 = 0x4001_4000;
const WAITS: usize = 60;
const END_US: i64 = 4000;
/// Cycles between two ticks, each of which ends a wait for what never comes.
const RELOAD: u32 = 20_011;
/// FSTAT, FDEBUG, FLEVEL, IRQ and the instruction of a machine.
const OF_PIO: [u32; 5] = [4, 8, 0xc, 0x30, 0xd8];

/// What may be looked at: registers of PIO blocks, the flags of a UART that sends, and channels of the DMA.
fn register(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => UART + 0x18,
        1 => DMA + 0x40 * random.below(2) + random.of(&[8, 0x10]),
        _ => random.of(&PIO) + random.of(&OF_PIO),
    }
}

fn table(random: &mut Random) -> Vec<[u32; 3]> {
    let mut table: Vec<[u32; 3]> = (0..6).map(|pin| [0, IO_BANK0 + 8 * pin + 4, 6]).collect();
    for (offset, value) in [(0x24, 13), (0x28, 36), (0x2c, 0x70), (0x30, 0x301)] {
        table.push([0, UART + offset, value]);
    }
    for block in PIO {
        program(random, block, &mut table);
    }
    table.extend([[0, SYSTICK + 4, RELOAD], [0, SYSTICK + 8, 0], [0, SYSTICK, 7]]);
    for _ in 0..WAITS {
        let block = random.of(&PIO);
        let machine = random.below(4);
        match random.below(6) {
            0 => table.push([0, UART, 0x55]),
            1 => table.push([0, block + 0x30, 0xff]),
            2 => table.push([0, block + 8, u32::MAX]),
            3 => table.push([1, block + 0x20 + 4 * machine, 0]),
            4 => {
                let (at, request) = (DMA + 0x40 * random.below(2), machine);
                let control = 1 | 2 << 2 | 1 << 4 | 10 << 6 | request << 15 | (at >> 6 & 0xf) << 11;
                table.extend([[0, at, WORDS], [0, at + 4, PIO[0] + 0x10 + 4 * machine], [0, at + 8, 20]]);
                table.push([0, at + 0xc, control]);
            }
            _ => {}
        }
        (0..random.below(5)).for_each(|_| table.push([0, block + 0x10 + 4 * machine, random.any() as u32]));
        table.push([2, 0, 1 + random.below(40)]);
        table.push([7, register(random), register(random)]);
    }
    table
}

fn chip(seed: u64) -> Rp2040 {
    let random = &mut Random::new(seed);
    let start = if random.one_in(2) { in_ram } else { in_flash };
    let mut chip = chip_with(table_driven(start(), 125));
    let mut table = table(random);
    table.push([9, 0, 0]);
    let bytes: Vec<u8> = table.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &random.bytes(1024)).expect("SRAM");
    chip.record_pins(0x3f);
    chip
}

/// How many waits ended otherwise than by a tick.
fn check(seed: u64) -> usize {
    let (mut quick, mut watched) = (chip(seed), chip(seed));
    watched.set_breakpoints(vec![0x1000_fffe]);
    quick.run_until(us(END_US));
    watched.run_until(us(END_US));
    same(&quick, &watched, &format!("seed {seed}"));
    assert_eq!(edges(&mut quick), edges(&mut watched), "seed {seed}: edges");
    let kept = (quick.core(0).registers()[5] - SEEN) as usize / 8;
    kept.saturating_sub((END_US * 125 / i64::from(RELOAD)) as usize)
}

#[test]
fn what_changes_between_two_looks_of_a_turn_is_seen_by_the_next() {
    let ended: usize = (0..60).map(check).sum();
    assert!(ended > 200, "{ended} waits ended");
}

#[test]
#[ignore = "takes minutes: the same at length, make test-slow"]
fn whatever_changes_between_two_looks_of_a_turn_is_seen_by_the_next() {
    (1000..4000).for_each(|seed| _ = check(seed));
}
