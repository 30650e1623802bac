//! The rest of an answer comes a fixed time after its first byte. 40 ms and 200 ms are the delays of an acknowledgement, for
//! which a sender waits that holds back what is less than a segment.

use super::exchanges::Exchanges;
use super::{Seen, Shape};
use crate::quantile::{median, quantile_of};

const MIN_MESSAGES: usize = 10;
/// No acknowledgement is delayed by less or by more (RFC 1122, 4.2.3.2: under 0.5 s).
const SHORTEST_PS: f64 = 25e9;
const LONGEST_PS: f64 = 500e9;
/// Messages of which the rest is late.
const MIN_LATE_SHARE: f64 = 0.1;
/// Late rests that are whole numbers of the quantum.
const MIN_EXPLAINED: f64 = 0.85;
const TOLERANCE: f64 = 0.12;
const MOST_QUANTA: f64 = 8.0;

pub(super) fn find(exchanges: &Exchanges) -> Option<Seen> {
    let rests: Vec<f64> = exchanges
        .all
        .iter()
        .filter_map(|exchange| exchange.first_byte_ps.map(|first| (exchange.done_ps - first) as f64))
        .collect();
    let late: Vec<f64> = rests.iter().copied().filter(|rest| *rest >= SHORTEST_PS).collect();
    if rests.len() < MIN_MESSAGES || (late.len() as f64) < (MIN_LATE_SHARE * rests.len() as f64).max(5.0) {
        return None;
    }
    let rough = quantile_of(&late, 0.2);
    let quanta = |rest: f64| libm::round(rest / rough).clamp(1.0, MOST_QUANTA);
    let each: Vec<f64> = late.iter().map(|rest| rest / quanta(*rest)).collect();
    let quantum = median(&each);
    let explained = each.iter().filter(|one| (**one / quantum - 1.0).abs() <= TOLERANCE).count();
    let is_fixed = explained as f64 >= MIN_EXPLAINED * each.len() as f64;
    (is_fixed && quantum <= LONGEST_PS).then(|| {
        Seen::new(Shape::LateRest, late.iter().sum::<f64>() / exchanges.total_ps(), quantum)
            .with("late_share", late.len() as f64 / rests.len() as f64)
            .with("way_ps", exchanges.way_ps.unwrap_or(0.0))
            .with("quanta", late.iter().map(|rest| quanta(*rest)).sum::<f64>() / late.len() as f64)
    })
}
