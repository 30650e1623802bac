//! The clock tree through its registers. PLL settings are those of RP2040 datasheet 2.18.2.

use mcu::{Outside, Reaction};
use proptest::prelude::*;

use super::*;
use crate::lines::Irq;
use crate::pins::{Function, Overrides, Pad};

const CTRL: u32 = 0x00;
const XOSC_STATUS: u32 = 0x04;
const XOSC_STARTUP: u32 = 0x0c;
const STABLE: u32 = 1 << 31;
const ENABLE: u32 = 0xfab << 12 | 0xaa0;

const PLL_CS: u32 = 0x0;
const PLL_PWR: u32 = 0x4;
const PLL_FBDIV: u32 = 0x8;
const PLL_PRIM: u32 = 0xc;
const LOCK: u32 = 1 << 31;

const GPOUT0_CTRL: u32 = 0x00;
const REF_CTRL: u32 = 0x30;
const REF_SELECTED: u32 = 0x38;
const SYS_CTRL: u32 = 0x3c;
const SYS_DIV: u32 = 0x40;
const SYS_SELECTED: u32 = 0x44;
const PERI_CTRL: u32 = 0x48;
const USB_CTRL: u32 = 0x54;
const RTC_CTRL: u32 = 0x6c;
const RTC_DIV: u32 = 0x70;
const RESUS_CTRL: u32 = 0x78;
const FC0_INTERVAL: u32 = 0x90;
const FC0_SRC: u32 = 0x94;
const FC0_STATUS: u32 = 0x98;
const INTE: u32 = 0xbc;
const CLOCK_ENABLE: u32 = 1 << 11;
const SRC_AUX: u32 = 1;

struct Bench {
    tree: ClockTree,
    io: Io,
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self { tree: ClockTree::new(12_000_000, 1), io: Io::default() };
        bench.tree.update(&mut bench.io);
        bench
    }

    fn read(&mut self, block: ClockBlock, offset: u32) -> u32 {
        self.tree.read(block, offset, &mut self.io)
    }

    fn write(&mut self, block: ClockBlock, offset: u32, value: u32) {
        self.tree.write(block, offset, value, &mut self.io);
    }

    fn clocks(&mut self, offset: u32, value: u32) {
        self.write(ClockBlock::Clocks, offset, value);
    }

    fn advance_ns(&mut self, ns: i64) {
        let end = self.io.now + Picoseconds::from_ns(ns);
        for _ in 0..10_000 {
            let Some(at) = self.io.due(Source::Clocks).filter(|&at| at <= end) else { break };
            self.io.now = at;
            self.io.cancel(Source::Clocks);
            self.tree.wake(&mut self.io);
        }
        self.io.now = end;
    }

    fn select(&mut self, pin: u8, function: Function) {
        self.io.pins.set_control(self.io.now, pin, function as u8, Overrides::default());
        self.tree.update(&mut self.io);
    }

    fn start_crystal(&mut self) {
        self.write(ClockBlock::Xosc, XOSC_STARTUP, 47);
        self.write(ClockBlock::Xosc, CTRL, ENABLE);
        self.advance_ns(1_100_000);
    }

    /// Powers a PLL up in the order of the datasheet's programmer's model.
    fn start_pll(&mut self, block: ClockBlock, refdiv: u32, fbdiv: u32, postdivs: (u32, u32)) {
        self.write(block, PLL_CS, refdiv);
        self.write(block, PLL_FBDIV, fbdiv);
        self.write(block, PLL_PWR, 0b1100);
        self.advance_ns(1_000_000);
        assert_eq!(self.read(block, PLL_CS) & LOCK, LOCK);
        self.write(block, PLL_PRIM, postdivs.0 << 16 | postdivs.1 << 12);
        self.write(block, PLL_PWR, 0b0100);
    }
}

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

#[test]
fn a_clock_output_makes_edges_while_its_pin_is_recorded() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.io.pins.set_control(bench.io.now, 21, Function::Clock as u8, Overrides::default());
    bench.clocks(GPOUT0_CTRL + 4, 12 << 8);
    bench.clocks(GPOUT0_CTRL, CLOCK_ENABLE | 5 << 5);
    bench.advance_ns(10_000);
    assert_eq!(bench.io.due(Source::Clocks), None, "nobody looks");
    bench.io.pins.record(1 << 21);
    bench.tree.update(&mut bench.io);
    let start = bench.io.now;
    bench.advance_ns(10_250);
    let edges: Vec<_> =
        bench.io.pins.take_edges().into_iter().map(|e| ((e.at - start).ps() / 1000, e.level)).collect();
    let expected: Vec<_> = (1..=20).map(|n| (n * 500, n % 2 == 1)).collect();
    assert_eq!(edges, expected);
    bench.clocks(GPOUT0_CTRL, 0);
    assert_eq!(bench.io.due(Source::Clocks), None);
}

/// Keeps what it is told of clocks.
#[derive(Debug, Clone, Default)]
struct Listener(Vec<(u8, Option<(Picoseconds, u64)>)>);

impl Outside for Listener {
    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, _: &mut Vec<Reaction>) {
        self.0.push((pin, clock));
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn outside_is_told_a_clock_by_its_first_rise_and_its_frequency_and_when_it_ends() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.io.outside = Box::new(Listener::default());
    bench.clocks(GPOUT0_CTRL + 4, 12 << 8);
    bench.clocks(GPOUT0_CTRL, CLOCK_ENABLE | 5 << 5);
    let start = bench.io.now;
    bench.advance_ns(700);
    bench.io.pins.set_control(bench.io.now, 21, Function::Clock as u8, Overrides::default());
    bench.tree.update(&mut bench.io);
    bench.clocks(GPOUT0_CTRL, 0);
    let outside: &dyn std::any::Any = &*bench.io.outside;
    let told = &outside.downcast_ref::<Listener>().expect("it was connected").0;
    // 1 MHz since it was enabled, whenever a pin selects it.
    let rise = start + Picoseconds::from_ns(500);
    assert_eq!(told.iter().rfind(|(pin, _)| *pin == 21), Some(&(21, None)));
    assert!(told.contains(&(21, Some((rise, 1_000_000)))), "{told:?}");
}

#[test]
fn a_pin_that_a_program_waits_for_rises_with_the_clock_and_stands_still_afterwards() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.io.pins.set_control(bench.io.now, 21, Function::Clock as u8, Overrides::default());
    bench.clocks(GPOUT0_CTRL + 4, 12 << 8);
    bench.clocks(GPOUT0_CTRL, CLOCK_ENABLE | 5 << 5);
    // In the midst of a half period that is high: the next edge that a program sees is one that rises.
    bench.advance_ns(700);
    assert!(bench.io.pins.await_pins(0, 1 << 21));
    bench.tree.wake(&mut bench.io);
    let level = |bench: &Bench| bench.io.pins.levels() >> 21 & 1;
    assert_eq!(level(&bench), 0);
    bench.advance_ns(799);
    assert_eq!(level(&bench), 0);
    bench.advance_ns(1);
    assert_eq!(level(&bench), 1);
    assert!(bench.io.pins.await_pins(0, 0) && !bench.io.pins.await_pins(0, 0));
    bench.tree.wake(&mut bench.io);
    assert_eq!((level(&bench), bench.io.due(Source::Clocks)), (0, None));
}

#[test]
fn a_clock_at_gpin0_counts_while_its_pin_has_the_function_and_lets_it_in() {
    let mut bench = Bench::new();
    bench.tree.give(20, bench.io.now, 10_000_000, &mut bench.io);
    bench.clocks(REF_CTRL, 1 << 5 | 1);
    assert_eq!(bench.io.clocks.ref_hz, 0);
    bench.select(20, Function::Clock);
    assert_eq!(bench.io.clocks.ref_hz, 10_000_000);
    bench.io.pins.set_pad(bench.io.now, 20, Pad { input_enable: false, ..Pad::default() });
    bench.tree.update(&mut bench.io);
    assert_eq!(bench.io.clocks.ref_hz, 0);
    bench.io.pins.set_pad(bench.io.now, 20, Pad::default());
    let held_low = Overrides { input: 2, ..Overrides::default() };
    bench.io.pins.set_control(bench.io.now, 20, Function::Clock as u8, held_low);
    bench.tree.update(&mut bench.io);
    assert_eq!(bench.io.clocks.ref_hz, 0);
}

#[test]
fn a_gpin_without_a_clock_is_told_with_the_reason() {
    for (given, source, reason) in [
        (20, 1, "GPIO 20 is not set to the function CLOCK, or its input is off"),
        (20, 2, "nothing on the board gives one at GPIO 22"),
        (22, 2, "GPIO 22 is not set to the function CLOCK, or its input is off"),
        (22, 1, "nothing on the board gives one at GPIO 20"),
    ] {
        let mut bench = Bench::new();
        bench.tree.give(given, bench.io.now, 10_000_000, &mut bench.io);
        bench.clocks(REF_CTRL, source << 5 | 1);
        let told: Vec<String> = bench.io.unknown_accesses().map(|one| format!("{one:?}")).collect();
        assert!(told.len() == 1 && told[0].contains(reason), "{told:?}");
    }
}

#[test]
fn a_clock_at_a_pin_that_is_wired_to_gpin1_is_counted_and_divided() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.clocks(REF_CTRL, 2);
    bench.tree.give(3, bench.io.now, 50_000_000, &mut bench.io);
    bench.io.pins.wire(bench.io.now, 3, 22);
    bench.select(22, Function::Clock);
    bench.clocks(FC0_REF_KHZ, 12_000);
    bench.clocks(FC0_INTERVAL, 10);
    for (source, khz) in [(6, 0), (7, 50_000)] {
        bench.clocks(FC0_SRC, source);
        bench.advance_ns(1_001_000);
        assert_eq!(bench.read(ClockBlock::Clocks, FC0_RESULT) >> 5, khz, "source {source}");
    }
    bench.clocks(SYS_DIV, 4 << 8);
    bench.clocks(SYS_CTRL, 5 << 5);
    bench.clocks(SYS_CTRL, 5 << 5 | SRC_AUX);
    assert_eq!(bench.io.clocks.sys_hz, 12_500_000);
}

#[test]
fn clk_sys_from_a_pin_begins_its_cycles_ten_nanoseconds_behind_the_edges_there() {
    let mut bench = Bench::new();
    let edge =
        |bench: &Bench, ns| bench.tree.edge_of_clk_sys(Picoseconds::from_ns(ns), &bench.io).ps() / 1000;
    bench.tree.give(20, Picoseconds::from_ns(7), 50_000_000, &mut bench.io);
    bench.select(20, Function::Clock);
    assert_eq!(edge(&bench, 1000), 1000, "the ring oscillator has no edges of its own");
    bench.clocks(SYS_CTRL, 4 << 5 | SRC_AUX);
    assert_eq!([1000, 1017, 1018].map(|ns| edge(&bench, ns)), [1017, 1017, 1037]);
    bench.clocks(SYS_CTRL, 0);
    bench.clocks(REF_CTRL, 1 << 5 | 1);
    assert_eq!(edge(&bench, 1000), 1017, "through clk_ref as well");
}

#[test]
fn a_clock_from_outside_makes_edges_while_a_program_waits_for_it_or_its_pin_is_recorded() {
    let mut bench = Bench::new();
    bench.tree.give(9, Picoseconds::from_ns(300), 1_000_000, &mut bench.io);
    bench.advance_ns(10_000);
    assert_eq!(bench.io.due(Source::Clocks), None, "nobody looks");
    let level = |bench: &Bench| bench.io.pins.levels() >> 9 & 1;
    assert!(bench.io.pins.await_pins(0, 1 << 9));
    bench.tree.wake(&mut bench.io);
    bench.advance_ns(299);
    assert_eq!(level(&bench), 0);
    bench.advance_ns(1);
    assert_eq!(level(&bench), 1);
    assert!(bench.io.pins.await_pins(0, 0));
    bench.tree.wake(&mut bench.io);
    assert_eq!((level(&bench), bench.io.due(Source::Clocks)), (0, None));
    bench.io.pins.record(1 << 9);
    bench.tree.update(&mut bench.io);
    bench.advance_ns(2_000);
    let edges = bench.io.pins.take_edges();
    let edges: Vec<_> = edges.iter().map(|edge| (edge.at.ps() / 1000, edge.level)).collect();
    assert_eq!(edges, [(11_300, true), (11_800, false), (12_300, true)]);
}

#[test]
fn a_reset_of_the_clocks_goes_back_to_the_ring() {
    let mut bench = Bench::new();
    bench.start_crystal();
    bench.start_pll(ClockBlock::PllSys, 1, 125, (6, 2));
    bench.clocks(SYS_CTRL, SRC_AUX);
    bench.tree.reset(ClockBlock::Clocks, &mut bench.io);
    assert_eq!(bench.io.clocks.sys_hz, 6_500_000);
    bench.tree.reset(ClockBlock::PllSys, &mut bench.io);
    assert_eq!(bench.read(ClockBlock::PllSys, PLL_CS), 1);
}

proptest! {
    #[test]
    fn random_traffic_never_panics(
        steps in prop::collection::vec((0usize..5, 0u32..52, any::<bool>(), any::<u32>(), 0i64..100_000), 1..100),
    ) {
        const BLOCKS: [ClockBlock; 5] =
            [ClockBlock::Clocks, ClockBlock::Xosc, ClockBlock::Rosc, ClockBlock::PllSys, ClockBlock::PllUsb];
        let mut bench = Bench::new();
        bench.start_crystal();
        for (block, word, write, value, ns) in steps {
            bench.advance_ns(ns);
            let peeked = bench.tree.peek(BLOCKS[block], word * 4, &bench.io);
            if write {
                bench.write(BLOCKS[block], word * 4, value);
            } else {
                prop_assert_eq!(bench.read(BLOCKS[block], word * 4), peeked);
            }
        }
    }
}
