//! The disassembler against GNU objdump.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use rp2040::report::{Target, disassemble};

use super::support::{OWN, is_installed, load, own_images};

const OBJDUMP: &str = "arm-none-eabi-objdump";

/// A hint that does nothing in ARMv6-M and has a name in ARMv8.
const SEVL: u16 = 0xbf50;

/// What objdump prints: address to instruction, without its remarks.
fn listing(arguments: &[&str], path: &Path) -> BTreeMap<u32, String> {
    let output = Command::new(OBJDUMP).args(arguments).arg(path).output().expect("objdump can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(instruction).collect()
}

fn instruction(line: &str) -> Option<(u32, String)> {
    let mut columns = line.split('\t');
    let address = u32::from_str_radix(columns.next()?.trim().strip_suffix(':')?, 16).ok()?;
    let _code = columns.next()?;
    let words: Vec<&str> = columns.take_while(|column| !column.trim_start().starts_with('@')).collect();
    let mnemonic = words.first()?.trim();
    let operands = words[1..].join(" ");
    let operands = operands.split(['@', '<', ';']).next().unwrap_or_default().trim().to_owned();
    Some((address, format!("{mnemonic} {operands}").trim().to_owned()))
}

/// Our words in the same form: targets of branches without 0x and names, literals without theirs. The manual calls APSR and
/// XPSR what objdump calls CPSR and PSR, and prints the options of barriers as numbers where objdump has names.
fn ours(address: u32, first: u16, second: u16, hexadecimal: &str) -> String {
    let instruction = disassemble(address, first, second);
    match instruction.target {
        Some(Target::Branch(target)) => format!("{} {hexadecimal}{target:x}", instruction.text),
        _ => instruction.text.replace("mrs r0, APSR", "mrs r0, CPSR"),
    }
}

#[test]
fn every_instruction_of_our_own_images_reads_as_objdump_prints_it() {
    let (true, Some(folder)) = (is_installed(OBJDUMP), own_images()) else { return };
    let mut compared = 0;
    for name in OWN {
        let path = folder.join(format!("{name}.elf"));
        let image = load(&path);
        let half =
            |address| image.read(address, 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
        for (address, theirs) in listing(&["-d"], &path) {
            if theirs.starts_with('.') || theirs == "UNDEFINED" || image.read(address, 2).is_none() {
                continue;
            }
            compared += 1;
            assert_eq!(ours(address, half(address), half(address + 2), ""), theirs, "{name} at {address:#x}");
        }
    }
    assert!(compared > 3_000, "{compared} instructions are too few for these images");
}

#[test]
fn every_encoding_that_armv6_m_has_reads_as_objdump_prints_it() {
    if !is_installed(OBJDUMP) {
        return;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("encodings.bin");
    let encodings: Vec<(u16, u16)> = narrow().chain(wide()).collect();
    let bytes: Vec<u8> = encodings
        .iter()
        .flat_map(|(first, second)| [first.to_le_bytes(), second.to_le_bytes()].concat())
        .collect();
    std::fs::write(&path, bytes).expect("the folder for tests can be written");
    let theirs = listing(&["-D", "-b", "binary", "-m", "armv6s-m", "-M", "force-thumb"], &path);
    for (index, (first, second)) in encodings.iter().enumerate() {
        let address = 4 * index as u32;
        assert_eq!(ours(address, *first, *second, "0x"), theirs[&address], "{first:#06x} {second:#06x}");
    }
}

/// All 16-bit instructions, each with a `nop` behind it.
fn narrow() -> impl Iterator<Item = (u16, u16)> {
    let is_narrow = |first: &u16| {
        let instruction = disassemble(0, *first, 0);
        // What objdump takes for BX to the secure state or calls unpredictable.
        let secure = *first >> 8 == 0x47 && *first & 7 != 0;
        let overwritten = *first >> 11 == 0b11000 && objdump_calls_unpredictable(*first);
        instruction.bytes == 2
            && !instruction.text.starts_with(".short")
            && !secure
            && *first != SEVL
            && !overwritten
    };
    (0..=u16::MAX).filter(is_narrow).map(|first| (first, 0x46c0))
}

/// STMIA of its own base, unless that is the lowest register.
fn objdump_calls_unpredictable(code: u16) -> bool {
    let base = code >> 8 & 7;
    code >> base & 1 == 1
}

/// The 32-bit ones: calls over all distances in steps, special registers, barriers.
fn wide() -> impl Iterator<Item = (u16, u16)> {
    let calls = (0..0x800_u16).step_by(37).flat_map(|high| {
        (0..0x800).step_by(61).map(move |low| (0xf000 | high, 0xd000 | low | (high & 1) << 13))
    });
    let numbers = [1, 2, 5, 6, 7, 8, 9, 16, 20];
    let reads =
        (0..13).flat_map(move |register| numbers.map(|number| (0xf3ef, 0x8000 | register << 8 | number)));
    let writes =
        (0..13).flat_map(|register| [1, 2, 8, 9, 16, 20].map(|number| (0xf380 | register, 0x8800 | number)));
    let barriers = [(0xf3bf, 0x8f5f), (0xf3bf, 0x8f4f), (0xf3bf, 0x8f6f), (0xf7f0, 0xa000), (0xf7fa, 0xa123)];
    calls.chain(reads).chain(writes).chain(barriers)
}
