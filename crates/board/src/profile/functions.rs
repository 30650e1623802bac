//! Which function an address belongs to: by the image's symbols, and where it has none by the address that was called.

use std::collections::HashMap;

use mcu::image::Symbols;
use mcu::{CodeMemory, Facts};

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
    facts: &'static Facts,
    /// First address of each; where there is no symbol, the address that was called.
    starts: Vec<(u32, bool)>,
    known: HashMap<(u32, bool), FunctionId>,
}

impl Functions {
    pub(super) fn of(symbols: Symbols, facts: &'static Facts) -> Self {
        Self { symbols, facts, starts: Vec::new(), known: HashMap::new() }
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
            None => region_name(self.facts, entry),
        }
    }
}

/// Samples without a symbol are counted together within blocks of this many bytes.
const BLOCK_BYTES: u32 = 256;

/// What stands for a function that has no name: the memory, and its first address where several are there.
fn region_name(facts: &Facts, address: u32) -> String {
    let CodeMemory { name, is_one } = (facts.code_memory)(address);
    if is_one { format!("({name})") } else { format!("({name} {address:#010x})") }
}

/// What stands for code without a name in an estimate: a block of it.
pub fn block_name(facts: &Facts, address: u32) -> String {
    region_name(facts, address & !(BLOCK_BYTES - 1))
}
