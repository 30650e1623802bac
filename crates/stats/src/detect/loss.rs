//! Losses that pass for latency: a pairing rule that takes the next completion for a lost message's adds one
//! trigger period to it.

use super::finding::{Finding, Kind};
use super::series::Series;
use crate::quantile::quantile_of;

/// Says how many messages were lost, or hide in the latencies as losses.
///
/// With a steady trigger a message that took longer than a trigger period, by about a usual latency, was
/// completed by the next one's done edge. Where the pairing counted losses apart, the finding says what the
/// simple rule would have made of them.
pub(super) fn find(series: &Series) -> Option<Finding> {
    let limit = series.hidden_loss_limit_ps();
    let (hidden, usual): (Vec<f64>, Vec<f64>) = series.latency_ps.iter().copied().partition(|l| *l >= limit);
    let typical = quantile_of(&usual, 0.5);
    let spread = quantile_of(&usual, 0.99) - quantile_of(&usual, 0.01);
    let explained = hidden.iter().filter(|latency| {
        let beyond = *latency % limit;
        (beyond - typical).abs() <= spread.max(0.1 * limit)
    });
    let hidden_losses = explained.count();
    if hidden_losses > 0 && !usual.is_empty() && hidden_losses * 2 >= hidden.len() {
        let messages = series.len() as f64;
        return Some(
            Finding::new(Kind::LossAsLatency, hidden_losses as f64 / hidden.len() as f64, None)
                .with("hidden_losses", hidden_losses as f64)
                .with("share", hidden_losses as f64 / messages)
                .with("messages", messages)
                .with("trigger_interval_ps", series.interval_ps)
                .with("late_offset_ps", series.interval_ps)
                .with("typical_ps", typical),
        );
    }
    let triggers = (series.len() + series.missed) as f64;
    if series.missed == 0 || series.len() == 0 {
        return None;
    }
    let found = Finding::new(Kind::LossAsLatency, 1.0, None)
        .with("missed", series.missed as f64)
        .with("share", series.missed as f64 / triggers)
        .with("messages", triggers)
        .with("trigger_interval_ps", series.interval_ps);
    Some(match series.next_completion_ps {
        Some(late_ps) => found.with("would_read_ps", late_ps),
        None => found,
    })
}
