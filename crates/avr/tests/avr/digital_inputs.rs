//! Pins whose digital input is switched off (datasheets, "DIDR0", "DIDR1", "DIDR2": "the corresponding PIN Register bit will always
//! read as zero when this bit is set").

use mcu::McuKind;

use crate::support::{HANG, chip_of, ldi, lds, run, sts};

const DIDR2: u16 = 0x7d;
const DIDR0: u16 = 0x7e;
const DIDR1: u16 = 0x7f;

/// Reads a port of which all is high, with a DIDR of a value, and then without.
fn read_with(kind: &'static McuKind, register: u16, value: u16, pin: u16) -> [u32; 2] {
    let high = [&[ldi(16, 0xff)][..], &sts(pin + 1, 16), &sts(pin + 2, 16)].concat();
    let off = [&[ldi(17, value)][..], &sts(register, 17), &lds(20, pin)].concat();
    let on = [&[ldi(17, 0)][..], &sts(register, 17), &lds(21, pin), &[HANG]].concat();
    let mut chip = chip_of(kind, &[high, off, on].concat());
    run(&mut *chip, 100);
    [20, 21].map(|number| chip.register(0, number))
}

#[test]
fn an_input_that_is_switched_off_reads_zero() {
    const PINA: u16 = 0x20;
    const PINB: u16 = 0x23;
    const PINC: u16 = 0x26;
    const PIND: u16 = 0x29;
    const PINE: u16 = 0x2c;
    const PINF: u16 = 0x2f;
    const PINK: u16 = 0x106;
    for (kind, register, value, pin, read) in [
        (&avr::ATMEGA328P, DIDR0, 0x09, PINC, 0xf6),
        (&avr::ATMEGA328P, DIDR0, 0xc0, PINC, 0xff),
        (&avr::ATMEGA328P, DIDR1, 0x01, PIND, 0xbf),
        (&avr::ATMEGA328P, DIDR1, 0x02, PIND, 0x7f),
        (&avr::ATMEGA2560, DIDR0, 0x81, PINF, 0x7e),
        (&avr::ATMEGA2560, DIDR1, 0x01, PINE, 0xfb),
        (&avr::ATMEGA2560, DIDR1, 0x02, PINE, 0xf7),
        (&avr::ATMEGA2560, DIDR2, 0x81, PINK, 0x7e),
        (&avr::ATMEGA1284P, DIDR0, 0x81, PINA, 0x7e),
        (&avr::ATMEGA1284P, DIDR1, 0x01, PINB, 0xfb),
        (&avr::ATMEGA1284P, DIDR1, 0x02, PINB, 0xf7),
    ] {
        let [with, without] = read_with(kind, register, value, pin);
        assert_eq!(with, without & read, "{register:#x} {value:#x} {pin:#x}");
        assert_eq!(without & !read & 0xff, !read & 0xff, "{register:#x} {value:#x} {pin:#x}");
    }
}
