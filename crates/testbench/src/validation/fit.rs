//! Fits the phases and drifts of a model's gates to one capture; never its physics.
//!
//! Messages are sent at the capture's own trigger times. What is minimised is the distance between the latencies of
//! model and capture, block by block over the run, so that a drift cannot hide in the distribution of the whole.

use std::sync::Arc;

use links::stage::Part;
use links::{Program, Sample, Schedule, Simulation};
use sim::Span;
use units::Picoseconds;

use super::observed::Observed;

/// A gate as it was in a capture.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedPhase {
    /// The gate's name.
    pub gate: String,
    /// An opening, from the capture's start.
    pub phase_ps: i64,
    /// Its clock against the analyser's.
    pub drift_ppb: i64,
}

/// Messages that the search looks at: a prime, so that few counts of messages are a round multiple of it.
const SEARCH_MESSAGES: usize = 239;
const BLOCKS: usize = 6;
const PHASES: i64 = 40;
const ROUNDS: usize = 2;
/// Clocks of microcontrollers and analysers differ by less.
const MAX_DRIFT_PPB: i64 = 200_000;
/// Candidates that the search tries per gate, the best of the coherence spectrum and none.
const DRIFTS: usize = 4;

/// Finds the phases and drifts of all gates of a link. `build` makes a fresh program.
pub fn fit_phases(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    seed: u64,
) -> Vec<FittedPhase> {
    let mut program = build();
    let gates: Vec<(String, i64)> =
        program.gates().iter().map(|gate| (gate.name().to_owned(), gate.period().ps())).collect();
    let few = observed.thinned(SEARCH_MESSAGES);
    let cost = |phases: &[FittedPhase]| distance(build, payload_bytes, &few, phases, seed);
    let mut best: Vec<FittedPhase> =
        gates.iter().map(|(gate, _)| FittedPhase { gate: gate.clone(), phase_ps: 0, drift_ppb: 0 }).collect();
    let mut least = f64::INFINITY;
    for round in 0..if gates.len() > 1 { ROUNDS } else { 1 } {
        for (index, (_, period_ps)) in gates.iter().enumerate() {
            let drifts =
                if round == 0 { candidate_drifts(observed, *period_ps) } else { vec![best[index].drift_ppb] };
            for drift_ppb in drifts {
                for step in 0..PHASES {
                    let mut trial = best.clone();
                    trial[index].phase_ps = step * period_ps / PHASES;
                    trial[index].drift_ppb = drift_ppb;
                    let found = cost(&trial);
                    if found < least {
                        (least, best) = (found, trial);
                    }
                }
            }
        }
    }
    refine(&gates, &cost, best, least, observed)
}

/// Halves the steps of phase and drift around the best point. Drift turns the gate around the middle of the run, so
/// that it leaves the phase there as it was.
fn refine(
    gates: &[(String, i64)],
    cost: &dyn Fn(&[FittedPhase]) -> f64,
    mut best: Vec<FittedPhase>,
    mut least: f64,
    observed: &Observed,
) -> Vec<FittedPhase> {
    let first_ps = observed.trigger_ps.first().copied().unwrap_or(0);
    let run_ps = (observed.trigger_ps.last().unwrap_or(&1) - first_ps).max(1);
    let middle_s = (first_ps + run_ps / 2) as f64 / 1e12;
    for (index, (_, period_ps)) in gates.iter().enumerate() {
        let mut phase_step = period_ps / PHASES / 2;
        let mut drift_step = drift_step_ppb(*period_ps, run_ps) / 2.0;
        for _ in 0..12 {
            for (phases, drifts) in [(1, 0.0), (-1, 0.0), (0, 1.0), (0, -1.0)] {
                let mut trial = best.clone();
                let drift_ppb = libm::round(drifts * drift_step);
                trial[index].drift_ppb += drift_ppb as i64;
                // A part per billion is 1000 ps a second.
                let turned_ps = libm::round(drift_ppb * 1000.0 * middle_s) as i64;
                trial[index].phase_ps += phases * phase_step - turned_ps;
                let found = cost(&trial);
                if found < least {
                    (least, best) = (found, trial);
                }
            }
            phase_step = (phase_step / 2).max(1);
            drift_step /= 2.0;
        }
    }
    best
}

/// A quarter of the resolution of a run of this length.
fn drift_step_ppb(period_ps: i64, run_ps: i64) -> f64 {
    ((period_ps as f64 / run_ps as f64) * 1e9 / 4.0).max(50.0)
}

/// Locks the gates of a program.
pub(super) fn lock(program: &mut Program, phases: &[FittedPhase]) {
    for gate in program.gates() {
        if let Some(fitted) = phases.iter().find(|fitted| fitted.gate == gate.name()) {
            gate.lock(Picoseconds::new(fitted.phase_ps), fitted.drift_ppb);
        }
    }
}

/// The latencies that the model gives for the messages of a capture, in their order.
pub(super) fn predict(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    phases: &[FittedPhase],
    seed: u64,
) -> Vec<Option<i64>> {
    let samples = replay(build, payload_bytes, observed, phases, seed, 0).run();
    samples.iter().map(|sample| sample.done.map(|done| (done - sample.trigger).ps())).collect()
}

/// The messages of a capture as the model carries them, with their spans and what these are spent on.
pub(super) fn predict_with_spans(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    phases: &[FittedPhase],
    seed: u64,
) -> (Vec<Sample>, Vec<Span>, Vec<Part>) {
    let mut simulation = replay(build, payload_bytes, observed, phases, seed, u64::MAX);
    let mut samples = Vec::new();
    loop {
        let batch = simulation.next_batch();
        if batch.is_empty() {
            return (samples, simulation.take_spans(), build().parts().to_vec());
        }
        samples.extend(batch);
    }
}

fn replay(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    phases: &[FittedPhase],
    seed: u64,
    spans_of_first: u64,
) -> Simulation {
    let mut program = build();
    lock(&mut program, phases);
    let times: Arc<[Picoseconds]> = observed.trigger_ps.iter().map(|&ps| Picoseconds::new(ps)).collect();
    let count = times.len() as u64;
    let schedule = Schedule::Recorded(times);
    Simulation::new(program, payload_bytes, &schedule, count, seed, "validate", spans_of_first)
}

fn distance(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    phases: &[FittedPhase],
    seed: u64,
) -> f64 {
    let predicted = predict(build, payload_bytes, observed, phases, seed);
    let block = observed.trigger_ps.len().div_ceil(BLOCKS).max(1);
    let blocks = observed.latency_ps.chunks(block).zip(predicted.chunks(block));
    blocks
        .map(|(real, model)| {
            let (real, model) = (sorted(real.iter().flatten()), sorted(model.iter().flatten()));
            if real.is_empty() || model.is_empty() { 0.0 } else { stats::wasserstein_ps(&real, &model) }
        })
        .sum()
}

pub(super) fn sorted<'a>(values: impl Iterator<Item = &'a i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.copied().collect();
    values.sort_unstable();
    values
}

/// Drifts under which the done edges agree best on a phase of the period, and none.
fn candidate_drifts(observed: &Observed, period_ps: i64) -> Vec<i64> {
    let dones: Vec<i64> = observed
        .trigger_ps
        .iter()
        .zip(&observed.latency_ps)
        .filter_map(|(trigger, latency)| latency.map(|latency| trigger + latency))
        .collect();
    let run_ps = dones.last().unwrap_or(&0) - dones.first().unwrap_or(&0);
    if run_ps <= 0 {
        return vec![0];
    }
    let step_ppb = drift_step_ppb(period_ps, run_ps);
    let steps = (MAX_DRIFT_PPB as f64 / step_ppb) as i64;
    let mut spectrum: Vec<(f64, i64)> = (-steps..=steps)
        .map(|step| {
            let drift_ppb = libm::round(step as f64 * step_ppb) as i64;
            (coherence(&dones, period_ps, drift_ppb), drift_ppb)
        })
        .collect();
    spectrum.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.abs().cmp(&b.1.abs())));
    let mut drifts = vec![0];
    for (_, drift_ppb) in spectrum {
        let apart = |other: &i64| (other - drift_ppb).abs() as f64 > 3.0 * step_ppb;
        if drifts.len() <= DRIFTS && drifts.iter().all(apart) {
            drifts.push(drift_ppb);
        }
    }
    drifts
}

/// How well times agree on a phase of a period: 1 is a perfect grid.
fn coherence(times: &[i64], period_ps: i64, drift_ppb: i64) -> f64 {
    let period = period_ps as f64 * (1.0 + drift_ppb as f64 / 1e9);
    let (mut sine, mut cosine) = (0.0, 0.0);
    for &time in times {
        let phase = (time as f64 / period).fract() * std::f64::consts::TAU;
        let (s, c) = libm::sincos(phase);
        sine += s;
        cosine += c;
    }
    libm::hypot(sine, cosine) / times.len().max(1) as f64
}
