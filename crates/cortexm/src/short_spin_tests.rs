//! Loops that look at a register: a core whose bus allows turns to be left out ends where one does that executes all of them.

use mcu::Sleep;

use crate::tests::{BASE, BRANCH_TO_SELF, BYTES, Memory, REGISTERS};
use crate::{Code, Core, Exit};

const LOOK: u16 = 0x6820; // ldr r0, [r4]
const TEST: u16 = 0x4208; // tst r0, r1
const LIMIT: u64 = 3000;
/// Looks of a loop that cannot be left out, at the least, and of one that can, at the most.
const MANY: u32 = 100;
const FEW: u32 = 12;

/// A loop, and whether its turns are the same one after the other. R1 has 4, R4 the address of the register that changes, R6 that of the
/// other one, and R5 what a case says.
struct Case {
    code: &'static [u16],
    lasts: bool,
}

const fn lasts(code: &'static [u16]) -> Case {
    Case { code, lasts: true }
}

const fn changes(code: &'static [u16]) -> Case {
    Case { code, lasts: false }
}

const CASES: [Case; 17] = [
    // beq to the look
    lasts(&[LOOK, TEST, 0xd0fc]),
    // movs r3, r1 before the look; ands r3, r0; beq
    lasts(&[0x000b, LOOK, 0x4003, 0xd0fb]),
    // bne out of the loop; b to the look
    lasts(&[LOOK, TEST, 0xd100, 0xe7fb]),
    // lsls r0, r0, #29; bpl
    lasts(&[LOOK, 0x0740, 0xd5fc]),
    // cmp r0, #4; bne, with ldrb r0, [r4]
    lasts(&[0x7820, 0x2804, 0xd1fc]),
    // uxtb r3, r0; mov r8, r3; tst r3, r1; nop; beq
    lasts(&[LOOK, 0xb2c3, 0x4698, 0x420b, 0xbf00, 0xd0f9]),
    // adds r5, #1
    changes(&[LOOK, 0x3501, TEST, 0xd0fb]),
    // eors r5, r1: every second turn is the same
    changes(&[LOOK, 0x404d, TEST, 0xd0fb]),
    // movs r4, r6 behind the look: the next one is at the other register
    changes(&[LOOK, 0x0034, TEST, 0xd0fb]),
    // two looks at one register
    lasts(&[LOOK, LOOK, TEST, 0xd0fb]),
    // ldr r2, [r6] before and behind the look, and their difference (subs r3, r2, r0)
    lasts(&[0x6832, LOOK, 0x1a13, TEST, 0xd0fa]),
    lasts(&[LOOK, 0x6832, 0x1a13, TEST, 0xd0fa]),
    // ldr r2, [r4] and ldr r3, [r4] around it, as a timer is asked again and again; cmp r2, r3; bne out of the loop
    lasts(&[0x6822, LOOK, 0x6823, 0x429a, 0xd101, TEST, 0xd0f8]),
    // ldrb r2, [r6] behind the look: no whole word
    changes(&[LOOK, 0x7832, TEST, 0xd0fb]),
    // ldr r2, [r7]: no register
    changes(&[LOOK, 0x683a, TEST, 0xd0fb]),
    // two branches that are taken: beq over a nop; b
    changes(&[LOOK, TEST, 0xd001, 0xe001, 0xbf00, 0xe7f9]),
    // str r0, [r7]
    changes(&[LOOK, 0x6038, TEST, 0xd0fb]),
];

fn ended(code: &[u16], r5: u32, ready: u64, leaves_out: bool) -> (Core, Memory) {
    let mut halves = code.to_vec();
    halves.push(BRANCH_TO_SELF);
    let mut memory = Memory::new(&halves).up_to(LIMIT);
    (memory.ready, memory.leaves_out) = (ready, leaves_out);
    let mut core = Core::new(0);
    core.restart(BASE, BASE + BYTES);
    let registers = [(1, 4), (4, REGISTERS[0]), (5, r5), (6, REGISTERS[1]), (7, BASE + BYTES - 4)];
    registers.into_iter().for_each(|(number, value)| core.set_register(number, value));
    core.sleep = Sleep::Awake;
    assert_eq!(core.run(&mut memory, &mut Code::default()), Exit::Limit);
    (core, memory)
}

fn assert_same(code: &[u16], r5: u32, ready: u64) -> (u32, u32) {
    let [(core, memory), (expected, all)] =
        [true, false].map(|leaves_out| ended(code, r5, ready, leaves_out));
    let case = format!("{code:04x?} with {r5:#x}, ready at {ready}");
    assert_eq!(core.registers(), expected.registers(), "{case}");
    assert_eq!(core.xpsr(), expected.xpsr(), "{case}");
    assert_eq!((core.cycle, core.instructions()), (expected.cycle, expected.instructions()), "{case}");
    assert!(core.branches.backwards().eq(expected.branches.backwards()), "{case}");
    assert_eq!(core.branches.taken(), expected.branches.taken(), "{case}");
    (memory.looks, all.looks)
}

#[test]
fn turns_that_are_left_out_count_as_if_they_were_executed() {
    for Case { code, .. } in CASES {
        for ready in (0..150).chain([500, 501, 502, 503, 504, 505, 506, 507, 1999, LIMIT + 100]) {
            assert_same(code, 1, ready);
        }
    }
}

#[test]
fn the_turns_of_a_loop_that_lasts_are_left_out_and_no_others() {
    for Case { code, lasts } in CASES {
        let (looks, all) = assert_same(code, 1, 2000);
        match lasts {
            true => assert!(looks < FEW && all > MANY, "{code:04x?}: {looks} of {all} looks"),
            false => assert_eq!(looks, all, "{code:04x?}"),
        }
    }
}

#[test]
fn a_loop_that_comes_to_rest_is_left_out_from_then_on() {
    // adds r5, r5, r5 shifts a bit out of the register, and then leaves it empty.
    let code = [LOOK, 0x196d, TEST, 0xd0fb];
    let (looks, all) = assert_same(&code, 1 << 20, 2000);
    assert!((12..30).contains(&looks) && all > MANY, "{looks} of {all} looks");
}
