//! What a network is made of, as a user says it.

use std::path::{Path, PathBuf};

use ethernet::{Cable, Network, Speed};
use thiserror::Error;

use crate::toml_file::{Misplaced, TomlFile, fields_of};

/// A network to be built.
#[derive(Debug, Clone)]
pub struct NetworkSetup {
    /// Where its random numbers start.
    pub seed: u64,
    /// What joins a board's chip with the switch.
    pub cable: Cable,
}

impl Default for NetworkSetup {
    fn default() -> Self {
        Self { seed: 1, cable: Cable::new(Speed::Mbps100) }
    }
}

/// A network file that cannot be used.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// It cannot be read.
    #[error("{}: the network file cannot be read: {reason}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
}

impl NetworkSetup {
    /// Reads a network file.
    ///
    /// # Errors
    /// When it cannot be read, or something in it is wrong; the message names file, line and field.
    pub fn open(path: &Path) -> Result<Self, NetworkError> {
        let unreadable = |reason: String| NetworkError::Read { path: path.to_owned(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        Self::parse(path, &text)
    }

    /// Reads a network file from its text; `path` is what errors call it.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, NetworkError> {
        let file = TomlFile { path, text };
        let document = file.parse()?;
        let fields = fields_of(&document);
        file.refuse_unknown("", &fields, &["seed"])?;
        let mut setup = Self::default();
        for (name, _, value) in fields {
            setup.seed = file.whole(name, value, 0, i64::MAX as u64)?;
        }
        Ok(setup)
    }

    /// Builds it.
    pub fn build(&self) -> Network {
        Network::new(self.seed)
    }
}
