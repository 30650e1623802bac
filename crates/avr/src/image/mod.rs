//! Images of the chips: their memories, which files are for them, and where they start what those hold.

mod check;
pub(crate) mod fuses;

use mcu::image::{Boot, ChipImages, ElfHead, Memory, MemoryKind, RawBinary, Segment};

use crate::chip::{DATA, EEPROM};
use crate::chips::{ATMEGA328P, ATMEGA1284P, ATMEGA2560, Part};

/// Where ELFs have fuses, lock bits and signature (binutils, `elf/avr.h`).
pub(crate) const FUSES: u32 = 0x82_0000;
const LOCK_BITS: u32 = 0x83_0000;
const SIGNATURE: u32 = 0x84_0000;

const fn memories(part: &Part) -> [Memory; 6] {
    [
        memory("flash", MemoryKind::Flash, 0, part.flash_bytes),
        memory("RAM", MemoryKind::Ram, DATA + part.ram_start as u32, part.ram_bytes as u32),
        memory("EEPROM", MemoryKind::Other, EEPROM, part.eeprom_bytes as u32),
        memory("fuses", MemoryKind::Other, FUSES, 3),
        memory("lock bits", MemoryKind::Other, LOCK_BITS, 1),
        memory("signature", MemoryKind::Other, SIGNATURE, 3),
    ]
}

const fn memory(name: &'static str, kind: MemoryKind, start: u32, bytes: u32) -> Memory {
    Memory { name, kind, start, bytes, takes_uf2: false }
}

static MEMORIES: [[Memory; 6]; 3] = [memories(&ATMEGA328P), memories(&ATMEGA1284P), memories(&ATMEGA2560)];

/// The images of one of the chips.
#[derive(Debug)]
pub(crate) struct Images {
    part: &'static Part,
    memories: &'static [Memory; 6],
}

/// By the place in [`crate::chips::PARTS`].
pub(crate) static IMAGES: [Images; 3] = [
    Images { part: &ATMEGA328P, memories: &MEMORIES[0] },
    Images { part: &ATMEGA1284P, memories: &MEMORIES[1] },
    Images { part: &ATMEGA2560, memories: &MEMORIES[2] },
];

impl ChipImages for Images {
    fn chip(&self) -> &'static str {
        self.part.title
    }

    fn memories(&self) -> &'static [Memory] {
        self.memories
    }

    fn check_machine(&self, head: &ElfHead) -> Result<(), String> {
        check::machine(self.part, head)
    }

    fn instead_of_memory(&self, address: u32) -> &'static str {
        match address {
            0x0800_0000..0x1000_0000 => ", where STM32 chips have their flash",
            0x1000_0000..0x1100_0000 => ", where the RP2040 has its flash",
            _ => "",
        }
    }

    fn check_contents(&self, segments: &[Segment]) -> Result<(), String> {
        check::stack(self.part, segments)
    }

    fn place_raw_binary(&self, bytes: &[u8], _: RawBinary) -> Result<(u32, Option<u32>), String> {
        check::vectors(self.part, bytes).map(|()| (0, None))
    }

    fn boot(&self, segments: &[Segment], _: Option<u32>) -> Result<Boot, String> {
        let in_flash = segments.iter().filter(|segment| segment.memory().kind == MemoryKind::Flash);
        let Some(first) = in_flash.map(|segment| segment.address).min() else {
            return Err("it has nothing for the flash. Give the program itself".to_owned());
        };
        let starts = boot_starts(self.part);
        if first == 0 {
            return Ok(Boot::Flash);
        }
        if starts.contains(&first) {
            return fuses::check_boot_loader(self.part, segments, first).map(|()| Boot::Flash);
        }
        let named: Vec<String> = starts.iter().map(|start| format!("{start:#x}")).collect();
        Err(format!(
            "it begins at {first:#x}, where the {} starts nothing: that is 0, or {} for a boot loader. Check the linker's \
             section start",
            self.part.title,
            named.join(", ")
        ))
    }
}

/// Where boot loaders may begin, by BOOTSZ.
fn boot_starts(part: &Part) -> [u32; 4] {
    part.boot_bytes.map(|bytes| part.flash_bytes - bytes)
}

/// Where a reset starts what is in a flash: where the fuses say, if an image states them; else at 0, or at the boot loader that
/// is alone in it.
pub(crate) fn boot_start(part: &Part, flash: &[u8], high_fuse: Option<u8>) -> u32 {
    if let Some(fuse) = high_fuse {
        return fuses::reset_starts_at(part, fuse);
    }
    let first = flash.iter().position(|byte| *byte != 0xff).unwrap_or(0) as u32;
    // BOOTRST and BOOTSZ are taken to be set for what is there.
    boot_starts(part).into_iter().find(|start| *start == first).unwrap_or(0)
}
