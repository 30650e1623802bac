//! Source lines of addresses, from an ELF's DWARF. Parsed at the first question and as far as it needs,
//! because most runs ask for a handful of addresses. Compressed and split debug information is not read.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use addr2line::{Context, Frame};
use gimli::{Dwarf, EndianArcSlice, LittleEndian as DwarfLittleEndian, SectionId};
use object::elf;
use object::endian::LittleEndian;
use object::read::elf::SectionHeader;

use super::demangle::shown_name;
use super::elf::Elf;

type Slice = EndianArcSlice<DwarfLittleEndian>;

const LE: LittleEndian = LittleEndian;
/// Compilers do not inline deeper.
const FRAMES_MAX: usize = 100;

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's path as the compiler knew it.
    pub file: String,
    /// The line, from 1; 0 for code that has none.
    pub line: u32,
    /// The function that the line stands in, which may be inlined into others.
    pub function: Option<String>,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let SourceLine { file, line, function } = self;
        match function {
            Some(function) => write!(formatter, "{function} at {file}:{line}"),
            None => write!(formatter, "{file}:{line}"),
        }
    }
}

/// The debug information of an image.
#[derive(Default)]
pub(super) struct Lines {
    /// Where the image has code. Functions that a linker dropped are at address 0 in the debug information.
    code: Vec<Range<u32>>,
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Absent,
    Unparsed(Box<Dwarf<Slice>>),
    Parsed(Box<Context<Slice>>),
}

impl Lines {
    pub(super) fn of(elf: &Elf) -> Lines {
        let code = elf.sections.iter().filter(|section| section.sh_flags(LE).contains(elf::SHF_EXECINSTR));
        let code = code.map(|section| {
            let start = section.sh_addr(LE);
            start..start.saturating_add(section.sh_size(LE))
        });
        let empty: Arc<[u8]> = Arc::new([]);
        let load = |id: SectionId| {
            let contents = debug_section(elf, id.name()).map_or_else(|| empty.clone(), Arc::from);
            Ok::<_, std::convert::Infallible>(Slice::new(contents, DwarfLittleEndian))
        };
        let Ok(dwarf) = Dwarf::load(load);
        Lines { code: code.collect(), state: Mutex::new(State::Unparsed(Box::new(dwarf))) }
    }

    /// From the innermost inlined function outwards; empty where nothing is known.
    pub(super) fn at(&self, address: u32) -> Vec<SourceLine> {
        if !self.code.iter().any(|code| code.contains(&address)) {
            return Vec::new();
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = match std::mem::take(&mut *state) {
            State::Unparsed(dwarf) => {
                Context::from_dwarf(*dwarf).map_or(State::Absent, |context| State::Parsed(Box::new(context)))
            }
            known => known,
        };
        match &*state {
            State::Parsed(context) => frames(context, address),
            State::Absent | State::Unparsed(_) => Vec::new(),
        }
    }
}

pub(super) fn debug_section<'a>(elf: &Elf<'a>, name: &str) -> Option<&'a [u8]> {
    let (_, section) = elf.sections.section_by_name(LE, name.as_bytes())?;
    if section.sh_flags(LE).contains(elf::SHF_COMPRESSED) {
        return None;
    }
    section.data(LE, elf.bytes).ok()
}

fn frames(context: &Context<Slice>, address: u32) -> Vec<SourceLine> {
    let Ok(mut frames) = context.find_frames(u64::from(address)).skip_all_loads() else { return Vec::new() };
    let mut lines = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        lines.extend(source_line(&frame));
        if lines.len() == FRAMES_MAX {
            break;
        }
    }
    lines
}

fn source_line(frame: &Frame<Slice>) -> Option<SourceLine> {
    let location = frame.location.as_ref()?;
    let function = frame.function.as_ref().and_then(|function| function.raw_name().ok());
    Some(SourceLine {
        file: location.file?.to_owned(),
        line: location.line.unwrap_or(0),
        function: function.map(|name| shown_name(&name)),
    })
}
