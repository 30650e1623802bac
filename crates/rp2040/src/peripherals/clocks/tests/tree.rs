//! Dividers, multiplexers, the frequency counter and resuscitation.

use super::*;

#[test]
fn dividers_have_a_fraction_of_eight_bits() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.start_pll(ClockBlock::PllUsb, 1, 100, (5, 5));
    bench.clocks(RTC_DIV, 1024 << 8);
    bench.clocks(RTC_CTRL, CLOCK_ENABLE);
    assert_eq!(bench.io.clocks.rtc_hz, 46_875);
    bench.clocks(RTC_DIV, 2 << 8 | 128);
    assert_eq!(bench.io.clocks.rtc_hz, 19_200_000);
    bench.clocks(RTC_DIV, 0);
    assert_eq!(bench.io.clocks.rtc_hz, 48_000_000 >> 16);
    bench.clocks(SYS_DIV, 4 << 8);
    assert_eq!(bench.io.clocks.sys_hz, 6_500_000 / 4);
}

#[test]
fn the_peripheral_clock_has_no_divider_and_stops_when_killed() {
    let mut bench = Bench::new();
    bench.clocks(PERI_CTRL, CLOCK_ENABLE);
    bench.clocks(PERI_CTRL + 4, 5 << 8);
    assert_eq!(bench.io.clocks.peri_hz, 6_500_000);
    assert_eq!(bench.read(ClockBlock::Clocks, PERI_CTRL + 4), 0);
    bench.clocks(PERI_CTRL, CLOCK_ENABLE | 1 << 10);
    assert_eq!(bench.io.clocks.peri_hz, 0);
    assert_eq!(bench.io.unknown_accesses().count(), 0, "start-up code writes every clock's divider");
}

#[test]
fn the_glitchless_multiplexers_say_what_they_select() {
    let mut bench = Bench::new();
    bench.start_crystal();
    assert_eq!(bench.read(ClockBlock::Clocks, REF_SELECTED), 0b001);
    bench.clocks(REF_CTRL, 2);
    assert_eq!(bench.read(ClockBlock::Clocks, REF_SELECTED), 0b100);
    assert_eq!(bench.read(ClockBlock::Clocks, PERI_CTRL + 8), 1);
}

#[test]
fn the_frequency_counter_gives_the_true_frequency() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.clocks(REF_CTRL, 2);
    bench.start_pll(ClockBlock::PllSys, 1, 133, (6, 2));
    bench.clocks(SYS_CTRL, SRC_AUX);
    bench.clocks(FC0_REF_KHZ, 12_000);
    bench.clocks(FC0_INTERVAL, 10);
    for (source, khz) in [(1, 133_000), (3, 6_500), (5, 12_000), (8, 12_000), (9, 133_000)] {
        bench.clocks(FC0_SRC, source);
        assert_eq!(bench.read(ClockBlock::Clocks, FC0_STATUS), 1 << 8, "it runs for about a millisecond");
        bench.advance_ns(1_001_000);
        assert_eq!(bench.read(ClockBlock::Clocks, FC0_STATUS), 1 << 4 | 1, "done and passed");
        assert_eq!(bench.read(ClockBlock::Clocks, FC0_RESULT) >> 5, khz);
    }
    bench.clocks(FC0_SRC, 11);
    bench.advance_ns(1_001_000);
    assert_eq!(bench.read(ClockBlock::Clocks, FC0_STATUS) >> 28, 1, "a stopped clock died");
}

#[test]
fn a_stopped_system_clock_is_resuscitated() {
    let mut bench = Bench::new();
    bench.clocks(INTE, 1);
    bench.clocks(RESUS_CTRL, 1 << 8 | 65);
    bench.clocks(SYS_CTRL, SRC_AUX);
    assert_eq!(bench.io.clocks.sys_hz, 0);
    // 65 cycles at 6.5 MHz.
    bench.advance_ns(9_999);
    assert_eq!(bench.io.clocks.sys_hz, 0);
    bench.advance_ns(1);
    assert_eq!(bench.io.clocks.sys_hz, 6_500_000);
    assert_eq!(bench.io.lines.irq(), 1 << Irq::CLOCKS.0);
    assert_eq!(bench.read(ClockBlock::Clocks, SYS_SELECTED), 1);
    bench.clocks(SYS_CTRL, 0);
    bench.clocks(RESUS_CTRL, 1 << 16 | 1 << 8 | 65);
    bench.clocks(RESUS_CTRL, 1 << 8 | 65);
    assert_eq!((bench.io.lines.irq(), bench.io.clocks.sys_hz), (0, 6_500_000));
}
