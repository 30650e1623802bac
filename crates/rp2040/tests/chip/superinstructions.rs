//! Random programs of what compilers write: a core that runs them at full speed does the same as one that executes instruction
//! by instruction, or under somebody's eyes, or in short pieces, with an interrupt at any instruction.

use rp2040::chip::Rp2040;
use units::Picoseconds;

use crate::asm::{Asm, If};
use crate::bench::*;
use crate::random::Registers;
use testing::Random;

const SYSTICK: u32 = 0xe000_e010;
const LR: u8 = 14;
const DATA: u32 = 0x2002_0000;
const DATA_BYTES: usize = 0x400;
const PROGRAMS: u64 = 40;
const END_US: i64 = 4000;
/// cmp, adds, subs with an immediate; the register is in bits 8 to 10.
const IMMEDIATE: [u16; 4] = [0x2000, 0x2800, 0x3000, 0x3800];
/// lsls, lsrs, asrs, adds, subs with three operands.
const THREE: [u16; 5] = [0x0000, 0x0800, 0x1000, 0x1800, 0x1a00];
/// tst, cmp, eors, orrs, movs, and mov of registers.
const TWO: [u16; 6] = [0x4200, 0x4280, 0x4040, 0x4300, 0x0000, 0x4600];
/// str, ldr, strb, ldrb, strh, ldrh at an offset from R6.
const ACCESS: [u16; 6] = [0x6030, 0x6830, 0x7030, 0x7830, 0x8030, 0x8830];

/// One or two instructions on R0 to R5, with memory at R6 and R7.
fn instructions(random: &mut Random, asm: &mut Asm) {
    let register = |random: &mut Random| random.below(6) as u16;
    let (a, b, c) = (register(random), register(random), register(random));
    match random.below(12) {
        0 | 1 => asm.op(random.of(&IMMEDIATE) | a << 8 | random.below(256) as u16),
        2 => asm.op(random.of(&THREE[..3]) | (random.below(32) as u16) << 6 | b << 3 | a),
        3 => asm.op(random.of(&THREE[3..]) | c << 6 | b << 3 | a),
        4 | 5 => asm.op(random.of(&TWO) | b << 3 | a),
        // A branch over the next instruction, on any condition.
        6 | 7 => asm.op(0xd000 | (random.below(14) as u16) << 8),
        8 | 9 => asm.op(random.of(&ACCESS) | (random.below(32) as u16) << 6 | a),
        10 => asm.op(0x4800 | a << 8 | random.below(2) as u16),
        // LDM and STM of the same registers, and the addresses once more.
        _ => {
            let list = 1 + random.below(63) as u16;
            asm.op(0xce00 | list).op(0xc700 | list).op(0x4646).op(0x464f)
        }
    };
}

/// A loop of random instructions, and a SysTick handler that counts.
fn program(seed: u64, mut asm: Asm) -> Asm {
    let mut random = Random::new(seed);
    asm.constant(6, DATA).op(0x46b0).constant(7, DATA + 0x200).op(0x46b9);
    for register in 0..6 {
        asm.constant(register, random.value());
    }
    let reload = 150 + random.below(100);
    asm.poke(SYSTICK + 4, reload)
        .poke(SYSTICK + 8, 0)
        .poke(SYSTICK, 7)
        .constant(6, DATA)
        .constant(7, DATA + 0x200);
    asm.label("again");
    for _ in 0..100 {
        instructions(&mut random, &mut asm);
    }
    // Behind the last branch over an instruction.
    asm.nops(4).b("again").pool();
    asm.handler(15, "tick").constant(0, kept(0)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0).bx(LR);
    asm
}

/// ADDS R0, #1; LSLS R0, R0, #1; EORS R1, R0; LDRB R2, [R6, #4]
const LOOP_BODY: [u16; 4] = [0x3001, 0x0040, 0x4041, 0x7932];
/// A register of the cache that switches it on, and one that counts accesses.
const XIP_CTRL: u32 = 0x1400_0000;
const XIP_ACCESSES: u32 = 0x1400_0010;
/// Data that lie in one set of the cache with code.
const FLASH: u32 = 0x1000_0000;
const CACHE_WAY_BYTES: u32 = 0x2000;

/// Something that changes what is in the cache or shows what was fetched, or a loop of a few instructions.
fn cache_instructions(random: &mut Random, asm: &mut Asm) {
    match random.below(8) {
        0 | 1 => {
            let place = CACHE_WAY_BYTES * (1 + random.below(3)) + 4 * random.below(0x100);
            asm.constant(1, FLASH + place).ldr(0, 1, 0)
        }
        2 => asm.constant(1, FLASH + 4 * random.below(0x100)).str(0, 1, 0),
        3 => asm.constant(1, XIP_ACCESSES).ldr(0, 1, 0).str(0, 6, 0),
        4 => asm.poke(XIP_CTRL, random.below(2) << 1).nops(3).poke(XIP_CTRL, 3).constant(6, DATA),
        5 => asm.isb(),
        _ => {
            let body = random.below(9) as u16;
            asm.movs(4, 2 + random.below(6) as u8);
            for _ in 0..body {
                asm.op(random.of(&LOOP_BODY));
            }
            asm.subs(4, 1).op(0xd100 | (body + 3).wrapping_neg() & 0xff)
        }
    };
}

/// A loop in flash that works against the cache, and a SysTick handler that counts.
fn against_the_cache(seed: u64) -> Asm {
    let (mut random, mut asm) = (Random::new(seed), in_flash());
    asm.constant(6, DATA).poke(SYSTICK + 4, 700 + random.below(100)).poke(SYSTICK + 8, 0).poke(SYSTICK, 7);
    asm.constant(6, DATA).label("again");
    for _ in 0..30 {
        asm.nops(random.below(2) as usize);
        cache_instructions(&mut random, &mut asm);
    }
    asm.constant(6, DATA).b("again").pool();
    asm.handler(15, "tick").constant(0, kept(0)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0).bx(LR);
    asm
}

/// A branch over some instructions, or a loop, which may begin behind its first instructions.
fn short_way<'a>(random: &mut Random, asm: &'a mut Asm) -> &'a mut Asm {
    let (body, rounds) = (1 + random.below(24) as u16, 1 + random.below(5) as u8);
    asm.movs(4, rounds);
    match random.below(3) {
        // CMP R0, R1 before a condition.
        0 => asm.op(0x4288).op(0xd000 | (random.below(14) as u16) << 8 | (body - 1)),
        1 => asm.nop(),
        _ => asm.op(0xe000 | random.below(body.into()) as u16),
    };
    for _ in 0..body {
        asm.op(random.of(&LOOP_BODY));
    }
    asm.subs(4, 1).op(0xd100 | (body + 3).wrapping_neg() & 0xff)
}

/// Calls of three functions whose code lies in the same sets of the cache, which has two ways, and a SysTick handler that counts.
fn a_way_apart(seed: u64) -> Asm {
    const FUNCTIONS: [&str; 3] = ["one", "two", "three"];
    let (mut random, mut asm) = (Random::new(seed), in_flash());
    asm.constant(6, DATA).op(0x46b0).constant(7, DATA + 0x200).op(0x46b9);
    asm.poke(SYSTICK + 4, 700 + random.below(100)).poke(SYSTICK + 8, 0).poke(SYSTICK, 7);
    asm.constant(6, DATA).constant(7, DATA + 0x200).label("again");
    for _ in 0..12 {
        asm.address(3, random.of(&FUNCTIONS)).blx(3);
    }
    asm.b("again").pool();
    asm.handler(15, "tick").constant(0, kept(0)).ldr(1, 0, 0).adds(1, 1).str(1, 0, 0).bx(LR).pool();
    for (name, ways) in FUNCTIONS.into_iter().zip(1..) {
        let place = FLASH + CACHE_WAY_BYTES * ways + 0x400;
        asm.nops((place - asm.here()) as usize / 2).label(name);
        for _ in 0..30 {
            // What a branch before may leave out.
            asm.nop();
            match random.below(6) {
                0 | 1 => short_way(&mut random, &mut asm),
                // Data in a set of the code, which may put its line second or drive it out.
                2 => {
                    let place = CACHE_WAY_BYTES * random.below(4) + 0x400 + 4 * random.below(0x100);
                    asm.constant(1, FLASH + place).ldr(0, 1, 0)
                }
                _ => {
                    instructions(&mut random, &mut asm);
                    &mut asm
                }
            };
        }
        asm.nops(4).bx(LR).pool();
    }
    asm
}

/// Holds two runs to be the same.
fn same(one: &Rp2040, other: &Rp2040, how: &str, seed: u64) {
    let seen = |chip: &Rp2040| {
        (chip.now(), chip.counts(), chip.bus_counts(), chip.core(0).registers(), chip.core(0).xpsr())
    };
    assert_eq!(seen(one), seen(other), "{how}, seed {seed}");
    assert_eq!(one.last_branches(0), other.last_branches(0), "{how}, seed {seed}");
    let [one, other] = [one, other].map(|chip| chip.read_memory(DATA, DATA_BYTES).expect("SRAM"));
    let different = one.iter().zip(&other).position(|(one, other)| one != other);
    assert_eq!(different, None, "{how}, seed {seed}: offset in the data");
}

/// `least` is how many instructions and interrupts there are at the least.
fn check(seed: u64, asm: &dyn Fn() -> Asm, least: (u64, u32)) {
    let chip = || chip_with(asm());
    let (mut whole, mut stepped) = (chip(), chip());
    while stepped.now() < us(END_US) {
        stepped.step(0);
    }
    // A step may be the entry of the handler and its first instruction.
    let end = stepped.now();
    whole.run_until(end);
    let counts = (whole.counts().instructions[0], word(&whole, kept(0)));
    assert!(counts.0 > least.0 && counts.1 > least.1, "{counts:?}, seed {seed}");
    same(&whole, &stepped, "stepped", seed);
    let mut watched = chip();
    watched.set_breakpoints(vec![0x1000_fffe]);
    watched.run_until(end);
    same(&whole, &watched, "watched", seed);
    let (mut pieces, mut random) = (chip(), Random::new(seed));
    while pieces.now() < end {
        let piece = Picoseconds::new(i64::from(random.below(60_000_000)));
        pieces.run_until((pieces.now() + piece).min(end));
    }
    same(&whole, &pieces, "in pieces", seed);
}

#[test]
fn code_in_ram_runs_alike_at_once_and_instruction_by_instruction() {
    for seed in 0..PROGRAMS {
        check(seed, &|| program(seed, in_ram()), (5000, 50));
    }
}

#[test]
fn code_in_flash_runs_alike_at_once_and_instruction_by_instruction() {
    for seed in 0..PROGRAMS {
        check(seed, &|| program(seed, in_flash()), (5000, 50));
    }
}

#[test]
fn code_in_flash_runs_alike_while_it_is_driven_out_of_the_cache() {
    for seed in 0..PROGRAMS {
        check(seed, &|| against_the_cache(seed), (500, 10));
    }
}

#[test]
fn code_in_flash_runs_alike_where_functions_lie_in_the_same_sets_of_the_cache() {
    // The last one goes back to lines that it jumped over before.
    for seed in (0..PROGRAMS).chain([345]) {
        check(seed, &|| a_way_apart(seed), (300, 5));
    }
}

#[test]
fn code_that_was_decoded_after_a_snapshot_may_be_replaced_after_going_back_to_it() {
    // Two functions in one 128-byte page, one called before the snapshot and one after it.
    const FIRST: u32 = 0x2001_8000;
    const SECOND: u32 = FIRST + 0x40;
    let function = |n: u32| 0x4770 << 16 | 0x2000 | n;
    let mut asm = in_ram();
    asm.constant(3, FIRST | 1).blx(3).wait(200, "pause").constant(3, kept(1)).ldr(1, 3, 0);
    asm.constant(2, SECOND).op(0x2900).b_if(If::Equal, "call").constant(1, function(2)).str(1, 2, 0);
    asm.label("call").constant(3, SECOND | 1).blx(3).keep_register(0, kept(0)).stop();
    let mut chip = chip_with(asm);
    for (address, n) in [(FIRST, 7), (SECOND, 1)] {
        chip.write_memory(address, &function(n).to_le_bytes()).expect("SRAM");
    }
    run(&mut chip, 50);
    let snapshot = chip.snapshot().expect("a snapshot");
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 1);
    chip.restore(&snapshot);
    // From now on the program replaces the second function before it calls it.
    chip.write_memory(kept(1), &[1]).expect("SRAM");
    run(&mut chip, 1000);
    assert_eq!(word(&chip, kept(0)), 2);
}
