//! Single order statistics of many values without sorting them all: count into buckets, then sort only the
//! buckets that hold a wanted rank.

/// Fewer values are sorted.
const WORTH_COUNTING: usize = 1 << 13;
/// Buckets as a power of two: their counts stay in the second-level cache.
const BUCKET_BITS: u32 = 14;

/// The values at `ranks` (0 is the smallest) of `values` in any order.
///
/// # Panics
/// When there are no values, or a rank is beyond the last.
pub(crate) fn at_ranks(values: &[i64], ranks: &[usize]) -> Vec<i64> {
    if values.len() < WORTH_COUNTING {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        return ranks.iter().map(|rank| sorted[*rank]).collect();
    }
    let buckets = Buckets::of(values);
    let wanted: Vec<(usize, usize)> = ranks.iter().map(|rank| buckets.find(*rank)).collect();
    let mut slot_of = vec![u16::MAX; buckets.counts.len()];
    let mut chosen: Vec<Vec<i64>> = Vec::new();
    for (bucket, _) in &wanted {
        if slot_of[*bucket] == u16::MAX {
            slot_of[*bucket] = chosen.len() as u16;
            chosen.push(Vec::with_capacity(buckets.counts[*bucket]));
        }
    }
    for value in values {
        let slot = slot_of[buckets.of_value(*value)];
        if slot != u16::MAX {
            chosen[usize::from(slot)].push(*value);
        }
    }
    chosen.iter_mut().for_each(|members| members.sort_unstable());
    wanted.iter().map(|(bucket, place)| chosen[usize::from(slot_of[*bucket])][*place]).collect()
}

/// How many values fall into each of equal ranges from the smallest to the largest.
struct Buckets {
    smallest: i64,
    shift: u32,
    counts: Vec<usize>,
}

impl Buckets {
    fn of(values: &[i64]) -> Self {
        let smallest = values.iter().copied().min().expect("order statistics need a value");
        let largest = values.iter().copied().max().unwrap_or(smallest);
        let range = largest.abs_diff(smallest);
        let shift = (u64::BITS - range.leading_zeros()).saturating_sub(BUCKET_BITS);
        let mut buckets = Self { smallest, shift, counts: vec![0; 1 << BUCKET_BITS] };
        for value in values {
            let bucket = buckets.of_value(*value);
            buckets.counts[bucket] += 1;
        }
        buckets
    }

    #[inline]
    fn of_value(&self, value: i64) -> usize {
        (value.abs_diff(self.smallest) >> self.shift) as usize
    }

    /// The bucket that holds a rank, and the rank's place within it.
    fn find(&self, rank: usize) -> (usize, usize) {
        let mut below = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            if rank < below + count {
                return (bucket, rank - below);
            }
            below += count;
        }
        panic!("rank {rank} is beyond the {below} values");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn assert_as_sorted(values: &[i64]) {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let n = values.len();
        let ranks = [0, 1, n / 100, n / 4, n / 2, n / 2 + 1, n * 99 / 100, n - 1];
        assert_eq!(at_ranks(values, &ranks), ranks.map(|rank| sorted[rank]));
    }

    #[test]
    fn counting_gives_what_sorting_gives() {
        let mut random = Random::new(1);
        for n in [10, WORTH_COUNTING - 1, WORTH_COUNTING, 20_000] {
            assert_as_sorted(&(0..n).map(|_| (1e9 * random.normal()) as i64).collect::<Vec<_>>());
            assert_as_sorted(&(0..n).map(|_| random.below(7) as i64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn equal_values_and_extremes_are_no_trouble() {
        assert_as_sorted(&[42; 10_000]);
        let mut extreme = vec![0; 10_000];
        (extreme[3], extreme[4]) = (i64::MIN, i64::MAX);
        assert_as_sorted(&extreme);
    }
}
