//! The memories of a chip that an image may fill, and the merging of an image's pieces into segments. Every format ends
//! here, so that an image never has two contents for one address, nor bytes where the chip has no memory.

use std::fmt;
use std::sync::Arc;

use super::ChipImages;
use super::error::{Fault, ImageErrorKind};

/// A memory of a chip that an image may fill.
#[derive(Debug, PartialEq, Eq)]
pub struct Memory {
    /// As sentences name it.
    pub name: &'static str,
    /// What it is for.
    pub kind: MemoryKind,
    /// Where it begins.
    pub start: u32,
    /// Its size.
    pub bytes: u32,
    /// Whether a UF2 may fill it.
    pub takes_uf2: bool,
}

/// What a memory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryKind {
    /// Keeps the image while there is no power.
    Flash,
    /// Where an image lies that is in RAM.
    Ram,
    /// Anything besides.
    Other,
}

impl Memory {
    /// Whether it holds all of these bytes.
    pub fn holds(&self, address: u32, length: usize) -> bool {
        let rest = address.checked_sub(self.start).and_then(|offset| self.bytes.checked_sub(offset));
        rest.is_some_and(|rest| rest > 0 && length <= rest as usize)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self { name, start, bytes, .. } = self;
        match bytes {
            bytes if bytes.is_multiple_of(1 << 20) => {
                write!(formatter, "{name} ({start:#010x}, {} MiB)", bytes >> 20)
            }
            bytes if bytes.is_multiple_of(1 << 10) => {
                write!(formatter, "{name} ({start:#010x}, {} KiB)", bytes >> 10)
            }
            bytes => write!(formatter, "{name} ({start:#010x}, {bytes} bytes)"),
        }
    }
}

/// The memory of a chip that holds all of these bytes.
pub(super) fn memory_of(chip: &dyn ChipImages, address: u32, length: usize) -> Option<&'static Memory> {
    chip.memories().iter().find(|memory| memory.holds(address, length))
}

/// The memories of a chip, for a sentence.
pub(super) fn in_words(memories: &[Memory]) -> String {
    let mut words: Vec<String> = memories.iter().map(Memory::to_string).collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} and {last}", words.join(", ")),
        None => "no memory".to_owned(),
    }
}

/// Bytes of an image that stand together in one memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Segment {
    /// The address of the first byte.
    pub address: u32,
    /// The contents; never empty. A chip may have them in its flash as they are.
    pub bytes: Arc<Vec<u8>>,
    pub(super) memory: &'static Memory,
}

impl Segment {
    /// The memory that it fills.
    pub fn memory(&self) -> &'static Memory {
        self.memory
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
    pub(super) memory: &'static Memory,
    /// Its number in the file, for errors.
    pub(super) number: usize,
}

/// Joins pieces that lie in memories to segments in the order of addresses. `unit` is what the file calls a
/// piece.
pub(super) fn merge(mut pieces: Vec<Piece<'_>>, unit: &str) -> Result<Vec<Segment>, Fault> {
    pieces.sort_by_key(|piece| piece.address);
    let mut merged: Vec<Merged> = Vec::new();
    let mut left: usize = pieces.iter().map(|piece| piece.bytes.len()).sum();
    for piece in pieces {
        let touching =
            merged.last_mut().filter(|last| piece.address <= last.end() && last.memory == piece.memory);
        match touching {
            None => {
                // Mostly all that follows goes here: a vector that grows would take twice the room for a while.
                let mut bytes = Vec::with_capacity(left);
                bytes.extend_from_slice(piece.bytes);
                merged.push(Merged { address: piece.address, bytes, memory: piece.memory });
            }
            Some(last) => last.append(piece, unit)?,
        }
        left -= piece.bytes.len();
    }
    Ok(merged.into_iter().map(Merged::into_segment).collect())
}

/// A segment that may still grow.
struct Merged {
    address: u32,
    bytes: Vec<u8>,
    memory: &'static Memory,
}

impl Merged {
    fn end(&self) -> u32 {
        self.address + self.bytes.len() as u32
    }

    fn append(&mut self, piece: Piece<'_>, unit: &str) -> Result<(), Fault> {
        let offset = (piece.address - self.address) as usize;
        let common = (self.bytes.len() - offset).min(piece.bytes.len());
        let (known, new) = (&self.bytes[offset..], piece.bytes);
        if let Some(at) = (0..common).find(|&at| known[at] != new[at]) {
            return Err(ImageErrorKind::Damaged.because(format!(
                "{unit} {} puts 0x{:02x} at {:#010x}, where another {unit} puts 0x{:02x}. Build the file again",
                piece.number,
                new[at],
                u64::from(piece.address) + at as u64,
                known[at],
            )));
        }
        self.bytes.extend_from_slice(&piece.bytes[common..]);
        Ok(())
    }

    fn into_segment(mut self) -> Segment {
        self.bytes.shrink_to_fit();
        Segment { address: self.address, bytes: Arc::new(self.bytes), memory: self.memory }
    }
}
