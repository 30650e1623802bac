//! Names and source lines of addresses.

use std::sync::Arc;

use mcu::image::{Image, ImageErrorKind, SourceLine};

use super::build::{
    Elf, FLASH, FUNCTION, GLOBAL, LOCAL, NO_TYPE, OBJECT, Program, SRAM, Symbol, WEAK, blocks, flash_image,
    symbol, uf2,
};
use super::debug_info::{Function, with_debug_info};
use super::load;

fn plain() -> Elf {
    Elf::new(FLASH, flash_image(0x400), FLASH + 0x109).with_text()
}

fn with(symbols: impl IntoIterator<Item = Symbol>) -> Image {
    load(&plain().with_symbols(symbols).bytes(), "app.elf").unwrap()
}

/// A Thumb function at a distance from the start of the flash.
fn function(name: &str, offset: u32, size: u32) -> Symbol {
    symbol(name, FLASH + offset + 1, size, GLOBAL | FUNCTION)
}

fn name_at(image: &Image, offset: u32) -> Option<(&str, u32)> {
    image.symbols().function_at(FLASH + offset)
}

#[test]
fn an_address_in_a_function_has_its_name_and_distance() {
    let image = with([function("main", 0x120, 16), function("wait", 0x140, 8)]);
    assert_eq!(name_at(&image, 0x120), Some(("main", 0)));
    assert_eq!(name_at(&image, 0x12e), Some(("main", 14)));
    assert_eq!(name_at(&image, 0x12f), Some(("main", 14)), "the Thumb bit does no harm");
    assert_eq!(name_at(&image, 0x147), Some(("wait", 6)));
    for between in [0, 0x11f, 0x130, 0x13f, 0x148, 0x1000_0000] {
        assert_eq!(name_at(&image, between), None, "{between:#x}");
    }
}

#[test]
fn functions_are_listed_by_address_with_their_sizes() {
    let image = with([function("wait", 0x140, 8), function("main", 0x120, 16)]);
    let functions: Vec<_> =
        image.symbols().functions().iter().map(|f| (f.name.as_str(), f.address - FLASH, f.size)).collect();
    assert_eq!(functions, [("main", 0x120, 16), ("wait", 0x140, 8)]);
}

#[test]
fn a_function_without_a_size_reaches_to_the_next_or_to_the_end_of_its_section() {
    let image = with([function("start", 0x100, 0), function("main", 0x120, 16), function("end", 0x3f0, 0)]);
    assert_eq!(name_at(&image, 0x11e), Some(("start", 0x1e)));
    assert_eq!(name_at(&image, 0x3fe), Some(("end", 14)));
    assert_eq!(name_at(&image, 0x400), None);
}

#[test]
fn the_innermost_of_nested_functions_is_responsible() {
    let image = with([function("outer", 0x100, 0x60), function("inner", 0x120, 0x10)]);
    let names: Vec<_> = [0x11e, 0x120, 0x12e, 0x130, 0x15e, 0x160].map(|at| name_at(&image, at)).into();
    assert_eq!(
        names,
        [
            Some(("outer", 0x1e)),
            Some(("inner", 0)),
            Some(("inner", 14)),
            Some(("outer", 0x30)),
            Some(("outer", 0x5e)),
            None
        ]
    );
}

#[test]
fn mapping_symbols_variables_and_labels_are_no_functions() {
    let image = with([
        symbol("$t", FLASH + 0x120, 0, LOCAL | NO_TYPE),
        symbol("$d", FLASH + 0x12c, 0, LOCAL | FUNCTION),
        symbol("counter", FLASH + 0x200, 4, GLOBAL | OBJECT),
        symbol("__etext", FLASH + 0x300, 0, GLOBAL | NO_TYPE),
        function("main", 0x120, 16),
    ]);
    assert_eq!(image.symbols().functions().len(), 1);
    assert_eq!(name_at(&image, 0x12e), Some(("main", 14)));
    assert_eq!(name_at(&image, 0x200), None);
    assert_eq!(image.symbols().address_of("counter"), Some(FLASH + 0x200));
    assert_eq!(image.symbols().address_of("__etext"), Some(FLASH + 0x300));
    assert_eq!(image.symbols().address_of("$t"), None);
}

#[test]
fn code_of_assembler_without_types_is_named_where_no_function_is() {
    let label = |name: &str, offset: u32, info: u8| symbol(name, FLASH + offset, 0, info | NO_TYPE);
    let image = with([
        label("__ctors_start", 0x100, GLOBAL),
        label("__boot2_end__", 0x100, GLOBAL),
        label("_exit", 0x100, GLOBAL),
        label("exit", 0x100, WEAK),
        label("a_loop_of_exit", 0x102, LOCAL),
        function("main", 0x120, 16),
        label("an_entry_of_main", 0x124, GLOBAL),
        label("tasks_registers", 0x130, GLOBAL),
        function("wait", 0x140, 0),
        label("an_entry_of_wait", 0x150, GLOBAL),
    ]);
    assert_eq!(name_at(&image, 0x11e), Some(("_exit", 0x1e)));
    assert_eq!(name_at(&image, 0x12e), Some(("main", 14)));
    assert_eq!(name_at(&image, 0x13e), Some(("tasks_registers", 14)));
    assert_eq!(name_at(&image, 0x152), Some(("wait", 0x12)));
    let names: Vec<_> = image.symbols().functions().iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["_exit", "main", "tasks_registers", "wait"]);
}

#[test]
fn the_address_of_a_function_has_no_thumb_bit() {
    let image = with([function("main", 0x120, 16)]);
    assert_eq!(image.symbols().address_of("main"), Some(FLASH + 0x120));
    assert_eq!(image.symbols().address_of("missing"), None);
}

#[test]
fn of_several_names_a_global_one_wins_over_weak_and_local_ones() {
    let at = |name: &str, info: u8| symbol(name, FLASH + 0x121, 8, info | FUNCTION);
    let image = with([at("isr_default", WEAK), at("a_local", LOCAL), at("isr_spi0", GLOBAL), at("b", WEAK)]);
    assert_eq!(name_at(&image, 0x120), Some(("isr_spi0", 0)));
    assert_eq!(image.symbols().functions().len(), 1);
    assert_eq!(image.symbols().address_of("a_local"), Some(FLASH + 0x120));
}

#[test]
fn of_several_addresses_a_global_one_wins_and_then_the_lowest() {
    let buffer = |address: u32, info: u8| symbol("buffer", address, 4, info | OBJECT);
    let image = with([buffer(FLASH + 8, LOCAL), buffer(FLASH + 12, GLOBAL)]);
    assert_eq!(image.symbols().address_of("buffer"), Some(FLASH + 12));
    let image = with([buffer(FLASH + 12, LOCAL), buffer(FLASH + 8, LOCAL)]);
    assert_eq!(image.symbols().address_of("buffer"), Some(FLASH + 8));
}

#[test]
fn undefined_symbols_have_no_address() {
    let image = with([Symbol { section: 0, ..function("imported", 0x120, 8) }]);
    assert!(image.symbols().is_empty());
}

#[test]
fn names_of_rust_and_cpp_read_as_in_the_source() {
    let image = with([
        function("_ZN3app4main17h0123456789abcdefE", 0x120, 8),
        function("_RNvCs1234_3app4idle", 0x128, 8),
        function("_ZN8TFT_eSPI9drawPixelElll", 0x130, 8),
        function("_Znot_mangled", 0x138, 8),
    ]);
    let names: Vec<&str> =
        image.symbols().functions().iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["app::main", "app::idle", "TFT_eSPI::drawPixel(long, long, long)", "_Znot_mangled"]);
    for name in ["app::main", "_ZN3app4main17h0123456789abcdefE"] {
        assert_eq!(image.symbols().address_of(name), Some(FLASH + 0x120), "{name}");
    }
}

/// A function of pairs, each of which takes the one before it twice.
fn pairs(depth: usize) -> String {
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let pair = |n: usize| format!("S_IS{0}_S{0}_E", char::from(digits[n]));
    (0..depth).fold(String::from("_Z1fSt4pairIiiE"), |name, n| name + &pair(n))
}

#[test]
fn a_name_that_would_unfold_without_bound_stays_as_it_is() {
    let name_of = |mangled: &str| with([function(mangled, 0x120, 8)]).symbols().functions()[0].name.clone();
    let twice = "std::pair<std::pair<int, int>, std::pair<int, int> >";
    assert_eq!(name_of(&pairs(1)), format!("f(std::pair<int, int>, {twice})"));
    assert_eq!(name_of(&pairs(30)), pairs(30));
}

#[test]
fn symbols_that_share_one_long_name_are_refused() {
    let elf = plain().with_symbols([function(&"n".repeat(900), 0x120, 8)]);
    assert!(load(&elf.bytes(), "f").is_ok());
    let mut sharing = elf.with_symbols((0..200).map(|n| function("", 0x200 + n, 1))).bytes();
    // All entries behind the first named one take its name, the string at 1.
    let sections = u32::from_le_bytes(sharing[32..36].try_into().unwrap()) as usize;
    let table = u32::from_le_bytes(sharing[sections + 2 * 40 + 16..][..4].try_into().unwrap()) as usize;
    for entry in 2..202 {
        sharing[table + 16 * entry..][..4].copy_from_slice(&1_u32.to_le_bytes());
    }
    assert_eq!(
        load(&sharing, "f").unwrap_err().to_string(),
        "f: its symbol table is damaged: its names are too long. Copy the file again"
    );
}

/// `main` at 0x120 with lines 10 and 12, and `twice`, inlined at 0x124 to 0x128 by a call in line 11.
fn debugged(folded: bool) -> Image {
    let main = Function {
        name: "main",
        start: FLASH + 0x120,
        bytes: 16,
        inlined: Some(("twice", FLASH + 0x124, 4, 11)),
    };
    let dropped = Function { name: "dropped", start: 0, bytes: 0x400, inlined: None };
    let lines = [(FLASH + 0x120, 10), (FLASH + 0x124, 3), (FLASH + 0x128, 12)];
    let functions = if folded { vec![main, dropped] } else { vec![main] };
    let elf = with_debug_info(
        plain().with_symbols([function("main", 0x120, 16)]),
        &functions,
        &lines,
        FLASH + 0x130,
    );
    load(&elf.bytes(), "app.elf").unwrap()
}

fn line(line: u32, function: &str) -> SourceLine {
    SourceLine { file: "/src/main.c".into(), line, function: Some(function.into()) }
}

#[test]
fn an_address_has_its_source_line() {
    let image = debugged(false);
    assert_eq!(image.symbols().line_at(FLASH + 0x120), Some(line(10, "main")));
    assert_eq!(image.symbols().line_at(FLASH + 0x12e), Some(line(12, "main")));
    assert_eq!(image.symbols().line_at(FLASH + 0x12e).unwrap().to_string(), "main at /src/main.c:12");
    for outside in [FLASH + 0x11e, FLASH + 0x130, SRAM] {
        assert_eq!(image.symbols().line_at(outside), None, "{outside:#x}");
    }
}

#[test]
fn an_inlined_function_is_followed_by_where_it_was_inlined() {
    assert_eq!(debugged(false).symbols().lines_at(FLASH + 0x126), [line(3, "twice"), line(11, "main")]);
}

#[test]
fn functions_that_the_linker_dropped_do_not_name_the_boot_rom() {
    assert_eq!(debugged(true).symbols().line_at(0x120), None);
}

#[test]
fn an_image_without_debug_information_has_no_lines() {
    assert_eq!(with([function("main", 0x120, 16)]).symbols().line_at(FLASH + 0x120), None);
}

#[test]
fn two_threads_can_ask_for_lines_at_once() {
    let image = Arc::new(debugged(false));
    let ask = |image: Arc<Image>| std::thread::spawn(move || image.symbols().line_at(FLASH + 0x120));
    let [one, other] = [ask(image.clone()), ask(image)].map(|thread| thread.join().unwrap());
    assert_eq!(one, other);
}

#[test]
fn a_uf2_takes_its_names_from_the_elf_of_its_build() {
    let image = load(&uf2(&blocks(FLASH, &flash_image(0x400))), "app.uf2").unwrap();
    assert!(image.symbols().is_empty());
    let elf = plain().with_symbols([function("main", 0x120, 16)]).bytes();
    let image = image.with_symbols(&elf, "app.elf").unwrap();
    assert_eq!(name_at(&image, 0x122), Some(("main", 2)));
    assert_eq!(image.name(), "app.uf2");
}

#[test]
fn an_elf_of_another_build_gives_no_names() {
    let mut bytes = flash_image(0x400);
    bytes[0x123] ^= 0xff;
    let image = load(&uf2(&blocks(FLASH, &bytes)), "app.uf2").unwrap();
    let error = image.clone().with_symbols(&plain().bytes(), "app.elf").unwrap_err();
    assert_eq!(error.kind(), ImageErrorKind::OtherBuild);
    assert_eq!(
        error.to_string(),
        "app.elf: its code is not that of app.uf2: it has 0xf5 at 0x10000123, where the image has 0x0a. \
         Give the ELF from which the image was made"
    );
    let longer = Elf::new(FLASH, flash_image(0x500), FLASH + 0x109).with_text().bytes();
    let short = load(&uf2(&blocks(FLASH, &flash_image(0x400))), "app.uf2").unwrap();
    let error = short.with_symbols(&longer, "app.elf").unwrap_err().to_string();
    assert!(error.contains("at 0x10000400, where the image has nothing"), "{error}");
    let error = image.with_symbols(b"UF2\n", "app.uf2").unwrap_err().to_string();
    assert_eq!(
        error,
        "app.uf2: symbols come from an ELF, which this file is not. Give the .elf of the same build"
    );
}

#[test]
fn data_and_the_gaps_between_sections_may_differ_from_the_elf() {
    let mut elf = plain();
    elf.programs.push(Program {
        physical: FLASH + 0x400,
        virtual_: SRAM,
        bytes: vec![1; 16],
        memory_bytes: 16,
    });
    let contents = super::build::Contents::OfProgram(0, 0..0x3f0);
    elf.sections[0].contents = contents;
    let mut bytes = flash_image(0x400);
    bytes[0x3f8..].fill(0xff);
    bytes.extend([2; 16]);
    let image = load(&uf2(&blocks(FLASH, &bytes)), "app.uf2").unwrap();
    assert!(image.with_symbols(&elf.bytes(), "app.elf").is_ok());
}

#[test]
fn code_that_runs_from_ram_is_compared_where_it_is_stored() {
    let stored = |byte: u8| {
        let mut elf = Elf::new(FLASH, flash_image(0x400), FLASH + 0x109);
        let code =
            Program { physical: FLASH + 0x400, virtual_: SRAM, bytes: vec![byte; 16], memory_bytes: 16 };
        elf.programs.insert(0, code);
        elf.with_text().with_symbols([symbol("fast", SRAM + 1, 16, GLOBAL | FUNCTION)]).bytes()
    };
    let image = load(&uf2(&blocks(FLASH, &[flash_image(0x400), vec![7; 16]].concat())), "app.uf2").unwrap();
    assert!(image.clone().with_symbols(&stored(8), "app.elf").is_err());
    let image = image.with_symbols(&stored(7), "app.elf").unwrap();
    assert_eq!(image.symbols().function_at(SRAM + 4), Some(("fast", 4)));
}
