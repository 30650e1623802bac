//! Two cores: launch, reset by the power-on state machine, and meeting at a bank of SRAM.

use mcu::Sleep;
use rp2040::chip::Rp2040;

use crate::asm::{Asm, If, RAM, SIO};
use crate::bench::*;

const CORE1_STACK: u32 = 0x2002_8000;
const FRCE_OFF: u32 = 0x4001_0004;
const PROC1: u32 = 1 << 16;
const SCRATCH_X: u32 = 0x2004_0000;
const SCRATCH_Y: u32 = 0x2004_1000;

#[test]
fn core_1_sleeps_until_it_is_launched_through_the_fifo() {
    let mut asm = in_ram();
    asm.keep(SIO, kept(0)).launch("core1", RAM, CORE1_STACK).stop();
    asm.label("core1").keep(SIO, kept(1)).mov(0, 13).keep_register(0, kept(2));
    asm.keep(VTOR, kept(3)).movs(0, 0).keep_register(0, kept(4)).stop();
    asm.label("end");
    let launch = asm.clone();
    let chip = ran(launch);
    // CPUID of each core; stack and vector table as sent.
    assert_eq!([0, 1, 2, 3].map(|n| word(&chip, kept(n))), [0, 1, CORE1_STACK, RAM]);
    let mut alone = in_ram();
    alone.stop();
    let chip = ran(alone);
    assert_eq!((chip.core(1).sleep(), chip.counts().instructions[1]), (Sleep::Launch, 0));
}

/// `wait_for_vector` of the boot ROM drains the mailbox and sends one zero (pico-bootrom-rp2040, bootrom_rt0.S).
#[test]
fn core_0_finds_one_zero_of_core_1_in_its_mailbox_at_power_on() {
    const VLD: u32 = 1;
    let (status, read) = (SIO + 0x50, SIO + 0x58);
    let mut asm = in_ram();
    asm.keep(status, kept(0)).keep(read, kept(1)).keep(status, kept(2)).stop();
    let chip = ran(asm);
    let [before, sent, after] = [0, 1, 2].map(|n| word(&chip, kept(n)));
    assert_eq!((before & VLD, sent, after & VLD), (VLD, 0, 0));
}

#[test]
fn a_word_out_of_turn_starts_the_launch_anew() {
    let mut asm = in_ram();
    asm.constant(4, SIO).movs(5, 1).str(5, 4, 0x54).movs(5, 77).str(5, 4, 0x54).sev().wait(200, "a while");
    asm.launch("core1", RAM, CORE1_STACK).stop();
    asm.label("core1").log(1).stop();
    assert_eq!(log(&ran(asm)), 1);
}

/// Core 1 counts up a word for ever.
fn counting_core1(asm: &mut Asm) {
    asm.label("core1").label("round").count(kept(0), 1).b("round");
}

#[test]
fn core_1_is_held_by_the_power_on_state_machine_and_can_be_launched_again() {
    let mut asm = in_ram();
    asm.launch("core1", RAM, CORE1_STACK).wait(250, "counts").poke(FRCE_OFF, PROC1).wait(5, "settles");
    asm.keep(kept(0), kept(1)).wait(250, "held").keep(kept(0), kept(2)).poke(FRCE_OFF, 0);
    asm.wait(250, "let go").keep(kept(0), kept(3)).stop();
    counting_core1(&mut asm);
    let chip = ran(asm);
    let [last, held, released, off] = [0, 1, 2, 3].map(|n| word(&chip, kept(n)));
    assert!(held > 10 && released == held && off == held && last == held, "{held} {released} {off} {last}");
    assert_eq!(chip.core(1).sleep(), Sleep::Launch);
}

#[test]
fn spinlocks_and_outputs_are_free_again_when_the_single_cycle_block_was_reset_below_a_running_core() {
    const FRCE_ON: u32 = FRCE_OFF - 4;
    const PROC0: u32 = 1 << 15;
    const SIO_STAGE: u32 = 1 << 14;
    let (gpio_out_set, gpio_out, spinlock31) = (SIO + 0x14, SIO + 0x10, SIO + 0x17c);
    let mut asm = in_ram();
    // The first read of a spinlock claims it, and the second finds it taken (RP2040 datasheet 2.3.1.3).
    asm.poke(gpio_out_set, 1 << 5).keep(spinlock31, kept(0)).keep(spinlock31, kept(1));
    asm.poke(FRCE_ON, PROC0).poke(FRCE_OFF, SIO_STAGE | PROC1).poke(FRCE_OFF, 0).poke(FRCE_ON, 0);
    asm.keep(spinlock31, kept(2)).keep(gpio_out, kept(3)).stop();
    let chip = ran(asm);
    assert_eq!([0, 1, 2, 3].map(|n| word(&chip, kept(n))), [1 << 31, 0, 1 << 31, 0]);
}

#[test]
fn core_1_runs_again_when_it_is_launched_after_a_reset() {
    let mut asm = in_ram();
    asm.launch("core1", RAM, CORE1_STACK).wait(250, "counts").poke(FRCE_OFF, PROC1).keep(kept(0), kept(1));
    asm.poke(FRCE_OFF, 0).wait(20, "awake");
    // What core 1 sent before its reset is taken, then the launch as before.
    asm.bl("relaunch").wait(250, "counts again").keep(kept(0), kept(2)).stop();
    counting_core1(&mut asm);
    asm.pool();
    asm.label("relaunch").constant(3, RAM + 0x1000).movs(2, 6);
    asm.label("send").ldr(5, 3, 0).constant(4, SIO).str(5, 4, 0x54).sev().wait(60, "pause").ldr(5, 4, 0x58);
    asm.adds(3, 4).subs(2, 1).b_if(If::NotEqual, "send").bx(14);
    let entry = asm.place("core1") | 1;
    let mut chip = chip_with(asm);
    for (i, value) in [0, 0, 1, RAM, CORE1_STACK, entry].into_iter().enumerate() {
        chip.write_memory(RAM + 0x1000 + 4 * i as u32, &value.to_le_bytes()).expect("SRAM");
    }
    run(&mut chip, 2000);
    let [before, after] = [1, 2].map(|n| word(&chip, kept(n)));
    assert!(before > 10 && after > before + 10, "{before} {after}");
}

/// Loads the word at `address` for ever and counts in R2: 11 cycles a round, and those of some NOPs.
fn loader(at: u32, address: u32, nops: usize) -> Vec<u8> {
    let mut asm = Asm::code_at(at);
    asm.constant(1, address).movs(2, 0);
    asm.label("round").ldr(0, 1, 0).ldr(0, 1, 0).ldr(0, 1, 0).ldr(0, 1, 0).adds(2, 1).nops(nops).b("round");
    asm.finish()
}

/// Rounds of core 0 and core 1 with code of their own in the two small banks and data at these addresses.
fn rounds(core0_data: u32, core1_data: u32) -> [u32; 2] {
    let mut asm = in_ram();
    asm.constant(3, SCRATCH_X | 1).launch("core1", RAM, CORE1_STACK).bx(3);
    asm.label("core1").constant(3, SCRATCH_Y | 1).bx(3);
    let mut chip = chip_with(asm);
    chip.write_memory(SCRATCH_X, &loader(SCRATCH_X, core0_data, 0)).expect("SRAM");
    chip.write_memory(SCRATCH_Y, &loader(SCRATCH_Y, core1_data, 1)).expect("SRAM");
    run(&mut chip, 1000);
    let round = |chip: &Rp2040, core: usize| chip.core(core).registers()[2];
    let before = [round(&chip, 0), round(&chip, 1)];
    run(&mut chip, 1000);
    [round(&chip, 0) - before[0], round(&chip, 1) - before[1]]
}

#[test]
fn two_cores_slow_each_other_down_only_at_one_bank_of_sram() {
    const BANK_0: u32 = 0x2000_8000;
    // At 6.5 MHz, with rounds of different length so that the cores meet in every phase.
    let alone = [6500 / 11, 6500 / 12];
    for other_bank in [4, 8, 12] {
        let rounds = rounds(BANK_0, BANK_0 + other_bank);
        assert!(rounds.iter().zip(alone).all(|(&rounds, alone)| rounds.abs_diff(alone) <= 2), "{rounds:?}");
    }
    let [first, second] = rounds(BANK_0, BANK_0 + 16);
    let both = alone[0] + alone[1];
    assert!(first + second < both - 20, "hardly anybody waits: {first} and {second} of {alone:?}");
    assert!(first + second > both * 3 / 4, "{first} and {second} of {alone:?}");
}
