//! The memories that an image may fill, and the merging of an image's pieces into segments. Every format ends
//! here, so that an image never has two contents for one address, nor bytes where the chip has no memory.

use std::fmt;

use super::error::{Fault, ImageErrorKind};

// All addresses: RP2040 datasheet 2.2 (address map) and 2.6 (memories).

/// Where the flash begins.
pub(super) const FLASH_START: u32 = 0x1000_0000;
/// Where the SRAM begins.
pub(super) const SRAM_START: u32 = 0x2000_0000;
/// The first address behind the SRAM, where the boot ROM puts the stack pointer of an image in RAM.
pub(super) const SRAM_END: u32 = SRAM_START + 264 * 1024;

/// A memory of the RP2040 that an image may fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The flash chip behind the XIP window, 16 MiB at most.
    Flash,
    /// The SRAM, 264 KiB, by its striped addresses.
    Sram,
    /// The XIP cache when it serves as memory, 16 KiB.
    XipSram,
    /// The buffers of the USB controller, 4 KiB.
    UsbRam,
}

/// Start and size of each.
const MEMORIES: [(Memory, u32, u32); 4] = [
    (Memory::Flash, FLASH_START, 16 << 20),
    (Memory::XipSram, 0x1500_0000, 16 << 10),
    (Memory::Sram, SRAM_START, SRAM_END - SRAM_START),
    (Memory::UsbRam, 0x5010_0000, 4 << 10),
];

pub(super) const MEMORIES_IN_WORDS: &str = "flash (0x10000000, 16 MiB), SRAM (0x20000000, 264 KiB), \
    XIP SRAM (0x15000000, 16 KiB) and USB RAM (0x50100000, 4 KiB)";

impl Memory {
    /// The memory that holds all of these bytes.
    pub fn of(address: u32, length: usize) -> Option<Memory> {
        let holds = |start: u32, size: u32| {
            let rest = address.checked_sub(start).and_then(|offset| size.checked_sub(offset));
            rest.is_some_and(|rest| rest > 0 && length <= rest as usize)
        };
        MEMORIES.into_iter().find(|(_, start, size)| holds(*start, *size)).map(|(memory, ..)| memory)
    }
}

/// Bytes of an image that stand together in one memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    /// The address of the first byte.
    pub address: u32,
    /// The contents; never empty.
    pub bytes: Vec<u8>,
}

impl Segment {
    /// The memory that it fills.
    pub fn memory(&self) -> Memory {
        Memory::of(self.address, self.bytes.len()).expect("a segment lies in one memory")
    }

    /// The first address behind it.
    pub fn end(&self) -> u32 {
        self.address + self.bytes.len() as u32
    }

    /// A part of its contents, where it has all of it.
    pub fn get(&self, address: u32, length: usize) -> Option<&[u8]> {
        let offset = address.checked_sub(self.address)? as usize;
        self.bytes.get(offset..offset.checked_add(length)?)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Segment({:#010x}, {} bytes)", self.address, self.bytes.len())
    }
}

/// Contents that a file has for an address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) address: u32,
    pub(super) bytes: &'a [u8],
    /// Its number in the file, for errors.
    pub(super) number: usize,
}

/// Joins pieces that lie in memories to segments in the order of addresses. `unit` is what the file calls a
/// piece.
pub(super) fn merge(mut pieces: Vec<Piece<'_>>, unit: &str) -> Result<Vec<Segment>, Fault> {
    pieces.sort_by_key(|piece| piece.address);
    let mut segments: Vec<Segment> = Vec::new();
    for piece in pieces {
        let touching = segments.last_mut().filter(|last| {
            piece.address <= last.end() && Memory::of(last.address, 1) == Memory::of(piece.address, 1)
        });
        match touching {
            None => segments.push(Segment { address: piece.address, bytes: piece.bytes.to_vec() }),
            Some(last) => append(last, piece, unit)?,
        }
    }
    Ok(segments)
}

fn append(segment: &mut Segment, piece: Piece<'_>, unit: &str) -> Result<(), Fault> {
    let offset = (piece.address - segment.address) as usize;
    let common = (segment.bytes.len() - offset).min(piece.bytes.len());
    let (known, new) = (&segment.bytes[offset..], piece.bytes);
    if let Some(at) = (0..common).find(|&at| known[at] != new[at]) {
        return Err(ImageErrorKind::Damaged.because(format!(
            "{unit} {} puts 0x{:02x} at {:#010x}, where another {unit} puts 0x{:02x}. Build the file again",
            piece.number,
            new[at],
            u64::from(piece.address) + at as u64,
            known[at],
        )));
    }
    segment.bytes.extend_from_slice(&piece.bytes[common..]);
    Ok(())
}
