//! The paired messages of a capture as the detectors see them: trigger times and latencies in time order.

use crate::quantile::{median, quantile, quantile_of};

/// Longer runs are looked at in this many messages: chunks from all over the run.
const MAX_MESSAGES: usize = 8192;
const CHUNKS: usize = 8;

/// Messages in time order, with what the detectors ask of them again and again.
#[derive(Debug, Clone)]
pub struct Series {
    /// Times of the triggers of paired messages, in picoseconds from the first trigger.
    pub(super) trigger_ps: Vec<f64>,
    /// Latency of each.
    pub(super) latency_ps: Vec<f64>,
    /// Latencies in ascending order.
    pub(super) sorted_ps: Vec<i64>,
    /// The typical interval of all triggers, paired or not; 0 when there are fewer than two.
    pub(super) interval_ps: f64,
    /// Whether nearly all triggers come at that interval (or, after a loss, at a multiple of it).
    pub(super) regular: bool,
    /// How many triggers had no completion.
    pub(super) missed: usize,
    /// How late the completion usually comes that follows one of these; nothing where none does.
    pub(super) next_completion_ps: Option<f64>,
    /// The step of all times, as far as it is known: the analyser's sample period.
    resolution_ps: f64,
}

impl Series {
    /// A series of paired messages, and the times of all triggers whether paired or not.
    ///
    /// # Panics
    /// When the two slices of paired messages differ in length.
    pub fn new(trigger_ps: &[i64], latency_ps: &[i64], all_triggers_ps: &[i64]) -> Self {
        assert_eq!(trigger_ps.len(), latency_ps.len(), "every paired message has a trigger and a latency");
        let intervals: Vec<f64> = all_triggers_ps.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let interval_ps = median(&intervals);
        let start = trigger_ps.first().copied().unwrap_or(0);
        let chosen = chunks(trigger_ps.len());
        let mut sorted_ps: Vec<i64> = chosen.iter().map(|i| latency_ps[*i]).collect();
        sorted_ps.sort_unstable();
        Self {
            trigger_ps: chosen.iter().map(|i| (trigger_ps[*i] - start) as f64).collect(),
            latency_ps: chosen.iter().map(|i| latency_ps[*i] as f64).collect(),
            sorted_ps,
            interval_ps,
            regular: is_regular(&intervals, interval_ps),
            missed: all_triggers_ps.len().saturating_sub(trigger_ps.len()),
            next_completion_ps: next_completion(trigger_ps, latency_ps, all_triggers_ps),
            resolution_ps: latency_ps.iter().fold(0, |step, latency| greatest_common_divisor(step, *latency))
                as f64,
        }
    }

    /// The same, where the step of all times is known to be no finer than this.
    pub(super) fn in_steps_of(mut self, step_ps: i64) -> Self {
        self.resolution_ps = self.resolution_ps.max(step_ps as f64);
        self
    }

    pub(super) fn len(&self) -> usize {
        self.latency_ps.len()
    }

    /// The `p`-quantile of the latencies; 0 when there are none.
    pub(super) fn quantile_ps(&self, p: f64) -> f64 {
        if self.sorted_ps.is_empty() { 0.0 } else { quantile(&self.sorted_ps, p) }
    }

    /// Patterns finer than this are the analyser's sampling.
    pub(super) fn finest_structure_ps(&self) -> f64 {
        20.0 * self.resolution_ps
    }

    pub(super) fn median_ps(&self) -> f64 {
        self.quantile_ps(0.5)
    }

    pub(super) fn iqr_ps(&self) -> f64 {
        self.quantile_ps(0.75) - self.quantile_ps(0.25)
    }

    /// Times of the done edges, in picoseconds from the first trigger.
    pub(super) fn done_ps(&self) -> Vec<f64> {
        self.trigger_ps.iter().zip(&self.latency_ps).map(|(trigger, latency)| trigger + latency).collect()
    }

    /// The mean trigger interval over the whole run, which is finer than the resolution of one interval.
    pub(super) fn mean_interval_ps(&self) -> f64 {
        let (Some(first), Some(last)) = (self.trigger_ps.first(), self.trigger_ps.last()) else { return 0.0 };
        if self.interval_ps <= 0.0 {
            return 0.0;
        }
        let steps = libm::round((last - first) / self.interval_ps);
        if steps >= 1.0 { (last - first) / steps } else { self.interval_ps }
    }

    /// The number of trigger intervals from the first message to each, whole for regular triggers.
    pub(super) fn steps(&self) -> Vec<f64> {
        let interval_ps = self.mean_interval_ps();
        if self.regular && interval_ps > 0.0 {
            self.trigger_ps.iter().map(|t| libm::round(t / interval_ps)).collect()
        } else {
            (0..self.len()).map(|i| i as f64).collect()
        }
    }

    /// The messages at `keep`, with the same trigger schedule.
    fn subset(&self, keep: impl Fn(f64) -> bool) -> Self {
        let chosen: Vec<usize> = (0..self.len()).filter(|i| keep(self.latency_ps[*i])).collect();
        let latency_ps: Vec<f64> = chosen.iter().map(|i| self.latency_ps[*i]).collect();
        let mut sorted_ps: Vec<i64> = latency_ps.iter().map(|l| *l as i64).collect();
        sorted_ps.sort_unstable();
        let trigger_ps = chosen.iter().map(|i| self.trigger_ps[*i]).collect();
        Self { trigger_ps, latency_ps, sorted_ps, ..*self }
    }

    /// The series without messages that took a whole trigger period longer than usual: with the published
    /// pairing rule those are losses, which the other detectors must not take for latency.
    pub(super) fn without_hidden_losses(&self) -> Self {
        let limit = self.hidden_loss_limit_ps();
        if self.quantile_ps(1.0) < limit { self.clone() } else { self.subset(|latency| latency < limit) }
    }

    /// No message of this trigger interval can take longer and still be its own.
    pub(super) fn hidden_loss_limit_ps(&self) -> f64 {
        if self.regular && self.interval_ps > 0.0 { self.interval_ps } else { f64::INFINITY }
    }
}

/// The median time from a trigger without a completion to the completion of the next message that has one.
fn next_completion(trigger_ps: &[i64], latency_ps: &[i64], all_triggers_ps: &[i64]) -> Option<f64> {
    let mut next = 0;
    let waits = all_triggers_ps.iter().filter_map(|&trigger| {
        next += trigger_ps[next..].iter().take_while(|&&paired| paired < trigger).count();
        let (&paired, latency) = trigger_ps.get(next).zip(latency_ps.get(next))?;
        (paired != trigger).then_some((paired - trigger + latency) as f64)
    });
    let waits: Vec<f64> = waits.collect();
    (!waits.is_empty()).then(|| median(&waits))
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// All indices of a run of `n` messages, or those of evenly spaced chunks where there are too many.
fn chunks(n: usize) -> Vec<usize> {
    if n <= MAX_MESSAGES {
        return (0..n).collect();
    }
    let length = MAX_MESSAGES / CHUNKS;
    (0..CHUNKS).flat_map(|k| (0..length).map(move |i| (n - length) * k / (CHUNKS - 1) + i)).collect()
}

/// Whether at least 95 of 100 intervals are a whole multiple of the typical one, within 1 in 1000.
fn is_regular(intervals: &[f64], interval_ps: f64) -> bool {
    if intervals.len() < 8 || interval_ps <= 0.0 {
        return false;
    }
    let deviations: Vec<f64> = intervals
        .iter()
        .map(|interval| {
            let steps = libm::round(interval / interval_ps).max(1.0);
            (interval / (steps * interval_ps) - 1.0).abs()
        })
        .collect();
    quantile_of(&deviations, 0.95) < 1e-3
}
