//! While both cores are awake one of them may be some cycles ahead. Whatever it does there, the other one's accesses to registers
//! keep their distance in time: a block must not have come further than the core that writes to it.

use crate::asm::{Asm, If, RAM};
use crate::bench::*;
use crate::pio::PIO;
use crate::spi_dma::at_mhz;
use crate::waiting::SYSTICK;

const CORE1_STACK: u32 = 0x2002_8000;
const TXF0: u8 = 0x10;
const RXF0: u8 = 0x20;
const SM0_CLKDIV: u32 = 0xc8;
const SM0_SHIFTCTRL: u32 = 0xd0;
const SM0_INSTR: u32 = 0xd8;
const AUTOPULL: u32 = 1 << 17;
/// OUT X, 32 and OUT Y, 32.
const OUT_X: u32 = 0x6020;
const OUT_Y: u32 = 0x6040;
/// MOV ISR, X and MOV ISR, Y, and PUSH.
const SHOW_X: u32 = 0xa0c1;
const SHOW_Y: u32 = 0xa0c2;
const PUSH: u32 = 0x8000;
const ROUNDS: u32 = 200;
/// Between a write and the next one: a machine at half the clock takes four cycles at the most for an OUT that has to fetch its
/// word first (RP2040 datasheet 3.5.4).
const PAUSE: usize = 4;
/// Whatever happens, a machine has done an instruction by then.
const LONG_PAUSE: usize = 40;

/// Core 1 loads X and Y of a machine that stands, as drivers do before they start it, and counts the rounds in which either is not
/// what it wrote.
fn loads_two_registers(asm: &mut Asm) {
    asm.label("core1").constant(4, PIO[0]).constant(5, PIO[0] + SM0_INSTR);
    asm.constant(1, OUT_X).constant(2, OUT_Y).constant(7, ROUNDS);
    // X is to be the number of the round, and Y 255 less that: SUBS R6, R7; below CMP R3, R7 and CMP R3, R6.
    asm.label("round").mov(0, 7).movs(6, 255).op(0x1bf6);
    asm.str(0, 4, TXF0).nops(PAUSE).str(1, 5, 0).nops(PAUSE);
    asm.str(6, 4, TXF0).nops(PAUSE).str(2, 5, 0).nops(LONG_PAUSE);
    asm.bl("show x").op(0x42bb).b_if(If::NotEqual, "wrong");
    asm.bl("show y").op(0x42b3).b_if(If::Equal, "right");
    asm.label("wrong").constant(0, kept(0)).ldr(3, 0, 0).adds(3, 1).str(3, 0, 0);
    asm.label("right").subs(7, 1).b_if(If::NotEqual, "round");
    asm.constant(0, kept(1)).movs(6, 1).str(6, 0, 0).stop();
    for (label, shows) in [("show x", SHOW_X), ("show y", SHOW_Y)] {
        asm.label(label).constant(3, shows).str(3, 5, 0).nops(LONG_PAUSE);
        asm.constant(3, PUSH).str(3, 5, 0).nops(LONG_PAUSE).ldr(3, 4, RXF0).bx(14).pool();
    }
}

/// In how many rounds a register was wrong, and whether all were done, while core 0 does something of its own in a loop.
fn wrong_rounds(busy: impl Fn(&mut Asm)) -> [u32; 2] {
    let mut asm = at_mhz(125, in_ram());
    asm.label("set up").poke(PIO[0] + SM0_CLKDIV, 2 << 16).poke(PIO[0] + SM0_SHIFTCTRL, AUTOPULL).bx(14);
    asm.label("main").launch("core1", RAM, CORE1_STACK);
    asm.label("busy");
    busy(&mut asm);
    asm.b("busy").pool();
    loads_two_registers(&mut asm);
    let mut chip = chip_with(asm);
    run(&mut chip, 4000);
    [0, 1].map(|n| word(&chip, kept(n)))
}

#[test]
fn instructions_that_one_core_writes_into_a_machine_are_all_done_whatever_the_other_one_does() {
    let computes = |asm: &mut Asm| {
        asm.nops(7);
    };
    assert_eq!(wrong_rounds(computes), [0, 1]);
    // The interrupt controller is each core's own, and stores to flash and ROM change nothing: who asks or does that far ahead is
    // no reason to let anything else go on.
    for nops in 0..12 {
        for own in [ICSR, ICPR] {
            let asks = |asm: &mut Asm| {
                asm.constant(1, own);
                (0..8).for_each(|_| _ = asm.ldr(0, 1, 0).nops(nops));
            };
            assert_eq!(wrong_rounds(asks), [0, 1], "{nops} cycles between loads from {own:#x}");
        }
        let waits = |asm: &mut Asm| {
            asm.poke(SYSTICK + 4, 40).poke(SYSTICK, 5).constant(1, SYSTICK);
            (0..8).for_each(|_| _ = asm.ldr(0, 1, 0).nops(nops));
        };
        assert_eq!(wrong_rounds(waits), [0, 1], "{nops} cycles between looks at SysTick");
        for own in [ICPR, 0x1000_1000, 0x0000_0100] {
            let stores = |asm: &mut Asm| {
                asm.constant(1, own).movs(0, 0);
                (0..8).for_each(|_| _ = asm.str(0, 1, 0).nops(nops));
            };
            assert_eq!(wrong_rounds(stores), [0, 1], "{nops} cycles between stores to {own:#x}");
        }
    }
}

/// Counts in a word how often SysTick has passed zero, which it does each 1000 cycles.
fn counts_ticks(asm: &mut Asm, label: &'static str, at: u32) {
    asm.poke(SYSTICK + 4, 999).poke(SYSTICK + 8, 0).poke(SYSTICK, 5).constant(4, SYSTICK).constant(5, at);
    asm.movs(3, 0).str(3, 5, 0);
    // lsls r0, r0, #15
    asm.label(label).ldr(0, 4, 0).op(0x03c0).b_if(If::Plus, label);
    asm.adds(3, 1).str(3, 5, 0).b(label).pool();
}

#[test]
fn both_cores_see_each_tick_of_their_own_systick() {
    let mut asm = at_mhz(125, in_ram());
    asm.label("set up").bx(14);
    asm.label("main").launch("core1", RAM, CORE1_STACK);
    counts_ticks(&mut asm, "core 0", kept(0));
    asm.label("core1");
    counts_ticks(&mut asm, "core 1", kept(1));
    let mut chip = chip_with(asm);
    run(&mut chip, 400);
    let before = [0, 1].map(|n| word(&chip, kept(n)));
    run(&mut chip, 4000);
    let ticks = [0, 1].map(|n| word(&chip, kept(n)) - before[n as usize]);
    assert!(
        before.iter().all(|&count| count > 0) && ticks.iter().all(|count| (499..=501).contains(count)),
        "{ticks:?}"
    );
}
