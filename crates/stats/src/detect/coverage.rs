//! Phase coverage: how much of a gate's phases the triggers of a run visited.
//!
//! A trigger at a steady interval T against a gate of period P visits only P / gcd(T, P) phases, each creeping
//! with the clocks' difference. What the run did not visit it says nothing about, however many samples it has.

use super::drift;
use super::finding::{Finding, Kind};
use super::gate::Gate;
use super::series::Series;
use crate::quantile::{median, quantile_of};

/// Phases that a run may fall into and still be called banded.
const MAX_PHASES: usize = 16;
/// Bins over one gate period for the covered share.
const BINS: usize = 32;
/// A run that covers less than this is warned of.
const GOOD_COVERAGE: f64 = 0.9;
/// Drift between two crystals; a steeper ramp has another cause.
const MAX_CLOCK_DIFFERENCE: f64 = 300e-6;
/// Standard errors that the slope of a ramp must exceed.
const RAMP_SIGNIFICANCE: f64 = 6.0;
/// Gate periods in wide use, in microseconds: candidates for a gate that a run cannot tell.
const COMMON_PERIODS_US: [f64; 16] = [
    625.0, 1_000.0, 1_250.0, 2_500.0, 5_000.0, 7_500.0, 10_000.0, 15_000.0, 20_000.0, 25_000.0, 30_000.0,
    50_000.0, 100_000.0, 102_400.0, 250_000.0, 500_000.0,
];

/// The few phases of a gate that a steady trigger visits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bands {
    /// How many.
    pub(super) phases: usize,
    /// How far each creeps in the whole run.
    pub(super) creep_ps: f64,
}

impl Bands {
    /// The bands of a steady trigger against a gate, or nothing when its phases fill the gate or are not steady.
    pub(super) fn of(series: &Series, period_ps: f64) -> Option<Self> {
        let interval_ps = series.mean_interval_ps();
        if !series.regular || interval_ps <= 0.0 {
            return None;
        }
        let advance = interval_ps / period_ps;
        let n = series.len() as f64;
        (1..=MAX_PHASES).find_map(|phases| {
            let turns = phases as f64 * advance;
            let creep_per_round = (turns - libm::round(turns)).abs();
            let creep = creep_per_round * n / phases as f64;
            let filled = creep * phases as f64;
            (filled < GOOD_COVERAGE).then_some(Self { phases, creep_ps: creep * period_ps })
        })
    }
}

/// What a run covered of a gate.
#[derive(Debug, Clone)]
pub(super) struct Coverage {
    /// The gate, where it is known.
    period_ps: Option<f64>,
    covered_ps: f64,
    share: Option<f64>,
    bands: Option<Bands>,
    /// How the latency creeps from trigger to trigger, where a ramp shows it.
    drift_per_trigger_ps: Option<f64>,
    confidence: f64,
}

impl Coverage {
    pub(super) fn of_gate(series: &Series, gate: &Gate) -> Option<Self> {
        Self::of_period(series, gate.period_ps, gate.coherence_done)
    }

    /// A gate that the user names. Where the triggers are a whole number of its periods apart, the clocks'
    /// difference decides what was covered; a ramp of the latency shows it.
    pub(super) fn of_known_gate(series: &Series, period_ps: f64) -> Option<Self> {
        let ratio = series.mean_interval_ps() / period_ps;
        let near_whole = series.regular && (ratio - libm::round(ratio)).abs() < ratio * MAX_CLOCK_DIFFERENCE;
        if !near_whole {
            return Self::of_period(series, period_ps, 1.0);
        }
        let per_trigger_ps = Ramp::of(series).map_or(0.0, |ramp| ramp.per_trigger_ps);
        Some(Self::of_creep(series, period_ps, per_trigger_ps))
    }

    /// A gate of which the trigger interval is a whole multiple but for a creep from trigger to trigger.
    pub(super) fn of_creep(series: &Series, period_ps: f64, per_trigger_ps: f64) -> Self {
        let triggers = series.steps().last().copied().unwrap_or(0.0);
        let covered_ps = (per_trigger_ps.abs() * triggers).min(period_ps);
        Self {
            period_ps: Some(period_ps),
            covered_ps,
            share: Some(covered_ps / period_ps),
            bands: Some(Bands { phases: 1, creep_ps: covered_ps }),
            drift_per_trigger_ps: Some(per_trigger_ps),
            confidence: 1.0,
        }
    }

    fn of_period(series: &Series, period_ps: f64, confidence: f64) -> Option<Self> {
        if series.len() < 2 {
            return None;
        }
        let mut visited = [false; BINS];
        for trigger in &series.trigger_ps {
            let turns = trigger / period_ps;
            visited[(((turns - libm::floor(turns)) * BINS as f64) as usize).min(BINS - 1)] = true;
        }
        let share = visited.iter().filter(|v| **v).count() as f64 / BINS as f64;
        let bands = Bands::of(series, period_ps);
        let share = match bands {
            Some(bands) => share.min(bands.phases as f64 * (bands.creep_ps / period_ps + 1.0 / BINS as f64)),
            None => share,
        };
        let covered_ps = share * period_ps;
        let period_ps = Some(period_ps);
        Some(Self {
            period_ps,
            covered_ps,
            share: Some(share),
            bands,
            drift_per_trigger_ps: None,
            confidence,
        })
    }

    /// No gate is known, but the latency creeps as it does against a gate that divides the trigger interval.
    pub(super) fn of_ramp(series: &Series) -> Option<Self> {
        let ramp = Ramp::of(series).filter(Ramp::is_two_clocks)?;
        Some(Self {
            period_ps: None,
            covered_ps: ramp.total_ps.abs(),
            share: None,
            bands: Some(Bands { phases: 1, creep_ps: ramp.total_ps.abs() }),
            drift_per_trigger_ps: Some(ramp.per_trigger_ps),
            confidence: ramp.confidence(),
        })
    }

    /// Whether a trend of the latency is this phase creeping.
    pub(super) fn explains_a_ramp(&self) -> bool {
        self.drift_per_trigger_ps.is_some()
    }

    pub(super) fn finding(&self, series: &Series) -> Option<Finding> {
        if self.share.is_some_and(|share| share >= GOOD_COVERAGE) {
            return None;
        }
        let one_phase = self.bands.is_some_and(|bands| bands.phases == 1);
        let kind = if one_phase { Kind::FrozenPhase } else { Kind::PhaseCoverage };
        let interval_ps = series.mean_interval_ps();
        let mut finding = Finding::new(kind, self.confidence, self.period_ps)
            .with("trigger_interval_ps", interval_ps)
            .with("covered_ps", self.covered_ps);
        if let Some(share) = self.share {
            finding = finding.with("covered_share", share);
        }
        if let Some(bands) = self.bands {
            finding = finding.with("phases", bands.phases as f64).with("creep_per_phase_ps", bands.creep_ps);
            if let Some(period_ps) = self.period_ps {
                finding = finding.with("phase_step_ps", period_ps / bands.phases as f64);
            }
        }
        if let Some(drift) = self.drift_per_trigger_ps {
            finding = finding.with("drift_per_trigger_ps", drift);
        }
        if self.period_ps.is_none() {
            finding = finding.with_list("candidate_periods_ps", candidates(interval_ps, self.covered_ps));
        }
        Some(finding)
    }
}

/// Common gate periods that divide the trigger interval and are longer than what the run covered.
fn candidates(interval_ps: f64, covered_ps: f64) -> Vec<f64> {
    let fits = |period_ps: &f64| {
        let ratio = interval_ps / period_ps;
        let whole = libm::round(ratio);
        *period_ps > covered_ps && whole >= 1.0 && (ratio / whole - 1.0).abs() < MAX_CLOCK_DIFFERENCE
    };
    COMMON_PERIODS_US.iter().map(|us| us * 1e6).filter(fits).collect()
}

/// A straight trend of the latency over a run of steady triggers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ramp {
    pub(super) per_trigger_ps: f64,
    /// Standard error of the slope.
    error_ps: f64,
    pub(super) total_ps: f64,
    interval_ps: f64,
    straight: bool,
    floor_ps: f64,
}

impl Ramp {
    /// The trend of a steady run, or nothing when the triggers are not steady or too few.
    pub(super) fn of(series: &Series) -> Option<Self> {
        let steps = series.steps();
        let n = series.len();
        if !series.regular || n < 40 {
            return None;
        }
        let (slope, error_ps) = median_slope(&steps, &series.latency_ps, n / 2)?;
        let half = n / 2;
        let (first, first_error) = median_slope(&steps[..half], &series.latency_ps[..half], half / 2)?;
        let (second, second_error) = median_slope(&steps[half..], &series.latency_ps[half..], half / 2)?;
        let mismatch = (first - second).abs();
        let tolerance = 4.0 * libm::hypot(first_error, second_error) + 0.2 * slope.abs();
        let total_ps = slope * (steps[n - 1] - steps[0]);
        let wander = drift::wander(&without_slope(&steps, &series.latency_ps, slope));
        Some(Self {
            per_trigger_ps: slope,
            error_ps,
            total_ps,
            interval_ps: series.mean_interval_ps(),
            straight: mismatch <= tolerance && wander.is_none_or(|wander| wander < 0.25 * total_ps.abs()),
            floor_ps: crate::resolution_floor_ps(series.median_ps()) as f64,
        })
    }

    /// Whether the trend is what two free-running clocks make: clear, straight, and no steeper than crystals
    /// differ.
    pub(super) fn is_two_clocks(&self) -> bool {
        self.significance() > RAMP_SIGNIFICANCE
            && self.straight
            && self.total_ps.abs() > self.floor_ps
            && self.per_trigger_ps.abs() < MAX_CLOCK_DIFFERENCE * self.interval_ps
    }

    fn significance(&self) -> f64 {
        if self.error_ps > 0.0 { self.per_trigger_ps.abs() / self.error_ps } else { f64::INFINITY }
    }

    fn confidence(&self) -> f64 {
        1.0 - libm::exp(-self.significance() / RAMP_SIGNIFICANCE)
    }
}

fn without_slope(steps: &[f64], latency_ps: &[f64], slope: f64) -> Vec<f64> {
    steps.iter().zip(latency_ps).map(|(step, latency)| latency - slope * step).collect()
}

/// The median of the slopes of all pairs `lag` messages apart, and its standard error: outliers do not move it.
pub(super) fn median_slope(steps: &[f64], latency_ps: &[f64], lag: usize) -> Option<(f64, f64)> {
    if lag == 0 || steps.len() <= lag + 4 {
        return None;
    }
    let pairs = steps.len() - lag;
    let slopes: Vec<f64> = (0..pairs)
        .map(|i| (latency_ps[i + lag] - latency_ps[i]) / (steps[i + lag] - steps[i]).max(1.0))
        .collect();
    let slope = median(&slopes);
    let deviations: Vec<f64> = slopes.iter().map(|s| (s - slope).abs()).collect();
    // The median of n normal values has 1.2533 times the error of their mean; 68 % lie within one sigma.
    let sigma = quantile_of(&deviations, 0.6827);
    Some((slope, 1.2533 * sigma / libm::sqrt(pairs as f64)))
}
