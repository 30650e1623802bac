//! Keeps the rows of a suite's run in a run folder: of links their edges as captures, of boards their frames.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use capture::write::Existing;
use serde::Serialize;

use super::edges::VirtualEdges;
use super::row::RowResult;
use crate::board_rows::{BoardEntry, BoardRowResult, board_spans, samples_of};
use crate::run_folder::{RunFolder, RunFolderError, SCHEMA, TableName, samples_table};
use crate::suite::{PublishedMedian, Suite};

/// The manifest of a suite's run.
#[derive(Debug, Clone, Serialize)]
pub struct SuiteManifest {
    /// The version of the layout.
    pub schema: &'static str,
    /// `link`, `board`, or `link and board`.
    pub target: &'static str,
    /// `one-way` for links; of boards every row says its own.
    pub traffic: &'static str,
    /// The seed of all random streams.
    pub seed: u64,
    /// The suite.
    pub suite: SuiteEntry,
    /// How messages became samples: their fate is known, so nothing was paired by rule.
    pub settings: PairingEntry,
    /// One entry per row, in the order of the samples.
    pub rows: Vec<SuiteRow>,
}

/// A row of either kind in a manifest.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum SuiteRow {
    /// Of a link.
    Link(Box<RowEntry>),
    /// Of a board.
    Board(Box<BoardEntry>),
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

/// A row in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct RowEntry {
    /// The value of `run` in the tables.
    pub run: String,
    /// The suite's entry, with the settings that vary.
    pub variant: String,
    /// The link.
    pub link: &'static str,
    /// The payload.
    pub payload_bytes: u32,
    /// All settings of the link, as a user would write them.
    pub settings: BTreeMap<&'static str, String>,
    /// When messages were triggered.
    pub trigger: String,
    /// How many messages were sent.
    pub samples: usize,
    /// The end of the run.
    pub end_ps: i64,
    /// The most messages that waited behind another.
    pub longest_queue: usize,
    /// The mean time of each part in closed form.
    pub budget: Vec<StageEntry>,
    /// What others measured.
    pub published: Option<PublishedMedianEntry>,
}

/// A published median in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PublishedMedianEntry {
    /// The median.
    pub median_ps: i64,
    /// Where it was published.
    pub source: String,
    /// What is to be known of it.
    pub note: Option<String>,
}

impl PublishedMedianEntry {
    fn of(published: &PublishedMedian) -> Self {
        let PublishedMedian { median, source, note } = published.clone();
        Self { median_ps: median.ps(), source, note }
    }
}

/// A share of the time.
#[derive(Debug, Clone, Serialize)]
pub struct StageEntry {
    /// What it is called.
    pub name: String,
    /// What the time is spent on.
    pub kind: links::stage::PartKind,
    /// How long, on average.
    pub ps: i64,
}

impl StageEntry {
    /// The lines of a budget.
    pub fn of(budget: &[links::BudgetLine]) -> Vec<Self> {
        let entry =
            |line: &links::BudgetLine| Self { name: line.name.clone(), kind: line.kind, ps: line.mean.ps() };
        budget.iter().map(entry).collect()
    }
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
        let (target, traffic) = match (suite.rows.is_empty(), suite.boards.is_empty()) {
            (_, true) => ("link", "one-way"),
            (true, false) => ("board", "as the rows say"),
            (false, false) => ("link and board", "as the rows say"),
        };
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

    /// Adds a row.
    ///
    /// # Errors
    /// When a part or a capture cannot be written.
    pub fn add(&mut self, result: &RowResult) -> Result<(), RunFolderError> {
        self.folder.manifest.rows.push(SuiteRow::Link(Box::new(entry_of(result))));
        self.folder.add(TableName::Samples, samples_table(&result.labels(), &result.pairing))?;
        if !result.spans.is_empty() {
            self.folder.add(TableName::Spans, spans_table(result))?;
        }
        if self.captures { self.write_capture(result) } else { Ok(()) }
    }

    /// Adds a row of a board, whose entry says what it is compared with.
    ///
    /// # Errors
    /// When a part cannot be written.
    pub fn add_board(&mut self, entry: &BoardEntry, result: &BoardRowResult) -> Result<(), RunFolderError> {
        self.folder.manifest.rows.push(SuiteRow::Board(Box::new(entry.clone())));
        self.folder.add(TableName::Samples, samples_of(result))?;
        let spans = board_spans(result);
        if spans.num_rows() > 0 {
            self.folder.add(TableName::Spans, spans)?;
        }
        let frames = result.budget.as_ref().map_or(&[][..], |budget| &budget.pcapng);
        if frames.is_empty() { Ok(()) } else { self.write_frames(&entry.run, frames) }
    }

    /// Closes all parts and writes manifest and environment.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        self.folder.finish(environment)
    }

    fn write_frames(&mut self, run: &str, pcapng: &[u8]) -> Result<(), RunFolderError> {
        let io = |path: &Path, source| RunFolderError::Io { path: path.to_owned(), source };
        let folder = self.folder.path().join("wire");
        fs::create_dir_all(&folder).map_err(|source| io(&folder, source))?;
        let path = folder.join(self.free_name(&file_name(run), "pcapng"));
        files::replace(&path, pcapng).map_err(|source| io(&path, source))
    }

    fn write_capture(&mut self, result: &RowResult) -> Result<(), RunFolderError> {
        let folder = self.folder.path().join("captures");
        fs::create_dir_all(&folder).map_err(|source| RunFolderError::Io { path: folder.clone(), source })?;
        // The file's name says the payload where `analyze` looks for it.
        let name = format!("{}B-{}", result.row.payload_bytes, file_name(&result.row.entry));
        let path = folder.join(self.free_name(&name, "vcd"));
        let mut edges = VirtualEdges::new(&result.pairing, result.end_ps);
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

fn entry_of(result: &RowResult) -> RowEntry {
    RowEntry {
        run: result.row.name.clone(),
        variant: result.row.entry.clone(),
        link: result.row.link.name,
        payload_bytes: result.row.payload_bytes,
        settings: result.row.settings.iter().map(|(name, value)| (name, value.to_string())).collect(),
        trigger: result.trigger.clone(),
        samples: result.pairing.len(),
        end_ps: result.end_ps,
        longest_queue: result.longest_queue,
        budget: StageEntry::of(&result.budget),
        published: result.row.published.as_ref().map(PublishedMedianEntry::of),
    }
}

/// One row per share of a message's time.
pub fn spans_table(result: &RowResult) -> RecordBatch {
    let spans = &result.spans;
    let n = spans.len();
    let part = |span: &sim::Span| &result.parts[span.activity as usize];
    let kinds = |span: &sim::Span| part(span).kind.name();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("run", Arc::new(StringArray::from_iter_values(std::iter::repeat_n(&result.row.name, n)))),
        ("index", Arc::new(spans.iter().map(|span| span.message as i64).collect::<Int64Array>())),
        ("stage", Arc::new(StringArray::from_iter_values(spans.iter().map(|span| &part(span).name)))),
        ("kind", Arc::new(StringArray::from_iter_values(spans.iter().map(kinds)))),
        ("start_ps", Arc::new(spans.iter().map(|span| span.start.ps()).collect::<Int64Array>())),
        ("end_ps", Arc::new(spans.iter().map(|span| span.end.ps()).collect::<Int64Array>())),
        ("bytes", Arc::new(spans.iter().map(|span| i64::from(span.bytes)).collect::<Int64Array>())),
    ];
    RecordBatch::try_from_iter(columns).expect("every column has a row per span")
}
