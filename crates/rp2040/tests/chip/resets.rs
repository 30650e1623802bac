//! Resets that an image asks for: watchdog and AIRCR.

use crate::asm::{If, RAM, SIO};
use crate::bench::*;
use mcu::Sleep;

const WATCHDOG: u32 = 0x4005_8000;
const LOAD: u32 = WATCHDOG + 4;
const REASON: u32 = WATCHDOG + 8;
const SCRATCH0: u32 = WATCHDOG + 0xc;
const TRIGGER: u32 = 1 << 31;
const ENABLE: u32 = 1 << 30;
const AIRCR: u32 = 0xe000_ed0c;
const GPIO_OE_SET: u32 = 0xd000_0024;
const GPIO_OE: u32 = 0xd000_0020;
const SPINLOCK_ST: u32 = SIO + 0x5c;
const SPINLOCK29: u32 = SIO + 0x100 + 4 * 29;
const MAILBOX_STATUS: u32 = SIO + 0x50;
const RESETS: u32 = 0x4000_c000;
const RESETS_WDSEL: u32 = RESETS + 4;
const PSM_WDSEL: u32 = 0x4001_0008;
/// What pico-sdk selects: all but ROSC and XOSC.
const ALL_BUT_OSCILLATORS: u32 = 0x1_fffc;
const STAGE_SIO: u32 = 1 << 14;
const STAGE_PROC0: u32 = 1 << 15;
const STAGE_PROC1: u32 = 1 << 16;
const PIO0: u32 = 1 << 10;
const PWM: u32 = 1 << 14;
const SYST_CSR: u32 = 0xe000_e010;
const CORE1_STACK: u32 = 0x2002_8000;

#[test]
fn a_reboot_by_the_watchdog_keeps_scratch_and_says_why() {
    let mut asm = in_ram();
    asm.keep(GPIO_OE, kept(2)).count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.poke(PSM_WDSEL, ALL_BUT_OSCILLATORS);
    asm.poke(GPIO_OE_SET, 1).poke(SCRATCH0, 0x1234_5678).poke(WATCHDOG, TRIGGER).log(9).stop();
    asm.label("again").keep(SCRATCH0, kept(1)).keep(REASON, kept(3)).log(1).stop();
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1, 2, 3].map(|n| word(&chip, kept(n))), [2, 0x1234_5678, 0, 2]);
    assert_eq!(chip.counts().resets, 1);
    // The store that triggers is the last one.
    assert_eq!(log(&chip), 1);
}

#[test]
fn the_watchdog_reboots_when_nobody_reloads_it() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.poke(PSM_WDSEL, ALL_BUT_OSCILLATORS)
        .poke(WATCHDOG + 0x2c, 0x200 | 6)
        .poke(LOAD, 2 * 500)
        .poke(WATCHDOG, ENABLE)
        .stop();
    asm.label("again").keep(REASON, kept(1)).stop();
    let mut chip = chip_with(asm);
    run(&mut chip, 400);
    assert_eq!(chip.counts().resets, 0);
    run(&mut chip, 20_000);
    assert_eq!(chip.counts().resets, 1);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [2, 1]);
}

/// RP2040 datasheet 4.7: WDSEL says what is reset, and is 0 after power-on (2.13.5 and 2.14.3).
#[test]
fn a_watchdog_for_which_nothing_is_selected_fires_and_resets_nothing() {
    let mut asm = in_ram();
    asm.count(kept(0), 1);
    asm.poke(GPIO_OE_SET, 1).poke(WATCHDOG, TRIGGER | ENABLE).keep(GPIO_OE, kept(1)).keep(REASON, kept(2));
    asm.keep(WATCHDOG, kept(3)).stop();
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1, 2].map(|n| word(&chip, kept(n))), [1, 1, 2]);
    assert_eq!(word(&chip, kept(3)) & (TRIGGER | ENABLE), 0, "it counts no more");
    assert_eq!(chip.counts().resets, 0);
}

/// RP2040 datasheet 2.14.3, WDSEL.
#[test]
fn a_watchdog_resets_the_blocks_that_resets_wdsel_names_and_the_program_goes_on() {
    let mut asm = in_ram();
    let pwm_top = 0x4005_0010;
    asm.count(kept(0), 1).poke(RESETS_CLEAR, PWM | PIO0).poke(pwm_top, 99).keep(pwm_top, kept(1));
    asm.poke(RESETS_WDSEL, PWM).poke(WATCHDOG, TRIGGER).keep(RESETS, kept(2));
    asm.poke(RESETS_CLEAR, PWM).keep(pwm_top, kept(3)).stop();
    let chip = ran(asm);
    assert_eq!([0, 1, 3].map(|n| word(&chip, kept(n))), [1, 99, 0xffff]);
    assert_eq!(word(&chip, kept(2)) & (PWM | PIO0), PWM);
    assert_eq!(chip.counts().resets, 0);
}

/// RP2040 datasheet 2.13: the cores are the last stages, so that who selects one of them restarts no stage before it.
#[test]
fn a_watchdog_for_which_core_0_is_selected_restarts_both_cores_and_no_block() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.launch("core1", RAM, CORE1_STACK).wait(250, "counts").poke(GPIO_OE_SET, 1).poke(RESETS_CLEAR, PIO0);
    asm.poke(PSM_WDSEL, STAGE_PROC0).poke(WATCHDOG, TRIGGER).stop();
    asm.label("again").keep(GPIO_OE, kept(1)).keep(RESETS, kept(2)).keep(PSM_WDSEL, kept(3)).stop();
    asm.label("core1").label("round").count(kept(4), 1).b("round");
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1, 3].map(|n| word(&chip, kept(n))), [2, 1, STAGE_PROC0]);
    assert_eq!(word(&chip, kept(2)) & PIO0, 0);
    assert_eq!((chip.core(1).sleep(), chip.counts().resets), (Sleep::Launch, 1));
    assert!(word(&chip, kept(4)) > 10);
}

/// RP2040 datasheet 2.13: core 1 is the last stage of all.
#[test]
fn a_watchdog_for_which_core_1_alone_is_selected_leaves_core_0_alone() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).launch("core1", RAM, CORE1_STACK).wait(250, "counts");
    asm.poke(PSM_WDSEL, STAGE_PROC1).poke(WATCHDOG, TRIGGER).wait(5, "settles").keep(kept(4), kept(1));
    asm.wait(250, "held").keep(kept(4), kept(2)).stop();
    asm.label("core1").label("round").count(kept(4), 1).b("round");
    let chip = ran(asm);
    let [starts, at_once, later] = [0, 1, 2].map(|n| word(&chip, kept(n)));
    assert!(starts == 1 && at_once > 10 && later == at_once, "{starts} {at_once} {later}");
    assert_eq!(chip.core(1).sleep(), Sleep::Launch);
}

/// RP2040 datasheet 2.13: SIO comes before the cores and behind RESETS.
#[test]
fn a_watchdog_for_which_the_single_cycle_block_is_selected_resets_it_and_the_cores() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.poke(GPIO_OE_SET, 1)
        .poke(RESETS_CLEAR, PIO0)
        .poke(PSM_WDSEL, STAGE_SIO)
        .poke(WATCHDOG, TRIGGER)
        .stop();
    asm.label("again").keep(GPIO_OE, kept(1)).keep(RESETS, kept(2)).stop();
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [2, 0]);
    assert_eq!(word(&chip, kept(2)) & PIO0, 0);
}

/// RP2040 datasheet 2.4.2.9: "The NVIC only resets the Cortex-M0+ processor core". So spinlocks stay taken and pins driven
/// (raspberrypi/pico-feedback#329, rp-rs/rp-hal#613).
#[test]
fn sysresetreq_restarts_the_core_that_asks_and_no_block() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.poke(GPIO_OE_SET, 1).keep(SPINLOCK29, kept(1)).poke(SCRATCH0, 77).poke(RESETS_CLEAR, PIO0);
    asm.poke(ISER, 1 << 5)
        .poke(SYST_CSR + 4, 0xff_ffff)
        .poke(SYST_CSR, 5)
        .poke(AIRCR, 0x05fa_0004)
        .log(9)
        .stop();
    asm.label("again").keep(GPIO_OE, kept(1)).keep(SPINLOCK_ST, kept(2)).keep(SCRATCH0, kept(3));
    asm.keep(REASON, kept(4)).keep(RESETS, kept(5)).keep(ISER, kept(6)).keep(SYST_CSR, kept(7)).log(1).stop();
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1, 2, 3, 4].map(|n| word(&chip, kept(n))), [2, 1, 1 << 29, 77, 0]);
    assert_eq!(word(&chip, kept(5)) & PIO0, 0);
    assert_eq!([6, 7].map(|n| word(&chip, kept(n))), [0, 0], "its NVIC and SysTick are reset");
    assert_eq!((log(&chip), chip.counts().resets), (1, 1), "the store that asks is the last one");
}

/// RP2040 datasheet 2.4.2.9.
#[test]
fn core_1_runs_on_while_core_0_is_reset_by_sysresetreq() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.launch("core1", RAM, CORE1_STACK).wait(250, "counts").poke(AIRCR, 0x05fa_0004).stop();
    asm.label("again").keep(kept(4), kept(1)).wait(250, "counts on").keep(kept(4), kept(2)).stop();
    asm.label("core1").label("round").count(kept(4), 1).b("round");
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    let [starts, before, after] = [0, 1, 2].map(|n| word(&chip, kept(n)));
    assert!(starts == 2 && before > 10 && after > before + 10, "{starts} {before} {after}");
    assert_eq!(chip.core(1).sleep(), Sleep::Awake);
}

/// RP2040 datasheet 2.4.2.9 and 2.8.2: in the boot ROM core 1 waits to be launched, and says so by a zero.
#[test]
fn core_1_waits_to_be_launched_after_its_own_sysresetreq_and_core_0_goes_on() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).launch("core1", RAM, CORE1_STACK);
    // What core 1 had sent by then is taken from the mailbox.
    asm.constant(4, SIO).ldr(5, 4, 0x58).ldr(5, 4, 0x58).ldr(5, 4, 0x58).ldr(5, 4, 0x58);
    asm.poke(GPIO_OE_SET, 1).wait(250, "asks").keep(MAILBOX_STATUS, kept(1)).keep(GPIO_OE, kept(2)).stop();
    asm.label("core1").count(kept(3), 1).wait(200, "drained").poke(AIRCR, 0x05fa_0004).log(9).stop();
    let chip = ran(asm);
    assert_eq!([0, 2, 3].map(|n| word(&chip, kept(n))), [1, 1, 1]);
    assert_eq!(word(&chip, kept(1)) & 1, 1, "the zero of the boot ROM");
    assert_eq!((chip.core(1).sleep(), log(&chip), chip.counts().resets), (Sleep::Launch, 0, 1));
}

#[test]
fn a_debuggers_reset_is_one_of_the_whole_chip() {
    let mut asm = in_ram();
    asm.keep(GPIO_OE, kept(1)).poke(GPIO_OE_SET, 1).log(1).stop();
    let mut chip = ran(asm);
    chip.reset_now().expect("it starts again");
    run(&mut chip, 20_000);
    assert_eq!((word(&chip, kept(1)), log(&chip)), (0, 0x11));
}

#[test]
fn aircr_without_its_key_resets_nothing() {
    let mut asm = in_ram();
    asm.poke(AIRCR, 4).log(1).stop();
    let chip = ran(asm);
    assert_eq!((log(&chip), chip.counts().resets), (1, 0));
}
