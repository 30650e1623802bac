//! Keeps the rows of a suite's run in a run folder: of links their edges as captures, of boards their frames.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use capture::write::Existing;
use record::run_folder::{RunFolder, RunFolderError, SCHEMA, TableName, samples_table};
use serde::Serialize;

use super::{RowEntry, RowResult};
use crate::suite::{Row, Suite};
use crate::target::Observations;
use crate::targets::VirtualEdges;

/// The manifest of a suite's run.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteManifest {
    /// The version of the layout.
    pub schema: &'static str,
    /// `link`, `board`, or `link and board`.
    pub target: String,
    /// `one-way` for links; of boards every row says its own.
    pub traffic: &'static str,
    /// The seed of all random streams.
    pub seed: u64,
    /// The suite.
    pub suite: SuiteEntry,
    /// How messages became samples: their fate is known, so nothing was paired by rule.
    pub settings: PairingEntry,
    /// One entry per row, in the order of the samples.
    pub rows: Vec<RowEntry>,
}

/// The suite in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteEntry {
    /// Its name.
    pub name: String,
    /// Its text, whole.
    pub text: String,
}

/// How messages became samples.
#[derive(Debug, Clone, Serialize)]
pub struct PairingEntry {
    /// `known`.
    pub pairing: &'static str,
}

/// A run folder of a suite's rows that is being written.
#[derive(Debug)]
pub struct SuiteFolder {
    folder: RunFolder<SuiteManifest>,
    captures: bool,
    /// The files of rows, in small letters.
    taken: BTreeSet<String>,
}

impl SuiteFolder {
    /// Creates the folder; `captures` also writes each row's edges as a value change dump.
    ///
    /// # Errors
    /// When it exists already or cannot be created.
    pub fn create(path: &Path, suite: &Suite, captures: bool) -> Result<Self, RunFolderError> {
        let has = |of: fn(&Row) -> bool| suite.rows.iter().any(of);
        let kinds = [
            ("link", has(|row| row.link().is_some())),
            ("board", has(|row| row.board().is_some())),
            ("address", has(|row| row.address().is_some())),
        ];
        let kinds: Vec<&str> =
            kinds.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect();
        let traffic = if kinds == ["link"] { "one-way" } else { "as the rows say" };
        let target = kinds.join(" and ");
        let manifest = SuiteManifest {
            schema: SCHEMA,
            target,
            traffic,
            seed: suite.seed,
            suite: SuiteEntry { name: suite.name.clone(), text: suite.text.clone() },
            settings: PairingEntry { pairing: "known" },
            rows: Vec::new(),
        };
        let tables = [TableName::Samples, TableName::Edges, TableName::Spans];
        let folder = RunFolder::create(path, &tables, manifest)?;
        Ok(Self { folder, captures, taken: BTreeSet::new() })
    }

    /// Adds a row, whose entry says what it is compared with.
    ///
    /// # Errors
    /// When a part or a capture cannot be written.
    pub fn add(&mut self, entry: &RowEntry, result: &RowResult) -> Result<(), RunFolderError> {
        self.folder.manifest.rows.push(entry.clone());
        self.folder.add(TableName::Samples, samples_table(&result.labels(), &result.samples))?;
        let Observations { spans, frames } = &result.observed;
        if let Some(spans) = spans.as_ref().filter(|spans| spans.num_rows() > 0) {
            self.folder.add(TableName::Spans, spans.clone())?;
        }
        if !frames.is_empty() {
            self.write_frames(&entry.run, frames)?;
        }
        match result.row.link() {
            Some(setup) if self.captures => self.write_capture(result, setup.payload_bytes),
            _ => Ok(()),
        }
    }

    /// Closes all parts and writes manifest and environment.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        self.folder.finish(environment)
    }

    /// Removes the folder: there is no row that it could hold.
    pub fn discard(self) {
        self.folder.discard();
    }

    fn write_frames(&mut self, run: &str, pcapng: &[u8]) -> Result<(), RunFolderError> {
        let io = |path: &Path, source: std::io::Error| RunFolderError::unwritten(path, &source);
        let folder = self.folder.path().join("wire");
        fs::create_dir_all(&folder).map_err(|source| io(&folder, source))?;
        let path = folder.join(self.free_name(&file_name(run), "pcapng"));
        files::replace(&path, pcapng).map_err(|source| io(&path, source))
    }

    fn write_capture(&mut self, result: &RowResult, payload_bytes: u32) -> Result<(), RunFolderError> {
        let folder = self.folder.path().join("captures");
        fs::create_dir_all(&folder).map_err(|source| RunFolderError::unwritten(&folder, &source))?;
        // The file's name says the payload where `analyze` looks for it.
        let name = format!("{payload_bytes}B-{}", file_name(&result.row.entry));
        let path = folder.join(self.free_name(&name, "vcd"));
        let mut edges = VirtualEdges::new(&result.samples, result.entry.end.ps());
        capture::write::convert(&mut edges, &path, Existing::Keep)
            .map_err(|error| RunFolderError::Capture(error.to_string()))
    }

    /// The name of a row's file. Names that some file system would not tell apart get a number, so that a folder can be
    /// copied anywhere.
    fn free_name(&mut self, name: &str, suffix: &str) -> String {
        let name = shortened(name.to_owned());
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let names = std::iter::once(name.clone()).chain(numbered);
        let mut free = names.map(|name| format!("{name}.{suffix}"));
        free.find(|name| self.taken.insert(name.to_lowercase())).expect("there are more numbers than rows")
    }
}

/// An entry's name with nothing in it that a file system minds.
fn file_name(entry: &str) -> String {
    entry.chars().map(|c| if c.is_alphanumeric() || "-_.=".contains(c) { c } else { '-' }).collect()
}

/// File systems take names of 255 bytes; a number and a suffix follow.
const MOST_NAME_BYTES: usize = 200;

fn shortened(mut name: String) -> String {
    while name.len() > MOST_NAME_BYTES {
        name.pop();
    }
    name
}
