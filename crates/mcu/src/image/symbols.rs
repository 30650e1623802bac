//! Names for addresses, from an ELF's symbol table. Reports, profiles and breakpoints ask here; source lines
//! stand in `lines`. Notes that a build leaves for tools are here too, as they come and go with the names. Built once per image and shared by its clones.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use object::elf::{self, FileHeader32, SectionHeader32, Sym32, SymbolType};
use object::endian::LittleEndian;
use object::read::elf::{SectionHeader, Sym, SymbolTable};

use super::call_frames::{CallFrame, CallFrames};
use super::defmt::DefmtSymbols;
use super::demangle::{demangle, shown_name};
use super::elf::Elf;
use super::error::{Fault, ImageErrorKind};
use super::lines::{Lines, SourceLine};

const LE: LittleEndian = LittleEndian;
/// A longer name is cut.
const NAME_MAX_BYTES: usize = 1_000;
/// Names may share strings, but not so that all of them are longer than this many files: a small file would
/// fill the host's memory.
const NAMES_MAX_FILES: usize = 4;
/// What the names of sections begin with in which a build leaves notes for tools.
const NOTES: &str = ".airwire.";
/// The type that old tools give Thumb functions (Arm's ELF specification, STT_ARM_TFUNC).
const STT_ARM_TFUNC: SymbolType = SymbolType(13);

/// A function of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name, as the language writes it.
    pub name: String,
    /// The address of its first instruction, without the Thumb bit.
    pub address: u32,
    /// Its length with the constants behind its code. Where the symbol states none, as in assembler, it
    /// reaches to the next function or to the end of its section.
    pub size: u32,
}

/// A variable of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The address of its first byte while the image runs.
    pub address: u32,
    /// Where the image has its first value: the same address, or where start-up code copies it from.
    pub loaded_at: u32,
    /// How many bytes it has.
    pub size: u32,
}

/// The names of an image's functions and variables, and the source lines of its code.
#[derive(Clone, Default)]
pub struct Symbols {
    table: Arc<Table>,
}

#[derive(Default)]
struct Table {
    functions: Vec<Function>,
    spans: Vec<Span>,
    addresses: BTreeMap<String, u32>,
    variables: BTreeMap<String, Variable>,
    notes: BTreeMap<String, Vec<u8>>,
    defmt: Option<DefmtSymbols>,
    lines: Lines,
    call_frames: CallFrames,
}

/// Addresses for which one function is responsible; spans do not overlap.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
    function: usize,
}

impl Symbols {
    /// The function that an address lies in, and the distance from its start. The Thumb bit does no harm.
    pub fn function_at(&self, address: u32) -> Option<(&str, u32)> {
        let spans = &self.table.spans;
        let span = spans[..spans.partition_point(|span| span.start <= address)].last()?;
        let function = &self.table.functions[span.function];
        (address < span.end)
            .then(|| (function.name.as_str(), (address & !1).saturating_sub(function.address)))
    }

    /// The source line of the instruction at an address, with the function that it belongs to. For a return
    /// address ask for the address before it, which is within the call.
    pub fn line_at(&self, address: u32) -> Option<SourceLine> {
        self.lines_at(address).into_iter().next()
    }

    /// As `line_at`, followed by the places into which that function was inlined, from the innermost
    /// outwards.
    pub fn lines_at(&self, address: u32) -> Vec<SourceLine> {
        self.table.lines.at(address)
    }

    /// How the caller's registers are found at the instruction at an address, if the compiler wrote it down.
    pub fn call_frame_at(&self, address: u32) -> Option<CallFrame> {
        self.table.call_frames.at(address & !1)
    }

    /// The address of a function (without the Thumb bit), of a variable, or of a linker script's symbol, by
    /// its name as the compiler or as the language writes it.
    pub fn address_of(&self, name: &str) -> Option<u32> {
        self.table.addresses.get(name).copied()
    }

    /// All functions in the order of addresses; of several names for one address the most telling.
    pub fn functions(&self) -> &[Function] {
        &self.table.functions
    }

    /// The variables with a first value whose names begin with a text, in the order of names.
    pub fn variables<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = (&'a str, Variable)> {
        let found = self.table.variables.range(beginning.to_owned()..);
        let named = found.take_while(move |(name, _)| name.starts_with(beginning));
        named.map(|(name, variable)| (name.as_str(), *variable))
    }

    /// What stands in a section of notes, `.airwire.<name>`: it is in the ELF only, and goes into no memory.
    pub fn notes(&self, name: &str) -> Option<&[u8]> {
        self.table.notes.get(name).map(Vec::as_slice)
    }

    /// What the ELF says of a log by defmt, if the image writes one.
    pub fn defmt(&self) -> Option<&DefmtSymbols> {
        self.table.defmt.as_ref()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.table.addresses.is_empty()
    }

    pub(super) fn of(elf: &Elf) -> Result<Symbols, Fault> {
        let table = elf.sections.symbols(LE, elf.bytes, elf::SHT_SYMTAB).map_err(damaged)?;
        let mut found = read_symbols(elf, &table)?;
        // The best comes last and stays: a whole name rather than one that is cut short.
        found.sort_by_key(|symbol| (symbol.rank, symbol.address));
        let shown = found.iter().rev().map(|symbol| (symbol.shown().to_owned(), symbol.address));
        let mut addresses: BTreeMap<String, u32> = shown.collect();
        for symbol in found.iter().rev() {
            let Symbol { name, demangled, address, .. } = symbol;
            addresses.extend(demangled.iter().chain([name]).map(|name| (name.clone(), *address)));
        }
        let variables = variables(&found);
        let functions = functions(found);
        let spans = spans(&functions);
        let (notes, defmt) = (notes(elf), DefmtSymbols::of(elf));
        let (lines, call_frames) = (Lines::of(elf), CallFrames::of(elf));
        let table = Table { functions, spans, addresses, variables, notes, defmt, lines, call_frames };
        Ok(Symbols { table: Arc::new(table) })
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Table { functions, addresses, .. } = &*self.table;
        write!(formatter, "Symbols({} names, {} functions)", addresses.len(), functions.len())
    }
}

/// A defined symbol that has a name.
struct Symbol {
    name: String,
    /// Where it differs from the name.
    demangled: Option<String>,
    /// The name that people are shown then.
    shortened: Option<String>,
    address: u32,
    size: u32,
    is_function: bool,
    /// It marks a place of code that others refer to, without saying that it is a function.
    is_label: bool,
    /// The lower, the better as a name for its address.
    rank: (bool, u8),
    /// The first address behind its section.
    section_end: u32,
    /// Where the image has the contents of its section, and the section's address while it runs.
    loaded: Option<(u32, u32)>,
}

fn notes(elf: &Elf) -> BTreeMap<String, Vec<u8>> {
    let unloaded = elf.sections.iter().filter(|section| !section.sh_flags(LE).contains(elf::SHF_ALLOC));
    let named = unloaded.filter_map(|section| {
        let name = str::from_utf8(elf.sections.section_name(LE, section).ok()?).ok()?;
        Some((name.strip_prefix(NOTES)?.to_owned(), section.data(LE, elf.bytes).ok()?.to_vec()))
    });
    named.collect()
}

fn damaged(error: impl fmt::Display) -> Fault {
    ImageErrorKind::Damaged.because(format!("its symbol table is damaged: {error}. Copy the file again"))
}

fn read_symbols(elf: &Elf, table: &SymbolTable<FileHeader32<LittleEndian>>) -> Result<Vec<Symbol>, Fault> {
    let mut symbols = Vec::new();
    let mut names_bytes = elf.bytes.len().saturating_mul(NAMES_MAX_FILES);
    for (index, symbol) in table.enumerate() {
        let name = symbol.name(LE, table.strings()).map_err(damaged)?;
        let is_mapping = name.starts_with(b"$");
        if name.is_empty() || is_mapping || !is_definition(symbol) {
            continue;
        }
        let name = &name[..name.len().min(NAME_MAX_BYTES)];
        names_bytes = names_bytes.checked_sub(name.len()).ok_or_else(|| damaged("its names are too long"))?;
        let section = table.symbol_section(LE, symbol, index).map_err(damaged)?;
        let section = section.and_then(|section| elf.sections.section(section).ok());
        let loaded = section.and_then(|section| Some((elf.loaded(section)?.0, section.sh_addr(LE))));
        symbols.push(Symbol { loaded, ..Symbol::new(name, symbol, section) });
    }
    Ok(symbols)
}

impl Symbol {
    fn new(
        name: &[u8],
        symbol: &Sym32<LittleEndian>,
        section: Option<&SectionHeader32<LittleEndian>>,
    ) -> Symbol {
        let name = String::from_utf8_lossy(name).into_owned();
        let demangled = Some(demangle(&name)).filter(|demangled| *demangled != name);
        let shortened = demangled.as_deref().map(|_| shown_name(&name));
        let is_function = [elf::STT_FUNC, STT_ARM_TFUNC].contains(&symbol.st_type());
        let is_code = section.is_some_and(|section| section.sh_flags(LE).contains(elf::SHF_EXECINSTR));
        let is_known_elsewhere = symbol.st_bind() != elf::STB_LOCAL;
        let is_label =
            is_code && is_known_elsewhere && symbol.st_type() == elf::STT_NOTYPE && !is_marker(&name);
        let (value, size) = (symbol.st_value(LE), symbol.st_size(LE));
        Symbol {
            name,
            demangled,
            shortened,
            address: if is_function { value & !1 } else { value },
            size,
            is_function,
            is_label,
            rank: (size == 0, binding_rank(symbol)),
            loaded: None,
            section_end: section.map_or(0, |section| section.sh_addr(LE).saturating_add(section.sh_size(LE))),
        }
    }
}

impl Symbol {
    /// The name that people are shown.
    fn shown(&self) -> &str {
        self.shortened.as_deref().unwrap_or(&self.name)
    }
}

/// Symbols without a type are those of linker scripts and assembler.
fn is_definition(symbol: &Sym32<LittleEndian>) -> bool {
    let named = [elf::STT_NOTYPE, elf::STT_OBJECT, elf::STT_FUNC, STT_ARM_TFUNC];
    named.contains(&symbol.st_type()) && symbol.st_shndx(LE) != elf::SHN_UNDEF
}

/// Whether a name is one that linker scripts give to the ends of sections, as in `__ctors_start` and `__boot2_end__`.
fn is_marker(name: &str) -> bool {
    let bare = name.trim_end_matches('_');
    name.starts_with('_') && (bare.ends_with("_start") || bare.ends_with("_end")) || bare.ends_with("etext")
}

fn binding_rank(symbol: &Sym32<LittleEndian>) -> u8 {
    match symbol.st_bind() {
        elf::STB_GLOBAL => 0,
        elf::STB_WEAK => 1,
        _ => 2,
    }
}

/// The functions, and between them the code of assembler whose symbols have no type: most of the C library of AVRs.
fn functions(symbols: Vec<Symbol>) -> Vec<Function> {
    // The end of a function at the last address of all is no address.
    let symbols = symbols.into_iter().filter(|symbol| symbol.address != u32::MAX);
    let (typed, others): (Vec<Symbol>, Vec<Symbol>) = symbols.partition(|symbol| symbol.is_function);
    let typed = best_by_address(typed);
    let covered = covered(&typed);
    let labels = others.into_iter().filter(|symbol| symbol.is_label && !is_within(&covered, symbol.address));
    let symbols = best_by_address(typed.into_iter().chain(labels).collect());
    let sizes: Vec<u32> = sizes(&symbols).collect();
    let functions = symbols.into_iter().zip(sizes).map(|(symbol, size)| Function {
        name: symbol.shown().to_owned(),
        address: symbol.address,
        size,
    });
    functions.collect()
}

/// The symbols in the order of addresses; of several for one address the most telling.
fn best_by_address(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    symbols.sort_by(|one, other| {
        let key = |symbol: &Symbol| (symbol.address, symbol.rank, symbol.name.len());
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    symbols.dedup_by_key(|symbol| symbol.address);
    symbols
}

/// The size of each; one that states none reaches to the next, or to the end of its section.
fn sizes(symbols: &[Symbol]) -> impl Iterator<Item = u32> {
    let next = symbols.iter().skip(1).map(|next| next.address).chain([u32::MAX]);
    symbols.iter().zip(next).map(|(symbol, next)| match symbol.size {
        0 => next.min(symbol.section_end).saturating_sub(symbol.address),
        size => size,
    })
}

/// Where each begins, with the end of the one that reaches furthest among it and those before it.
fn covered(symbols: &[Symbol]) -> Vec<(u32, u32)> {
    let mut furthest = 0;
    let ends = symbols.iter().zip(sizes(symbols)).map(|(symbol, size)| {
        furthest = symbol.address.saturating_add(size).max(furthest);
        (symbol.address, furthest)
    });
    ends.collect()
}

fn is_within(covered: &[(u32, u32)], address: u32) -> bool {
    let begun = covered.partition_point(|&(start, _)| start <= address);
    begun > 0 && address < covered[begun - 1].1
}

/// Of several variables of one name the best, which comes last.
fn variables(symbols: &[Symbol]) -> BTreeMap<String, Variable> {
    let sized = symbols.iter().rev().filter(|symbol| !symbol.is_function && symbol.size > 0);
    let named = sized.filter_map(|symbol| {
        let Symbol { name, address, size, loaded, .. } = symbol;
        let (contents, start) = (*loaded)?;
        let loaded_at = contents.checked_add(address.checked_sub(start)?)?;
        Some((name.clone(), Variable { address: *address, loaded_at, size: *size }))
    });
    named.collect()
}

/// Cuts functions that contain others, so that each address has the innermost.
fn spans(functions: &[Function]) -> Vec<Span> {
    let mut spans = Spans { spans: Vec::new(), open: Vec::new(), done: 0 };
    for (index, function) in functions.iter().enumerate() {
        spans.close_until(function.address);
        if let Some(&(_, outer)) = spans.open.last() {
            spans.emit(function.address, outer);
        }
        spans.done = function.address;
        spans.open.push((function.address.saturating_add(function.size), index));
    }
    spans.close_until(u32::MAX);
    spans.spans
}

struct Spans {
    spans: Vec<Span>,
    /// Ends and indices of the functions that contain `done`, innermost last.
    open: Vec<(u32, usize)>,
    done: u32,
}

impl Spans {
    fn close_until(&mut self, address: u32) {
        while let Some((end, function)) = self.open.pop_if(|(end, _)| *end <= address) {
            self.emit(end, function);
        }
    }

    fn emit(&mut self, end: u32, function: usize) {
        if self.done < end {
            self.spans.push(Span { start: self.done, end, function });
            self.done = end;
        }
    }
}
