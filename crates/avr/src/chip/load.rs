//! How an image gets into the chip, where it starts, and what its symbols say of the heap.

use mcu::SetupError;
use mcu::image::{Image, Symbols};

use super::{Avr, DATA, EEPROM};
use crate::image::{FUSES, boot_start, fuses};
use crate::peripherals::system;

/// CKDIV8 and CKSEL of the low fuse.
const CKDIV8: u8 = 1 << 7;
const CKSEL: u8 = 0x0f;
/// The values of CKSEL from which on an oscillator with a crystal is meant; 0 is a clock from outside.
const FIRST_CRYSTAL: u8 = 4;

/// Where the heap of avr-libc is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heap {
    /// The last address of variables.
    variables_end: u16,
    /// Where `__brkval` lies in the data space.
    break_at: Option<u16>,
}

impl Heap {
    /// Of an image with symbols.
    fn of(symbols: &Symbols) -> Option<Self> {
        let data = |name: &str| symbols.address_of(name).and_then(|address| address.checked_sub(DATA));
        let end = data("__heap_start").or_else(|| data("_end"))?;
        Some(Self {
            variables_end: (end as u16).wrapping_sub(1),
            break_at: data("__brkval").map(|address| address as u16),
        })
    }
}

impl Avr {
    /// Puts an image into the memories, and starts it.
    pub(crate) fn load_image(&mut self, image: &Image) -> Result<(), SetupError> {
        self.apply_fuses(image)?;
        for segment in image.segments() {
            let address = segment.address;
            let outside = match address {
                0..DATA => self.put_flash(address, &segment.bytes),
                DATA..EEPROM => self.put_ram((address - DATA) as u16, &segment.bytes),
                EEPROM..FUSES => self.put_eeprom((address - EEPROM) as usize, &segment.bytes),
                _ => true,
            };
            if !outside {
                return Err(SetupError(format!(
                    "{} has bytes at {address:#x}, which the {} does not have",
                    image.name(),
                    self.part.title
                )));
            }
        }
        self.io.devices.program.decode_all();
        self.heap = Heap::of(image.symbols());
        self.high_fuse = fuses::high_fuse(image.segments());
        self.find_start();
        Ok(())
    }

    fn apply_fuses(&mut self, image: &Image) -> Result<(), SetupError> {
        let Some(&[low]) = image.read(FUSES, 1) else { return Ok(()) };
        let source = low & CKSEL;
        if source != 0 && source < FIRST_CRYSTAL {
            return Err(SetupError(format!(
                "{} has a low fuse of {low:#04x}, with which the {} runs from its internal oscillator; a board here runs from \
                 its crystal. Build it with the crystal's fuses, such as 0xff",
                image.name(),
                self.part.title
            )));
        }
        if low & CKDIV8 == 0 {
            let cycle = self.state.core.cycle;
            self.io.devices.clock.divide(cycle, 8);
        }
        Ok(())
    }

    /// Where a reset starts: the boot loader where there is nothing at the start of the flash.
    pub(crate) fn find_start(&mut self) {
        let flash = &self.io.devices.program.bytes;
        let start = boot_start(self.part, flash, self.high_fuse);
        self.state.start = start / 2;
        // Without fuses a loader may have any size: all is taken that one may be.
        let boot_section = self.high_fuse.map(|fuse| fuses::boot_section(self.part, fuse));
        self.io.devices.program.boot_section = boot_section.unwrap_or(self.part.largest_boot_section());
        self.io.devices.program.starts_boot_loader = start != 0;
        // A boot loader that finds no program starts erased flash, and so comes round to itself.
        self.state.core.stops_at_erased = start == 0;
        self.start_core();
        self.io.devices.system.reset_flags = system::POWER_ON;
    }

    pub(crate) fn put_flash(&mut self, address: u32, bytes: &[u8]) -> bool {
        let fits = address as usize + bytes.len() <= self.io.devices.program.bytes.len();
        if fits {
            self.io.devices.program.put(address as usize, bytes);
        }
        fits
    }

    fn put_ram(&mut self, address: u16, bytes: &[u8]) -> bool {
        let offset = usize::from(address.wrapping_sub(self.part.ram_start));
        let place = self.state.ram.get_mut(offset..offset.saturating_add(bytes.len()));
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }

    pub(crate) fn put_eeprom(&mut self, offset: usize, bytes: &[u8]) -> bool {
        let place = self.io.devices.eeprom.bytes.get_mut(offset..offset.saturating_add(bytes.len()));
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }

    /// Lets the core know how far down the stack may grow.
    #[inline]
    pub(super) fn update_heap(&mut self) {
        let Some(heap) = self.heap else { return };
        let grown = heap.break_at.and_then(|at| {
            let offset = usize::from(at.wrapping_sub(self.part.ram_start));
            let bytes = self.state.ram.get(offset..offset + 2)?;
            Some(u16::from_le_bytes([bytes[0], bytes[1]]).wrapping_sub(1))
        });
        let grown = grown.filter(|end| *end > heap.variables_end && *end < self.part.ram_end());
        self.state.core.stack_floor = grown.unwrap_or(heap.variables_end);
    }
}
