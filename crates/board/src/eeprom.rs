//! The EEPROM within a board's microcontroller: what a file gives it before a run, and what a run left there.

use std::path::Path;

use mcu::image::{Memory, memory_file_in_hex, read_memory_file};

use super::virtual_board::read_file;
use super::{Board, BoardError};

/// As the memories of a chip are named.
const NAME: &str = "EEPROM";
/// Much more than any has, in text.
const MOST_FILE_BYTES: u64 = 1 << 20;
/// The endings of Intel HEX.
const HEX_ENDINGS: [&str; 3] = ["hex", "eep", "ihex"];

impl Board {
    /// Puts the contents of a file into the EEPROM: Intel HEX, or the bare bytes. What the file does not have is left as it is.
    ///
    /// # Errors
    /// When there is no EEPROM, or the file cannot be read or does not fit.
    pub fn load_eeprom(&mut self, path: &Path) -> Result<(), BoardError> {
        let memory = self.eeprom()?;
        let file = read_file(path, "contents of an EEPROM", MOST_FILE_BYTES)?;
        for (place, bytes) in read_memory_file(&file, &path.to_string_lossy(), memory)? {
            self.chip.write_memory(memory.start + place, &bytes).expect("the bytes lie within the EEPROM");
        }
        Ok(())
    }

    /// Writes the EEPROM as it is now: as Intel HEX where the file's name ends in .hex or .eep, else the bare bytes.
    ///
    /// # Errors
    /// When there is no EEPROM, or the file cannot be written.
    pub fn save_eeprom(&self, path: &Path) -> Result<(), BoardError> {
        let memory = self.eeprom()?;
        let read = self.chip.read_memory(memory.start, memory.bytes as usize);
        let bytes = read.expect("a chip has the memory that it says");
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let is_hex = ending.is_some_and(|ending| HEX_ENDINGS.contains(&&*ending));
        let content = if is_hex { memory_file_in_hex(&bytes).into_bytes() } else { bytes };
        files::replace(path, &content)
            .map_err(|error| BoardError::Write { path: path.to_owned(), reason: error.to_string() })
    }

    fn eeprom(&self) -> Result<&'static Memory, BoardError> {
        let images = self.chip.facts().images;
        images.memories().iter().find(|memory| memory.name == NAME).ok_or_else(|| {
            let (board, chip) = (&self.file.name, images.chip());
            BoardError::Refused(format!(
                "board {board} has an {chip}, in which there is no EEPROM; leave its file away"
            ))
        })
    }
}
