//! DWARF as a compiler writes it, for two functions of which one has another inlined.

use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Sections, UnitEntryId,
};
use gimli::{DwLang, Encoding, Format, LineEncoding, LittleEndian};

use super::build::{Elf, PROGBITS};

/// A function for the debug information.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) start: u32,
    pub(crate) bytes: u32,
    /// A function that is inlined here: its name, start and length, and the line of the call.
    pub(crate) inlined: Option<(&'a str, u32, u32, u64)>,
}

/// Adds the sections that say that `functions` stand in `main.c`, and that code at these addresses comes from
/// these lines, up to an address.
pub(crate) fn with_debug_info(elf: Elf, functions: &[Function], lines: &[(u32, u64)], end: u32) -> Elf {
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 4 };
    let mut dwarf = DwarfUnit::new(encoding);
    let (folder, file) = (LineString::String(b"/src".to_vec()), LineString::String(b"main.c".to_vec()));
    let mut program = LineProgram::new(encoding, LineEncoding::default(), folder, None, file.clone(), None);
    let folder = program.default_directory();
    let file = program.add_file(file, folder, None);
    program.begin_sequence(Some(Address::Constant(lines[0].0.into())));
    for (address, line) in lines {
        let row = program.row();
        (row.address_offset, row.file, row.line) = ((address - lines[0].0).into(), file, *line);
        program.generate_row();
    }
    program.end_sequence((end - lines[0].0).into());
    dwarf.unit.line_program = program;
    describe_unit(&mut dwarf, lines[0].0, end);
    for function in functions {
        describe_function(&mut dwarf, function, file);
    }
    with_dwarf(elf, &mut dwarf)
}

/// Adds the sections of debug information.
pub(crate) fn with_dwarf(elf: Elf, dwarf: &mut DwarfUnit) -> Elf {
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).unwrap();
    let mut elf = Some(elf);
    sections
        .for_each(|id, contents| {
            if !contents.slice().is_empty() {
                elf = elf.take().map(|elf| elf.with_section(id.name(), PROGBITS, contents.slice().to_vec()));
            }
            Ok::<_, gimli::write::Error>(())
        })
        .unwrap();
    elf.unwrap()
}

fn describe_unit(dwarf: &mut DwarfUnit, start: u32, end: u32) {
    let root = dwarf.unit.root();
    let root = dwarf.unit.get_mut(root);
    root.set(gimli::DW_AT_name, AttributeValue::String(b"main.c".to_vec()));
    root.set(gimli::DW_AT_comp_dir, AttributeValue::String(b"/src".to_vec()));
    root.set(gimli::DW_AT_language, AttributeValue::Language(DwLang(0x0c)));
    set_range(root, start, end - start);
}

fn describe_function(dwarf: &mut DwarfUnit, function: &Function, file: FileId) {
    let root = dwarf.unit.root();
    let id = dwarf.unit.add(root, gimli::DW_TAG_subprogram);
    name(dwarf, id, function.name);
    set_range(dwarf.unit.get_mut(id), function.start, function.bytes);
    let Some((inlined, start, bytes, call_line)) = function.inlined else { return };
    let origin = dwarf.unit.add(root, gimli::DW_TAG_subprogram);
    name(dwarf, origin, inlined);
    let call = dwarf.unit.add(id, gimli::DW_TAG_inlined_subroutine);
    let call = dwarf.unit.get_mut(call);
    call.set(gimli::DW_AT_abstract_origin, AttributeValue::UnitRef(origin));
    call.set(gimli::DW_AT_call_file, AttributeValue::FileIndex(Some(file)));
    call.set(gimli::DW_AT_call_line, AttributeValue::Udata(call_line));
    set_range(call, start, bytes);
}

fn name(dwarf: &mut DwarfUnit, id: UnitEntryId, name: &str) {
    dwarf.unit.get_mut(id).set(gimli::DW_AT_name, AttributeValue::String(name.as_bytes().to_vec()));
}

fn set_range(entry: &mut gimli::write::DebuggingInformationEntry, start: u32, bytes: u32) {
    entry.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(start.into())));
    entry.set(gimli::DW_AT_high_pc, AttributeValue::Udata(bytes.into()));
}
