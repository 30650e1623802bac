//! SS of an SPI that is a controller (ATmega328P datasheet, "SS Pin Functionality", "Master Mode").

use mcu::{Mcu, McuKind, Outside, Reaction};
use units::Picoseconds;

use crate::support::{HANG, NOP, chip_of, ldi, out, read, run, with_handlers};

const DDRB: u16 = 0x04;
const PORTB: u16 = 0x05;
const SPCR: u16 = 0x2c;
const SPSR: u16 = 0x2d;
const SPDR: u16 = 0x2e;
/// SPE and MSTR, and SPE alone.
const CONTROLLER: u16 = 0x50;
const DEVICE: u16 = 0x40;
const MSTR: u32 = 0x10;
const SPIF: u32 = 0x80;

/// Each chip with the bits of SS and of another pin in port B.
const CHIPS: [(&McuKind, u8, u8); 3] =
    [(&avr::ATMEGA328P, 2, 1), (&avr::ATMEGA2560, 0, 4), (&avr::ATMEGA1284P, 4, 3)];

/// The GPIO of a bit of port B.
fn gpio(kind: &McuKind, bit: u8) -> u8 {
    (0..32).find(|gpio| (kind.facts.pin_name)(*gpio) == format!("PB{bit}")).unwrap()
}

/// Runs words with a wire from SS to the other pin.
fn wired(kind: &'static McuKind, select: u8, other: u8, words: &[u16]) -> Box<dyn Mcu> {
    let mut chip = chip_of(kind, words);
    chip.wire_pins(gpio(kind, select), gpio(kind, other));
    run(&mut *chip, 100);
    chip
}

fn look() -> [u16; 4] {
    [NOP, read(20, SPCR), read(21, SPSR), HANG]
}

#[test]
fn an_ss_that_falls_takes_the_bus_and_flags_it() {
    for (kind, select, other) in CHIPS {
        let up = [ldi(16, 1 << other), out(DDRB, 16), out(PORTB, 16), ldi(17, CONTROLLER), out(SPCR, 17)];
        let words = [&up[..], &[ldi(16, 0), read(19, SPCR), out(PORTB, 16)], &look()].concat();
        let chip = wired(kind, select, other, &words);
        assert_eq!(chip.register(0, 19) & MSTR, MSTR, "it is high first");
        assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [0, SPIF]);
    }
}

#[test]
fn an_ss_that_is_low_already_takes_the_bus_when_the_spi_is_switched_on() {
    for (kind, select, other) in CHIPS {
        let words = [&[ldi(16, 1 << other), out(DDRB, 16), ldi(17, CONTROLLER), out(SPCR, 17)][..], &look()];
        let chip = wired(kind, select, other, &words.concat());
        assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [0, SPIF]);
    }
}

#[test]
fn an_ss_that_stays_low_takes_the_bus_as_often_as_it_is_claimed() {
    // SPIF goes by reading SPSR and then SPDR; SPCR is written again behind that.
    let claim =
        [ldi(17, CONTROLLER), out(SPCR, 17), read(18, SPSR), read(18, SPDR), read(19, SPSR), out(SPCR, 17)];
    for (kind, select, other) in CHIPS {
        let words = [&[ldi(16, 1 << other), out(DDRB, 16)][..], &claim, &look()].concat();
        let chip = wired(kind, select, other, &words);
        assert_eq!(chip.register(0, 19) & SPIF, 0, "it was cleared");
        assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [0, SPIF]);
    }
}

#[test]
fn an_ss_that_begins_to_be_driven_low_takes_the_bus_though_its_level_stays() {
    let words = [&[ldi(17, CONTROLLER), out(SPCR, 17), ldi(16, 2), out(DDRB, 16)][..], &look()].concat();
    let chip = wired(&avr::ATMEGA328P, 2, 1, &words);
    assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [0, SPIF]);
}

#[test]
fn an_ss_that_is_an_output_or_that_nobody_drives_leaves_the_bus() {
    for (kind, select, other) in CHIPS {
        let output = [ldi(16, 1 << other | 1 << select), out(DDRB, 16), ldi(17, CONTROLLER), out(SPCR, 17)];
        let undriven = [ldi(16, 0), out(DDRB, 16), ldi(17, CONTROLLER), out(SPCR, 17)];
        for words in [output, undriven] {
            let chip = wired(kind, select, other, &[&words[..], &look()].concat());
            assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [MSTR, 0]);
        }
    }
}

#[test]
fn a_device_has_sck_mosi_and_ss_as_inputs_whatever_ddrb_says() {
    // "SPI Pin Overrides": MISO alone is the user's.
    for (kind, [sck, mosi, miso, select]) in [
        (&avr::ATMEGA328P, [5, 3, 4, 2]),
        (&avr::ATMEGA2560, [1, 2, 3, 0]),
        (&avr::ATMEGA1284P, [7, 5, 6, 4]),
    ] {
        let mut chip = chip_of(kind, &[ldi(16, 0xff), out(DDRB, 16), ldi(17, DEVICE), out(SPCR, 17), HANG]);
        run(&mut *chip, 100);
        let is_driven = |bit: u8| chip.driven() >> gpio(kind, bit) & 1 == 1;
        assert_eq!([sck, mosi, miso, select].map(is_driven), [false, false, true, false]);
    }
}

#[test]
fn a_bus_that_is_lost_interrupts_and_leaves_its_pins() {
    // SPIE too; SCK and MOSI are outputs. Vector 17 is SPI_STC.
    let start = [ldi(16, 0x2a), out(DDRB, 16), ldi(16, 2), out(PORTB, 16), ldi(17, 0xd0), out(SPCR, 17)];
    let fall = [0x9478, ldi(16, 0), out(PORTB, 16), NOP, NOP, HANG];
    let handler = [ldi(22, 1), HANG];
    let words = with_handlers(&[&start[..], &fall].concat(), &[(17, &handler)]);
    let chip = wired(&avr::ATMEGA328P, 2, 1, &words);
    assert_eq!(chip.register(0, 22), 1);
    assert_eq!(chip.driven() & 0xff, 2, "SCK and MOSI are inputs of a device");
}

/// What pulls SS low.
#[derive(Debug, Clone)]
struct PullsLow(bool);

impl Outside for PullsLow {
    fn pins_changed(&mut self, _: Picoseconds, _: u32, _: u32, reactions: &mut Vec<Reaction>) {
        if std::mem::take(&mut self.0) {
            reactions.push(Reaction::Pull { pin: 2, level: Some(false) });
        }
    }

    fn listens_to(&self) -> u32 {
        u32::MAX
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn an_ss_that_a_resistor_pulls_low_takes_the_bus() {
    let words =
        [&[ldi(17, CONTROLLER), out(SPCR, 17), ldi(16, 2), out(DDRB, 16), out(PORTB, 16)][..], &look()];
    let mut chip = chip_of(&avr::ATMEGA328P, &words.concat());
    chip.connect(Box::new(PullsLow(true)));
    run(&mut *chip, 100);
    assert_eq!([chip.register(0, 20) & MSTR, chip.register(0, 21) & SPIF], [0, SPIF]);
}
