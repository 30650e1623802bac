//! The empirical cumulative distribution of a set of latencies.

/// The steps of an empirical distribution: distinct values and the share of samples at or below each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ecdf {
    /// Distinct values in ascending order.
    pub values_ps: Vec<i64>,
    /// The share of all samples that is at most the value beside it; the last is 1.
    pub shares: Vec<f64>,
}

impl Ecdf {
    /// The distribution of values in ascending order.
    pub fn of_sorted(sorted: &[i64]) -> Self {
        let mut ecdf = Self::default();
        for (index, value) in sorted.iter().enumerate() {
            if sorted.get(index + 1) != Some(value) {
                ecdf.values_ps.push(*value);
                ecdf.shares.push((index + 1) as f64 / sorted.len() as f64);
            }
        }
        ecdf
    }

    /// The share of samples that is at most `value_ps`.
    pub fn at(&self, value_ps: i64) -> f64 {
        let above = self.values_ps.partition_point(|v| *v <= value_ps);
        above.checked_sub(1).map_or(0.0, |step| self.shares[step])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_steps_at_each_distinct_value() {
        let ecdf = Ecdf::of_sorted(&[1, 1, 3, 4]);
        assert_eq!(ecdf.values_ps, [1, 3, 4]);
        assert_eq!(ecdf.shares, [0.5, 0.75, 1.0]);
        assert_eq!((ecdf.at(0), ecdf.at(2), ecdf.at(9)), (0.0, 0.5, 1.0));
    }
}
