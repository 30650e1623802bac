//! One capture explained by one link: phases are fitted, physics are not, and what is left over is said.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capture::ChannelSelector;
use links::stage::Part;
use links::{LinkError, Program, Sample};
use serde::Serialize;
use sim::Span;
use thiserror::Error;

use super::fit::{FittedPhase, fit_phases, predict, predict_with_spans, sorted};
use super::observed::Observed;
use super::plan::{load, source_of};
use crate::captures::payload_bytes_of;
use crate::targets::link::StageEntry;
use record::run_folder::Stage;

/// Which capture, and which link.
#[derive(Debug, Clone)]
pub struct CaptureQuestion {
    /// The capture.
    pub path: PathBuf,
    /// The link that made it.
    pub link: String,
    /// The payload, or what the file's name says.
    pub payload_bytes: Option<u64>,
    /// Settings that differ from the defaults.
    pub settings: BTreeMap<String, String>,
    /// The trigger channel.
    pub trigger: ChannelSelector,
    /// The done channel.
    pub done: ChannelSelector,
    /// The seed of the model.
    pub seed: u64,
}

/// A capture that cannot be explained.
#[derive(Debug, Error)]
pub enum ExplainError {
    /// The capture cannot be read.
    #[error("{0}")]
    Capture(String),
    /// The link cannot be used as asked.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Nobody says the payload.
    #[error("{}: its name does not say the payload; give --payload", .0.display())]
    Payload(PathBuf),
    /// No message arrived.
    #[error("{}: no message was paired, so that there is nothing to explain", .0.display())]
    Empty(PathBuf),
}

/// What a link explains of a capture.
#[derive(Debug, Clone, Serialize)]
pub struct Explained {
    link: &'static str,
    payload_bytes: u32,
    settings: BTreeMap<&'static str, String>,
    phases: Vec<ExplainedPhase>,
    n: usize,
    /// 1 - left over / mean latency; not below 0.
    explained_share: f64,
    /// The mean distance between latencies of capture and model of equal rank.
    left_over_ps: f64,
    median_ps: f64,
    model_median_ps: f64,
    p95_ps: f64,
    model_p95_ps: f64,
    ks: f64,
    stages: Vec<StageEntry>,
    quantiles: Vec<QuantilePair>,
}

#[derive(Debug, Clone, Serialize)]
struct ExplainedPhase {
    gate: String,
    period_ps: i64,
    phase_ps: i64,
    drift_ppb: i64,
}

#[derive(Debug, Clone, Serialize)]
struct QuantilePair {
    p: f64,
    capture_ps: f64,
    model_ps: f64,
}

/// Runs of the model over the capture's triggers.
const REPLICAS: u64 = 20;
/// Stages are those of the messages between these shares of the ranking.
const MIDDLE: (f64, f64) = (0.45, 0.55);

/// Explains a capture.
///
/// # Errors
/// When the capture or the link cannot be used.
pub fn explain(question: &CaptureQuestion) -> Result<Explained, ExplainError> {
    let link = links::find(&question.link)?;
    let changes = question.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let settings = link.settings_with(changes)?;
    link.program(&settings)?;
    let payload = question.payload_bytes.or_else(|| payload_bytes_of(&question.path));
    let bytes = link.check_payload(payload.ok_or_else(|| ExplainError::Payload(question.path.clone()))?)?;
    let source = source_of(&question.path);
    let capture = load(&source, question.trigger.clone(), question.done.clone(), question.seed)
        .map_err(ExplainError::Capture)?;
    let observed = Observed::of(&capture);
    let real = sorted(observed.latencies_ps().iter());
    if real.is_empty() {
        return Err(ExplainError::Empty(question.path.clone()));
    }
    let build = || link.program(&settings).expect("it was put together before");
    let phases = fit_phases(&build, bytes, &observed, question.seed);
    let replicas = (1..=REPLICAS)
        .flat_map(|replica| predict(&build, bytes, &observed, &phases, question.seed.wrapping_add(replica)));
    let model = sorted(replicas.flatten().collect::<Vec<_>>().iter());
    let left_over_ps = if model.is_empty() { f64::INFINITY } else { stats::wasserstein_ps(&real, &model) };
    let mean = real.iter().map(|ps| *ps as f64).sum::<f64>() / real.len() as f64;
    let at = |values: &[i64], p: f64| if values.is_empty() { 0.0 } else { stats::quantile(values, p) };
    let (samples, spans, parts) = predict_with_spans(&build, bytes, &observed, &phases, question.seed);
    Ok(Explained {
        link: link.name,
        payload_bytes: bytes,
        settings: settings.iter().map(|(name, value)| (name, value.to_string())).collect(),
        phases: explained_phases(&build, &phases),
        n: real.len(),
        explained_share: (1.0 - left_over_ps / mean).max(0.0),
        left_over_ps,
        median_ps: at(&real, 0.5),
        model_median_ps: at(&model, 0.5),
        p95_ps: at(&real, 0.95),
        model_p95_ps: at(&model, 0.95),
        ks: stats::kolmogorov_smirnov(&real, &model, stats::resolution_floor_ps(at(&real, 0.5))),
        stages: stages_between(&samples, &spans, &parts, MIDDLE),
        quantiles: (1..100)
            .map(|percent| f64::from(percent) / 100.0)
            .map(|p| QuantilePair { p, capture_ps: at(&real, p), model_ps: at(&model, p) })
            .collect(),
    })
}

fn explained_phases(build: &dyn Fn() -> Program, phases: &[FittedPhase]) -> Vec<ExplainedPhase> {
    let mut program = build();
    let gates = program.gates();
    let period =
        |name: &str| gates.iter().find(|gate| gate.name() == name).map_or(0, |gate| gate.period().ps());
    phases
        .iter()
        .map(|fitted| {
            let period_ps = period(&fitted.gate);
            ExplainedPhase {
                gate: fitted.gate.clone(),
                period_ps,
                phase_ps: fitted.phase_ps.rem_euclid(period_ps.max(1)),
                drift_ppb: fitted.drift_ppb,
            }
        })
        .collect()
}

/// The mean time per stage of the messages whose latency ranks between two shares.
fn stages_between(samples: &[Sample], spans: &[Span], parts: &[Part], shares: (f64, f64)) -> Vec<StageEntry> {
    let latency = |sample: &Sample| sample.done.map(|done| (done - sample.trigger).ps());
    let mut ranked: Vec<(i64, usize)> =
        samples.iter().enumerate().filter_map(|(i, sample)| latency(sample).map(|ps| (ps, i))).collect();
    ranked.sort_unstable();
    let at = |share: f64| (share * ranked.len() as f64) as usize;
    let chosen = &ranked[at(shares.0)..(at(shares.1) + 1).min(ranked.len())];
    let mut is_chosen = vec![false; samples.len()];
    chosen.iter().for_each(|(_, index)| is_chosen[*index] = true);
    let mut stages: Vec<(&Part, i64)> = Vec::new();
    for span in spans.iter().filter(|span| is_chosen[span.message as usize]) {
        let Some(done) = samples[span.message as usize].done else { continue };
        let spent = (span.end.min(done) - span.start).ps().max(0);
        let part = &parts[span.activity as usize];
        match stages.iter_mut().find(|(known, _)| known.name == part.name) {
            Some((_, ps)) => *ps += spent,
            None => stages.push((part, spent)),
        }
    }
    let mean = |ps: i64| ps / chosen.len().max(1) as i64;
    let stage = |part: &Part| Stage::of_link(part.cause, part.name.as_str());
    stages.into_iter().map(|(part, ps)| StageEntry::new(&stage(part), mean(ps))).collect()
}
