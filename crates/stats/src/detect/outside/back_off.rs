//! Time-outs that double: few messages take much longer than the others, by a quantum, and by the sums that a time-out makes
//! which doubles each time that it ends in vain. A sender that probes before its first time-out has one quantum more.

use super::exchanges::Exchanges;
use super::{Seen, Shape};
use crate::quantile::{median, quantile_of};

const MIN_MESSAGES: usize = 40;
const MIN_SLOW: usize = 3;
/// What happens more often is no loss.
const MAX_SLOW_SHARE: f64 = 0.3;
/// No time-out is shorter (Linux has 200 ms, RFC 6298 recommends 1 s).
const SHORTEST_PS: f64 = 150e9;
const LONGEST_PS: f64 = 4000e9;
/// A slow message takes this many times the median of all.
const SLOW: f64 = 5.0;
/// Waits in quanta: after one time-out, two and three that double, and the same behind a probe.
const SUMS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 15.0, 16.0];
const TOLERANCE: f64 = 0.2;
const MIN_EXPLAINED: f64 = 0.85;
/// Three quarters of the waits on the first quantum lie this near to one another; a loaded computer makes the others late.
const MAX_FIRST_WIDTH: f64 = 0.08;
const MIN_FIRST_SHARE: f64 = 0.5;

pub(super) fn find(exchanges: &Exchanges) -> Option<Seen> {
    let n = exchanges.len();
    if n < MIN_MESSAGES {
        return None;
    }
    let whole: Vec<f64> =
        exchanges.all.iter().map(|exchange| (exchange.done_ps - exchange.trigger_ps) as f64).collect();
    let usual = median(&whole);
    let mut waits: Vec<f64> = whole
        .iter()
        .map(|latency| latency - usual)
        .filter(|wait| *wait > SHORTEST_PS && *wait > (SLOW - 1.0) * usual)
        .collect();
    waits.sort_by(f64::total_cmp);
    if waits.len() < MIN_SLOW || waits.len() as f64 > MAX_SLOW_SHARE * n as f64 {
        return None;
    }
    let least = waits[0];
    let first: Vec<f64> = waits.iter().copied().filter(|wait| *wait < 1.3 * least).collect();
    let quantum = median(&first);
    let width = quantile_of(&first, 0.75) - quantile_of(&first, 0.05);
    let nearest = |wait: f64| {
        SUMS.iter().copied().min_by(|a, b| (wait / a - quantum).abs().total_cmp(&(wait / b - quantum).abs()))
    };
    let fits =
        |wait: &&f64| nearest(**wait).is_some_and(|sum| (**wait / sum / quantum - 1.0).abs() <= TOLERANCE);
    let explained = waits.iter().filter(fits).count();
    let is_stepped = explained as f64 >= MIN_EXPLAINED * waits.len() as f64
        && first.len() >= MIN_SLOW.min(waits.len())
        && first.len() as f64 >= MIN_FIRST_SHARE * waits.len() as f64
        && width <= MAX_FIRST_WIDTH * quantum;
    let beyond = waits.len() - first.len();
    (is_stepped && quantum <= LONGEST_PS).then(|| {
        Seen::new(Shape::BackOff, waits.iter().sum::<f64>() / exchanges.total_ps(), quantum)
            .with("slow_messages", waits.len() as f64)
            .with("messages", n as f64)
            .with("beyond_the_first", beyond as f64)
            .with("usual_ps", usual)
            .with_list("waits_ps", waits.iter().copied().take(32).collect())
    })
}
