//! Saleae Logic 2 session file.

use crate::change::ChangeSource;
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::input::Archive;

/// Opens an archive of this format.
pub(crate) fn open(archive: Archive, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let _ = options;
    Err(CaptureError::Format { path: archive.path, place: None, what: String::new() })
}
