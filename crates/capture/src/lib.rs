//! Logic-analyser captures: files in and out, and the pairing of trigger and done edges.
//!
//! The main path is [`open`] → a [`ChangeSource`] that streams [`Change`]s → [`pairing::Pairer`] → one
//! [`pairing::Trigger`] per trigger edge. Every reader works in bounded memory whatever the size of the file.

mod change;
mod civil;
mod error;
mod open;
pub mod pairing;
mod read;
mod watched;
pub mod write;

pub use change::{CaptureInfo, Change, ChangeSource, Channel, ChannelSelector, MAX_CHANNELS};
pub use error::CaptureError;
pub use open::{OpenOptions, open, open_bytes, open_file, open_stream};
pub use watched::{Watch, Watched};
