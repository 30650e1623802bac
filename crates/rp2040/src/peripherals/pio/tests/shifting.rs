//! PUSH, PULL, autopush and autopull in their corners (RP2040 datasheet 3.4.6, 3.4.7 and 3.5.4).

use super::*;

#[test]
fn a_pull_without_block_from_an_empty_fifo_takes_x() {
    let mut bench = Bench::with(&[set(X, 19), pull(0), mov(ISR, OSR), push(0), jmp(ALWAYS, 4)]);
    bench.start();
    bench.run(10);
    assert_eq!(bench.read(RXF0), 19);
    assert_eq!(bench.read(FDEBUG), 0, "nothing stalled");
}

#[test]
fn a_pull_if_empty_waits_for_its_threshold() {
    let mut bench = Bench::with(&[out(PINS, 4), pull(IF | BLOCK)]);
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, OUT_RIGHT | pull_at(12));
    bench.write(PINCTRL, out_pins(0, 4));
    bench.exec(mov(OSR, NULL));
    bench.write(TXF0, 0x321);
    bench.start();
    bench.run(6);
    assert_eq!(bench.read(FLEVEL) & 0xf, 0, "after three times four bits");
    let mut nibbles = Vec::new();
    for _ in 0..3 {
        bench.run(1);
        nibbles.push(bench.read(0x3c));
        bench.run(1);
    }
    assert_eq!(nibbles, [1, 2, 3]);
}

#[test]
fn a_push_without_block_into_a_full_fifo_loses_the_word_and_says_so() {
    let mut bench = Bench::with(&[in_(X, 32), push(0), jmp(X_DEC, 0), mov(X, ISR), jmp(ALWAYS, 4)]);
    bench.exec(set(X, 5));
    bench.start();
    bench.run(40);
    assert_eq!(bench.read(FDEBUG), 1);
    assert_eq!((0..4).map(|_| bench.read(RXF0)).collect::<Vec<_>>(), [5, 4, 3, 2]);
    assert_eq!(bench.x(), 0, "the lost words are gone from the ISR too");
}

#[test]
fn a_blocking_push_waits_for_room() {
    let mut bench = Bench::with(&[in_(X, 32), push(BLOCK), jmp(X_DEC, 0), jmp(ALWAYS, 3)]);
    bench.exec(set(X, 5));
    bench.start();
    bench.run(100);
    assert_eq!((bench.read(ADDR), bench.read(FDEBUG)), (1, 1));
    let words: Vec<u32> = (0..6)
        .map(|_| {
            bench.run(10);
            bench.read(RXF0)
        })
        .collect();
    assert_eq!(words, [5, 4, 3, 2, 1, 0]);
}

#[test]
fn an_in_that_stalls_on_a_full_fifo_has_taken_its_bits_already() {
    let mut bench = Bench::with(&[in_(PINS, 1), jmp(ALWAYS, 0)]);
    bench.write(SHIFTCTRL, AUTOPUSH | push_at(1));
    bench.write(EXECCTRL, wrap(0, 0));
    bench.write(PINCTRL, in_pins(3));
    bench.start();
    bench.run(30);
    assert_eq!(bench.read(FDEBUG), 1);
    bench.drive(3, true);
    bench.run(30);
    let words: Vec<u32> = (0..6)
        .map(|_| {
            let word = bench.read(RXF0);
            bench.run(10);
            word
        })
        .collect();
    assert_eq!(words, [0, 0, 0, 0, 0, 1], "the fifth was sampled before the pin rose");
}

#[test]
fn autopush_clears_the_register_and_keeps_bits_beyond_the_threshold_in_the_word() {
    let mut bench = Bench::with(&[set(X, 0b101), in_(X, 3), in_(X, 3), in_(X, 3), jmp(ALWAYS, 4)]);
    bench.write(SHIFTCTRL, AUTOPUSH | push_at(5));
    bench.start();
    bench.run(10);
    assert_eq!(bench.read(FLEVEL), 1 << 4);
    assert_eq!(bench.read(RXF0), 0b101_101);
    bench.exec(push(0));
    assert_eq!(bench.read(RXF0), 0b101);
}

#[test]
fn an_out_with_an_empty_osr_takes_a_cycle_to_refill_even_if_data_waits() {
    let mut bench = Bench::with(&[out(PINS, 8)]);
    bench.write(EXECCTRL, wrap(0, 0));
    bench.write(SHIFTCTRL, AUTOPULL | pull_at(16) | OUT_RIGHT);
    bench.write(PINCTRL, out_pins(0, 8));
    bench.write(TXF0, 0x0201);
    bench.write(TXF0, 0x0403);
    bench.start();
    let seen: Vec<u32> = (0..7)
        .map(|_| {
            bench.run(1);
            bench.read(0x3c)
        })
        .collect();
    assert_eq!(seen, [0, 1, 2, 3, 4, 4, 4], "one cycle for the first refill, none for the second");
    assert_eq!(bench.read(FDEBUG), 1 << 24);
}

#[test]
fn a_word_that_comes_during_a_delay_is_pulled_at_the_next_tick_of_the_machine() {
    let mut bench = Bench::with(&[d(out(PINS, 32), 31)]);
    bench.write(EXECCTRL, wrap(0, 0));
    bench.write(SHIFTCTRL, AUTOPULL | OUT_RIGHT);
    bench.write(PINCTRL, out_pins(0, 8) | set_pins(0, 5));
    bench.exec(set(PINDIRS, 31));
    bench.write(TXF0, 1);
    bench.start();
    bench.write(CLKDIV, 4 << 16);
    bench.run_to(41);
    bench.write(TXF0, 2);
    assert_eq!(bench.read(FLEVEL), 1);
    bench.run_to(44);
    assert_eq!(bench.read(FLEVEL), 1);
    bench.run_to(45);
    assert_eq!(bench.read(FLEVEL), 0, "ticks are at 1, 5, 9, ... 45");
    bench.run_to(300);
    // Refill 1, OUT 5, and 31 ticks of delay.
    let rises: Vec<_> = bench.edges().into_iter().filter(|edge| edge.2).collect();
    assert_eq!(rises, [(5, 0, true), (5 + 32 * 4, 1, true)], "no cycle is lost");
}

#[test]
fn with_autopull_a_pull_does_nothing_while_the_osr_is_full() {
    let mut bench = Bench::with(&[pull(BLOCK), pull(BLOCK), out(X, 32), pull(BLOCK), jmp(ALWAYS, 4)]);
    bench.write(SHIFTCTRL, AUTOPULL | OUT_RIGHT | IN_RIGHT);
    bench.write(TXF0, 11);
    bench.start();
    bench.run(20);
    assert_eq!(bench.read(ADDR), 3, "the last PULL stalls, since the OUT found nothing to refill from");
    bench.write(TXF0, 12);
    bench.run(5);
    assert_eq!((bench.read(ADDR), bench.read(FLEVEL)), (4, 0));
    assert_eq!(bench.x(), 11);
}

#[test]
fn autopull_also_refills_while_the_machine_waits_for_something_else() {
    let mut bench = Bench::with(&[wait(1, 0, 8), out(X, 32), jmp(ALWAYS, 2)]);
    bench.write(SHIFTCTRL, AUTOPULL | OUT_RIGHT | IN_RIGHT);
    bench.start();
    bench.run(50);
    bench.write(TXF0, 77);
    bench.run(1);
    assert_eq!((bench.read(FLEVEL), bench.read(ADDR)), (0, 0));
    bench.drive(8, true);
    bench.run(6);
    assert_eq!(bench.read(ADDR), 2, "OUT did not have to wait");
    assert_eq!(bench.x(), 77);
}

#[test]
fn an_out_without_autopull_shifts_zeros_for_ever() {
    let mut bench = Bench::with(&[pull(BLOCK), out(X, 32), out(X, 4), jmp(ALWAYS, 3)]);
    bench.write(TXF0, u32::MAX);
    bench.start();
    bench.run(10);
    assert_eq!(bench.x(), 0);
    assert_eq!(bench.read(FDEBUG), 0);
}
