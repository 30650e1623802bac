//! The cycles of instructions (AVR Instruction Set Manual, DS40002198, "#Clocks AVRe"), and loops that are counted by hand.

use mcu::McuKind;

use crate::support::{CLI, HANG, NOP, PC, RET, SEI, chip_of, ldi, lds, out, read, rjmp, sts};

/// The cycles of the instructions behind some others.
fn cycles(kind: &'static McuKind, before: &[u16], words: &[u16], instructions: usize) -> u64 {
    let all: Vec<u16> = [before, words, &[HANG]].concat();
    let mut chip = chip_of(kind, &all);
    let mut steps = 0;
    while u64::from(chip.register(0, PC)) < 2 * before.len() as u64 {
        chip.step(0);
        steps += 1;
        assert!(steps < 1000);
    }
    let from = chip.cycles();
    crate::support::step(&mut *chip, instructions);
    chip.cycles() - from
}

#[test]
fn every_kind_of_instruction_takes_the_cycles_of_the_manual() {
    // A byte lies on the stack, Z points at RAM, R16 and R17 are 0x01 and 0x00.
    let before = [0x930f, ldi(30, 0), ldi(31, 3), ldi(28, 0), ldi(29, 3), ldi(16, 1), ldi(17, 0)];
    let table: [(&str, &[u16], u64, u64); 34] = [
        ("ADD", &[0x0f01], 1, 1),
        ("ADIW", &[0x9631], 2, 2),
        ("SBIW", &[0x9731], 2, 2),
        ("MUL", &[0x9f01], 2, 2),
        ("FMULSU", &[0x0389], 2, 2),
        ("RJMP", &[rjmp(0)], 2, 2),
        ("JMP", &[0x940c, 9], 3, 3),
        ("IJMP", &[0x9409], 2, 2),
        ("RCALL", &[0xd000], 3, 4),
        ("CALL", &[0x940e, 9], 4, 5),
        ("ICALL", &[0x9509], 3, 4),
        ("CPSE, no skip", &[0x1301], 1, 1),
        ("SBRS, one word skipped", &[0xff00, NOP], 2, 2),
        ("SBRC, no skip", &[0xfd00, NOP], 1, 1),
        ("BREQ, not taken", &[0xf009], 1, 1),
        ("BRNE, taken", &[0xf401], 2, 2),
        ("LDI", &[ldi(20, 5)], 1, 1),
        ("LD Z", &[0x8140], 2, 2),
        ("LD Z+", &[0x9141], 2, 2),
        ("LD -Z", &[0x9142], 2, 2),
        ("LDD", &[0x8141], 2, 2),
        ("LDS", &lds(20, 0x300), 2, 2),
        ("ST Z", &[0x8340], 2, 2),
        ("STS", &sts(0x300, 20), 2, 2),
        ("LPM", &[0x95c8], 3, 3),
        ("LPM Z+", &[0x9145], 3, 3),
        ("IN", &[read(20, 0x3e)], 1, 1),
        ("OUT", &[out(0x1e, 16)], 1, 1),
        ("PUSH", &[0x934f], 2, 2),
        ("POP", &[0x914f], 2, 2),
        ("SBI", &[0x9a28], 2, 2),
        ("CBI", &[0x9828], 2, 2),
        ("SBIC, one word skipped", &[0x9928, NOP], 2, 2),
        ("NOP", &[NOP], 1, 1),
    ];
    for (name, words, short, long) in table {
        assert_eq!(cycles(&avr::ATMEGA328P, &before, words, 1), short, "{name}");
        assert_eq!(
            cycles(&avr::ATMEGA2560, &before, words, 1),
            long,
            "{name} with a program counter of 22 bits"
        );
    }
}

#[test]
fn a_skip_of_two_words_takes_three_cycles() {
    let [first, second] = lds(20, 0x300);
    assert_eq!(
        cycles(&avr::ATMEGA328P, &[ldi(16, 1)], &[0xff01, first, second], 1),
        1,
        "SBRS without a skip"
    );
    assert_eq!(cycles(&avr::ATMEGA328P, &[ldi(16, 1)], &[0xfd01, first, second], 1), 3, "SBRC over LDS");
    assert_eq!(cycles(&avr::ATMEGA328P, &[ldi(16, 1)], &[0xff00, first, second], 1), 3, "SBRS over LDS");
}

#[test]
fn a_return_takes_four_cycles_and_five_with_a_long_program_counter() {
    // A call of RET, which stands behind the loop.
    let words = [0xd001, HANG, RET];
    assert_eq!(cycles(&avr::ATMEGA328P, &[], &words, 2), 3 + 4);
    assert_eq!(cycles(&avr::ATMEGA2560, &[], &words, 2), 4 + 5);
}

#[test]
fn the_delay_loops_of_avr_libc_take_what_its_manual_says() {
    // _delay_loop_1: 3 cycles an iteration (avr-libc, util/delay_basic.h): DEC, BRNE; the last branch is not taken.
    let delay_1 = [ldi(24, 100), 0x958a, 0xf7f1];
    assert_eq!(cycles(&avr::ATMEGA328P, &[], &delay_1, 1 + 2 * 100), 1 + 3 * 100 - 1);
    // _delay_loop_2: 4 cycles an iteration: SBIW, BRNE.
    let delay_2 = [ldi(24, 0xe8), ldi(25, 3), 0x9701, 0xf7f1];
    assert_eq!(cycles(&avr::ATMEGA1284P, &[], &delay_2, 2 + 2 * 1000), 2 + 4 * 1000 - 1);
}

#[test]
fn flags_of_interrupts_take_a_cycle() {
    assert_eq!(cycles(&avr::ATMEGA328P, &[], &[SEI, CLI], 2), 2);
}
