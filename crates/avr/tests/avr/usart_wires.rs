//! USARTs at wires between pins of one chip: another USART and software at the other end hear bits, and are heard. Expectations are
//! frames as RS-232 has them.

use mcu::Mcu;

use crate::support::{DATA, HANG, chip, chip_of, ldi, lds, read, run, sts};

/// Addresses in the data space.
const PINB: u16 = 0x23;
const DDRB: u16 = 0x24;
const PORTB: u16 = 0x25;
const UCSR0A: u16 = 0xc0;
const UCSR1A: u16 = 0xc8;
const KEPT: u16 = 0x200;
/// UCSRnB: the receiver, the transmitter, and the interrupt of an empty buffer.
const RXEN: u16 = 1 << 4;
const TXEN: u16 = 1 << 3;
const UDRIE: u16 = 1 << 5;
/// UCSRnC: eight bits, with even and with odd parity.
const PLAIN: u16 = 0x06;
const EVEN: u16 = 0x26;
const ODD: u16 = 0x36;
/// UCSRnA.
const RXC: u8 = 1 << 7;
const FRAME_ERROR: u8 = 1 << 4;
const PARITY_ERROR: u8 = 1 << 2;
/// A bit is 96 cycles.
const DIVISOR: u16 = 5;

/// GPIOs of PB0, RXD and TXD of the ATmega328P, and those of TXD0 and RXD1 of the ATmega1284P.
const PB0: u8 = 0;
const RXD: u8 = 16;
const TXD: u8 = 17;
const TXD0: u8 = 25;
const RXD1: u8 = 26;

fn writes(values: &[(u16, u16)]) -> Vec<u16> {
    values.iter().flat_map(|&(address, value)| [&[ldi(16, value)][..], &sts(address, 16)].concat()).collect()
}

/// A USART, whose registers begin at UCSRnA.
fn set_up(registers: u16, control: u16, format: u16) -> Vec<u16> {
    writes(&[(registers + 4, DIVISOR), (registers + 1, control), (registers + 2, format)])
}

/// Three cycles for each round.
fn wait(rounds: u16) -> Vec<u16> {
    // DEC R20; BRNE to it.
    vec![ldi(20, rounds), 0x954a, 0xf7f1]
}

fn long_wait() -> Vec<u16> {
    wait(255).repeat(8)
}

/// Keeps UCSRnA and UDRn.
fn keep(registers: u16, number: u16) -> Vec<u16> {
    let status = [lds(18, registers), sts(KEPT + 2 * number, 18)].concat();
    [status, [lds(19, registers + 6), sts(KEPT + 2 * number + 1, 19)].concat()].concat()
}

/// RXC with the errors, and the byte.
fn kept(chip: &dyn Mcu, number: u32) -> (u8, u8) {
    let bytes = chip.read_memory(DATA + u32::from(KEPT) + 2 * number, 2).unwrap();
    (bytes[0] & (RXC | FRAME_ERROR | PARITY_ERROR), bytes[1])
}

fn wired(mut chip: Box<dyn Mcu>, wires: &[(u8, u8)]) -> Box<dyn Mcu> {
    chip.record_pins(u32::MAX);
    wires.iter().for_each(|&(pin, other)| chip.wire_pins(pin, other));
    run(&mut *chip, 30_000);
    chip
}

#[test]
fn a_usart_hears_itself_through_a_wire() {
    let start =
        [set_up(UCSR0A, RXEN | TXEN, PLAIN), writes(&[(UCSR0A + 6, 0xa6), (UCSR0A + 6, 0x3c)])].concat();
    let words = [start, long_wait(), keep(UCSR0A, 0), keep(UCSR0A, 1), vec![HANG]].concat();
    let chip = wired(chip(&words), &[(TXD, RXD)]);
    assert_eq!([kept(&*chip, 0), kept(&*chip, 1)], [(RXC, 0xa6), (RXC, 0x3c)]);
}

#[test]
fn what_is_sent_with_another_parity_has_errors() {
    for (sent, received, byte, expected) in [
        (EVEN, EVEN, 7, (RXC, 7)),
        (EVEN, ODD, 7, (RXC | PARITY_ERROR, 7)),
        // Where the stop bit should be the parity bit is, which is low.
        (EVEN, PLAIN, 3, (RXC | FRAME_ERROR, 3)),
    ] {
        let start = [set_up(UCSR0A, TXEN, sent), set_up(UCSR1A, RXEN, received)].concat();
        let words = [start, writes(&[(UCSR0A + 6, byte)]), long_wait(), keep(UCSR1A, 0), vec![HANG]].concat();
        let chip = chip_of(&avr::ATMEGA1284P, &words);
        let chip = wired(chip, &[(TXD0, RXD1)]);
        assert_eq!(kept(&*chip, 0), expected);
    }
}

#[test]
fn a_usart_hears_the_bits_that_software_makes() {
    let mut words = [writes(&[(PORTB, 1), (DDRB, 1)]), set_up(UCSR0A, RXEN, PLAIN)].concat();
    for level in [0, 0, 1, 1, 0, 0, 1, 0, 1, 1] {
        // 96 cycles, with LDI and STS.
        words.extend([writes(&[(PORTB, level)]), wait(31)].concat());
    }
    words.extend([long_wait(), keep(UCSR0A, 0), vec![HANG]].concat());
    let chip = wired(chip(&words), &[(PB0, RXD)]);
    assert_eq!(kept(&*chip, 0), (RXC, 0xa6));
}

#[test]
fn software_sees_the_bits_that_a_usart_makes_whatever_is_written_to_its_control_register() {
    let mut words = [set_up(UCSR0A, TXEN, PLAIN), writes(&[(UCSR0A + 6, 0xa6)])].concat();
    // The middle of the start bit, and then of each bit, half of which passes before a write to UCSR0B.
    words.extend(wait(11));
    for bit in 0..10 {
        words.extend([vec![read(18, PINB - 0x20)], sts(KEPT + bit, 18).to_vec()].concat());
        words.extend(
            [writes(&[(UCSR0A + 1, if bit % 2 == 0 { TXEN | UDRIE } else { TXEN })]), wait(29)].concat(),
        );
    }
    words.push(HANG);
    let mut chip = wired(chip(&words), &[(TXD, PB0)]);
    let seen = chip.read_memory(DATA + u32::from(KEPT), 10).unwrap();
    let levels: Vec<u8> = seen.iter().map(|port| port & 1).collect();
    assert_eq!(levels, [0, 0, 1, 1, 0, 0, 1, 0, 1, 1]);
    let edges = chip.take_edges();
    let of = |pin: u8| edges.iter().filter(move |edge| edge.pin == pin).map(|edge| (edge.at, edge.level));
    assert_eq!(
        of(TXD).map(|(_, level)| level).collect::<Vec<_>>(),
        [true, false, true, false, true, false, true]
    );
    assert!(of(TXD).eq(of(PB0)), "both ends move at once");
}

#[test]
fn a_state_that_was_kept_in_a_frame_goes_on_in_it() {
    let start = [set_up(UCSR0A, RXEN | TXEN, PLAIN), writes(&[(UCSR0A + 6, 0x5a)])].concat();
    let words = [start, long_wait(), keep(UCSR0A, 0), vec![HANG]].concat();
    let mut chip = chip(&words);
    chip.wire_pins(TXD, RXD);
    run(&mut *chip, 500);
    let state = chip.state();
    let mut other = crate::support::chip(&words);
    other.wire_pins(TXD, RXD);
    let (state, _) = other.read_state(&state).expect("it fits");
    other.take_state(state);
    run(&mut *other, 30_000);
    assert_eq!(kept(&*other, 0), (RXC, 0x5a));
}

#[test]
fn a_transmitter_that_is_switched_off_finishes_what_it_was_given() {
    // "USART0", "Disabling the Transmitter": it "will not become effective until ongoing and pending transmissions are completed".
    let start =
        [set_up(UCSR0A, RXEN | TXEN, PLAIN), writes(&[(UCSR0A + 6, 0xa6), (UCSR0A + 6, 0x3c)])].concat();
    let words =
        [start, writes(&[(UCSR0A + 1, RXEN)]), long_wait(), keep(UCSR0A, 0), keep(UCSR0A, 1), vec![HANG]];
    let chip = wired(chip(&words.concat()), &[(TXD, RXD)]);
    assert_eq!([kept(&*chip, 0), kept(&*chip, 1)], [(RXC, 0xa6), (RXC, 0x3c)]);
    assert_eq!(chip.driven() >> TXD & 1, 0, "and then it lets TXD go");
}
