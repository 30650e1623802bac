//! Board files: any text is a board or is refused in one line that names file and line. A board runs, whatever its file says.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use board::{Board, BoardFile, BoardOptions, Ended, RunUntil};
use mcu::Stop;
use mcu::image::{Image, LoadOptions};
use record::Control;
use units::{PS_PER_MS, Picoseconds};

use super::chips::Counting;

static RP2040: LazyLock<Counting> = LazyLock::new(Counting::rp2040);
/// Intel HEX of one RJMP.
const AVR_JUMP_TO_ITSELF: &[u8] = b":02000000FFCF30\n:00000001FF\n";
const NAME: &str = "fuzz.toml";
const RUN: Picoseconds = Picoseconds::new(PS_PER_MS);

/// A text; gives whether it is a board file.
pub fn board_file(data: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(data) else { return Err("no text".to_owned()) };
    let file = BoardFile::parse(Path::new(NAME), text).map_err(|error| {
        let message = error.to_string();
        check_message(&message, text.lines().count());
        message
    })?;
    check_names(&file);
    let mut board = Board::new(file, BoardOptions::default()).expect("a board that can be read can be made");
    board.run(&RunUntil::time(RUN), &Control::default(), &mut ());
    board.load_image(image(board.file())).expect("a tiny image starts on every board");
    let end = Picoseconds::new(board.now().ps() + RUN.ps());
    let ended = board.run(&RunUntil::time(end), &Control::default(), &mut ());
    assert_eq!(ended, Ended::Chip(Stop::Time));
    assert!(board.now() >= end, "time goes on");
    board.notes();
    Ok(())
}

/// An image that counts, or jumps to itself for ever.
fn image(file: &BoardFile) -> Image {
    if file.mcu == RP2040.kind {
        return RP2040.image.clone();
    }
    let bytes = Arc::new(AVR_JUMP_TO_ITSELF.to_vec());
    Image::load(&bytes, "jump.hex", file.mcu.facts.images, &LoadOptions::default()).expect("an image")
}

/// A sentence behind the file's name and a line that there is.
fn check_message(message: &str, lines: usize) {
    let rest = message.strip_prefix(NAME).and_then(|rest| rest.strip_prefix(':'));
    let (line, sentence) = rest.and_then(|rest| rest.split_once(": ")).unwrap_or_default();
    let line: usize = line.parse().unwrap_or_else(|_| panic!("{message:?} names its line"));
    assert!((1..=lines + 1).contains(&line), "{message:?} of {lines} lines");
    assert!(!sentence.is_empty() && !sentence.contains(['\n', '\r']), "{message:?} is one line");
}

/// Pins are found by the names that the board gives them.
fn check_names(file: &BoardFile) {
    for (name, gpio) in &file.pins {
        let first = file.pins.iter().find(|(known, _)| known == name).expect("it is there");
        assert_eq!(file.pin(name).ok(), Some(first.1), "{name:?}");
        assert!(!file.pin_name(*gpio).is_empty());
    }
    for part in &file.parts {
        for (field, gpio) in part.pins() {
            assert!(gpio < file.mcu.facts.gpio_count, "{}.{field} is on a pin", part.name);
        }
    }
}
