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
/// Messages that its end looks at.
const REFINE_MESSAGES: usize = 1000;
const BLOCKS: usize = 6;
const PHASES: i64 = 40;
/// Of the first gate, where two are tried together.
const PAIRED_PHASES: i64 = 10;
const ROUNDS: usize = 2;
/// Clocks of microcontrollers and analysers differ by less.
const MAX_DRIFT_PPB: i64 = 200_000;
/// Candidates that the search tries per gate, the best of the coherence spectrum and none.
const DRIFTS: usize = 4;

/// Runs by which two fits are compared: what is lost at random differs from run to run.
const COMPARED_RUNS: u64 = 8;
/// From this coherence on, the done edges themselves tell the drift of the gate of the longest period.
const TELLING_COHERENCE: f64 = 0.4;

/// Steps towards the peak of the coherence.
const CLIMBS: usize = 40;

/// How far a model with these phases is from the capture. Only a distance below the bound is told truly: most phases
/// that a search tries are worse than the best from the first blocks on, and these cost no more than that.
type Cost<'a> = dyn Fn(&[FittedPhase], f64) -> f64 + 'a;

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
    let many = observed.thinned(REFINE_MESSAGES);
    let coarse =
        |phases: &[FittedPhase], least| distance_below(least, build, payload_bytes, &few, phases, seed);
    let fine =
        |phases: &[FittedPhase], least| distance_below(least, build, payload_bytes, &many, phases, seed);
    let fit = |told: Option<(usize, i64)>| {
        let found = search(&gates, &coarse, observed, told);
        let found = refine(&gates, &fine, found, observed, told.map(|(gate, _)| gate));
        let runs = 1..=COMPARED_RUNS;
        let compared = runs.map(|run| {
            let seed = seed.wrapping_add(run);
            distance_below(f64::INFINITY, build, payload_bytes, observed, &found, seed)
        });
        (compared.sum::<f64>(), found)
    };
    let (distance, phases) = fit(None);
    match told_drift(&gates, observed).map(|told| fit(Some(told))) {
        Some((nearer, told)) if nearer < distance => told,
        _ => phases,
    }
}

/// Tries phases of all gates; `told` is a gate whose drift is known. Gates before it start without drift, as what the
/// done edges keep to is the later gate.
fn search(
    gates: &[(String, i64)],
    cost: &Cost<'_>,
    observed: &Observed,
    told: Option<(usize, i64)>,
) -> Vec<FittedPhase> {
    let drifts_of = |index: usize| match told {
        Some((gate, drift_ppb)) if gate == index => vec![drift_ppb],
        Some((gate, _)) if index < gate => vec![0],
        _ => candidate_drifts(observed, gates[index].1),
    };
    let mut best: Vec<FittedPhase> =
        gates.iter().map(|(gate, _)| FittedPhase { gate: gate.clone(), phase_ps: 0, drift_ppb: 0 }).collect();
    let mut least = f64::INFINITY;
    if told.is_some() && gates.len() > 1 {
        (least, best) = pair_up(gates, cost, best, &drifts_of(1));
    }
    for round in 0..if gates.len() > 1 { ROUNDS } else { 1 } {
        for (index, (_, period_ps)) in gates.iter().enumerate() {
            let drifts = if round == 0 { drifts_of(index) } else { vec![best[index].drift_ppb] };
            for drift_ppb in drifts {
                for step in 0..PHASES {
                    let mut trial = best.clone();
                    trial[index].phase_ps = step * period_ps / PHASES;
                    trial[index].drift_ppb = drift_ppb;
                    let found = cost(&trial, least);
                    if found < least {
                        (least, best) = (found, trial);
                    }
                }
            }
        }
    }
    best
}

/// The drift of the gate of the longest period, where the done edges keep to it.
fn told_drift(gates: &[(String, i64)], observed: &Observed) -> Option<(usize, i64)> {
    let (index, (_, period_ps)) = gates.iter().enumerate().max_by_key(|(_, (_, period_ps))| *period_ps)?;
    let dones = done_edges(observed);
    let height = |drift_ppb: i64| coherence(&dones, *period_ps, drift_ppb);
    let step_ppb = drift_step_ppb(*period_ps, run_of(&dones));
    candidate_drifts(observed, *period_ps)
        .into_iter()
        .map(|drift_ppb| climb(drift_ppb, step_ppb, height))
        .map(|drift_ppb| (height(drift_ppb), drift_ppb))
        .filter(|(height, _)| *height >= TELLING_COHERENCE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, drift_ppb)| (index, drift_ppb))
}

/// Phases of the first two gates, tried together: each hides what the other one does.
fn pair_up(
    gates: &[(String, i64)],
    cost: &Cost<'_>,
    mut best: Vec<FittedPhase>,
    drifts: &[i64],
) -> (f64, Vec<FittedPhase>) {
    let mut least = f64::INFINITY;
    let start = best.clone();
    for &drift_ppb in drifts {
        for first in 0..PAIRED_PHASES {
            for second in 0..PHASES {
                let mut trial = start.clone();
                trial[0].phase_ps = first * gates[0].1 / PAIRED_PHASES;
                trial[1].phase_ps = second * gates[1].1 / PHASES;
                trial[1].drift_ppb = drift_ppb;
                let found = cost(&trial, least);
                if found < least {
                    (least, best) = (found, trial);
                }
            }
        }
    }
    (least, best)
}

/// Halves the steps of phase and drift around the best point, gate by gate, and once more for what the later gates
/// have moved. Drift turns the gate around the middle of the run, so that it leaves the phase there as it was.
fn refine(
    gates: &[(String, i64)],
    cost: &Cost<'_>,
    mut best: Vec<FittedPhase>,
    observed: &Observed,
    told: Option<usize>,
) -> Vec<FittedPhase> {
    let mut least = cost(&best, f64::INFINITY);
    let first_ps = observed.trigger_ps.first().copied().unwrap_or(0);
    let run_ps = (observed.trigger_ps.last().unwrap_or(&1) - first_ps).max(1);
    let middle_s = (first_ps + run_ps / 2) as f64 / 1e12;
    let twice = gates.iter().enumerate().chain(gates.iter().enumerate());
    for (index, (_, period_ps)) in twice {
        let mut phase_step = period_ps / PHASES / 2;
        let mut drift_step = drift_step_ppb(*period_ps, run_ps) / 2.0;
        // A run that no clock drifts in visibly tells nothing of drift.
        let too_short = drift_step > MAX_DRIFT_PPB as f64;
        for _ in 0..12 {
            let around = [(1, 0.0), (-1, 0.0), (0, 1.0), (0, -1.0)];
            let directions = if told == Some(index) || too_short { 2 } else { around.len() };
            for (phases, drifts) in around.into_iter().take(directions) {
                let mut trial = best.clone();
                let drift_ppb = libm::round(drifts * drift_step);
                trial[index].drift_ppb += drift_ppb as i64;
                // A part per billion is 1000 ps a second.
                let turned_ps = libm::round(drift_ppb * 1000.0 * middle_s) as i64;
                trial[index].phase_ps += phases * phase_step - turned_ps;
                let found = cost(&trial, least);
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
    samples.iter().map(latency_ps).collect()
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

/// The distance from the capture, block by block; or one that is not below `bound`, once it cannot be.
fn distance_below(
    bound: f64,
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    phases: &[FittedPhase],
    seed: u64,
) -> f64 {
    let block = observed.trigger_ps.len().div_ceil(BLOCKS).max(1);
    let mut simulation = replay(build, payload_bytes, observed, phases, seed, 0).in_batches_of(block);
    let mut model: Vec<Option<i64>> = Vec::with_capacity(observed.latency_ps.len());
    let mut sum = 0.0;
    for (index, real) in observed.latency_ps.chunks(block).enumerate() {
        let (start, end) = (index * block, index * block + real.len());
        while model.len() < end {
            let batch = simulation.next_batch();
            if batch.is_empty() {
                break;
            }
            model.extend(batch.iter().map(latency_ps));
        }
        sum += apart(real, &model[start.min(model.len())..end.min(model.len())]);
        if sum >= bound {
            break;
        }
    }
    sum
}

/// The distance between what was seen and what the model says, of the messages of one block that arrived.
fn apart(real: &[Option<i64>], model: &[Option<i64>]) -> f64 {
    let (real, model) = (sorted(real.iter().flatten()), sorted(model.iter().flatten()));
    if real.is_empty() || model.is_empty() { 0.0 } else { stats::wasserstein_ps(&real, &model) }
}

fn latency_ps(sample: &Sample) -> Option<i64> {
    sample.done.map(|done| (done - sample.trigger).ps())
}

pub(super) fn sorted<'a>(values: impl Iterator<Item = &'a i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.copied().collect();
    values.sort_unstable();
    values
}

/// Drifts under which the done edges agree best on a phase of the period, and none.
fn candidate_drifts(observed: &Observed, period_ps: i64) -> Vec<i64> {
    let dones = done_edges(observed);
    if dones.len() < 2 {
        return vec![0];
    }
    let run_ps = run_of(&dones);
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

/// The drift of a peak: up by steps that are halved where they lead no further.
fn climb(mut drift_ppb: i64, step_ppb: f64, height: impl Fn(i64) -> f64) -> i64 {
    let mut highest = height(drift_ppb);
    let mut step = step_ppb as i64 / 2;
    for _ in 0..CLIMBS {
        let better = [drift_ppb - step, drift_ppb + step]
            .map(|trial| (height(trial), trial))
            .into_iter()
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(found, _)| *found > highest);
        match better {
            Some(higher) => (highest, drift_ppb) = higher,
            None if step > 1 => step /= 2,
            None => break,
        }
    }
    drift_ppb
}

fn run_of(times: &[i64]) -> i64 {
    (times.last().unwrap_or(&1) - times.first().unwrap_or(&0)).max(1)
}

fn done_edges(observed: &Observed) -> Vec<i64> {
    let messages = observed.trigger_ps.iter().zip(&observed.latency_ps);
    messages.filter_map(|(trigger, latency)| latency.map(|latency| trigger + latency)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL_DRIFT_PPB: i64 = 41_000;

    fn nimble() -> Program {
        let link = links::find("esp32-nimble-ble").unwrap();
        link.program(&link.settings_with([("connection_interval", "30 ms")]).unwrap()).unwrap()
    }

    /// A thousand messages 200 ms apart, of which a model with these phases made the latencies.
    fn run_with(phases: &[FittedPhase]) -> Observed {
        let mut observed = Observed {
            trigger_ps: (0..1000).map(|n| 1_000_000_000_000 + n * 199_999_400_000).collect(),
            latency_ps: Vec::new(),
        };
        observed.latency_ps = predict(&nimble, 12, &observed, phases, 77);
        observed
    }

    #[test]
    fn the_phases_of_a_tick_and_of_connection_events_are_found_together() {
        let gate =
            |gate: &str, phase_ps, drift_ppb| FittedPhase { gate: gate.to_owned(), phase_ps, drift_ppb };
        for tick_phase_ps in [1_300_000_000, 4_700_000_000, 8_100_000_000] {
            let real = [
                gate("tick", tick_phase_ps, 2_000),
                gate("connection interval", 17_000_000_000, INTERVAL_DRIFT_PPB),
            ];
            let observed = run_with(&real);
            let found = fit_phases(&nimble, 12, &observed, 1);
            let latency = sorted(observed.latency_ps.iter().flatten());
            let model: Vec<i64> =
                (2..7).flat_map(|seed| predict(&nimble, 12, &observed, &found, seed)).flatten().collect();
            let apart = stats::kolmogorov_smirnov(&latency, &sorted(model.iter()), 1_000_000);
            assert!(apart < 0.06, "{tick_phase_ps}: {apart} {found:?}");
            assert!((found[1].drift_ppb - INTERVAL_DRIFT_PPB).abs() < 5_000, "{found:?}");
        }
    }
}
