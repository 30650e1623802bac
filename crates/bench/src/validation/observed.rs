//! What a capture holds, as the models need it: when messages were sent, and how long those took that arrived.

use record::{Outcome, Sample};
use units::Picoseconds;

use crate::captures::CaptureResult;

/// The messages of a capture.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Every trigger that was no glitch, ascending.
    pub trigger_ps: Vec<i64>,
    /// The latency of each, where its done edge came.
    pub latency_ps: Vec<Option<i64>>,
}

impl Observed {
    /// The messages of an analysed capture.
    pub fn of(capture: &CaptureResult) -> Self {
        let sent = || capture.samples.iter().filter(|sample| sample.outcome != Outcome::Glitch);
        Self {
            trigger_ps: sent().map(|sample| sample.trigger.ps()).collect(),
            latency_ps: sent().map(|sample| Sample::latency(&sample).map(Picoseconds::ps)).collect(),
        }
    }

    /// The latencies of the messages that arrived, in the order of sending.
    pub fn latencies_ps(&self) -> Vec<i64> {
        self.latency_ps.iter().flatten().copied().collect()
    }

    /// The typical interval between triggers.
    pub fn interval_ps(&self) -> i64 {
        let mut intervals: Vec<i64> = self.trigger_ps.windows(2).map(|pair| pair[1] - pair[0]).collect();
        intervals.sort_unstable();
        intervals.get(intervals.len() / 2).copied().unwrap_or(1_000_000_000_000)
    }

    /// At most `limit` of the messages, evenly taken over the run. Their distance is not one number of messages, which
    /// could be a whole number of rounds of a gate against the triggers.
    pub(super) fn thinned(&self, limit: usize) -> Self {
        let count = self.trigger_ps.len();
        let kept = count.min(limit);
        let take = |n: usize| n * count / kept;
        Self {
            trigger_ps: (0..kept).map(|n| self.trigger_ps[take(n)]).collect(),
            latency_ps: (0..kept).map(|n| self.latency_ps[take(n)]).collect(),
        }
    }
}
