//! A time whose shape was measured and whose cause is not known: drawn from a capture's quantiles.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// Draws from a piecewise straight distribution function.
#[derive(Debug)]
pub struct Quantiles {
    part: Part,
    /// Ascending; the first is the shortest time, the last the longest.
    times: Vec<Picoseconds>,
    /// The share of messages up to each time, in a thousandth of a per cent; from 0 to [`WHOLE`].
    shares: Vec<i64>,
}

/// All messages.
const WHOLE: i64 = 100_000;

impl Quantiles {
    /// `times[i]` is the quantile of `percents[i]`, which goes from 0 to 100.
    ///
    /// # Panics
    /// When the lists differ in length, do not ascend or do not cover everything: they are constants of the program.
    pub fn new(name: impl Into<String>, cause: Cause, percents: &[f64], times: Vec<Picoseconds>) -> Self {
        let shares: Vec<i64> =
            percents.iter().map(|percent| libm::round(percent * WHOLE as f64 / 100.0) as i64).collect();
        assert_eq!(shares.len(), times.len(), "every quantile has its time");
        assert!(shares.first() == Some(&0) && shares.last() == Some(&WHOLE), "quantiles go from 0 to 100 %");
        assert!(shares.windows(2).all(|pair| pair[0] < pair[1]), "quantiles ascend");
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "times of quantiles ascend");
        Self { part: Part::new(name, cause), times, shares }
    }
}

impl Stage for Quantiles {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let share = visit.random.below(WHOLE as u64) as i64;
        let above = self.shares.partition_point(|&limit| limit <= share);
        let (low, high) = (self.times[above - 1], self.times[above]);
        let time = low + visit.random.time_below(high - low);
        Passage::Leave { part: 0, at: visit.now + time }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        for (times, shares) in self.times.windows(2).zip(self.shares.windows(2)) {
            let middle = Picoseconds::new((times[0].ps() + times[1].ps()) / 2);
            budget.add_weighted(0, middle, (shares[1] - shares[0]) as f64 / WHOLE as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::RandomStream;

    #[test]
    fn draws_have_the_quantiles_that_were_given() {
        let times = [10, 20, 20, 100].map(Picoseconds::from_ns);
        let mut stage = Quantiles::new("tail", Cause::Empirical, &[0.0, 50.0, 60.0, 100.0], times.to_vec());
        let mut random = RandomStream::named(1, "quantiles");
        let mut draws: Vec<i64> = (0..20_000)
            .map(|_| {
                let now = Picoseconds::ZERO;
                let load = Load::whole(1);
                let mut visit = Visit::alone(now, now, 0, load, &mut random);
                match stage.pass(&mut visit) {
                    Passage::Leave { at, .. } => at.ps(),
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        draws.sort_unstable();
        let quantile = |share: f64| draws[(share * draws.len() as f64) as usize] as f64 / 1_000.0;
        for (share, expected) in [(0.25, 15.0), (0.55, 20.0), (0.80, 60.0)] {
            assert!((quantile(share) - expected).abs() < 1.5, "{share}: {}", quantile(share));
        }
    }

    #[test]
    #[should_panic(expected = "quantiles go from 0 to 100 %")]
    fn quantiles_that_leave_messages_out_are_refused() {
        let times = vec![Picoseconds::ZERO, Picoseconds::from_ns(1)];
        let _ = Quantiles::new("tail", Cause::Empirical, &[0.0, 99.0], times);
    }
}
