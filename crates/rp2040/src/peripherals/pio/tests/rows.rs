//! Words that go by in a row leave a block as it is when they are shifted out instruction by instruction.

use super::skipping::state;
use super::*;
use crate::peripherals::pio::reach::Heard;

/// A linear congruential generator (Knuth, MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(end)) >> 32) as u32
    }
}

/// A clock on GP8 by side-set, and bits or pairs of them from GP4 on: as many as the first word of each transfer says, less one, or
/// without an end.
fn shifter(random: &mut Random) -> Bench {
    let (bits, delay) = (1 + random.below(2) as u16, random.below(3) as u16);
    let (low, high) = (random.below(2) as u16 * delay, 0x10 | (random.below(2) as u16 * delay));
    let counts = random.below(2) == 0;
    let program = match counts {
        true => [out(X, 0), d(out(PINS, bits), low), d(jmp(X_DEC, 1), high), jmp(ALWAYS, 0)],
        false => [d(nop(), high), d(out(PINS, bits), low), nop(), nop()],
    };
    let mut bench = Bench::with(&program);
    bench.io.pins.record(0);
    bench.write(CLKDIV, (0x100 + random.below(3) * random.below(0x180)) << 8);
    bench.write(PINCTRL, set_pins(4, 5));
    bench.exec(set(PINDIRS, 31));
    bench.write(EXECCTRL, wrap(0, if counts { 3 } else { 1 }));
    let right = if random.below(2) == 0 { OUT_RIGHT } else { 0 };
    bench.write(SHIFTCTRL, AUTOPULL | right | pull_at(if counts { 32 } else { 16 + 8 * random.below(3) }));
    bench.write(PINCTRL, out_pins(4, bits.into()) | side_pins(8, 1));
    bench.start();
    bench
}

/// Lets some cycles pass, in rows of words where there are any; gives how many words.
fn go_on(bench: &mut Bench, cycles: i64) -> u32 {
    let end = bench.io.now + Picoseconds::new(cycles * CYCLE_PS);
    let reach = bench.pio.reach();
    let mut words = 0;
    while let Some(mut row) = bench.pio.begin_row(0, (&reach, Heard::default()), end, &bench.io) {
        while bench.pio.next_of_row(&row).is_some_and(|word| word.ends <= end)
            && bench.pio.pass_word(&mut row, &mut bench.io)
        {
            words += 1;
        }
        if !bench.pio.end_row(row, &mut bench.io) {
            break;
        }
    }
    bench.io.moved_unnoticed = true;
    bench.settle_pins();
    bench.run_unnoticed(cycles - (bench.io.now.ps() - end.ps() + cycles * CYCLE_PS) / CYCLE_PS, false);
    bench.io.now = end;
    words
}

#[test]
fn words_in_a_row_do_what_they_do_one_by_one() {
    let mut words = 0;
    for seed in 0..400 {
        let (mut rows, mut steps) = (shifter(&mut Random(seed)), shifter(&mut Random(seed)));
        let mut random = Random(!seed);
        for _ in 0..60 {
            for _ in 0..random.below(5) {
                let word =
                    if random.below(3) == 0 { 32 * random.below(6) + 31 } else { random.below(u32::MAX) };
                rows.write(TXF0, word);
                steps.write(TXF0, word);
            }
            let cycles = 1 + i64::from(random.below(700));
            words += go_on(&mut rows, cycles);
            steps.run(cycles);
            assert_eq!(state(&mut rows), state(&mut steps), "seed {seed}");
            assert_eq!(rows.io.pins.levels(), steps.io.pins.levels(), "seed {seed}");
            assert_eq!(rows.io.pins.inputs_of_late(), steps.io.pins.inputs_of_late(), "seed {seed}");
            assert_eq!(rows.io.lines.dreq(), steps.io.lines.dreq(), "seed {seed}");
            assert_eq!(rows.pio.machines, steps.pio.machines, "seed {seed}");
        }
    }
    assert!(words > 4_000, "{words} words went by in rows");
}
