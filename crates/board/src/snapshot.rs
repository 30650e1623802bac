//! Snapshots of a board: the chip with everything around it, and what was recorded so far.

use mcu::Mcu;
use mcu::image::Image;
use rtt::Probe;

use super::console_log::ConsoleLog;
use super::file::BoardFile;
use super::recording::Recording;
use super::sampler::Sampler;
use super::{Board, BoardError};

/// A state of a board. It can be gone back to any number of times. A trace that is being written ends there.
#[derive(Debug)]
pub struct BoardSnapshot {
    chip: Box<dyn Mcu>,
    file: BoardFile,
    image: Option<Image>,
    consoles: ConsoleLog,
    probe: Probe,
    recording: Recording,
    sampler: Sampler,
}

impl Board {
    /// Keeps the state.
    ///
    /// # Errors
    /// When a connected device cannot be copied.
    pub fn snapshot(&self) -> Result<BoardSnapshot, BoardError> {
        let uncopied = || BoardError::Snapshot("a connected device cannot be copied".to_owned());
        Ok(BoardSnapshot {
            chip: self.chip.copy().ok_or_else(uncopied)?,
            file: self.file.clone(),
            image: self.image.clone(),
            consoles: self.consoles.clone(),
            probe: self.probe.clone(),
            recording: self.recording.clone(),
            sampler: self.sampler.clone(),
        })
    }

    /// Goes back to a state.
    pub fn restore(&mut self, snapshot: &BoardSnapshot) {
        *self = snapshot.to_board();
    }
}

impl BoardSnapshot {
    /// Another board in this state: a run can branch here.
    ///
    /// # Panics
    /// Never: what could be copied once can be copied again.
    pub fn to_board(&self) -> Board {
        Board {
            chip: self.chip.copy().expect("a copy can be copied"),
            file: self.file.clone(),
            image: self.image.clone(),
            consoles: self.consoles.clone(),
            probe: self.probe.clone(),
            recording: self.recording.clone(),
            sampler: self.sampler.clone(),
            trace: None,
            untyped: None,
        }
    }
}
