//! Bursts: slow messages that come in groups, as a periodic scan or a busy channel makes them.

use super::finding::{Finding, Kind};
use super::series::Series;

const MIN_MESSAGES: usize = 100;
/// A message is slow when it lies this many interquartile ranges above the upper quartile.
const SLOW_IQRS: f64 = 4.0;
/// Slow messages at most this many triggers apart belong to one burst.
const REACH: f64 = 4.0;
const MIN_BURST: usize = 4;
/// As many bursts as there are, at least as large, must come by chance this seldom.
const MAX_CHANCE: f64 = 1e-4;
/// More slow messages than this share are no exception.
const MAX_SLOW_SHARE: f64 = 0.1;

pub(super) fn find(series: &Series) -> Option<Finding> {
    let n = series.len();
    let floor = crate::resolution_floor_ps(series.median_ps()) as f64;
    let limit = series.quantile_ps(0.75) + (SLOW_IQRS * series.iqr_ps()).max(floor);
    let steps = series.steps();
    let slow: Vec<usize> = (0..n).filter(|i| series.latency_ps[*i] > limit).collect();
    if n < MIN_MESSAGES || slow.is_empty() || slow.len() as f64 > MAX_SLOW_SHARE * n as f64 {
        return None;
    }
    let bursts = group(&slow, &steps);
    let chance = chance_of(&bursts, slow.len(), n);
    let bursts: Vec<&Vec<usize>> = bursts.iter().filter(|burst| burst.len() >= MIN_BURST).collect();
    if bursts.is_empty() || chance > MAX_CHANCE {
        return None;
    }
    let starts: Vec<f64> = bursts.iter().map(|burst| series.trigger_ps[burst[0]]).collect();
    let lengths: Vec<f64> = bursts
        .iter()
        .map(|burst| series.trigger_ps[burst[burst.len() - 1]] - series.trigger_ps[burst[0]])
        .collect();
    let in_bursts: usize = bursts.iter().map(|burst| burst.len()).sum();
    let worst = slow.iter().map(|i| series.latency_ps[*i]).fold(0.0, f64::max);
    let period = common_period(&starts);
    let confidence = 1.0 - libm::sqrt(chance / MAX_CHANCE) * 0.5;
    Some(
        Finding::new(Kind::Bursts, confidence, period)
            .with("bursts", bursts.len() as f64)
            .with("slow_messages", slow.len() as f64)
            .with("slow_in_bursts", in_bursts as f64)
            .with("duration_ps", lengths.iter().copied().fold(0.0, f64::max))
            .with("worst_ps", worst)
            .with_list("starts_ps", starts)
            .with_list("durations_ps", lengths),
    )
}

/// How likely slow messages that come independently of each other make such bursts: of the largest alone, of the two largest, and so
/// on, whichever is the least likely.
fn chance_of(bursts: &[Vec<usize>], slow: usize, n: usize) -> f64 {
    let mut lengths: Vec<usize> = bursts.iter().map(Vec::len).filter(|length| *length >= MIN_BURST).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let follows = (REACH * slow as f64 / n as f64).min(1.0);
    let mut chance = 1.0_f64;
    // The terms of a Poisson distribution: with m bursts of a length or more where e are expected, e^m / m!.
    for (before, length) in lengths.iter().enumerate() {
        let expected = slow as f64 * libm::pow(follows, (length - 1) as f64);
        let term = |product: f64, one: usize| product * expected / one as f64;
        chance = chance.min((1..=before + 1).fold(1.0, term));
    }
    // Each number of bursts was one try.
    chance * lengths.len() as f64
}

/// Runs of slow messages no more than [`REACH`] triggers apart.
fn group(slow: &[usize], steps: &[f64]) -> Vec<Vec<usize>> {
    let mut bursts: Vec<Vec<usize>> = Vec::new();
    for &index in slow {
        match bursts.last_mut() {
            Some(burst) if steps[index] - steps[burst[burst.len() - 1]] <= REACH => burst.push(index),
            _ => bursts.push(vec![index]),
        }
    }
    bursts
}

/// The distance of which all distances between bursts are whole multiples (within 2 %), from three bursts on.
fn common_period(starts: &[f64]) -> Option<f64> {
    let distances: Vec<f64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if distances.len() < 2 {
        return None;
    }
    let shortest = distances.iter().copied().fold(f64::MAX, f64::min);
    let counts: Vec<f64> = distances.iter().map(|d| libm::round(d / shortest)).collect();
    let period = distances.iter().sum::<f64>() / counts.iter().sum::<f64>();
    let fits = distances.iter().zip(&counts).all(|(d, count)| (d - count * period).abs() < 0.02 * period);
    fits.then_some(period)
}
