//! How captures are analysed, and what is said of one that cannot be.

use std::path::{Path, PathBuf};

use capture::ChannelSelector;
use capture::pairing::Settings as PairingSettings;
use stats::detect::Settings as DetectorSettings;

/// How captures are analysed.
#[derive(Debug, Clone)]
pub struct Options {
    /// The channel whose rising edge sends the message.
    pub trigger: ChannelSelector,
    /// The channel whose rising edge says that it arrived.
    pub done: ChannelSelector,
    /// How edges are paired.
    pub pairing: PairingSettings,
    /// The payload of all captures, where their names do not say it.
    pub payload_bytes: Option<u64>,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether to compute confidence intervals.
    pub intervals: bool,
    /// What to look for, or nothing.
    pub findings: Option<DetectorSettings>,
    /// Whether to compute the SHA-256 of each file, which a run folder keeps.
    pub sha256: bool,
}

/// A path that could not be analysed, and why in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong, where, and what to do.
    pub message: String,
}

impl Failure {
    pub(super) fn new(path: &Path, message: &str) -> Self {
        Self { path: path.to_owned(), message: format!("{}: {message}", path.display()) }
    }
}
