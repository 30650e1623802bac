//! Percentiles by linear interpolation between order statistics: type 7 of Hyndman and Fan (1996), the
//! default of R and NumPy.

use crate::order;

/// The `p`-quantile (0 ≤ p ≤ 1) of values in ascending order.
///
/// ```
/// assert_eq!(stats::quantile(&[10, 20, 30, 40], 0.5), 25.0);
/// ```
///
/// # Panics
/// When `sorted` is empty.
pub fn quantile(sorted: &[i64], p: f64) -> f64 {
    let (low, fraction) = position(sorted.len(), p);
    let below = sorted[low] as f64;
    match sorted.get(low + 1) {
        Some(above) if fraction > 0.0 => below + fraction * (*above as f64 - below),
        _ => below,
    }
}

/// Quantiles of values in any order, at ascending `ps`.
pub(crate) fn quantiles<const N: usize>(values: &[i64], ps: [f64; N]) -> [f64; N] {
    let n = values.len();
    let places = ps.map(|p| position(n, p));
    let ranks: Vec<usize> = places.iter().flat_map(|(low, _)| [*low, (low + 1).min(n - 1)]).collect();
    let found = order::at_ranks(values, &ranks);
    let mut pairs = found.chunks_exact(2);
    places.map(|(_, fraction)| {
        let pair = pairs.next().expect("every quantile has two order statistics");
        pair[0] as f64 + fraction * (pair[1] as f64 - pair[0] as f64)
    })
}

/// The index of the order statistic below the `p`-quantile of `n` values, and how far to go to the next.
pub(crate) fn position(n: usize, p: f64) -> (usize, f64) {
    assert!(n > 0, "a quantile needs at least one value");
    let place = (n - 1) as f64 * p.clamp(0.0, 1.0);
    let low = libm::floor(place) as usize;
    (low, place - low as f64)
}

/// The median of values in any order; 0 when there are none.
pub fn median(values: &[f64]) -> f64 {
    quantile_of(values, 0.5)
}

/// The `p`-quantile of floating-point values in any order; 0 when there are none.
pub(crate) fn quantile_of(values: &[f64], p: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let mut values = values.to_vec();
    let (low, fraction) = position(values.len(), p);
    let (_, below, rest) = values.select_nth_unstable_by(low, f64::total_cmp);
    let below = *below;
    let above = rest.iter().copied().min_by(f64::total_cmp);
    above.map_or(below, |above| below + fraction * (above - below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_equal_those_of_r_type_7() {
        // quantile(c(15, 20, 35, 40, 50), c(.05, .25, .4, .75, 1), type = 7) in R.
        let values = [15, 20, 35, 40, 50];
        for (p, expected) in [(0.05, 16.0), (0.25, 20.0), (0.4, 29.0), (0.75, 40.0), (1.0, 50.0)] {
            assert!((quantile(&values, p) - expected).abs() < 1e-9, "p = {p}");
        }
    }

    #[test]
    fn one_value_is_every_quantile() {
        assert_eq!(quantile(&[7], 0.0), 7.0);
        assert_eq!(quantile(&[7], 0.999), 7.0);
    }

    proptest! {
        #[test]
        fn selection_equals_sorting(mut values in prop::collection::vec(-1000i64..1000, 1..200), p in 0.0..1.0) {
            let unsorted: Vec<f64> = values.iter().map(|v| *v as f64).collect();
            values.sort_unstable();
            prop_assert!((quantile_of(&unsorted, p) - quantile(&values, p)).abs() < 1e-9);
        }
    }
}
