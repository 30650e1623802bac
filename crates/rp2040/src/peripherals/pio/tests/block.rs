//! The block around the machines: FIFOs, flags, lines, priorities, forced instructions, clocks.

use super::*;
use crate::lines::{Dreq, Irq};

#[test]
fn registers_have_their_reset_values() {
    let mut bench = Bench::new();
    for (offset, value) in [
        (CTRL, 0),
        (FSTAT, 0x0f00_0f00),
        (FDEBUG, 0),
        (FLEVEL, 0),
        (IRQ, 0),
        (BYPASS, 0),
        (0x3c, 0),
        (0x40, 0),
        (0x44, 0x0020_0404),
        (CLKDIV, 0x0001_0000),
        (EXECCTRL, 0x0001_f000),
        (SHIFTCTRL, 0x000c_0000),
        (ADDR, 0),
        (PINCTRL, 0x1400_0000),
        (0x128, 0xf0),
        (0x12c, 0),
        (0x140, 0),
    ] {
        assert_eq!(bench.read(offset), value, "{offset:#x}");
    }
    assert_eq!(bench.io.unknown_accesses().count(), 0);
    bench.read(0x144);
    assert_eq!(bench.io.unknown_accesses().count(), 1);
}

#[test]
fn a_full_transmit_fifo_drops_the_next_word_and_an_empty_receive_fifo_underflows() {
    let mut bench = Bench::new();
    for n in 0..5 {
        bench.write(TXF0 + 4, n);
    }
    assert_eq!((bench.read(FLEVEL), bench.read(FDEBUG)), (4 << 8, 1 << 17));
    assert_eq!(bench.read(FSTAT), 0x0d02_0f00);
    bench.read(RXF0 + 8);
    assert_eq!(bench.read(FDEBUG), 1 << 17 | 1 << 10);
    bench.write(FDEBUG, 1 << 10);
    assert_eq!(bench.read(FDEBUG), 1 << 17);
}

#[test]
fn joining_gives_one_fifo_eight_words_and_the_other_none() {
    let mut bench = Bench::new();
    bench.write(TXF0, 1);
    bench.write(SHIFTCTRL, 1 << 30);
    assert_eq!(bench.read(FLEVEL), 0, "joining flushes");
    for n in 0..9 {
        bench.write(TXF0, n);
    }
    assert_eq!((bench.read(FLEVEL), bench.read(FDEBUG)), (8, 1 << 16));
    assert_eq!(bench.read(FSTAT) & 0x0101_0101, 0x0001_0101, "receive is full and empty");
    bench.write(SHIFTCTRL, 3 << 30);
    assert_eq!(bench.read(FSTAT) & 0x0101_0101, 0x0101_0101);
    bench.write(SHIFTCTRL, 1 << 31);
    bench.write(TXF0, 1);
    assert_eq!(bench.read(FSTAT) & 0x0101_0101, 0x0101_0100);
    for _ in 0..8 {
        bench.exec(push(0));
    }
    assert_eq!((bench.read(FLEVEL), bench.read(FSTAT) & 0x101), (8 << 4, 1));
}

/// On a board, a read of an empty FIFO of four words gives the oldest of the last four, "28, not 25"
/// (GitJer/Some_RPI-Pico_stuff, Two_sm_one_disabled/README.md); a joined one has eight words (RP2040 datasheet 3.5.3).
#[test]
fn an_empty_receive_fifo_shows_the_oldest_of_as_many_last_words_as_it_is_deep() {
    for (joined, passed, stale) in [(0, 6, 3), (0, 4, 1), (0, 13, 10), (1 << 31, 13, 6), (1 << 31, 8, 1)] {
        let mut bench = Bench::new();
        bench.write(SHIFTCTRL, joined);
        for n in 1..=passed {
            bench.exec(set(X, n));
            bench.exec(mov(ISR, X));
            bench.exec(push(0));
            assert_eq!(bench.read(RXF0), u32::from(n));
        }
        assert_eq!(bench.read(RXF0), stale, "after {passed} words, SHIFTCTRL {joined:#x}");
    }
}

#[test]
fn data_requests_and_interrupts_follow_the_fifos() {
    let mut bench = Bench::with(&[pull(BLOCK), mov(ISR, OSR), push(BLOCK), jmp(ALWAYS, 0)]);
    let dreq = |bench: &Bench, n: u8| bench.io.lines.dreq() >> (Dreq::PIO0_TX0.0 + n) & 1;
    let line = |bench: &Bench, n: u8| bench.io.lines.irq() >> (Irq::PIO0_0.0 + n) & 1;
    assert_eq!((dreq(&bench, 0), dreq(&bench, 4)), (1, 0));
    bench.write(0x12c, 1 << 0);
    bench.write(0x138, 1 << 4);
    assert_eq!((line(&bench, 0), line(&bench, 1)), (0, 1));
    for n in 0..4 {
        bench.write(TXF0, n);
    }
    assert_eq!((dreq(&bench, 0), line(&bench, 1)), (0, 0));
    bench.start();
    bench.run(1);
    assert_eq!((dreq(&bench, 0), line(&bench, 1), dreq(&bench, 4)), (1, 1, 0));
    bench.run(2);
    assert_eq!((dreq(&bench, 4), line(&bench, 0)), (1, 1));
    bench.read(RXF0);
    assert_eq!((dreq(&bench, 4), line(&bench, 0)), (0, 0));
}

#[test]
fn flags_0_to_3_interrupt_and_may_be_forced() {
    let mut bench = Bench::with(&[irq(3), irq(4), jmp(ALWAYS, 2)]);
    bench.write(0x138, 0xf00);
    bench.start();
    bench.run(1);
    assert_eq!((bench.read(0x128), bench.read(0x140)), (0x8f0, 0x800));
    assert_eq!(bench.io.lines.irq(), 1 << Irq::PIO0_1.0);
    bench.write(IRQ, 1 << 3);
    assert_eq!(bench.io.lines.irq(), 0);
    bench.run(1);
    assert_eq!((bench.read(IRQ), bench.io.lines.irq()), (1 << 4, 0));
    bench.write(0x130, 1 << 9);
    assert_eq!((bench.read(0x134), bench.read(0x128)), (1 << 9, 0x0f0));
    assert_eq!(bench.io.lines.irq(), 1 << Irq::PIO0_0.0);
}

#[test]
fn block_1_has_its_own_lines_and_pins() {
    let mut io = Io::default();
    io.clocks.sys_hz = 125_000_000;
    let mut pio = Pio::new(1);
    pio.write(0x130, 1, &mut io);
    pio.write(TXF0, 1, &mut io);
    assert_eq!(io.lines.irq(), 1 << Irq::PIO1_0.0);
    assert_eq!(io.lines.dreq() & 0xff00, 0x0f00);
    pio.write(INSTR, u32::from(set(PINDIRS, 1)), &mut io);
    io.now = Picoseconds::from_ns(8);
    pio.read(CTRL, &mut io);
    assert_eq!(io.pins.driven_by(Function::Pio1), (0, 1));
    assert_eq!(io.due(Source::Pio0), None);
}

/// Datasheet 3.5.6.1: a machine that watches its own output is four cycles behind it, two without the synchroniser.
#[test]
fn a_machine_sees_its_own_output_after_four_or_two_cycles() {
    for (bypass, delay) in [(0, 4), (1, 2)] {
        let mut bench = Bench::with(&[set(PINS, 1), wait(1, 0, 0), irq(0), jmp(ALWAYS, 3)]);
        bench.write(PINCTRL, set_pins(0, 1));
        bench.write(BYPASS, bypass);
        bench.exec(set(PINDIRS, 1));
        bench.start();
        // SET at 1; the WAIT ends when it sees the pin; IRQ follows.
        bench.run_to(1 + delay);
        assert_eq!(bench.read(IRQ), 0);
        bench.run_to(2 + delay);
        assert_eq!(bench.read(IRQ), 1);
    }
}

#[test]
fn a_pulse_shorter_than_a_cycle_is_not_seen() {
    let mut bench = Bench::with(&[wait(1, 0, 6), irq(0), jmp(ALWAYS, 2)]);
    bench.start();
    bench.run(10);
    bench.run_ps(2_000);
    bench.drive(6, true);
    bench.run_ps(3_000);
    bench.drive(6, false);
    bench.run(100);
    assert_eq!(bench.read(IRQ), 0);
    bench.drive(6, true);
    bench.run(1);
    bench.drive(6, false);
    bench.run(10);
    assert_eq!(bench.read(IRQ), 1);
}

#[test]
fn a_level_from_before_the_first_access_is_known() {
    let mut bench = Bench::new();
    bench.io.pins.drive_outside(bench.io.now, 4, Some(true));
    bench.io.pins.take_inputs_changed();
    bench.pio = Pio::new(0);
    bench.write(PINCTRL, in_pins(4));
    assert_eq!(bench.scratch(PINS) & 1, 1);
}

#[test]
fn the_highest_numbered_machine_wins_a_pin() {
    let mut bench = Bench::with(&[set(PINS, 0b01), jmp(ALWAYS, 1), set(PINS, 0b10), jmp(ALWAYS, 3)]);
    for machine in [0, 2] {
        bench.write(PINCTRL + machine * MACHINE, set_pins(0, 2));
    }
    bench.write(INSTR, 2);
    bench.run(1);
    bench.start_many(0b101);
    bench.run(1);
    assert_eq!(bench.read(0x3c), 0b01, "machine 2 executed SET 01, machine 0 SET 10");
    bench.write(INSTR, u32::from(set(PINS, 3)));
    bench.run(1);
    assert_eq!(bench.read(0x3c), 0b11, "later writes replace it");
}

#[test]
fn one_machine_may_set_the_direction_of_a_pin_while_another_sets_its_level() {
    let mut bench = Bench::with(&[set(PINS, 1), jmp(ALWAYS, 1), set(PINDIRS, 1), jmp(ALWAYS, 3)]);
    for machine in [0, 1] {
        bench.write(PINCTRL + machine * MACHINE, set_pins(0, 1));
    }
    bench.write(INSTR + MACHINE, 2);
    bench.run(1);
    bench.start_many(0b11);
    bench.run(1);
    assert_eq!((bench.read(0x3c), bench.read(0x40)), (1, 1));
}

#[test]
fn a_sticky_output_keeps_its_pin_against_lower_machines() {
    let mut bench = Bench::new();
    for machine in [0, 1] {
        bench.write(PINCTRL + machine * MACHINE, set_pins(0, 2) | out_pins(0, 2));
    }
    bench.write(EXECCTRL + MACHINE, wrap(0, 31) | 1 << 17);
    bench.load(&[jmp(ALWAYS, 0)]);
    bench.write(CTRL, 0b10);
    bench.write(INSTR + MACHINE, u32::from(set(PINS, 0b10)));
    bench.run(2);
    bench.exec(set(PINS, 0b01));
    assert_eq!(bench.read(0x3c), 0b10);
    // INLINE_OUT_EN with bit 5: an OUT without that bit lets go.
    bench.write(EXECCTRL + MACHINE, wrap(0, 31) | 1 << 17 | 1 << 18 | 5 << 19);
    bench.write(INSTR + MACHINE, u32::from(mov(OSR, NULL)));
    bench.run(2);
    bench.write(INSTR + MACHINE, u32::from(out(PINS, 8)));
    bench.run(2);
    bench.exec(set(PINS, 0b01));
    assert_eq!(bench.read(0x3c), 0b01);
}

#[test]
fn a_written_instruction_executes_in_the_next_cycle_whatever_divider_and_delay() {
    let mut bench = Bench::with(&[d(set(X, 1), 31), jmp(ALWAYS, 1)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(CLKDIV, 1000 << 16);
    bench.start();
    bench.run_to(5_500);
    bench.write(INSTR, u32::from(d(set(PINS, 1), 31)));
    bench.run(1);
    assert_eq!(bench.edges(), [(5_501, 0, true)]);
    bench.run_to(31_999);
    assert_eq!(bench.read(ADDR), 1);
    bench.write(0x48 + 4, u32::from(set(PINS, 0)));
    bench.run_to(33_000);
    assert_eq!(bench.edges(), [(32_001, 0, false)], "its own delay was ignored, that of SET X was kept");
}

#[test]
fn a_written_jump_leads_a_stalled_machine_away() {
    let mut bench = Bench::with(&[pull(BLOCK), jmp(ALWAYS, 0), set(X, 3), jmp(ALWAYS, 3)]);
    bench.start();
    bench.run(100);
    bench.write(INSTR, 2);
    bench.run(1);
    assert_eq!(bench.read(ADDR), 2);
    bench.run(1);
    assert_eq!(bench.read(ADDR), 3);
    assert_eq!(bench.x(), 3);
}

#[test]
fn a_written_instruction_that_stalls_is_kept_and_says_so() {
    let mut bench = Bench::with(&[nop(), nop()]);
    bench.write(EXECCTRL, wrap(0, 1));
    bench.start();
    bench.run(10);
    bench.write(INSTR, u32::from(pull(BLOCK)));
    bench.run(10);
    assert_eq!(bench.read(EXECCTRL) >> 31, 1);
    assert_eq!(bench.run(100), 0);
    bench.write(TXF0, 5);
    bench.run(2);
    assert_eq!((bench.read(EXECCTRL) >> 31, bench.read(FLEVEL)), (0, 0));
    assert!(bench.run(10) >= 10, "the program goes on");
    bench.write(INSTR, u32::from(pull(BLOCK)));
    bench.run(3);
    bench.write(INSTR, u32::from(nop()));
    bench.run(3);
    assert_eq!(bench.read(EXECCTRL) >> 31, 0, "a NOP takes its place");
}

#[test]
fn a_restart_clears_counters_delay_and_stalls_but_no_registers() {
    let mut bench = Bench::with(&[set(X, 9), d(irq(1 | WAITING), 31), jmp(ALWAYS, 0)]);
    bench.exec(set(Y, 3));
    bench.exec(in_(Y, 4));
    bench.start();
    bench.run(10);
    bench.write(CTRL, 1 << 4);
    bench.write(IRQ, 0xff);
    bench.write(CTRL, 1);
    bench.run(1);
    assert_eq!((bench.read(ADDR), bench.read(IRQ)), (1, 1 << 1), "the IRQ WAIT began anew");
    bench.exec(push(0));
    assert_eq!(bench.read(RXF0), 0, "the ISR is empty");
    assert_eq!(bench.scratch(Y), 3);
    assert_eq!(bench.x(), 9);
}

#[test]
fn dividers_that_are_restarted_together_run_in_step() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    for n in 0..4 {
        bench.write(PINCTRL + n * MACHINE, set_pins(n, 1));
        bench.write(EXECCTRL + n * MACHINE, wrap(0, 1));
        bench.write(CLKDIV + n * MACHINE, 3 << 16 | 77 << 8);
        bench.write(INSTR + n * MACHINE, u32::from(set(PINDIRS, 1)));
        bench.run(5);
    }
    bench.start_many(0xf);
    bench.run(500);
    let edges = bench.edges();
    assert!(edges.len() > 500);
    assert!(edges.chunks(4).all(|group| group.len() < 4 || group.iter().all(|edge| edge.0 == group[0].0)));
}

#[test]
fn a_divider_runs_on_while_its_machine_is_disabled() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(CLKDIV, 100 << 16);
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench.run_to(150);
    bench.write(CTRL, 0);
    bench.run_to(1_030);
    bench.write(CTRL, 1);
    bench.run_to(1_250);
    let times: Vec<i64> = bench.edges().iter().map(|edge| edge.0).collect();
    assert_eq!(times, [1, 101, 1_101, 1_201]);
}

#[test]
fn int_0_divides_by_65536() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(CLKDIV, 0);
    bench.exec(set(PINDIRS, 1));
    bench.start();
    assert!(bench.run(200_000) <= 4);
    assert_eq!(bench.edges().iter().map(|edge| edge.0).collect::<Vec<_>>(), [1, 65_537, 131_073, 196_609]);
}

#[test]
fn a_delay_of_31_divided_cycles_costs_one_wake() {
    let mut bench = Bench::with(&[d(jmp(ALWAYS, 0), 31)]);
    bench.write(CLKDIV, 5 << 16);
    bench.start();
    assert_eq!(bench.run(16_000), 100);
}

#[test]
fn another_clock_frequency_counts_from_the_change() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(CLKDIV, 10 << 16);
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench.run_to(25);
    bench.io.clocks.sys_hz = 62_500_000;
    bench.pio.clocks_changed(&mut bench.io);
    bench.run_to(100);
    // At 25 six of the cycles to the tick at 31 are left, of twice the length.
    assert_eq!(bench.edges().iter().map(|edge| edge.0).collect::<Vec<_>>(), [1, 11, 21, 37, 57, 77, 97]);
    bench.io.clocks.sys_hz = 0;
    bench.pio.clocks_changed(&mut bench.io);
    assert_eq!(bench.run(1_000_000), 0);
}

#[test]
fn a_reset_lets_go_of_pins_and_lines() {
    let mut bench = Bench::with(&[set(PINS, 1), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(0x130, 1);
    bench.start();
    bench.run(2);
    bench.pio.reset(&mut bench.io);
    assert_eq!(bench.io.pins.driven_by(Function::Pio0), (0, 0));
    assert_eq!((bench.io.lines.irq(), bench.io.lines.dreq() & 0xff), (0, 0));
    assert_eq!(bench.io.due(Source::Pio0), None);
    assert_eq!((bench.read(CTRL), bench.io.lines.dreq() & 0xff), (0, 0x0f));
}
