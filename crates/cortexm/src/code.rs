//! The tables of decoded instructions, one entry for each halfword of a memory that code runs from. They stand beside
//! the bus and not in it, so that the executor can read them while it writes to memory.

use crate::bus::{Bus, ROM_BYTES, Size};
use crate::core::decode::decode;
use crate::core::execute::Region;
use crate::core::fuse::{LONGEST_ROW, longest_row};
use crate::core::op::{Kind, Op};
use crate::memory::{CODE_LINE_BITS, SRAM_BYTES};

/// A table grows in steps of at least so many halfwords.
const LEAST_GROWTH: usize = 4096;

/// What was decoded so far. A table reaches as far as code was executed, and the length of a row further.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) rom: Vec<Op>,
    pub(crate) flash: Vec<Op>,
    pub(crate) sram: Vec<Op>,
    /// The state of the flash that was decoded.
    flash_generation: u64,
}

impl Code {
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
                forget(&mut self.sram, number << CODE_LINE_BITS, 1 << CODE_LINE_BITS);
            }
        }
        for range in before.ssi.flash().differences(after.ssi.flash()) {
            forget(&mut self.flash, range.start, range.len());
        }
        self
    }

    /// Decodes the instruction at an address; false when no memory is there.
    pub(crate) fn decode_at(&mut self, bus: &mut Bus, pc: u32) -> bool {
        if bus.peek(pc, Size::Half).is_none() {
            return false;
        }
        let region = Bus::region(pc);
        let index = (pc.wrapping_sub(Bus::region_base(region as u8)) >> 1) as usize;
        let (table, bytes) = match region {
            Region::Rom => (&mut self.rom, ROM_BYTES),
            Region::Flash => (&mut self.flash, bus.ssi.flash().size_bytes()),
            _ => (&mut self.sram, SRAM_BYTES),
        };
        let most = bytes as usize / 2;
        if index >= most {
            return false;
        }
        if index + LONGEST_ROW > table.len() {
            let length = (index + 1).next_power_of_two().max(LEAST_GROWTH).min(most);
            table.resize(length + LONGEST_ROW - 1, Op::UNDECODED);
        }
        let length = decode_row(&mut table[index..], most - index, bus, pc);
        if region == Region::Sram {
            for number in index..index + length {
                bus.sram.mark_code(number as u32 * 2);
            }
        }
        true
    }

    /// Forgets what was decoded from memory that was written since.
    pub(crate) fn forget_stale(&mut self, bus: &mut Bus) {
        for offset in bus.stale_sram.drain(..) {
            forget(&mut self.sram, offset as usize, 4);
            if let Some(page) = bus.sram.take_page_of_data(offset) {
                forget(&mut self.sram, page.start, page.len());
            }
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

/// Decodes the instruction at `pc` into the first entry, and for those of its row the operands alone into the entries behind:
/// they count as decoded only when they are executed by themselves. So many halfwords are `left` in the memory. Gives the
/// length of the row.
fn decode_row(entries: &mut [Op], left: usize, bus: &Bus, pc: u32) -> usize {
    let half = |address: u32| bus.peek(address, Size::Half).unwrap_or(0) as u16;
    let op_at = |number: usize| {
        let address = pc.wrapping_add(2 * number as u32);
        decode(address, half(address), half(address.wrapping_add(2)))
    };
    let mut row = [op_at(0), Op::UNDECODED, Op::UNDECODED];
    let longest = longest_row(row[0].kind, |number| {
        if number < left && row[number].kind == Kind::Undecoded {
            row[number] = op_at(number);
        }
        row[number].kind
    });
    let (kind, length) = longest.unwrap_or((row[0].kind, 1));
    entries[0] = Op { kind, ..row[0] };
    for (entry, op) in entries.iter_mut().zip(row).take(length).skip(1) {
        *entry = Op { kind: entry.kind, ..op };
    }
    length
}

/// Forgets the instructions of some bytes, and a row or a 32-bit instruction that reaches into them.
fn forget(table: &mut [Op], offset: usize, bytes: usize) {
    let first = (offset & !3) / 2;
    let end = ((offset + bytes).div_ceil(2) + 1).min(table.len());
    for op in table.get_mut(first.saturating_sub(LONGEST_ROW - 1)..end).into_iter().flatten() {
        *op = Op::UNDECODED;
    }
}
