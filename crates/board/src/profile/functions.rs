//! Which function an address belongs to: by the image's symbols, and where it has none by the address that was called.

use std::collections::HashMap;

use mcu::image::Symbols;

/// A function, by its place in [`Functions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub(super) u32);

/// What an address belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) function: FunctionId,
    /// The addresses for which that holds too.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether the address is the function's first.
    pub(super) is_entry: bool,
}

/// The functions that were met so far.
#[derive(Debug)]
pub(super) struct Functions {
    symbols: Symbols,
    /// First address of each; where there is no symbol, the address that was called.
    starts: Vec<(u32, bool)>,
    known: HashMap<(u32, bool), FunctionId>,
}

impl Functions {
    pub(super) fn of(symbols: Symbols) -> Self {
        Self { symbols, starts: Vec::new(), known: HashMap::new() }
    }

    /// What an address belongs to; nothing where the image has no symbol for it.
    pub(super) fn at(&mut self, pc: u32) -> Option<Place> {
        let (_, offset) = self.symbols.function_at(pc)?;
        let entry = pc - offset;
        let size = self.symbols.functions().binary_search_by_key(&entry, |function| function.address);
        let size = size.map_or(2, |place| self.symbols.functions()[place].size.max(2));
        let function = self.id(entry, true);
        Some(Place { function, start: entry, end: entry.saturating_add(size), is_entry: offset == 0 })
    }

    /// The function without a symbol that was called at an address.
    pub(super) fn unnamed(&mut self, entry: u32) -> FunctionId {
        self.id(entry, false)
    }

    fn id(&mut self, entry: u32, named: bool) -> FunctionId {
        let next = FunctionId(self.starts.len() as u32);
        let id = *self.known.entry((entry, named)).or_insert(next);
        if id == next {
            self.starts.push((entry, named));
        }
        id
    }

    pub(super) fn name(&self, id: FunctionId) -> String {
        let Some(&(entry, named)) = self.starts.get(id.0 as usize) else { return "(start)".to_owned() };
        match self.symbols.function_at(entry).filter(|_| named) {
            Some((name, _)) => name.to_owned(),
            None => region_name(entry),
        }
    }
}

/// Where boot2 is copied to and runs (RP2040 datasheet 2.8.1.3.1).
const BOOT2: std::ops::Range<u32> = 0x2004_1f00..0x2004_2000;
/// Samples without a symbol are counted together within blocks of this many bytes.
const BLOCK_BYTES: u32 = 256;

/// The memory that an address lies in.
pub fn memory_name(address: u32) -> &'static str {
    match address >> 24 {
        0x00 => "boot ROM",
        0x10..=0x13 => "flash",
        0x15 => "XIP SRAM",
        _ if BOOT2.contains(&address) => "boot2",
        0x20 | 0x21 => "RAM",
        _ => "no memory",
    }
}

/// What stands for a function that has no name: the memory, and its first address where several are there.
fn region_name(address: u32) -> String {
    match memory_name(address) {
        one @ ("boot ROM" | "boot2") => format!("({one})"),
        memory => format!("({memory} {address:#010x})"),
    }
}

/// What stands for code without a name in an estimate: a block of it.
pub fn block_name(address: u32) -> String {
    region_name(address & !(BLOCK_BYTES - 1))
}
