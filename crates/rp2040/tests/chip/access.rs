//! What accesses cost and do: cycles behind each bridge, the flash and its cache, atomic aliases, narrow writes, faults.

use mcu::FaultKind;
use mcu::Stop;
use rp2040::chip::Rp2040;

use crate::asm::{Asm, If, RAM};
use crate::bench::*;

const SYSTICK: u32 = 0xe000_e010;
const SCRATCH: u32 = 0x4005_800c;
const UART_IMSC: u32 = 0x4003_4038;
const FLASH_DATA: u32 = 0x1001_0000;
const UNCACHED_DATA: u32 = 0x1301_0000;

/// The cycles of LDR and STR at an address.
fn costs(address: u32) -> [u64; 2] {
    let mut asm = in_ram();
    asm.constant(6, address).movs(7, 0).label("load").ldr(0, 6, 0).label("store").str(7, 6, 0).stop();
    let load = asm.place("load");
    let mut chip = chip_with(asm);
    chip.stop_at_faults(false);
    go_to(&mut chip, load);
    [step_cycles(&mut chip), step_cycles(&mut chip)]
}

#[test]
fn each_part_of_the_bus_has_its_cost() {
    // RP2040 datasheet 2.1.3: the bridge takes 3 cycles to read and 4 to write, and the core one before; the single-cycle
    // port one; everything else on the AHB two.
    for (what, address, expected) in [
        ("SRAM", 0x2000_8000, [2, 2]),
        ("SRAM, not striped", 0x2100_8000, [2, 2]),
        ("ROM", 0x0000_0100, [2, 2]),
        ("single-cycle I/O", 0xd000_0010, [1, 1]),
        ("APB", SCRATCH, [4, 5]),
        ("AHB", 0x5000_0000, [2, 2]),
        ("USB memory", 0x5010_0000, [2, 2]),
        ("private bus", 0xe000_ed08, [2, 2]),
    ] {
        assert_eq!(costs(address), expected, "{what}");
    }
}

#[test]
fn code_sees_the_cycles_of_its_accesses_with_systick() {
    let mut asm = in_ram();
    asm.poke(SYSTICK + 4, 0xff_ffff).poke(SYSTICK + 8, 0).poke(SYSTICK, 5);
    asm.constant(0, SYSTICK).constant(1, 0xd000_0000).constant(2, SCRATCH).constant(3, 0x2000_8000);
    for (n, base) in [(0, None), (1, Some(1)), (2, Some(2)), (3, Some(3))] {
        asm.ldr(4, 0, 8);
        if let Some(base) = base {
            asm.ldr(7, base, 0x10);
        }
        asm.ldr(5, 0, 8).op(0x1b64).keep_register(4, kept(n));
    }
    asm.stop();
    let chip = ran(asm);
    // R4 - R5 is what came between two readings, and one reading itself.
    assert_eq!([0, 1, 2, 3].map(|n| word(&chip, kept(n))), [2, 2 + 1, 2 + 4, 2 + 2]);
}

/// The cycles of two loads from a word of flash one after the other, with the code in the cache already.
fn flash_loads(address: u32) -> [u64; 2] {
    let mut asm = in_flash();
    asm.constant(0, address - 16).movs(2, 0);
    asm.align(8).label("round").label("first").ldr(1, 0, 0).label("second").ldr(1, 0, 0).adds(0, 16);
    asm.adds(2, 1).b("round");
    let [round, second] = ["round", "second"].map(|label| asm.place(label));
    let mut chip = chip_with(asm);
    go_to(&mut chip, round);
    chip.step(0);
    go_to(&mut chip, round);
    let first = step_cycles(&mut chip);
    assert_eq!(pc(&chip), second);
    [first, step_cycles(&mut chip)]
}

#[test]
fn a_miss_of_the_flash_cache_takes_50_cycles_and_a_hit_2() {
    // Twenty SCK at divider 2 and the way there and back; oberon-rtk's board needs about 400 ns, 50 cycles of 8 ns.
    assert_eq!(flash_loads(FLASH_DATA), [50, 2]);
    assert_eq!(flash_loads(UNCACHED_DATA), [50, 50]);
}

#[test]
fn code_in_flash_pays_for_each_new_line_once() {
    let mut asm = in_flash();
    asm.align(8).label("round").nops(7).b("round");
    let round = asm.place("round");
    let mut chip = chip_with(asm);
    let mut passes = Vec::new();
    for _ in 0..3 {
        go_to(&mut chip, round);
        let before = chip.counts().cycles;
        chip.step(0);
        go_to(&mut chip, round);
        passes.push(chip.counts().cycles - before);
    }
    // Seven NOPs and a branch; the four words come with a miss each the first time.
    assert_eq!(passes[1..], [9, 9]);
    assert!(passes[0] >= 9 + 3 * 40, "{passes:?}");
}

#[test]
fn atomic_aliases_change_some_bits_of_a_register() {
    let mut asm = in_ram();
    asm.poke(SCRATCH, 0xf0f0).poke(SCRATCH + 0x2000, 0x000f).keep(SCRATCH, kept(0));
    asm.poke(SCRATCH + 0x3000, 0xf000).keep(SCRATCH, kept(1));
    asm.poke(SCRATCH + 0x1000, 0xffff).keep(SCRATCH, kept(2)).keep(SCRATCH + 0x3000, kept(3)).stop();
    let chip = ran(asm);
    assert_eq!([0, 1, 2, 3].map(|n| word(&chip, kept(n))), [0xf0ff, 0x00ff, 0xff00, 0xff00]);
}

#[test]
fn an_atomic_write_to_a_uart_takes_two_cycles_more() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, 1 << 22).constant(5, UART_IMSC).constant(6, UART_IMSC + 0x2000).movs(7, 1);
    asm.label("plain").str(7, 5, 0).str(7, 6, 0).stop();
    let plain = asm.place("plain");
    let mut chip = chip_with(asm);
    go_to(&mut chip, plain);
    assert_eq!([step_cycles(&mut chip), step_cycles(&mut chip)], [5, 7]);
}

#[test]
fn a_narrow_write_reaches_all_lanes_of_a_register_and_one_of_memory() {
    const CELL: u32 = RAM + 0x1000;
    let mut asm = in_ram();
    asm.poke(CELL, 0).constant(5, 0x1234_56ab).constant(4, SCRATCH).constant(3, CELL);
    asm.strb(5, 4, 1).strb(5, 3, 1).keep(SCRATCH, kept(0)).keep(CELL, kept(1));
    asm.strh(5, 4, 2).strh(5, 3, 2).keep(SCRATCH, kept(2)).keep(CELL, kept(3));
    asm.ldrb(0, 4, 1).keep_register(0, kept(4)).stop();
    let chip = ran(asm);
    let all = [0, 1, 2, 3, 4].map(|n| word(&chip, kept(n)));
    assert_eq!(all, [0xabab_abab, 0xab00, 0x56ab_56ab, 0x56ab_ab00, 0x56]);
}

/// The fault of a program.
fn fault(program: impl FnOnce(&mut Asm)) -> FaultKind {
    let mut asm = in_ram();
    program(&mut asm);
    asm.stop();
    let mut chip = chip_with(asm);
    match run(&mut chip, 1000) {
        // The vector table has no handler.
        Stop::LockedUp(fault) => fault.kind,
        stop => panic!("no fault: {stop:?}"),
    }
}

#[test]
fn accesses_that_are_not_aligned_fault_everywhere() {
    for base in [RAM + 0x1000, 0x1000_0000, SCRATCH, 0xd000_0000] {
        let address = base + 2;
        let load = fault(|asm| {
            asm.constant(0, address).ldr(1, 0, 0);
        });
        assert_eq!(load, FaultKind::Unaligned { address, size: 4, write: false });
        let store = fault(|asm| {
            asm.constant(0, address + 1).strh(1, 0, 0);
        });
        assert_eq!(store, FaultKind::Unaligned { address: address + 1, size: 2, write: true });
    }
}

#[test]
fn accesses_where_nothing_is_fault() {
    for address in [0x0000_4000, 0x1600_0000, 0x2004_2000, 0x2104_0000, 0x3000_0000, 0x6000_0000, 0xe000_0ffc]
    {
        let load = fault(|asm| {
            asm.constant(0, address).ldr(1, 0, 0);
        });
        assert_eq!(load, FaultKind::Unmapped { address, write: false }, "{address:#x}");
        let store = fault(|asm| {
            asm.constant(0, address).str(1, 0, 0);
        });
        assert_eq!(store, FaultKind::Unmapped { address, write: true }, "{address:#x}");
    }
}

#[test]
fn a_load_that_faults_changes_no_register_and_costs_the_entry() {
    let mut asm = in_ram();
    asm.constant(0, 0x3000_0000).movs(1, 7).label("load").ldr(1, 0, 0).b_if(If::Equal, "load").stop();
    asm.handler(3, "hard_fault").nop().stop();
    let load = asm.place("load");
    let mut chip: Rp2040 = chip_with(asm);
    chip.stop_at_faults(false);
    go_to(&mut chip, load);
    assert_eq!(step_cycles(&mut chip), 15 + 1);
    assert_eq!(chip.core(0).registers()[1], 7);
}

#[test]
fn a_debugger_writes_registers_in_no_time() {
    let mut asm = in_ram();
    asm.stop();
    let mut chip = ran(asm);
    let before = chip.now();
    // The system clock goes to a divider of 65536, so that a store of core 0 would take half a second.
    chip.write_memory(0x4000_8040, &(0xffff_ff00_u32).to_le_bytes()).expect("a register");
    for _ in 0..100 {
        chip.write_memory(SCRATCH, &[1, 2, 3, 4]).expect("a register");
    }
    assert!(chip.now().ps() - before.ps() < 1_000_000_000_000, "{} later", chip.now());
    assert_eq!(word(&chip, SCRATCH), 0x0403_0201);
}
