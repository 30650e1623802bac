//! Bit functions, memcpy and memset.

use proptest::prelude::*;

use crate::rom::costs;
use crate::rom::function::RomFunction as R;
use crate::rom::test_context::Bench;

const SOURCE: u32 = 0x2000_0100;
const TARGET: u32 = 0x2000_2000;

fn numbered(count: u32) -> Vec<u8> {
    (0..count).map(|at| (at * 7 + 3) as u8).collect()
}

proptest! {
    #[test]
    fn bit_functions_agree_with_those_of_the_processor(x: u32) {
        let mut bench = Bench::new();
        for (function, wanted) in [
            (R::PopulationCount, x.count_ones()),
            (R::Reverse, x.reverse_bits()),
            (R::LeadingZeros, x.leading_zeros()),
            (R::TrailingZeros, x.trailing_zeros()),
        ] {
            bench.run(function, &[x]);
            prop_assert_eq!(bench.regs[0], wanted);
        }
    }

    #[test]
    fn memcpy_copies_exactly_its_range_at_any_alignment(from in 0u32..8, to in 0u32..8, count in 0u32..400, words: bool) {
        let (from, to) = if words { (0, 0) } else { (from, to) };
        let mut bench = Bench::new();
        let bytes = numbered(count);
        bench.put(SOURCE + from, &bytes);
        bench.put(TARGET - 4, &[0xee; 512]);
        let function = if words { R::MemoryCopyWords } else { R::MemoryCopy };
        bench.run(function, &[TARGET + to, SOURCE + from, count]);
        prop_assert_eq!(bench.get(TARGET + to, count), bytes);
        prop_assert_eq!(bench.get(TARGET + to - 1, 1), vec![0xee]);
        prop_assert_eq!(bench.get(TARGET + to + count, 1), vec![0xee]);
        prop_assert_eq!(bench.regs[0], TARGET + to, "the result is the destination");
        prop_assert!(!bench.faulted, "no access was misaligned");
    }

    #[test]
    fn memset_sets_exactly_its_range_at_any_alignment(to in 0u32..8, count in 0u32..400, value: u32) {
        let mut bench = Bench::new();
        bench.put(TARGET - 4, &[0xee; 512]);
        bench.run(R::MemorySet, &[TARGET + to, value, count]);
        prop_assert_eq!(bench.get(TARGET + to, count), vec![value as u8; count as usize]);
        prop_assert_eq!(bench.get(TARGET + to - 1, 1), vec![0xee]);
        prop_assert_eq!(bench.get(TARGET + to + count, 1), vec![0xee]);
        prop_assert_eq!(bench.regs[0], TARGET + to);
        prop_assert!(!bench.faulted);
    }
}

#[test]
fn bit_functions_take_their_published_average_over_all_values() {
    // A value has n leading (or trailing) zeros with probability 2^-(n+1).
    let average =
        |of: fn(u32) -> u32| (0..32).map(|n| f64::from(of(n)) / 2f64.powi(n as i32 + 1)).sum::<f64>();
    let leading = average(costs::leading_zeros);
    assert!((leading - 9.6).abs() < 0.6, "datasheet 9.6, here {leading}");
    assert!((average(costs::trailing_zeros) - 11.0).abs() < 0.2);
}

#[test]
fn a_long_aligned_copy_takes_13_cycles_for_16_bytes_and_a_misaligned_one_7_for_each() {
    let mut bench = Bench::new();
    let per_byte = |bench: &mut Bench, from: u32| {
        let [short, long] =
            [1600, 3200].map(|count| bench.run(R::MemoryCopy, &[TARGET, SOURCE + from, count]));
        (long - short) as f64 / 1600.0
    };
    assert_eq!(per_byte(&mut bench, 0), 13.0 / 16.0);
    assert_eq!(per_byte(&mut bench, 1), 7.0);
}

#[test]
fn a_long_memset_takes_8_cycles_for_16_bytes() {
    let mut bench = Bench::new();
    let [short, long] = [960, 1920].map(|count| bench.run(R::MemorySet, &[TARGET, 0, count]));
    assert_eq!(long - short, 960 / 16 * 8);
}

#[test]
fn no_piece_of_a_copy_keeps_interrupts_waiting_for_more_than_120_cycles() {
    use crate::rom::call::{Outcome, call};
    for from in 0..4 {
        let mut bench = Bench::new();
        bench.regs[..4].copy_from_slice(&[TARGET, SOURCE + from, 1003, TARGET]);
        while let Outcome::Again { cycles } = call(R::MemoryCopy, &mut bench) {
            assert!(cycles <= 120);
        }
    }
}

#[test]
fn a_copy_into_nothing_ends_with_the_fault() {
    let mut bench = Bench::new();
    bench.run(R::MemoryCopy, &[0xf000_0000, SOURCE, 100_000]);
    assert!(bench.faulted);
}
