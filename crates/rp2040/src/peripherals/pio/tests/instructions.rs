//! Every instruction and condition, seen through X, the pins and the flags (RP2040 datasheet 3.4).

use super::*;

/// Runs a program of machine 0 to its end (a jump to itself at the last address), then gives X.
fn x_after(program: &[u16], setup: impl FnOnce(&mut Bench)) -> u32 {
    let mut program = program.to_vec();
    program.push(jmp(ALWAYS, program.len() as u16));
    let mut bench = Bench::with(&program);
    setup(&mut bench);
    bench.start();
    bench.run(100);
    bench.x()
}

#[test]
fn each_condition_of_jmp_is_taken_when_it_holds() {
    // (condition, X, Y, taken)
    let cases = [
        (ALWAYS, 3, 3, true),
        (NOT_X, 0, 1, true),
        (NOT_X, 1, 0, false),
        (NOT_Y, 1, 0, true),
        (NOT_Y, 0, 1, false),
        (X_NE_Y, 1, 2, true),
        (X_NE_Y, 2, 2, false),
    ];
    for (condition, x, y, taken) in cases {
        let program = [set(X, x), set(Y, y), jmp(condition, 5), set(X, 10), jmp(ALWAYS, 6), set(X, 20)];
        let expected = if taken { 20 } else { 10 };
        assert_eq!(x_after(&program, |_| ()), expected, "{condition} {x} {y}");
    }
}

#[test]
fn a_counting_jump_decrements_always_and_tests_the_value_before() {
    assert_eq!(x_after(&[set(X, 0), jmp(X_DEC, 0)], |_| ()), u32::MAX);
    assert_eq!(x_after(&[set(X, 5), set(Y, 9), jmp(X_DEC, 2)], |_| ()), u32::MAX);
    assert_eq!(x_after(&[set(Y, 3), jmp(Y_DEC, 3), set(X, 1), mov(X, Y)], |_| ()), 2);
    assert_eq!(x_after(&[set(Y, 0), jmp(Y_DEC, 0), mov(X, Y)], |_| ()), u32::MAX);
}

#[test]
fn jmp_pin_looks_at_its_own_pin() {
    for (level, expected) in [(true, 2), (false, 1)] {
        let program = [jmp(PIN, 3), set(X, 1), jmp(ALWAYS, 4), set(X, 2)];
        let x = x_after(&program, |bench| {
            bench.write(EXECCTRL, wrap(0, 31) | 9 << 24);
            bench.write(PINCTRL, in_pins(20));
            bench.drive(9, level);
            bench.run(10);
        });
        assert_eq!(x, expected);
    }
}

#[test]
fn jmp_not_osre_compares_with_the_pull_threshold() {
    let program = [pull(BLOCK), out(NULL, 7), jmp(NOT_OSRE, 5), set(X, 1), jmp(ALWAYS, 6), set(X, 2)];
    for (threshold, expected) in [(8, 2), (7, 1), (0, 2)] {
        let x = x_after(&program, |bench| {
            bench.write(SHIFTCTRL, pull_at(threshold) | OUT_RIGHT | IN_RIGHT);
            bench.write(TXF0, 0);
        });
        assert_eq!(x, expected);
    }
}

#[test]
fn wait_gpio_counts_from_0_and_wait_pin_from_in_base() {
    for (source, index) in [(0, 12), (1, 2)] {
        let mut bench =
            Bench::with(&[wait(1, source, index), set(PINS, 1), wait(0, source, index), set(PINS, 0)]);
        bench.write(PINCTRL, in_pins(10) | set_pins(0, 1));
        bench.exec(set(PINDIRS, 1));
        bench.start();
        bench.run_to(100);
        bench.drive(12, true);
        bench.run_to(200);
        bench.drive(12, false);
        bench.run_to(300);
        // Seen by the wait four cycles after the edge, and the next instruction comes one cycle later.
        assert_eq!(bench.edges(), [(100, 12, true), (105, 0, true), (200, 12, false), (205, 0, false)]);
    }
}

#[test]
fn wait_pin_wraps_after_pin_31() {
    let mut bench = Bench::with(&[wait(1, 1, 4), set(PINS, 1), jmp(ALWAYS, 2)]);
    bench.write(PINCTRL, in_pins(30) | set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench.run_to(10);
    bench.drive(2, true);
    bench.run_to(20);
    assert_eq!(bench.edges().last(), Some(&(15, 0, true)));
}

#[test]
fn wait_irq_1_clears_the_flag_and_wait_irq_0_leaves_it() {
    let mut bench = Bench::with(&[wait(1, 2, 3), set(X, 7), wait(0, 2, 5), set(X, 9), jmp(ALWAYS, 4)]);
    bench.write(IRQ_FORCE, 1 << 5);
    bench.start();
    bench.run(50);
    assert_eq!(bench.read(ADDR), 0);
    bench.write(IRQ_FORCE, 1 << 3);
    bench.run(10);
    assert_eq!((bench.read(IRQ), bench.read(ADDR)), (1 << 5, 2));
    bench.write(IRQ, 1 << 5);
    bench.run(2);
    assert_eq!((bench.read(IRQ), bench.read(ADDR)), (0, 4));
}

#[test]
fn relative_irq_flags_add_the_machine_number_modulo_4() {
    // Datasheet 3.4.9.2: machine 2 raises flag 3 with 0x11 and flag 1 with 0x13.
    for (index, flag) in [(0x11, 3), (0x13, 1), (0x16, 4), (0x07, 7), (0x0f, 7)] {
        let mut bench = Bench::with(&[irq(index), jmp(ALWAYS, 1)]);
        bench.start_many(1 << 2);
        bench.run(4);
        assert_eq!(bench.read(IRQ), 1 << flag, "{index:#x}");
    }
}

#[test]
fn irq_wait_halts_until_its_flag_is_lowered_and_delays_after_that() {
    let mut bench = Bench::with(&[d(irq(2 | WAITING), 3), set(PINS, 1), jmp(ALWAYS, 2)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.start();
    bench.run_to(40);
    assert_eq!((bench.read(IRQ), bench.read(ADDR)), (1 << 2, 0));
    bench.write(IRQ, 1 << 2);
    bench.run_to(60);
    // Seen lowered at 41, three cycles of delay, then SET.
    assert_eq!(bench.edges(), [(45, 0, true)]);
}

#[test]
fn irq_clear_ignores_its_wait_bit() {
    let mut bench = Bench::with(&[irq(6 | CLEAR | WAITING), set(X, 4), jmp(ALWAYS, 2)]);
    bench.write(IRQ_FORCE, 0xff);
    bench.start();
    bench.run(2);
    assert_eq!((bench.read(IRQ), bench.read(ADDR)), (0xbf, 2));
}

#[test]
fn two_machines_meet_in_the_same_cycle_by_an_irq_flag() {
    let mut bench =
        Bench::with(&[wait(1, 2, 4), set(PINS, 1), jmp(ALWAYS, 2), d(nop(), 20), irq(4), jmp(ALWAYS, 5)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(INSTR + 3 * MACHINE, u32::from(jmp(ALWAYS, 3)));
    bench.run(1);
    bench.start_many(0b1001);
    bench.run(60);
    // NOP at 1 and 20 idle cycles, IRQ at 22, seen at 23, SET at 24.
    assert_eq!(bench.edges(), [(24, 0, true)]);
}

#[test]
fn in_shifts_either_way_from_every_source() {
    let right = |bench: &mut Bench| bench.write(SHIFTCTRL, IN_RIGHT | OUT_RIGHT);
    let left = |bench: &mut Bench| bench.write(SHIFTCTRL, OUT_RIGHT);
    let program = [set(X, 0b10110), set(Y, 0b01), in_(X, 5), in_(Y, 2), mov(X, ISR)];
    assert_eq!(x_after(&program, right), 0b01_10110 << 25);
    assert_eq!(x_after(&program, left), 0x59);
    let program = [set(X, 31), in_(X, 32), in_(NULL, 8), mov(X, ISR)];
    assert_eq!(x_after(&program, right), 0);
    assert_eq!(x_after(&program, left), 31 << 8);
    let program = [set(X, 5), mov(ISR, X), in_(ISR, 4), mov(X, ISR)];
    assert_eq!(x_after(&program, left), 0x55);
    let program = [pull(BLOCK), in_(OSR, 16), mov(X, ISR)];
    let x = x_after(&program, |bench| {
        left(bench);
        bench.write(TXF0, 0xdead_beef);
    });
    assert_eq!(x, 0xbeef);
}

#[test]
fn in_pins_rotates_by_in_base_and_takes_the_low_bits() {
    let x = x_after(&[in_(PINS, 3), mov(X, ISR)], |bench| {
        bench.write(SHIFTCTRL, OUT_RIGHT);
        bench.write(PINCTRL, in_pins(5));
        for (pin, level) in [(4, true), (5, true), (6, false), (7, true), (8, true)] {
            bench.drive(pin, level);
        }
        bench.run(8);
    });
    assert_eq!(x, 0b101);
}

#[test]
fn mov_pins_reads_all_pins_rotated_and_two_pins_that_do_not_exist_as_low() {
    let x = x_after(&[mov(X, PINS)], |bench| {
        bench.write(PINCTRL, in_pins(28));
        for pin in [0, 27, 28, 29] {
            bench.drive(pin, true);
        }
        bench.run(8);
    });
    assert_eq!(x, 0b11 | 1 << 4 | 1 << 31);
}

#[test]
fn out_takes_bits_from_the_end_that_its_direction_says() {
    for (shiftctrl, expected) in [(OUT_RIGHT | IN_RIGHT, 0x5), (IN_RIGHT, 0xa)] {
        let x = x_after(&[pull(BLOCK), out(X, 4)], |bench| {
            bench.write(SHIFTCTRL, shiftctrl);
            bench.write(TXF0, 0xabcd_ef05);
        });
        assert_eq!(x, expected);
    }
    let x = x_after(&[pull(BLOCK), out(NULL, 12), out(Y, 8), mov(X, Y)], |bench| {
        bench.write(SHIFTCTRL, 0);
        bench.write(TXF0, 0x1234_5678);
    });
    assert_eq!(x, 0x45);
    let x = x_after(&[pull(BLOCK), out(X, 32)], |bench| bench.write(TXF0, 0x1234_5678));
    assert_eq!(x, 0x1234_5678);
}

#[test]
fn out_isr_sets_the_input_shift_count_to_its_bits() {
    let program = [pull(BLOCK), out(ISR, 12), push(IF), set(X, 1), in_(X, 4), push(IF), jmp(ALWAYS, 6)];
    let mut bench = Bench::with(&program);
    bench.write(SHIFTCTRL, push_at(16) | OUT_RIGHT);
    bench.write(TXF0, 0xabc);
    bench.start();
    bench.run(20);
    assert_eq!(bench.read(FLEVEL) & 0xff, 0x10, "the first PUSH found 12 bits, the second 16");
    assert_eq!(bench.read(RXF0), 0xabc1);
}

#[test]
fn out_pc_and_mov_pc_jump() {
    let program = [pull(BLOCK), out(PC, 5), set(X, 1), jmp(ALWAYS, 5), set(X, 2)];
    assert_eq!(x_after(&program, |bench| bench.write(TXF0, 0xffff_ffe4)), 2);
    let program = [set(Y, 4), mov(PC, Y), set(X, 1), jmp(ALWAYS, 5), set(X, 2)];
    assert_eq!(x_after(&program, |_| ()), 2);
}

#[test]
fn out_exec_runs_the_data_in_the_next_cycle_without_the_outs_delay() {
    let mut bench = Bench::with(&[d(out(OUT_EXEC, 16), 9), set(PINS, 0)]);
    bench.write(PINCTRL, set_pins(0, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.write(SHIFTCTRL, OUT_RIGHT | AUTOPULL);
    bench.write(TXF0, u32::from(d(set(PINS, 1), 4)) | u32::from(set(PINS, 1)) << 16);
    bench.start();
    bench.run(40);
    // Refill 1, OUT 2, executee 3 and four cycles of its delay, SET 8; OUT 9, executee 10, SET 11.
    assert_eq!(bench.edges(), [(3, 0, true), (8, 0, false), (10, 0, true), (11, 0, false)]);
}

#[test]
fn mov_exec_may_run_a_jump() {
    let program = [set(Y, 5), mov(EXEC, Y), set(X, 1), jmp(ALWAYS, 6), nop(), set(X, 2)];
    assert_eq!(jmp(ALWAYS, 5), 5);
    assert_eq!(x_after(&program, |_| ()), 2);
}

/// Datasheet 3.5.7.
#[test]
fn instructions_and_data_may_come_through_the_fifo() {
    let mut bench = Bench::with(&[jmp(ALWAYS, 0), out(OUT_EXEC, 32), jmp(ALWAYS, 1)]);
    bench.write(SHIFTCTRL, AUTOPULL | IN_RIGHT | OUT_RIGHT);
    bench.start();
    bench.run(10);
    bench.write(INSTR, 1);
    bench.run(4);
    for word in [u32::from(out(X, 32)), 12_345_678, u32::from(in_(X, 32)), u32::from(push(0))] {
        bench.write(TXF0, word);
        bench.run(2);
    }
    bench.run(20);
    assert_eq!(bench.read(RXF0), 12_345_678);
}

#[test]
fn mov_inverts_and_reverses() {
    assert_eq!(x_after(&[set(Y, 5), mov(X, Y | INVERTED)], |_| ()), !5);
    assert_eq!(x_after(&[set(Y, 5), mov(X, Y | REVERSED)], |_| ()), 0xa000_0000);
    assert_eq!(x_after(&[set(X, 9), mov(X, NULL)], |_| ()), 0);
    assert_eq!(x_after(&[mov(X, NULL | INVERTED)], |_| ()), u32::MAX);
}

#[test]
fn mov_pins_uses_the_mapping_of_out() {
    let mut bench = Bench::with(&[set(X, 0b101), mov(PINS, X), jmp(ALWAYS, 2)]);
    bench.write(PINCTRL, out_pins(28, 4) | set_pins(0, 5));
    bench.start();
    bench.run(5);
    assert_eq!(bench.read(0x3c), 1 << 28, "28 and 30, which does not exist");
    bench.exec(set(X, 0b1100));
    bench.exec(mov(PINS, X));
    assert_eq!(bench.read(0x3c), 0);
    bench.write(PINCTRL, out_pins(30, 4));
    bench.exec(mov(PINS, X));
    assert_eq!(bench.read(0x3c), 0b11, "the mapping wraps after pin 31");
}

#[test]
fn status_compares_the_level_of_the_chosen_fifo() {
    for (select, words, expected) in [(2, 1, u32::MAX), (2, 2, 0), (0x12, 3, u32::MAX), (0, 0, 0)] {
        let x = x_after(&[mov(X, STATUS)], |bench| {
            bench.write(EXECCTRL, wrap(0, 31) | select);
            for n in 0..words {
                bench.write(TXF0, n);
            }
        });
        assert_eq!(x, expected, "{select:#x} {words}");
    }
}

#[test]
fn set_gives_five_bits_and_clears_the_rest() {
    assert_eq!(x_after(&[mov(X, NULL | INVERTED), set(X, 31)], |_| ()), 31);
    let mut bench = Bench::new();
    bench.write(PINCTRL, set_pins(27, 3));
    bench.exec(set(PINS, 0b11111));
    bench.exec(set(PINDIRS, 0b01010));
    assert_eq!((bench.read(0x3c), bench.read(0x40)), (0b111 << 27, 0b010 << 27));
}

#[test]
fn side_set_takes_place_in_the_first_cycle_even_if_the_instruction_stalls() {
    let mut bench = Bench::with(&[d(nop(), 0), d(pull(BLOCK), 1 << 4)]);
    bench.write(PINCTRL, side_pins(4, 1) | set_pins(4, 1));
    bench.exec(d(set(PINDIRS, 1), 0));
    bench.write(EXECCTRL, wrap(0, 1));
    bench.start();
    bench.run(50);
    assert_eq!(bench.edges(), [(2, 4, true)]);
}

#[test]
fn optional_side_set_leaves_the_pin_where_its_enable_bit_is_clear() {
    let (none, low, high) = (0, 0b10 << 3, 0b11 << 3);
    let mut bench = Bench::with(&[d(nop(), high | 2), d(nop(), none | 7), d(nop(), low), d(nop(), none | 3)]);
    bench.write(PINCTRL, side_pins(4, 2) | set_pins(4, 1));
    bench.exec(set(PINDIRS, 1));
    bench.write(EXECCTRL, wrap(0, 3) | 1 << 30);
    bench.start();
    bench.run(20);
    assert_eq!(bench.edges(), [(1, 4, true), (12, 4, false), (17, 4, true)]);
}

#[test]
fn side_set_beats_set_on_the_same_pin_and_may_move_directions() {
    let mut bench = Bench::with(&[d(set(PINS, 0b11), 0b01 << 3), jmp(ALWAYS, 1)]);
    bench.write(PINCTRL, side_pins(1, 2) | set_pins(0, 2));
    bench.write(EXECCTRL, wrap(0, 31));
    bench.start();
    bench.run(1);
    assert_eq!(bench.read(0x3c), 0b011, "SET pins 0 and 1, side-set pins 1 and 2 to 1 and 0");
    bench.write(EXECCTRL, wrap(0, 31) | 1 << 29);
    bench.exec(d(set(PINS, 0), 0b10 << 3));
    assert_eq!((bench.read(0x3c), bench.read(0x40)), (0, 0b100));
}

#[test]
fn five_side_set_bits_leave_no_delay() {
    let mut bench = Bench::with(&[d(nop(), 0b10101), d(nop(), 0b01010)]);
    bench.write(PINCTRL, side_pins(0, 5) | set_pins(0, 5));
    bench.write(EXECCTRL, wrap(0, 1) | 1 << 29);
    bench.start();
    bench.run(1);
    assert_eq!(bench.read(0x40), 0b10101);
    bench.run(1);
    assert_eq!(bench.read(0x40), 0b01010);
}

#[test]
fn the_program_counter_runs_from_31_to_0() {
    let mut bench = Bench::with(&[set(X, 3), jmp(ALWAYS, 1)]);
    bench.write(EXECCTRL, wrap(5, 30));
    bench.exec(jmp(ALWAYS, 31));
    bench.write(0xc4, u32::from(nop()));
    bench.start();
    bench.run(2);
    assert_eq!(bench.read(ADDR), 1);
    bench.run(1);
    assert_eq!((bench.read(ADDR), bench.read(INSTR)), (1, u32::from(jmp(ALWAYS, 1))));
}

#[test]
fn a_taken_jump_at_the_top_does_not_wrap_and_an_untaken_one_does() {
    for (x, expected) in [(1, 7), (0, 3)] {
        let mut bench =
            Bench::with(&[set(X, x), nop(), jmp(X_DEC, 7), set(Y, 1), jmp(ALWAYS, 4), nop(), nop(), nop()]);
        bench.write(EXECCTRL, wrap(3, 2));
        bench.start();
        bench.run(3);
        assert_eq!(bench.read(ADDR), expected);
    }
}
