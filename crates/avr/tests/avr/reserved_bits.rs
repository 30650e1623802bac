//! Reserved bits, which read as zero whatever was written (datasheets, the descriptions of the registers).

use mcu::McuKind;

use crate::support::{HANG, chip_of, ldi, lds, run, sts};

/// What a register reads behind a write of all ones.
fn behind_ones(kind: &'static McuKind, address: u16) -> u32 {
    let words = [&[ldi(16, 0xff)][..], &sts(address, 16), &lds(20, address), &[HANG]].concat();
    let mut chip = chip_of(kind, &words);
    run(&mut *chip, 100);
    chip.register(0, 20)
}

/// Registers with their bits in the ATmega328P, the ATmega1284P and the ATmega2560.
const REGISTERS: [(&str, u16, [u32; 3]); 25] = [
    ("DDRC", 0x27, [0x7f, 0xff, 0xff]),
    ("PORTC", 0x28, [0x7f, 0xff, 0xff]),
    ("EEARH", 0x42, [0x03, 0x0f, 0x0f]),
    ("EIMSK", 0x3d, [0x03, 0x07, 0xff]),
    ("TCCR0A", 0x44, [0xf3, 0xf3, 0xf3]),
    ("TCCR0B", 0x45, [0x0f, 0x0f, 0x0f]),
    ("SMCR", 0x53, [0x0f, 0x0f, 0x0f]),
    ("PCICR", 0x68, [0x07, 0x0f, 0x07]),
    ("EICRA", 0x69, [0x0f, 0x3f, 0xff]),
    ("PCMSK0", 0x6b, [0xff, 0xff, 0xff]),
    ("PCMSK1", 0x6c, [0x7f, 0xff, 0xff]),
    ("PCMSK2", 0x6d, [0xff, 0xff, 0xff]),
    ("TIMSK0", 0x6e, [0x07, 0x07, 0x07]),
    ("TIMSK1", 0x6f, [0x27, 0x27, 0x2f]),
    ("TIMSK2", 0x70, [0x07, 0x07, 0x07]),
    ("ADCSRB", 0x7b, [0x47, 0x47, 0x4f]),
    ("ADMUX", 0x7c, [0xef, 0xff, 0xff]),
    ("DIDR0", 0x7e, [0x3f, 0xff, 0xff]),
    ("DIDR1", 0x7f, [0x03, 0x03, 0x03]),
    ("TCCR1A", 0x80, [0xf3, 0xf3, 0xff]),
    ("TCCR1B", 0x81, [0xdf, 0xdf, 0xdf]),
    ("TCCR1C", 0x82, [0x00, 0x00, 0x00]),
    ("TCCR2A", 0xb0, [0xf3, 0xf3, 0xf3]),
    ("TWAMR", 0xbd, [0xfe, 0xfe, 0xfe]),
    ("UBRR0H", 0xc5, [0x0f, 0x0f, 0x0f]),
];

/// Those that only the ATmega1284P has, and then the ATmega2560.
const OF_1284P: [(&str, u16, u32); 4] =
    [("TIMSK3", 0x71, 0x27), ("PCMSK3", 0x73, 0xff), ("TCCR3A", 0x90, 0xf3), ("TCCR3B", 0x91, 0xdf)];
const OF_2560: [(&str, u16, u32); 10] = [
    ("DDRG", 0x33, 0x3f),
    ("PORTG", 0x34, 0x3f),
    ("EICRB", 0x6a, 0xff),
    ("TIMSK3", 0x71, 0x2f),
    ("TIMSK4", 0x72, 0x2f),
    ("TIMSK5", 0x73, 0x2f),
    ("DIDR2", 0x7d, 0xff),
    ("TCCR3A", 0x90, 0xff),
    ("TCCR4B", 0xa1, 0xdf),
    ("TCCR5A", 0x120, 0xff),
];

#[test]
fn reserved_bits_read_zero_and_the_others_what_was_written() {
    for (place, kind) in [&avr::ATMEGA328P, &avr::ATMEGA1284P, &avr::ATMEGA2560].into_iter().enumerate() {
        for (name, address, bits) in REGISTERS {
            assert_eq!(behind_ones(kind, address), bits[place], "{name} of the {}", kind.facts.title);
        }
    }
    for (kind, registers) in [(&avr::ATMEGA1284P, &OF_1284P[..]), (&avr::ATMEGA2560, &OF_2560)] {
        for (name, address, bits) in registers {
            assert_eq!(behind_ones(kind, *address), *bits, "{name} of the {}", kind.facts.title);
        }
    }
}

#[test]
fn reserved_bits_of_mcucr_read_zero_in_each_chip() {
    // BODSE and BODS are not in the ATmega2560, nor JTD in the ATmega328P.
    for (kind, reserved) in [(&avr::ATMEGA328P, 0x8c), (&avr::ATMEGA1284P, 0x0c), (&avr::ATMEGA2560, 0x6c)] {
        assert_eq!(behind_ones(kind, 0x55) & reserved, 0, "{}", kind.facts.title);
    }
}

#[test]
fn a_register_that_another_of_the_chips_has_is_none() {
    // DIDR2, and OCR1CL and OCR1CH; 0x83 lies between TCCR1C and TCNT1L in all of them.
    for (kind, addresses) in [
        (&avr::ATMEGA328P, &[0x7d, 0x8c, 0x8d, 0x83][..]),
        (&avr::ATMEGA1284P, &[0x7d, 0x8c, 0x8d, 0x83]),
        (&avr::ATMEGA2560, &[0x83]),
    ] {
        for &address in addresses {
            let words = [&sts(address, 16)[..], &lds(20, address), &[HANG]].concat();
            let mut chip = chip_of(kind, &words);
            run(&mut *chip, 100);
            let told: Vec<_> = chip.unknown_accesses().iter().map(|access| access.address & 0xffff).collect();
            assert_eq!(told, [u32::from(address); 2], "{}", kind.facts.title);
        }
    }
}
