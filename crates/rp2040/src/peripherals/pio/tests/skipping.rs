//! What the block skips must not be missed: random programs behave alike whether the block is woken only when it asks or
//! is made to look at everything in every cycle. And nothing that firmware may write makes it panic.

use super::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(super) enum Step {
    Run(i64),
    Write(u32, u32),
    Read(u32),
    Pin(u8, bool),
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1i64..80).prop_map(Step::Run),
        2 => (0u32..4, any::<u32>()).prop_map(|(n, value)| Step::Write(TXF0 + 4 * n, value)),
        2 => (0u32..4).prop_map(|n| Step::Read(RXF0 + 4 * n)),
        2 => (0u8..6, any::<bool>()).prop_map(|(pin, level)| Step::Pin(pin, level)),
        1 => any::<u8>().prop_map(|flags| Step::Write(IRQ, flags.into())),
        1 => (0u32..4, any::<u16>()).prop_map(|(n, word)| Step::Write(INSTR + n * MACHINE, word.into())),
        1 => (0u32..16, 0u32..256).prop_map(|(enabled, restarts)| Step::Write(CTRL, enabled | restarts << 4)),
    ]
}

#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) program: Vec<u16>,
    pub(super) machines: Vec<[u32; 4]>,
    bypass: u32,
}

pub(super) fn setting() -> impl Strategy<Value = Setting> {
    let divider = prop_oneof![Just(1u32 << 16), (0x100u32..0x900).prop_map(|parts| parts << 8)];
    let machine =
        (divider, any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(clkdiv, exec, shift, pins)| {
            // Few pins, so that machines meet on them; FIFOs joined now and then.
            let exec = exec & 0xe03f_ffff | exec >> 2 & 3 << 24;
            let pins = pins & !(0x1c << 15 | 0x1c << 10 | 0x1c << 5 | 0x3c << 20 | 0x1c);
            [clkdiv, exec, shift & !(1 << 31 | u32::from(shift & 3 != 0) << 30), pins]
        });
    (program(), prop::collection::vec(machine, 4), any::<u32>(), any::<bool>()).prop_map(
        |(program, mut machines, bypass, apart)| {
            if apart {
                machines.iter_mut().zip(0..).for_each(|(machine, pin)| give_pin(machine, pin));
            }
            Setting { program, machines, bypass }
        },
    )
}

/// A machine writes to one pin, to which no other one writes where each has another.
fn give_pin(machine: &mut [u32; 4], pin: u32) {
    let side_enable = machine[1] >> 30 & 1;
    let inputs = machine[3] & 0x1f << 15;
    machine[3] = inputs | out_pins(pin, 1) | set_pins(pin, 1) | side_pins(pin, 1 + side_enable);
}

/// Any instructions, jumps of an instruction to itself that count among them.
fn program() -> impl Strategy<Value = Vec<u16>> {
    let counts = prop_oneof![Just(None), (any::<bool>(), 0u16..32).prop_map(Some)];
    prop::collection::vec((any::<u16>(), counts), 32).prop_map(|words| {
        let word = |((any, counts), place): ((u16, Option<(bool, u16)>), u16)| match counts {
            Some((in_y, field)) => d(jmp(if in_y { Y_DEC } else { X_DEC }, place), field),
            None => any,
        };
        words.into_iter().zip(0..).map(word).collect()
    })
}

pub(super) fn bench(setting: &Setting) -> Bench {
    let mut bench = Bench::with(&setting.program);
    bench.write(BYPASS, setting.bypass);
    for (machine, n) in setting.machines.iter().zip(0..) {
        for (register, &value) in [CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL].into_iter().zip(machine) {
            bench.write(register + n * MACHINE, value);
        }
    }
    bench
}

/// Makes the block settle and look again, in every cycle, at everything that it may have put off.
fn poke(bench: &mut Bench, setting: &Setting) {
    bench.run(1);
    bench.write(BYPASS, setting.bypass);
    bench.write(FDEBUG, 0);
    bench.write(0x48, setting.program[0].into());
    for (machine, n) in setting.machines.iter().zip(0..) {
        bench.write(CLKDIV + n * MACHINE, machine[0]);
    }
}

pub(super) fn apply(bench: &mut Bench, step: &Step) -> u32 {
    match *step {
        Step::Run(_) => 0,
        Step::Write(offset, value) => {
            bench.write(offset, value);
            0
        }
        Step::Read(offset) => bench.read(offset),
        Step::Pin(pin, level) => {
            bench.drive(pin, level);
            0
        }
    }
}

pub(super) fn state(bench: &mut Bench) -> Vec<u32> {
    let mut state: Vec<u32> = [CTRL, FSTAT, FDEBUG, FLEVEL, IRQ, 0x3c, 0x40, 0x128]
        .iter()
        .map(|&offset| bench.read(offset))
        .collect();
    for n in 0..4 {
        state.extend([EXECCTRL, ADDR].map(|register| bench.read(register + n * MACHINE)));
    }
    state
}

/// 1000 rounds of 3 cycles from cycle 3 on, then GP0 goes high.
fn counts_down() -> Bench {
    let program = [pull(BLOCK), mov(X, OSR), d(jmp(X_DEC, 2), 2), set(PINS, 1), jmp(ALWAYS, 4)];
    let mut bench = Bench::with(&program);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(TXF0, 999);
    bench.start();
    bench
}

#[test]
fn counting_down_takes_no_work() {
    let mut bench = counts_down();
    let woken = bench.run(3100);
    assert_eq!(bench.edges(), [(3 + 3 * 1000, 0, true)]);
    // The instructions before and behind, the first round and the last.
    assert!(woken < 110, "{woken}");
}

#[test]
fn a_countdown_can_be_looked_into_at_any_moment() {
    // The value after the jump of a round that began at cycle 3, 6, and so on.
    for (cycle, left) in [(3, 998), (4, 998), (5, 998), (6, 997), (3 + 3 * 500, 498), (3 + 3 * 998, 0)] {
        let mut bench = counts_down();
        bench.run_to(cycle);
        assert_eq!(bench.x(), left, "at cycle {cycle}");
    }
}

#[test]
fn a_countdown_whose_program_changes_goes_on_with_the_new_one() {
    let mut bench = counts_down();
    bench.run_to(3 + 3 * 10);
    // Without a delay from the next round on: 988 rounds are left, and the last jump is not taken.
    bench.write(0x48 + 4 * 2, jmp(X_DEC, 2).into());
    bench.run(1200);
    assert_eq!(bench.edges(), [(3 + 3 * 11 + 989, 0, true)]);
}

/// 1000 rounds of a cycle from cycle 3 on, in each of which GP1 is low, and then GP1 goes high. Machine 1 toggles the first pin that it has.
fn counts_down_beside_another(other_pin: u32) -> Bench {
    let counts = [pull(BLOCK), mov(X, OSR), jmp(X_DEC, 2), d(jmp(ALWAYS, 3), 0b10000)];
    let toggles = [d(set(PINS, 1), 9), d(set(PINS, 0), 9)];
    let mut bench = Bench::with(&counts.into_iter().chain(toggles).collect::<Vec<_>>());
    bench.write(PINCTRL, side_pins(1, 1) | set_pins(1, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(TXF0, 999);
    bench.write(PINCTRL + MACHINE, set_pins(other_pin, 1));
    bench.write(EXECCTRL + MACHINE, wrap(4, 5));
    for instruction in [set(PINDIRS, 1), jmp(ALWAYS, 4)] {
        bench.write(INSTR + MACHINE, instruction.into());
        bench.run(1);
    }
    bench
}

#[test]
fn counting_down_with_a_side_set_of_its_own_takes_no_work() {
    let mut bench = counts_down_beside_another(2);
    bench.start();
    let woken = bench.run(1005);
    assert_eq!(bench.edges(), [(3 + 1000, 1, true)]);
    assert!(woken < 10, "{woken}");
}

#[test]
fn a_countdown_writes_its_side_set_again_after_each_write_of_another_machine() {
    let mut bench = counts_down_beside_another(1);
    bench.start_many(3);
    bench.run(2000);
    let edges = bench.edges();
    // Machine 1 has the higher number: its SET is seen for the cycle in which it writes, and the side-set writes again in the next.
    let pulses = (1..).step_by(20).take_while(|&cycle| cycle < 1000);
    let expected: Vec<_> = pulses.flat_map(|cycle| [(cycle, 1, true), (cycle + 1, 1, false)]).collect();
    let counted: Vec<_> = edges.iter().copied().filter(|(cycle, ..)| *cycle < 1000).collect();
    assert_eq!(counted, expected);
}

#[test]
fn a_machine_that_gets_the_pin_of_another_ones_countdown_writes_there_from_then_on() {
    let mut bench = counts_down_beside_another(2);
    bench.start_many(3);
    bench.run_to(500);
    bench.edges();
    bench.write(PINCTRL + MACHINE, set_pins(1, 1));
    bench.run_to(540);
    let of_the_countdown: Vec<_> = bench.edges().into_iter().filter(|(_, pin, _)| *pin == 1).collect();
    assert_eq!(of_the_countdown, [(501, 1, true), (502, 1, false), (521, 1, true), (522, 1, false)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_block_that_sleeps_does_what_one_does_that_never_sleeps(
        setting in setting(), steps in prop::collection::vec(step(), 1..60),
    ) {
        let (mut sleeper, mut watcher) = (bench(&setting), bench(&setting));
        sleeper.start_many(0xf);
        watcher.start_many(0xf);
        for step in &steps {
            // Accesses are at least a cycle apart.
            let cycles = if let Step::Run(cycles) = step { *cycles } else { 1 };
            sleeper.run(cycles);
            for _ in 0..cycles {
                poke(&mut watcher, &setting);
            }
            prop_assert_eq!(apply(&mut sleeper, step), apply(&mut watcher, step));
            prop_assert_eq!(state(&mut sleeper), state(&mut watcher));
            prop_assert_eq!(sleeper.edges(), watcher.edges());
        }
    }

    #[test]
    fn no_write_makes_the_block_panic(
        writes in prop::collection::vec((0u32..0x60, any::<u32>(), 0i64..300_000), 1..200), hz in 0u64..200_000_000,
    ) {
        let mut bench = Bench::new();
        bench.io.clocks.sys_hz = hz;
        for (register, value, ps) in writes {
            bench.write(4 * register, value);
            bench.read(4 * register);
            bench.run_ps(ps);
        }
    }
}
