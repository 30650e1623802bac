//! Capture files as targets: find them, read and pair each, and say what its latencies hold.

mod analyze;
mod discover;
mod keep;
mod labels;
mod manifest;
mod source_file;

pub use analyze::{Analysis, CaptureResult, Failure, Options, analyze};
pub use discover::{Source, discover};
pub use keep::CaptureFolder;
pub use labels::payload_bytes_of;
pub use manifest::{CaptureEntry, Manifest, Settings};
pub(crate) use source_file::SourceFile;
