//! The same run twice is the same in every byte, and so is a run that goes on from a snapshot.

use mcu::Console;
use mcu::Edge;
use rp2040::chip::{Counts, Rp2040};
use units::Picoseconds;

use crate::asm::{Asm, RAM};
use crate::bench::*;

const LR: u8 = 14;
const UART: u32 = 0x4003_4000;
const PIO: u32 = 0x5020_0000;
const DMA: u32 = 0x5000_0000;
const SYSTICK: u32 = 0xe000_e010;
const IO_BANK0: u32 = 0x4001_4000;
const CLK_PERI: u32 = 0x4000_8048;

/// Core 0 answers SysTick with a character on UART0 and copies memory by DMA; a state machine of the PIO makes a wave on
/// GPIO 2; core 1, if it is to be there, counts, writes code that it runs, and toggles GPIO 3.
fn busy(both_cores: bool) -> Rp2040 {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(CLK_PERI, 1 << 11);
    for (pin, function) in [(0, 2), (2, 6), (3, 5)] {
        asm.poke(IO_BANK0 + 4 + 8 * pin, function);
    }
    asm.bl("uart").bl("pio").bl("dma");
    if both_cores {
        asm.launch("core1", RAM, STACK - 0x1000);
    }
    asm.poke(SYSTICK + 4, 4321).poke(SYSTICK + 8, 0).poke(SYSTICK, 7);
    asm.label("sleep").wfi().b("sleep").pool();
    asm.handler(15, "tick").constant(6, kept(0)).ldr(7, 6, 0).adds(7, 1).str(7, 6, 0);
    asm.constant(6, UART).str(7, 6, 0).poke(DMA + 0xc, 0x3f << 15 | 1 << 4 | 1 << 5 | 2 << 2 | 1).bx(LR);
    core1(&mut asm);
    blocks(&mut asm);
    chip_with(asm)
}

fn core1(asm: &mut Asm) {
    asm.label("core1").constant(0, 0xd000_0020).movs(1, 8).str(1, 0, 4).constant(2, RAM + 0x2000);
    // MOVS R4, #n; BX LR, with another n each time.
    asm.constant(3, 0x4770_2400).mov(5, 2).adds(5, 1);
    asm.label("count").adds(3, 1).str(3, 2, 0).blx(5).constant(0, 0xd000_001c).str(1, 0, 0);
    asm.constant(6, kept(1)).ldr(7, 6, 0).adds(7, 1).str(7, 6, 0).op(0xb2e0).op(0x0a1b).op(0x021b);
    asm.wait(9, "pause").b("count").pool();
}

fn blocks(asm: &mut Asm) {
    asm.label("uart").poke(UART + 0x24, 2).poke(UART + 0x28, 0).poke(UART + 0x2c, 0x70);
    asm.poke(UART + 0x30, 0x301).bx(LR).pool();
    // SET PINS, 1 [3]; SET PINS, 0 [5] with SET_BASE 2, one pin; clock divider 7.5. SET PINDIRS first, at once.
    asm.label("pio").poke(PIO + 0xdc, 1 << 26 | 2 << 5).poke(PIO + 0xd8, 0xe081);
    asm.poke(PIO + 0x48, 0xe301).poke(PIO + 0x4c, 0xe500).poke(PIO + 0xcc, 1 << 12);
    asm.poke(PIO + 0xc8, 7 << 16 | 128 << 8).poke(PIO + 0xd8, 0).poke(PIO, 1).bx(LR).pool();
    asm.label("dma").poke(DMA, RAM).poke(DMA + 4, RAM + 0x4000).poke(DMA + 8, 100).bx(LR).pool();
}

/// Everything that can be seen of a run up to here.
#[derive(Debug, PartialEq)]
struct Seen {
    now: Picoseconds,
    counts: Counts,
    registers: [[u32; 16]; 2],
    console: Vec<(Picoseconds, u8)>,
    edges: Vec<Edge>,
    memory: Vec<u8>,
}

fn seen(chip: &mut Rp2040) -> Seen {
    Seen {
        now: chip.now(),
        counts: chip.counts(),
        registers: [0, 1].map(|core| chip.core(core).registers()),
        console: chip.take_console(Console::Uart0),
        edges: chip.take_edges(),
        memory: chip.read_memory(RAM, 264 * 1024).expect("SRAM"),
    }
}

/// Holds two runs to be the same, the short parts first.
fn same(one: &Seen, other: &Seen) {
    assert_eq!((one.now, one.counts, one.registers), (other.now, other.counts, other.registers));
    assert_eq!(one.console, other.console);
    assert!(one.edges == other.edges, "edges");
    let different = one.memory.iter().zip(&other.memory).position(|(one, other)| one != other);
    assert_eq!(different, None, "offset in SRAM");
}

fn started() -> Rp2040 {
    started_with(true)
}

fn started_with(both_cores: bool) -> Rp2040 {
    let mut chip = busy(both_cores);
    chip.record_pins(u32::MAX);
    chip
}

#[test]
fn the_busy_image_does_what_it_is_for() {
    let mut chip = started();
    run(&mut chip, 20_000);
    let seen = seen(&mut chip);
    let on = |pin: u8| seen.edges.iter().filter(|edge| edge.pin == pin).count();
    assert!(
        seen.console.len() > 20 && on(2) > 1000 && on(3) > 500,
        "{} {} {}",
        seen.console.len(),
        on(2),
        on(3)
    );
    assert_eq!(seen.memory[0x4000..0x4000 + 400], seen.memory[..400]);
    assert!(seen.counts.instructions.iter().all(|&count| count > 500), "{:?}", seen.counts);
    assert_eq!(chip.fault(), None);
}

#[test]
fn the_same_image_twice_is_the_same_run() {
    let [first, second] = [(), ()].map(|()| {
        let mut chip = started();
        run(&mut chip, 20_000);
        seen(&mut chip)
    });
    same(&first, &second);
}

#[test]
fn a_run_of_one_core_in_small_steps_is_the_same_run() {
    let (mut whole, mut pieces) = (started_with(false), started_with(false));
    whole.run_until(us(5000));
    for piece in 1..=500 {
        pieces.run_until(us(10 * piece));
    }
    same(&seen(&mut whole), &seen(&mut pieces));
}

#[test]
fn a_run_from_a_snapshot_is_the_same_as_one_that_went_on() {
    let mut chip = started();
    for start_us in [3000, 7777, 12_345] {
        chip.run_until(us(start_us));
        let snapshot = chip.snapshot().expect("nothing stands outside");
        let end = us(2 * start_us);
        let mut branch = snapshot.to_chip();
        branch.run_until(end);
        chip.run_until(end);
        let went_on = seen(&mut chip);
        same(&seen(&mut branch), &went_on);
        chip.restore(&snapshot);
        chip.run_until(end);
        same(&seen(&mut chip), &went_on);
        chip.restore(&snapshot);
    }
}

#[test]
fn a_restored_chip_forgets_code_that_was_written_since() {
    let mut asm = in_ram();
    asm.label("round").bl("function").keep_register(0, kept(0)).b("round").pool();
    asm.align(4).label("function").movs(0, 1).bx(LR);
    let function = asm.place("function");
    let mut chip = ran(asm);
    let snapshot = chip.snapshot().expect("nothing stands outside");
    chip.write_memory(function, &[2]).expect("SRAM");
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 2);
    chip.restore(&snapshot);
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 1);
}

#[test]
fn a_restored_chip_has_the_flash_of_the_snapshot() {
    let mut asm = in_flash();
    asm.constant(3, 0x1000_4001).label("round").blx(3).keep_register(0, kept(0)).b("round");
    let mut chip = chip_with(asm);
    let function = |n: u8| [n, 0x20, 0x70, 0x47];
    chip.write_memory(0x1000_4000, &function(1)).expect("flash");
    run(&mut chip, 1000);
    let snapshot = chip.snapshot().expect("nothing stands outside");
    chip.write_memory(0x1000_4000, &function(2)).expect("flash");
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 2);
    chip.restore(&snapshot);
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 1);
}
