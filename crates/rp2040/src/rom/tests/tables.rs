//! The tables, walked as the Pico SDK walks them.

use crate::rom::function::{FloatFunction, RomFunction};
use crate::rom::image::{ROM_BYTES, Rom, RomError};
use crate::rom::test_context::Bench;

fn half(rom: &Rom, at: usize) -> u16 {
    u16::from_le_bytes(rom.bytes()[at..at + 2].try_into().expect("inside the ROM"))
}

fn word(rom: &Rom, at: usize) -> u32 {
    u32::from_le_bytes(rom.bytes()[at..at + 4].try_into().expect("inside the ROM"))
}

fn walk(rom: &Rom, table: usize, code: &[u8; 2]) -> Option<u16> {
    let wanted = u16::from_le_bytes(*code);
    (table..)
        .step_by(4)
        .map(|at| (half(rom, at), half(rom, at + 2)))
        .take_while(|&(code, _)| code != 0)
        .find(|&(code, _)| code == wanted)
        .map(|(_, value)| value)
}

/// The function behind a pointer: the first trap there.
fn behind(rom: &Rom, pointer: u32) -> Option<RomFunction> {
    assert_eq!(pointer & 1, 1, "the Thumb bit is set");
    (0..2).find_map(|instruction| {
        let at = (pointer & !1) + 2 * instruction;
        rom.function_at(at, half(rom, at as usize))
    })
}

#[test]
fn the_magic_and_the_version_are_those_of_a_b2_chip() {
    let rom = Rom::new();
    assert_eq!(&rom.bytes()[0x10..0x14], b"Mu\x01\x03");
    assert_eq!(rom.version(), 3);
}

#[test]
fn every_function_code_of_the_datasheet_leads_to_its_function() {
    use RomFunction as R;
    let rom = Rom::new();
    let table = usize::from(half(&rom, 0x14));
    for (code, function) in [
        (b"P3", R::PopulationCount),
        (b"R3", R::Reverse),
        (b"L3", R::LeadingZeros),
        (b"T3", R::TrailingZeros),
        (b"MS", R::MemorySet),
        (b"S4", R::MemorySetWords),
        (b"MC", R::MemoryCopy),
        (b"C4", R::MemoryCopyWords),
        (b"UB", R::ResetUsbBoot),
        (b"WV", R::WaitForVector),
        (b"IF", R::ConnectInternalFlash),
        (b"EX", R::FlashExitXip),
        (b"RE", R::FlashRangeErase),
        (b"RP", R::FlashRangeProgram),
        (b"FC", R::FlashFlushCache),
        (b"CX", R::FlashEnterCmdXip),
    ] {
        let pointer = walk(&rom, table, code).expect("the code is in the table");
        assert_eq!(behind(&rom, u32::from(pointer)), Some(function));
    }
    assert_eq!(walk(&rom, table, b"ZZ"), None);
}

#[test]
fn the_look_up_function_of_the_rom_finds_what_a_walk_finds() {
    let mut bench = Bench::new();
    let rom = bench.rom.clone();
    assert_eq!(behind(&rom, u32::from(half(&rom, 0x18))), Some(RomFunction::TableLookup));
    for (pointer, codes) in [(0x14, [b"P3", b"CX", b"DE"]), (0x16, [b"GR", b"SD", b"DE"])] {
        let table = half(&rom, pointer);
        for code in codes {
            bench.run(RomFunction::TableLookup, &[u32::from(table), u32::from(u16::from_le_bytes(*code))]);
            assert_eq!(Some(bench.regs[0] as u16), walk(&rom, usize::from(table), code));
        }
    }
    bench.run(RomFunction::TableLookup, &[u32::from(half(&rom, 0x14)), 0x5a5a]);
    assert_eq!(bench.regs[0], 0, "a code that is not there gives 0");
}

#[test]
fn a_table_without_an_end_is_given_up() {
    let mut bench = Bench::new();
    bench.put(0x2000_0000, &[1; 8192]);
    bench.run(RomFunction::TableLookup, &[0x2000_0000, 0x5a5a]);
    assert_eq!(bench.regs[0], 0);
}

#[test]
fn both_floating_point_tables_have_32_entries_in_the_order_of_the_datasheet() {
    let rom = Rom::new();
    let data = usize::from(half(&rom, 0x16));
    let single = usize::from(walk(&rom, data, b"SF").expect("SF"));
    let double = usize::from(walk(&rom, data, b"SD").expect("SD"));
    assert_eq!(rom.bytes()[single - 2], 32, "the SDK asserts the size two bytes before the table");
    assert_eq!(usize::from(walk(&rom, data, b"FZ").expect("FZ")), single - 2);
    for (index, function) in FloatFunction::ALL.into_iter().enumerate() {
        assert_eq!(behind(&rom, word(&rom, single + 4 * index)), Some(RomFunction::Single(function)));
        assert_eq!(behind(&rom, word(&rom, double + 4 * index)), Some(RomFunction::Double(function)));
    }
    // Offsets of the datasheet: fcos 0x3c, fexp 0x4c, fatan2 0x58, float2double 0x7c.
    for (offset, function) in [
        (0x3c, FloatFunction::Cos),
        (0x4c, FloatFunction::Exp),
        (0x58, FloatFunction::Atan2),
        (0x7c, FloatFunction::Convert),
    ] {
        assert_eq!(function as usize * 4, offset);
    }
}

#[test]
fn every_trap_number_stands_for_one_function() {
    for number in 0..=u8::MAX {
        if let Some(function) = RomFunction::from_trap(number) {
            assert_eq!(function.trap(), number);
        }
    }
}

#[test]
fn a_trap_counts_only_inside_our_own_rom() {
    let rom = Rom::new();
    assert!(rom.function_at(0x1c, 0xde00).is_some());
    assert_eq!(rom.function_at(0x2000_0000, 0xde00), None, "in RAM it is an undefined instruction");
    assert_eq!(rom.function_at(0x1c, 0xdeff), None);
    let genuine = Rom::from_bytes(rom.bytes()).expect("our own has the magic");
    assert_eq!(genuine.function_at(0x1c, 0xde00), None);
}

#[test]
fn vectors_lead_into_the_rom_and_the_stack_ends_below_the_second_stage() {
    let rom = Rom::new();
    assert_eq!(word(&rom, 0), 0x2004_1f00);
    assert_eq!(behind(&rom, word(&rom, 4)), Some(RomFunction::Reset));
    assert!([8, 12].iter().all(|&at| word(&rom, at) & 1 == 1 && (word(&rom, at) as usize) < ROM_BYTES));
}

#[test]
fn a_dump_that_is_no_rom_is_refused() {
    assert_eq!(Rom::from_bytes(&[0; 100]).err(), Some(RomError::Length(100)));
    assert_eq!(Rom::from_bytes(&[0; ROM_BYTES]).err(), Some(RomError::Magic));
}
