//! Writes a run folder so that a kill at any moment leaves only complete parts.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::RunFolderError;
use super::manifest::{CaptureEntry, Manifest, SCHEMA, Settings};
use super::tables::{edges_table, samples_table};
use crate::captures::{CaptureResult, Options};

/// A part is closed when it holds at least this many rows.
const ROWS_PER_PART: usize = 1 << 17;

/// A run folder that is being written.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    samples: Part,
    edges: Part,
    manifest: Manifest,
}

impl RunFolder {
    /// Refuses a folder that exists already, before anything is measured.
    ///
    /// # Errors
    /// When it exists.
    pub fn check_absent(path: &Path) -> Result<(), RunFolderError> {
        if path.exists() { Err(RunFolderError::Exists(path.to_owned())) } else { Ok(()) }
    }

    /// Creates the folder.
    ///
    /// # Errors
    /// When it exists already or cannot be created.
    pub fn create(path: &Path, options: &Options) -> Result<Self, RunFolderError> {
        let io = |path: &Path, source| RunFolderError::Io { path: path.to_owned(), source };
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|source| io(parent, source))?;
        }
        fs::create_dir(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => RunFolderError::Exists(path.to_owned()),
            _ => io(path, source),
        })?;
        let samples = Part::new(path.join("samples"))?;
        let edges = Part::new(path.join("edges"))?;
        let manifest = Manifest {
            schema: SCHEMA,
            target: "capture",
            traffic: "one-way",
            seed: options.seed,
            settings: settings_of(options),
            captures: Vec::new(),
        };
        let mut folder = Self { path: path.to_owned(), samples, edges, manifest };
        folder.write_manifest()?;
        Ok(folder)
    }

    /// Adds a capture. Parts are closed as they fill.
    ///
    /// # Errors
    /// When the capture cannot be read again for its hash, or a part cannot be written.
    pub fn add(&mut self, capture: &CaptureResult) -> Result<(), RunFolderError> {
        let sha256 = sha256_of(&capture.source.path)
            .map_err(|source| RunFolderError::Io { path: capture.source.path.clone(), source })?;
        self.manifest.captures.push(entry_of(capture, sha256));
        let samples_full = self.samples.add(samples_table(capture))?;
        let edges_full = self.edges.add(edges_table(capture))?;
        if samples_full || edges_full {
            self.write_manifest()?;
        }
        Ok(())
    }

    /// Closes all parts and writes manifest and environment.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(mut self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        self.samples.close()?;
        self.edges.close()?;
        self.write_manifest()?;
        write_json(&self.path.join("environment.json"), environment)
    }

    fn write_manifest(&mut self) -> Result<(), RunFolderError> {
        write_json(&self.path.join("manifest.json"), &self.manifest)
    }
}

/// The rows of one table that wait for the next part.
#[derive(Debug)]
struct Part {
    folder: PathBuf,
    number: usize,
    rows: usize,
    waiting: Vec<RecordBatch>,
}

impl Part {
    fn new(folder: PathBuf) -> Result<Self, RunFolderError> {
        fs::create_dir(&folder).map_err(|source| RunFolderError::Io { path: folder.clone(), source })?;
        Ok(Self { folder, number: 0, rows: 0, waiting: Vec::new() })
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
        let temporary = path.with_extension("parquet.partial");
        let parquet = |source| RunFolderError::Parquet { path: path.clone(), source };
        let io = |source| RunFolderError::Io { path: path.clone(), source };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(SCHEMA.to_owned())
            .build();
        let file = File::create(&temporary).map_err(io)?;
        let mut writer = ArrowWriter::try_new(file, first.schema(), Some(properties)).map_err(parquet)?;
        for table in &self.waiting {
            writer.write(table).map_err(parquet)?;
        }
        writer.into_inner().map_err(parquet)?.sync_all().map_err(io)?;
        fs::rename(&temporary, &path).map_err(io)?;
        self.number += 1;
        self.rows = 0;
        self.waiting.clear();
        Ok(())
    }
}

fn settings_of(options: &Options) -> Settings {
    Settings {
        trigger: options.trigger.to_string(),
        done: options.done.to_string(),
        pairing: options.pairing.rule.name(),
        glitch_ps: options.pairing.glitch_ps,
        min_latency_ps: options.pairing.min_latency_ps,
        max_latency_ps: options.pairing.max_latency_ps,
        gate_ps: options.findings.and_then(|findings| findings.gate_ps),
    }
}

fn entry_of(capture: &CaptureResult, sha256: String) -> CaptureEntry {
    CaptureEntry {
        run: capture.source.path.to_string_lossy().into_owned(),
        variant: capture.source.group.clone(),
        payload_bytes: capture.payload_bytes,
        format: capture.info.format,
        start: capture.info.start.clone(),
        end_ps: capture.end_ps,
        sample_rate_hz: capture.info.sample_rate.map(units::Hertz::hz),
        glitch_ps: capture.pairing.glitch_ps,
        sha256,
    }
}

fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a JSON file under a temporary name and renames it.
fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunFolderError> {
    let io = |source| RunFolderError::Io { path: path.to_owned(), source };
    let mut text = serde_json::to_string_pretty(value).expect("a manifest has only plain fields");
    text.push('\n');
    let temporary = path.with_extension("json.partial");
    let mut file = File::create(&temporary).map_err(io)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
    fs::rename(&temporary, path).map_err(io)
}
