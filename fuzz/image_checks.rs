//! What every image promises, whatever its format and its chip: contents lie in memories and do not overlap, an unchanged image
//! is the same file, and names and source lines can be asked for at any address.

use mcu::image::{Format, Image};

/// Checks an image that was loaded of these bytes.
pub(super) fn check_image(image: &Image, bytes: &[u8]) {
    check_segments(image);
    check_symbols(image);
    match image.to_file(bytes, image.format()) {
        Ok(again) => assert_eq!(again, bytes, "an unchanged image is the same file"),
        Err(error) => assert_eq!(image.format(), Format::IntelHex, "all other formats are written: {error}"),
    }
    if image.format() == Format::Elf {
        image.clone().with_symbols(bytes, "fuzz").expect("an ELF has the code of its own image");
    }
}

/// A refusal is one line that names the file.
pub(super) fn check_refusal(sentence: &str) {
    assert!(sentence.starts_with("fuzz: ") && !sentence.contains('\n'), "{sentence}");
}

fn check_segments(image: &Image) {
    let segments = image.segments();
    assert!(!segments.is_empty(), "an image has contents");
    for segment in segments {
        assert!(!segment.bytes.is_empty(), "a segment has contents");
        assert!(segment.memory().holds(segment.address, segment.bytes.len()), "a segment lies in one memory");
        assert_eq!(image.read(segment.address, segment.bytes.len()), Some(&segment.bytes[..]));
    }
    for pair in segments.windows(2) {
        assert!(pair[0].end() <= pair[1].address, "segments do not overlap");
    }
}

fn check_symbols(image: &Image) {
    let symbols = image.symbols();
    let functions = symbols.functions();
    assert!(functions.windows(2).all(|pair| pair[0].address < pair[1].address), "functions are in order");
    for function in functions.iter().take(100) {
        let found = symbols.function_at(function.address);
        if function.size > 0 {
            assert_eq!(found, Some((function.name.as_str(), 0)), "a function begins at its address");
        }
        for line in symbols.lines_at(function.address) {
            assert!(!line.to_string().is_empty());
        }
    }
    for segment in image.segments() {
        let addresses = (segment.address..segment.end()).step_by(2).take(100);
        for address in addresses {
            symbols.function_at(address);
            symbols.lines_at(address);
        }
    }
}
