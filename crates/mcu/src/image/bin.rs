//! Raw binaries: bytes without an address. They must look like an image of the RP2040, so that a picture or a
//! text is not run as code.

use super::boot::{Boot, Boot2, VectorTable, from_flash, from_ram, refusal};
use super::error::{Fault, ImageErrorKind};
use super::segments::{FLASH_START, MEMORIES_IN_WORDS, Memory, SRAM_START, Segment};

/// Where a raw binary goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RawBinary {
    /// To SRAM where it begins with a vector table whose reset vector lies there, else to flash.
    #[default]
    ByContent,
    /// To flash, at 0x10000000.
    Flash,
    /// To SRAM, at 0x20000000: a core starts from its vector table where it begins with one, else with its
    /// first byte, as the boot ROM starts images in RAM.
    Ram,
}

pub(super) fn load(bytes: &[u8], raw: RawBinary) -> Result<(Vec<Segment>, Boot), Fault> {
    let vectors = VectorTable::of(bytes);
    let fits = |start: u32, vectors: &VectorTable| {
        let end = start.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        vectors.objection(start, end).is_none()
    };
    let starts_in_ram = vectors.filter(|vectors| fits(SRAM_START, vectors));
    let boot2 = Boot2::of(bytes);
    let is_boot2 = boot2.as_ref().is_some_and(Boot2::is_right);
    let in_ram = match raw {
        RawBinary::Flash => false,
        RawBinary::Ram => true,
        RawBinary::ByContent => !is_boot2 && starts_in_ram.is_some(),
    };
    if in_ram {
        let segments = place(bytes, SRAM_START)?;
        let boot = from_ram(&segments, starts_in_ram.map_or(SRAM_START, |vectors| vectors.reset))?;
        return Ok((segments, boot));
    }
    if is_boot2 || vectors.is_some_and(|vectors| fits(FLASH_START, &vectors)) {
        let segments = place(bytes, FLASH_START)?;
        let boot = from_flash(&segments)?;
        return Ok((segments, boot));
    }
    Err(ImageErrorKind::NotAnImage.because(describe(bytes, vectors, boot2.as_ref())))
}

fn place(bytes: &[u8], address: u32) -> Result<Vec<Segment>, Fault> {
    if Memory::of(address, bytes.len()).is_none() {
        let length = bytes.len();
        return Err(ImageErrorKind::OutsideMemory.because(format!(
            "its {length} bytes do not fit at {address:#010x}: the RP2040 has {MEMORIES_IN_WORDS}. Check \
             what the file is"
        )));
    }
    Ok(vec![Segment { address, bytes: bytes.to_vec() }])
}

/// Files that are given by mistake, by their first bytes, and what to do.
const OTHER_FILES: [(&[u8], &str); 11] = [
    (b":", "it is an Intel HEX file. Convert it: arm-none-eabi-objcopy -I ihex -O binary in.hex out.bin"),
    (b"S0", "it is an S-record file. Convert it: arm-none-eabi-objcopy -I srec -O binary in.srec out.bin"),
    (b"PK\x03\x04", "it is a ZIP archive. Unpack it and give the .uf2, .elf or .bin that is in it"),
    (b"\x1f\x8b", "it is compressed with gzip. Unpack it first"),
    (b"\xfd7zXZ\0", "it is compressed with xz. Unpack it first"),
    (b"version https://git-lfs", "it is a pointer of Git LFS. Fetch the file itself with git lfs pull"),
    (b"<!DOCTYPE", "it is a web page. Download the file itself"),
    (b"<html", "it is a web page. Download the file itself"),
    (b"!<arch>", "it is a static library. Give the program that is linked with it"),
    (b"MZ", "it is a program for Windows. Give the firmware: an .elf, .uf2 or .bin for the RP2040"),
    (
        b"\xcf\xfa\xed\xfe",
        "it is a program for macOS. Give the firmware: an .elf, .uf2 or .bin for the RP2040",
    ),
];

/// Why a file is no image.
fn describe(bytes: &[u8], vectors: Option<VectorTable>, boot2: Option<&Boot2>) -> String {
    if bytes.is_empty() {
        return "the file is empty. Give an .elf, .uf2 or .bin for the RP2040".into();
    }
    let begins_with =
        |start: &[u8]| bytes.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if let Some((_, what)) = OTHER_FILES.iter().find(|(start, _)| begins_with(start)) {
        return (*what).into();
    }
    let end = FLASH_START.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    let objection = match vectors {
        Some(vectors) => vectors.objection(FLASH_START, end).unwrap_or_default(),
        None => "a table has at least 8 bytes".into(),
    };
    format!(
        "it is no image for the RP2040: no ELF, no UF2, and as a raw binary it begins neither with a second \
         stage (boot2), {}, nor with a vector table: {objection}. Give an .elf, .uf2 or .bin; for code in \
         SRAM an .elf or .uf2, which say where it belongs",
        refusal(boot2)
    )
}
