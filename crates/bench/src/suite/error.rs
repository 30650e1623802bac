//! What is wrong with a suite, as one sentence: file, line, field, and what to do.

use std::path::PathBuf;

use thiserror::Error;

use super::RowError;
use fields::toml_file::Misplaced;

/// A suite that cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("{}: cannot read this suite: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Field(#[from] Misplaced),
    /// What was given in place of the suite's own cannot be.
    #[error("{row}: {error}")]
    Row {
        /// The row.
        row: String,
        /// What is wrong with it.
        error: RowError,
    },
    /// An entry was asked for that it does not have.
    #[error("suite {suite} has no entry {name}{hint}")]
    NoEntry {
        /// The suite.
        suite: String,
        /// As the user wrote it.
        name: String,
        /// What is near.
        hint: String,
    },
}
