//! Transfers between memories are made many at one go. A chip whose performance counters count makes each of them by itself, and both do the
//! same: with any size, ring and order of bytes, over themselves, and with everything that the sniffer can calculate.

use rp2040::chip::Rp2040;
use testing::Random;

use crate::bench::us;
use crate::pio::{DMA, WORDS};
use crate::told_in_rows::chip_of;
use crate::waiting::{same, same_registers};

const BUSCTRL_PERFSEL0: u32 = 0x4003_000c;
const SNIFF_CTRL: u32 = DMA + 0x434;
const SNIFF_DATA: u32 = DMA + 0x438;
const CHANNEL: u32 = DMA + 0xc0;
const COPIES: usize = 60;
const BUSY: u32 = 1 << 24;
/// Near the end of SRAM, behind which a transfer meets an error.
const LAST: u32 = 0x2004_1f80;

fn address(random: &mut Random) -> u32 {
    match random.below(8) {
        0 => LAST + random.below(64),
        _ => WORDS + random.below(900),
    }
}

fn copy(random: &mut Random, table: &mut Vec<[u32; 3]>) {
    let size = random.below(3);
    let ring = random.of(&[0, 0, 3, 5, 8]) << 6 | random.below(2) << 10;
    let order = random.below(2) << 22 | random.below(2) << 23;
    let control = 1 | size << 2 | random.below(4) << 4 | ring | 3 << 11 | 0x3f << 15 | order;
    let calculation = random.of(&[0, 1, 1, 2, 3, 0xe, 0xf]) << 5;
    table.push([0, SNIFF_CTRL, 1 | random.of(&[3, 3, 2]) << 1 | calculation | random.below(8) << 9]);
    if random.one_in(2) {
        table.push([0, SNIFF_DATA, random.any() as u32]);
    }
    table.extend([[0, CHANNEL, address(random)], [0, CHANNEL + 4, address(random)]]);
    table.extend([[0, CHANNEL + 8, random.below(200)], [0, CHANNEL + 0xc, control]]);
    table.extend([[5, CHANNEL + 0x10, BUSY], [1, SNIFF_DATA, 0], [1, CHANNEL, 0], [1, CHANNEL + 4, 0]]);
    // An error is cleared.
    table.push([0, CHANNEL + 0x10, 3 << 29]);
}

fn chip(seed: u64, one_by_one: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let counted = if one_by_one { 0 } else { 0x1f };
    let mut table = vec![[0, BUSCTRL_PERFSEL0, counted]];
    (0..COPIES).for_each(|_| copy(&mut random, &mut table));
    table.push([9, 0, 0]);
    let mut chip = chip_of(seed, &table);
    chip.run_until(us(1000));
    chip
}

#[test]
fn copies_that_are_made_at_one_go_are_what_they_are_one_by_one() {
    for seed in 0..40 {
        let [mut quick, mut slow] = [false, true].map(|one_by_one| chip(seed, one_by_one));
        // The counter that counts is the only difference in memory.
        for chip in [&mut quick, &mut slow] {
            chip.write_memory(crate::pio::TABLE, &[0; 12]).expect("SRAM");
        }
        let how = format!("seed {seed}");
        same(&quick, &slow, &how);
        let registers = [SNIFF_CTRL, SNIFF_DATA].into_iter().chain((0..12).map(|n| CHANNEL + n));
        same_registers(&mut quick, &mut slow, registers, &how);
        assert!(quick.bus_counts().dma_transfers > 1000, "{how}");
    }
}
