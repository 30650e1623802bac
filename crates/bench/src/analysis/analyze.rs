//! One capture after the other: read, pair, describe. Files are independent, so that all cores work on them;
//! results come in the order of the files whatever the number of cores.

use std::sync::Arc;

use rayon::prelude::*;
use record::run_folder::{RunFolderError, SampleLabels};
use record::{Control, Samples, Statistics};

use crate::captures::{Failure, Options, Source};
use crate::rows::{Measure, ReadyRow, RowResult, measure_row};
use crate::suite::{Measurement, Place, Row, TargetSetup};
use crate::target::TargetError;
use crate::targets::Facts;
use crate::targets::capture::{CaptureFacts, CaptureRecipe};

/// One analysed capture.
#[derive(Debug, Clone)]
pub struct CaptureResult {
    /// Where it lies and its group.
    pub source: Source,
    /// The payload from the options or the path.
    pub payload_bytes: Option<u64>,
    /// Every trigger as a message.
    pub samples: Samples,
    /// The end of the capture, from its start.
    pub end_ps: i64,
    /// What the latencies say.
    pub statistics: Statistics,
    /// What the file says of itself, and what its edges became.
    pub facts: CaptureFacts,
}

impl CaptureResult {
    fn of(source: &Source, result: RowResult) -> Self {
        let Facts::Capture(facts) = result.entry.facts else {
            unreachable!("a capture has a capture's facts")
        };
        Self {
            source: source.clone(),
            payload_bytes: result.entry.payload_bytes,
            samples: result.samples,
            end_ps: result.entry.end.ps(),
            statistics: result.statistics,
            facts: *facts,
        }
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
    let row = Row {
        name: source.name.clone(),
        entry: source.group.clone(),
        title: source.name.clone(),
        target: TargetSetup::Other,
        measurement: Measurement::of_all(),
        same_but: None,
        published: None,
        bounds: Vec::new(),
        place: Place::default(),
    };
    let recipe = Arc::new(CaptureRecipe { source: source.clone(), options: options.clone() });
    let (seed, intervals, findings) = (options.seed, options.intervals, options.findings.is_some());
    let measure = Measure { seed, intervals, findings, spans_of_first: 0 };
    let failure = |error: TargetError| Failure { path: source.path.clone(), message: error.0 };
    let result = measure_row(&ReadyRow { row, recipe }, measure, control).map_err(failure).transpose()?;
    if result.is_err() && control.is_stopped() {
        return None;
    }
    Some(result.map(|result| CaptureResult::of(source, result)))
}
