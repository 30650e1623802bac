//! The one figure of a row with its interval: a rate from times between completions, or a median or mean of latencies.
//!
//! The interval of a rate or mean is that of batch means (Law and Kelton, Simulation Modeling and Analysis, 9.5.3): messages follow each
//! other closely, so that one's time tells of the next one's, and the means of long batches hardly do.

use record::{Samples, Statistics};
use units::PS_PER_S;

use super::measure::Measure;
use crate::suite::{Quantity, Statistic};

const BATCHES: usize = 20;
/// Student's t for 19 degrees of freedom and 95 % between both tails.
const STUDENT_T: f64 = 2.093;
/// Fewer samples make no batches worth the name.
const FEWEST: usize = 2 * BATCHES;
const BITS_PER_BYTE: f64 = 8.0;

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The figure, in the unit of its quantity.
    pub value: f64,
    /// Its 95 % interval; nothing for too few samples.
    pub interval: Option<(f64, f64)>,
    /// How many messages it comes from.
    pub n: usize,
}

/// Where a median and its interval come from.
#[derive(Debug, Clone, Copy)]
pub enum MedianInterval {
    /// From a bootstrap with a seed.
    Bootstrap(u64),
    /// The median was computed already, and its interval unless nobody wants it.
    Known(f64, Option<(f64, f64)>),
}

impl MedianInterval {
    /// What the statistics of the same samples say: their bootstrap has the same seed, and would draw the same.
    pub(super) fn of(statistics: &Statistics, measure: Measure) -> Self {
        let Some(summary) = &statistics.summary else { return Self::Bootstrap(measure.seed) };
        Self::Known(summary.p50, statistics.intervals.as_ref().map(|intervals| intervals.median_ps))
    }
}

impl Figure {
    /// The figure of samples, of latencies a statistic; nothing where none was answered.
    pub fn of(
        quantity: Quantity,
        statistic: Statistic,
        samples: &Samples,
        interval: MedianInterval,
    ) -> Option<Self> {
        match quantity {
            Quantity::Latency => match statistic {
                Statistic::Median => median(samples, interval),
                Statistic::Mean => mean(&samples.latencies_ps()),
            },
            Quantity::Messages | Quantity::Requests => rate(&completions(samples), 1.0),
            Quantity::Bulk => rate(&volumes(samples), BITS_PER_BYTE),
        }
    }

    /// Whether it comes from enough messages, and its interval reaches no farther to either side than a share of it.
    pub fn is_within(&self, share: f64) -> bool {
        let reach = share * self.value;
        self.n >= FEWEST
            && self
                .interval
                .is_some_and(|(low, high)| self.value - low <= reach && high - self.value <= reach)
    }
}

/// How much was done in which time.
type Done = (f64, f64);

/// One message each, with the time since the one before.
fn completions(samples: &Samples) -> Vec<Done> {
    let mut ends: Vec<i64> =
        samples.answered().filter_map(|sample| sample.done).map(|done| done.ps()).collect();
    ends.sort_unstable();
    let begin = samples.answered().map(|sample| sample.trigger.ps()).min().unwrap_or(0);
    let before = std::iter::once(begin).chain(ends.iter().copied());
    before.zip(&ends).map(|(from, to)| (1.0, (to - from) as f64)).collect()
}

/// The bytes of each interval.
fn volumes(samples: &Samples) -> Vec<Done> {
    let timed = samples
        .answered()
        .filter_map(|sample| Some((sample.payload_bytes() as f64, sample.latency()?.ps() as f64)));
    timed.filter(|(_, time)| *time > 0.0).collect()
}

fn rate(done: &[Done], scale: f64) -> Option<Figure> {
    let per_second = |done: &[Done]| {
        let (work, time) = done.iter().fold((0.0, 0.0), |(work, time), one| (work + one.0, time + one.1));
        (time > 0.0).then(|| scale * work / time * PS_PER_S as f64)
    };
    let value = per_second(done)?;
    let batches = done.chunks_exact((done.len() / BATCHES).max(1)).take(BATCHES);
    // A batch in which no time passed has no rate.
    let means: Vec<f64> = batches.filter_map(per_second).collect();
    let interval = (done.len() >= FEWEST && means.len() == BATCHES).then(|| {
        let spread = STUDENT_T * (variance(&means) / means.len() as f64).sqrt();
        ((value - spread).max(0.0), value + spread)
    });
    Some(Figure { value, interval, n: done.len() })
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

fn median(samples: &Samples, interval: MedianInterval) -> Option<Figure> {
    let n = samples.answered().filter_map(|sample| sample.latency()).count();
    if n == 0 {
        return None;
    }
    let (value, interval) = match interval {
        MedianInterval::Bootstrap(seed) => {
            let mut latencies = samples.latencies_ps();
            let found = stats::bootstrap::intervals(&latencies, &[0.5], seed);
            latencies.sort_unstable();
            (stats::quantile(&latencies, 0.5), found.map(|found| found.bounds_ps[0]))
        }
        MedianInterval::Known(value, interval) => (value, interval),
    };
    Some(Figure { value, interval, n })
}

/// Batches of messages one after the other, as of rates.
fn mean(latencies_ps: &[i64]) -> Option<Figure> {
    let n = (!latencies_ps.is_empty()).then_some(latencies_ps.len())?;
    let mean_of = |batch: &[i64]| batch.iter().map(|time| *time as f64).sum::<f64>() / batch.len() as f64;
    let value = mean_of(latencies_ps);
    let interval = (n >= FEWEST).then(|| {
        let means: Vec<f64> = latencies_ps.chunks_exact(n / BATCHES).take(BATCHES).map(mean_of).collect();
        let spread = STUDENT_T * (variance(&means) / means.len() as f64).sqrt();
        ((value - spread).max(0.0), value + spread)
    });
    Some(Figure { value, interval, n })
}

#[cfg(test)]
mod tests {
    use record::{Exchange, Sample};
    use units::Picoseconds;

    use super::*;

    const SEEDED: MedianInterval = MedianInterval::Bootstrap(1);

    fn messages(times_us: impl Iterator<Item = i64>) -> Samples {
        let mut now = Picoseconds::ZERO;
        let mut samples = Samples::default();
        for time in times_us {
            let begun = now;
            now = now + Picoseconds::from_ns(time * 1000);
            let exchange = Exchange { payload_bytes: 1000, ..Exchange::default() };
            samples.push_exchange(Sample::known(samples.len() as u64, begun, Some(now)), exchange);
        }
        samples
    }

    #[test]
    fn a_thousand_messages_of_a_millisecond_are_a_thousand_a_second_without_doubt() {
        let figure =
            Figure::of(Quantity::Messages, Statistic::Median, &messages((0..1000).map(|_| 1000)), SEEDED)
                .unwrap();
        assert!((figure.value - 1000.0).abs() < 1e-6, "{figure:?}");
        assert!(figure.is_within(1e-6) && figure.n == 1000);
    }

    #[test]
    fn a_rate_that_varies_has_an_interval_around_it_that_narrows() {
        let spread = |n: i64| {
            let times = (0..n).map(|index| 500 + (index * index * 7919) % 1009);
            let figure = Figure::of(Quantity::Messages, Statistic::Median, &messages(times), SEEDED).unwrap();
            let (low, high) = figure.interval.unwrap();
            assert!(low < figure.value && figure.value < high);
            high - low
        };
        assert!(spread(20_000) < spread(200));
    }

    #[test]
    fn a_thousand_bytes_in_a_millisecond_are_eight_megabits_a_second() {
        let figure =
            Figure::of(Quantity::Bulk, Statistic::Median, &messages((0..50).map(|_| 1000)), SEEDED).unwrap();
        assert!((figure.value - 8e6).abs() < 1e-3, "{figure:?}");
    }

    #[test]
    fn messages_that_all_end_at_once_have_a_rate_and_no_interval() {
        let times = |late: usize| (0..59).map(move |index| if index >= late { 1000 } else { 0 });
        for late in [1, 40, 58] {
            let figure =
                Figure::of(Quantity::Messages, Statistic::Median, &messages(times(late)), SEEDED).unwrap();
            assert_eq!(figure.interval.is_some(), late == 1, "{figure:?}");
        }
    }

    #[test]
    fn few_messages_have_a_rate_and_no_interval() {
        let figure =
            Figure::of(Quantity::Messages, Statistic::Median, &messages((0..5).map(|_| 1000)), SEEDED)
                .unwrap();
        assert_eq!((figure.interval, figure.is_within(0.5)), (None, false));
        assert_eq!(Figure::of(Quantity::Latency, Statistic::Mean, &Samples::default(), SEEDED), None);
    }

    #[test]
    fn a_mean_counts_what_a_median_leaves_out() {
        let times = |index: i64| if index % 10 == 9 { 11_000 } else { 1000 };
        let messages = messages((0..200).map(times));
        let of = |statistic| Figure::of(Quantity::Latency, statistic, &messages, SEEDED).unwrap();
        assert_eq!((of(Statistic::Median).value, of(Statistic::Mean).value), (1e9, 2e9));
        // Each of the 20 batches has one of the long ones.
        assert_eq!(of(Statistic::Mean).interval, Some((2e9, 2e9)));
    }

    #[test]
    fn the_interval_of_the_statistics_is_that_of_an_own_bootstrap() {
        let samples = messages((0..300).map(|index| 900 + (index * 7919) % 211));
        let measure = Measure { seed: 3, intervals: true, findings: false, spans_of_first: 0 };
        let latencies = samples.latencies_ps();
        let statistics = record::statistics(&[], &latencies, &[], 0, measure.seed, true, None);
        let of = |interval| Figure::of(Quantity::Latency, Statistic::Median, &samples, interval).unwrap();
        let known = of(MedianInterval::of(&statistics, measure));
        assert_eq!(known, of(MedianInterval::Bootstrap(measure.seed)));
        assert!(known.interval.is_some());
    }
}
