//! What an ELF says of a log by defmt: symbols of its section `.defmt`, and log statements in its debug information.

use std::collections::BTreeMap;

use gimli::write::{AttributeValue, DwarfUnit, LineProgram, LineString, UnitEntryId};
use gimli::{Encoding, Format, LineEncoding};
use mcu::image::{DefmtPlace, Symbols};

use super::build::{Elf, FLASH, GLOBAL, OBJECT, PROGBITS, Symbol, bare_image, symbol};
use super::debug_info::with_dwarf;
use super::load;

const HELLO: &str =
    r#"{"package":"app","tag":"defmt_info","data":"hello","disambiguator":"1","crate_name":"app"}"#;
const FLAG: &str = r#"{"package":"app","tag":"defmt_bitflags_value","data":"Flags::0::ON","disambiguator":"2","crate_name":"app"}"#;
const ABSOLUTE: u16 = 0xfff1;

fn app() -> Elf {
    Elf::new(FLASH, bare_image(FLASH, 64), FLASH + 9).with_text()
}

/// With a section of 32 bytes at address 0, whose last sixteen are the value of a flag, and symbols there.
fn with_log(elf: Elf) -> Elf {
    let section = elf.sections.len() as u16 + 1;
    let of_section =
        |name: &str, value: u32, size: u32| Symbol { section, ..symbol(name, value, size, GLOBAL | OBJECT) };
    let absolute = |name: &str| Symbol { section: ABSOLUTE, ..symbol(name, 1, 0, GLOBAL) };
    let contents = [vec![0; 16], (1..=16).collect()].concat();
    elf.with_section(".defmt", PROGBITS, contents).with_symbols([
        of_section(HELLO, 3, 1),
        of_section(FLAG, 16, 16),
        absolute("\"_defmt_version_ = 4\""),
        absolute("_defmt_encoding_ = rzcobs"),
    ])
}

fn symbols_of(elf: &Elf) -> Symbols {
    load(&elf.bytes(), "app.elf").unwrap().symbols().clone()
}

#[test]
fn the_symbols_of_the_section_have_their_addresses_and_flags_their_values() {
    let symbols = symbols_of(&with_log(app()));
    let defmt = symbols.defmt().unwrap();
    let found: Vec<(&str, u32, &[u8])> =
        defmt.symbols().iter().map(|one| (one.name.as_str(), one.address, one.contents.as_slice())).collect();
    let value: Vec<u8> = (1..=16).collect();
    assert_eq!(found, [(HELLO, 3, &[][..]), (FLAG, 16, value.as_slice())]);
    assert_eq!((defmt.version(), defmt.encoding()), (Some("4"), Some("rzcobs")));
    assert_eq!(defmt.places(), BTreeMap::new(), "without debug information");
}

#[test]
fn an_elf_without_the_section_has_no_log() {
    assert!(symbols_of(&app()).defmt().is_none());
}

#[test]
fn a_long_message_keeps_its_whole_name() {
    let long = HELLO.replace("hello", &"long ".repeat(1000));
    let elf = with_log(app());
    let section = elf.sections.len() as u16;
    let elf = elf.with_symbols([Symbol { section, ..symbol(&long, 5, 1, GLOBAL | OBJECT) }]);
    assert!(symbols_of(&elf).defmt().unwrap().symbols().iter().any(|one| one.name == long));
}

fn set_text(dwarf: &mut DwarfUnit, id: UnitEntryId, name: gimli::DwAt, text: &str) {
    dwarf.unit.get_mut(id).set(name, AttributeValue::String(text.as_bytes().to_vec()));
}

#[test]
fn a_log_statement_stands_in_the_module_of_the_namespaces_around_it() {
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 4 };
    let mut dwarf = DwarfUnit::new(encoding);
    let text = |text: &str| LineString::String(text.as_bytes().to_vec());
    let mut lines = LineProgram::new(
        encoding,
        LineEncoding::default(),
        text("/proj/app"),
        None,
        text("src/main.rs"),
        None,
    );
    let folder = lines.add_directory(text("src/net"));
    let file = lines.add_file(text("link.rs"), folder, None);
    dwarf.unit.line_program = lines;
    let root = dwarf.unit.root();
    set_text(&mut dwarf, root, gimli::DW_AT_comp_dir, "/proj/app");
    set_text(&mut dwarf, root, gimli::DW_AT_name, "src/main.rs");
    let outer = dwarf.unit.add(root, gimli::DW_TAG_namespace);
    set_text(&mut dwarf, outer, gimli::DW_AT_name, "app");
    let other = dwarf.unit.add(outer, gimli::DW_TAG_namespace);
    set_text(&mut dwarf, other, gimli::DW_AT_name, "disk");
    let inner = dwarf.unit.add(outer, gimli::DW_TAG_namespace);
    set_text(&mut dwarf, inner, gimli::DW_AT_name, "net");
    for (name, symbol) in [("DEFMT_LOG_STATEMENT", HELLO), ("counter", "net::counter")] {
        let variable = dwarf.unit.add(inner, gimli::DW_TAG_variable);
        set_text(&mut dwarf, variable, gimli::DW_AT_name, name);
        set_text(&mut dwarf, variable, gimli::DW_AT_linkage_name, symbol);
        let entry = dwarf.unit.get_mut(variable);
        entry.set(gimli::DW_AT_decl_file, AttributeValue::FileIndex(Some(file)));
        entry.set(gimli::DW_AT_decl_line, AttributeValue::Udata(41));
    }
    let symbols = symbols_of(&with_dwarf(with_log(app()), &mut dwarf));
    let place = DefmtPlace { file: "/proj/app/src/net/link.rs".into(), line: 41, module: "app::net".into() };
    assert_eq!(symbols.defmt().unwrap().places(), BTreeMap::from([(HELLO.to_owned(), place)]));
}
