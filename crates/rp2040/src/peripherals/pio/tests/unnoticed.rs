//! A block that is led on in one go does what one does that is woken at every event of its own, whatever its programs.

use super::skipping::{Setting, apply, bench, setting, state, step};
use super::*;
use crate::peripherals::pio::reach::Heard;
use proptest::prelude::*;

impl Bench {
    /// Lets some cycles pass that nobody notices.
    pub(super) fn run_unnoticed(&mut self, cycles: i64, heeds_fifos: bool) {
        let end = self.io.now + Picoseconds::new(cycles * CYCLE_PS);
        let reach = self.pio.reach();
        while self.io.due(Source::Pio0).is_some_and(|at| at <= end) {
            self.pio.run_unnoticed(end, &reach, Heard::default(), heeds_fifos, &mut self.io);
            self.io.moved_unnoticed = true;
            self.settle_pins();
            self.io.moved_unnoticed = false;
        }
        self.io.now = end;
    }
}

/// Programs that mostly go on: a wait or a blocked FIFO ends most random ones at once.
fn lively_setting() -> impl Strategy<Value = Setting> {
    (setting(), 0u32..32, prop::collection::vec(0u16..6, 32)).prop_map(|(mut setting, top, kinds)| {
        for (word, kind) in setting.program.iter_mut().zip(kinds) {
            let opcode = [0, 2, 3, 5, 7, *word >> 13][usize::from(kind)];
            *word = *word & 0x1fff & !(if opcode == 0 { 0x18 } else { 0 }) | opcode << 13;
        }
        for machine in &mut setting.machines {
            // A wrap that comes soon, and autopush and autopull now and then.
            machine[1] = machine[1] & !(0x1f << 12 | 0x1f << 7) | (top & 0xf) << 12;
            machine[2] &= !(0b11 << 16) | machine[2] >> 4 & 0b11 << 16;
        }
        setting
    })
}

pub(super) fn compare(
    setting: &Setting,
    machines: u32,
    steps: &[super::skipping::Step],
    stretch: i64,
    heeds: bool,
) {
    let (mut unnoticed, mut watched) = (bench(setting), bench(setting));
    unnoticed.start_many(machines);
    watched.start_many(machines);
    for step in steps {
        let cycles = if let super::skipping::Step::Run(cycles) = step { *cycles * stretch } else { 1 };
        unnoticed.run_unnoticed(cycles, heeds);
        watched.run(cycles);
        assert_eq!(unnoticed.io.pins.levels(), watched.io.pins.levels());
        assert_eq!(apply(&mut unnoticed, step), apply(&mut watched, step));
        assert_eq!(state(&mut unnoticed), state(&mut watched));
        assert_eq!(unnoticed.edges(), watched.edges());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_block_that_nobody_notices_does_what_one_does_that_is_watched(
        setting in prop_oneof![1 => setting(), 3 => lively_setting()], machines in 1u32..16,
        steps in prop::collection::vec(step(), 1..20), stretch in 1i64..40, heeds in any::<bool>(),
    ) {
        compare(&setting, machines, &steps, stretch, heeds);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    #[test]
    #[ignore = "takes minutes: the same at length, make test-slow"]
    fn many_blocks_that_nobody_notices_do_what_watched_ones_do(
        setting in prop_oneof![1 => setting(), 3 => lively_setting()], machines in 1u32..16,
        steps in prop::collection::vec(step(), 1..40), stretch in 1i64..60, heeds in any::<bool>(),
    ) {
        compare(&setting, machines, &steps, stretch, heeds);
    }
}

/// Words in the FIFO to transmit and in the other one after some cycles of a program of three instructions, which shifts 16 bits a word.
fn words_after(program: &[u16; 3], cycles: i64) -> (u32, u32) {
    let mut bench = Bench::with(program);
    bench.write(EXECCTRL, wrap(0, 2));
    bench.write(SHIFTCTRL, AUTOPULL | AUTOPUSH | pull_at(16) | push_at(16));
    (0..4).for_each(|word| bench.write(TXF0, word));
    bench.start();
    bench.run_unnoticed(cycles, false);
    let level = bench.read(FLEVEL);
    (level & 0xf, level >> 4 & 0xf)
}

#[test]
fn a_mov_to_a_shift_register_begins_its_count_anew() {
    // Words are complete with the fourth instruction, the seventh, and so on.
    let into = [in_(X, 8), mov(ISR, X) | INVERTED, in_(OSR, 8)];
    let received = [3, 4, 6, 7, 12, 13].map(|cycles| words_after(&into, cycles).1);
    assert_eq!(received, [0, 1, 1, 2, 3, 4]);
    // The first word is pulled before the first OUT, and that tries again in the cycle after it.
    let out = [out(NULL, 8), mov(OSR, X) | REVERSED, out(X, 8)];
    let waiting = [1, 4, 5, 7, 8].map(|cycles| words_after(&out, cycles).0);
    assert_eq!(waiting, [3, 3, 2, 2, 1]);
}

/// A square wave of 4 cycles on GP0.
fn square_wave() -> Bench {
    let mut bench = Bench::with(&[d(set(PINS, 1), 1), set(PINS, 0), jmp(ALWAYS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench
}

#[test]
fn an_hour_of_a_square_wave_takes_no_work() {
    let mut bench = square_wave();
    bench.io.pins.record(0);
    // 3600 s at 125 MHz; the wave rises at cycle 1 and every fourth one after it.
    bench.run_unnoticed(3600 * 125_000_000 + 1, false);
    assert_eq!(bench.io.pins.levels() & 1, 1);
    bench.run(2);
    assert_eq!(bench.io.pins.levels() & 1, 0);
}

#[test]
fn edges_of_a_wave_that_is_led_on_are_kept_one_by_one() {
    let mut bench = square_wave();
    bench.run_unnoticed(40_000, false);
    let edges = bench.edges();
    let expected: Vec<_> = (0..10_000).flat_map(|n| [(4 * n + 1, 0, true), (4 * n + 3, 0, false)]).collect();
    assert_eq!(edges, expected);
}

/// A slow wave on GP0, and a machine that gives GP1 the same levels some cycles later.
fn followed_wave() -> Bench {
    let mut bench = Bench::with(&[
        d(set(PINS, 1), 31),
        d(set(PINS, 0), 31),
        d(jmp(ALWAYS, 0), 31),
        wait(1, 0, 0),
        set(PINS, 1),
        wait(0, 0, 0),
        set(PINS, 0),
        jmp(ALWAYS, 3),
    ]);
    for machine in [0, 1] {
        bench.write(MACHINE * machine + PINCTRL, set_pins(machine, 1));
        bench.write(MACHINE * machine + INSTR, u32::from(set(PINDIRS, 1)));
    }
    bench.write(MACHINE + INSTR, u32::from(jmp(ALWAYS, 3)));
    bench.start_many(0b11);
    bench
}

#[test]
fn a_machine_that_waits_for_a_pin_of_another_sees_it_in_its_time() {
    let (mut unnoticed, mut watched) = (followed_wave(), followed_wave());
    // No longer at once than is worth a search for a period.
    for _ in 0..50 {
        unnoticed.run_unnoticed(200, false);
        watched.run(200);
    }
    let edges = watched.edges();
    assert!(edges.iter().filter(|(_, pin, _)| *pin == 1).count() > 100);
    assert_eq!(unnoticed.edges(), edges);
}
