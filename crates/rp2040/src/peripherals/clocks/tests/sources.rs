//! Oscillators and PLLs.

use super::*;

#[test]
fn after_reset_the_chip_runs_on_the_ring_oscillator() {
    let bench = Bench::new();
    assert_eq!(bench.io.clocks, Frequencies::default());
}

#[test]
fn the_crystal_is_stable_after_its_startup_delay() {
    let mut bench = Bench::new();
    bench.write(ClockBlock::Xosc, XOSC_STARTUP, 47);
    bench.write(ClockBlock::Xosc, CTRL, ENABLE);
    // 47 · 256 cycles of 12 MHz are 1.002667 ms.
    bench.advance_ns(1_002_666);
    assert_eq!(bench.read(ClockBlock::Xosc, XOSC_STATUS) & STABLE, 0);
    bench.advance_ns(1);
    assert_eq!(bench.read(ClockBlock::Xosc, XOSC_STATUS), STABLE | 1 << 12);
}

#[test]
fn a_clock_from_a_crystal_that_is_not_stable_yet_waits_for_it() {
    let mut bench = Bench::new();
    bench.write(ClockBlock::Xosc, CTRL, ENABLE);
    bench.clocks(REF_CTRL, 2);
    assert_eq!((bench.io.clocks.ref_hz, bench.io.clocks.sys_hz), (0, 0));
    bench.advance_ns(5_000_000);
    assert_eq!((bench.io.clocks.ref_hz, bench.io.clocks.sys_hz), (12_000_000, 12_000_000));
}

#[test]
fn the_usual_settings_of_the_plls_give_their_frequencies() {
    for (fbdiv, postdivs, hz) in [
        (125, (6, 2), 125_000_000),
        (133, (6, 2), 133_000_000),
        (100, (5, 5), 48_000_000),
        (40, (5, 2), 48_000_000),
        (125, (5, 1), 300_000_000),
    ] {
        let mut bench = Bench::new();
        bench.start_crystal();
        bench.start_pll(ClockBlock::PllSys, 1, fbdiv, postdivs);
        bench.clocks(SYS_CTRL, SRC_AUX);
        assert_eq!(bench.io.clocks.sys_hz, hz);
        assert_eq!(bench.read(ClockBlock::Clocks, SYS_SELECTED), 0b10);
        assert_eq!(bench.io.unknown_accesses().count(), 0);
    }
}

#[test]
fn a_pll_gives_nothing_before_it_locks_and_while_it_is_powered_down() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.clocks(USB_CTRL, CLOCK_ENABLE);
    bench.write(ClockBlock::PllUsb, PLL_FBDIV, 100);
    bench.write(ClockBlock::PllUsb, PLL_PRIM, 5 << 16 | 5 << 12);
    bench.write(ClockBlock::PllUsb, PLL_PWR, 0b0100);
    bench.advance_ns(41_000);
    assert_eq!((bench.read(ClockBlock::PllUsb, PLL_CS) & LOCK, bench.io.clocks.usb_hz), (0, 0));
    bench.advance_ns(1_000);
    assert_eq!((bench.read(ClockBlock::PllUsb, PLL_CS) & LOCK, bench.io.clocks.usb_hz), (LOCK, 48_000_000));
    bench.write(ClockBlock::PllUsb, PLL_PWR, 0b0101);
    assert_eq!((bench.read(ClockBlock::PllUsb, PLL_CS) & LOCK, bench.io.clocks.usb_hz), (0, 0));
}

#[test]
fn a_pll_keeps_its_frequency_until_it_has_locked_to_the_next() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.start_pll(ClockBlock::PllSys, 1, 125, (6, 2));
    bench.clocks(SYS_CTRL, SRC_AUX);
    bench.write(ClockBlock::PllSys, PLL_FBDIV, 133);
    assert_eq!((bench.read(ClockBlock::PllSys, PLL_CS) & LOCK, bench.io.clocks.sys_hz), (0, 125_000_000));
    bench.advance_ns(100_000);
    assert_eq!((bench.read(ClockBlock::PllSys, PLL_CS) & LOCK, bench.io.clocks.sys_hz), (LOCK, 133_000_000));
}

#[test]
fn a_bypassed_pll_passes_the_crystal() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.write(ClockBlock::PllSys, PLL_CS, 1 << 8 | 1);
    bench.clocks(SYS_CTRL, SRC_AUX);
    assert_eq!(bench.io.clocks.sys_hz, 12_000_000);
}

#[test]
fn a_setting_beyond_the_range_of_the_oscillator_is_reported() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.start_pll(ClockBlock::PllSys, 1, 200, (6, 2));
    assert_eq!(bench.io.unknown_accesses().count(), 1);
}
