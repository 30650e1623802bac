//! Writes a run folder so that a kill at any moment leaves only complete parts.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use files::{Existing, NewFile};
use serde::Serialize;

use super::error::RunFolderError;
use super::part::write_part;

/// A part is closed when it holds at least this many rows.
const ROWS_PER_PART: usize = 1 << 17;

/// A table of a run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableName {
    /// One row per message.
    Samples,
    /// One row per done edge that completed none.
    Edges,
    /// One row per share of a message's time.
    Spans,
}

impl TableName {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Samples, "samples"), (Self::Edges, "edges"), (Self::Spans, "spans")];
}

/// A run folder that is being written. `M` is its manifest.
#[derive(Debug)]
pub struct RunFolder<M> {
    path: PathBuf,
    parts: Vec<Part>,
    /// Whether the manifest that is written tells of what was measured.
    has_rows: bool,
    /// What `manifest.json` will hold.
    pub manifest: M,
}

/// Refuses a run folder that exists already, before anything is measured.
///
/// # Errors
/// When it exists.
pub fn check_absent(path: &Path) -> Result<(), RunFolderError> {
    if path.exists() { Err(RunFolderError::Exists(path.to_owned())) } else { Ok(()) }
}

impl<M: Serialize> RunFolder<M> {
    /// Creates the folder with some tables.
    ///
    /// # Errors
    /// When it exists already or cannot be created.
    pub fn create(path: &Path, tables: &[TableName], manifest: M) -> Result<Self, RunFolderError> {
        let io = |path: &Path, source: io::Error| RunFolderError::unwritten(path, &source).of_nothing();
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|source| io(parent, source))?;
        }
        fs::create_dir(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => RunFolderError::Exists(path.to_owned()),
            _ => io(path, source),
        })?;
        let mut folder = Self { path: path.to_owned(), parts: Vec::new(), has_rows: false, manifest };
        folder.begin(tables).map_err(|error| folder.given_up(error))?;
        Ok(folder)
    }

    fn begin(&mut self, tables: &[TableName]) -> Result<(), RunFolderError> {
        for (table, name) in TableName::ALL {
            if tables.contains(&table) {
                self.parts.push(Part::new(table, self.path.join(name))?);
            }
        }
        self.write_manifest()
    }

    /// Removes it: what is in it is nobody else's, and nothing of a run.
    pub fn discard(self) {
        self.remove();
    }

    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }

    /// The error of a run of which nothing was kept.
    fn given_up(&self, error: RunFolderError) -> RunFolderError {
        self.remove();
        error.of_nothing()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds rows. Parts are closed as they fill, and then the manifest is written as well.
    ///
    /// # Errors
    /// When a part cannot be written.
    ///
    /// # Panics
    /// When the folder was created without this table.
    pub fn add(&mut self, table: TableName, rows: RecordBatch) -> Result<(), RunFolderError> {
        let part = self.parts.iter_mut().find(|part| part.table == table);
        if part.expect("the folder has this table").add(rows)? {
            self.write_manifest()?;
            self.has_rows = true;
        }
        Ok(())
    }

    /// Closes all parts and writes manifest and environment. Where one part cannot be written the others still are,
    /// and the manifest stays at what it said when a part was last closed. A folder whose manifest tells of no row goes again.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(mut self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        let closed = self.close(environment);
        closed.map_err(|error| if self.has_rows { error } else { self.given_up(error) })
    }

    fn close(&mut self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        let failures: Vec<_> = self.parts.iter_mut().filter_map(|part| part.close().err()).collect();
        if let Some(first) = failures.into_iter().next() {
            return Err(first);
        }
        self.write_manifest()?;
        self.has_rows = true;
        write_json(&self.path.join("environment.json"), environment)
    }

    fn write_manifest(&mut self) -> Result<(), RunFolderError> {
        let name =
            |table| TableName::ALL.iter().find(|(other, _)| *other == table).map_or("", |(_, name)| name);
        let parts = self.parts.iter().map(|part| (name(part.table), part.number)).collect();
        write_json(&self.path.join("manifest.json"), &Whole { manifest: &self.manifest, parts })
    }
}

/// A manifest, and how many parts of each table there are at least, so that one that is lost is missed.
#[derive(Serialize)]
struct Whole<'a, M> {
    #[serde(flatten)]
    manifest: &'a M,
    parts: BTreeMap<&'static str, usize>,
}

/// The rows of one table that wait for the next part.
#[derive(Debug)]
struct Part {
    table: TableName,
    folder: PathBuf,
    number: usize,
    rows: usize,
    waiting: Vec<RecordBatch>,
}

impl Part {
    fn new(table: TableName, folder: PathBuf) -> Result<Self, RunFolderError> {
        fs::create_dir(&folder).map_err(|source| RunFolderError::unwritten(&folder, &source))?;
        Ok(Self { table, folder, number: 0, rows: 0, waiting: Vec::new() })
    }

    /// Adds rows; says whether that closed a part.
    fn add(&mut self, table: RecordBatch) -> Result<bool, RunFolderError> {
        self.rows += table.num_rows();
        self.waiting.push(table);
        let full = self.rows >= ROWS_PER_PART;
        if full {
            self.close()?;
        }
        Ok(full)
    }

    fn close(&mut self) -> Result<(), RunFolderError> {
        let Some(first) = self.waiting.first() else { return Ok(()) };
        let path = self.folder.join(format!("part-{:05}.parquet", self.number));
        self.write(&first.schema(), &path)?;
        self.number += 1;
        self.rows = 0;
        self.waiting.clear();
        Ok(())
    }

    /// Writes what waits.
    fn write(&self, schema: &Schema, path: &Path) -> Result<(), RunFolderError> {
        let parquet = |source| RunFolderError::of_part(path, &source);
        let io = |source: io::Error| RunFolderError::unwritten(path, &source);
        let file = NewFile::create(path, Existing::Keep).map_err(io)?;
        write_part(file, schema, &self.waiting).map_err(parquet)?.finish().map_err(io)
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunFolderError> {
    let mut text = serde_json::to_string_pretty(value).expect("a manifest has only plain fields");
    text.push('\n');
    files::replace(path, text.as_bytes()).map_err(|source| RunFolderError::unwritten(path, &source))
}
