//! Suites: TOML files that ask a question of links. A suite names entries (a link with settings), payloads, when
//! messages are triggered, how many samples to take, and a seed; it expands to rows, each of which is one simulation.

mod check;
mod error;
mod expand;
mod parse;
pub(crate) mod schema;
mod trigger;

pub use check::RowError;
pub use error::SuiteError;
pub use schema::schema;
pub use trigger::{Trigger, TriggerKind, phrase};

use std::path::{Path, PathBuf};

use links::{Definition, Settings};

/// A suite, checked: everything in it can be run.
#[derive(Debug, Clone)]
pub struct Suite {
    /// What it is called: its own `name`, or that of its file.
    pub name: String,
    /// The file's text, as the run folder keeps it.
    pub text: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// Rows in the order of the file.
    pub rows: Vec<Row>,
}

/// One simulation.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name: entry, varied settings and payload, such as `lora sf=9/128B`.
    pub name: String,
    /// The entry, with varied settings.
    pub entry: String,
    /// The link.
    pub link: &'static Definition,
    /// All settings.
    pub settings: Settings,
    /// The payload.
    pub payload_bytes: u32,
    /// When messages are triggered.
    pub trigger: Trigger,
    /// How many messages.
    pub samples: u64,
}

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// When the file cannot be read or asks for something impossible; the message names file, line and field.
    pub fn open(path: &Path) -> Result<Self, SuiteError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| SuiteError::Io { path: path.to_owned(), reason: source.to_string() })?;
        Self::parse(path, text)
    }

    /// Reads a suite from its text; `path` is what errors call it.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse(path: &Path, text: String) -> Result<Self, SuiteError> {
        parse::suite(path, text)
    }

    /// Keeps only the rows of some entries (all when none are named), and replaces what is given.
    ///
    /// # Errors
    /// When an entry is not in the suite, or a row cannot have so many samples.
    pub fn narrowed(
        mut self,
        only: &[String],
        samples: Option<u64>,
        seed: Option<u64>,
    ) -> Result<Self, SuiteError> {
        for name in only {
            if !self.rows.iter().any(|row| row.is_of(name)) {
                let mut entries: Vec<&str> = self.rows.iter().map(|row| row.entry.as_str()).collect();
                entries.dedup();
                let hint = match links::nearest(name, &entries) {
                    Some(near) => format!("; the nearest is {near}"),
                    None => format!("; it has {}", entries.join(", ")),
                };
                return Err(SuiteError::NoEntry { suite: self.name, name: name.clone(), hint });
            }
        }
        self.rows.retain(|row| only.is_empty() || only.iter().any(|name| row.is_of(name)));
        if let Some(samples) = samples {
            for row in &mut self.rows {
                row.samples = samples;
                row.check().map_err(|error| SuiteError::Row { row: row.name.clone(), error })?;
            }
        }
        self.seed = seed.unwrap_or(self.seed);
        Ok(self)
    }
}

impl Row {
    /// Whether a user means this row by a name: the row's, the entry's, or the link's.
    fn is_of(&self, name: &str) -> bool {
        self.name == name || self.entry == name || self.link.name == name
    }
}

/// The most messages of a row.
pub const MAX_SAMPLES: u64 = 100_000_000;
/// The most rows of a suite.
pub const MAX_ROWS: usize = 10_000;

/// The name of a suite that does not give its own.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| PathBuf::from(path).to_string_lossy().into_owned())
}
