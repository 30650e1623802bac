//! From reset to the image (RP2040 datasheet 2.8.1), as our own boot ROM does it: on core 0, in one step.

use super::call::{Outcome, RomCallContext};
use super::costs;
use super::flash_calls::{connect, exit_xip, flush_cache, read_flash, reset_cycle};
use super::image::{Rom, STACK_TOP};

/// Where the second stage is put: the last 256 bytes of SRAM.
pub const BOOT2_ADDRESS: u32 = 0x2004_1f00;
const BOOT2_BYTES: usize = 256;

/// RP2040 datasheet 2.14.3.
const RESET_PADS_BANK0: u32 = 1 << 8;
const RESET_IO_QSPI: u32 = 1 << 6;
const RESET_PADS_QSPI: u32 = 1 << 9;
const RESET_TIMER: u32 = 1 << 21;
/// RP2040 datasheet 2.19.6.3: clear alias of the pad of GPIO 26, the first of four that are ADC inputs.
const PADS_GPIO26_CLEAR: u32 = 0x4001_f06c;
const PAD_INPUT_ENABLE: u32 = 1 << 6;
/// RP2040 datasheet 4.7.6: scratch registers 4 to 7.
const WATCHDOG_SCRATCH4: u32 = 0x4005_801c;
/// RP2040 datasheet 2.8.1.1: with this in scratch 4 the ROM jumps to an address that software left.
const WATCHDOG_MAGIC: u32 = 0xb007_c0d3;

/// How core 0 starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Where, without the Thumb bit.
    pub program_counter: u32,
    /// The main stack pointer.
    pub stack_pointer: u32,
    /// The link register; 0 tells a second stage to go on into the image.
    pub link_register: u32,
    /// Cycles of clk_sys that the ROM took, wait states not counted.
    pub cycles: u32,
}

/// Why the ROM does not start the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BootError {
    /// A board would show up as a USB drive.
    #[error(
        "the first 256 bytes of flash are no second stage: checksum {computed:#010x}, stored {stored:#010x}; a board would start its USB boot loader. Flash an image that begins with boot2"
    )]
    Checksum {
        /// Of its first 252 bytes.
        computed: u32,
        /// In its last four.
        stored: u32,
    },
}

/// What the ROM does after reset, up to the first instruction that is not its own.
///
/// # Errors
/// When the flash begins with no valid second stage.
pub fn boot(rom: &Rom, context: &mut dyn RomCallContext) -> Result<Entry, BootError> {
    reset_cycle(context, RESET_PADS_BANK0, false);
    for pad in 0..4 {
        context.write32(PADS_GPIO26_CLEAR + 4 * pad, PAD_INPUT_ENABLE);
    }
    let mut cycles = costs::BOOT_START;
    if let Some(entry) = watchdog_entry(rom, context, cycles) {
        return Ok(entry);
    }
    reset_cycle(context, RESET_IO_QSPI | RESET_PADS_QSPI | RESET_TIMER, true);
    cycles += costs::BOOT_SELECT + spent(connect(context)) + spent(exit_xip(context));
    cycles += load_boot2(context)?;
    cycles += spent(flush_cache(context));
    Ok(Entry { program_counter: BOOT2_ADDRESS, stack_pointer: STACK_TOP, link_register: 0, cycles })
}

fn watchdog_entry(rom: &Rom, context: &mut dyn RomCallContext, cycles: u32) -> Option<Entry> {
    let mut scratch = |number: u32| context.read32(WATCHDOG_SCRATCH4 + 4 * (number - 4));
    let [magic, check, stack_pointer, target] = [4, 5, 6, 7].map(&mut scratch);
    if magic != WATCHDOG_MAGIC || check ^ target != WATCHDOG_MAGIC.wrapping_neg() {
        return None;
    }
    context.write32(WATCHDOG_SCRATCH4, 0);
    Some(Entry {
        program_counter: target & !1,
        stack_pointer,
        link_register: rom.reset_address() | 1,
        cycles,
    })
}

/// Copies the second stage to RAM and checks it; the cycles that takes.
fn load_boot2(context: &mut dyn RomCallContext) -> Result<u32, BootError> {
    let mut boot2 = [0; BOOT2_BYTES];
    let cycles = read_flash(context, 0, &mut boot2);
    for (at, word) in boot2.as_chunks::<4>().0.iter().enumerate() {
        context.write32(BOOT2_ADDRESS + 4 * at as u32, u32::from_le_bytes(*word));
    }
    let (code, stored) = boot2.split_last_chunk::<4>().expect("256 bytes have a last word");
    let (computed, stored) = (checksum(code), u32::from_le_bytes(*stored));
    if computed != stored {
        return Err(BootError::Checksum { computed, stored });
    }
    Ok(cycles + code.len() as u32 * costs::BOOT_CHECKSUM_BYTE)
}

/// CRC-32 with the polynomial 0x04c11db7 from all ones, neither reflected nor inverted (RP2040 datasheet 2.8.1.3.1).
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte) << 24, |sum, _| {
            if sum >> 31 == 1 { sum << 1 ^ 0x04c1_1db7 } else { sum << 1 }
        })
    })
}

fn spent(outcome: Outcome) -> u32 {
    match outcome {
        Outcome::Done { cycles } | Outcome::Again { cycles } => cycles,
        Outcome::WaitForLaunch | Outcome::UsbBoot { .. } | Outcome::Reset => 0,
    }
}
