//! A hold: every answer takes the same time, far longer than the way. Where requests come at all phases, it is a time that
//! starts with the request. Where every request comes right after an answer, it may as well be a period that both keep to.

use super::exchanges::Exchanges;
use super::{Seen, Shape};
use crate::quantile::quantile_of;

const MIN_MESSAGES: usize = 24;
/// Two in three answers lie within this part of their median. No timer is early, and a loaded computer makes the slowest answers
/// late, so that these are left out.
const MAX_WIDTH: f64 = 0.05;
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
    let width = exchanges.answer_ps(0.75) - exchanges.answer_ps(0.1);
    if width > MAX_WIDTH * median || median < MIN_HOLD_PS || median < MIN_TIMES_THE_WAY * way {
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
