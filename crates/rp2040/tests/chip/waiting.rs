//! Cores that wait: a loop that asks a register until it changes runs as one that executes every iteration of it, with interrupts
//! at any moment, counters and all. The chip may leave such iterations out; nobody can tell.

use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::asm::{Asm, If};
use crate::bench::*;
use crate::spi_dma::{
    BYTES, INCR_READ, LR, Listener, MULTI_CHAN_TRIGGER, SOURCE, SPI, SPI0_TX, TARGET, at_125_mhz, channel,
    control, set_up,
};
use testing::Random;

pub(crate) const SYSTICK: u32 = 0xe000_e010;
const UART: u32 = 0x4003_4000;
pub(crate) const IO_BANK0: u32 = 0x4001_4000;
const IO_IRQ_BANK0: usize = 13;
const PIN: u32 = 9;
/// Words in the flash that no program executes.
const FLASH_WORDS: u32 = 0x1000_4001;
const END_US: i64 = 3000;
/// In place of the frame that the listener reacts to: there is none.
const UNHEARD: usize = usize::MAX;
/// Where handlers count, and add up where they were called.
const TICKS: u32 = 0;
const PLACES: u32 = 1;
const EDGES: u32 = 2;

/// What a program waits for again and again: asm that leaves when it is over.
pub(crate) type Wait = fn(&mut Asm);

/// All of them that look at registers or memory which no flow writes.
pub(crate) const WAITS: [Wait; 11] = [
    for_the_dma,
    for_the_dma_from_a_place_in_flash,
    for_the_dma_through_flash,
    for_the_dma_with_an_eye_on_memory,
    for_the_count,
    for_slow_frames,
    for_polled_frames,
    for_fast_frames,
    for_the_uart,
    for_a_tick,
    for_a_tick_the_long_way,
];

/// Until bit 24 (BUSY) of a channel's control register is 0: a test of one register, through a flow of frames.
fn for_the_dma(asm: &mut Asm) {
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 300).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 300).poke(MULTI_CHAN_TRIGGER, 3).constant(4, channel(1)).constant(1, 1 << 24);
    asm.label("dma").ldr(0, 4, 0x10).op(0x4208).b_if(If::NotEqual, "dma");
}

/// The same, while the DMA sends one word of the flash again and again, as a driver does that only receives.
fn for_the_dma_from_a_place_in_flash(asm: &mut Asm) {
    for_the_dma_from_flash(asm, 0);
}

/// The same, while the DMA sends word after word out of the flash.
fn for_the_dma_through_flash(asm: &mut Asm) {
    for_the_dma_from_flash(asm, INCR_READ);
}

fn for_the_dma_from_flash(asm: &mut Asm, increment: u32) {
    asm.poke(channel(0) + 0x10, control(SPI0_TX, increment, 0)).poke(channel(0), FLASH_WORDS);
    asm.poke(channel(0) + 8, 300).poke(channel(1) + 4, TARGET).poke(channel(1) + 8, 300);
    asm.poke(MULTI_CHAN_TRIGGER, 3).constant(4, channel(1)).constant(1, 1 << 24);
    asm.label("dma").ldr(0, 4, 0x10).op(0x4208).b_if(If::NotEqual, "dma");
}

/// The same, but the loop looks at what has been received as well.
fn for_the_dma_with_an_eye_on_memory(asm: &mut Asm) {
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 100).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 100).poke(MULTI_CHAN_TRIGGER, 3).constant(4, channel(1)).constant(1, 1 << 24);
    asm.constant(3, TARGET + 40);
    asm.label("dma")
        .ldrb(2, 3, 0)
        .ldr(0, 4, 0x10)
        .op(0x4208)
        .b_if(If::NotEqual, "dma")
        .movs(0, 0)
        .strb(0, 3, 0);
}

/// Until the remaining count of a channel is 0.
fn for_the_count(asm: &mut Asm) {
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 60).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 60).poke(MULTI_CHAN_TRIGGER, 3).constant(4, channel(1));
    asm.label("count").ldr(0, 4, 8).op(0x2800).b_if(If::NotEqual, "count");
}

/// For an answer to each of three slow frames, at two registers in turn: is there room, is anything there?
fn for_slow_frames(asm: &mut Asm) {
    asm.poke(SPI + 0x24, 0).poke(SPI, 7 | 30 << 8).constant(4, SPI).movs(2, 3).movs(5, 0);
    asm.label("frames").str(2, 4, 8);
    asm.label("answer").ldr(0, 4, 0xc).movs(1, 2).op(0x4208).b_if(If::Equal, "full").op(0x1c2d);
    asm.label("full").ldr(0, 4, 0xc).movs(1, 4).op(0x4208).b_if(If::Equal, "answer").ldr(0, 4, 8);
    asm.subs(2, 1).b_if(If::NotEqual, "frames").poke(SPI, 7).poke(SPI + 0x24, 3);
}

/// For the answers to four frames, as drivers wait that do without the DMA: loops of one look that end in other ways, of which two
/// change a register as well, and one that waits for the end of the last frame.
fn for_polled_frames(asm: &mut Asm) {
    polled_frames(asm, 7 | 40 << 8);
}

/// The same for frames that come so fast that there are no turns, or few.
fn for_fast_frames(asm: &mut Asm) {
    polled_frames(asm, 7);
}

fn polled_frames(asm: &mut Asm, cr0: u32) {
    const TST_R0_R1: u16 = 0x4208;
    asm.poke(SPI + 0x24, 0).poke(SPI, cr0).constant(4, SPI).movs(1, 4).movs(5, 0);
    (0..5).for_each(|_| _ = asm.str(1, 4, 8));
    asm.label("first").ldr(0, 4, 0xc).op(TST_R0_R1).b_if(If::Equal, "first").ldr(0, 4, 8);
    // ands r3, r0
    asm.label("second").movs(3, 4).ldr(0, 4, 0xc).op(0x4003).b_if(If::Equal, "second").ldr(0, 4, 8);
    asm.label("third").ldr(0, 4, 0xc).op(TST_R0_R1).b_if(If::NotEqual, "there").b("third");
    asm.label("there").ldr(0, 4, 8);
    // adds r5, #1
    asm.label("fourth").ldr(0, 4, 0xc).op(0x3501).op(TST_R0_R1).b_if(If::Equal, "fourth").ldr(0, 4, 8);
    // eors r5, r1
    asm.label("fifth").ldr(0, 4, 0xc).op(0x404d).op(TST_R0_R1).b_if(If::Equal, "fifth").ldr(0, 4, 8);
    asm.movs(1, 1 << 4);
    asm.label("busy").ldr(0, 4, 0xc).op(TST_R0_R1).b_if(If::NotEqual, "busy");
    asm.poke(SPI, 7).poke(SPI + 0x24, 3);
}

/// Until the UART, of 100000 baud, has room for one more byte, as a console waits.
fn for_the_uart(asm: &mut Asm) {
    asm.poke(UART + 0x24, 78).poke(UART + 0x28, 8).poke(UART + 0x2c, 0x70).poke(UART + 0x30, 0x301);
    asm.constant(4, UART).movs(1, 1 << 5);
    asm.label("room").ldr(0, 4, 0x18).op(0x4208).b_if(If::NotEqual, "room").str(1, 4, 0);
}

/// Until SysTick's handler has counted once more, while frames flow: a loop that looks at nothing but memory.
fn for_a_tick(asm: &mut Asm) {
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 300).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 300).poke(MULTI_CHAN_TRIGGER, 3).constant(4, kept(TICKS)).ldr(1, 4, 0);
    asm.label("count").ldr(0, 4, 0).op(0x4288).b_if(If::Equal, "count");
}

/// The same with a literal, arithmetic and two branches in a lap.
fn for_a_tick_the_long_way(asm: &mut Asm) {
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 200).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 200).poke(MULTI_CHAN_TRIGGER, 3).constant(5, kept(TICKS)).ldr(1, 5, 0);
    asm.label("count").constant(4, kept(TICKS)).ldr(0, 4, 0).movs(2, 7).op(0x4042).op(0x4288);
    asm.b_if(If::NotEqual, "over").b("count").label("over");
}

/// Until the last byte but one has been received: memory that the flow itself writes.
fn for_a_byte(asm: &mut Asm) {
    asm.constant(3, TARGET + 98).movs(0, 0).strb(0, 3, 0);
    asm.poke(channel(0), SOURCE).poke(channel(0) + 8, 100).poke(channel(1) + 4, TARGET);
    asm.poke(channel(1) + 8, 100).poke(MULTI_CHAN_TRIGGER, 3);
    asm.label("byte").ldrb(0, 3, 0).op(0x2800).b_if(If::Equal, "byte");
    asm.constant(4, channel(1)).constant(1, 1 << 24);
    asm.label("dma").ldr(0, 4, 0x10).op(0x4208).b_if(If::NotEqual, "dma");
}

/// A program that waits again and again, while SysTick and the edges of a pin interrupt it.
fn program(start: fn() -> Asm, wait: Wait, reload: u32) -> Asm {
    let mut asm = at_125_mhz(start());
    set_up(&mut asm, 7);
    asm.label("main").poke(SYSTICK + 4, reload).poke(SYSTICK + 8, 0).poke(SYSTICK, 7);
    asm.poke(IO_BANK0 + 4 + 8 * PIN, 5).poke(IO_BANK0 + 0x104, 0xc << (4 * (PIN % 8)));
    asm.poke(ISER, 1 << IO_IRQ_BANK0).pool();
    asm.label("again").pool();
    wait(&mut asm);
    asm.b("again").pool();
    // Of where each handler came from the place is added up: the return address is the seventh word on the stack.
    asm.handler(15, "tick").constant(0, kept(TICKS)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0);
    asm.ldr_sp(2, 24).ldr(1, 0, 4).op(0x1889).str(1, 0, 4).bx(LR).pool();
    asm.handler(IRQ0 + IO_IRQ_BANK0, "edge")
        .constant(0, IO_BANK0 + 0xf4)
        .constant(1, 0xf << (4 * (PIN % 8)))
        .str(1, 0, 0);
    asm.constant(0, kept(EDGES)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0);
    asm.constant(0, kept(PLACES)).ldr_sp(2, 24).ldr(1, 0, 0).op(0x1889).str(1, 0, 0).bx(LR).pool();
    asm
}

pub(crate) fn chip(start: fn() -> Asm, wait: Wait, reload: u32, react_to: usize) -> Rp2040 {
    let mut chip = chip_with(program(start, wait, reload));
    chip.write_memory(SOURCE, &[0x5a; BYTES as usize]).expect("SRAM");
    if react_to != UNHEARD {
        chip.connect(Box::new(Listener { react_to, ..Listener::default() }));
    }
    chip
}

/// Holds two runs to be the same.
pub(crate) fn same(one: &Rp2040, other: &Rp2040, how: &str) {
    let seen = |chip: &Rp2040| {
        (chip.now(), chip.counts(), chip.bus_counts(), chip.core(0).registers(), chip.core(0).xpsr())
    };
    assert_eq!(seen(one), seen(other), "{how}");
    assert_eq!(one.last_branches(0), other.last_branches(0), "{how}");
    let [one, other] = [one, other].map(|chip| chip.read_memory(0x2000_0000, 264 * 1024).expect("SRAM"));
    assert_eq!(one.iter().zip(&other).position(|(one, other)| one != other), None, "{how}: place in memory");
}

/// Holds what two runs saw to be the same; where not, only the first place is told, and how many there are.
pub(crate) fn same_list<T: PartialEq>(one: &[T], other: &[T], how: &str) {
    let first = one.iter().zip(other).position(|(one, other)| one != other);
    assert_eq!((first, one.len()), (None, other.len()), "{how}");
}

/// Holds registers of two runs to be the same.
pub(crate) fn same_registers(
    one: &mut Rp2040,
    other: &mut Rp2040,
    registers: impl Iterator<Item = u32>,
    how: &str,
) {
    for at in registers.filter(|at| at % 4 == 0) {
        assert_eq!(one.read_word(at), other.read_word(at), "{how}: {at:#x}");
    }
}

fn check(start: fn() -> Asm, wait: Wait, seed: u64) {
    let react_to = 1 + Random::new(!seed).below(400) as usize;
    let (whole, end) = check_watched(start, wait, seed, react_to);
    check_pieces(&whole, end, start, wait, seed, react_to);
}

pub(crate) fn check_unheard(start: fn() -> Asm, wait: Wait, seed: u64) {
    let (whole, end) = check_watched(start, wait, seed, UNHEARD);
    check_pieces(&whole, end, start, wait, seed, UNHEARD);
}

/// Between two ticks.
fn reload(seed: u64) -> u32 {
    900 + Random::new(seed).below(3000)
}

fn check_watched(start: fn() -> Asm, wait: Wait, seed: u64, react_to: usize) -> (Rp2040, Picoseconds) {
    let mut random = Random::new(seed + 1000);
    let end = us(END_US) + Picoseconds::new(i64::from(random.below(20_000_000)));
    let new = || chip(start, wait, reload(seed), react_to);
    let mut whole = new();
    whole.run_until(end);
    assert!(word(&whole, kept(TICKS)) > 50, "ticks");
    // Whoever is watched executes every iteration.
    let mut watched = new();
    watched.set_breakpoints(vec![0x1000_fffe]);
    watched.run_until(end);
    same(&whole, &watched, &format!("watched, seed {seed}"));
    (whole, end)
}

fn check_pieces(
    whole: &Rp2040,
    end: Picoseconds,
    start: fn() -> Asm,
    wait: Wait,
    seed: u64,
    react_to: usize,
) {
    let mut random = Random::new(seed + 2000);
    let mut pieces = chip(start, wait, reload(seed), react_to);
    while pieces.now() < end {
        let piece = Picoseconds::new(i64::from(random.below(40_000_000)));
        pieces.run_until((pieces.now() + piece).min(end));
    }
    same(whole, &pieces, &format!("in pieces, seed {seed}"));
}

macro_rules! waits {
    ($($name:ident: $wait:ident, $edges:expr;)*) => {$(
        #[test]
        fn $name() {
            for seed in 0..12 {
                check(in_ram, $wait, seed);
                check(in_flash, $wait, seed);
            }
            let mut chip = chip(in_ram, $wait, 1000, 40);
            run(&mut chip, END_US);
            assert_eq!(word(&chip, kept(EDGES)), $edges, "interrupts by the pin");
        }
    )*};
}

waits! {
    a_wait_for_the_dma_is_as_long_as_its_laps: for_the_dma, 1;
    a_wait_for_a_place_in_flash_that_is_sent_is_as_long_as_its_laps: for_the_dma_from_a_place_in_flash, 1;
    a_wait_for_flash_that_is_sent_is_as_long_as_its_laps: for_the_dma_through_flash, 1;
    a_wait_that_reads_memory_as_well_is_as_long_as_its_laps: for_the_dma_with_an_eye_on_memory, 1;
    a_wait_for_a_count_is_as_long_as_its_laps: for_the_count, 1;
    a_wait_for_slow_frames_is_as_long_as_its_laps: for_slow_frames, 1;
    a_wait_for_polled_frames_is_as_long_as_its_laps: for_polled_frames, 1;
    a_wait_for_fast_frames_is_as_long_as_its_laps: for_fast_frames, 1;
    a_wait_for_the_uart_is_as_long_as_its_laps: for_the_uart, 0;
}

#[test]
fn a_wait_for_memory_is_as_long_as_its_laps() {
    for wait in [for_a_tick, for_a_tick_the_long_way] {
        for seed in 0..12 {
            check_unheard(in_ram, wait, seed);
            check_unheard(in_flash, wait, seed);
        }
    }
}

#[test]
fn a_wait_for_memory_that_a_flow_writes_sees_it_when_every_lap_would() {
    for seed in 0..12 {
        // Memory shows a transfer a little late, which depends on where a run is stopped.
        check_watched(in_ram, for_a_byte, seed, UNHEARD);
        check_watched(in_flash, for_a_byte, seed, UNHEARD);
        check_watched(in_ram, for_a_byte, seed, 5);
        check_watched(in_flash, for_a_tick, seed, 5);
    }
}
