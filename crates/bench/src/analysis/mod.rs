//! Captures as rows of an analysis: each is read and paired on a core, and kept in the order of the files.

mod analyze;
mod keep;
mod manifest;

pub use analyze::{Analysis, CaptureResult, analyze};
pub use keep::CaptureFolder;
pub use manifest::{CaptureEntry, Manifest, Settings};
