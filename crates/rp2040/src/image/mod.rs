//! Images of the RP2040: its memories, which files are for it, and how it starts what they hold.

mod boot;
mod elf;

use std::sync::Arc;

use mcu::image::{
    ArmAttributes, Boot, ChipImages, ElfHead, Image, ImageError, LoadOptions, Memory, MemoryKind, RawBinary,
    Segment,
};

use boot::{Boot2, VectorTable, from_flash, from_ram, refusal};

// All addresses: RP2040 datasheet 2.2 (address map) and 2.6 (memories).

/// Where the flash begins.
const FLASH_START: u32 = 0x1000_0000;
/// Where the SRAM begins.
const SRAM_START: u32 = 0x2000_0000;
/// The first address behind the SRAM, where the boot ROM puts the stack pointer of an image in RAM.
const SRAM_END: u32 = SRAM_START + 264 * 1024;
/// The UF2 project's list of families.
const UF2_FAMILY: u32 = 0xe48b_ff56;

/// The flash chip behind the XIP window.
static FLASH: Memory = FLASH_MEMORY;
const FLASH_MEMORY: Memory = memory("flash", MemoryKind::Flash, FLASH_START, 16 << 20);

/// The SRAM by its striped addresses, the XIP cache when it serves as memory, and the buffers of the USB controller, which the
/// boot ROM fills from no UF2 (2.8.4.2).
static MEMORIES: [Memory; 4] = [
    FLASH_MEMORY,
    memory("SRAM", MemoryKind::Ram, SRAM_START, SRAM_END - SRAM_START),
    memory("XIP SRAM", MemoryKind::Other, 0x1500_0000, 16 << 10),
    Memory { takes_uf2: false, ..memory("USB RAM", MemoryKind::Other, 0x5010_0000, 4 << 10) },
];

const fn memory(name: &'static str, kind: MemoryKind, start: u32, bytes: u32) -> Memory {
    Memory { name, kind, start, bytes, takes_uf2: true }
}

/// Images of the RP2040.
#[derive(Debug)]
pub(crate) struct Images;

/// Loads a file's `bytes` as an image for the RP2040; see [`Image::load`].
///
/// # Errors
/// When it is none.
pub fn load_image(bytes: &[u8], name: &str, options: &LoadOptions) -> Result<Image, ImageError> {
    Image::load(&Arc::new(bytes.to_vec()), name, &Images, options)
}

impl ChipImages for Images {
    fn chip(&self) -> &'static str {
        "RP2040"
    }

    fn memories(&self) -> &'static [Memory] {
        &MEMORIES
    }

    fn uf2_family(&self) -> Option<u32> {
        Some(UF2_FAMILY)
    }

    fn check_machine(&self, head: &ElfHead) -> Result<(), String> {
        elf::check_machine(head)
    }

    fn check_arm_attributes(&self, attributes: &ArmAttributes) -> Result<(), String> {
        elf::check_attributes(attributes)
    }

    fn instead_of_memory(&self, address: u32) -> &'static str {
        elf::whose_memory(address)
    }

    fn place_raw_binary(&self, bytes: &[u8], place: RawBinary) -> Result<(u32, Option<u32>), String> {
        let vectors = VectorTable::of(bytes);
        let fits =
            |start: u32| vectors.filter(|vectors| vectors.objection(start, end_of(bytes, start)).is_none());
        let boot2 = Boot2::of(bytes);
        let is_boot2 = boot2.as_ref().is_some_and(Boot2::is_right);
        let starts_in_ram = fits(SRAM_START);
        let in_ram = match place {
            RawBinary::Flash => false,
            RawBinary::Ram => true,
            RawBinary::ByContent => !is_boot2 && starts_in_ram.is_some(),
        };
        if in_ram {
            Ok((SRAM_START, Some(starts_in_ram.map_or(SRAM_START, |vectors| vectors.reset))))
        } else if is_boot2 || fits(FLASH_START).is_some() {
            Ok((FLASH_START, None))
        } else {
            Err(describe(bytes, vectors, boot2.as_ref()))
        }
    }

    /// The boot ROM starts an image in RAM that says no more at its lowest address, and prefers SRAM to XIP SRAM, which lies
    /// lower (RP2040 datasheet 2.8.4.2).
    fn boot(&self, segments: &[Segment], entry: Option<u32>) -> Result<Boot, String> {
        if segments.iter().any(|segment| segment.memory() == &FLASH) {
            return from_flash(segments);
        }
        let in_sram = segments.iter().find(|segment| segment.memory().kind == MemoryKind::Ram);
        from_ram(segments, entry.unwrap_or_else(|| in_sram.unwrap_or(&segments[0]).address))
    }
}

fn end_of(bytes: &[u8], start: u32) -> u32 {
    start.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
}

/// Why a raw binary is no image.
fn describe(bytes: &[u8], vectors: Option<VectorTable>, boot2: Option<&Boot2>) -> String {
    let objection = match vectors {
        Some(vectors) => vectors.objection(FLASH_START, end_of(bytes, FLASH_START)).unwrap_or_default(),
        None => "a table has at least 8 bytes".into(),
    };
    format!(
        "it is no image for the RP2040: no ELF, no UF2, and as a raw binary it begins neither with a second \
         stage (boot2), {}, nor with a vector table: {objection}. Give an .elf, .uf2 or .bin; for code in \
         SRAM an .elf or .uf2, which say where it belongs",
        refusal(boot2)
    )
}
