//! When a handler is entered, in what order, and what it takes (ATmega328P datasheet, "Interrupt Response Time").

use mcu::Stop;
use units::Picoseconds;

use crate::support::{
    CLI, HANG, NOP, PC, RETI, SEI, SLEEP, SP, SREG, chip, chip_of, ldi, out, run, step, sts, with_handlers,
};

/// The vector of timer 0's overflow in the ATmega328P and the ATmega2560, and of INT0 in all.
const OVERFLOW_328P: usize = 16;
const OVERFLOW_2560: usize = 23;
const INT0: usize = 1;
/// Addresses in I/O and in the data space.
const TIFR0: u16 = 0x15;
const TCCR0B: u16 = 0x25;
const TCNT0: u16 = 0x26;
const TIMSK0: u16 = 0x6e;
const EIMSK: u16 = 0x1d;
const EIFR: u16 = 0x1c;
const SMCR: u16 = 0x33;
const SREG_IO: u16 = 0x3f;

/// Timer 0 overflows long before interrupts are enabled.
fn pending() -> Vec<u16> {
    let mut words = vec![ldi(16, 1)];
    words.extend(sts(TIMSK0, 16));
    words.extend([ldi(17, 0xff), out(TCNT0, 17), out(TCCR0B, 16), NOP, NOP, NOP, NOP]);
    words
}

fn run_to(chip: &mut dyn mcu::Mcu, address: u32) {
    let mut steps = 0;
    while chip.register(0, PC) != address {
        chip.step(0);
        steps += 1;
        assert!(steps < 1000, "it never came to {address:#x}");
    }
}

#[test]
fn an_entry_takes_four_cycles_and_five_with_a_long_program_counter() {
    for (kind, vector, cycles, bytes) in
        [(&avr::ATMEGA328P, OVERFLOW_328P, 4, 2), (&avr::ATMEGA2560, OVERFLOW_2560, 5, 3)]
    {
        let mut main = pending();
        main.extend([SEI, NOP, NOP, HANG]);
        let words = with_handlers(&main, &[(vector, &[NOP, RETI])]);
        let mut chip = chip_of(kind, &words);
        let sei = 2 * (2 * 57 + pending().len() as u32);
        run_to(&mut *chip, sei);
        let (before, sp) = (chip.cycles(), chip.register(0, SP));
        // SEI, the instruction behind it, and the entry with the jump at the vector.
        step(&mut *chip, 2);
        assert_eq!(chip.register(0, PC), sei + 4);
        step(&mut *chip, 1);
        assert_eq!(chip.cycles() - before, 1 + 1 + cycles + 3, "{}", kind.facts.title);
        assert_eq!((sp - chip.register(0, SP), chip.register(0, SREG) & 0x80), (bytes, 0));
        // NOP and RETI, which go back to the instruction that was to come.
        step(&mut *chip, 2);
        assert_eq!((chip.register(0, PC), chip.register(0, SP)), (sei + 4, sp));
        assert_eq!(chip.register(0, SREG) & 0x80, 0x80);
        assert_eq!(chip.interrupts()[vector - 1].1, 1);
    }
}

#[test]
fn one_instruction_runs_between_two_handlers() {
    // A level at INT0, which the port drives itself, interrupts for ever.
    let main = [ldi(16, 1), out(EIMSK, 16), out(0x0a, 16), SEI, 0x95a3, 0x95a3, 0x95a3, HANG];
    // INC R26 stands between.
    let words = with_handlers(&main, &[(INT0, &[RETI])]);
    let mut chip = chip(&words);
    run_to(&mut *chip, 2 * (2 * 57 + 4));
    for turn in 1..=3 {
        // INC, then JMP and RETI of the handler.
        step(&mut *chip, 3);
        assert_eq!((chip.register(0, 26), chip.interrupts()[0].1), (turn, u64::from(turn)));
    }
}

#[test]
fn a_write_of_sreg_lets_one_instruction_pass_too() {
    // What compilers count on where they write SPH, SREG and SPL.
    let mut main = pending();
    main.extend([ldi(18, 0x80), out(SREG_IO, 18), NOP, NOP, HANG]);
    let mut chip = chip(&with_handlers(&main, &[(OVERFLOW_328P, &[HANG])]));
    let at = 2 * (2 * 57 + pending().len() as u32 + 1);
    run_to(&mut *chip, at);
    step(&mut *chip, 2);
    assert_eq!(chip.register(0, PC), at + 4);
    step(&mut *chip, 1);
    assert_ne!(chip.register(0, PC), at + 6);
}

#[test]
fn the_lower_vector_comes_first_and_clears_its_flag() {
    // Both are pending: INT0 by an edge that the program makes on its own pin, and the timer's overflow.
    let mut main = vec![ldi(16, 3)];
    main.extend(sts(0x69, 16));
    main.extend([ldi(16, 4), out(0x0a, 16), out(0x0b, 16), ldi(16, 1), out(EIMSK, 16)]);
    main.extend(pending());
    main.extend([SEI, NOP, HANG]);
    // Each writes down who came.
    let first = [ldi(20, 1), 0x2f64, RETI];
    let second = [ldi(21, 2), 0x2f75, RETI];
    let mut chip = chip(&with_handlers(&main, &[(INT0, &first), (OVERFLOW_328P, &second)]));
    run(&mut *chip, 200);
    let taken = chip.interrupts();
    assert_eq!((taken[0].1, taken[15].1), (1, 1));
    assert_eq!(chip.read_memory(0x80_0020 + u32::from(EIFR), 1).unwrap(), [0]);
    assert_eq!(chip.read_memory(0x80_0020 + u32::from(TIFR0), 1).unwrap()[0] & 1, 0);
}

#[test]
fn a_wake_up_takes_four_cycles_more() {
    // Idle, until timer 0 overflows 256 cycles after its clock began.
    let mut main = vec![ldi(16, 1)];
    main.extend(sts(TIMSK0, 16));
    main.extend([out(SMCR, 16), out(TCCR0B, 16), SEI, SLEEP, HANG]);
    let mut chip = chip(&with_handlers(&main, &[(OVERFLOW_328P, &[HANG])]));
    let clocked = 2 * (2 * 57 + main.len() as u32 - 3);
    run_to(&mut *chip, clocked);
    run(&mut *chip, 1000);
    let counts = chip.counts();
    // SEI and SLEEP, asleep to the overflow, then 4 + 4 cycles and the jump at the vector.
    assert_eq!(counts.idle_cycles, [256 - 2]);
    assert_eq!(counts.exceptions, [1]);
    let asleep = counts.states.iter().find(|one| one.state == "asleep").unwrap();
    assert_eq!((asleep.cycles, asleep.core_cycles, asleep.time), (254, 0, Picoseconds::new(254 * 62_500)));
    assert_eq!(counts.states.iter().map(|one| one.cycles).sum::<u64>(), counts.cycles);
    let handler = 2 * (2 * 57 + main.len() as u32);
    assert_eq!(chip.register(0, PC), handler);
}

#[test]
fn a_sleep_with_interrupts_disabled_is_the_end() {
    let main = [ldi(16, 1), out(SMCR, 16), CLI, SLEEP, HANG];
    let mut chip = chip(&main);
    assert_eq!(run(&mut *chip, 100_000), Stop::Asleep);
}

#[test]
fn handlers_that_never_return_leave_nothing_behind() {
    // Each overflow of timer 0 begins the program anew with a new stack, as a kernel may do.
    let mut main = vec![ldi(18, 0xff), ldi(19, 8), out(0x3d, 18), out(0x3e, 19)];
    main.extend(pending());
    main.extend([SEI, HANG]);
    let words = with_handlers(&main, &[(OVERFLOW_328P, &[0x940c, 2 * 57])]);
    let mut chip = chip(&words);
    run(&mut *chip, 100_000);
    let (bytes, before) = (chip.state().len(), chip.counts().exceptions[0]);
    run(&mut *chip, 1_000_000);
    let entered = chip.counts().exceptions[0] - before;
    assert!(entered > 3_000, "{entered}");
    assert!(chip.state().len() < bytes + 100, "{bytes} and {} bytes of state", chip.state().len());
}
