//! Instructions that the system writes to SMx_INSTR of a machine that is disabled: those that stall stay until they are
//! done (RP2040 datasheet 3.7, EXECCTRL.EXEC_STALLED).

use super::*;

/// The machine holds a written instruction that has not completed.
fn is_stalled(bench: &mut Bench) -> bool {
    bench.read(EXECCTRL) >> 31 == 1
}

/// Writes an instruction to the disabled machine, sees that it stalls for longer than any retry takes, lets `relief`
/// happen, and sees that it is done soon after, although the divider has not ticked.
fn completes_after(bench: &mut Bench, instruction: u16, relief: impl FnOnce(&mut Bench)) {
    bench.write(CLKDIV, 60_000 << 16);
    bench.exec(instruction);
    bench.run(100);
    assert!(is_stalled(bench), "{instruction:#06x} waits");
    relief(bench);
    bench.run(6);
    assert!(!is_stalled(bench), "{instruction:#06x} is done");
}

#[test]
fn the_counts_of_a_transfer_are_put_into_x_and_y_before_the_machine_starts() {
    // As drivers of the Pico W's radio do it: two words through the FIFO, a jump, and only then the enable.
    for clkdiv in [1 << 16, 2 << 16, 60_000 << 16] {
        let mut bench = Bench::with(&[nop(), nop(), jmp(ALWAYS, 2)]);
        bench.write(SHIFTCTRL, AUTOPULL);
        bench.write(CLKDIV, clkdiv);
        bench.write(TXF0, 0x1234_5678);
        bench.write(INSTR, u32::from(out(X, 32)));
        bench.run(2);
        bench.write(TXF0, 31);
        bench.run(2);
        bench.write(INSTR, u32::from(out(Y, 32)));
        bench.run(3);
        bench.write(INSTR, 2);
        bench.run(1);
        assert_eq!((bench.read(FLEVEL), bench.read(ADDR)), (0, 2), "both words are taken, and the jump");
        bench.start();
        bench.run(5);
        bench.write(CLKDIV, 1 << 16);
        assert_eq!((bench.scratch(Y), bench.x()), (31, 0x1234_5678));
    }
}

#[test]
fn every_kind_of_stall_of_a_disabled_machine_ends_when_its_cause_does() {
    completes_after(&mut Bench::new(), pull(BLOCK), |bench| bench.write(TXF0, 7));
    let mut autopull = Bench::new();
    autopull.write(SHIFTCTRL, AUTOPULL);
    completes_after(&mut autopull, out(X, 32), |bench| bench.write(TXF0, 7));
    completes_after(&mut Bench::new(), wait(1, 0, 9), |bench| bench.drive(9, true));
    completes_after(&mut Bench::new(), wait(1, 2, 3), |bench| bench.write(IRQ_FORCE, 1 << 3));
    completes_after(&mut Bench::new(), irq(WAITING | 2), |bench| bench.write(IRQ, 1 << 2));
    let fill = |bench: &mut Bench| (0..4).for_each(|_| bench.exec(push(0)));
    let mut full = Bench::new();
    fill(&mut full);
    completes_after(&mut full, push(BLOCK), |bench| assert_eq!(bench.read(RXF0), 0));
    let mut autopush = Bench::new();
    fill(&mut autopush);
    autopush.write(SHIFTCTRL, AUTOPUSH);
    completes_after(&mut autopush, in_(X, 32), |bench| assert_eq!(bench.read(RXF0), 0));
    assert_eq!(autopush.read(FLEVEL), 4 << 4, "the word was pushed once");
}

#[test]
fn a_stalled_instruction_of_a_disabled_machine_costs_no_work() {
    let mut bench = Bench::new();
    bench.exec(wait(1, 0, 9));
    bench.run(10);
    assert_eq!(bench.run(10_000), 0);
}

#[test]
fn another_written_instruction_takes_the_place_of_one_that_stalls() {
    let mut bench = Bench::new();
    bench.exec(pull(BLOCK));
    bench.run(10);
    bench.exec(set(X, 5));
    assert!(!is_stalled(&mut bench));
    bench.write(TXF0, 9);
    bench.run(10);
    assert_eq!(bench.read(FLEVEL), 1, "the PULL is gone");
    assert_eq!(bench.x(), 5);
}

#[test]
fn a_restart_drops_a_stalled_instruction_of_a_disabled_machine() {
    let mut bench = Bench::new();
    bench.exec(pull(BLOCK));
    bench.run(10);
    bench.write(CTRL, 1 << 4);
    bench.write(TXF0, 9);
    bench.run(10);
    assert_eq!((is_stalled(&mut bench), bench.read(FLEVEL)), (false, 1));
}

#[test]
fn a_stalled_instruction_outlives_that_its_machine_is_enabled_or_disabled() {
    let mut bench = Bench::with(&[set(X, 3), jmp(ALWAYS, 1)]);
    bench.write(CLKDIV, 10 << 16);
    bench.exec(pull(BLOCK));
    bench.run(25);
    bench.write(CTRL, 1);
    bench.run(95);
    assert_eq!((is_stalled(&mut bench), bench.read(ADDR)), (true, 0), "the program waits behind it");
    bench.write(CTRL, 0);
    bench.write(TXF0, 9);
    bench.run(2);
    assert_eq!((is_stalled(&mut bench), bench.read(ADDR)), (false, 0));
    bench.write(CTRL, 1);
    bench.run(20);
    assert_eq!(bench.read(ADDR), 1, "the program goes on");
}

#[test]
fn a_loop_that_drains_the_words_until_fstat_shows_none_leaves_an_empty_osr() {
    // The SDK's pio_sm_drain_tx_fifo writes INSTR and reads FSTAT two cycles later. pio_i2c of pico-examples calls it with a word
    // in the OSR, jumps to its entry point, and expects the program to begin with the next word that is sent.
    for words in 1..=4 {
        let mut bench = Bench::with(&[out(X, 32), jmp(ALWAYS, 1)]);
        bench.write(SHIFTCTRL, AUTOPULL);
        bench.write(CLKDIV, 39 << 16);
        bench.write(TXF0, 77);
        bench.exec(pull(BLOCK));
        (0..words).for_each(|word| bench.write(TXF0, word));
        let mut written = 0;
        while bench.read(FSTAT) >> 24 & 1 == 0 {
            assert!(written <= words, "{words} words: the loop ends");
            bench.write(INSTR, u32::from(out(NULL, 32)));
            bench.run(2);
            written += 1;
        }
        bench.write(INSTR, u32::from(jmp(ALWAYS, 0)));
        bench.start();
        bench.write(TXF0, 99);
        bench.run(100);
        assert_eq!(bench.x(), 99, "{words} words: nothing of what was drained is left");
    }
}

#[test]
fn what_a_written_instruction_took_is_shown_late_once_and_the_program_goes_on_meanwhile() {
    let mut bench = Bench::with(&[set(X, 1), jmp(ALWAYS, 0)]);
    bench.write(TXF0, 7);
    bench.write(INSTR, u32::from(pull(BLOCK)));
    bench.run(2);
    assert_eq!((bench.read(FLEVEL), bench.read(FSTAT) >> 24 & 1), (1, 0), "not yet");
    bench.run(1);
    assert_eq!((bench.read(FLEVEL), bench.read(FSTAT) >> 24 & 1), (0, 1));
}
