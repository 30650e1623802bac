//! Where a reset starts by the high fuse, which an image may state (datasheets, "Fuse Bits": a programmed one reads 0; the bits
//! stand alike in all of the chips).

use mcu::image::Segment;

use super::{FUSES, boot_starts};
use crate::chips::Part;

const BOOTRST: u8 = 1 << 0;
const BOOTSZ_SHIFT: u8 = 1;

/// The high fuse, where an image has it.
pub(crate) fn high_fuse(segments: &[Segment]) -> Option<u8> {
    segments.iter().find_map(|segment| segment.get(FUSES + 1, 1)).map(|byte| byte[0])
}

/// Where the boot section begins.
pub(crate) fn boot_section(part: &Part, fuse: u8) -> u32 {
    let size = 3 - usize::from(fuse >> BOOTSZ_SHIFT & 3);
    boot_starts(part)[size]
}

/// Where a reset starts.
pub(crate) fn reset_starts_at(part: &Part, fuse: u8) -> u32 {
    if fuse & BOOTRST == 0 { boot_section(part, fuse) } else { 0 }
}

/// Why a boot loader, alone in its image, is not started by the fuses that this states.
pub(super) fn check_boot_loader(part: &Part, segments: &[Segment], first: u32) -> Result<(), String> {
    let Some(fuse) = high_fuse(segments) else { return Ok(()) };
    if fuse & BOOTRST != 0 {
        return Err(format!(
            "it is a boot loader at {first:#x}, but its high fuse of {fuse:#04x} has a reset start at 0, where it has nothing. \
             Program BOOTRST: {:#04x}",
            fuse & !BOOTRST
        ));
    }
    let section = boot_section(part, fuse);
    if section == first {
        return Ok(());
    }
    Err(format!(
        "it is a boot loader at {first:#x}, but its high fuse of {fuse:#04x} has the boot section begin at {section:#x}. Set \
         BOOTSZ for the loader, or link it there"
    ))
}
