//! Sleeping and waking: WFI, WFE, events, SysTick, interrupts as levels.

use mcu::Stop;
use mcu::{Mcu, Reports, Sleep};

use crate::asm::{Asm, If, RAM};
use crate::bench::*;

const LR: u8 = 14;
const SYSTICK: u32 = 0xe000_e010;
const TIMER_INTF: u32 = 0x4005_403c;
/// An interrupt that no block uses.
const SPARE: usize = 26;

const CLK_SYS_CTRL: u32 = 0x4000_803c;
const CLK_SYS_RESUS_CTRL: u32 = 0x4000_8078;
/// clk_sys comes from its auxiliary source, which is PLL_SYS at value 0 and GPIN0 at value 4 (RP2040 datasheet 2.15.7).
const AUX_PLL_SYS: u32 = 1;
const AUX_GPIN0: u32 = 4 << 5 | 1;

const ROSC_DORMANT: u32 = 0x4006_000c;
const COMA: u32 = 0x636f_6d61;
const PAD_OF_GPIO1: u32 = 0x4001_c008;
const INPUT_ENABLED: u32 = 1 << 6;
const DORMANT_WAKE_INTE0: u32 = 0x4001_4160;
const GPIO1_EDGE_HIGH: u32 = 1 << 7;

/// SysTick interrupts once every so many cycles.
fn ticking(cycles: u32) -> Asm {
    let mut asm = in_ram();
    asm.poke(SYSTICK + 4, cycles - 1).poke(SYSTICK + 8, 0).poke(SYSTICK, 7);
    asm
}

#[test]
fn wfi_ends_with_an_interrupt_after_its_handler() {
    let mut asm = ticking(2000);
    asm.log(1).wfi().log(3).stop();
    asm.handler(15, "tick").log(2).poke(SYSTICK, 0).bx(LR);
    let chip = ran(asm);
    assert_eq!(log(&chip), 0x123);
    assert!((1900..2000).contains(&chip.counts().idle_cycles[0]), "{:?}", chip.counts());
}

#[test]
fn the_supply_feels_a_sleep_of_both_cores_and_the_work_of_either() {
    let mut asm = ticking(2000);
    asm.log(1).wfi().log(3).stop();
    asm.handler(15, "tick").log(2).poke(SYSTICK, 0).bx(LR);
    let counts = Mcu::counts(&ran(asm));
    let [running, asleep] = counts.states[..] else { panic!("{counts:?}") };
    // Core 1 was never started: what core 0 sleeps, both do.
    assert_eq!((running.state, asleep.state), ("running", "asleep"));
    assert_eq!((asleep.cycles, asleep.core_cycles), (counts.idle_cycles[0], 0));
    assert_eq!(running.cycles + asleep.cycles, counts.cycles);
    assert_eq!(running.core_cycles, running.cycles);
    let hz = counts.cycles as f64 / (running.time + asleep.time).ps() as f64;
    assert!((asleep.cycles as f64 / asleep.time.ps() as f64 / hz - 1.0).abs() < 0.01);
}

#[test]
fn wfi_with_interrupts_masked_ends_and_the_handler_waits() {
    let mut asm = ticking(2000);
    asm.mask_interrupts().log(1).wfi().log(2).unmask_interrupts().log(4).stop();
    asm.handler(15, "tick").log(3).poke(SYSTICK, 0).bx(LR);
    assert_eq!(log(&ran(asm)), 0x1234);
}

#[test]
fn wfi_does_not_sleep_while_an_interrupt_is_pending() {
    let mut asm = in_ram();
    asm.mask_interrupts().poke(ISER, 1 << SPARE).poke(ISPR, 1 << SPARE).wfi().log(1).stop();
    assert_eq!(log(&ran(asm)), 1);
}

#[test]
fn wfi_with_nothing_to_come_sleeps_for_ever_and_says_so() {
    let mut asm = in_ram();
    asm.poke(ISPR, 1 << SPARE).wfi().log(1).stop();
    let mut chip = chip_with(asm);
    // The USB host looks at its cable for a while.
    let stop = chip.run_until(us(1_000_000));
    assert!(matches!(stop, Stop::Asleep | Stop::Time), "{stop:?}");
    assert_eq!((chip.core(0).sleep(), log(&chip)), (Sleep::Interrupt, 0));
}

#[test]
fn wfe_passes_once_for_an_event_and_then_sleeps() {
    let mut asm = in_ram();
    asm.sev().wfe().log(1).wfe().log(2).stop();
    let chip = ran(asm);
    assert_eq!((chip.core(0).sleep(), log(&chip)), (Sleep::Event, 1));
}

#[test]
fn the_other_core_ends_wfe_with_sev() {
    let mut asm = in_ram();
    asm.launch("core1", RAM, STACK - 0x1000).sev().wfe().log(1).wfe().log(2).stop();
    asm.label("core1").wait(200, "long").wait(200, "longer").log(3).sev().stop();
    let chip = ran(asm);
    assert_eq!(log(&chip), 0x132);
}

#[test]
fn an_interrupt_that_becomes_pending_is_an_event_only_with_sevonpend() {
    for (control, expected) in [(0, 0x1), (1 << 4, 0x12)] {
        let mut asm = in_ram();
        asm.poke(SCR, control).sev().wfe().poke(ISPR, 1 << SPARE).log(1).wfe().log(2).stop();
        assert_eq!(log(&ran(asm)), expected, "SCR {control:#x}");
    }
}

#[test]
fn a_line_that_is_not_enabled_wakes_wfe_with_sevonpend() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, 1 << 21).poke(SCR, 1 << 4);
    asm.launch("core1", RAM, STACK - 0x1000).sev().wfe().log(1).wfe().log(2).stop();
    asm.label("core1").wait(200, "long").log(3).poke(TIMER_INTF, 1).stop();
    assert_eq!(log(&ran(asm)), 0x132);
}

#[test]
fn sleep_on_exit_goes_back_to_sleep_after_every_handler() {
    let mut asm = ticking(500);
    asm.poke(SCR, 2).wfi().label("never").log(1).stop();
    asm.handler(15, "tick").count(kept(0), 1).bx(LR);
    let chip = ran(asm);
    // A millisecond of the ring oscillator's 6.5 MHz.
    assert!((12..=13).contains(&word(&chip, kept(0))), "{}", word(&chip, kept(0)));
    assert_eq!((chip.core(0).sleep(), log(&chip)), (Sleep::Interrupt, 0));
}

#[test]
fn systick_interrupts_at_its_period_while_code_runs() {
    let mut asm = ticking(650);
    asm.stop();
    asm.handler(15, "tick").count(kept(0), 1).bx(LR);
    let chip = ran(asm);
    // Ten periods in a millisecond, less what came before it was switched on.
    assert_eq!(word(&chip, kept(0)), 9);
}

#[test]
fn a_line_that_stays_high_comes_again_and_cannot_be_cleared() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, 1 << 21).poke(TIMER_INTF, 1);
    // Not enabled yet: clearing does nothing while the line is high, and something once it is low.
    asm.poke(ICPR, 1).keep(ISPR, kept(0));
    asm.poke(TIMER_INTF, 0).keep(ISPR, kept(1)).poke(ICPR, 1).keep(ISPR, kept(2));
    asm.poke(TIMER_INTF, 1).poke(ISER, 1).log(9).stop();
    asm.handler(IRQ0, "line").log(1).count(kept(3), 1).subs(7, 3).b_if(If::NotEqual, "more");
    asm.poke(TIMER_INTF, 0);
    asm.label("more").bx(LR);
    let chip = ran(asm);
    assert_eq!([0, 1, 2].map(|n| word(&chip, kept(n)) & 1), [1, 1, 0]);
    assert_eq!(log(&chip), 0x1119);
}

#[test]
fn a_clock_that_never_comes_ends_the_run_and_is_told() {
    for (source, name) in [(AUX_PLL_SYS, "PLL_SYS"), (AUX_GPIN0, "GPIN0 (GPIO 20)")] {
        let mut asm = in_ram();
        asm.log(1).poke(CLK_SYS_CTRL, source).log(2).stop();
        let mut chip = chip_with(asm);
        assert_eq!(run(&mut chip, 1_000_000), Stop::Asleep);
        assert!(chip.now() < us(1_000), "{:?}", chip.now());
        assert_eq!((log(&chip), chip.sys_hz()), (0x1, 0));
        let told = chip.describe_stopped_clock().unwrap();
        assert!(told.contains(name) && told.contains("has no clock"), "{told}");
        assert!(chip.wakes_from_outside().is_empty());
        assert_eq!(run(&mut chip, 1_000_000), Stop::Asleep, "for good");
    }
}

#[test]
fn a_core_whose_clock_is_resuscitated_goes_on_at_once() {
    let mut asm = in_ram();
    // 65 cycles of clk_ref at 6.5 MHz are 10 us (RP2040 datasheet 2.15.5).
    asm.poke(CLK_SYS_RESUS_CTRL, 1 << 8 | 65);
    asm.log(1).poke(CLK_SYS_CTRL, AUX_PLL_SYS).log(2).stop();
    let mut chip = chip_with(asm);
    assert_eq!(run(&mut chip, 1_000), Stop::Time);
    assert!(log(&chip) == 0x12 && chip.now() < us(1_001), "{:?}", chip.now());
    assert_eq!(chip.describe_stopped_clock(), None);
}

#[test]
fn a_pin_wakes_a_dormant_chip_at_once() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX)
        .poke(PAD_OF_GPIO1, INPUT_ENABLED)
        .poke(DORMANT_WAKE_INTE0, GPIO1_EDGE_HIGH);
    asm.log(1).poke(ROSC_DORMANT, COMA).log(2).stop();
    let mut chip = chip_with(asm);
    chip.drive_pin(1, Some(false));
    assert_eq!(run(&mut chip, 3_000_000), Stop::Asleep);
    let since = chip.now();
    assert_eq!((log(&chip), chip.sys_hz()), (0x1, 0));
    assert!(chip.describe_stopped_clock().unwrap().contains("dormant"));
    assert_eq!(chip.wakes_from_outside(), ["a pin wakes its oscillator"]);
    chip.drive_pin(1, Some(true));
    chip.run_until(since + us(100));
    assert_eq!((log(&chip), chip.sys_hz()), (0x12, 6_500_000));
    assert!(chip.now() < since + us(101), "{:?}", chip.now());
}

#[test]
fn a_pin_that_nobody_listens_to_wakes_no_dormant_chip() {
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX)
        .poke(PAD_OF_GPIO1, INPUT_ENABLED)
        .log(1)
        .poke(ROSC_DORMANT, COMA)
        .log(2)
        .stop();
    let mut chip = chip_with(asm);
    run(&mut chip, 1_000);
    chip.drive_pin(1, Some(true));
    run(&mut chip, 5_000_000);
    assert_eq!((log(&chip), chip.sys_hz()), (0x1, 0));
}
