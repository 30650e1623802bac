//! Bursts: slow messages that come in groups, as a periodic scan or a busy channel makes them.

use super::finding::{Finding, Kind};
use super::series::Series;

const MIN_MESSAGES: usize = 100;
/// A message is slow when it lies this many interquartile ranges above the upper quartile.
const SLOW_IQRS: f64 = 4.0;
/// Slow messages at most this many triggers apart belong to one burst.
const REACH: f64 = 4.0;
const MIN_BURST: usize = 4;
/// Bursts as large as the largest must be expected this seldom by chance.
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
    let largest = bursts.iter().map(Vec::len).max()?;
    let rate = slow.len() as f64 / n as f64;
    let chance = n as f64 * rate * libm::pow((REACH * rate).min(1.0), (largest - 1) as f64);
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
