//! Confidence intervals of quantiles by the moving-block bootstrap (Künsch 1989), which keeps the dependence
//! of neighbouring samples: on a drifting phase a thousand messages may be worth no more than a few.

use crate::quantile::position;
use crate::random::Random;

/// Resamples at most, and at least when there are very many samples.
const MAX_RESAMPLES: usize = 1000;
const MIN_RESAMPLES: usize = 200;
/// Samples drawn in all, which bounds the time.
const DRAW_BUDGET: usize = 50_000_000;
/// Autocorrelations below this count as none.
const NEGLIGIBLE_CORRELATION: f64 = 0.05;
/// Products formed at most for the autocorrelation.
const CORRELATION_BUDGET: usize = 20_000_000;

/// How dependent samples in time order are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dependence {
    /// How many independent samples the series is worth.
    pub effective_n: f64,
    /// The length of the blocks that the bootstrap draws, in samples.
    pub block_length: usize,
}

impl Dependence {
    /// Measures a series in time order by the autocorrelation of its ranks, which outliers cannot distort.
    pub fn of(series: &[i64]) -> Self {
        let n = series.len();
        let correlation_time = integrated_correlation_time(&centred_ranks(series));
        let effective_n = (n as f64 / correlation_time).clamp(1.0f64.min(n as f64), n as f64);
        let shortest = libm::ceil(libm::cbrt(n as f64)) as usize;
        let wanted = libm::ceil(2.0 * correlation_time) as usize;
        Self { effective_n, block_length: wanted.max(shortest).clamp(1, n.div_ceil(4).max(1)) }
    }
}

/// Intervals of several quantiles of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// Lower and upper end of each interval, in picoseconds.
    pub bounds_ps: Vec<(f64, f64)>,
    /// The dependence that the intervals allow for.
    pub dependence: Dependence,
    /// The confidence of each interval, 0.95.
    pub confidence: f64,
}

/// 95 % intervals of the `quantiles` of a series in time order; nothing for fewer than 8 samples.
pub fn intervals(series: &[i64], quantiles: &[f64], seed: u64) -> Option<Intervals> {
    if series.len() < 8 {
        return None;
    }
    let dependence = Dependence::of(series);
    let mut draws = resampled_quantiles(series, quantiles, dependence.block_length, seed);
    let bounds_ps = draws.iter_mut().map(|draws| central_95_percent(draws)).collect();
    Some(Intervals { bounds_ps, dependence, confidence: 0.95 })
}

/// The 2.5 % and 97.5 % quantiles of draws in any order.
pub(crate) fn central_95_percent(draws: &mut [f64]) -> (f64, f64) {
    draws.sort_by(f64::total_cmp);
    let at = |p: f64| {
        let (low, fraction) = position(draws.len(), p);
        let above = draws[(low + 1).min(draws.len() - 1)];
        draws[low] + fraction * (above - draws[low])
    };
    (at(0.025), at(0.975))
}

/// For each quantile its value in every resample.
pub(crate) fn resampled_quantiles(
    series: &[i64],
    quantiles: &[f64],
    block_length: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let n = series.len();
    let resamples = (DRAW_BUDGET / n).clamp(MIN_RESAMPLES, MAX_RESAMPLES);
    let (sorted, rank_of) = ranks(series);
    let mut random = Random::new(seed);
    let mut counts = vec![0u32; n];
    let mut draws = vec![Vec::with_capacity(resamples); quantiles.len()];
    for _ in 0..resamples {
        counts.fill(0);
        let mut drawn = 0;
        while drawn < n {
            let start = random.below(n - block_length + 1);
            let length = block_length.min(n - drawn);
            for rank in &rank_of[start..start + length] {
                counts[*rank as usize] += 1;
            }
            drawn += length;
        }
        for (draws, p) in draws.iter_mut().zip(quantiles) {
            draws.push(counted_quantile(&sorted, &counts, *p));
        }
    }
    draws
}

/// The quantile of the multiset that has `counts[i]` times `sorted[i]`.
fn counted_quantile(sorted: &[i64], counts: &[u32], p: f64) -> f64 {
    let (low, fraction) = position(sorted.len(), p);
    let mut seen = 0;
    let mut below = None;
    for (value, count) in sorted.iter().zip(counts) {
        seen += *count as usize;
        if below.is_none() && seen > low {
            below = Some(*value as f64);
        }
        if let Some(below) = below
            && (seen > low + 1 || fraction == 0.0)
        {
            return below + fraction * (*value as f64 - below);
        }
    }
    below.expect("the counts add up to the number of values")
}

/// The values in ascending order, and for each sample its place among them.
fn ranks(series: &[i64]) -> (Vec<i64>, Vec<u32>) {
    let mut order: Vec<u32> = (0..series.len() as u32).collect();
    order.sort_by_key(|i| series[*i as usize]);
    let mut rank_of = vec![0u32; series.len()];
    for (rank, i) in order.iter().enumerate() {
        rank_of[*i as usize] = rank as u32;
    }
    (order.iter().map(|i| series[*i as usize]).collect(), rank_of)
}

/// Ranks with ties at their mean rank, shifted to mean 0.
fn centred_ranks(series: &[i64]) -> Vec<f64> {
    let (sorted, rank_of) = ranks(series);
    let mut shared = vec![0.0; sorted.len()];
    let mut start = 0;
    while start < sorted.len() {
        let end = start + sorted[start..].partition_point(|v| *v == sorted[start]);
        shared[start..end].fill((start + end - 1) as f64 / 2.0);
        start = end;
    }
    let mean = (sorted.len().max(1) - 1) as f64 / 2.0;
    rank_of.iter().map(|rank| shared[*rank as usize] - mean).collect()
}

/// 1 + 2 · the sum of autocorrelations up to the first negligible one.
fn integrated_correlation_time(centred: &[f64]) -> f64 {
    let n = centred.len();
    let variance: f64 = centred.iter().map(|v| v * v).sum();
    if variance == 0.0 || n < 3 {
        return 1.0;
    }
    let longest = (n / 2).min(CORRELATION_BUDGET / n).max(1);
    let mut time = 1.0;
    for lag in 1..=longest {
        let product: f64 = centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum();
        let correlation = product / variance;
        if correlation < NEGLIGIBLE_CORRELATION {
            break;
        }
        time += 2.0 * correlation;
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal_series(n: usize, seed: u64) -> Vec<i64> {
        let mut random = Random::new(seed);
        (0..n).map(|_| (1e6 * random.normal()) as i64).collect()
    }

    #[test]
    fn independent_samples_are_worth_their_number() {
        let dependence = Dependence::of(&normal_series(1000, 1));
        assert!(dependence.effective_n > 850.0, "{dependence:?}");
    }

    #[test]
    fn a_slow_ramp_is_worth_a_handful_of_samples() {
        let ramp: Vec<i64> = (0..1000).collect();
        assert!(Dependence::of(&ramp).effective_n < 10.0);
    }

    #[test]
    fn a_constant_series_is_worth_its_number_and_has_no_width() {
        let intervals = intervals(&[5; 100], &[0.5], 1).unwrap();
        assert_eq!(intervals.bounds_ps, [(5.0, 5.0)]);
        assert_eq!(intervals.dependence.effective_n, 100.0);
    }

    #[test]
    fn the_median_interval_covers_the_truth_about_95_times_in_100() {
        let covered = (0..200)
            .filter(|seed| {
                let intervals = intervals(&normal_series(300, *seed), &[0.5], 7).unwrap();
                intervals.bounds_ps[0].0 <= 0.0 && intervals.bounds_ps[0].1 >= 0.0
            })
            .count();
        assert!((175..=200).contains(&covered), "covered {covered} of 200");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_seed_another() {
        let series = normal_series(200, 3);
        let draws = |seed| resampled_quantiles(&series, &[0.5, 0.75], 6, seed);
        assert_eq!(draws(5), draws(5));
        assert_ne!(draws(5), draws(6));
    }

    #[test]
    fn a_handful_of_samples_has_no_interval() {
        assert_eq!(intervals(&[1, 2, 3], &[0.5], 1), None);
    }
}
