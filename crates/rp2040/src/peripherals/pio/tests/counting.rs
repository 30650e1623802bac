//! Loops that count, compare and look how full a FIFO is: many of their rounds are one step, and do what they would one by one.

use super::skipping::{Setting, Step, setting, step};
use super::unnoticed::compare;
use super::*;
use proptest::prelude::*;

/// An instruction that loops count with, with or without a delay.
fn counting() -> impl Strategy<Value = u16> {
    let register = prop_oneof![Just(X), Just(Y)];
    let source = prop_oneof![3 => Just(X), 3 => Just(Y), 1 => Just(NULL), 2 => Just(STATUS), 2 => Just(PINS), 1 => Just(ISR), 1 => Just(OSR)];
    let how = prop_oneof![4 => Just(0), 4 => Just(INVERTED), 1 => Just(REVERSED)];
    let instruction = prop_oneof![
        8 => (0u16..8, 0u16..8).prop_map(|(condition, target)| jmp(condition, target)),
        2 => Just(mov(Y, Y)),
        1 => (register.clone(), 0u16..32).prop_map(|(to, value)| set(to, value)),
        2 => (register, source.clone(), how.clone()).prop_map(|(to, from, how)| mov(to, from) | how),
        1 => (source.clone(), how.clone()).prop_map(|(from, how)| mov(PC, from) | how),
        2 => (prop_oneof![Just(ISR), Just(OSR)], source, how).prop_map(|(to, from, how)| mov(to, from) | how),
        1 => (prop_oneof![Just(NULL), Just(ISR), Just(PC), Just(X)], 1u16..9).prop_map(|(to, bits)| out(to, bits)),
        1 => (prop_oneof![Just(PINS), Just(NULL), Just(ISR), Just(OSR)], 1u16..9).prop_map(|(from, bits)| in_(from, bits)),
        1 => (0u16..2).prop_map(|level| set(PINS, level)),
    ];
    (instruction, prop_oneof![3 => Just(0), 1 => 0u16..8])
        .prop_map(|(instruction, delay)| d(instruction, delay))
}

/// Programs of a few such instructions, which wrap to the first one, in blocks of any settings.
fn counting_setting() -> impl Strategy<Value = Setting> {
    (setting(), prop::collection::vec(counting(), 32), 0u32..8).prop_map(|(mut setting, program, top)| {
        setting.program = program;
        for machine in &mut setting.machines {
            machine[1] = machine[1] & !(0x1f << 12 | 0x1f << 7) | top << 12;
        }
        setting
    })
}

/// What firmware does meanwhile; X and Y get large values as well as small ones.
fn any_step() -> impl Strategy<Value = Step> {
    let written = prop_oneof![
        Just(mov(X, NULL) | INVERTED),
        Just(mov(Y, NULL) | INVERTED),
        Just(mov(X, NULL) | REVERSED),
        (0u16..32).prop_map(|value| set(X, value)),
        (0u16..32).prop_map(|value| set(Y, value)),
        Just(mov(X, OSR)),
        Just(mov(Y, OSR)),
        (0u16..8).prop_map(|target| jmp(ALWAYS, target)),
    ];
    let executed = (0u32..4, written);
    prop_oneof![3 => step(), 1 => executed.prop_map(|(n, word)| Step::Write(INSTR + n * MACHINE, word.into()))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn rounds_that_count_do_at_once_what_they_do_one_by_one(
        setting in counting_setting(), machines in prop_oneof![3 => Just(1u32), 1 => 1u32..16],
        steps in prop::collection::vec(any_step(), 1..20), stretch in 1i64..80, heeds in any::<bool>(),
    ) {
        compare(&setting, machines, &steps, stretch, heeds);
    }
}

/// A machine after so many cycles of a program of three instructions with a side-set that begins with this X, with everything done one by
/// one or not: X, Y, and how the pins moved of late.
fn counted(program: &[u16; 3], x: u16, cycles: i64, unnoticed: bool) -> (u32, u32, Vec<(Picoseconds, u32)>) {
    let mut bench = Bench::with(program);
    bench.write(EXECCTRL, wrap(0, 2));
    bench.write(PINCTRL, set_pins(0, 1) | side_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.exec(x);
    bench.exec(set(Y, 29));
    bench.start();
    bench.io.pins.record(0);
    if unnoticed {
        bench.run_unnoticed(cycles, false);
    } else {
        bench.run(cycles);
    }
    (bench.pio.machines[0].x, bench.pio.machines[0].y, bench.io.pins.inputs_of_late().to_vec())
}

#[test]
fn a_loop_is_counted_on_only_where_each_of_its_rounds_does_the_same() {
    let programs = [
        [jmp(X_DEC, 1), jmp(Y_DEC, 2), mov(Y, Y)],
        // Pins move with each round, or stand still.
        [d(jmp(X_DEC, 1), 16), jmp(Y_DEC, 2), mov(Y, Y)],
        [d(jmp(X_DEC, 1), 16), d(jmp(Y_DEC, 2), 16), d(mov(Y, Y), 16)],
        // Two rounds bring back what one changes.
        [mov(X, X) | INVERTED, mov(Y, Y), mov(Y, Y)],
        [mov(X, X) | INVERTED, jmp(X_DEC, 2), mov(Y, Y)],
        [mov(X, Y), mov(Y, X) | INVERTED, mov(Y, Y)],
        [jmp(X_DEC, 1), mov(Y, X), mov(X, Y) | INVERTED],
        // The way of each round depends on whether the last one met zero.
        [jmp(Y_DEC, 2), set(Y, 31), jmp(X_DEC, 0)],
        [jmp(X_NE_Y, 2), jmp(Y_DEC, 2), jmp(X_DEC, 0)],
        [jmp(NOT_X, 2), jmp(X_DEC, 2), jmp(X_DEC, 0)],
        [jmp(X_DEC, 2), jmp(Y_DEC, 2), jmp(ALWAYS, 0)],
        // What is shifted changes from round to round.
        [in_(X, 1), jmp(X_DEC, 2), mov(Y, ISR)],
        [out(X, 1), mov(Y, OSR), mov(Y, Y)],
    ];
    let beginnings = (0..32).map(|x| set(X, x)).chain([mov(X, NULL) | INVERTED]);
    for (x, (program, number)) in beginnings.flat_map(|x| programs.iter().zip(1..).map(move |of| (x, of))) {
        for cycles in [90, 150, 251, 1000] {
            let [at_once, one_by_one] = [true, false].map(|unnoticed| counted(program, x, cycles, unnoticed));
            assert_eq!(at_once, one_by_one, "program {number} with X by {x:#06x} after {cycles} cycles");
        }
    }
}

/// The cycle in which a machine that waits for its step counter to reach another raises a pin, as a PWM does.
#[test]
fn a_pwm_of_days_takes_no_work() {
    let pulled = d(set(PINS, 0), 0);
    let program = [pulled, jmp(X_NE_Y, 3), set(PINS, 1), jmp(Y_DEC, 1), jmp(ALWAYS, 4)];
    let mut bench = Bench::with(&program);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    // X is 2^31, Y is 2^32 - 1: they meet after 2^31 - 1 rounds of two cycles.
    bench.exec(mov(Y, NULL) | INVERTED);
    bench.exec(set(X, 1));
    bench.exec(mov(X, X) | REVERSED);
    bench.start();
    bench.io.pins.record(0);
    let meets = 1 + 2 * ((1i64 << 31) - 1);
    bench.run_unnoticed(meets, false);
    assert_eq!(bench.io.pins.levels() & 1, 0);
    bench.run_unnoticed(3, false);
    assert_eq!(bench.io.pins.levels() & 1, 1);
    bench.run_unnoticed(3 + 2 * (1 << 31), false);
    assert_eq!(bench.pio.machines[0].pc, 4, "it has counted to the end");
}
