//! One capture after the other: read, pair, describe. Files are independent, so that all cores work on them;
//! results come in the order of the files whatever the number of cores.

use std::path::{Path, PathBuf};

use capture::pairing::{Pairer, Pairing, Settings as PairingSettings, TriggerOutcome};
use capture::{CaptureError, CaptureInfo, ChannelSelector, OpenOptions};
use rayon::prelude::*;
use stats::detect::Settings as DetectorSettings;

use super::discover::Source;
use super::labels::payload_bytes_of;
use super::source_file::SourceFile;
use record::run_folder::{RunFolderError, SampleLabels};
use record::{Control, Outcome, Sample, Samples, Statistics, statistics};
use units::Picoseconds;

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

/// One analysed capture.
#[derive(Debug, Clone)]
pub struct CaptureResult {
    /// Where it lies and its group.
    pub source: Source,
    /// What the file says of itself.
    pub info: CaptureInfo,
    /// The payload from the options or the path.
    pub payload_bytes: Option<u64>,
    /// Every trigger with its outcome.
    pub pairing: Pairing,
    /// The end of the capture, from its start.
    pub end_ps: i64,
    /// What the latencies say.
    pub statistics: Statistics,
    /// SHA-256 of the bytes that were read, in hexadecimal, where it was asked for.
    pub sha256: Option<String>,
}

impl CaptureResult {
    /// Every trigger as a message.
    pub fn samples(&self) -> Samples {
        let mut samples = Samples::with_room(self.pairing.len());
        for (index, trigger) in self.pairing.triggers().enumerate() {
            let outcome = match trigger.outcome {
                TriggerOutcome::Paired => Outcome::Paired,
                TriggerOutcome::Missed => Outcome::Missed,
                TriggerOutcome::Glitch => Outcome::Glitch,
                TriggerOutcome::Overlapped => Outcome::Overlapped,
            };
            let begun = Sample::begun(index as u64, Picoseconds::new(trigger.trigger_ps));
            samples.push(Sample { done: trigger.done_ps.map(Picoseconds::new), outcome, ..begun });
        }
        samples
    }

    /// What its samples have in common.
    pub fn labels(&self) -> SampleLabels<'_> {
        SampleLabels {
            run: &self.source.name,
            target: "capture",
            variant: &self.source.group,
            traffic: "one-way",
            payload_bytes: self.payload_bytes,
        }
    }
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

/// The results of a batch, in the order of the files.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    /// Captures that could be analysed.
    pub captures: Vec<CaptureResult>,
    /// Files that could not.
    pub failures: Vec<Failure>,
}

/// Files that are analysed side by side before their results are kept.
const CHUNK: usize = 32;

/// Analyses `sources` on all cores and gives each result to `keep` in the order of the files, while later files
/// are still to come. A file that cannot be read becomes a failure, and so does the first error of `keep`, which
/// is not called again after it. After [`Control::stop`] only what was finished is returned.
pub fn analyze(
    sources: &[Source],
    options: &Options,
    control: &Control,
    keep: &mut dyn FnMut(&CaptureResult) -> Result<(), RunFolderError>,
) -> Analysis {
    let mut analysis = Analysis::default();
    let mut keeping = true;
    for chunk in sources.chunks(CHUNK) {
        let outcomes: Vec<_> = chunk
            .par_iter()
            .with_max_len(1)
            .map(|source| {
                let outcome = if control.is_stopped() { None } else { analyze_one(source, options, control) };
                control.advance(1);
                outcome
            })
            .collect();
        for outcome in outcomes.into_iter().flatten() {
            match outcome {
                Ok(capture) => {
                    if keeping && let Err(error) = keep(&capture) {
                        let path = capture.source.path.clone();
                        analysis.failures.push(Failure { path, message: error.to_string() });
                        keeping = false;
                    }
                    analysis.captures.push(capture);
                }
                Err(failure) => analysis.failures.push(failure),
            }
        }
    }
    analysis
}

/// The result of one file, or nothing when it was stopped.
fn analyze_one(
    source: &Source,
    options: &Options,
    control: &Control,
) -> Option<Result<CaptureResult, Failure>> {
    let failure = |message: String| Failure { path: source.path.clone(), message };
    let Paired { info, pairing, end_ps, sha256 } = match pair_file(&source.path, options, control) {
        Ok(Some(paired)) => paired,
        Ok(None) => return None,
        Err(error) => return Some(Err(failure(error.to_string()))),
    };
    if let Some(reason) = nothing_to_measure(&info, &pairing, options) {
        return Some(Err(Failure::new(&source.path, &reason)));
    }
    let statistics = statistics_of(&pairing, end_ps, options);
    Some(Ok(CaptureResult {
        payload_bytes: options.payload_bytes.or_else(|| payload_bytes_of(&source.path)),
        source: source.clone(),
        info,
        pairing,
        end_ps,
        statistics,
        sha256,
    }))
}

/// Why a capture holds no measurement: most likely the wrong channel was named.
fn nothing_to_measure(info: &CaptureInfo, pairing: &Pairing, options: &Options) -> Option<String> {
    let never_rises = |role: &str, channel: &ChannelSelector| {
        Some(format!(
            "the {role} channel {channel} never rises from low to high, so that there is nothing to measure; name the \
             right channel with --{role}"
        ))
    };
    if info.channels[0] == info.channels[1] {
        return Some("--trigger and --done name the same channel; name two".to_owned());
    }
    if pairing.is_empty() {
        return never_rises("trigger", &options.trigger);
    }
    if pairing.outcomes().paired == 0 && pairing.unpaired_dones().is_empty() {
        return never_rises("done", &options.done);
    }
    None
}

/// What a file holds.
struct Paired {
    info: CaptureInfo,
    pairing: Pairing,
    end_ps: i64,
    sha256: Option<String>,
}

fn pair_file(path: &Path, options: &Options, control: &Control) -> Result<Option<Paired>, CaptureError> {
    let channels = vec![options.trigger.clone(), options.done.clone()];
    let (file, mut source) = SourceFile::open(path, &OpenOptions { channels })?;
    let mut pairer = Pairer::new(options.pairing);
    let mut batch = Vec::new();
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            let sha256 = options.sha256.then(|| file.sha256()).transpose()?;
            let (info, end_ps) = (source.info().clone(), source.end_ps());
            return Ok(Some(Paired { info, pairing: pairer.finish(), end_ps, sha256 }));
        }
        if control.is_stopped() {
            return Ok(None);
        }
        pairer.push(&batch);
    }
}

fn statistics_of(pairing: &Pairing, end_ps: i64, options: &Options) -> Statistics {
    let latency_ps = pairing.latencies_ps();
    if options.findings.is_none() {
        return statistics(&[], &latency_ps, &[], end_ps, options.seed, options.intervals, None);
    }
    let glitch = capture::pairing::TriggerOutcome::Glitch;
    let paired: Vec<i64> = pairing.triggers().filter(|t| t.done_ps.is_some()).map(|t| t.trigger_ps).collect();
    let sent: Vec<i64> = pairing.triggers().filter(|t| t.outcome != glitch).map(|t| t.trigger_ps).collect();
    statistics(&paired, &latency_ps, &sent, end_ps, options.seed, options.intervals, options.findings)
}
