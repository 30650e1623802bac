//! Why a run folder could not be written, as one sentence.

use std::fmt;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use thiserror::Error;

/// A run folder that cannot be written.
#[derive(Debug, Error)]
pub enum RunFolderError {
    /// The folder is there already; results are never overwritten.
    #[error("{}: this run folder exists already; give --out another name, or remove it", .0.display())]
    Exists(PathBuf),
    /// A file or a folder cannot be written.
    #[error("{}: cannot write it: {reason}; {kept}; make room, or name another place", path.display())]
    Unwritten {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
        /// What there is of the run.
        kept: Kept,
    },
    /// A capture of the run's edges could not be written.
    #[error("{0}")]
    Capture(String),
}

/// What there is of a run after something could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The parts that were closed before, and a manifest that tells of them.
    Parts,
    /// No row: the folder is gone again, so that nobody takes it for a run.
    Nothing,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parts => "the parts written before are complete",
            Self::Nothing => "nothing of this run is kept",
        })
    }
}

impl RunFolderError {
    /// That the system does not let a file be written.
    pub fn unwritten(path: &Path, reason: &dyn fmt::Display) -> Self {
        Self::Unwritten { path: path.to_owned(), reason: reason.to_string(), kept: Kept::Parts }
    }

    /// The same of a part, whose library puts its own word before what the system says.
    pub(super) fn of_part(path: &Path, error: &ParquetError) -> Self {
        match error {
            ParquetError::External(cause) => Self::unwritten(path, cause),
            other => Self::unwritten(path, other),
        }
    }

    /// Whether it says that nothing of the run is left.
    pub fn keeps_nothing(&self) -> bool {
        matches!(self, Self::Unwritten { kept: Kept::Nothing, .. })
    }

    /// The same where nothing of the run is left.
    #[must_use]
    pub fn of_nothing(self) -> Self {
        match self {
            Self::Unwritten { path, reason, .. } => Self::Unwritten { path, reason, kept: Kept::Nothing },
            other => other,
        }
    }
}
