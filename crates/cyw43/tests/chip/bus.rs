//! The bus: word orders, registers, response delays and status words.

use cyw43::Function;
use proptest::prelude::*;

use crate::driver::{Driver, HABITS, Takes, ms};
use units::Picoseconds;

/// Bit 4 of the first byte of register 0: the chip's bits change at rising edges.
const HIGH_SPEED: u32 = 1 << 4;
const PATTERN: u32 = 0xfeed_bead;

#[test]
fn a_chip_that_was_just_powered_answers_in_halves_of_sixteen_bits() {
    let mut driver = Driver::new(Vec::new());
    let reads: Vec<u32> = (0..3).map(|_| driver.read(Function::Bus, 0x14, 4)).collect();
    assert_eq!(reads[1..], [0xfeed_bead, 0xfeed_bead]);
    assert_eq!(driver.read(Function::Bus, 0, 4), 0x0001_0030);
}

#[test]
fn every_habit_finds_the_test_pattern_and_its_own_scratch_word() {
    for habit in HABITS {
        let mut driver = Driver::with(habit, Vec::new());
        driver.read(Function::Bus, 0x14, 4);
        assert_eq!(driver.read(Function::Bus, 0x14, 4), 0xfeed_bead, "{habit:?}");
        driver.write(Function::Bus, 0x18, 4, 0x1234_5678);
        assert_eq!(driver.read(Function::Bus, 0x18, 4), 0x1234_5678, "{habit:?}");
    }
}

/// What the test register reads in one mode, at a clock of so many nanoseconds high and as many low.
fn pattern(is_high_speed: bool, takes: Takes, half_bit_ns: i64) -> u32 {
    let config = HABITS[2].config & !HIGH_SPEED | if is_high_speed { HIGH_SPEED } else { 0 };
    let mut driver = Driver::new(Vec::new());
    driver.begin(crate::driver::Habit { config, ..HABITS[2] });
    (driver.half_bit, driver.takes) = (Picoseconds::new(half_bit_ns * 1000), takes);
    driver.read(Function::Bus, 0x14, 4);
    driver.read(Function::Bus, 0x14, 4)
}

/// No driver waits a clock for the first bit: whoever moves pins one by one takes it before the clock rises, and so do PIO
/// programs. Those that take it at the fall rely on the chip's own delay.
#[test]
fn the_first_bit_is_there_before_the_clock_rises_and_still_there_at_a_fall_soon_after() {
    for half_bit_ns in [8, 10, 16, 24, 50, 500] {
        for is_high_speed in [false, true] {
            assert_eq!(pattern(is_high_speed, Takes::AtRise, half_bit_ns), PATTERN, "{half_bit_ns} ns");
        }
        assert_eq!(pattern(false, Takes::AtFall, half_bit_ns), PATTERN, "{half_bit_ns} ns");
    }
    for half_bit_ns in [8, 10, 16, 24] {
        assert_eq!(pattern(true, Takes::AtFall, half_bit_ns), PATTERN, "{half_bit_ns} ns");
    }
}

/// The order of bytes on the wire is that of the value's lowest byte first.
#[test]
fn at_a_slow_clock_the_next_bit_has_come_long_before_the_fall() {
    for half_bit_ns in [50, 500] {
        let next = (PATTERN.swap_bytes() << 1).swap_bytes();
        assert_eq!(pattern(true, Takes::AtFall, half_bit_ns), next, "{half_bit_ns} ns");
    }
}

#[test]
fn a_response_delay_of_sixteen_bytes_comes_before_the_data_of_function_1() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.write(Function::Bus, 0x1d, 1, 16);
    let read = driver.read_bytes(Function::Backplane, 0x1_000c, 20);
    // The driver skipped four bytes of its own accord.
    assert_eq!((&read[..12], read[12]), (&[0; 12][..], 0));
    driver.write(Function::Backplane, 0x1_000c, 1, 0x18);
    assert_eq!(driver.read_bytes(Function::Backplane, 0x1_000c, 20)[12], 0x18);
}

#[test]
fn the_low_power_clock_is_there_75_us_after_it_was_asked_for() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.write(Function::Backplane, 0x1_000e, 1, 0x08);
    assert_eq!(driver.read(Function::Backplane, 0x1_000e, 1), 0x08);
    driver.wait(ms(1));
    assert_eq!(driver.read(Function::Backplane, 0x1_000e, 1), 0x48);
    // Written availability makes no clock.
    driver.write(Function::Backplane, 0x1_000e, 1, 0xc8);
    assert_eq!(driver.read(Function::Backplane, 0x1_000e, 1), 0x48);
}

#[test]
fn a_chip_without_power_forgets_everything() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.write(Function::Bus, 0x18, 4, 7);
    driver.chip.set_power(driver.now, false);
    assert_eq!(driver.chip.line(), None);
    driver.chip.set_power(driver.now, true);
    driver.order = cyw43::WordOrder::default();
    assert_eq!(driver.read(Function::Bus, 0x18, 4), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn memory_reads_back_as_it_was_written(
        habit in 0..HABITS.len(), block in 0u32..0x1fff, bytes in prop::collection::vec(any::<u8>(), 1..=64),
    ) {
        let mut driver = Driver::with(HABITS[habit], Vec::new());
        let address = 64 * block;
        driver.write_backplane(address, &bytes);
        prop_assert_eq!(driver.read_backplane(address, bytes.len()), bytes);
    }
}
