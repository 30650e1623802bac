//! How the RP2040 starts an image: the boot ROM's check of the second stage, and vector tables.

use mcu::image::{Boot, Segment};

use super::{FLASH, FLASH_START, SRAM_END, SRAM_START};

/// Length of the second stage with its checksum (RP2040 datasheet 2.8.1.3.1).
const BOOT2_BYTES: usize = 256;

/// The second stage's state as the boot ROM sees it.
pub(super) struct Boot2 {
    stored: u32,
    computed: u32,
}

impl Boot2 {
    /// Of the first bytes of a flash.
    pub(super) fn of(flash: &[u8]) -> Option<Boot2> {
        let (code, stored) = flash.get(..BOOT2_BYTES)?.split_last_chunk::<4>()?;
        Some(Boot2 { stored: u32::from_le_bytes(*stored), computed: crc32(code) })
    }

    pub(super) fn is_right(&self) -> bool {
        self.stored == self.computed
    }
}

/// RP2040 datasheet 2.8.1.3.1: polynomial 0x04c11db7, from all ones, neither reflected nor inverted.
fn crc32(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| (crc << 1) ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 };
    bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ (u32::from(byte) << 24), |crc, _| shift(crc)))
}

/// The two words with which a core starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct VectorTable {
    pub(super) stack_pointer: u32,
    pub(super) reset: u32,
}

impl VectorTable {
    /// Of the first bytes of an image.
    pub(super) fn of(image: &[u8]) -> Option<VectorTable> {
        let (stack_pointer, rest) = image.split_first_chunk::<4>()?;
        let reset = rest.first_chunk::<4>()?;
        let [stack_pointer, reset] = [stack_pointer, reset].map(|word| u32::from_le_bytes(*word));
        Some(VectorTable { stack_pointer, reset })
    }

    /// What is wrong with it in an image that fills these addresses, if anything.
    pub(super) fn objection(&self, start: u32, end: u32) -> Option<String> {
        let VectorTable { stack_pointer, reset } = *self;
        if !(SRAM_START < stack_pointer && stack_pointer <= SRAM_END && stack_pointer.is_multiple_of(4)) {
            Some(format!("its stack pointer {stack_pointer:#010x} is not a word's address in SRAM"))
        } else if reset & 1 == 0 {
            Some(format!("its reset vector {reset:#010x} has bit 0 clear, which is no Thumb code"))
        } else if !(start..end).contains(&(reset - 1)) {
            Some(format!("its reset vector {reset:#010x} lies outside the image"))
        } else {
            None
        }
    }
}

/// How an image starts that has bytes in flash.
pub(super) fn from_flash(segments: &[Segment]) -> Result<Boot, String> {
    let unbootable = |what: String| Err(what);
    let in_flash = segments.iter().find(|segment| segment.memory() == &FLASH);
    let first = in_flash.expect("a flash image has bytes in flash");
    if first.address != FLASH_START {
        return unbootable(format!(
            "its flash begins at {:#010x}, but the boot ROM starts what is at 0x10000000. \
             Load it together with its bootloader, or link a second stage (boot2) in front of it",
            first.address
        ));
    }
    let Some(vectors) = VectorTable::of(&first.bytes) else {
        return unbootable("it has fewer than 8 bytes in flash. Check the linker script".into());
    };
    let boot2 = Boot2::of(&first.bytes);
    if boot2.as_ref().is_some_and(Boot2::is_right) {
        return Ok(Boot::Flash);
    }
    match vectors.objection(FLASH_START, first.end()) {
        None => Ok(Boot::FlashVectors),
        Some(objection) => unbootable(format!(
            "the chip would not start it: at 0x10000000 is neither a second stage (boot2), {}, nor a vector \
             table: {objection}. Link a second stage in front of it",
            refusal(boot2.as_ref())
        )),
    }
}

/// Why the boot ROM takes the first bytes for no second stage.
pub(super) fn refusal(boot2: Option<&Boot2>) -> String {
    match boot2 {
        Some(Boot2 { stored, computed }) => {
            format!("whose checksum would be {computed:#010x} and not {stored:#010x}")
        }
        None => "which has 256 bytes".into(),
    }
}

/// How an image starts that lies in RAM alone, at this entry point.
pub(super) fn from_ram(segments: &[Segment], entry: u32) -> Result<Boot, String> {
    let entry = entry & !1;
    let Some(segment) = segments.iter().find(|segment| segment.get(entry, 2).is_some()) else {
        return Err(format!(
            "its entry point {entry:#010x} lies outside of it. Name the function that starts it with ENTRY \
             in the linker script"
        ));
    };
    let vectors = VectorTable::of(&segment.bytes)
        .filter(|vectors| vectors.objection(segment.address, segment.end()).is_none())
        .filter(|vectors| vectors.reset & !1 == entry);
    let stack_pointer = vectors.map_or(SRAM_END, |vectors| vectors.stack_pointer);
    Ok(Boot::Ram { entry, stack_pointer })
}
