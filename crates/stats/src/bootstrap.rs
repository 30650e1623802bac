//! Confidence intervals of quantiles by the moving-block bootstrap (Künsch 1989), which keeps the dependence
//! of neighbouring samples: on a drifting phase a thousand messages may be worth no more than a few. Of few blocks the percentiles
//! of resamples alone are too narrow, so that they are taken further out, as Student's distribution is wider than the normal one.

use crate::quantile::position;
use crate::random::Random;

/// Resamples at most, and at least when there are very many samples.
const MAX_RESAMPLES: usize = 1000;
const MIN_RESAMPLES: usize = 200;
/// Samples drawn in all, which bounds the time.
const DRAW_BUDGET: usize = 50_000_000;
/// How far around a quantile resamples are looked at first, in the largest standard deviations that its rank can have.
const WINDOW_DEVIATIONS: f64 = 6.0;
/// Autocorrelations below this count as none.
const NEGLIGIBLE_CORRELATION: f64 = 0.05;
/// Products formed at most for the autocorrelation.
const CORRELATION_BUDGET: usize = 20_000_000;
/// By the number of blocks b, how many standard deviations the ends of an interval lie out: the 97.5 % quantile of Student's
/// distribution of b - 1 degrees of freedom, by the square root of b / (b - 1), since resamples are that much too narrow
/// (Hesterberg, "What Teachers Should Know about the Bootstrap", The American Statistician 69, 2015: the expanded percentile interval).
const REACHES: [(f64, f64); 12] = [
    (2.0, 17.97),
    (3.0, 5.27),
    (4.0, 3.675),
    (5.0, 3.104),
    (6.0, 2.816),
    (8.0, 2.528),
    (10.0, 2.384),
    (15.0, 2.22),
    (20.0, 2.147),
    (30.0, 2.08),
    (60.0, 2.018),
    (f64::INFINITY, 1.96),
];

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

    /// How many blocks a series of `n` samples is made of.
    pub(crate) fn blocks(&self, n: usize) -> f64 {
        n as f64 / self.block_length as f64
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
    let blocks = dependence.blocks(series.len());
    let bounds_ps = draws.iter_mut().map(|draws| central_95_percent(draws, blocks)).collect();
    Some(Intervals { bounds_ps, dependence, confidence: 0.95 })
}

/// The interval that draws in any order give of a figure that was resampled from that many blocks.
pub(crate) fn central_95_percent(draws: &mut [f64], blocks: f64) -> (f64, f64) {
    draws.sort_by(f64::total_cmp);
    let at = |p: f64| {
        let (low, fraction) = position(draws.len(), p);
        let above = draws[(low + 1).min(draws.len() - 1)];
        draws[low] + fraction * (above - draws[low])
    };
    let outside = 0.5 * libm::erfc(reach(blocks) / std::f64::consts::SQRT_2);
    (at(outside), at(1.0 - outside))
}

/// How many standard deviations an interval reaches: between two rows of [`REACHES`] linear in one over the blocks.
fn reach(blocks: f64) -> f64 {
    let above = REACHES.partition_point(|(known, _)| *known <= blocks).clamp(1, REACHES.len() - 1);
    let [(fewer, far), (more, near)] = [REACHES[above - 1], REACHES[above]];
    let share = ((1.0 / fewer - 1.0 / blocks) / (1.0 / fewer - 1.0 / more)).clamp(0.0, 1.0);
    far + share * (near - far)
}

/// For each quantile its value in every resample.
pub(crate) fn resampled_quantiles(
    series: &[i64],
    quantiles: &[f64],
    block_length: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let n = series.len();
    let (sorted, rank_of) = ranks(series);
    // A block holds at most all and at least none of the samples below a quantile: no rank varies more than by such blocks.
    let deviation = 0.5 * libm::sqrt(n as f64 * block_length as f64);
    let mut reach = (WINDOW_DEVIATIONS * deviation) as usize + 2;
    // Ends: a window that reaches all ranks holds every quantile.
    loop {
        let mut windows: Vec<Window> =
            quantiles.iter().map(|p| Window::around(&sorted, &rank_of, *p, reach)).collect();
        if let Some(draws) = drawn(&mut windows, n, block_length, seed) {
            return draws;
        }
        reach *= 4;
    }
}

/// The quantiles of all resamples; nothing where one of them lies outside of its window.
fn drawn(windows: &mut [Window<'_>], n: usize, block_length: usize, seed: u64) -> Option<Vec<Vec<f64>>> {
    let resamples = (DRAW_BUDGET / n).clamp(MIN_RESAMPLES, MAX_RESAMPLES);
    let mut random = Random::new(seed);
    let mut draws = vec![Vec::with_capacity(resamples); windows.len()];
    for _ in 0..resamples {
        windows.iter_mut().for_each(Window::clear);
        let mut drawn = 0;
        while drawn < n {
            let start = random.below(n - block_length + 1);
            let length = block_length.min(n - drawn);
            for window in &mut *windows {
                window.take(start, start + length);
            }
            drawn += length;
        }
        for (draws, window) in draws.iter_mut().zip(&*windows) {
            draws.push(window.quantile()?);
        }
    }
    Some(draws)
}

/// What a resample has near a quantile. Samples far below it are counted by the block and those far above not at all, so that a
/// resample of millions costs no more than its blocks.
struct Window<'a> {
    /// The values in the window, ascending, and how often the resample has each.
    values: &'a [i64],
    counts: Vec<u32>,
    /// The places in `values` of the samples that are in the window, in time order.
    places: Vec<u32>,
    /// Of the samples before each, how many lie below the window, and how many in it.
    below_before: Vec<u32>,
    inside_before: Vec<u32>,
    below: usize,
    low: usize,
    fraction: f64,
}

impl<'a> Window<'a> {
    fn around(sorted: &'a [i64], rank_of: &[u32], p: f64, reach: usize) -> Self {
        let (low, fraction) = position(sorted.len(), p);
        let ranks = low.saturating_sub(reach)..(low + reach).min(sorted.len());
        let (mut below_before, mut inside_before, mut places) = (vec![0], vec![0], Vec::new());
        let mut below = 0;
        for rank in rank_of.iter().map(|rank| *rank as usize) {
            below += u32::from(rank < ranks.start);
            if ranks.contains(&rank) {
                places.push((rank - ranks.start) as u32);
            }
            below_before.push(below);
            inside_before.push(places.len() as u32);
        }
        let values = &sorted[ranks];
        let counts = vec![0; values.len()];
        Self { values, counts, places, below_before, inside_before, below: 0, low, fraction }
    }

    fn clear(&mut self) {
        self.counts.fill(0);
        self.below = 0;
    }

    /// Takes the samples of a block.
    fn take(&mut self, start: usize, end: usize) {
        self.below += (self.below_before[end] - self.below_before[start]) as usize;
        for place in &self.places[self.inside_before[start] as usize..self.inside_before[end] as usize] {
            self.counts[*place as usize] += 1;
        }
    }

    /// The quantile of what was taken; nothing where it lies outside of the window.
    fn quantile(&self) -> Option<f64> {
        let mut seen = self.below;
        if seen > self.low {
            return None;
        }
        let mut below = None;
        for (value, count) in self.values.iter().zip(&self.counts) {
            seen += *count as usize;
            if below.is_none() && seen > self.low {
                below = Some(*value as f64);
            }
            if let Some(below) = below
                && (seen > self.low + 1 || self.fraction == 0.0)
            {
                return Some(below + self.fraction * (*value as f64 - below));
            }
        }
        None
    }
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
    fn an_interval_of_few_samples_covers_the_truth_nearly_as_often() {
        for (n, at_least) in [(8, 340), (12, 360), (20, 370), (40, 370)] {
            let covers = |seed: u64| {
                let (low, high) = intervals(&normal_series(n, 1000 + seed), &[0.5], 7).unwrap().bounds_ps[0];
                low <= 0.0 && high >= 0.0
            };
            let covered = (0..400).filter(|seed| covers(*seed)).count();
            assert!(covered >= at_least, "of {n} samples: {covered} of 400");
        }
    }

    /// Neighbours correlate by 0.8, so that 100 messages are worth 11: what the page on statistics says of them.
    #[test]
    fn an_interval_of_few_messages_that_depend_on_each_other_covers_the_truth_less_often() {
        let covers = |seed: u64| {
            let mut random = Random::new(seed);
            let mut value = random.normal() / 0.6;
            let series: Vec<i64> = (0..100)
                .map(|_| {
                    value = 0.8 * value + random.normal();
                    (1e9 * value) as i64
                })
                .collect();
            let (low, high) = intervals(&series, &[0.5], 7).unwrap().bounds_ps[0];
            low <= 0.0 && high >= 0.0
        };
        let covered = (0..400).filter(|seed| covers(*seed)).count();
        assert!((336..=372).contains(&covered), "covered {covered} of 400");
    }

    #[test]
    fn an_interval_reaches_as_far_as_students_distribution_says() {
        // sqrt(b / (b - 1)) * t.ppf(0.975, b - 1) by scipy; linear between two rows of the table.
        for (blocks, expected) in [(4.0, 3.675), (7.0, 2.643), (12.0, 2.299), (100.0, 1.994), (1e9, 1.96)] {
            assert!((reach(blocks) - expected).abs() < 0.01, "{blocks}: {}", reach(blocks));
        }
        assert!(reach(1.0) <= reach(2.0), "of a single block no more is known than of two");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_seed_another() {
        let series = normal_series(200, 3);
        let draws = |seed| resampled_quantiles(&series, &[0.5, 0.75], 6, seed);
        assert_eq!(draws(5), draws(5));
        assert_ne!(draws(5), draws(6));
    }

    /// The quantile of every resample, by sorting it.
    fn sorted_resamples(series: &[i64], p: f64, block_length: usize, seed: u64) -> Vec<f64> {
        let n = series.len();
        let mut random = Random::new(seed);
        let mut resample = || {
            let mut drawn = Vec::new();
            while drawn.len() < n {
                let start = random.below(n - block_length + 1);
                drawn.extend(&series[start..start + block_length.min(n - drawn.len())]);
            }
            drawn.sort_unstable();
            crate::quantile(&drawn, p)
        };
        (0..MAX_RESAMPLES).map(|_| resample()).collect()
    }

    #[test]
    fn quantiles_of_resamples_are_those_of_the_resamples_sorted() {
        let ramp = |n: i64| (0..n).collect::<Vec<i64>>();
        let levels = |n: usize| normal_series(n, 5).iter().map(|value| value.signum()).collect::<Vec<i64>>();
        for (series, block_length) in [
            (normal_series(9, 1), 3),
            (normal_series(5000, 2), 18),
            (ramp(5000), 1250),
            (levels(400), 8),
            (vec![7; 60], 4),
        ] {
            for p in [0.0, 0.5, 0.75, 1.0] {
                let resampled = resampled_quantiles(&series, &[p], block_length, 3).remove(0);
                assert_eq!(
                    resampled,
                    sorted_resamples(&series, p, block_length, 3),
                    "{} samples, {p}",
                    series.len()
                );
            }
        }
    }

    #[test]
    fn a_handful_of_samples_has_no_interval() {
        assert_eq!(intervals(&[1, 2, 3], &[0.5], 1), None);
    }
}
