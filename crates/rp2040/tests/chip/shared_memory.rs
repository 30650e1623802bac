//! Two cores and the DMA at work in the same banks of SRAM: random loops run alike with superinstructions and instruction by
//! instruction, and rows of transfers that are made at one go are those that are made one by one.

use mcu::State;
use rp2040::chip::Rp2040;

use crate::asm::{Asm, If, RAM};
use crate::bench::*;
use crate::spi_dma::{MULTI_CHAN_TRIGGER, channel};
use crate::waiting::same;
use testing::Random;

const CORE1_STACK: u32 = 0x2002_8000;
/// Where the loops of the cores are, and the arrays that they work on.
const LOOPS: [u32; 2] = [0x2001_8000, 0x2001_9004];
const ARRAYS: u32 = 0x2001_a000;
/// What the DMA copies, and where to.
const FROM: u32 = 0x2001_c000;
const TO: u32 = 0x2001_e000;
const TRANSFERS: u32 = 500;
const PERFCTR0: u32 = 0x4003_0008;
const PERFSEL0: u32 = 0x4003_000c;
const UNPACED: u32 = 0x3f;
const END_US: i64 = 2000;

/// Instructions on R0 to R2 and on memory at R4, of which R3 is a copy that moves on: many begin a superinstruction.
const BODY: [u16; 24] = [
    0x6820, // ldr r0, [r4]
    0x6861, // ldr r1, [r4, #4]
    0x60a2, // str r2, [r4, #8]
    0x8820, // ldrh r0, [r4]
    0x7062, // strb r2, [r4, #1]
    0x1852, // adds r2, r2, r1
    0x0040, // lsls r0, r0, #1
    0x4041, // eors r1, r0
    0xcb03, // ldmia r3!, {r0, r1}
    0xcb02, // ldmia r3!, {r1}
    0xc305, // stmia r3!, {r0, r2}
    0x2a05, // cmp r2, #5
    0x428a, // cmp r2, r1
    0xd100, // bne over the next but one
    0xd800, // bhi
    0xbf00, // nop
    0x3201, // adds r2, #1
    0x41d1, // rors r1, r2
    0xb403, // push {r0, r1}
    0xbc03, // pop {r0, r1}
    0x0009, // movs r1, r1
    0x6019, // str r1, [r3]
    0x2107, // movs r1, #7
    0xcc03, // ldmia r4, {r0, r1}, which writes R4 back
];

/// A loop for ever.
fn endless(at: u32, array: u32, random: &mut Random) -> Vec<u8> {
    let mut asm = Asm::code_at(at);
    asm.label("round").constant(4, array).op(0x0023);
    let mut pushed = 0;
    for _ in 0..8 + random.below(24) {
        match BODY[random.below(BODY.len() as u32) as usize] {
            0xb403 => {
                pushed += 1;
                asm.op(0xb403);
            }
            0xbc03 if pushed == 0 => _ = asm.nop(),
            0xbc03 => {
                pushed -= 1;
                asm.op(0xbc03);
            }
            // What a branch leaves out must not be a push or a pop.
            branch @ (0xd100 | 0xd800) => _ = asm.op(branch).op(0x1852).op(0x3201),
            op => _ = asm.op(op),
        }
    }
    for _ in 0..pushed {
        asm.op(0xbc03);
    }
    asm.subs(7, 1).b_if(If::Equal, "round").b("round").pool();
    asm.finish()
}

/// Both cores in loops of their own, and two chained channels that copy without a pause.
fn chip(seed: u64, copies: bool) -> Rp2040 {
    let mut random = Random::new(seed);
    let mut asm = in_ram();
    asm.poke(RESETS_CLEAR, u32::MAX);
    for number in 0..2 {
        // Words, now and then halfwords; each address stays or moves on.
        let size = if random.below(4) == 0 { 1 } else { 2 };
        let control = 1 | size << 2 | random.below(4) << 4 | UNPACED << 15 | (1 - number) << 11;
        asm.poke(channel(number), FROM + 4 * random.below(8))
            .poke(channel(number) + 4, TO + 4 * random.below(8));
        asm.poke(channel(number) + 8, TRANSFERS).poke(channel(number) + 0x10, control & !u32::from(!copies));
    }
    asm.poke(MULTI_CHAN_TRIGGER, 1).constant(3, LOOPS[0] | 1).launch("core1", RAM, CORE1_STACK).bx(3).pool();
    asm.label("core1").constant(3, LOOPS[1] | 1).bx(3).pool();
    let mut chip = chip_with(asm);
    for at in LOOPS {
        let array = ARRAYS + 4 * random.below(64);
        chip.write_memory(at, &endless(at, array, &mut random)).expect("SRAM");
    }
    for place in 0..TRANSFERS {
        chip.write_memory(FROM + 4 * place, &random.below(u32::MAX).to_le_bytes()).expect("SRAM");
    }
    chip
}

fn same_cores(one: &Rp2040, other: &Rp2040, how: &str) {
    same(one, other, how);
    assert_eq!(one.core(1).registers(), other.core(1).registers(), "{how}");
    assert_eq!(one.last_branches(1), other.last_branches(1), "{how}");
}

#[test]
fn random_loops_of_two_cores_run_alike_with_superinstructions_and_without() {
    for seed in 0..60 {
        let (mut quick, mut watched) = (chip(seed, seed % 2 == 0), chip(seed, seed % 2 == 0));
        watched.set_breakpoints(vec![0x1000_fffe]);
        for chip in [&mut quick, &mut watched] {
            run(chip, END_US);
        }
        let instructions = quick.counts().instructions;
        assert!(instructions.iter().all(|&count| count > 1000), "seed {seed}: {instructions:?}");
        same_cores(&quick, &watched, &format!("seed {seed}"));
    }
}

#[test]
fn rows_of_transfers_that_are_made_at_one_go_are_those_that_are_counted_one_by_one() {
    for seed in 100..160 {
        let (mut quick, mut counted) = (chip(seed, true), chip(seed, true));
        counted.write_memory(PERFSEL0, &0u32.to_le_bytes()).expect("there is a register");
        for chip in [&mut quick, &mut counted] {
            run(chip, END_US);
        }
        assert!(quick.bus_counts().dma_transfers > 1000, "seed {seed}");
        same_cores(&quick, &counted, &format!("seed {seed}"));
    }
}

#[test]
fn accesses_are_counted_on_in_a_state_that_was_kept() {
    const SRAM0: u32 = 0x0f;
    let counting = || {
        let mut asm = in_ram();
        asm.poke(RESETS_CLEAR, u32::MAX).poke(PERFSEL0, SRAM0).constant(4, ARRAYS);
        asm.label("round").op(0x6820).op(0x6020).b("round").pool();
        chip_with(asm)
    };
    let (mut one, mut other) = (counting(), counting());
    run(&mut one, END_US / 2);
    let kept = State::state(&one);
    let (state, _) = other.read_state(&kept).expect("a state of the same chip");
    State::take_state(&mut other, state);
    let before = one.read_word(PERFCTR0).expect("there is a register");
    for chip in [&mut one, &mut other] {
        run(chip, END_US);
    }
    let counted = [&one, &other].map(|chip| chip.read_word(PERFCTR0).expect("there is a register"));
    assert!(before > 1000 && counted[0] > before + 1000, "{before} and then {counted:?}");
    assert_eq!(counted[0], counted[1]);
}
