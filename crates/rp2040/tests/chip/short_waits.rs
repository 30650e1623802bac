//! Loops of a few instructions that wait for the time, for a pin or for SysTick, as delays and drivers do. The core leaves turns of them
//! out by itself; nobody can tell.

use units::Picoseconds;

use crate::asm::{Asm, If};
use crate::bench::*;
use crate::waiting::{IO_BANK0, SYSTICK, Wait, check_unheard, chip};

const WATCHDOG_TICK: u32 = 0x4005_802c;
const TIMER: u32 = 0x4005_4000;
const TIMERAWH: u8 = 0x24;
const TIMERAWL: u8 = 0x28;
const PWM5: u32 = 0x4005_0000 + 5 * 0x14;
const SIO: u32 = 0xd000_0000;
const GPIO_IN: u8 = 4;
/// Output A of PWM slice 5.
const PIN: u32 = 10;

/// The timer counts microseconds of the crystal of 12 MHz (RP2040 datasheet 4.7.2).
fn with_timer(asm: &mut Asm) -> &mut Asm {
    asm.poke(WATCHDOG_TICK, 1 << 9 | 12).constant(4, TIMER)
}

/// As the Pico SDK waits: until the lower half is no longer below R1, while the upper half is R3.
fn for_the_time(asm: &mut Asm) {
    const CMP_R0_R1: u16 = 0x4288;
    const CMP_R2_R3: u16 = 0x429a;
    with_timer(asm).ldr(3, 4, TIMERAWH).ldr(1, 4, TIMERAWL).adds(1, 37);
    asm.label("time").ldr(0, 4, TIMERAWL).op(CMP_R0_R1).b_if(If::CarryClear, "below").b("over");
    asm.label("below").ldr(2, 4, TIMERAWH).op(CMP_R2_R3).b_if(If::Equal, "time").label("over");
}

/// The same with the branches so that a turn has one that is taken.
fn for_the_time_in_one_branch(asm: &mut Asm) {
    with_timer(asm).ldr(3, 4, TIMERAWH).ldr(1, 4, TIMERAWL).adds(1, 37).b("time");
    asm.label("high").ldr(2, 4, TIMERAWH).op(0x429a).b_if(If::NotEqual, "over");
    asm.label("time").ldr(0, 4, TIMERAWL).op(0x4288).b_if(If::CarryClear, "high").label("over");
}

/// As rp2040-hal waits: what has passed since the last look is taken from what is left, four times in a turn.
fn for_what_is_left(asm: &mut Asm) {
    with_timer(asm).movs(1, 41).ldr(2, 4, TIMERAWL);
    asm.label("turn").ldr(3, 4, TIMERAWL).op(0x1a9a).op(0x4291).b_if(If::LowerOrSame, "over");
    asm.op(0x1a8a).ldr(1, 4, TIMERAWL).op(0x1acb).op(0x429a).b_if(If::LowerOrSame, "over");
    asm.op(0x1ad2).ldr(3, 4, TIMERAWL).op(0x1a59).op(0x428a).b_if(If::LowerOrSame, "over");
    asm.op(0x1a51).ldr(2, 4, TIMERAWL).op(0x1ad3).op(0x1ac9).b_if(If::Higher, "turn").label("over");
}

/// Until a pin that the PWM drives has come and gone, some 700 cycles each; then when it is about as fast as a turn.
fn for_a_pin(asm: &mut Asm) {
    const TST_R0_R1: u16 = 0x4208;
    let speeds =
        [(700, "high", "low"), (40, "fast high", "fast low"), (9, "9 high", "9 low"), (3, "3 high", "3 low")];
    asm.poke(IO_BANK0 + 4 + 8 * PIN, 4).constant(4, SIO).constant(1, 1 << PIN);
    for (cycles, high, low) in speeds {
        asm.poke(PWM5 + 0x10, 2 * cycles - 1).poke(PWM5 + 0xc, cycles).poke(PWM5, 1);
        asm.label(high).ldr(0, 4, GPIO_IN).op(TST_R0_R1).b_if(If::Equal, high);
        asm.label(low).ldr(0, 4, GPIO_IN).op(TST_R0_R1).b_if(If::NotEqual, low);
    }
}

/// Until SysTick has passed zero, as the flag in its control register says (`lsls r0, r0, #15`).
fn for_the_flag_of_systick(asm: &mut Asm) {
    asm.constant(4, SYSTICK);
    asm.label("flag").ldr(0, 4, 0).op(0x03c0).b_if(If::Plus, "flag");
}

#[test]
fn a_short_wait_is_as_long_as_its_turns() {
    let waits =
        [for_the_time, for_the_time_in_one_branch, for_what_is_left, for_a_pin, for_the_flag_of_systick];
    for wait in waits {
        for seed in 0..12 {
            check_unheard(in_ram, wait, seed);
            check_unheard(in_flash, wait, seed);
        }
    }
}

/// When core 0 waited at a clock, and for how long, with each turn of its waits executed or not.
fn waits_at_a_clock(wait: Wait, seed: u64, is_watched: bool) -> Vec<(Picoseconds, Picoseconds)> {
    let mut chip = chip(in_flash, wait, 6000 + 100 * seed as u32, usize::MAX);
    chip.record_waits(true);
    if is_watched {
        chip.set_breakpoints(vec![0x1000_fffe]);
    }
    run(&mut chip, 3000);
    chip.take_waits().at_clock
}

#[test]
fn a_pause_of_the_firmware_is_known_to_be_one_although_its_turns_are_left_out() {
    for wait in [for_the_time_in_one_branch, for_what_is_left, for_the_flag_of_systick] {
        for seed in 0..12 {
            let [all, left_out] = [true, false].map(|is_watched| waits_at_a_clock(wait, seed, is_watched));
            assert_eq!(all, left_out, "seed {seed}");
            let waited: i64 = all.iter().map(|(from, to)| to.ps() - from.ps()).sum();
            assert!(waited > us(2000).ps(), "{all:?} with seed {seed}");
        }
    }
}
