//! What an ELF says of an image that logs with defmt: the symbols of its section `.defmt`, whose names are texts, and from the
//! debug information where the log statements stand. What the names mean is for whoever reads the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use gimli::{AttributeValue, DW_AT_decl_file, DW_AT_decl_line, DW_AT_linkage_name, DW_AT_name};
use gimli::{
    DW_TAG_namespace, DW_TAG_variable, DebuggingInformationEntry, Dwarf, EndianArcSlice, Reader, SectionId,
    Unit,
};
use object::elf;
use object::endian::LittleEndian;
use object::read::elf::{SectionHeader, Sym};

use super::elf::Elf;
use super::lines::debug_section;

type Slice = EndianArcSlice<gimli::LittleEndian>;

const LE: LittleEndian = LittleEndian;
const SECTION: &str = ".defmt";
/// Symbols whose names say of which version the frames are, and how they are encoded. Some linkers keep the quotes of a linker
/// script.
const VERSION: &str = "_defmt_version_ = ";
const ENCODING: &str = "_defmt_encoding_ = ";
/// The variable of a log statement, whose linkage name is that of the symbol.
const STATEMENT: &[u8] = b"DEFMT_LOG_STATEMENT";
/// Flags have values of this many bytes, and nothing has longer ones.
const CONTENTS_BYTES: u32 = 16;
/// Names may share strings, but not so that all of them are longer than this many files.
const NAMES_MAX_FILES: usize = 4;

/// A symbol of the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefmtSymbol {
    /// The number by which frames name it.
    pub address: u32,
    /// Its name.
    pub name: String,
    /// What stands in the section there, where that is a value.
    pub contents: Vec<u8>,
}

/// Where a log statement stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefmtPlace {
    /// The file's path as the compiler knew it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The module, as `crate::module`, with the function.
    pub module: String,
}

/// What an ELF says of its image's log.
#[derive(Default)]
pub struct DefmtSymbols {
    symbols: Vec<DefmtSymbol>,
    version: Option<String>,
    encoding: Option<String>,
    dwarf: Option<Dwarf<Slice>>,
}

impl DefmtSymbols {
    /// Nothing where it has no such section.
    pub(super) fn of(elf: &Elf) -> Option<Self> {
        elf.sections.iter().any(|section| is_ours(elf, section)).then(|| Self::read(elf))
    }

    fn read(elf: &Elf) -> Self {
        let mut found = Self { dwarf: Some(dwarf(elf)), ..Self::default() };
        let Ok(table) = elf.sections.symbols(LE, elf.bytes, elf::SHT_SYMTAB) else { return found };
        let mut names_bytes = elf.bytes.len().saturating_mul(NAMES_MAX_FILES);
        for (index, symbol) in table.enumerate() {
            let name = symbol.name(LE, table.strings()).ok().and_then(|name| str::from_utf8(name).ok());
            let Some(name) = name.filter(|name| !name.is_empty()) else { continue };
            let unquoted = name.trim_matches('"');
            if let Some(version) = unquoted.strip_prefix(VERSION) {
                found.version = Some(version.to_owned());
                continue;
            }
            if let Some(encoding) = unquoted.strip_prefix(ENCODING) {
                found.encoding = Some(encoding.to_owned());
                continue;
            }
            let section = table.symbol_section(LE, symbol, index).ok().flatten();
            let section = section.and_then(|section| elf.sections.section(section).ok());
            let Some(section) = section.filter(|section| is_ours(elf, section)) else { continue };
            let Some(left) = names_bytes.checked_sub(name.len()) else { break };
            names_bytes = left;
            let (address, size) = (symbol.st_value(LE), symbol.st_size(LE));
            let contents = if size == CONTENTS_BYTES { contents(elf, section, address) } else { None };
            let contents = contents.unwrap_or_default();
            found.symbols.push(DefmtSymbol { address, name: name.to_owned(), contents });
        }
        found
    }

    /// The symbols of the section.
    pub fn symbols(&self) -> &[DefmtSymbol] {
        &self.symbols
    }

    /// Of which version the frames are.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// How they are encoded.
    pub fn encoding(&self) -> Option<&str> {
        self.encoding.as_deref()
    }

    /// Where the log statements stand, by the names of their symbols. All of the debug information is read for it.
    pub fn places(&self) -> BTreeMap<String, DefmtPlace> {
        let mut places = BTreeMap::new();
        let Some(dwarf) = &self.dwarf else { return places };
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            // Of a unit that is damaged, what stands before that is known.
            let _ = add_places(dwarf, &unit, &mut places);
        }
        places
    }
}

fn is_ours(elf: &Elf, section: &elf::SectionHeader32<LittleEndian>) -> bool {
    let name = elf.sections.section_name(LE, section).unwrap_or_default();
    name == SECTION.as_bytes() || name.starts_with(b".defmt.")
}

fn contents(elf: &Elf, section: &elf::SectionHeader32<LittleEndian>, address: u32) -> Option<Vec<u8>> {
    let start = address.checked_sub(section.sh_addr(LE))? as usize;
    let data = section.data(LE, elf.bytes).ok()?;
    Some(data.get(start..start.checked_add(CONTENTS_BYTES as usize)?)?.to_vec())
}

fn dwarf(elf: &Elf) -> Dwarf<Slice> {
    let empty: Arc<[u8]> = Arc::new([]);
    let load = |id: SectionId| {
        let contents = debug_section(elf, id.name()).map_or_else(|| empty.clone(), Arc::from);
        Ok::<_, std::convert::Infallible>(Slice::new(contents, gimli::LittleEndian))
    };
    let Ok(dwarf) = Dwarf::load(load);
    dwarf
}

fn add_places(
    dwarf: &Dwarf<Slice>,
    unit: &Unit<Slice>,
    places: &mut BTreeMap<String, DefmtPlace>,
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    // The namespaces around an entry, each with its depth.
    let mut around: Vec<(isize, String)> = Vec::new();
    while let Some(entry) = entries.next_dfs()? {
        let depth = entry.depth();
        while around.last().is_some_and(|(outer, _)| *outer >= depth) {
            around.pop();
        }
        if entry.tag() == DW_TAG_namespace {
            around.push((depth, text(dwarf, unit, entry.attr_value(DW_AT_name)).unwrap_or_default()));
        } else if entry.tag() == DW_TAG_variable && is_statement(dwarf, unit, entry) {
            let module = around.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join("::");
            let symbol = text(dwarf, unit, entry.attr_value(DW_AT_linkage_name));
            if let (Some(symbol), Some(place)) = (symbol, place(dwarf, unit, entry, module)) {
                places.insert(symbol, place);
            }
        }
    }
    Ok(())
}

fn is_statement(dwarf: &Dwarf<Slice>, unit: &Unit<Slice>, entry: &DebuggingInformationEntry<Slice>) -> bool {
    let name = entry.attr_value(DW_AT_name).and_then(|name| dwarf.attr_string(unit, name).ok());
    name.is_some_and(|name| name.bytes() == STATEMENT)
}

fn text(dwarf: &Dwarf<Slice>, unit: &Unit<Slice>, value: Option<AttributeValue<Slice>>) -> Option<String> {
    Some(dwarf.attr_string(unit, value?).ok()?.to_string_lossy().ok()?.into_owned())
}

fn place(
    dwarf: &Dwarf<Slice>,
    unit: &Unit<Slice>,
    entry: &DebuggingInformationEntry<Slice>,
    module: String,
) -> Option<DefmtPlace> {
    let line = entry.attr(DW_AT_decl_line)?.udata_value()?;
    let number = match entry.attr_value(DW_AT_decl_file)? {
        AttributeValue::FileIndex(number) => number,
        other => other.udata_value()?,
    };
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(number)?;
    let name = text(dwarf, unit, Some(file.path_name()))?;
    let folder = text(dwarf, unit, file.directory(header)).unwrap_or_default();
    let base = unit.comp_dir.as_ref().filter(|_| !folder.starts_with('/'));
    let base = base.and_then(|base| base.to_string_lossy().ok()).unwrap_or_default();
    let parts = [base.as_ref(), folder.as_str(), name.as_str()];
    let file = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    Some(DefmtPlace { file, line: u32::try_from(line).ok()?, module })
}
