//! `manifest.json`: what determines the result, and nothing else (no clock, no host, no user).

use serde::Serialize;

/// The manifest of a run that was measured from captures.
#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    /// The version of the layout.
    pub schema: &'static str,
    /// What was real: here always `capture`.
    pub target: &'static str,
    /// The load: here always `one-way`.
    pub traffic: &'static str,
    /// The seed of the statistics.
    pub seed: u64,
    /// How edges were paired; times with their unit.
    pub settings: Settings,
    /// One entry per capture, in the order of the samples.
    pub captures: Vec<CaptureEntry>,
}

/// How edges were paired.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// The trigger channel as the user named it.
    pub trigger: String,
    /// The done channel as the user named it.
    pub done: String,
    /// `strict`, `fifo` or `published`.
    pub pairing: &'static str,
    /// The glitch time, or null for a hundredth of each capture's typical trigger interval.
    pub glitch_ps: Option<i64>,
    /// No completion comes sooner.
    pub min_latency_ps: i64,
    /// Under the fifo rule, triggers that waited longer are missed.
    pub max_latency_ps: Option<i64>,
    /// A gate that the user knows of.
    pub gate_ps: Option<i64>,
}

/// A capture that the run holds.
#[derive(Debug, Clone, Serialize)]
pub struct CaptureEntry {
    /// The value of `run` in the tables: the path as it was given.
    pub run: String,
    /// The group, from the folder.
    pub variant: String,
    /// The payload, or null where neither the user nor the path says it.
    pub payload_bytes: Option<u64>,
    /// The file format.
    pub format: &'static str,
    /// The absolute time of the capture's start, RFC 3339, or null.
    pub start: Option<String>,
    /// The end of the capture, from its start.
    pub end_ps: i64,
    /// The analyser's sample rate, or null.
    pub sample_rate_hz: Option<u64>,
    /// The glitch time in force.
    pub glitch_ps: i64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}
