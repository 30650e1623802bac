//! Peripherals whose clock PRR, or PRR0 and PRR1, stop (datasheets, "Power Reduction Register": "the current state of the peripheral
//! is frozen and the I/O registers can not be read or written").

use mcu::{Mcu, McuKind};

use crate::support::{HANG, NOP, chip_of, ldi, lds, run, sts};

const PRR0: u16 = 0x64;
const PRR1: u16 = 0x65;

/// A bit of a PRR, with a register of what it stops that keeps whatever is written.
type Stop = (u16, u8, u16);

const ADMUX: Stop = (PRR0, 0, 0x7c);
const UBRR0L: Stop = (PRR0, 1, 0xc4);
const SPCR: Stop = (PRR0, 2, 0x4c);
const OCR1AL: Stop = (PRR0, 3, 0x88);
const OCR0A: Stop = (PRR0, 5, 0x47);
const OCR2A: Stop = (PRR0, 6, 0xb3);
const TWBR: Stop = (PRR0, 7, 0xb8);
const OF_ALL: [Stop; 7] = [ADMUX, UBRR0L, SPCR, OCR1AL, OCR0A, OCR2A, TWBR];
/// UBRR1L; OCR3AL; UBRR1L to UBRR3L, and OCR3AL to OCR5AL.
const OF_1284P: [Stop; 2] = [(PRR0, 4, 0xcc), (PRR1, 0, 0x98)];
const OF_2560: [Stop; 6] =
    [(PRR1, 0, 0xcc), (PRR1, 1, 0xd4), (PRR1, 2, 0x134), (PRR1, 3, 0x98), (PRR1, 4, 0xa8), (PRR1, 5, 0x128)];

fn all() -> Vec<(&'static McuKind, Stop)> {
    let of = |kind: &'static McuKind, stops: &[Stop]| -> Vec<(&'static McuKind, Stop)> {
        OF_ALL.iter().chain(stops).map(|stop| (kind, *stop)).collect()
    };
    [of(&avr::ATMEGA328P, &[]), of(&avr::ATMEGA1284P, &OF_1284P), of(&avr::ATMEGA2560, &OF_2560)].concat()
}

fn put(address: u16, value: u16) -> Vec<u16> {
    [&[ldi(16, value)][..], &sts(address, 16)].concat()
}

fn run_words(kind: &'static McuKind, parts: &[&[u16]], cycles: u64) -> Box<dyn Mcu> {
    let mut chip = chip_of(kind, &[&parts.concat()[..], &[HANG]].concat());
    run(&mut *chip, cycles);
    chip
}

#[test]
fn registers_of_who_is_stopped_can_be_neither_read_nor_written_and_keep_what_is_in_them() {
    for (kind, (prr, bit, register)) in all() {
        let parts = [
            &put(register, 0x05)[..],
            &put(prr, 1 << bit),
            &put(register, 0x02),
            &lds(20, register),
            &lds(21, prr),
            &put(prr, 0),
            &lds(22, register),
        ];
        let chip = run_words(kind, &parts, 100);
        let seen = [20, 21, 22].map(|number| chip.register(0, number));
        assert_eq!(seen, [0, 1 << bit, 0x05], "{} {prr:#x} {bit}", kind.facts.title);
    }
}

#[test]
fn one_bit_stops_one_peripheral() {
    for (kind, (prr, bit, register)) in all() {
        let others_of = |register| if register == prr { 0xff & !(1 << bit) } else { 0xff };
        let mut others = put(PRR0, others_of(PRR0));
        if kind.facts.title != "ATmega328P" {
            others.extend(put(PRR1, others_of(PRR1)));
        }
        let chip = run_words(kind, &[&others, &put(register, 0x05), &lds(20, register)], 100);
        assert_eq!(chip.register(0, 20), 0x05, "{} {prr:#x} {bit}", kind.facts.title);
        assert!(chip.unknown_accesses().is_empty());
    }
}

#[test]
fn reserved_bits_of_the_power_reduction_registers_read_zero() {
    let read = |kind| {
        let parts = [&put(PRR0, 0xff)[..], &put(PRR1, 0xff), &lds(20, PRR0), &lds(21, PRR1)];
        let chip = run_words(kind, &parts, 100);
        [20, 21].map(|number| chip.register(0, number))
    };
    // The ATmega328P has one register.
    assert_eq!(read(&avr::ATMEGA328P), [0xef, 0]);
    assert_eq!(read(&avr::ATMEGA1284P), [0xff, 0x01]);
    assert_eq!(read(&avr::ATMEGA2560), [0xef, 0x3f]);
}

#[test]
fn a_timer_that_is_stopped_counts_on_from_where_it_was() {
    // TCCRnB and TCNTn of timers 0 to 2, with a cycle each.
    for ((prr, bit, _), control, count) in [(OCR0A, 0x45, 0x46), (OCR1AL, 0x81, 0x84), (OCR2A, 0xb1, 0xb2)] {
        let after = |stopped: usize| {
            let parts = [
                &put(control, 1)[..],
                &put(prr, 1 << bit),
                &vec![NOP; stopped],
                &put(prr, 0),
                &lds(20, count),
            ];
            run_words(&avr::ATMEGA328P, &parts, 1000).register(0, 20)
        };
        assert_eq!(after(0), after(100), "{bit}");
        // The writes and the read are two cycles each, and one loads a register.
        assert!((1..20).contains(&after(100)), "{} {bit}", after(100));
    }
}

#[test]
fn what_is_under_way_goes_on_when_its_clock_does() {
    const CYCLES: usize = 1200;
    // A byte of SPI at F/128, a frame of the USART, a start condition, a conversion; and the flags of their ends.
    let spi = [put(0x24, 0x2c), put(0x4c, 0x53), put(0x4e, 0x55)].concat();
    let usart = [put(0xc1, 0x08), put(0xc6, 0x55)].concat();
    for ((prr, bit, _), starts, register, flag) in [
        (SPCR, spi, 0x4d, 0x80),
        (UBRR0L, usart, 0xc0, 0x40),
        (TWBR, put(0xbc, 0xa4), 0xbc, 0x80),
        (ADMUX, put(0x7a, 0xc2), 0x7a, 0x10),
    ] {
        for (kind, _) in all() {
            let parts = [
                &starts[..],
                &put(prr, 1 << bit),
                &vec![NOP; CYCLES],
                &put(prr, 0),
                &lds(20, register),
                &vec![NOP; CYCLES],
                &lds(21, register),
            ];
            let chip = run_words(kind, &parts, 3 * CYCLES as u64);
            let seen = [20, 21].map(|number| chip.register(0, number) & flag);
            assert_eq!(seen, [0, flag], "{} {bit}", kind.facts.title);
        }
    }
}

#[test]
fn a_reset_starts_every_clock() {
    let (prr, _, register) = OCR0A;
    let parts = [&put(register, 7)[..], &lds(20, register), &lds(21, prr), &put(prr, 0xef)];
    let mut chip = run_words(&avr::ATMEGA328P, &parts, 100);
    chip.set_register(0, 20, 0);
    chip.hold_button("RESET", true);
    chip.hold_button("RESET", false);
    run(&mut *chip, 100);
    assert_eq!([20, 21].map(|number| chip.register(0, number)), [7, 0]);
}

#[test]
fn who_accesses_a_peripheral_that_is_stopped_is_told_so_once() {
    let parts = [&put(PRR0, 1)[..], &put(0x7c, 3), &put(0x7c, 4), &lds(20, 0x7c)];
    let chip = run_words(&avr::ATMEGA328P, &parts, 100);
    let told = chip.unknown_accesses();
    let seen: Vec<_> = told.iter().map(|access| (access.address & 0xffff, access.write, access.pc)).collect();
    assert_eq!(seen, [(0x7c, false, 18), (0x7c, true, 8)]);
    assert!(told.iter().all(|access| access.detail.contains("PRR")));
}
