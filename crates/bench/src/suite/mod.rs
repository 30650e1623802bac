//! Suites: TOML files that ask a question of links and boards. A suite names entries: links with settings, payloads, and when
//! messages are triggered; boards with their firmware, its settings, and what loads them; real boards by their addresses. It expands to rows, each of which
//! is one simulation.

mod addresses;
mod boards;
mod bounds;
mod check;
mod error;
mod expand;
mod link_medians;
mod parse;
mod probe;
mod published;
mod row;
mod schema;
mod tables;
mod traffic;
mod trigger;

pub use addresses::{ADDRESS_FIELDS, AddressSetup};
pub use boards::{BOARD_FIELDS, BoardSetup, LinePin, LineSetup, NetworkSource, PeerSetup, PinTrigger};
pub use bounds::{Bounded, RowBound};
pub use check::RowError;
pub use error::SuiteError;
pub use probe::Probe;
pub use published::{Amount, Compare, Parts, Published, Statistic, Times};
pub use row::{LinkSetup, Measurement, Place, Quantity, Row, SameBut, TargetSetup};
pub use schema::schema;
pub use trigger::{Trigger, TriggerKind, phrase};

use std::path::{Path, PathBuf};

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
    /// Its rows: those of links in the order of the file, then those of boards and of addresses likewise.
    pub rows: Vec<Row>,
}

/// A suite is written by hand, or by a short script.
const MOST_FILE_BYTES: u64 = 16 << 20;

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// When the file cannot be read or asks for something impossible; the message names file, line and field.
    pub fn open(path: &Path) -> Result<Self, SuiteError> {
        let text = files::read_text(path, MOST_FILE_BYTES)
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

    /// What rows may be chosen by: each entry and each link with its title, in the order of the rows.
    pub fn entries(&self) -> Vec<(String, String)> {
        let mut known: Vec<(String, String)> = Vec::new();
        for row in &self.rows {
            let link = row.link().map(|setup| setup.link.name);
            for name in [Some(row.entry.as_str()), link].into_iter().flatten() {
                if !known.iter().any(|(known, _)| known == name) {
                    known.push((name.to_owned(), row.title.clone()));
                }
            }
        }
        known
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
                // A row goes by its own name and by that of its link as well.
                let of_links = self.rows.iter().filter_map(|row| row.link()).map(|setup| setup.link.name);
                let rows = self.rows.iter().map(|row| row.name.as_str());
                let every: Vec<&str> = entries.iter().copied().chain(of_links).chain(rows).collect();
                let hint = match fields::nearest(name, &every) {
                    Some(near) => format!("; the nearest is {near}"),
                    None => format!("; it has {}", entries.join(", ")),
                };
                return Err(SuiteError::NoEntry { suite: self.name, name: name.clone(), hint });
            }
        }
        self.rows.retain(|row| only.is_empty() || only.iter().any(|name| row.is_of(name)));
        if let Some(samples) = samples {
            for row in &mut self.rows {
                row.measurement.samples = Some(samples);
                row.check().map_err(|error| SuiteError::Row { row: row.name.clone(), error })?;
            }
        }
        self.seed = seed.unwrap_or(self.seed);
        Ok(self)
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
