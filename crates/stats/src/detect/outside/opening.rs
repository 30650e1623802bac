//! Connections that messages open: how much of their time that takes.

use super::exchanges::Exchanges;
use super::{Seen, Shape};
use crate::quantile::median;

const MIN_MESSAGES: usize = 8;
/// Of the messages open one.
const MIN_OPENING_SHARE: f64 = 0.5;
/// Less of a message is not worth a change.
const MIN_SHARE: f64 = 0.2;
/// Shorter openings are this computer's.
const MIN_OPENING_PS: f64 = 0.2e9;

pub(super) fn find(exchanges: &Exchanges) -> Option<Seen> {
    let opened: Vec<(f64, f64)> = exchanges
        .all
        .iter()
        .filter_map(|exchange| {
            let opening = exchange.connect_ps? - exchange.trigger_ps;
            (opening > 0).then_some((opening as f64, (exchange.done_ps - exchange.trigger_ps) as f64))
        })
        .collect();
    if opened.len() < MIN_MESSAGES || (opened.len() as f64) < MIN_OPENING_SHARE * exchanges.len() as f64 {
        return None;
    }
    let openings: Vec<f64> = opened.iter().map(|(opening, _)| *opening).collect();
    let shares: Vec<f64> = opened.iter().map(|(opening, whole)| opening / whole.max(1.0)).collect();
    let (opening, share) = (median(&openings), median(&shares));
    (share >= MIN_SHARE && opening >= MIN_OPENING_PS).then(|| {
        Seen::new(Shape::Opening, share, opening)
            .with("openings", opened.len() as f64)
            .with("messages", exchanges.len() as f64)
    })
}
