//! UARTs at wires between pins of one chip: what one end sends bit by bit, the other end hears bit by bit, be it another UART,
//! software or a PIO program. Expectations are frames as RS-232 has them, sampled by hand.

use rp2040::chip::Rp2040;

use crate::asm::{Asm, If};
use crate::bench::*;

const UARTS: [u32; 2] = [0x4003_4000, 0x4003_8000];
const CLK_PERI: u32 = 0x4000_8048;
const IO_BANK0: u32 = 0x4001_4000;
const SIO: u32 = 0xd000_0000;
const PIO: u32 = 0x5020_0000;
const UART: u32 = 2;
const SOFTWARE: u32 = 5;
const OF_PIO: u32 = 6;
/// UARTLCR_H: eight bits with FIFOs, and with parity too.
const PLAIN: u32 = 0x70;
const EVEN: u32 = 0x76;
const ODD: u32 = 0x72;
const BREAK: u32 = 1;
/// UARTDR.
const FRAMING: u32 = 1 << 8;
const PARITY: u32 = 1 << 9;
const BREAK_ERROR: u32 = 1 << 10;
/// GPIO 0 is UART0's TX and GPIO 5 UART1's RX.
const TX: u8 = 0;
const RX: u8 = 5;
/// Dividers: a bit is 96 cycles, and three times as many.
const FAST: u32 = 6;
const SLOW: u32 = 18;
/// Where software and PIO programs are.
const OTHER: u8 = 2;

/// The chip as it starts, with all blocks out of reset and these functions at pins.
fn begin(functions: &[(u8, u32)]) -> Asm {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(CLK_PERI, 1 << 11);
    for &(pin, function) in functions {
        asm.poke(IO_BANK0 + 8 * u32::from(pin) + 4, function);
    }
    asm.b("rest").pool().label("rest");
    asm
}

fn set_up(asm: &mut Asm, uart: usize, divider: u32, line_control: u32) {
    asm.poke(UARTS[uart] + 0x24, divider).poke(UARTS[uart] + 0x28, 0).poke(UARTS[uart] + 0x2c, line_control);
    asm.poke(UARTS[uart] + 0x30, 0x301);
}

fn wired(mut asm: Asm, wires: &[(u8, u8)]) -> Rp2040 {
    asm.label("end").b("end").pool();
    let mut chip = chip_with(asm);
    chip.record_pins(u32::MAX);
    wires.iter().for_each(|&(pin, other)| chip.wire_pins(pin, other));
    run(&mut chip, 20_000);
    chip
}

/// The words that a UART has received, with their errors.
fn received(chip: &Rp2040, count: u32) -> Vec<u32> {
    (0..count).map(|n| word(chip, kept(n))).collect()
}

/// Keeps what a UART receives, word after word.
fn receive(asm: &mut Asm, uart: usize, count: u32) {
    for n in 0..count {
        // TST with RXFE.
        let label = ["one", "two", "three"][n as usize];
        asm.constant(4, UARTS[uart]).movs(1, 0x10);
        asm.label(label).ldr(0, 4, 0x18).op(0x4208).b_if(If::NotEqual, label).ldr(0, 4, 0);
        asm.keep_register(0, kept(n));
    }
}

/// From UART0 to UART1, each with its divider and its line control.
fn between_uarts(sent: (u32, u32, &[u8]), received_as: (u32, u32), count: u32) -> Vec<u32> {
    let mut asm = begin(&[(TX, UART), (RX, UART)]);
    let (divider, line_control, bytes) = sent;
    set_up(&mut asm, 0, divider, line_control);
    set_up(&mut asm, 1, received_as.0, received_as.1);
    bytes.iter().for_each(|&byte| _ = asm.poke(UARTS[0], u32::from(byte)));
    receive(&mut asm, 1, count);
    let chip = wired(asm, &[(TX, RX)]);
    let left = word(&chip, UARTS[1] + 0x18);
    assert_eq!(left & 0x10, 0x10, "nothing came besides");
    received(&chip, count)
}

#[test]
fn a_uart_hears_another_one_of_its_chip() {
    assert_eq!(between_uarts((FAST, PLAIN, &[0x55, 0, 0xff]), (FAST, PLAIN), 3), [0x55, 0, 0xff]);
    assert_eq!(between_uarts((FAST, EVEN, &[7, 3]), (FAST, EVEN), 2), [7, 3]);
}

#[test]
fn what_is_sent_with_another_parity_or_rate_has_errors() {
    assert_eq!(between_uarts((FAST, EVEN, &[7]), (FAST, ODD), 1), [PARITY | 7]);
    // Where the stop bit should be the parity bit is, which is low.
    assert_eq!(between_uarts((FAST, EVEN, &[3]), (FAST, PLAIN), 1), [FRAMING | 3]);
    // Nine low bits are three of a third of the rate: the start bit and two of data.
    assert_eq!(between_uarts((FAST, PLAIN, &[0]), (SLOW, PLAIN), 1), [0xfc]);
    // Each low bit is three: start and two of data, of which three are high, and then three. The third is the stop bit.
    assert_eq!(between_uarts((SLOW, PLAIN, &[0b1111_1011]), (FAST, PLAIN), 1), [FRAMING | 0b1111_1100]);
}

#[test]
fn a_break_is_one_empty_character_with_its_mark() {
    let mut asm = begin(&[(TX, UART), (RX, UART)]);
    set_up(&mut asm, 0, FAST, PLAIN);
    set_up(&mut asm, 1, FAST, PLAIN);
    asm.poke(UARTS[0] + 0x2c, PLAIN | BREAK).wait(250, "break").wait(250, "on").wait(250, "and on");
    asm.poke(UARTS[0] + 0x2c, PLAIN).wait(100, "over").poke(UARTS[0], 0x41);
    receive(&mut asm, 1, 2);
    assert_eq!(received(&wired(asm, &[(TX, RX)]), 2), [BREAK_ERROR | FRAMING, 0x41]);
}

#[test]
fn a_uart_hears_the_bits_that_software_makes() {
    let mut asm = begin(&[(OTHER, SOFTWARE), (RX, UART)]);
    asm.constant(4, SIO).movs(1, 1 << OTHER).str(1, 4, 0x14).str(1, 4, 0x24);
    set_up(&mut asm, 1, FAST, PLAIN);
    asm.constant(4, SIO);
    let labels = ["start", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "stop"];
    for (label, level) in labels.into_iter().zip([0, 0, 1, 1, 0, 0, 1, 0, 1, 1]) {
        // 95 cycles, which is a bit but for a hundredth.
        asm.str(1, 4, if level == 1 { 0x14 } else { 0x18 }).wait(31, label).nop();
    }
    receive(&mut asm, 1, 1);
    assert_eq!(received(&wired(asm, &[(OTHER, RX)]), 1), [0xa6]);
}

#[test]
fn software_and_what_records_see_the_bits_that_a_uart_makes() {
    let mut asm = begin(&[(OTHER, SOFTWARE), (TX, UART)]);
    set_up(&mut asm, 0, FAST, PLAIN);
    asm.poke(UARTS[0], 0xa6).constant(4, SIO).movs(1, 1 << OTHER).movs(5, 0);
    // TST R0, R1; then one and a half bits.
    asm.label("start").ldr(0, 4, 4).op(0x4208).b_if(If::NotEqual, "start").wait(47, "middle");
    for label in ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"] {
        // LSLS R0, R0, #29; LSRS R0, R0, #31; LSLS R0, R0, #7; LSRS R5, R5, #1; ORRS R5, R0.
        asm.ldr(0, 4, 4).op(0x0740).op(0x0fc0).op(0x01c0).op(0x086d).op(0x4305).wait(30, label);
    }
    asm.keep_register(5, kept(0));
    let mut chip = wired(asm, &[(TX, OTHER)]);
    assert_eq!(received(&chip, 1), [0xa6]);
    let edges = chip.take_edges();
    let of = |pin: u8| edges.iter().filter(move |edge| edge.pin == pin).map(|edge| (edge.at, edge.level));
    let levels: Vec<bool> = of(TX).map(|(_, level)| level).collect();
    // Low: start and d0, d3 and d4, d6; high: d1 and d2, d5, d7 and what follows.
    assert_eq!(levels[levels.len() - 6..], [false, true, false, true, false, true]);
    assert_eq!(
        of(TX).collect::<Vec<_>>()[levels.len() - 6..],
        of(OTHER).collect::<Vec<_>>()[levels.len() - 6..]
    );
}

/// A machine at `OTHER` with a cycle of twelve, of which a bit has eight.
fn machine(asm: &mut Asm, program: &[u32], settings: [u32; 3]) {
    for (n, &instruction) in (0..).zip(program) {
        asm.poke(PIO + 0x48 + 4 * n, instruction);
    }
    let [wrap, shifts, pins] = settings;
    asm.poke(PIO + 0xc8, 12 << 16)
        .poke(PIO + 0xcc, wrap << 12)
        .poke(PIO + 0xd0, shifts)
        .poke(PIO + 0xdc, pins);
}

#[test]
fn a_uart_hears_a_pio_program() {
    let mut asm = begin(&[(OTHER, OF_PIO), (RX, UART)]);
    set_up(&mut asm, 1, FAST, PLAIN);
    // pull; set pins, 0 [6]; set x, 7; out pins, 1 [6]; jmp x--, 3; set pins, 1 [7].
    let program = [0x80a0, 0xe600, 0xe027, 0x6601, 0x0043, 0xe701];
    let other = u32::from(OTHER);
    machine(&mut asm, &program, [5, 1 << 19, 1 << 26 | 1 << 20 | other << 5 | other]);
    // set pins, 1; set pindirs, 1.
    asm.poke(PIO + 0xd8, 0xe001).poke(PIO + 0xd8, 0xe081).b("on").pool().label("on");
    asm.poke(PIO, 1).poke(PIO + 0x10, 0xa6).poke(PIO + 0x10, 0x3c);
    receive(&mut asm, 1, 2);
    assert_eq!(received(&wired(asm, &[(OTHER, RX)]), 2), [0xa6, 0x3c]);
}

#[test]
fn a_pio_program_hears_a_uart() {
    let mut asm = begin(&[(OTHER, OF_PIO), (TX, UART)]);
    set_up(&mut asm, 0, FAST, PLAIN);
    // wait 0 pin 0; set x, 7 [10]; in pins, 1; jmp x--, 2 [6]; wait 1 pin 0.
    let program = [0x2020, 0xea27, 0x4001, 0x0642, 0x20a0];
    machine(&mut asm, &program, [4, 8 << 20 | 1 << 18 | 1 << 16, u32::from(OTHER) << 15]);
    asm.poke(PIO, 1).poke(UARTS[0], 0xa6).poke(UARTS[0], 0x3c).b("on").pool().label("on");
    for n in 0..2 {
        // TST R0, R1 with RXEMPTY of the machine.
        let label = ["first", "second"][n as usize];
        asm.constant(4, PIO).constant(1, 1 << 8);
        asm.label(label).ldr(0, 4, 4).op(0x4208).b_if(If::NotEqual, label).ldr(0, 4, 0x20);
        asm.keep_register(0, kept(n));
    }
    assert_eq!(received(&wired(asm, &[(TX, OTHER)]), 2), [0xa6 << 24, 0x3c << 24]);
}

#[test]
fn a_run_in_pieces_and_one_from_a_saved_state_hear_the_same() {
    let program = || {
        let mut asm = begin(&[(TX, UART), (RX, UART)]);
        set_up(&mut asm, 0, FAST, PLAIN);
        set_up(&mut asm, 1, FAST, PLAIN);
        asm.poke(UARTS[0], 0x55).poke(UARTS[0], 0x0f);
        receive(&mut asm, 1, 2);
        asm.label("end").b("end").pool();
        let mut chip = chip_with(asm);
        chip.wire_pins(TX, RX);
        chip
    };
    let mut whole = program();
    whole.run_until(us(3000));
    let mut pieces = program();
    for piece in 1..=60 {
        pieces.run_until(us(50 * piece));
        let saved = pieces.snapshot().expect("it can be saved");
        pieces = program();
        pieces.restore(&saved);
    }
    crate::waiting::same(&whole, &pieces, "saved and restored");
    assert_eq!(received(&whole, 2), [0x55, 0x0f]);
}
