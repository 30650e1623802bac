//! Keeps analysed captures in a run folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use capture::pairing::Pairing;
use sha2::{Digest, Sha256};

use super::analyze::{CaptureResult, Options};
use super::manifest::{CaptureEntry, Manifest, Settings};
use record::run_folder::{
    RunFolder, RunFolderError, SCHEMA, StrayDone, TableName, edges_table, samples_table,
};

/// A run folder of captures that is being written.
#[derive(Debug)]
pub struct CaptureFolder(RunFolder<Manifest>);

impl CaptureFolder {
    /// Creates the folder.
    ///
    /// # Errors
    /// When it exists already or cannot be created.
    pub fn create(path: &Path, options: &Options) -> Result<Self, RunFolderError> {
        let manifest = Manifest {
            schema: SCHEMA,
            target: "capture",
            traffic: "one-way",
            seed: options.seed,
            settings: settings_of(options),
            captures: Vec::new(),
        };
        RunFolder::create(path, &[TableName::Samples, TableName::Edges], manifest).map(Self)
    }

    /// Adds a capture. Parts are closed as they fill.
    ///
    /// # Errors
    /// When the capture cannot be read again for its hash, or a part cannot be written.
    pub fn add(&mut self, capture: &CaptureResult) -> Result<(), RunFolderError> {
        let sha256 = sha256_of(&capture.source.path)
            .map_err(|source| RunFolderError::Io { path: capture.source.path.clone(), source })?;
        self.0.manifest.captures.push(entry_of(capture, sha256));
        self.0.add(TableName::Samples, samples_table(&capture.labels(), &capture.samples()))?;
        let run = capture.source.path.to_string_lossy();
        self.0.add(TableName::Edges, edges_table(&run, strays(&capture.pairing)))
    }

    /// Closes all parts and writes manifest and environment.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        self.0.finish(environment)
    }
}

fn strays(pairing: &Pairing) -> impl Iterator<Item = StrayDone> + '_ {
    pairing.unpaired_dones().iter().map(|done| StrayDone {
        time_ps: done.done_ps,
        outcome: done.outcome.name(),
        trigger_index: done.trigger_index,
    })
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
