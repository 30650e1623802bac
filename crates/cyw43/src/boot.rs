//! What the chip does when its processor is released: it looks for firmware and for NVRAM where the driver has put them.

use units::Picoseconds;

use crate::memory::{Memory, RAM_BYTES};

/// From the fast clock to the readiness of function 2, as Embassy's driver logged it on a Pico W.
pub(crate) const READY_TIME: Picoseconds = Picoseconds::new(84_200 * units::PS_PER_US);
/// The last word of the memory: how many words of NVRAM stand before it, and the complement of that.
const TOKEN: u32 = RAM_BYTES - 4;
/// Where drivers look for the address of what the firmware shares with them, and that address on boards.
const SHARED_POINTER: u32 = RAM_BYTES - 0x1_0000 - 4;
const SHARED: u32 = 0x1_6070;
/// In what is shared, the address of the console.
const CONSOLE_POINTER: u32 = SHARED + 0x14;
const CONSOLE: u32 = 0x1_6100;
/// In the console: buffer, its size, and where the next byte goes.
const LOG: u32 = CONSOLE + 8;
const LOG_BUFFER: u32 = 0x1_6200;
const LOG_BYTES: u32 = 0x400;
const GREETING: &[u8] = b"virtual CYW43439: no firmware is executed\n";
/// The vectors of a Cortex-M3 alone are longer.
const LEAST_IMAGE_BYTES: usize = 64;

/// Why the firmware does not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    NoImage,
    CutShort,
    NoSettings,
}

impl Failure {
    /// What to tell a user.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NoImage => {
                "the radio's processor was started without firmware in its memory; upload the firmware from address 0 on first"
            }
            Self::CutShort => {
                "the radio's firmware does not start: the upload ends without the version that stands at the end of every \
                 firmware, so it was cut short"
            }
            Self::NoSettings => {
                "the radio's firmware does not start: the last word of its memory is no length of NVRAM (words, and their complement \
                 in the upper half)"
            }
        }
    }
}

/// Firmware of the vendor's, which is longer than this, ends with its version in words; drivers look for that too. Anything shorter
/// is a stand-in, which the model takes.
const STAND_IN_BYTES: usize = 0x1_0000;
const VERSION: &[u8] = b"Version: ";
const TRAILER_BYTES: usize = 1024;

fn is_cut_short(image: &[u8]) -> bool {
    let end = &image[image.len().saturating_sub(TRAILER_BYTES)..];
    image.len() >= STAND_IN_BYTES && !end.windows(VERSION.len()).any(|words| words == VERSION)
}

/// Looks at what was uploaded, and puts in place what drivers read of a firmware that runs.
pub(crate) fn start(memory: &mut Memory) -> Result<(), Failure> {
    if memory.image().len() < LEAST_IMAGE_BYTES || memory.image().iter().all(|byte| *byte == 0) {
        return Err(Failure::NoImage);
    }
    if is_cut_short(memory.image()) {
        return Err(Failure::CutShort);
    }
    let token = memory.word(TOKEN);
    let words = token & 0xffff;
    if token >> 16 != !words & 0xffff || words == 0 || words * 4 > TOKEN {
        return Err(Failure::NoSettings);
    }
    for (address, value) in [
        (SHARED_POINTER, SHARED),
        (SHARED, 0x0003),
        (SHARED + 4, 0),
        (CONSOLE_POINTER, CONSOLE),
        (LOG, LOG_BUFFER),
        (LOG + 4, LOG_BYTES),
        (LOG + 8, GREETING.len() as u32),
    ] {
        memory.put(address, &value.to_le_bytes());
    }
    memory.put(LOG_BUFFER, GREETING);
    Ok(())
}
