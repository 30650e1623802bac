//! The tables of decoded instructions, one entry for each halfword of a memory that code runs from. They stand beside
//! the bus and not in it, so that the executor can read them while it writes to memory.

use crate::bus::{Bus, Region};
use crate::decode::decode;
use crate::isa::{Kind, Op};
use crate::superinstruction::{LONGEST, longest};
use zerocopy::FromZeros;

/// What was decoded so far. A table reaches as far as its memory, and the length of a superinstruction further, once code there was
/// executed. It is memory of zeros from the operating system, of which only those pages take room that were written.
#[derive(Debug, Default)]
pub struct Code {
    pub(crate) rom: Vec<Op>,
    pub(crate) flash: Vec<Op>,
    pub(crate) sram: Vec<Op>,
}

impl Code {
    /// Decodes the instruction at an address; false when no memory is there.
    pub fn decode_at<B: Bus>(&mut self, bus: &mut B, pc: u32) -> bool {
        if bus.peek_half(pc).is_none() {
            return false;
        }
        let region = B::region(pc);
        let index = (pc.wrapping_sub(B::region_base(region as u8)) >> 1) as usize;
        let most = bus.region_bytes(region) as usize / 2;
        let table = match region {
            Region::Rom => &mut self.rom,
            Region::Flash => &mut self.flash,
            _ => &mut self.sram,
        };
        if index >= most {
            return false;
        }
        if table.is_empty() {
            *table = Op::new_vec_zeroed(most + LONGEST - 1).expect("the host has memory for a table");
        }
        let length = decode_superinstruction(&mut table[index..], most - index, bus, pc);
        if region == Region::Sram {
            for number in index..index + length {
                bus.mark_code(number as u32 * 2);
            }
        }
        true
    }

    /// Forgets what was decoded from some bytes of a region.
    pub fn forget(&mut self, region: Region, offset: usize, bytes: usize) {
        match region {
            Region::Rom => forget(&mut self.rom, offset, bytes),
            Region::Flash => forget(&mut self.flash, offset, bytes),
            Region::Sram => forget(&mut self.sram, offset, bytes),
            Region::Other => {}
        }
    }
}

/// Decodes the instruction at `pc` into the first entry, and for the further parts of a superinstruction the operands alone into the entries behind:
/// they count as decoded only when they are executed by themselves. So many halfwords are `left` in the memory. Gives the
/// number of instructions.
fn decode_superinstruction<B: Bus>(entries: &mut [Op], left: usize, bus: &B, pc: u32) -> usize {
    let half = |address: u32| bus.peek_half(address).unwrap_or(0);
    let op_at = |number: usize| {
        let address = pc.wrapping_add(2 * number as u32);
        decode(address, half(address), half(address.wrapping_add(2)))
    };
    let mut parts = [op_at(0), Op::UNDECODED, Op::UNDECODED];
    let longest = longest(parts[0].kind, |number| {
        if number < left && parts[number].kind == Kind::Undecoded {
            parts[number] = op_at(number);
        }
        parts[number].kind
    });
    let (kind, length) = longest.unwrap_or((parts[0].kind, 1));
    entries[0] = Op { kind, ..parts[0] };
    for (entry, op) in entries.iter_mut().zip(parts).take(length).skip(1) {
        *entry = Op { kind: entry.kind, ..op };
    }
    length
}

/// Forgets the instructions of some bytes, and a superinstruction or a 32-bit instruction that reaches into them.
fn forget(table: &mut [Op], offset: usize, bytes: usize) {
    let first = (offset & !3) / 2;
    let end = ((offset + bytes).div_ceil(2) + 1).min(table.len());
    let stale = table.get_mut(first.saturating_sub(LONGEST - 1)..end).into_iter().flatten();
    // What was not decoded is left alone, because a page that is written takes room.
    for op in stale.filter(|op| **op != Op::UNDECODED) {
        *op = Op::UNDECODED;
    }
}
