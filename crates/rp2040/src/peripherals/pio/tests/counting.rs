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
