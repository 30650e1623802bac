//! Why a run folder could not be written, as one sentence.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A run folder that cannot be written.
#[derive(Debug, Error)]
pub enum RunFolderError {
    /// The folder is there already; results are never overwritten.
    #[error("{}: this run folder exists already; give --out another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// The operating system refused.
    #[error("{}: cannot write it: {source}; the parts written before are complete", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A part could not be encoded or written.
    #[error("{}: cannot write it: {source}; the parts written before are complete", path.display())]
    Parquet {
        /// The part.
        path: PathBuf,
        /// The library's reason.
        source: parquet::errors::ParquetError,
    },
    /// A capture of the run's edges could not be written.
    #[error("{0}")]
    Capture(String),
}
