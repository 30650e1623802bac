//! Exceptions: entry, return, priorities, stacks, faults (ARMv6-M Architecture Reference Manual B1.5, Cortex-M0+ Technical
//! Reference Manual 3.3 for the cycles).

use mcu::FaultKind;
use mcu::Stop;

use crate::asm::{Asm, CONTROL, MSP, PRIMASK, PSP};
use crate::bench::*;

const LR: u8 = 14;
const SP: u8 = 13;
const RETURN_TO_MAIN: u32 = 0xffff_fff9;
const RETURN_TO_HANDLER: u32 = 0xffff_fff1;
const RETURN_TO_PROCESS: u32 = 0xffff_fffd;
const IPR6: u32 = 0xe000_e418;
const SHPR2: u32 = 0xe000_ed1c;
const SHPR3: u32 = 0xe000_ed20;

/// Interrupts that no block uses.
const A: usize = 26;
const B: usize = 27;

fn both_enabled() -> Asm {
    let mut asm = in_ram();
    asm.poke(ISER, 1 << A | 1 << B);
    asm
}

/// Interrupt A comes while registers hold 0x10 and so on, and the handler stops with SP and LR in R4 and R5.
fn interrupted(stack_offset: u8) -> Asm {
    let mut asm = both_enabled();
    asm.constant(0, STACK - u32::from(stack_offset)).mov(SP, 0);
    asm.movs(0, 0xcc).mov(12, 0).movs(0, 0xee).mov(LR, 0);
    asm.movs(1, 0x11).movs(2, 0x12).movs(3, 0x13);
    asm.constant(6, ISPR).constant(7, 1 << A).movs(0, 0);
    asm.label("pend").str(7, 6, 0).label("next").stop();
    asm.handler(IRQ0 + A, "handler").nop().mov(4, SP).mov(5, LR).label("stop").stop();
    asm
}

#[test]
fn an_interrupt_stacks_eight_words_and_links_to_the_main_stack() {
    let asm = interrupted(0);
    let next = asm.place("next");
    let chip = ran(asm);
    let registers = chip.core(0).registers();
    assert_eq!(registers[4], STACK - 32);
    assert_eq!(registers[5], RETURN_TO_MAIN);
    let frame: Vec<u32> = (0..8).map(|i| word(&chip, STACK - 32 + 4 * i)).collect();
    // Z and no other flag, from MOVS R0, #0; thread mode; Thumb; nothing to align.
    assert_eq!(frame, [0, 0x11, 0x12, 0x13, 0xcc, 0xee, next, 1 << 30 | 1 << 24]);
    assert_eq!(chip.core(0).xpsr() & 0x1ff, (IRQ0 + A) as u32);
}

#[test]
fn a_frame_is_aligned_to_eight_bytes_and_tells_so() {
    let chip = ran(interrupted(4));
    assert_eq!(chip.core(0).registers()[4], STACK - 40);
    assert_eq!(word(&chip, STACK - 40 + 28) >> 9 & 1, 1);
}

#[test]
fn the_first_instruction_of_a_handler_begins_15_cycles_after_the_interrupt() {
    let asm = interrupted(0);
    let [pend, handler] = ["pend", "handler"].map(|label| asm.place(label));
    let mut chip = chip_with(asm);
    go_to(&mut chip, pend);
    chip.step(0);
    assert_eq!(step_cycles(&mut chip), 15 + 1);
    assert_eq!(pc(&chip), handler + 2);
}

#[test]
fn a_return_restores_registers_flags_and_a_stack_that_was_not_aligned() {
    let mut asm = both_enabled();
    asm.constant(0, STACK - 4).mov(SP, 0).movs(1, 0x11).movs(2, 0x12).movs(3, 0x13);
    asm.constant(6, ISPR).constant(7, 1 << A).subs(0, 0).movs(0, 0).str(7, 6, 0).label("stop").stop();
    asm.handler(IRQ0 + A, "handler").movs(0, 9).movs(1, 9).movs(2, 9).movs(3, 9).bx(LR);
    let stop = asm.place("stop");
    let chip = ran(asm);
    assert_eq!(chip.core(0).registers()[..4], [0, 0x11, 0x12, 0x13]);
    assert_eq!(chip.core(0).registers()[13], STACK - 4);
    // Z, and C of the subtraction.
    assert_eq!(chip.core(0).xpsr(), 3 << 29 | 1 << 24);
    assert_eq!(pc(&chip), stop);
}

#[test]
fn a_second_interrupt_tail_chains_without_another_frame() {
    let mut asm = both_enabled();
    asm.poke(ISPR, 1 << A | 1 << B).stop();
    asm.handler(IRQ0 + A, "first").log(1).label("return").bx(LR);
    asm.handler(IRQ0 + B, "second").nop().mov(4, SP).mov(5, LR).log(2).label("stop").stop();
    let [back, second] = ["return", "second"].map(|label| asm.place(label));
    let mut chip = chip_with(asm);
    go_to(&mut chip, back);
    let cycles = step_cycles(&mut chip);
    assert_eq!(pc(&chip), second);
    assert!(cycles < 15, "{cycles} cycles from one handler to the next");
    run(&mut chip, 100);
    assert_eq!(log(&chip), 0x12);
    assert_eq!(chip.core(0).registers()[4..6], [STACK - 32, RETURN_TO_MAIN]);
}

#[test]
fn a_more_urgent_interrupt_nests_and_an_equal_one_waits() {
    for (priority_of_b, expected) in [(0x40, 0x1234), (0x80, 0x1324), (0xc0, 0x1324)] {
        let mut asm = both_enabled();
        asm.poke(IPR6, 0x80 << 16 | priority_of_b << 24).poke(ISPR, 1 << A).log(4).stop();
        asm.handler(IRQ0 + A, "outer").log(1).poke(ISPR, 1 << B).log(3).bx(LR);
        asm.handler(IRQ0 + B, "inner").log(2).mov(4, LR).bx(LR);
        let chip = ran(asm);
        assert_eq!(log(&chip), expected, "priority {priority_of_b:#x}");
        let link = if priority_of_b == 0x40 { RETURN_TO_HANDLER } else { RETURN_TO_MAIN };
        assert_eq!(chip.core(0).registers()[4], link);
    }
}

#[test]
fn of_two_pending_interrupts_the_more_urgent_comes_first_and_then_the_lower_number() {
    for (priorities, expected) in [(0, 0x12), (0x40 << 16, 0x21), (0x40 << 24, 0x12)] {
        let mut asm = both_enabled();
        asm.poke(IPR6, priorities).poke(ISPR, 1 << A | 1 << B).stop();
        asm.handler(IRQ0 + A, "a").log(1).bx(LR);
        asm.handler(IRQ0 + B, "b").log(2).bx(LR);
        assert_eq!(log(&ran(asm)), expected);
    }
}

#[test]
fn primask_holds_interrupts_back_until_it_is_cleared() {
    let mut asm = both_enabled();
    asm.mask_interrupts().poke(ISPR, 1 << A).log(1).mrs(4, PRIMASK).unmask_interrupts().log(3).stop();
    asm.handler(IRQ0 + A, "handler").log(2).bx(LR);
    let chip = ran(asm);
    assert_eq!(log(&chip), 0x123);
    assert_eq!(chip.core(0).registers()[4], 1);
}

#[test]
fn an_interrupt_that_pends_again_in_its_handler_comes_once_more() {
    let mut asm = both_enabled();
    asm.poke(ISPR, 1 << A).log(9).stop();
    asm.handler(IRQ0 + A, "handler").subs(5, 1).log(1);
    asm.constant(6, kept(0)).ldr(7, 6, 0).adds(7, 1).str(7, 6, 0).subs(7, 2);
    asm.b_if(crate::asm::If::Equal, "second").poke(ISPR, 1 << A);
    asm.label("second").bx(LR);
    assert_eq!(log(&ran(asm)), 0x119);
}

#[test]
fn an_interrupt_that_is_cleared_before_it_is_enabled_never_comes() {
    let mut asm = in_ram();
    asm.poke(ISPR, 1 << A | 1 << B).poke(ICPR, 1 << A).poke(ISER, 1 << A | 1 << B).log(3).stop();
    asm.handler(IRQ0 + A, "a").log(1).bx(LR);
    asm.handler(IRQ0 + B, "b").log(2).bx(LR);
    assert_eq!(log(&ran(asm)), 0x23);
}

#[test]
fn svc_is_taken_at_once_and_pendsv_when_nothing_more_urgent_is_left() {
    let mut asm = both_enabled();
    asm.poke(SHPR2, 0x40 << 24).poke(SHPR3, 0xc0 << 16);
    asm.svc(7).log(5).stop();
    asm.handler(11, "svc").log(1).poke(ICSR, 1 << 28).poke(ISPR, 1 << A).log(2);
    asm.ldr_sp(4, 24).bx(LR);
    asm.handler(14, "pend_sv").log(4).bx(LR);
    asm.handler(IRQ0 + A, "a").log(3).bx(LR);
    // Interrupt A has priority 0 and nests; PendSV comes at the end.
    assert_eq!(log(&ran(asm)), 0x13245);
}

/// SVC with interrupts masked, and a handler of HardFault that keeps the stacked address in R4 and has `rest`.
fn escalated(rest: impl FnOnce(&mut Asm)) -> Asm {
    let mut asm = in_ram();
    asm.mask_interrupts().label("svc").svc(3).label("next").log(2).stop();
    asm.handler(11, "svc_handler").log(9).stop();
    asm.handler(3, "hard_fault").log(1).ldr_sp(4, 24);
    rest(&mut asm);
    asm
}

#[test]
fn svc_with_interrupts_masked_is_a_call_of_the_handler_of_hard_fault() {
    let asm = escalated(|asm| {
        asm.bx(LR);
    });
    let next = asm.place("next");
    let mut chip = chip_with(asm);
    assert_eq!(run(&mut chip, 20_000), Stop::Time);
    assert_eq!(log(&chip), 0x12);
    assert_eq!(chip.core(0).registers()[4], next);
    assert_eq!(chip.fault(), None);
}

#[test]
fn svc_with_interrupts_masked_is_a_fault_where_the_handler_does_not_return_within_10_ms() {
    let asm = escalated(|asm| {
        asm.stop();
    });
    let at = asm.place("svc");
    let mut chip = chip_with(asm);
    assert_eq!(run(&mut chip, 9_000), Stop::Time);
    let Stop::Fault(fault) = run(&mut chip, 9_000) else { panic!("no fault") };
    assert_eq!((fault.pc, fault.kind), (at, FaultKind::SvcPriority { number: 3 }));
    assert_eq!(chip.fault(), Some(fault));
    assert!((us(10_000)..us(10_100)).contains(&chip.now()), "{}", chip.now());
}

#[test]
fn a_handler_that_gives_up_on_an_svc_ends_the_run_at_once() {
    let asm = escalated(|asm| {
        asm.bkpt();
    });
    let mut chip = chip_with(asm);
    assert!(matches!(run(&mut chip, 1000), Stop::LockedUp(_)));
}

#[test]
fn svc_in_a_handler_of_its_own_priority_returns_behind_it_too() {
    let mut asm = both_enabled();
    asm.poke(ISPR, 1 << A).log(3).stop();
    asm.handler(IRQ0 + A, "a").svc(0).log(2).bx(LR);
    asm.handler(3, "hard_fault").log(1).bx(LR);
    assert_eq!(log(&ran(asm)), 0x123);
}

#[test]
fn a_fault_goes_to_the_handler_with_the_address_of_the_instruction() {
    let mut asm = in_ram();
    asm.label("fault").undefined().log(2).stop();
    asm.handler(3, "hard_fault").log(1).ldr_sp(4, 24).mov(0, 4).adds(0, 2).str_sp(0, 24).bx(LR);
    let at = asm.place("fault");
    let mut chip = chip_with(asm);
    chip.stop_at_faults(false);
    run(&mut chip, 1000);
    assert_eq!(log(&chip), 0x12);
    assert_eq!(chip.core(0).registers()[4], at);
    assert_eq!(chip.fault().map(|fault| fault.pc), Some(at));
}

#[test]
fn a_fault_in_the_fault_handler_locks_the_core_up_for_good() {
    let mut asm = in_ram();
    asm.undefined().stop();
    asm.handler(3, "hard_fault").log(1).label("second").undefined().log(2).stop();
    let second = asm.place("second");
    let mut chip = chip_with(asm);
    chip.stop_at_faults(false);
    let Stop::LockedUp(fault) = run(&mut chip, 1000) else { panic!("it goes on") };
    assert_eq!(fault.pc, second);
    let reached = chip.now();
    assert_eq!(run(&mut chip, 1000), Stop::Asleep);
    assert!(chip.now() >= reached, "time goes back");
    assert_eq!(log(&chip), 1);
}

#[test]
fn a_stack_where_no_memory_is_locks_the_core_up_at_a_fault() {
    let mut asm = in_ram();
    asm.constant(0, 0x3000_0000).mov(SP, 0).undefined().stop();
    asm.handler(3, "hard_fault").log(1).stop();
    let mut chip = chip_with(asm);
    chip.stop_at_faults(false);
    assert!(matches!(run(&mut chip, 1000), Stop::LockedUp(_)));
    assert_eq!(run(&mut chip, 1000), Stop::Asleep);
}

#[test]
fn threads_run_on_the_process_stack_and_handlers_on_the_main_stack() {
    const PROCESS_STACK: u32 = 0x2002_0000;
    let mut asm = both_enabled();
    asm.constant(0, PROCESS_STACK).msr(PSP, 0).movs(0, 2).msr(CONTROL, 0).isb();
    asm.push(1, false).poke(ISPR, 1 << A).mrs(2, CONTROL).mrs(3, MSP).mov(4, SP).stop();
    asm.handler(IRQ0 + A, "handler").mov(0, SP).keep_register(0, kept(0));
    asm.mov(0, LR).keep_register(0, kept(1)).mrs(0, PSP).keep_register(0, kept(2)).bx(LR);
    let chip = ran(asm);
    assert_eq!([0, 1, 2].map(|n| word(&chip, kept(n))), [STACK, RETURN_TO_PROCESS, PROCESS_STACK - 40]);
    assert_eq!(chip.core(0).registers()[2..5], [2, STACK, PROCESS_STACK - 4]);
    assert_eq!(chip.core(0).stack_pointers(), (STACK, PROCESS_STACK - 4));
}

#[test]
fn unprivileged_threads_cannot_mask_interrupts_nor_change_stacks_nor_gain_privilege() {
    let mut asm = in_ram();
    asm.movs(0, 1).msr(CONTROL, 0).isb();
    asm.mask_interrupts().movs(0, 0x40).msr(MSP, 0).movs(0, 0).msr(CONTROL, 0).isb();
    asm.mov(5, SP).mrs(4, CONTROL).svc(0).stop();
    // A handler is privileged again, and may let the thread be so.
    asm.handler(11, "svc").mrs(0, PRIMASK).keep_register(0, kept(0)).movs(0, 0).msr(CONTROL, 0).bx(LR);
    let chip = ran(asm);
    assert_eq!(chip.core(0).registers()[4..6], [1, STACK]);
    assert_eq!(word(&chip, kept(0)), 0);
    assert_eq!(chip.fault(), None);
}

#[test]
fn unprivileged_threads_fault_at_the_private_bus() {
    let mut asm = in_ram();
    asm.constant(6, ISPR).movs(0, 1).msr(CONTROL, 0).isb().label("load").ldr(0, 6, 0).stop();
    let at = asm.place("load");
    let mut chip = chip_with(asm);
    let Stop::LockedUp(fault) = run(&mut chip, 100) else { panic!("no fault") };
    assert_eq!((fault.pc, fault.kind), (at, FaultKind::Unprivileged { address: ISPR }));
}
