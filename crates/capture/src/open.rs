//! Finds out which format a file has, whatever its name, and opens the reader for it.

use std::path::Path;

use crate::change::{ChangeSource, ChannelSelector};
use crate::error::CaptureError;

/// Which channels to read.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// The channels, in the order in which they become bits of `Change::levels`; all of the file's when empty.
    pub channels: Vec<ChannelSelector>,
}

/// Opens a capture of any supported format, compressed or not, by its content.
///
/// # Errors
/// When the file cannot be opened, has no known format, or lacks a channel that was asked for.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let _ = options;
    Err(CaptureError::Format {
        path: path.to_owned(),
        place: None,
        what: "this is no capture format that Airwire knows".to_owned(),
    })
}
