//! Captures whose trigger followed a gate of the link itself: the model's triggers are locked to its own gate, and only
//! the offset between the two is fitted, because no steady clock describes the recorded triggers.

use links::{Program, Schedule, Simulation};
use units::Picoseconds;

use super::fit::sorted;
use super::observed::Observed;

const OFFSETS: i64 = 250;
const HALVINGS: i64 = 8;

/// The offset after an opening of `gate` at which a run's triggers rose.
pub(super) fn fit_offset(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    gate: &str,
    seed: u64,
) -> Picoseconds {
    let real = sorted(observed.latency_ps.iter().flatten());
    let cost = |offset: i64| {
        let model = predict_locked(build, payload_bytes, observed, gate, Picoseconds::new(offset), seed);
        stats::wasserstein_ps(&real, &sorted(model.iter().flatten()))
    };
    let mut step = gate_period(build, gate) / OFFSETS;
    let best_of = |candidates: &mut dyn Iterator<Item = i64>| {
        let costs = candidates.map(|offset| (cost(offset), offset));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are candidates").1
    };
    let mut best = best_of(&mut (0..OFFSETS).map(|n| n * step));
    for _ in 0..HALVINGS {
        step = (step / 2).max(1);
        best = best_of(&mut [best, best - step, best + step].into_iter());
    }
    Picoseconds::new(best)
}

/// The latencies of as many messages as the capture has, triggered at an offset after the gate's openings.
pub(super) fn predict_locked(
    build: &dyn Fn() -> Program,
    payload_bytes: u32,
    observed: &Observed,
    gate: &str,
    offset: Picoseconds,
    seed: u64,
) -> Vec<Option<i64>> {
    // The gate decides which opening is next; half a period less than the interval leaves room on both sides.
    let period = Picoseconds::new((observed.interval_ps() - gate_period(build, gate) / 2).max(1));
    let schedule = Schedule::Locked { gate: gate.to_owned(), offset, period };
    let count = observed.trigger_ps.len() as u64;
    let samples = Simulation::new(build(), payload_bytes, &schedule, count, seed, "validate", 0).run();
    samples.iter().map(|sample| sample.done.map(|done| (done - sample.trigger).ps())).collect()
}

fn gate_period(build: &dyn Fn() -> Program, name: &str) -> i64 {
    let mut program = build();
    let gate = program.gates().into_iter().find(|gate| gate.name() == name);
    gate.expect("a rule names a gate that its link has").period().ps()
}
