//! A hold: every answer takes the same time, far longer than the way. Where requests come at all phases, it is a time that
//! starts with the request. Where every request comes right after an answer, it may as well be a period that both keep to.

use super::exchanges::Exchanges;
use super::{Seen, Shape};
use crate::quantile::quantile_of;

const MIN_MESSAGES: usize = 24;
/// The central half of the answers lies within this part of their median, and the central 70 % within that: a loaded computer
/// makes the slowest answers late.
const MAX_HALF_WIDTH: f64 = 0.04;
const MAX_WIDTH: f64 = 0.1;
/// The answer takes this many times the way, and at least so long.
const MIN_TIMES_THE_WAY: f64 = 8.0;
const MIN_HOLD_PS: f64 = 2e9;
/// Pauses that range over this part of the hold meet enough phases.
const FREE_PAUSES: f64 = 0.4;

pub(super) fn find(exchanges: &Exchanges) -> Option<Seen> {
    let way = exchanges.way_ps?;
    if exchanges.len() < MIN_MESSAGES || !exchanges.is_one_at_a_time() {
        return None;
    }
    let median = exchanges.answer_ps(0.5);
    let half_width = exchanges.answer_ps(0.75) - exchanges.answer_ps(0.25);
    let width = exchanges.answer_ps(0.8) - exchanges.answer_ps(0.1);
    let is_tight = half_width <= MAX_HALF_WIDTH * median && width <= MAX_WIDTH * median;
    if !is_tight || median < MIN_HOLD_PS || median < MIN_TIMES_THE_WAY * way {
        return None;
    }
    let pauses = exchanges.pauses_ps();
    let range = quantile_of(&pauses, 0.95) - quantile_of(&pauses, 0.05);
    let shape = if range >= FREE_PAUSES * median { Shape::Hold } else { Shape::GridOrHold };
    let interval = median + quantile_of(&pauses, 0.5);
    Some(
        Seen::new(shape, (median - way) / median, median)
            .with("width_ps", width)
            .with("way_ps", way)
            .with("pause_range_ps", range)
            .with("interval_ps", interval),
    )
}
