//! What is wrong with a board, as one sentence.

use std::path::PathBuf;

use mcu::SetupError;
use mcu::image::ImageError;
use thiserror::Error;
use units::Picoseconds;

use super::settings::SettingProblem;
use fields::toml_file::Misplaced;

/// A board that cannot be made, loaded or asked like that.
#[derive(Debug, Error)]
pub enum BoardError {
    /// A file cannot be read.
    #[error("{}: cannot read this {what}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Board file, image, boot ROM.
        what: &'static str,
        /// The system's reason.
        reason: String,
    },
    /// A file cannot be written.
    #[error("{}: cannot write it: {reason}; name another place, or make room", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Something in a board file is wrong.
    #[error(transparent)]
    Field(#[from] Misplaced),
    /// No board of that name.
    #[error("there is no board {name}{hint}")]
    NoBoard {
        /// As the user wrote it.
        name: String,
        /// What there is.
        hint: String,
    },
    /// The board has no pin of that name.
    #[error("board {board} has no pin {name}{hint}")]
    NoPin {
        /// The board.
        board: String,
        /// As the user wrote it.
        name: String,
        /// What there is.
        hint: String,
    },
    /// The image cannot be loaded.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The image's settings cannot be like that.
    #[error(transparent)]
    Setting(#[from] SettingProblem),
    /// A changed image fits no file of the format that is asked for.
    #[error("{}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The chip cannot be made like that.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// One of two boards has run beyond the time at which a frame of the other reaches it.
    #[error(
        "a frame reaches board {board} at {at}, but that has run to {now} already: the boards took turns of {turn}, and the \
         shortest frame is on the wire for {shortest}; take turns that are shorter than that"
    )]
    Late {
        /// Whom the frame is for.
        board: String,
        /// When its last bit arrives.
        at: Picoseconds,
        /// How far that board is.
        now: Picoseconds,
        /// How long a turn is.
        turn: Picoseconds,
        /// The shortest that may be on the way.
        shortest: Picoseconds,
    },
    /// A board was looked at beyond the time at which a character of the other was there.
    #[error(
        "a character was whole at board {board} at {at}, but in the midst of an instruction that had run to {now} already: \
         boards on a serial line stop between instructions; take a lower rate"
    )]
    LateCharacter {
        /// Whom the character is for.
        board: String,
        /// When its stop bit was over.
        at: Picoseconds,
        /// How far that board is.
        now: Picoseconds,
    },
    /// One of two boards has run beyond the time at which an edge on a wire reaches it.
    #[error(
        "an edge reaches GP{pin} of board {board} at {at}, but that has run to {now} already: boards on a wire run at the \
         same time, and an instruction takes less than half of its delay of {delay}; run them together only, let both boot \
         before anything happens on the wire, or take a longer delay"
    )]
    LateEdge {
        /// Whom the edge is for.
        board: String,
        /// Its pin.
        pin: u8,
        /// When it arrives.
        at: Picoseconds,
        /// How far that board is.
        now: Picoseconds,
        /// The wire's delay.
        delay: Picoseconds,
    },
    /// The state cannot be kept.
    #[error("the board cannot be kept in a snapshot: {0}")]
    Snapshot(String),
    /// Something was asked for that cannot be.
    #[error("{0}")]
    Refused(String),
}
