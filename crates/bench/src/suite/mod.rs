//! Suites: TOML files that ask a question of links and boards. A suite names entries: links with settings, payloads, and when
//! messages are triggered; boards with their firmware, its settings, and what loads them. It expands to rows, each of which
//! is one simulation.

mod boards;
mod check;
mod error;
mod expand;
mod parse;
mod published;
mod schema;
mod trigger;

pub use boards::{
    Amount, BOARD_FIELDS, BoardRow, BoardSetup, Compare, Measurement, NetworkSource, Parts, PeerSetup,
    PinTrigger, Place, Published, Quantity, SameBut, Statistic, Times,
};
pub use check::RowError;
use check::check_samples;
pub use error::SuiteError;
pub use published::PublishedMedian;
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
    /// Where it stands; firmware and networks are looked for beside it.
    pub path: PathBuf,
    /// Rows of links, in the order of the file.
    pub rows: Vec<Row>,
    /// Rows of boards, in the order of the file.
    pub boards: Vec<BoardRow>,
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
    /// What others measured of it.
    pub published: Option<PublishedMedian>,
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
            let of_boards = self.boards.iter().any(|row| row.is_of(name));
            if !of_boards && !self.rows.iter().any(|row| row.is_of(name)) {
                let mut entries: Vec<&str> = self.rows.iter().map(|row| row.entry.as_str()).collect();
                entries.extend(self.boards.iter().map(|row| row.entry.as_str()));
                entries.dedup();
                let hint = match fields::nearest(name, &entries) {
                    Some(near) => format!("; the nearest is {near}"),
                    None => format!("; it has {}", entries.join(", ")),
                };
                return Err(SuiteError::NoEntry { suite: self.name, name: name.clone(), hint });
            }
        }
        self.rows.retain(|row| only.is_empty() || only.iter().any(|name| row.is_of(name)));
        self.boards.retain(|row| only.is_empty() || only.iter().any(|name| row.is_of(name)));
        if let Some(samples) = samples {
            for row in &mut self.rows {
                row.samples = samples;
                row.check().map_err(|error| SuiteError::Row { row: row.name.clone(), error })?;
            }
            for row in &mut self.boards {
                row.measurement.samples = Some(samples);
                check_samples(samples).map_err(|error| SuiteError::Row { row: row.name.clone(), error })?;
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

impl BoardRow {
    /// Whether a user means this row by a name: the row's or the entry's.
    fn is_of(&self, name: &str) -> bool {
        self.name == name || self.entry == name
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
