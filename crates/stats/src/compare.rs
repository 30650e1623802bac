//! Two runs side by side: how far the median moved, and which of two messages wins.

use crate::bootstrap::{Dependence, central_95_percent, resampled_quantiles};
use crate::distance::{kolmogorov_smirnov, resolution_floor_ps, wasserstein_ps};
use crate::quantile::quantile;

/// How the latencies of B differ from those of A; times in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Median of A.
    pub median_a_ps: f64,
    /// Median of B.
    pub median_b_ps: f64,
    /// Median of B minus median of A.
    pub shift_ps: f64,
    /// 95 % interval of the shift from moving-block bootstraps of both runs; nothing below 8 samples.
    pub shift_interval_ps: Option<(f64, f64)>,
    /// The probability that a message of A is faster than one of B; ties count half.
    pub a_beats_b: f64,
    /// Kolmogorov-Smirnov distance.
    pub ks: f64,
    /// Kolmogorov-Smirnov distance where differences below `floor_ps` do not count.
    pub ks_with_floor: f64,
    /// The resolution floor, from the median of A.
    pub floor_ps: i64,
    /// First Wasserstein distance.
    pub wasserstein_ps: f64,
    /// How many independent samples A and B are worth.
    pub effective_n: (f64, f64),
}

/// Compares two series of latencies in time order; nothing when one is empty.
pub fn compare(a: &[i64], b: &[i64], seed: u64) -> Option<Comparison> {
    let (sorted_a, sorted_b) = (sorted(a), sorted(b));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (median_a_ps, median_b_ps) = (quantile(&sorted_a, 0.5), quantile(&sorted_b, 0.5));
    let (dependence_a, dependence_b) = (Dependence::of(a), Dependence::of(b));
    let shift_interval_ps = (a.len() >= 8 && b.len() >= 8).then(|| {
        let draws_a = resampled_quantiles(a, &[0.5], dependence_a.block_length, seed);
        let draws_b = resampled_quantiles(b, &[0.5], dependence_b.block_length, seed.wrapping_add(1));
        let mut shifts: Vec<f64> = draws_a[0].iter().zip(&draws_b[0]).map(|(a, b)| b - a).collect();
        let blocks_a = (variance(&draws_a[0]), dependence_a.blocks(a.len()));
        let blocks_b = (variance(&draws_b[0]), dependence_b.blocks(b.len()));
        central_95_percent(&mut shifts, pooled_blocks(blocks_a, blocks_b))
    });
    let floor_ps = resolution_floor_ps(median_a_ps);
    Some(Comparison {
        median_a_ps,
        median_b_ps,
        shift_ps: median_b_ps - median_a_ps,
        shift_interval_ps,
        a_beats_b: probability_of_less(&sorted_a, &sorted_b),
        ks: kolmogorov_smirnov(&sorted_a, &sorted_b, 0),
        ks_with_floor: kolmogorov_smirnov(&sorted_a, &sorted_b, floor_ps),
        floor_ps,
        wasserstein_ps: wasserstein_ps(&sorted_a, &sorted_b),
        effective_n: (dependence_a.effective_n, dependence_b.effective_n),
    })
}

fn variance(draws: &[f64]) -> f64 {
    let mean = draws.iter().sum::<f64>() / draws.len() as f64;
    draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / draws.len() as f64
}

/// Of how many blocks a difference is made: where one run decides how sure it is, of that run's (Welch 1947, who adds degrees of
/// freedom by the variances).
fn pooled_blocks(a: (f64, f64), b: (f64, f64)) -> f64 {
    let both = a.0 + b.0;
    let share = |(variance, blocks): (f64, f64)| variance * variance / (blocks - 1.0);
    if both > 0.0 { 1.0 + both * both / (share(a) + share(b)) } else { f64::INFINITY }
}

fn sorted(values: &[i64]) -> Vec<i64> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}

/// P(a < b) + P(a = b) / 2 over all pairs: the Mann-Whitney statistic over its maximum.
fn probability_of_less(a: &[i64], b: &[i64]) -> f64 {
    let (mut below, mut up_to) = (0, 0);
    let mut wins: u128 = 0;
    for value in b {
        while below < a.len() && a[below] < *value {
            below += 1;
        }
        while up_to < a.len() && a[up_to] <= *value {
            up_to += 1;
        }
        wins += (below + up_to) as u128;
    }
    wins as f64 / (2.0 * a.len() as f64 * b.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_run_against_itself_is_a_draw() {
        let run = [5, 3, 8, 1, 9, 2, 2, 7, 7];
        let comparison = compare(&run, &run, 1).unwrap();
        assert_eq!((comparison.shift_ps, comparison.a_beats_b, comparison.ks), (0.0, 0.5, 0.0));
        let (low, high) = comparison.shift_interval_ps.unwrap();
        assert!(low <= 0.0 && high >= 0.0);
    }

    #[test]
    fn a_clear_shift_is_found_with_its_sign() {
        let mut random = Random::new(2);
        let a: Vec<i64> = (0..400).map(|_| (10e9 + 1e8 * random.normal()) as i64).collect();
        let b: Vec<i64> = a.iter().map(|v| v + 2_000_000_000).collect();
        let comparison = compare(&a, &b, 1).unwrap();
        let (low, high) = comparison.shift_interval_ps.unwrap();
        assert!(low > 1.9e9 && high < 2.1e9, "{comparison:?}");
        assert_eq!(comparison.a_beats_b, 1.0);
    }

    #[test]
    fn equal_runs_of_few_messages_are_told_apart_hardly_more_often_than_one_in_twenty() {
        for n in [8, 10, 20] {
            let apart = |seed: u64| {
                let mut random = Random::new(seed);
                let mut run = || (0..n).map(|_| (10e9 + 1e8 * random.normal()) as i64).collect::<Vec<i64>>();
                let (low, high) = compare(&run(), &run(), 1).unwrap().shift_interval_ps.unwrap();
                low > 0.0 || high < 0.0
            };
            let alarms = (0..400).filter(|seed| apart(*seed)).count();
            assert!(alarms <= 30, "of {n} messages: {alarms} of 400");
        }
    }

    #[test]
    fn a_difference_is_as_sure_as_the_run_that_decides() {
        assert!((pooled_blocks((1.0, 10.0), (0.0, 3.0)) - 10.0).abs() < 1e-9);
        assert!((pooled_blocks((1.0, 10.0), (1.0, 10.0)) - 19.0).abs() < 1e-9);
    }

    #[test]
    fn an_empty_run_cannot_be_compared() {
        assert_eq!(compare(&[], &[1], 1), None);
    }
}
