//! Raw binaries: bytes without an address. They must look like an image of the chip, so that a picture or a
//! text is not run as code.

use std::sync::Arc;

use super::boot::Boot;
use super::error::{Fault, ImageErrorKind};
use super::segments::{Segment, in_words, memory_of};
use super::{ChipImages, unbootable};

/// Where a raw binary goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RawBinary {
    /// To RAM where its content says that it belongs there, else to flash.
    #[default]
    ByContent,
    /// To the start of the flash.
    Flash,
    /// To the start of the RAM: a core starts from its vector table where it begins with one, else with its first byte.
    Ram,
}

pub(super) fn load(
    bytes: &Arc<Vec<u8>>,
    chip: &'static dyn ChipImages,
    raw: RawBinary,
) -> Result<(Vec<Segment>, Boot), Fault> {
    let (address, entry) = chip
        .place_raw_binary(bytes, raw)
        .map_err(|objection| ImageErrorKind::NotAnImage.because(describe(bytes, chip, objection)))?;
    let Some(memory) = memory_of(chip, address, bytes.len()) else {
        return Err(ImageErrorKind::OutsideMemory.because(format!(
            "its {} bytes do not fit at {address:#010x}: the {} has {}. Check what the file is",
            bytes.len(),
            chip.chip(),
            in_words(chip.memories())
        )));
    };
    let segments = vec![Segment { address, bytes: bytes.clone(), memory }];
    let boot = chip.boot(&segments, entry).map_err(unbootable)?;
    Ok((segments, boot))
}

/// Files that are given by mistake, by their first bytes, and what to do.
const OTHER_FILES: [(&[u8], &str); 10] = [
    (b"S0", "it is an S-record file. Convert it: arm-none-eabi-objcopy -I srec -O binary in.srec out.bin"),
    (b"PK\x03\x04", "it is a ZIP archive. Unpack it and give the .uf2, .elf or .bin that is in it"),
    (b"\x1f\x8b", "it is compressed with gzip. Unpack it first"),
    (b"\xfd7zXZ\0", "it is compressed with xz. Unpack it first"),
    (b"version https://git-lfs", "it is a pointer of Git LFS. Fetch the file itself with git lfs pull"),
    (b"<!DOCTYPE", "it is a web page. Download the file itself"),
    (b"<html", "it is a web page. Download the file itself"),
    (b"!<arch>", "it is a static library. Give the program that is linked with it"),
    (b"MZ", "it is a program for Windows. Give the firmware: an .elf, .uf2 or .bin for the {chip}"),
    (
        b"\xcf\xfa\xed\xfe",
        "it is a program for macOS. Give the firmware: an .elf, .uf2 or .bin for the {chip}",
    ),
];

/// Why a file is no image; `objection` is the chip's.
fn describe(bytes: &[u8], chip: &dyn ChipImages, objection: String) -> String {
    if bytes.is_empty() {
        return format!("the file is empty. Give an .elf, .uf2 or .bin for the {}", chip.chip());
    }
    let begins_with =
        |start: &[u8]| bytes.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    match OTHER_FILES.iter().find(|(start, _)| begins_with(start)) {
        Some((_, what)) => what.replace("{chip}", chip.chip()),
        None => objection,
    }
}
