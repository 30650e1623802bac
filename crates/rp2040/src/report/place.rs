//! Addresses of code in words: function and source line; and what is code at all.

use std::fmt;

use crate::bus::ROM_BYTES;
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::report::registers::ReadWord;
use mcu::image::{SourceLine, Symbols};

/// An address of code with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: u32,
    /// The function, and the distance from its start.
    pub function: Option<(String, u32)>,
    /// Its source line, and the places into which it was inlined, from the innermost outwards.
    pub lines: Vec<SourceLine>,
}

impl Place {
    /// The instruction at an address.
    pub fn of(address: u32, symbols: &Symbols) -> Self {
        Self::with_lines_of(address, address, symbols)
    }

    /// The call before a return address: the address is that of the return, the line that of the call.
    pub fn of_return(address: u32, symbols: &Symbols) -> Self {
        Self::with_lines_of(address, address.wrapping_sub(2), symbols)
    }

    fn with_lines_of(address: u32, within: u32, symbols: &Symbols) -> Self {
        let function = symbols
            .function_at(within)
            .map(|(name, offset)| (name.to_owned(), offset.wrapping_add(address.wrapping_sub(within))));
        Self { address, function, lines: symbols.lines_at(within) }
    }

    /// The function with the distance from its start, or which memory it is.
    pub fn name(&self) -> String {
        match &self.function {
            Some((name, 0)) => name.clone(),
            Some((name, offset)) => format!("{name}+{offset:#x}"),
            None => memory_name(self.address).to_owned(),
        }
    }
}

impl fmt::Display for Place {
    /// `main+0x1c (main.c:42)`, or the address where no name is known.
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match &self.function {
            Some(_) => formatter.write_str(&self.name())?,
            None => write!(formatter, "{:#010x} in {}", self.address, self.name())?,
        }
        match self.lines.first() {
            Some(line) => write!(formatter, " ({})", short(line)),
            None => Ok(()),
        }
    }
}

/// A source line with the last parts of its path; the whole path is in the fields.
pub(super) fn short(line: &SourceLine) -> String {
    let separators = ['/', '\\'];
    let cut = line.file.rmatch_indices(separators).nth(1).map_or(0, |(at, _)| at + 1);
    let file = &line.file[cut..];
    format!("{}:{}", file.strip_prefix("./").unwrap_or(file), line.line)
}

/// Which memory an address is in.
pub(super) fn memory_name(address: u32) -> &'static str {
    match address >> 24 {
        0x00 if address < ROM_BYTES => "the boot ROM",
        0x10..=0x13 => "flash",
        0x15 => "the XIP cache as SRAM",
        0x20 if address - SRAM_BASE < SRAM_BYTES => "SRAM",
        0x21 => "SRAM",
        _ => "no memory",
    }
}

/// Whether code can run there.
pub(super) fn is_code(address: u32) -> bool {
    memory_name(address) != "no memory"
}

/// The two halfwords at an address of code; the second is 0 where memory ends.
pub(super) fn halfwords(read: ReadWord<'_>, address: u32) -> Option<(u16, u16)> {
    let half = |address: u32| read(address & !3).map(|word| (word >> (8 * (address & 2))) as u16);
    let first = is_code(address).then(|| half(address & !1)).flatten()?;
    Some((first, half((address & !1).wrapping_add(2)).unwrap_or(0)))
}
