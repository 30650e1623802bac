//! Images for AVRs: Intel HEX, ELF and raw binaries for each of the chips. What is loaded starts in the image, and runs.

use std::sync::Arc;

use mcu::image::{Boot, Image, LoadOptions, MemoryKind};
use mcu::{McuKind, Setup, Stop};
use units::{PS_PER_US, Picoseconds};

use super::image_checks::{check_image, check_refusal};
use super::input::Input;

const KINDS: [&McuKind; 3] = [&avr::ATMEGA328P, &avr::ATMEGA1284P, &avr::ATMEGA2560];
const RUN: Picoseconds = Picoseconds::new(50 * PS_PER_US);
/// In the first byte: the lines behind it get their colons, lengths and checksums.
const MENDED: u8 = 0x80;

/// The first byte chooses the chip, and with its highest bit that lines are hexadecimal digits of records without length and
/// checksum. The rest is the file.
pub fn avr_image(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let choice = input.byte();
    let kind = KINDS[usize::from(choice & !MENDED) % KINDS.len()];
    let file = Arc::new(if choice & MENDED == 0 { input.0.to_vec() } else { mended(input.0) });
    let image = Image::load(&file, "fuzz", kind.facts.images, &LoadOptions::default()).map_err(|error| {
        let sentence = error.to_string();
        check_refusal(&sentence);
        sentence
    })?;
    check_image(&image, &file);
    check_start(&image);
    run(kind, &image);
    Ok(())
}

/// Lines of bytes as they are, made records: two for the address, one for the type, then what the record holds.
fn mended(lines: &[u8]) -> Vec<u8> {
    let mut text = String::new();
    for line in lines.split(|byte| *byte == b'\n').filter(|line| line.len() >= 3) {
        let content = &line[3..line.len().min(3 + 255)];
        let record = [&[content.len() as u8], &line[..3], content].concat();
        let sum = record.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
        text.push(':');
        text.extend(record.iter().chain([&sum]).map(|byte| format!("{byte:02X}")));
        text.push('\n');
    }
    text.into_bytes()
}

fn check_start(image: &Image) {
    assert_eq!(image.boot(), Boot::Flash, "an AVR starts in its flash");
    let in_flash = |kind| kind == MemoryKind::Flash;
    assert!(
        image.segments().iter().any(|segment| in_flash(segment.memory().kind)),
        "there is something to start"
    );
}

/// The chip has what the image says, and runs it or stops with a reason.
fn run(kind: &McuKind, image: &Image) {
    let (crystal_hz, flash_bytes) = (kind.facts.usual_crystal_hz, kind.facts.usual_flash_bytes);
    let setup = Setup { crystal_hz, flash_bytes, rom: None, usb_connected: false, seed: 1 };
    let mut chip = (kind.build)(&setup).expect("a chip");
    if let Err(error) = chip.load(image) {
        return check_refusal(&format!("fuzz: {error}"));
    }
    for segment in image.segments().iter().filter(|segment| segment.memory().kind == MemoryKind::Flash) {
        let there = chip.read_memory(segment.address, segment.bytes.len());
        assert_eq!(there.as_deref(), Ok(&segment.bytes[..]), "the flash has the image");
    }
    if let Stop::Fault(fault) = chip.run_until(RUN) {
        assert!(!chip.fault_report(image.symbols(), fault).text.is_empty(), "a fault is told");
    }
}
