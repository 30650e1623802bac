//! A tick that the run crosses: the latency creeps with the clocks' difference and falls (or jumps) once by a
//! whole tick, which gives the period that the creep alone cannot.

use super::coverage::median_slope;
use super::drift;
use super::finding::{Finding, Kind};
use super::series::Series;
use crate::quantile::{median, quantile_of};

const MIN_MESSAGES: usize = 100;
/// Each side of the crossing holds at least this share of the run.
const MIN_SIDE: f64 = 0.04;
/// Standard errors that slope and fall must exceed.
const SLOPE_SIGNIFICANCE: f64 = 4.0;
const FALL_SIGNIFICANCE: f64 = 6.0;
/// The fall exceeds the spread on either side by this.
const FALL_OVER_SPREAD: f64 = 1.5;
/// Without creep and fall, what is left changes by no more than this part of the fall.
const MAX_WANDER: f64 = 0.5;
/// Steps tried for the place of the crossing.
const PLACES: usize = 100;
/// How often slope and place are found from each other.
const PASSES: usize = 3;
const MAX_CLOCK_DIFFERENCE: f64 = 300e-6;

/// A crossing of a tick.
#[derive(Debug, Clone, Copy)]
pub(super) struct TickCrossing {
    pub(super) period_ps: f64,
    fall_ps: f64,
    fall_error_ps: f64,
    at_ps: f64,
    pub(super) per_trigger_ps: f64,
    confidence: f64,
}

pub(super) fn find(series: &Series) -> Option<TickCrossing> {
    let n = series.len();
    if !series.regular || n < MIN_MESSAGES {
        return None;
    }
    let steps = series.steps();
    let side = (MIN_SIDE * n as f64) as usize;
    // The fall stands out before the creep is known; the longer side then gives the creep, which places the fall.
    let mut place = sharpest_change(&series.latency_ps, side);
    let (mut slope, mut slope_error) = (0.0, 0.0);
    let mut level = series.latency_ps.clone();
    for _ in 0..PASSES {
        let longer = if place > n / 2 { 0..place } else { place..n };
        let half = longer.len() / 2;
        (slope, slope_error) = median_slope(&steps[longer.clone()], &series.latency_ps[longer], half)?;
        level = steps.iter().zip(&series.latency_ps).map(|(step, latency)| latency - slope * step).collect();
        place = sharpest_change(&level, side);
    }
    let (before, after) = level.split_at(place);
    let change = lower_level(after) - lower_level(before);
    // The two levels lie half a run apart, over which an error of the creep adds up.
    let creep_error = slope_error * n as f64 / 2.0;
    let error = libm::hypot(libm::hypot(level_error(before), level_error(after)), creep_error);
    let width = spread(before).max(spread(after));
    let clear = slope.abs() > SLOPE_SIGNIFICANCE * slope_error
        && change.abs() > FALL_SIGNIFICANCE * error
        && change.abs() > FALL_OVER_SPREAD * width
        && change.abs() > crate::resolution_floor_ps(series.median_ps()) as f64;
    let two_clocks = slope.abs() < MAX_CLOCK_DIFFERENCE * series.mean_interval_ps();
    let rest: Vec<f64> =
        level.iter().enumerate().map(|(i, value)| if i < place { *value } else { value - change }).collect();
    let steady = drift::wander(&rest).is_none_or(|wander| wander < MAX_WANDER * change.abs());
    if slope * change >= 0.0 || !clear || !two_clocks || !steady {
        return None;
    }
    let period_ps = nearest_divisor(series.mean_interval_ps(), change.abs(), 3.0 * error)?;
    Some(TickCrossing {
        period_ps,
        fall_ps: change,
        fall_error_ps: error,
        at_ps: series.trigger_ps[place],
        per_trigger_ps: slope,
        confidence: 1.0 - libm::exp(-change.abs() / (FALL_SIGNIFICANCE * error)),
    })
}

/// The place where the level changes most, at least `side` messages from either end.
fn sharpest_change(level: &[f64], side: usize) -> usize {
    let n = level.len();
    let place = (0..PLACES)
        .map(|k| side + (n - 2 * side) * k / PLACES)
        .max_by(|a, b| contrast(level, *a).total_cmp(&contrast(level, *b)))
        .unwrap_or(n / 2);
    sharpen(level, place, side)
}

/// The interquartile range.
fn spread(values: &[f64]) -> f64 {
    quantile_of(values, 0.75) - quantile_of(values, 0.25)
}

/// Waits for a tick shift the whole distribution, but its lower part is where other delays disturb least.
fn lower_level(values: &[f64]) -> f64 {
    quantile_of(values, 0.25)
}

fn level_error(values: &[f64]) -> f64 {
    let low = quantile_of(values, 0.05);
    let middle = median(values);
    1.5 * (middle - low) / libm::sqrt(values.len() as f64)
}

/// The difference of the lower levels on both sides, weighted as a two-sample test does.
fn contrast(level: &[f64], place: usize) -> f64 {
    let (before, after) = level.split_at(place);
    let weight = libm::sqrt(before.len() as f64 * after.len() as f64) / level.len() as f64;
    (lower_level(after) - lower_level(before)).abs() * weight
}

/// The place that parts the run best into messages near the level before `place` and messages near the one after.
fn sharpen(level: &[f64], place: usize, side: usize) -> usize {
    let (before, after) = (median(&level[..place]), median(&level[place..]));
    let mut misfit = 0.0;
    let mut best = (place, f64::INFINITY);
    for (index, value) in level.iter().enumerate() {
        if index >= side && index < level.len() - side && misfit < best.1 {
            best = (index, misfit);
        }
        misfit += (value - before).abs() - (value - after).abs();
    }
    best.0
}

/// The roundest whole division of the trigger interval within `tolerance` of the fall: creeping over a tick
/// needs a tick that nearly divides the interval.
fn nearest_divisor(interval_ps: f64, fall_ps: f64, tolerance: f64) -> Option<f64> {
    let tolerance = tolerance.max(0.02 * fall_ps);
    let most = libm::floor(interval_ps / (fall_ps - tolerance).max(1.0)) as i64;
    let least = libm::ceil(interval_ps / (fall_ps + tolerance)).max(1.0) as i64;
    let divisors = (least..=most.min(least + 100_000)).map(|parts| interval_ps / parts as f64);
    divisors.min_by(|a, b| {
        let score = |period: f64| (significant_digits(period), libm::fabs(period - fall_ps));
        let ((digits_a, off_a), (digits_b, off_b)) = (score(*a), score(*b));
        digits_a.cmp(&digits_b).then(off_a.total_cmp(&off_b))
    })
}

/// How many digits a period needs to be written within a clock's tolerance: 1 for 10.0004 ms, 2 for 15 ms.
fn significant_digits(period_ps: f64) -> u32 {
    let magnitude = libm::pow(10.0, libm::floor(libm::log10(period_ps * (1.0 + MAX_CLOCK_DIFFERENCE))));
    (1..=6)
        .find(|digits| {
            let unit = magnitude / libm::pow(10.0, f64::from(digits - 1));
            let rounded = libm::round(period_ps / unit) * unit;
            (period_ps / rounded - 1.0).abs() < MAX_CLOCK_DIFFERENCE
        })
        .unwrap_or(7)
}

impl TickCrossing {
    pub(super) fn finding(&self) -> Finding {
        Finding::new(Kind::Gate, self.confidence, Some(self.period_ps))
            .with("crossing_fall_ps", self.fall_ps)
            .with("crossing_fall_error_ps", self.fall_error_ps)
            .with("crossing_at_ps", self.at_ps)
            .with("drift_per_trigger_ps", self.per_trigger_ps)
    }
}
