//! Drift: the typical latency of a stretch of the run differs from that of others by more than chance.

use super::finding::{Finding, Kind};
use super::series::Series;
use crate::quantile::median;

const MIN_MESSAGES: usize = 100;
const BLOCKS: usize = 20;
/// The Kruskal-Wallis statistic must exceed its mean by this many of its standard deviations.
const SIGNIFICANCE: f64 = 12.0;
/// The block medians must range over this part of the interquartile range.
const MIN_EFFECT: f64 = 0.35;

pub(super) fn find(series: &Series) -> Option<Finding> {
    let n = series.len();
    let (excess, medians) = excess_between_blocks(&series.latency_ps)?;
    let range = range(&medians);
    let floor = crate::resolution_floor_ps(series.median_ps()) as f64;
    if excess < SIGNIFICANCE || range < MIN_EFFECT * series.iqr_ps() || range < floor {
        return None;
    }
    let span_s = (series.trigger_ps[n - 1] - series.trigger_ps[0]) / 1e12;
    Some(
        Finding::new(Kind::Drift, 1.0 - libm::exp(-excess / SIGNIFICANCE), None)
            .with("range_ps", range)
            .with("first_ps", medians[0])
            .with("last_ps", medians[BLOCKS - 1])
            .with("slope_ps_per_s", (medians[BLOCKS - 1] - medians[0]) / span_s.max(1e-9))
            .with("span_s", span_s)
            .with_list("block_medians_ps", medians),
    )
}

/// By how much the level of a series changes from stretch to stretch, where that is more than chance.
pub(super) fn wander(values: &[f64]) -> Option<f64> {
    let (excess, medians) = excess_between_blocks(values)?;
    (excess > SIGNIFICANCE).then(|| range(&medians))
}

/// The Kruskal-Wallis statistic of equal blocks of the run, in standard deviations above its mean, and the
/// blocks' medians.
fn excess_between_blocks(values: &[f64]) -> Option<(f64, Vec<f64>)> {
    let n = values.len();
    if n < MIN_MESSAGES {
        return None;
    }
    let blocks: Vec<&[f64]> = (0..BLOCKS).map(|k| &values[n * k / BLOCKS..n * (k + 1) / BLOCKS]).collect();
    let freedom = (BLOCKS - 1) as f64;
    let excess = (kruskal_wallis(&blocks) - freedom) / libm::sqrt(2.0 * freedom);
    Some((excess, blocks.iter().map(|block| median(block)).collect()))
}

fn range(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min)
}

/// The Kruskal-Wallis H of groups of samples, ties at their mean rank.
fn kruskal_wallis(groups: &[&[f64]]) -> f64 {
    let mut all: Vec<(f64, usize)> =
        groups.iter().enumerate().flat_map(|(g, values)| values.iter().map(move |v| (*v, g))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n = all.len() as f64;
    let mut rank_sums = vec![0.0; groups.len()];
    let mut tie_term = 0.0;
    let mut start = 0;
    while start < all.len() {
        let end = start + all[start..].partition_point(|(v, _)| *v == all[start].0);
        let ties = (end - start) as f64;
        for (_, group) in &all[start..end] {
            rank_sums[*group] += (start + end + 1) as f64 / 2.0;
        }
        tie_term += ties * ties * ties - ties;
        start = end;
    }
    let spread: f64 =
        rank_sums.iter().zip(groups).map(|(sum, group)| sum * sum / group.len().max(1) as f64).sum();
    let h = 12.0 / (n * (n + 1.0)) * spread - 3.0 * (n + 1.0);
    let correction = 1.0 - tie_term / (n * n * n - n);
    if correction > 1e-9 { h / correction } else { 0.0 }
}
