//! Code that changes under the cores, and code in unusual places.

use mcu::Stop;
use mcu::{DebugEvent, FaultKind};
use rp2040::chip::Rp2040;

use crate::asm::{Asm, If, RAM, VECTORS_BYTES};
use crate::bench::*;

/// MOVS R0, #n and BX LR in one word.
const fn function(n: u32) -> u32 {
    0x4770 << 16 | 0x2000 | n
}
const XIP_CTRL: u32 = 0x1400_0000;
const DMA: u32 = 0x5000_0000;
const DMA_RESET: u32 = 1 << 2;
const FLASH_OFFSET: u32 = 0x8000;
const FLASH_FUNCTION: u32 = 0x1000_0000 + FLASH_OFFSET;

/// Calls the function at an address and keeps what it gives.
fn call(asm: &mut Asm, address: u32, keep: u32) {
    asm.constant(3, address | 1).blx(3).keep_register(0, keep);
}

#[test]
fn code_that_the_core_itself_rewrites_is_executed_anew() {
    const AT: u32 = RAM + 0x800;
    let mut asm = in_ram();
    asm.poke(AT, function(1));
    call(&mut asm, AT, kept(0));
    asm.poke(AT, function(2));
    call(&mut asm, AT, kept(1));
    // A byte of an instruction, through the window that is not striped: word 0x200 of four banks is word 0x80 of bank 0.
    asm.constant(6, 0x2100_0200).movs(7, 3).strb(7, 6, 0);
    call(&mut asm, AT, kept(2));
    asm.stop();
    let chip = ran(asm);
    assert_eq!([0, 1, 2].map(|n| word(&chip, kept(n))), [1, 2, 3]);
}

#[test]
fn the_next_instruction_may_be_rewritten_just_before() {
    let mut asm = in_ram();
    asm.movs(0, 1).address(6, "patched").subs(6, 1).constant(7, 0x2007);
    asm.strh(7, 6, 0).isb().label("patched").movs(0, 5).keep_register(0, kept(0)).stop();
    assert_eq!(word(&ran(asm), kept(0)), 7);
}

#[test]
fn the_last_of_three_instructions_that_compilers_write_together_may_be_rewritten_alone() {
    const AT: u32 = RAM + 0x800;
    let mut asm = in_ram();
    // ADDS R0, R0, #1; CMP R0, R1; BNE, which is not taken; BX LR
    asm.poke(AT, 0x4288_1c40).poke(AT + 4, 0x4770_d100).movs(0, 0).movs(1, 1);
    call(&mut asm, AT, kept(0));
    asm.poke(AT + 4, function(5)).movs(0, 0);
    call(&mut asm, AT, kept(1));
    asm.stop();
    let chip = ran(asm);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [1, 5]);
}

#[test]
fn code_that_the_dma_rewrites_is_executed_anew() {
    const AT: u32 = RAM + 0x800;
    const FROM: u32 = RAM + 0x1000;
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, DMA_RESET).poke(AT, function(1)).poke(FROM, function(9));
    call(&mut asm, AT, kept(0));
    asm.poke(DMA, FROM).poke(DMA + 4, AT).poke(DMA + 8, 1).poke(DMA + 0xc, 0x3f << 15 | 2 << 2 | 1);
    asm.wait(50, "moved");
    call(&mut asm, AT, kept(1));
    asm.stop();
    let chip = ran(asm);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [1, 9]);
}

/// The boot ROM's function with a two-letter code, into R0 (RP2040 datasheet 2.8.3: table at 0x14, look-up at 0x18).
fn look_up(asm: &mut Asm, code: [u8; 2]) {
    asm.movs(3, 0).ldrh(0, 3, 0x14).constant(1, u32::from(u16::from_le_bytes(code))).ldrh(2, 3, 0x18).blx(2);
}

fn rom_call(asm: &mut Asm, code: [u8; 2], arguments: [u32; 4]) {
    look_up(asm, code);
    asm.mov(5, 0);
    for (register, argument) in (0..).zip(arguments) {
        asm.constant(register, argument);
    }
    asm.blx(5);
}

#[test]
fn a_flash_page_that_the_boot_rom_programmed_is_executed_anew() {
    const PAGE: u32 = RAM + 0x2000;
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, 1 << 6 | 1 << 9);
    asm.bl("restart flash");
    call(&mut asm, FLASH_FUNCTION, kept(0));
    asm.bl("program").bl("restart flash");
    call(&mut asm, FLASH_FUNCTION, kept(1));
    asm.stop().pool();
    asm.label("restart flash").push(0, true);
    for code in [*b"IF", *b"EX", *b"FC", *b"CX"] {
        rom_call(&mut asm, code, [0; 4]);
    }
    asm.pop(0, true).pool();
    asm.label("program").push(0, true);
    rom_call(&mut asm, *b"IF", [0; 4]);
    rom_call(&mut asm, *b"EX", [0; 4]);
    rom_call(&mut asm, *b"RE", [FLASH_OFFSET, 4096, 1 << 16, 0xd8]);
    rom_call(&mut asm, *b"RP", [FLASH_OFFSET, PAGE, 256, 0]);
    asm.pop(0, true);
    let mut chip = chip_with(asm);
    chip.write_memory(FLASH_FUNCTION, &function(4).to_le_bytes()).expect("flash");
    chip.write_memory(PAGE, &function(6).to_le_bytes()).expect("SRAM");
    run(&mut chip, 200_000);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [4, 6]);
}

/// A program copies a function to an address and calls it.
fn copied_to(address: u32, before: impl FnOnce(&mut Asm)) -> Rp2040 {
    let mut asm = in_ram();
    before(&mut asm);
    asm.poke(address, function(42));
    call(&mut asm, address, kept(0));
    asm.stop();
    let mut chip = chip_with(asm);
    run(&mut chip, 1000);
    chip
}

#[test]
fn code_runs_from_the_banks_one_by_one_and_from_the_cache_as_memory() {
    assert_eq!(word(&copied_to(0x2102_0100, |_| ()), kept(0)), 42);
    let cache_off = |asm: &mut Asm| {
        asm.poke(XIP_CTRL, 0);
    };
    assert_eq!(word(&copied_to(0x1500_0100, cache_off), kept(0)), 42);
}

#[test]
fn nothing_is_executed_from_the_memory_of_the_usb_controller() {
    const AT: u32 = 0x5010_0100;
    let chip = copied_to(AT, |asm| {
        asm.poke(RESETS_CLEAR, 1 << 24);
    });
    assert_eq!(chip.fault().map(|fault| fault.kind), Some(FaultKind::Fetch { address: AT }));
}

#[test]
fn a_jump_to_where_no_memory_is_faults() {
    for address in [0x3000_0000, 0x4000_0000, 0x2004_2000, 0x0000_4000, 0xd000_0000] {
        let mut asm = in_ram();
        asm.constant(3, address | 1).blx(3).stop();
        let mut chip = chip_with(asm);
        let Stop::LockedUp(fault) = run(&mut chip, 100) else { panic!("{address:#x} runs") };
        assert_eq!(fault.kind, FaultKind::Fetch { address });
    }
}

#[test]
fn code_runs_from_every_window_onto_the_flash() {
    for window in [0x1000_0000, 0x1100_0000, 0x1200_0000, 0x1300_0000] {
        let mut asm = in_flash();
        call(&mut asm, window + FLASH_OFFSET, kept(0));
        asm.stop();
        let mut chip = chip_with(asm);
        chip.write_memory(FLASH_FUNCTION, &function(5).to_le_bytes()).expect("flash");
        run(&mut chip, 1000);
        assert_eq!(word(&chip, kept(0)), 5, "{window:#x}");
    }
}

#[test]
fn a_breakpoint_stops_code_in_an_uncached_window_before_it_begins() {
    let window = 0x1300_0000;
    let mut asm = in_flash();
    call(&mut asm, window + FLASH_OFFSET, kept(0));
    asm.stop();
    let mut chip = chip_with(asm);
    chip.write_memory(FLASH_FUNCTION, &function(5).to_le_bytes()).expect("flash");
    chip.set_breakpoints(vec![window + FLASH_OFFSET]);
    let stop = run(&mut chip, 1000);
    assert_eq!(stop, Stop::Debug(0, DebugEvent::Breakpoint(window + FLASH_OFFSET)));
    assert_eq!(chip.core(0).registers()[15], window + FLASH_OFFSET);
    chip.pass_breakpoint(0);
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 5);
}

#[test]
fn a_smaller_flash_repeats_itself_in_its_window() {
    let mut asm = in_flash();
    asm.keep(0x1010_0000 + VECTORS_BYTES, kept(0)).keep(0x1000_0000 + VECTORS_BYTES, kept(1)).stop();
    let chip = ran(asm);
    assert_eq!(word(&chip, kept(0)), word(&chip, kept(1)));
}

#[test]
fn nothing_is_executed_behind_the_last_instruction_of_a_memory() {
    for end in [0x2004_2000, 0x1010_0000] {
        let mut asm = in_ram();
        asm.constant(3, (end - 2) | 1).blx(3).stop();
        let mut chip = chip_with(asm);
        // MOVS R0, R0
        chip.write_memory(end - 2, &[0, 0]).expect("memory");
        let Stop::LockedUp(fault) = run(&mut chip, 1000) else { panic!("it runs on behind {end:#x}") };
        assert_eq!((fault.kind, fault.pc), (FaultKind::Fetch { address: end }, end));
    }
}

#[test]
fn code_beside_much_written_data_is_executed_as_it_stands() {
    // A function in the page of a counter, which is executed and replaced again and again: it returns 1, then 2, 3, ...
    const FUNCTION: u32 = 0x2001_8000;
    const COUNTER: u32 = FUNCTION + 0x40;
    let mut asm = in_ram();
    asm.constant(4, FUNCTION).constant(5, COUNTER).constant(2, function(0)).movs(0, 0).str(0, 5, 0);
    asm.label("next").adds(2, 1).str(2, 4, 0).movs(3, 100);
    // 100 times: the counter grows by what the function returns.
    asm.label("again").constant(1, FUNCTION | 1).blx(1).ldr(1, 5, 0).op(0x1840).str(0, 5, 0);
    asm.subs(3, 1).b_if(If::NotEqual, "again").constant(1, function(20)).op(0x428a);
    asm.b_if(If::NotEqual, "next").stop().pool();
    let mut chip = chip_with(asm);
    run(&mut chip, 20_000);
    assert_eq!(word(&chip, COUNTER), 100 * (1..=20).sum::<u32>());
}
