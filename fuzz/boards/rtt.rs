//! RAM that an image may have made up, as a debug probe reads it: control blocks, ring buffers and frames of defmt. Whatever stands there,
//! the probe ends each look, shows text of a bounded length, and notes of one line.

use std::sync::Arc;

use board::{Board, BoardOptions, RunUntil};
use mcu::Console;
use mcu::image::{Image, LoadOptions};
use record::Control;
use units::{PS_PER_MS, Picoseconds};

use super::input::Input;

const RAM: u32 = 0x2000_0000;
/// A part of the input below this is a pause of as many milliseconds, and writes as many bytes otherwise.
const LONGEST_PAUSE_MS: u8 = 8;
const MOST_PARTS: usize = 64;
/// Behind the last part: a search comes within 5 ms in so short a run, and a look each millisecond.
const AT_END_MS: i64 = 6;
/// A frame of one byte may stand for a text of a kilobyte.
const MOST_SHOWN_BYTES: usize = 64 << 20;

/// An ELF behind its length, and what is written to RAM as time goes on; gives whether the ELF is one.
pub fn rtt_ram(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let bytes = usize::from(input.word());
    let elf = Arc::new(input.take(bytes).to_vec());
    let kind = &rp2040::KIND;
    let image = Image::load(&elf, "fuzz.elf", kind.facts.images, &LoadOptions::default());
    let image = image.map_err(|error| error.to_string())?;
    let mut board = Board::open("pico", BoardOptions::default()).expect("the board is built in");
    board.load_image(image).map_err(|error| error.to_string())?;
    for _ in 0..MOST_PARTS {
        if input.is_over() {
            break;
        }
        match input.byte() {
            ms @ ..LONGEST_PAUSE_MS => run(&mut board, i64::from(ms) + 1),
            length => {
                let address = RAM + 4 * u32::from(input.word());
                let bytes = input.take(usize::from(length));
                // Behind the end of RAM nothing is written.
                let _ = board.chip_mut().write_memory(address, bytes);
            }
        }
    }
    run(&mut board, AT_END_MS);
    assert!(board.console(Console::Rtt).len() < MOST_SHOWN_BYTES, "an endless text");
    for note in board.notes() {
        assert!(!note.is_empty() && !note.contains(['\n', '\r']), "{note:?} is one line");
    }
    Ok(())
}

fn run(board: &mut Board, ms: i64) {
    let end = Picoseconds::new(board.now().ps() + ms * PS_PER_MS);
    board.run(&RunUntil::time(end), &Control::default(), &mut ());
}
