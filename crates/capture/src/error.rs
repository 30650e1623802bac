//! Why a capture could not be read, as one sentence: what, where, and what to do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A capture that cannot be used.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// The operating system refused.
    #[error("{}: cannot {action} it: {source}{}", path.display(), advice(action, source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: `open`, `read`, `decompress` or `write`.
        action: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The file breaks its format.
    #[error("{}{}: {what}", path.display(), place.as_deref().map(|p| format!(":{p}")).unwrap_or_default())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where in it: a line number, or a member and byte offset (`digital-0.bin at byte 51`).
        place: Option<String>,
        /// What is wrong there and what to do, as one sentence without a final full stop at most.
        what: String,
    },
    /// A channel was asked for by a number or a label that several have.
    #[error("{}: {wanted} may be any of the channels {meant}; {advice}", path.display())]
    AmbiguousChannel {
        /// The file.
        path: PathBuf,
        /// The channel as the user wrote it.
        wanted: String,
        /// The channels that have it, as `1 (Channel 1) and 1 (SCK)`.
        meant: String,
        /// How to tell them apart.
        advice: String,
    },
    /// A channel was asked for that the file does not have.
    #[error("{}: there is no channel {wanted}; it has {available}. Name one of them", path.display())]
    NoSuchChannel {
        /// The file.
        path: PathBuf,
        /// The channel as the user wrote it.
        wanted: String,
        /// The channels of the file, as `0 (Channel 0), 1 (Channel 1)`.
        available: String,
    },
}

/// What to do where the system refuses; a file that exists says it itself, and so does a pipe.
fn advice(action: &str, source: &io::Error) -> &'static str {
    let says_itself = matches!(source.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::BrokenPipe);
    if action == "write" && !says_itself { "; name another place, or make room" } else { "" }
}
