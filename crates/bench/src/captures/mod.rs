//! Capture files: they are found, opened once, and their paths say their payloads. What is made of them is in `analysis`.

mod discover;
mod labels;
mod options;
mod source_file;

pub use discover::{Source, discover};
pub use labels::payload_bytes_of;
pub use options::{Failure, Options};
pub(crate) use source_file::SourceFile;
