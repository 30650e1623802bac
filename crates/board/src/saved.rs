//! Boards in files: the chip and the chips around it, to go on from there in another process. The network is none of it: the
//! cable is plugged into a switch and a PC that have just been switched on, with whatever traffic the board was made with.
//! So a board is saved while nothing is under way; connections that are open then find a PC that does not know them.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rtt::ProbeState;

use super::{Board, BoardError};

/// What a file begins with; the number is that of its form. The CRC-32 of all that follows it comes next, in four bytes, the
/// lowest first: a damaged state could make a chip that cannot be.
const HEAD: &[u8] = b"airwire board 9\n";
const CHECK_BYTES: usize = 4;
/// The memories of any board, and what its parts remember, are less.
const MOST_BYTES: u64 = 1 << 28;
/// What files of every form begin with.
const FAMILY: &[u8] = b"airwire board ";

/// Whether nothing would be lost: there is no file, or nothing in it, or a board that was saved before. A device is free.
fn is_free_for_a_board(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(true);
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD.len() as u64).read_to_end(&mut head)?;
    Ok(head.is_empty() || head.starts_with(FAMILY))
}

impl Board {
    /// Keeps the state in a file. Consoles and recordings are none of it.
    ///
    /// # Errors
    /// When a device cannot be saved, or the file cannot be written, or is there and no saved board.
    pub fn save(&mut self, path: &Path) -> Result<(), BoardError> {
        let parts = self.parts().saved().ok_or_else(|| {
            let name = &self.file.name;
            BoardError::Snapshot(format!("board {name} has a device that cannot be kept in a file"))
        })?;
        let unwritten = |reason: String| BoardError::Write { path: path.to_owned(), reason };
        if !is_free_for_a_board(path).map_err(|error| unwritten(error.to_string()))? {
            return Err(unwritten("the file that is there is no saved board, and stays as it is".to_owned()));
        }
        let encoded = |error: postcard::Error| unwritten(error.to_string());
        let name = postcard::to_stdvec(&self.file.name).map_err(encoded)?;
        let probe = postcard::to_stdvec(&self.probe.state()).map_err(encoded)?;
        let content = [name, self.chip.state(), probe, parts.to_bytes().map_err(encoded)?].concat();
        let check = crc32fast::hash(&content).to_le_bytes();
        files::replace(path, &[HEAD, &check, &content].concat()).map_err(|error| unwritten(error.to_string()))
    }

    /// Goes on where a board of the same kind was saved.
    ///
    /// # Errors
    /// When the file cannot be read, or holds no such state.
    pub fn resume(&mut self, path: &Path) -> Result<(), BoardError> {
        let unread = |reason: &str| BoardError::Read {
            path: path.to_owned(),
            what: "saved board",
            reason: reason.to_owned(),
        };
        let content = files::read(path, MOST_BYTES).map_err(|error| unread(&error.to_string()))?;
        let content = content
            .strip_prefix(HEAD)
            .ok_or_else(|| unread("it does not begin as one that this version wrote; save the board anew"))?;
        let damaged = || unread("it is damaged; save the board anew");
        let (check, content) = content.split_at_checked(CHECK_BYTES).ok_or_else(damaged)?;
        if crc32fast::hash(content).to_le_bytes() != check {
            return Err(damaged());
        }
        let (name, content) = postcard::take_from_bytes::<String>(content).map_err(|_| damaged())?;
        let own = self.file.name.clone();
        let another = || unread(&format!("it is of board {name}, and this is {own}"));
        if name != own {
            return Err(another());
        }
        let (state, content) = self.chip.read_state(content).ok_or_else(damaged)?;
        let (probe, content) = postcard::take_from_bytes::<ProbeState>(content).map_err(|_| damaged())?;
        let parts = self.parts().read_saved(content).map_err(|_| damaged())?;
        if !self.parts().put_back(parts) {
            return Err(another());
        }
        self.chip.take_state(state);
        self.probe.resume(probe, self.chip.now());
        Ok(())
    }
}
