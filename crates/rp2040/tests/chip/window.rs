//! The window of the address space that is the board's: what accesses to it cost, who may make them, and that the board sees them in
//! the order of time, as it sees everything else.

use std::any::Any;

use mcu::FaultKind;
use mcu::Stop;
use mcu::outside::{Outside, Reaction};
use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::asm::{Asm, If, RAM};
use crate::bench::*;

const WINDOW: u32 = 0x6000_0000;
const DMA: u32 = 0x5000_0000;
const IO_BANK0: u32 = 0x4001_4000;
const PIN: u8 = 9;
/// DMA channel 0: enabled, chained to itself, unpaced, words.
const COPY: u32 = 0x3f << 15 | 2 << 2 | 1;
const INCR_READ: u32 = 1 << 4;
const INCR_WRITE: u32 = 1 << 5;

/// An access as the board sees it; what was written, or nothing.
type Access = (Picoseconds, u32, u8, Option<u32>);

/// Reads give their own number, from 0x80 on; from `there_until` on there is nothing. A write to the first word drives a pin to
/// its lowest bit.
#[derive(Debug, Clone)]
struct Board {
    accesses: Vec<Access>,
    there_until: u32,
}

impl Outside for Board {
    fn memory_read(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        _: &mut Vec<Reaction>,
    ) -> Option<u32> {
        self.accesses.push((at, address, bytes, None));
        (address < self.there_until).then_some(0x7f + self.accesses.len() as u32)
    }

    fn memory_write(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        value: u32,
        reactions: &mut Vec<Reaction>,
    ) -> bool {
        self.accesses.push((at, address, bytes, Some(value)));
        if address == WINDOW {
            reactions.push(Reaction::Pin { pin: PIN, level: Some(value & 1 == 1) });
        }
        address < self.there_until
    }

    fn memory_peek(&self, address: u32, bytes: u8) -> Option<u32> {
        (address < self.there_until).then_some(address + u32::from(bytes))
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        Some(Box::new(self.clone()))
    }
}

fn on_board(asm: Asm) -> Rp2040 {
    let mut chip = chip_with(asm);
    chip.connect(Box::new(Board { accesses: Vec::new(), there_until: WINDOW + 0x100 }));
    chip
}

fn accesses(chip: &mut Rp2040) -> Vec<Access> {
    let board: &Board = (chip.outside() as &dyn Any).downcast_ref().expect("the board");
    board.accesses.clone()
}

fn without_times(accesses: &[Access]) -> Vec<(u32, u8, Option<u32>)> {
    accesses.iter().map(|&(_, address, bytes, value)| (address - WINDOW, bytes, value)).collect()
}

#[test]
fn an_access_costs_what_one_to_sram_costs() {
    // LDR, STR, LDRB, STRH, then LDMIA and STMIA of four registers: Cortex-M0+ TRM 3.3, no wait states.
    let costs = |base: u32| {
        let mut asm = in_ram();
        asm.constant(6, base).movs(7, 0).label("load").ldr(0, 6, 4).str(7, 6, 4).ldrb(0, 6, 1).strh(7, 6, 2);
        asm.op(0xce0f).op(0xc60f).stop();
        let load = asm.place("load");
        let mut chip = on_board(asm);
        go_to(&mut chip, load);
        [(); 6].map(|()| step_cycles(&mut chip))
    };
    assert_eq!(costs(WINDOW), [2, 2, 2, 2, 5, 5]);
    assert_eq!(costs(WINDOW), costs(RAM + 0x1000));
}

#[test]
fn accesses_come_with_their_size_and_value_and_lists_word_by_word() {
    let mut asm = in_ram();
    asm.constant(6, WINDOW).constant(5, 0x1234_56ab).ldrb(0, 6, 3).strb(5, 6, 1).strh(5, 6, 2).str(5, 6, 8);
    asm.ldrh(1, 6, 2).keep_register(0, kept(0)).keep_register(1, kept(1));
    asm.constant(6, WINDOW + 0x20).op(0xce0c).keep_register(3, kept(2)).stop();
    let mut chip = on_board(asm);
    run(&mut chip, 1000);
    let expected = [
        (3, 1, None),
        (1, 1, Some(0xab)),
        (2, 2, Some(0x56ab)),
        (8, 4, Some(0x1234_56ab)),
        (2, 2, None),
        (0x20, 4, None),
        (0x24, 4, None),
    ];
    assert_eq!(without_times(&accesses(&mut chip)), expected);
    assert_eq!([0, 1, 2].map(|n| word(&chip, kept(n))), [0x80, 0x84, 0x86]);
}

#[test]
fn where_the_board_has_nothing_an_access_faults_as_without_a_board() {
    for (address, write) in [(WINDOW + 0x100, false), (WINDOW + 0x100, true)] {
        let mut asm = in_ram();
        asm.constant(6, address);
        if write {
            asm.str(6, 6, 0)
        } else {
            asm.ldr(0, 6, 0)
        };
        asm.stop();
        let alone = chip_with(asm.clone());
        for mut chip in [on_board(asm), alone] {
            let Stop::LockedUp(fault) = run(&mut chip, 100) else { panic!("no fault at {address:#x}") };
            assert_eq!(fault.kind, FaultKind::Unmapped { address, write });
        }
    }
}

#[test]
fn no_code_runs_there() {
    let mut asm = in_ram();
    asm.constant(0, WINDOW + 1).bx(0);
    let mut chip = on_board(asm);
    let Stop::LockedUp(fault) = run(&mut chip, 100) else { panic!("no fault") };
    assert_eq!(fault.kind, FaultKind::Fetch { address: WINDOW });
}

#[test]
fn a_debugger_looks_without_effects() {
    let mut asm = in_ram();
    asm.stop();
    let mut chip = on_board(asm);
    assert_eq!(word(&chip, WINDOW + 0x10), WINDOW + 0x14);
    assert!(chip.read_memory(WINDOW + 0x100, 4).is_err());
    assert_eq!(accesses(&mut chip), []);
}

#[test]
fn the_answer_of_the_board_to_an_access_is_there_at_the_next_instruction() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).poke(IO_BANK0 + 4 + 8 * u32::from(PIN), 5).constant(6, WINDOW);
    asm.constant(4, 0xd000_0000).movs(5, 1).movs(2, 0).str(5, 6, 0).nops(2).ldr(0, 4, 4).str(2, 6, 0).nops(2);
    asm.ldr(1, 4, 4).keep_register(0, kept(0)).keep_register(1, kept(1)).stop();
    let mut chip = on_board(asm);
    run(&mut chip, 1000);
    let seen = [0, 1].map(|n| word(&chip, kept(n)) >> PIN & 1);
    assert_eq!(seen, [1, 0]);
}

/// Both cores write to the window, each with a pause of its own.
fn from_both_cores() -> Asm {
    let mut asm = in_ram();
    asm.launch("core1", RAM, STACK - 0x1000).constant(6, WINDOW + 0x10).movs(3, 0);
    asm.label("core0 round").adds(3, 1).str(3, 6, 0).wait(3, "pause 0").b("core0 round").pool();
    asm.label("core1").constant(6, WINDOW + 0x20).movs(3, 0);
    asm.label("core1 round").adds(3, 1).str(3, 6, 0).ldr(0, 6, 4).wait(1, "pause 1").b("core1 round").pool();
    asm
}

#[test]
fn the_board_sees_the_accesses_of_both_cores_in_the_order_of_time() {
    let mut chip = on_board(from_both_cores());
    run(&mut chip, 500);
    let accesses = accesses(&mut chip);
    assert!(accesses.is_sorted_by_key(|&(at, ..)| at));
    for address in [WINDOW + 0x10, WINDOW + 0x20, WINDOW + 0x24] {
        let of_one: Vec<_> = accesses.iter().filter(|&&(_, there, ..)| there == address).collect();
        assert!(of_one.len() > 100, "{address:#x}: {}", of_one.len());
        let values: Vec<u32> = of_one.iter().filter_map(|&&(.., value)| value).collect();
        assert!(values.iter().zip(1..).all(|(&value, expected)| value == expected), "{address:#x}");
    }
}

#[test]
fn a_run_from_a_snapshot_sees_the_same_accesses() {
    let mut chip = on_board(from_both_cores());
    run(&mut chip, 200);
    let mut branch = chip.snapshot().expect("the board can be copied").to_chip();
    for chip in [&mut chip, &mut branch] {
        run(chip, 200);
    }
    assert_eq!(accesses(&mut chip), accesses(&mut branch));
    assert_eq!(chip.counts(), branch.counts());
}

fn dma(from: u32, to: u32, words: u32, increments: u32) -> Rp2040 {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX).constant(4, DMA);
    for (offset, value) in [(0, from), (4, to), (8, words), (12, COPY | increments)] {
        asm.constant(0, value).str(0, 4, offset);
    }
    // AL1_CTRL has BUSY at bit 24.
    asm.constant(1, 1 << 24).label("busy").ldr(0, 4, 16).op(0x4208).b_if(If::NotEqual, "busy").stop();
    let mut chip = on_board(asm);
    for n in 0..words {
        chip.write_memory(RAM + 0x1000 + 4 * n, &(0x5000 + n).to_le_bytes()).expect("SRAM");
    }
    run(&mut chip, 1000);
    chip
}

#[test]
fn the_dma_moves_words_to_and_from_the_window_one_after_the_other() {
    let mut chip = dma(RAM + 0x1000, WINDOW + 0x10, 20, INCR_READ);
    let written = accesses(&mut chip);
    let values: Vec<_> = written.iter().map(|&(.., value)| value).collect();
    assert_eq!(values, (0x5000..0x5014).map(Some).collect::<Vec<_>>());
    assert!(written.is_sorted_by(|(one, ..), (other, ..)| one < other), "one transfer a cycle at the most");
    let chip = dma(WINDOW + 0x10, RAM + 0x2000, 20, INCR_READ | INCR_WRITE);
    let read: Vec<u32> = (0..20).map(|n| word(&chip, RAM + 0x2000 + 4 * n)).collect();
    assert_eq!(read, (0x80..0x94).collect::<Vec<_>>());
}

#[test]
fn the_dma_stops_with_a_bus_error_where_the_board_has_nothing() {
    // CTRL: READ_ERROR is bit 30, WRITE_ERROR bit 29 (RP2040 datasheet 2.5.7).
    let error = |chip: &Rp2040| word(chip, DMA + 16) >> 29 & 3;
    assert_eq!(error(&dma(WINDOW + 0x100, RAM + 0x2000, 4, 0)), 2);
    assert_eq!(error(&dma(RAM + 0x1000, WINDOW + 0x100, 4, 0)), 1);
}
