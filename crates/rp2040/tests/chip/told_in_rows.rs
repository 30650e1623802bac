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
    fn state(&self) -> Self::State;
}

/// A chip that does what a table says, with words at random to be moved. At 133 MHz no period is a whole number of picoseconds:
/// clocks that began at different edges are a picosecond apart.
pub(crate) fn chip_of(seed: u64, table: &[[u32; 3]]) -> Rp2040 {
    let mut chip = chip_with(table_driven(if seed % 4 < 2 { 125 } else { 133 }));
    let bytes: Vec<u8> = table.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    chip.write_memory(TABLE, &bytes).expect("SRAM");
    chip.write_memory(WORDS, &Random::new(seed).bytes(1024)).expect("SRAM");
    chip
}

fn slave<S: InRows>(chip: &mut Rp2040) -> S {
    let outside: &dyn Any = chip.outside();
    outside.downcast_ref::<S>().expect("it is the slave").clone()
}

/// How many pulses were told in a row, and how many words were moved; `chip` makes one whose slave takes pulses, or does not.
pub(crate) fn check<S: InRows>(seed: u64, chip: fn(u64, bool) -> Rp2040) -> (u64, u64) {
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
        let others = (0..0x34).chain(0x40..0x74).map(|at| DMA + at).chain(interrupts);
        same_registers(&mut quick, &mut slow, pio_registers().chain(others), &how);
    }
    let told: S = slave(&mut quick);
    (told.pulses(), told.log().len() as u64)
}

/// The same of many seeds, all together.
pub(crate) fn check_all<S: InRows>(seeds: Range<u64>, chip: fn(u64, bool) -> Rp2040) -> (u64, u64) {
    seeds.fold((0, 0), |(pulses, words), seed| {
        let (told, moved) = check::<S>(seed, chip);
        (pulses + told, words + moved)
    })
}
