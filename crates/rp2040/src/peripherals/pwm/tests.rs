//! The block on a bench, at 125 MHz: 8 ns a cycle.

use super::*;
use mcu::Edge;

use crate::pins::Overrides;
use proptest::prelude::*;

const EN_BIT: u32 = 1;
const PH_CORRECT: u32 = 2;

struct Bench {
    pwm: Pwm,
    io: Io,
    start: i64,
}

impl Bench {
    fn new() -> Self {
        let mut io = Io::default();
        io.clocks.sys_hz = 125_000_000;
        io.now = Picoseconds::from_ns(1_000);
        for pin in 0..30 {
            io.pins.set_control(io.now, pin, Function::Pwm as u8, Overrides::default());
        }
        io.pins.record(ALL_PINS);
        let mut bench = Self { pwm: Pwm::new(), io, start: 1_000_000 };
        bench.read(EN);
        bench.io.pins.take_edges();
        bench
    }

    fn write(&mut self, n: u32, register: u32, value: u32) {
        self.pwm.write(n * SLICE_STRIDE + register, value, &mut self.io);
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.pwm.read(offset, &mut self.io)
    }

    fn counter(&mut self, n: u32) -> u32 {
        self.read(n * SLICE_STRIDE + CTR)
    }

    fn enable(&mut self, n: u32, csr: u32) {
        self.io.pins.take_edges();
        self.start = self.io.now.ps();
        self.write(n, CSR, csr | EN_BIT);
    }

    fn run(&mut self, cycles: i64) -> usize {
        let end = self.io.now + Picoseconds::new(cycles * 8_000);
        let mut wakes = 0;
        while let Some(at) = self.io.due(Source::Pwm).filter(|&at| at <= end) {
            self.io.now = at;
            self.io.cancel(Source::Pwm);
            self.pwm.wake(Source::Pwm, &mut self.io);
            wakes += 1;
        }
        self.io.now = end;
        wakes
    }

    fn drive(&mut self, pin: u8, level: bool) {
        self.io.pins.drive_outside(self.io.now, pin, Some(level));
        let changed = self.io.pins.take_inputs_changed();
        self.pwm.inputs_changed(changed, &mut self.io);
    }

    fn edges_of(&mut self, pin: u8) -> Vec<(i64, bool)> {
        let start = self.start;
        let edges: Vec<Edge> = self.io.pins.take_edges();
        edges
            .iter()
            .filter(|edge| edge.pin == pin)
            .map(|edge| ((edge.at.ps() - start) / 8_000, edge.level))
            .collect()
    }
}

/// Datasheet figure 103: TOP 3, levels 1 and 3.
#[test]
fn both_outputs_rise_together_and_fall_at_their_levels() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 3);
    bench.write(0, CC, 3 << 16 | 1);
    bench.enable(0, 0);
    bench.run(12);
    let mut copy = bench.io.pins.clone();
    assert_eq!(bench.edges_of(0), [(1, false), (4, true), (5, false), (8, true), (9, false), (12, true)]);
    let b: Vec<i64> =
        copy.take_edges().iter().filter(|e| e.pin == 1).map(|e| (e.at.ps() - bench.start) / 8_000).collect();
    assert_eq!(b, [3, 4, 7, 8, 11, 12]);
}

#[test]
fn a_slice_has_its_two_pairs_of_pins_and_slice_7_only_one() {
    let mut bench = Bench::new();
    for n in 0..8 {
        bench.write(n, CC, 0x0001_0001 << 2);
    }
    assert_eq!(bench.io.pins.levels(), 0x3fff_ffff, "a stopped slice takes its levels at once");
    bench.write(7, CC, 0);
    assert_eq!(bench.io.pins.levels(), 0x3fff_3fff);
    bench.write(3, CC, 1 << 16);
    assert_eq!(bench.io.pins.levels() & 0x00c0_00c0, 0x0080_0080);
}

#[test]
fn level_0_never_rises_and_level_top_plus_1_never_falls() {
    let mut bench = Bench::new();
    bench.write(2, TOP, 254);
    bench.write(2, CC, 255);
    bench.enable(2, 0);
    let wakes = bench.run(255 * 10);
    assert_eq!((wakes, bench.edges_of(4), bench.edges_of(5)), (10, vec![], vec![]));
    assert_eq!(bench.io.pins.levels() >> 4 & 3, 0b01);
}

#[test]
fn a_new_level_or_top_waits_for_the_wrap() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 9);
    bench.write(0, CC, 5);
    bench.enable(0, 0);
    bench.run(3);
    bench.write(0, CC, 2);
    bench.write(0, TOP, 7);
    bench.run(20);
    assert_eq!(bench.edges_of(0), [(5, false), (10, true), (12, false), (18, true), (20, false)]);
}

#[test]
fn phase_correct_pulses_are_centred_and_take_twice_the_time() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 9);
    bench.write(0, CC, 3);
    bench.enable(0, PH_CORRECT);
    bench.run(64);
    // Up 0 to 9 and down again is 20 counts; below 3 in the first and the last three of them.
    assert_eq!(
        bench.edges_of(0),
        [(3, false), (17, true), (23, false), (37, true), (43, false), (57, true), (63, false)]
    );
    assert_eq!(bench.counter(0), 4);
    bench.run(2 + 8);
    assert_eq!(bench.counter(0), 5, "14 counts after the wrap it is on its way down");
}

#[test]
fn phase_correct_levels_are_taken_where_it_turns_at_0() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 9);
    bench.write(0, CC, 3);
    bench.enable(0, PH_CORRECT);
    bench.run(12);
    bench.write(0, CC, 6);
    bench.run(20);
    assert_eq!(bench.edges_of(0), [(3, false), (17, true), (26, false)]);
    assert_eq!(bench.read(INTR), 1);
}

#[test]
fn a_divider_of_8_and_a_half_counts_every_8_or_9_cycles() {
    let mut bench = Bench::new();
    bench.write(1, DIV, 8 << 4 | 8);
    bench.write(1, TOP, 0);
    bench.write(1, CC, 1);
    bench.enable(1, 0);
    let mut wraps = Vec::new();
    for cycle in 1..70 {
        bench.run(1);
        if bench.io.lines.take_pulses() != 0 {
            wraps.push(cycle);
        }
    }
    assert_eq!(wraps, [1, 9, 17, 26, 34, 43, 51, 60, 68]);
}

#[test]
fn a_period_is_top_plus_1_times_the_divider() {
    let mut bench = Bench::new();
    bench.write(5, DIV, 0);
    bench.write(5, TOP, 99);
    bench.write(5, CC, 50);
    bench.enable(5, 0);
    bench.run(256 * 300);
    let rises: Vec<i64> = bench.edges_of(10).into_iter().filter(|edge| edge.1).map(|edge| edge.0).collect();
    assert_eq!(rises.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>(), [25_600, 25_600]);
}

#[test]
fn a_wrap_raises_its_flag_its_interrupt_and_one_request() {
    let mut bench = Bench::new();
    bench.write(6, TOP, 49);
    bench.enable(6, 0);
    bench.run(49);
    assert_eq!((bench.read(INTR), bench.io.lines.take_pulses()), (0, 0));
    bench.run(1);
    assert_eq!((bench.read(INTR), bench.io.lines.take_pulses()), (1 << 6, 1 << (24 + 6)));
    assert_eq!(bench.io.lines.irq(), 0);
    bench.pwm.write(INTE, 1 << 6, &mut bench.io);
    assert_eq!((bench.io.lines.irq(), bench.read(INTS)), (1 << Irq::PWM_WRAP.0, 1 << 6));
    bench.pwm.write(INTR, 1 << 6, &mut bench.io);
    assert_eq!((bench.io.lines.irq(), bench.read(INTS)), (0, 0));
    bench.pwm.write(INTF, 1, &mut bench.io);
    assert_eq!((bench.io.lines.irq(), bench.read(INTR)), (1 << Irq::PWM_WRAP.0, 0));
}

#[test]
fn slices_that_are_enabled_together_run_in_step() {
    let mut bench = Bench::new();
    for n in 0..8 {
        bench.write(n, TOP, 99);
        bench.write(n, DIV, 3 << 4 | 7);
        bench.run(3);
    }
    bench.pwm.write(EN, 0xff, &mut bench.io);
    bench.run(1_234);
    let counters: Vec<u32> = (0..8).map(|n| bench.counter(n)).collect();
    assert!(counters.iter().all(|&counter| counter == counters[0]));
    assert_eq!(bench.read(EN), 0xff);
    bench.pwm.write(EN, 0x0f, &mut bench.io);
    bench.run(50);
    assert_ne!(bench.counter(0), bench.counter(7));
    assert_eq!(bench.counter(7), counters[7]);
}

#[test]
fn a_gated_slice_counts_the_cycles_that_b_is_high() {
    let mut bench = Bench::new();
    bench.write(1, DIV, 4 << 4);
    bench.enable(1, 1 << 4);
    bench.run(100);
    assert_eq!(bench.counter(1), 0);
    bench.drive(3, true);
    bench.run(40);
    bench.drive(3, false);
    bench.run(1_000);
    assert_eq!(bench.counter(1), 10);
    bench.drive(19, true);
    bench.run(400);
    assert_eq!(bench.counter(1), 110, "the other pin of B counts as well");
    assert_eq!(bench.io.pins.driven_by(Function::Pwm).1 & 0x0008_0008, 0, "B is an input");
}

#[test]
fn an_edge_counting_slice_counts_edges_and_may_wrap() {
    for (mode, level) in [(2, true), (3, false)] {
        let mut bench = Bench::new();
        bench.write(0, TOP, 4);
        bench.enable(0, mode << 4);
        for n in 1..=13u32 {
            bench.drive(1, !level);
            bench.run(3);
            bench.drive(1, level);
            bench.run(3);
            // The very first falling edge needs the line to be high before.
            assert_eq!((bench.counter(0), bench.read(INTR)), (n % 5, u32::from(n >= 5)));
        }
        assert_eq!(bench.run(100_000), 0);
    }
}

#[test]
fn the_phase_can_be_advanced_and_retarded_by_a_count() {
    let mut bench = Bench::new();
    for n in 0..3 {
        bench.write(n, DIV, 10 << 4);
    }
    bench.pwm.write(EN, 0b111, &mut bench.io);
    bench.run(105);
    bench.write(1, CSR, EN_BIT | 1 << 7);
    bench.write(2, CSR, EN_BIT | 1 << 6);
    bench.run(100);
    assert_eq!((0..3).map(|n| bench.counter(n)).collect::<Vec<_>>(), [21, 22, 20]);
    assert_eq!(bench.read(SLICE_STRIDE), EN_BIT, "the bit clears itself");
}

#[test]
fn a_halted_counter_keeps_its_place_and_its_outputs() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 99);
    bench.write(0, CC, 50);
    bench.enable(0, 0);
    bench.run(30);
    bench.write(0, CSR, 0);
    bench.run(1_000);
    assert_eq!((bench.counter(0), bench.io.pins.levels() & 1), (30, 1));
    bench.enable(0, 0);
    bench.run(20);
    assert_eq!(bench.edges_of(0), [(20, false)]);
}

#[test]
fn inverted_outputs_are_the_complement() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 3);
    bench.write(0, CC, 1);
    bench.enable(0, 1 << 2);
    bench.run(8);
    assert_eq!(bench.edges_of(0), [(0, false), (1, true), (4, false), (5, true), (8, false)]);
}

#[test]
fn a_counter_is_computed_without_waking() {
    let mut bench = Bench::new();
    bench.enable(0, 0);
    assert_eq!(bench.run(60_000), 0);
    assert_eq!(bench.counter(0), 60_000);
    assert_eq!(bench.run(6_000), 1, "the wrap");
    assert_eq!(bench.counter(0), 66_000 - 65_536);
    bench.write(0, CTR, 1_000);
    assert_eq!(bench.counter(0), 1_000);
}

#[test]
fn another_clock_frequency_counts_from_the_change() {
    let mut bench = Bench::new();
    bench.write(0, TOP, 999);
    bench.enable(0, 0);
    bench.run(100);
    bench.io.clocks.sys_hz = 62_500_000;
    bench.pwm.clocks_changed(&mut bench.io);
    bench.run(100);
    assert_eq!(bench.counter(0), 150);
    bench.pwm.reset(&mut bench.io);
    assert_eq!((bench.io.due(Source::Pwm), bench.counter(0)), (None, 0));
}

proptest! {
    /// A slice that is stepped a count at a time, as the datasheet tells it.
    #[test]
    fn counters_and_outputs_are_those_of_a_stepped_slice(
        top in 0u32..12, levels in [0u32..14, 0u32..14], phase_correct: bool, cycles in 1i64..200,
    ) {
        let mut bench = Bench::new();
        bench.write(0, TOP, top);
        bench.write(0, CC, levels[1] << 16 | levels[0]);
        bench.enable(0, if phase_correct { PH_CORRECT } else { 0 });
        let (mut counter, mut down, mut wraps) = (0u32, false, 0);
        for _ in 0..cycles {
            bench.run(1);
            match (phase_correct, down) {
                (false, _) if counter == top => { counter = 0; wraps += 1; }
                (true, false) if counter == top => down = true,
                (true, true) if counter == 0 => { down = false; wraps += 1; }
                (true, true) => counter -= 1,
                _ => counter += 1,
            }
            prop_assert_eq!(bench.counter(0), counter);
            prop_assert_eq!(bench.io.pins.levels() & 3, u32::from(counter < levels[0]) | u32::from(counter < levels[1]) << 1);
            prop_assert_eq!(bench.read(INTR), u32::from(wraps > 0));
        }
    }

    #[test]
    fn no_write_makes_the_block_panic(
        writes in prop::collection::vec((0u32..0x30, any::<u32>(), 0i64..400, 0u8..30), 1..150),
    ) {
        let mut bench = Bench::new();
        for (register, value, cycles, pin) in writes {
            bench.pwm.write(4 * register, value, &mut bench.io);
            bench.read(4 * register);
            bench.drive(pin, value & 1 == 1);
            bench.run(cycles);
        }
    }
}
