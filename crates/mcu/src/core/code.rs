//! The tables of decoded instructions, one entry for each halfword of a memory that code runs from. They stand beside
//! the bus and not in it, so that the executor can read them while it writes to memory.

use crate::bus::{Bus, ROM_BYTES, Size};
use crate::core::decode::decode_pair;
use crate::core::execute::Region;
use crate::core::op::Op;
use crate::memory::SRAM_BYTES;

/// What was decoded so far.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) rom: Box<[Op]>,
    pub(crate) flash: Box<[Op]>,
    pub(crate) sram: Box<[Op]>,
    /// The state of the flash that was decoded.
    flash_generation: u64,
}

impl Code {
    pub(crate) fn new(flash_bytes: usize) -> Self {
        let table = |bytes: usize| vec![Op::UNDECODED; bytes / 2].into();
        Self {
            rom: table(ROM_BYTES as usize),
            flash: table(flash_bytes),
            sram: table(SRAM_BYTES as usize),
            flash_generation: 0,
        }
    }

    /// Decodes the instruction at an address; false when no memory is there.
    pub(crate) fn decode_at(&mut self, bus: &mut Bus, pc: u32) -> bool {
        let Some(first) = bus.peek(pc, Size::Half) else { return false };
        let second = bus.peek(pc.wrapping_add(2), Size::Half).unwrap_or(0);
        let region = Bus::region(pc);
        let index = (pc.wrapping_sub(Bus::region_base(region as u8)) >> 1) as usize;
        let table = match region {
            Region::Rom => &mut self.rom,
            Region::Flash => &mut self.flash,
            _ => &mut self.sram,
        };
        let Some(op) = table.get_mut(index) else { return false };
        *op = decode_pair(pc, first as u16, second as u16);
        if region == Region::Sram {
            bus.sram.mark_code(index as u32 * 2);
        }
        true
    }

    /// Forgets what was decoded from memory that was written since.
    pub(crate) fn forget_stale(&mut self, bus: &mut Bus) {
        for offset in bus.stale_sram.drain(..) {
            forget(&mut self.sram, offset as usize, 4);
        }
        let generation = bus.ssi.flash().generation();
        if generation != self.flash_generation {
            self.flash_generation = generation;
            for range in bus.ssi.flash_mut().take_changes() {
                forget(&mut self.flash, range.start as usize, range.len());
            }
        }
    }
}

/// Forgets the instructions of some bytes, and a 32-bit instruction that reaches into them.
fn forget(table: &mut [Op], offset: usize, bytes: usize) {
    let first = (offset & !3) / 2;
    let end = ((offset + bytes).div_ceil(2) + 1).min(table.len());
    for op in table.get_mut(first.saturating_sub(1)..end).into_iter().flatten() {
        *op = Op::UNDECODED;
    }
}
