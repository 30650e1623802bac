//! The bytes of a capture file after decompression: as a stream for text formats, as a file that can be
//! opened several times for archives.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::CaptureError;

/// A decompressed stream and the path that errors name.
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) reader: Box<dyn Read + Send>,
}

impl Input {
    pub(crate) fn new(path: &Path, reader: Box<dyn Read + Send>) -> Self {
        Self { path: path.to_owned(), reader }
    }
}

/// An archive (zip) that can be opened once per member, so that members can be read side by side.
pub(crate) struct Archive {
    pub(crate) path: PathBuf,
    pub(crate) file: ArchiveFile,
}

/// Where the archive lies: where the user has it, or decompressed in a temporary file that goes with us.
pub(crate) enum ArchiveFile {
    InPlace,
    Decompressed(tempfile::NamedTempFile),
}

impl Archive {
    /// A further, independent handle on the archive.
    pub(crate) fn reopen(&self) -> Result<File, CaptureError> {
        let opened: io::Result<File> = match &self.file {
            ArchiveFile::InPlace => File::open(&self.path),
            ArchiveFile::Decompressed(temporary) => temporary.reopen(),
        };
        opened.map_err(|source| CaptureError::Io { path: self.path.clone(), action: "open", source })
    }
}
