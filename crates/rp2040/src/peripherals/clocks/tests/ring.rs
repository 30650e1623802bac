//! The ring oscillator, and clocks that stand still.

use super::*;

#[test]
fn the_ring_gives_the_same_random_bits_for_the_same_seed() {
    let bits = |seed| -> Vec<u32> {
        let (mut tree, mut io) = (ClockTree::new(12_000_000, seed), Io::default());
        (0..256).map(|_| tree.read(ClockBlock::Rosc, 0x1c, &mut io)).collect()
    };
    assert_eq!(bits(1), bits(1));
    assert_ne!(bits(1), bits(2));
    let ones: u32 = bits(1).iter().sum();
    assert!((90..=166).contains(&ones), "{ones} of 256 bits are set");
}

#[test]
fn the_ring_divides_as_its_register_says() {
    let mut bench = Bench::new();
    for (div, hz) in [(0xaa0 + 8, 13_000_000), (0xaa0, 3_250_000), (0x123, 104_000_000 / 31)] {
        bench.write(ClockBlock::Rosc, 0x10, div);
        assert_eq!(bench.io.clocks.ref_hz, hz);
    }
    assert_eq!(bench.read(ClockBlock::Rosc, 0x18) >> 24 & 1, 1, "the last was a bad write");
    bench.write(ClockBlock::Rosc, 0x18, 1 << 24);
    assert_eq!(bench.read(ClockBlock::Rosc, 0x18), 1 << 31 | 1 << 16 | 1 << 12);
}

#[test]
fn stronger_stages_make_a_faster_ring() {
    let mut bench = Bench::new();
    bench.write(ClockBlock::Rosc, 0x04, 0x9696_7777);
    bench.write(ClockBlock::Rosc, 0x08, 0x9696_7777);
    assert_eq!(bench.io.clocks.ref_hz, 4 * 6_500_000);
    bench.write(ClockBlock::Rosc, 0x04, 0x7777);
    bench.write(ClockBlock::Rosc, 0x08, 0x7777);
    assert_eq!(bench.io.clocks.ref_hz, 6_500_000, "without the password they do not count");
}

#[test]
fn a_dormant_crystal_stops_everything_until_a_pin_wakes_it() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.clocks(REF_CTRL, 2);
    bench.write(ClockBlock::Xosc, 0x08, 0x636f_6d61);
    assert!(bench.tree.is_dormant());
    bench.advance_ns(1_000_000_000);
    assert_eq!(bench.io.clocks.sys_hz, 0);
    bench.tree.wake_from_dormant(&mut bench.io);
    bench.advance_ns(1_100_000);
    assert_eq!(bench.io.clocks.sys_hz, 12_000_000);
}

#[test]
fn a_counter_of_the_crystal_runs_down_to_zero() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.write(ClockBlock::Xosc, 0x1c, 120);
    bench.advance_ns(5_000);
    assert_eq!(bench.read(ClockBlock::Xosc, 0x1c), 60);
    bench.advance_ns(50_000);
    assert_eq!(bench.read(ClockBlock::Xosc, 0x1c), 0);
}
