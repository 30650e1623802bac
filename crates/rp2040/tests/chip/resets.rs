//! Resets that an image asks for: watchdog and AIRCR.

use crate::asm::If;
use crate::bench::*;

const WATCHDOG: u32 = 0x4005_8000;
const LOAD: u32 = WATCHDOG + 4;
const REASON: u32 = WATCHDOG + 8;
const SCRATCH0: u32 = WATCHDOG + 0xc;
const TRIGGER: u32 = 1 << 31;
const ENABLE: u32 = 1 << 30;
const AIRCR: u32 = 0xe000_ed0c;
const GPIO_OE_SET: u32 = 0xd000_0024;
const GPIO_OE: u32 = 0xd000_0020;

#[test]
fn a_reboot_by_the_watchdog_keeps_scratch_and_says_why() {
    let mut asm = in_ram();
    asm.keep(GPIO_OE, kept(2)).count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
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
    asm.poke(WATCHDOG + 0x2c, 0x200 | 6).poke(LOAD, 2 * 500).poke(WATCHDOG, ENABLE).stop();
    asm.label("again").keep(REASON, kept(1)).stop();
    let mut chip = chip_with(asm);
    run(&mut chip, 400);
    assert_eq!(chip.counts().resets, 0);
    run(&mut chip, 20_000);
    assert_eq!(chip.counts().resets, 1);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [2, 1]);
}

#[test]
fn sysresetreq_restarts_the_image() {
    let mut asm = in_ram();
    asm.count(kept(0), 1).subs(7, 1).b_if(If::NotEqual, "again");
    asm.poke(GPIO_OE_SET, 1).poke(AIRCR, 0x05fa_0004).stop();
    asm.label("again").keep(GPIO_OE, kept(1)).stop();
    let mut chip = ran(asm);
    run(&mut chip, 20_000);
    assert_eq!([0, 1].map(|n| word(&chip, kept(n))), [2, 0]);
    assert_eq!(chip.counts().resets, 1);
}

#[test]
fn aircr_without_its_key_resets_nothing() {
    let mut asm = in_ram();
    asm.poke(AIRCR, 4).log(1).stop();
    let chip = ran(asm);
    assert_eq!((log(&chip), chip.counts().resets), (1, 0));
}
