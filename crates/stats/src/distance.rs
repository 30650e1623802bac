//! How far two sets of latencies lie apart as distributions.

/// The smallest difference that counts between near-constant links: 1 us or 0.2 % of the median, whichever
/// is more.
pub fn resolution_floor_ps(median_ps: f64) -> i64 {
    libm::round((0.002 * median_ps).max(1e6)) as i64
}

/// The two-sample Kolmogorov-Smirnov distance of values in ascending order: the largest difference of the two
/// cumulative distributions, where values closer than `floor_ps` count as equal (0: the textbook distance).
///
/// # Panics
/// When a slice is empty.
pub fn kolmogorov_smirnov(a: &[i64], b: &[i64], floor_ps: i64) -> f64 {
    one_sided(a, b, floor_ps).max(one_sided(b, a, floor_ps))
}

/// The supremum over x of F_a(x) - F_b(x + floor), at least 0.
fn one_sided(a: &[i64], b: &[i64], floor_ps: i64) -> f64 {
    assert!(!a.is_empty() && !b.is_empty(), "a distance needs samples on both sides");
    let mut largest = 0.0f64;
    let mut below_b = 0;
    for (index, value) in a.iter().enumerate() {
        if a.get(index + 1) == Some(value) {
            continue;
        }
        let limit = value.saturating_add(floor_ps);
        while below_b < b.len() && b[below_b] <= limit {
            below_b += 1;
        }
        let difference = (index + 1) as f64 / a.len() as f64 - below_b as f64 / b.len() as f64;
        largest = largest.max(difference);
    }
    largest
}

/// The first Wasserstein distance of values in ascending order, in picoseconds: how far a sample of one must
/// be moved on average to give the other.
///
/// # Panics
/// When a slice is empty.
pub fn wasserstein_ps(a: &[i64], b: &[i64]) -> f64 {
    assert!(!a.is_empty() && !b.is_empty(), "a distance needs samples on both sides");
    let (mut i, mut j) = (0, 0);
    let mut previous = a[0].min(b[0]);
    let mut area = 0.0;
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => *x.min(y),
            (Some(x), None) => *x,
            (None, Some(y)) => *y,
            (None, None) => unreachable!("the loop ends when both are used up"),
        };
        let difference = (i as f64 / a.len() as f64 - j as f64 / b.len() as f64).abs();
        area += difference * (next - previous) as f64;
        previous = next;
        while a.get(i) == Some(&next) {
            i += 1;
        }
        while b.get(j) == Some(&next) {
            j += 1;
        }
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn distances_equal_those_of_scipy() {
        // scipy.stats.ks_2samp and wasserstein_distance of these two samples.
        let (a, b) = ([1, 2, 4, 8, 16], [2, 3, 5, 7, 11, 13]);
        assert!((kolmogorov_smirnov(&a, &b, 0) - 0.266_666_666_666).abs() < 1e-9);
        assert!((wasserstein_ps(&a, &b) - 2.1).abs() < 1e-9);
    }

    #[test]
    fn a_shift_below_the_floor_is_no_distance() {
        assert_eq!(kolmogorov_smirnov(&[100, 101], &[103, 104], 0), 1.0);
        assert_eq!(kolmogorov_smirnov(&[100, 101], &[103, 104], 3), 0.0);
    }

    #[test]
    fn the_floor_is_a_microsecond_or_a_fifth_of_a_percent() {
        assert_eq!(resolution_floor_ps(1e6), 1_000_000);
        assert_eq!(resolution_floor_ps(1e12), 2_000_000_000);
    }

    fn sorted(max: usize) -> impl Strategy<Value = Vec<i64>> {
        prop::collection::vec(-50i64..50, 1..max).prop_map(|mut v| {
            v.sort_unstable();
            v
        })
    }

    proptest! {
        #[test]
        fn distances_are_symmetric_and_zero_to_oneself(a in sorted(40), b in sorted(40), floor in 0i64..10) {
            prop_assert_eq!(kolmogorov_smirnov(&a, &b, floor), kolmogorov_smirnov(&b, &a, floor));
            prop_assert!((wasserstein_ps(&a, &b) - wasserstein_ps(&b, &a)).abs() < 1e-9);
            prop_assert_eq!(kolmogorov_smirnov(&a, &a, 0), 0.0);
            prop_assert_eq!(wasserstein_ps(&a, &a), 0.0);
        }

        #[test]
        fn a_shifted_copy_is_as_far_as_the_shift(a in sorted(40), shift in 0i64..100) {
            let b: Vec<i64> = a.iter().map(|v| v + shift).collect();
            prop_assert!((wasserstein_ps(&a, &b) - shift as f64).abs() < 1e-6);
        }
    }
}
