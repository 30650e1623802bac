//! Which phases of a model's gates the triggers of a capture met, and how often.

use links::Program;
use units::Picoseconds;

use super::fit::{FittedPhase, lock, sorted};
use super::observed::Observed;

const BINS: usize = 32;
/// Of fewer messages a bin, chance alone makes the counts uneven.
const LEAST_A_BIN: usize = 8;
/// So many quantiles stand for the messages of a bin.
const QUANTILES: usize = 64;

/// For each gate the bin of the wait that each trigger met there, a share of the gate's period.
pub(super) struct Waits {
    gates: Vec<(i64, Vec<usize>)>,
}

impl Waits {
    /// The gates of a program with these phases.
    pub(super) fn of(build: &dyn Fn() -> Program, observed: &Observed, phases: &[FittedPhase]) -> Self {
        let mut program = build();
        lock(&mut program, phases);
        let bins = |gate: &links::stage::GateClock| {
            let bin = |&trigger: &i64| {
                let now = Picoseconds::new(trigger);
                let wait = (gate.next(now) - now).ps() as f64 / gate.period().ps() as f64;
                ((wait * BINS as f64) as usize).min(BINS - 1)
            };
            (gate.period().ps(), observed.trigger_ps.iter().map(bin).collect())
        };
        Self { gates: program.gates().into_iter().map(|gate| bins(gate)).collect() }
    }

    /// The smallest share of any gate's phases that triggers met.
    pub(super) fn coverage(&self) -> f64 {
        let share = |bins: &[usize]| {
            let mut met = [false; BINS];
            bins.iter().for_each(|&bin| met[bin] = true);
            met.iter().filter(|met| **met).count() as f64 / BINS as f64
        };
        self.gates.iter().map(|(_, bins)| share(bins)).fold(1.0, f64::min)
    }

    /// The latencies as if every phase of the longest gate had been met equally often: a sweep that ends within a round, or
    /// whose rate changes, meets some of them more often than others, and a user who knows no phase does not.
    pub(super) fn evened(&self, observed: &Observed) -> Vec<i64> {
        let real = observed.latencies_ps();
        let longest = self.gates.iter().max_by_key(|(period_ps, _)| *period_ps);
        let Some((_, bins)) = longest.filter(|_| real.len() >= BINS * LEAST_A_BIN) else { return real };
        let mut by_bin = vec![Vec::new(); BINS];
        for (bin, latency) in bins.iter().zip(&observed.latency_ps) {
            by_bin[*bin].extend(latency);
        }
        let shares = (0..QUANTILES).map(|n| (n as f64 + 0.5) / QUANTILES as f64);
        let of_bin = |latencies: Vec<i64>| {
            let latencies = sorted(latencies.iter());
            shares.clone().map(move |share| stats::quantile(&latencies, share) as i64)
        };
        by_bin.into_iter().filter(|latencies| !latencies.is_empty()).flat_map(of_bin).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::fit::predict;

    #[test]
    fn phases_that_were_met_more_often_count_no_more_than_others() {
        let link = links::find("nrf52840-ble").unwrap();
        let build = || link.program(&link.settings_with([("direction", "notify")]).unwrap()).unwrap();
        let period_ps = build().gates()[0].period().ps();
        let phases = [FittedPhase { gate: build().gates()[0].name().to_owned(), phase_ps: 0, drift_ppb: 0 }];
        // Three of four triggers come in the second half of the interval.
        let met = |n: i64| if n % 4 == 0 { n % 500 } else { 500 + n % 500 };
        let trigger_ps = (1..=2_000).map(|n| n * 20 * period_ps + met(n) * period_ps / 1_000).collect();
        let mut observed = Observed { trigger_ps, latency_ps: Vec::new() };
        observed.latency_ps = predict(&build, 12, &observed, &phases, 1);
        let waits = Waits::of(&build, &observed, &phases);
        assert!(waits.coverage() > 0.99, "{}", waits.coverage());
        let mean =
            |values: &[i64]| values.iter().sum::<i64>() as f64 / values.len() as f64 / period_ps as f64;
        let (uneven, even) = (mean(&observed.latencies_ps()), mean(&waits.evened(&observed)));
        // 1/4 of the messages wait for 3/4 of the interval and 3/4 of them for 1/4; twice 3/4 of what the host's 1.2 ms make
        // miss their event come an interval later, and once where phases count alike: 0.5 + 0.039 - (0.375 + 0.059).
        assert!((even - uneven - 0.105).abs() < 0.005, "{even} {uneven}");
    }
}
