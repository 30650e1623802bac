//! PulseView and sigrok-cli CSV export.

use crate::change::ChangeSource;
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::input::Input;

/// Opens a stream of this format.
pub(crate) fn open(input: Input, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let _ = (input.reader, options);
    Err(CaptureError::Format { path: input.path, place: None, what: String::new() })
}
