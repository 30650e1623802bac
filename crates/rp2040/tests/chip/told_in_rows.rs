//! Holds a chip whose slave takes a clock's pulses in rows against one whose slave is told of edges alone.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use mcu::Outside;
use rp2040::chip::Rp2040;
use testing::Random;
use units::Picoseconds;

use crate::bench::*;
use crate::pio::{DMA, IO_BANK0, TABLE, WORDS, edges, pio_registers, table_driven};
use crate::waiting::{same, same_list, same_registers};

/// A slave that may be told of pulses.
pub(crate) trait InRows: Outside + Clone {
    /// What it knows of the word under way, and what it does to its pins.
    type State: PartialEq + Debug;

    /// The words that it took or gave, and when.
    fn log(&self) -> &[(i64, u32)];
    /// How many pulses it was told of in rows.
    fn pulses(&self) -> u64;
    /// The words of eight bits whose pulses it was told of at once, where it counts them.
    fn whole_words(&self) -> u64 {
        0
    }
    /// Those of them that came in words of which it was told many at once.
    fn many_words(&self) -> u64 {
        0
    }
    fn state(&self) -> Self::State;
}

/// What a slave was told of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToldInRows {
    pub(crate) pulses: u64,
    pub(crate) whole_words: u64,
    pub(crate) many_words: u64,
    /// All words that were moved.
    pub(crate) words: u64,
}

/// A chip that does what a table says, with words at random to be moved. At 133 MHz no period is a whole number of picoseconds:
/// clocks that began at different edges are a picosecond apart.
pub(crate) fn chip_of(seed: u64, table: &[[u32; 3]]) -> Rp2040 {
    chip_at(if seed % 4 < 2 { 125 } else { 133 }, seed, table)
}

/// The same with clk_sys of so many MHz.
pub(crate) fn chip_at(mhz: u32, seed: u64, table: &[[u32; 3]]) -> Rp2040 {
    let code = if seed % 8 < 5 { in_ram() } else { in_flash() };
    let mut chip = chip_with(table_driven(code, mhz));
    let bytes: Vec<u8> = table.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &Random::new(seed).bytes(1024)).expect("SRAM");
    chip
}

fn slave<S: InRows>(chip: &mut Rp2040) -> S {
    let outside: &dyn Any = chip.outside();
    outside.downcast_ref::<S>().expect("it is the slave").clone()
}

/// What was told in rows; `chip` makes one whose slave takes pulses, or does not.
pub(crate) fn check<S: InRows>(seed: u64, chip: fn(u64, bool) -> Rp2040) -> ToldInRows {
    let (mut quick, mut slow) = (chip(seed, true), chip(seed, false));
    let mut pieces = Random::new(seed);
    let mut end = us(20);
    for _ in 0..8 {
        end = end + Picoseconds::new(i64::from(pieces.below(120_000_000)));
        quick.run_until(end);
        slow.run_until(end);
        let how = format!("seed {seed}");
        same_list(&edges(&mut quick), &edges(&mut slow), &format!("{how}: edges"));
        let (one, other): (S, S) = (slave(&mut quick), slave(&mut slow));
        same_list(one.log(), other.log(), &format!("{how}: words"));
        assert_eq!(one.state(), other.state(), "{how}");
        same(&quick, &slow, &how);
        let interrupts = (0xf0..0x10c).map(|at| IO_BANK0 + at);
        let others = (0..0x34).chain(0x40..0x74).chain(0x80..0xb4).map(|at| DMA + at).chain(interrupts);
        same_registers(&mut quick, &mut slow, pio_registers().chain(others), &how);
    }
    let told: S = slave(&mut quick);
    ToldInRows {
        pulses: told.pulses(),
        whole_words: told.whole_words(),
        many_words: told.many_words(),
        words: told.log().len() as u64,
    }
}

/// The same of many seeds, all together.
pub(crate) fn check_all<S: InRows>(seeds: Range<u64>, chip: fn(u64, bool) -> Rp2040) -> ToldInRows {
    seeds.fold(ToldInRows::default(), |all, seed| {
        let told = check::<S>(seed, chip);
        ToldInRows {
            pulses: all.pulses + told.pulses,
            whole_words: all.whole_words + told.whole_words,
            many_words: all.many_words + told.many_words,
            words: all.words + told.words,
        }
    })
}
