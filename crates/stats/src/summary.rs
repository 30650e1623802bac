//! The figures that tables show of a set of latencies.

use crate::quantile::quantiles;

/// Percentiles (type 7), mean and spread of latencies, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the fields bear the names of the percentiles")]
pub struct Summary {
    pub n: usize,
    pub min: f64,
    pub p1: f64,
    pub p5: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub p95: f64,
    pub p99: f64,
    pub p99_9: f64,
    pub max: f64,
    pub mean: f64,
    /// The standard deviation of the sample (divisor n - 1); 0 for one value.
    pub std: f64,
}

impl Summary {
    /// The summary of values in any order; nothing when there are none.
    pub fn of(values: &[i64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len();
        let mean = mean(values);
        let deviations = values.iter().map(|v| (*v as f64 - mean) * (*v as f64 - mean)).sum::<f64>();
        let std = libm::sqrt(deviations / (n.max(2) - 1) as f64);
        let [min, p1, p5, p25, p50, p75, p95, p99, p99_9, max] =
            quantiles(values, [0.0, 0.01, 0.05, 0.25, 0.50, 0.75, 0.95, 0.99, 0.999, 1.0]);
        Some(Self { n, min, p1, p5, p25, p50, p75, p95, p99, p99_9, max, mean, std })
    }

    /// The interquartile range.
    pub fn iqr(&self) -> f64 {
        self.p75 - self.p25
    }

    /// Names and values in the order in which tables and JSON show them.
    pub fn by_name(&self) -> [(&'static str, f64); 13] {
        [
            ("min", self.min),
            ("p1", self.p1),
            ("p5", self.p5),
            ("p25", self.p25),
            ("p50", self.p50),
            ("p75", self.p75),
            ("p95", self.p95),
            ("p99", self.p99),
            ("p99_9", self.p99_9),
            ("max", self.max),
            ("mean", self.mean),
            ("std", self.std),
            ("iqr", self.iqr()),
        ]
    }
}

/// The mean from an exact integer sum.
fn mean(values: &[i64]) -> f64 {
    let sum: i128 = values.iter().map(|v| i128::from(*v)).sum();
    sum as f64 / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_values_have_no_summary() {
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn mean_and_deviation_are_those_of_the_sample() {
        let summary = Summary::of(&[2, 4, 4, 4, 5, 5, 7, 9]).unwrap();
        assert_eq!(summary.mean, 5.0);
        assert!((summary.std * summary.std - 32.0 / 7.0).abs() < 1e-12);
        assert_eq!((summary.min, summary.max, summary.iqr()), (2.0, 9.0, 1.5));
    }

    #[test]
    fn large_values_do_not_lose_their_mean() {
        let base = 1_i64 << 61;
        let summary = Summary::of(&[base, base, base]).unwrap();
        assert_eq!((summary.mean, summary.std), (base as f64, 0.0));
    }
}
