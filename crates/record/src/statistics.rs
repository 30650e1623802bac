//! What the latencies of a target say, whichever it was: percentiles, their intervals, patterns.

use stats::detect::{Finding, Series, Settings as DetectorSettings};
use stats::{Summary, bootstrap};

/// What the statistics say of the samples of one target.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Percentiles and spread; nothing when no message was paired.
    pub summary: Option<Summary>,
    /// Intervals of the median and the upper quartile.
    pub intervals: Option<IntervalReport>,
    /// Patterns in the latencies.
    pub findings: Vec<Finding>,
    /// How many of the last messages were sent too late for their completion to be seen: these are not lost.
    pub unfinished: usize,
}

/// Intervals of the median and the upper quartile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalReport {
    /// Of the median, in picoseconds.
    pub median_ps: (f64, f64),
    /// Of the upper quartile, in picoseconds.
    pub upper_quartile_ps: (f64, f64),
    /// The confidence of both.
    pub confidence: f64,
    /// How many independent samples the run is worth.
    pub effective_n: f64,
}

fn interval_report(latency_ps: &[i64], seed: u64) -> Option<IntervalReport> {
    let intervals = bootstrap::intervals(latency_ps, &[0.5, 0.75], seed)?;
    Some(IntervalReport {
        median_ps: intervals.bounds_ps[0],
        upper_quartile_ps: intervals.bounds_ps[1],
        confidence: intervals.confidence,
        effective_n: intervals.dependence.effective_n,
    })
}

/// Statistics of paired samples: trigger times and latencies of paired messages, the times of all triggers that
/// were sent, and the end of the recording. Without `findings` only the latencies are looked at.
pub fn statistics(
    trigger_ps: &[i64],
    latency_ps: &[i64],
    sent_ps: &[i64],
    end_ps: i64,
    seed: u64,
    with_intervals: bool,
    findings: Option<DetectorSettings>,
) -> Statistics {
    let intervals = if with_intervals { interval_report(latency_ps, seed) } else { None };
    let summary = Summary::of(latency_ps);
    let usual_ps = summary.map_or(0, |summary| summary.p99 as i64);
    let recorded = recorded_long_enough(trigger_ps, sent_ps, end_ps - usual_ps);
    let unfinished = sent_ps.len() - recorded.len();
    let found = findings
        .map(|settings| stats::detect::detect(&Series::new(trigger_ps, latency_ps, &recorded), settings));
    Statistics { summary, intervals, findings: found.unwrap_or_default(), unfinished }
}

/// The triggers whose completion the recording would have seen: a message that was sent just before the end is
/// not lost because the recording is too short for it.
fn recorded_long_enough(paired_ps: &[i64], sent_ps: &[i64], latest_ps: i64) -> Vec<i64> {
    let last_paired_ps = paired_ps.last().copied().unwrap_or(i64::MIN);
    sent_ps.iter().copied().filter(|sent| *sent <= latest_ps.max(last_paired_ps)).collect()
}
