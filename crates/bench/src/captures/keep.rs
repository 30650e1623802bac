//! Keeps analysed captures in a run folder.

use std::path::Path;

use super::analyze::{CaptureResult, Options};
use super::manifest::{CaptureEntry, Manifest, Settings};
use record::run_folder::{RunFolder, RunFolderError, SCHEMA, TableName, edges_table, samples_table};

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
    /// When a part cannot be written.
    ///
    /// # Panics
    /// When the capture was analysed without its SHA-256.
    pub fn add(&mut self, capture: &CaptureResult) -> Result<(), RunFolderError> {
        self.0.manifest.captures.push(entry_of(capture));
        self.0.add(TableName::Samples, samples_table(&capture.labels(), &capture.samples))?;
        self.0.add(TableName::Edges, edges_table(&capture.source.name, capture.facts.strays.iter().copied()))
    }

    /// Closes all parts and writes manifest and environment.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(self, environment: &serde_json::Value) -> Result<(), RunFolderError> {
        self.0.finish(environment)
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

fn entry_of(capture: &CaptureResult) -> CaptureEntry {
    CaptureEntry {
        run: capture.source.name.clone(),
        variant: capture.source.group.clone(),
        payload_bytes: capture.payload_bytes,
        format: capture.facts.info.format,
        start: capture.facts.info.start.clone(),
        end_ps: capture.end_ps,
        sample_rate_hz: capture.facts.info.sample_rate.map(units::Hertz::hz),
        glitch_ps: capture.facts.glitch_ps,
        sha256: capture.facts.sha256.clone().expect("what is kept was analysed with its SHA-256"),
    }
}
