//! What was decoded of the chip's memories, and what of it no longer holds because memory was written since.

use cortexm::{Code, Region};

use crate::bus::Bus;
use crate::memory::CODE_LINE_BITS;

/// The decoded instructions.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) code: Code,
    /// The state of the flash that was decoded.
    flash_generation: u64,
}

impl Decoded {
    /// Nothing decoded, in the same state of the flash.
    pub(crate) fn without_tables(&self) -> Self {
        Self { flash_generation: self.flash_generation, ..Self::default() }
    }

    /// The memories are `after` from now on, and no longer `before`: forgets what is not the same in both. `kept` is what the
    /// state of `after` came with.
    pub(crate) fn move_to(mut self, before: &Bus, after: &Bus, kept: &Self) -> Self {
        let sizes = [before, after].map(|bus| bus.ssi.flash().size_bytes());
        if sizes[0] != sizes[1] || before.rom.bytes() != after.rom.bytes() {
            return kept.without_tables();
        }
        self.flash_generation = kept.flash_generation;
        for (number, (was, is)) in before.sram.code_lines().zip(after.sram.code_lines()).enumerate() {
            if was.is_some() && was != is {
                self.code.forget(Region::Sram, number << CODE_LINE_BITS, 1 << CODE_LINE_BITS);
            }
        }
        for range in before.ssi.flash().differences(after.ssi.flash()) {
            self.code.forget(Region::Flash, range.start, range.len());
        }
        self
    }

    /// Forgets what was decoded from memory that was written since.
    pub(crate) fn forget_stale(&mut self, bus: &mut Bus) {
        for offset in bus.stale_sram.drain(..) {
            self.code.forget(Region::Sram, offset as usize, 4);
            if let Some(page) = bus.sram.take_page_of_data(offset) {
                self.code.forget(Region::Sram, page.start, page.len());
            }
        }
        let generation = bus.ssi.flash().generation();
        if generation != self.flash_generation {
            self.flash_generation = generation;
            for range in bus.ssi.flash_mut().take_changes() {
                self.code.forget(Region::Flash, range.start as usize, range.len());
            }
        }
    }
}
