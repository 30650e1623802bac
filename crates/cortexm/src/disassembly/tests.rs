use mcu::image::Symbols;

use super::{Target, disassemble};
use crate::decode::decode;
use crate::isa::Kind;

const AT: u32 = 0x1000_0100;

fn text(first: u16, second: u16) -> String {
    disassemble(AT, first, second).to_string()
}

#[test]
fn each_group_of_encodings_has_the_words_of_objdump() {
    // As `arm-none-eabi-objdump -d` of GNU Binutils 2.40 prints them.
    for (code, words) in [
        (0x0580, "lsls r0, r0, #22"),
        (0x0004, "movs r4, r0"),
        (0x0809, "lsrs r1, r1, #32"),
        (0x1d20, "adds r0, r4, #4"),
        (0x3801, "subs r0, #1"),
        (0x4240, "negs r0, r0"),
        (0x4341, "muls r1, r0"),
        (0x4685, "mov sp, r0"),
        (0x44fc, "add ip, pc"),
        (0x4770, "bx lr"),
        (0x4780, "blx r0"),
        (0x5658, "ldrsb r0, [r3, r1]"),
        (0x684b, "ldr r3, [r1, #4]"),
        (0x9801, "ldr r0, [sp, #4]"),
        (0x8008, "strh r0, [r1, #0]"),
        (0xa905, "add r1, sp, #20"),
        (0xb082, "sub sp, #8"),
        (0xb510, "push {r4, lr}"),
        (0xbd70, "pop {r4, r5, r6, pc}"),
        (0xc806, "ldmia r0!, {r1, r2}"),
        (0xc803, "ldmia r0, {r0, r1}"),
        (0xc102, "stmia r1!, {r1}"),
        (0xb662, "cpsie i"),
        (0xb2c0, "uxtb r0, r0"),
        (0xba40, "rev16 r0, r0"),
        (0xbe07, "bkpt 0x0007"),
        (0xdf05, "svc 5"),
        (0xde01, "udf #1"),
        (0xbf20, "wfe"),
        (0x46c0, "nop"),
    ] {
        assert_eq!(text(code, 0), words, "{code:#06x}");
    }
}

#[test]
fn thirty_two_bits_make_calls_and_special_registers() {
    for (first, second, words) in [
        (0xf7ff, 0xfff6, "bl 0x100000f0"),
        (0xf381, 0x8808, "msr MSP, r1"),
        (0xf3ef, 0x8010, "mrs r0, PRIMASK"),
        (0xf3bf, 0x8f5f, "dmb sy"),
        (0xf3bf, 0x8f6f, "isb sy"),
        (0xf7f0, 0xa005, "udf.w #5"),
    ] {
        assert_eq!(text(first, second), words);
        assert_eq!(disassemble(AT, first, second).bytes, 4);
    }
}

#[test]
fn branches_and_literals_know_their_target() {
    assert_eq!(disassemble(AT, 0xe7fe, 0).target, Some(Target::Branch(AT)));
    assert_eq!(disassemble(AT, 0xd1fc, 0).target, Some(Target::Branch(AT - 4)));
    assert_eq!(disassemble(AT + 2, 0x4809, 0).target, Some(Target::Data(AT + 4 + 36)));
    assert_eq!(disassemble(AT, 0xe7fe, 0).with_names(&Symbols::default()), "b.n 0x10000100");
}

#[test]
fn what_the_core_does_not_have_is_shown_as_a_number_and_everything_else_in_words() {
    for first in 0..=u16::MAX {
        for second in [0, 0x8000, 0x8f5f, 0x8810, 0xa000, 0xd000, 0xf800, 0xffff] {
            let undefined = decode(AT, first, second).kind == Kind::Undefined;
            let words = text(first, second);
            let shown_as_undefined = words.starts_with(".short") || words.starts_with("udf");
            assert_eq!(undefined, shown_as_undefined, "{first:#06x} {second:#06x}: {words}");
        }
    }
}
