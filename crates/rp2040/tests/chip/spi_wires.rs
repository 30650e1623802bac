//! An SPI at wires between pins of its chip: a PIO program that others use to receive hears its bits, and it hears those of one
//! that sends. Every edge is where a recorder of the same frames without wires has it.

use proptest::prelude::*;
use rp2040::chip::Rp2040;

use crate::asm::{Asm, If};
use crate::bench::*;
use crate::waiting::same;

const SPI: u32 = 0x4003_c000;
const CLK_PERI: u32 = 0x4000_8048;
const IO_BANK0: u32 = 0x4001_4000;
const PIO: u32 = 0x5020_0000;
const PWM: u32 = 0x4005_0000;
const OF_SPI: u32 = 1;
const OF_PWM: u32 = 4;
const OF_PIO: u32 = 6;
const RX: u8 = 0;
const SCK: u8 = 2;
const TX: u8 = 3;
/// Where the PIO program has data and clock, and where it sends.
const DATA: u8 = 10;
const CLOCK: u8 = 11;
const SENDS: u8 = 12;
/// Input B of slice 2.
const COUNTED: u8 = 5;
/// Cycles of half a bit.
const HALF: u32 = 32;

fn begin(functions: &[(u8, u32)], mode: u32) -> Asm {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(CLK_PERI, 1 << 11);
    for &(pin, function) in functions {
        asm.poke(IO_BANK0 + 8 * u32::from(pin) + 4, function);
    }
    let (polarity, phase) = (mode >> 1, mode & 1);
    asm.poke(SPI + 0x10, HALF * 2).poke(SPI, 7 | polarity << 6 | phase << 7).poke(SPI + 4, 2);
    asm.b("rest").pool().label("rest");
    asm
}

/// Sends bytes and keeps what comes back.
fn exchange(asm: &mut Asm, bytes: &[u8]) {
    bytes.iter().for_each(|&byte| _ = asm.poke(SPI + 8, u32::from(byte)));
    for (n, label) in (0..).zip(["one", "two", "three"]).take(bytes.len()) {
        // TST with RNE.
        asm.constant(4, SPI).movs(1, 4);
        asm.label(label)
            .ldr(0, 4, 0xc)
            .op(0x4208)
            .b_if(If::Equal, label)
            .ldr(0, 4, 8)
            .keep_register(0, kept(n));
    }
}

fn wired(mut asm: Asm, wires: &[(u8, u8)]) -> Rp2040 {
    asm.wait(255, "a while").label("end").b("end").pool();
    let mut chip = chip_with(asm);
    chip.record_pins(1 << SCK | 1 << TX);
    wires.iter().for_each(|&(pin, other)| chip.wire_pins(pin, other));
    run(&mut chip, 10_000);
    chip
}

/// Machine 0 of PIO0, which runs through a program.
fn machine(asm: &mut Asm, program: &[u32], shifts: u32, pins: u32) {
    for (n, &instruction) in (0..).zip(program) {
        asm.poke(PIO + 0x48 + 4 * n, instruction);
    }
    let last = program.len() as u32 - 1;
    asm.poke(PIO + 0xcc, last << 12).poke(PIO + 0xd0, shifts).poke(PIO + 0xdc, pins);
}

fn words(chip: &Rp2040, count: u32) -> Vec<u32> {
    (0..count).map(|n| word(chip, kept(n))).collect()
}

#[test]
fn a_pio_program_with_a_clock_from_outside_receives_what_an_spi_sends() {
    for mode in 0..4 {
        let pins = [(SCK, OF_SPI), (TX, OF_SPI), (DATA, OF_PIO), (CLOCK, OF_PIO)];
        let mut asm = begin(&pins, mode);
        // The edge that captures is the rising one in the modes 0 and 3. wait, wait, in pins, 1.
        let rises = u32::from(matches!(mode, 0 | 3)) << 7;
        let program = [0x2021 | rises ^ 0x80, 0x2021 | rises, 0x4001];
        machine(&mut asm, &program, 8 << 20 | 1 << 16, u32::from(DATA) << 15);
        asm.poke(PIO, 1).b("on").pool().label("on");
        exchange(&mut asm, &[0xa6, 0x3c]);
        for (n, label) in (5..).zip(["first", "second"]) {
            asm.constant(4, PIO)
                .constant(1, 1 << 8)
                .wait(255, label)
                .ldr(0, 4, 0x20)
                .keep_register(0, kept(n));
        }
        let chip = wired(asm, &[(TX, DATA), (SCK, CLOCK)]);
        assert_eq!([5, 6].map(|n| word(&chip, kept(n))), [0xa6, 0x3c], "mode {mode}");
    }
}

#[test]
fn an_spi_receives_what_a_pio_program_sends_at_its_clock() {
    let pins = [(RX, OF_SPI), (SCK, OF_SPI), (TX, OF_SPI), (CLOCK, OF_PIO), (SENDS, OF_PIO)];
    let mut asm = begin(&pins, 0);
    // out pins, 1; wait 1 pin 0; wait 0 pin 0, with autopull of eight bits, the highest first.
    let out = 1 << 20 | u32::from(SENDS);
    machine(&mut asm, &[0x6001, 0x20a0, 0x2020], 8 << 25 | 1 << 17, u32::from(CLOCK) << 15 | out);
    asm.b("on").pool().label("on");
    // The direction, by set pindirs, 1 with the base of set there; then three bytes.
    asm.poke(PIO + 0xdc, 1 << 26 | u32::from(SENDS) << 5).poke(PIO + 0xd8, 0xe081);
    asm.poke(PIO + 0xdc, u32::from(CLOCK) << 15 | out);
    [0x5a, 0x0f, 0xc3].into_iter().for_each(|byte: u32| _ = asm.poke(PIO + 0x10, byte << 24));
    asm.poke(PIO, 1).b("sent").pool().label("sent");
    exchange(&mut asm, &[0, 0xff, 0x55]);
    let chip = wired(asm, &[(SCK, CLOCK), (SENDS, RX)]);
    assert_eq!(words(&chip, 3), [0x5a, 0x0f, 0xc3]);
}

#[test]
fn a_pwm_slice_counts_the_clock_of_an_spi() {
    let mut asm = begin(&[(SCK, OF_SPI), (COUNTED, OF_PWM)], 0);
    // Slice 2 counts the rising edges of its input B.
    asm.poke(PWM + 0x28 + 0x10, 0xffff).poke(PWM + 0x28, 1 | 2 << 4);
    exchange(&mut asm, &[1, 2, 3]);
    let chip = wired(asm, &[(SCK, COUNTED)]);
    assert_eq!(word(&chip, PWM + 0x28 + 8), 24);
}

#[test]
fn data_lines_of_one_spi_that_are_joined_bring_back_what_is_sent() {
    let mut asm = begin(&[(RX, OF_SPI), (SCK, OF_SPI), (TX, OF_SPI), (CLOCK, OF_PIO)], 0);
    exchange(&mut asm, &[1, 2, 3]);
    assert_eq!(words(&wired(asm, &[(TX, RX), (SCK, CLOCK)]), 3), [1, 2, 3]);
}

proptest! {
    #[test]
    fn every_edge_is_where_a_recorder_has_it_without_wires(
        mode in 0u32..4,
        bytes in prop::collection::vec(any::<u8>(), 1..4),
    ) {
        let frames = |wires: &[(u8, u8)]| {
            let mut asm = begin(&[(SCK, OF_SPI), (TX, OF_SPI)], mode);
            exchange(&mut asm, &bytes);
            let mut chip = wired(asm, wires);
            let mut edges = chip.take_edges();
            edges.sort_by_key(|edge| (edge.at, edge.pin));
            (chip, edges)
        };
        let ((_, alone), (whole, joined)) = (frames(&[]), frames(&[(TX, DATA), (SCK, CLOCK)]));
        prop_assert_eq!(alone, joined);
        prop_assert!(word(&whole, kept(0)) <= 0xff);
    }
}

#[test]
fn a_run_in_pieces_and_one_from_a_saved_state_are_the_same() {
    let program = || {
        let mut asm = begin(&[(RX, OF_SPI), (SCK, OF_SPI), (TX, OF_SPI)], 1);
        exchange(&mut asm, &[0xa5, 0x5a, 0x81]);
        asm.label("end").b("end").pool();
        let mut chip = chip_with(asm);
        [(TX, DATA), (SCK, CLOCK)].into_iter().for_each(|(pin, other)| chip.wire_pins(pin, other));
        chip
    };
    let mut whole = program();
    whole.run_until(us(1000));
    let mut pieces = program();
    for piece in 1..=50 {
        pieces.run_until(us(20 * piece));
        let saved = pieces.snapshot().expect("it can be saved");
        pieces.restore(&saved);
    }
    same(&whole, &pieces, "saved and restored");
}
