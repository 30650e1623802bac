//! Links with known answers, made from their cause and not from what a detector looks for.

use stats::Random;
use stats::detect::{Finding, Kind, Series, Settings, detect};

pub(crate) const MS: f64 = 1e9;
pub(crate) const US: f64 = 1e6;

/// Messages sent at given times, each with the latency that a rule gives it.
pub(crate) struct Run {
    pub(crate) trigger_ps: Vec<i64>,
    pub(crate) latency_ps: Vec<i64>,
}

impl Run {
    /// `n` triggers every `interval_ps`; `latency` gives each its latency from its time.
    pub(crate) fn steady(n: usize, interval_ps: f64, mut latency: impl FnMut(usize, f64) -> f64) -> Self {
        Self::at((0..n).map(|k| k as f64 * interval_ps), &mut latency)
    }

    /// Triggers at any times.
    pub(crate) fn at(times: impl Iterator<Item = f64>, latency: &mut impl FnMut(usize, f64) -> f64) -> Self {
        // A logic analyser at 100 MS/s sees multiples of 10 ns.
        let seen = |ps: f64| (ps / 10_000.0).round() as i64 * 10_000;
        let (mut trigger_ps, mut latency_ps) = (Vec::new(), Vec::new());
        for (k, time) in times.enumerate() {
            trigger_ps.push(seen(time));
            latency_ps.push(seen(latency(k, time)));
        }
        Self { trigger_ps, latency_ps }
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.findings_with(Settings::default())
    }

    pub(crate) fn findings_with(&self, settings: Settings) -> Vec<Finding> {
        detect(&Series::new(&self.trigger_ps, &self.latency_ps, &self.trigger_ps), settings)
    }

    pub(crate) fn finding(&self, kind: Kind) -> Option<Finding> {
        self.findings().into_iter().find(|finding| finding.kind == kind)
    }
}

/// The wait from `time` to the next opening of a gate whose first one is at `phase`.
pub(crate) fn wait_for_gate(time: f64, period: f64, phase: f64) -> f64 {
    (phase - time).rem_euclid(period)
}

pub(crate) fn period_ms(finding: &Finding) -> f64 {
    finding.period_ps.expect("the finding names a period") as f64 / MS
}

pub(crate) fn random(seed: u64) -> Random {
    Random::new(seed)
}
