//! A folder of captures against all models: which captures there are, and the ledger of them all.

use std::path::Path;

use capture::ChannelSelector;
use rayon::prelude::*;
use serde::Serialize;

use super::leave_one_out::{Judged, leave_each_out};
use super::ledger::{Case, LedgerRow};
use super::observed::Observed;
use super::rules::{CaptureRule, rule_of};
use crate::analysis::CaptureResult;
use crate::captures::{self, Options, Source, payload_bytes_of};
use record::Control;

/// What is going to be validated.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Captures that a rule knows.
    pub captures: Vec<PlannedCapture>,
    /// Captures that no rule knows, below the folder.
    pub without_rule: Vec<String>,
    /// What could not be listed.
    pub errors: Vec<LedgerError>,
}

/// A capture and its rule.
#[derive(Debug, Clone)]
pub struct PlannedCapture {
    /// The file.
    pub source: Source,
    /// Its path below the folder.
    pub name: String,
    /// With which link it was made.
    pub rule: &'static CaptureRule,
}

/// All models against all captures.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Ledger {
    /// Two rows per capture: phase-free and this run.
    pub rows: Vec<LedgerRow>,
    /// Captures that could not be used.
    pub errors: Vec<LedgerError>,
    /// Captures that no rule knows.
    pub without_rule: Vec<String>,
    /// Whether it was stopped before all captures were done.
    pub interrupted: bool,
}

/// A capture that could not be used.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerError {
    /// The file.
    pub path: String,
    /// Why, in one sentence.
    pub message: String,
}

/// The captures below a folder whose path contains one of `only` (all when it is empty). Of two formats of one
/// recording the CSV export is taken.
pub fn plan(folder: &Path, only: &[String]) -> Plan {
    let (sources, failures) = captures::discover(&[folder.to_owned()]);
    let mut plan = Plan::default();
    for failure in failures {
        plan.errors.push(LedgerError {
            path: failure.path.to_string_lossy().into_owned(),
            message: failure.message,
        });
    }
    for source in sources {
        let name =
            source.path.strip_prefix(folder).unwrap_or(&source.path).to_string_lossy().replace('\\', "/");
        let twin =
            source.path.extension().is_some_and(|e| e != "csv") && source.path.with_extension("csv").exists();
        if twin || !(only.is_empty() || only.iter().any(|part| name.contains(part))) {
            continue;
        }
        match rule_of(&name) {
            Some(rule) => plan.captures.push(PlannedCapture { source, name, rule }),
            None => plan.without_rule.push(name),
        }
    }
    plan
}

/// What is told of each capture to whoever watches: that the models ran, and that it was left out.
pub const STEPS_PER_CAPTURE: u64 = 2;

/// Runs every model against its captures, on all cores, in the order of the captures.
pub fn validate(plan: &Plan, seed: u64, control: &Control) -> Ledger {
    let outcomes: Vec<_> = plan
        .captures
        .par_iter()
        .with_max_len(1)
        .map(|planned| {
            let outcome = (!control.is_stopped()).then(|| validate_one(planned, seed));
            // What cannot be read is not left out either.
            control.advance(if matches!(outcome, Some(Err(_))) { STEPS_PER_CAPTURE } else { 1 });
            outcome
        })
        .collect();
    let mut judged = Vec::new();
    let mut ledger =
        Ledger { without_rule: plan.without_rule.clone(), errors: plan.errors.clone(), ..Ledger::default() };
    for outcome in outcomes.into_iter().flatten() {
        match outcome {
            Ok(one) => judged.push(one),
            Err(error) => ledger.errors.push(error),
        }
    }
    leave_each_out(&mut judged, control);
    ledger.rows.extend(judged.into_iter().flat_map(|one| one.rows));
    ledger
}

fn validate_one(planned: &PlannedCapture, seed: u64) -> Result<Judged, LedgerError> {
    let path = planned.source.path.to_string_lossy().into_owned();
    let refused = |message: String| LedgerError { path: path.clone(), message };
    let payload = planned.rule.payload_bytes.or_else(|| payload_bytes_of(&planned.source.path));
    let payload = payload.ok_or_else(|| {
        refused(format!(
            "{path}: neither its name nor a rule says the payload; put it into the name, as in 12B.csv"
        ))
    })?;
    let [trigger, done] = [0, 1].map(ChannelSelector::Index);
    let capture = load(&planned.source, trigger, done, seed).map_err(refused)?;
    let case = Case::new(planned.rule, &planned.name, payload, Observed::of(&capture), seed)
        .map_err(|error| refused(format!("{path}: {error}")))?;
    Ok(Judged::new(case))
}

/// One capture, paired by the strict rule.
pub(super) fn load(
    source: &Source,
    trigger: ChannelSelector,
    done: ChannelSelector,
    seed: u64,
) -> Result<CaptureResult, String> {
    let options = Options {
        trigger,
        done,
        pairing: capture::pairing::Settings::default(),
        payload_bytes: None,
        seed,
        intervals: false,
        findings: None,
        sha256: false,
    };
    let sources = [source.clone()];
    let mut analysis = crate::analysis::analyze(&sources, &options, &Control::default(), &mut |_| Ok(()));
    match (analysis.captures.pop(), analysis.failures.pop()) {
        (Some(capture), _) => Ok(capture),
        (None, Some(failure)) => Err(failure.message),
        (None, None) => unreachable!("a source becomes a capture or a failure"),
    }
}

/// A source out of a path.
pub(super) fn source_of(path: &Path) -> Source {
    Source::new(path, String::new())
}
