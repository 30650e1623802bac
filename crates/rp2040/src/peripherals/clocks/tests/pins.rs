//! Clocks at pins, out of the chip and into it.

use super::*;

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
