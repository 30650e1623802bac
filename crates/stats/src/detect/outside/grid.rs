//! A grid: the answers are whole periods apart and the requests are not, so that a message waits for the peer's next look or
//! tick, and the later it comes the shorter it waits. Over many messages that wait is a sawtooth, whose beat is that of the two
//! periods; a client that pauses at random between messages meets every phase of it.
//!
//! Distances of neighbours are looked at, not times: the period of a program that sleeps between looks wanders.

use std::f64::consts::TAU;

use super::exchanges::{Exchanges, differences};
use super::{Seen, Shape};
use crate::quantile::quantile_of;

const MIN_MESSAGES: usize = 24;
/// More distances cost time and tell nothing.
const MOST_DISTANCES: usize = 256;
/// So many are enough to find where to look.
const COARSE_DISTANCES: usize = 48;
const COARSE_AGREEMENT: f64 = 0.65;
const MOST_FREQUENCIES: usize = 4096;
const MOST_PEAKS: usize = 48;
/// Distances of answers agree with the period at least this much; 1 where all are whole periods.
const MIN_AGREEMENT: f64 = 0.8;
/// The longest period is taken whose agreement comes this near to the best.
const NEAR_THE_BEST: f64 = 0.94;
/// How far four in five answers are from the grid at most, over the same of the requests.
const MAX_TIGHTNESS: f64 = 0.5;
/// Requests that are nearer to the grid than this part of the period do not show whether they are free of it.
const MIN_FREEDOM: f64 = 0.02;
/// A wait that is less of a message is not worth telling.
const MIN_SHARE: f64 = 0.1;
/// A grid that this computer's scheduler makes is finer.
const MIN_PERIOD_PS: f64 = 0.5e9;

pub(super) fn find(exchanges: &Exchanges) -> Option<Seen> {
    if exchanges.len() < MIN_MESSAGES || !exchanges.is_one_at_a_time() {
        return None;
    }
    // The first request comes right after its connection, at any phase; the others may not.
    let done: Vec<f64> = exchanges.all.iter().skip(1).map(|exchange| exchange.done_ps as f64).collect();
    let answers = first(differences(&done));
    let requests = first(differences(&exchanges.asked_ps()[1..]));
    let frequency = longest_period(&answers, exchanges)?;
    let period_ps = 1.0 / frequency;
    let (of_answers, of_requests) =
        (distance_to_grid(&answers, frequency), distance_to_grid(&requests, frequency));
    let is_locked = of_answers <= MAX_TIGHTNESS * of_requests && of_requests >= MIN_FREEDOM;
    let pauses = exchanges.pauses_ps();
    let pause_range = quantile_of(&pauses, 0.95) - quantile_of(&pauses, 0.05);
    let median = exchanges.answer_ps(0.5);
    // Where not every phase was met, no message is known that did not wait.
    let range_ps = exchanges.answer_ps(0.98) - exchanges.answer_ps(0.02);
    let is_whole = range_ps > 0.8 * period_ps;
    let without = if is_whole { exchanges.answer_ps(0.02) } else { exchanges.way_ps.unwrap_or(0.0) };
    let share = (median - without) / median;
    // A message that waits waits for a part of the period: what takes many of them does something else.
    let fits = exchanges.answer_ps(0.9) - exchanges.answer_ps(0.1) <= 1.1 * period_ps;
    let is_grid = is_locked && fits && share >= MIN_SHARE && period_ps >= MIN_PERIOD_PS;
    is_grid.then(|| {
        Seen::new(Shape::Grid, share, period_ps)
            .with("agreement_of_answers", agreement(&answers, frequency))
            .with("agreement_of_requests", agreement(&requests, frequency))
            .with("spread_ps", of_answers * period_ps)
            .with("shortest_ps", exchanges.answer_ps(0.02))
            .with("longest_ps", exchanges.answer_ps(0.98))
            .with("pause_range_ps", pause_range)
            .with("without_ps", without)
            .with("beat_ps", beat(&requests, period_ps))
    })
}

fn first(mut distances: Vec<f64>) -> Vec<f64> {
    distances.truncate(MOST_DISTANCES);
    distances
}

/// The lowest frequency of which the distances are nearly all whole numbers of periods.
fn longest_period(distances: &[f64], exchanges: &Exchanges) -> Option<f64> {
    let longest = quantile_of(distances, 0.5).max(exchanges.answer_ps(0.95));
    let range = (exchanges.answer_ps(0.95) - exchanges.answer_ps(0.05)).max(longest / 40.0);
    let lowest = 0.9 / longest;
    let step = 0.05 / quantile_of(distances, 0.95);
    let count = ((1.8 / range - lowest) / step).clamp(0.0, MOST_FREQUENCIES as f64) as usize;
    let coarse = &distances[..distances.len().min(COARSE_DISTANCES)];
    let values: Vec<f64> = (0..count).map(|i| agreement(coarse, lowest + i as f64 * step)).collect();
    let is_peak = |i: &usize| {
        let before = i.checked_sub(1).map_or(f64::MIN, |i| values[i]);
        let after = values.get(i + 1).copied().unwrap_or(f64::MIN);
        values[*i] >= COARSE_AGREEMENT && values[*i] >= before && values[*i] > after
    };
    let peaks = (0..count).filter(is_peak).take(MOST_PEAKS);
    let likely: Vec<(f64, f64)> = peaks.map(|i| climb(distances, lowest + i as f64 * step, step)).collect();
    let best = likely.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let enough = MIN_AGREEMENT.max(NEAR_THE_BEST * best);
    likely.into_iter().find(|(_, value)| *value >= enough).map(|(frequency, _)| frequency)
}

/// The frequency of best agreement within `reach` of one, and that agreement.
fn climb(distances: &[f64], near: f64, reach: f64) -> (f64, f64) {
    let (mut best, mut step) = ((near, agreement(distances, near)), reach);
    for _ in 0..10 {
        step /= 2.0;
        for frequency in [best.0 - step, best.0 + step] {
            let value = agreement(distances, frequency);
            if value > best.1 {
                best = (frequency, value);
            }
        }
    }
    best
}

/// 1 where every distance is a whole number of periods, about 0 where they have nothing to do with it.
fn agreement(distances: &[f64], frequency: f64) -> f64 {
    let sum: f64 = distances.iter().map(|distance| libm::cos(TAU * (distance * frequency).fract())).sum();
    sum / distances.len().max(1) as f64
}

/// How far four in five distances are from a whole number of periods at most, in periods.
fn distance_to_grid(distances: &[f64], frequency: f64) -> f64 {
    let off: Vec<f64> = distances
        .iter()
        .map(|distance| {
            let turns = distance * frequency;
            (turns - libm::round(turns)).abs()
        })
        .collect();
    quantile_of(&off, 0.8)
}

/// After how long a steady request meets the same phase again; 0 where requests are not steady.
fn beat(requests: &[f64], period_ps: f64) -> f64 {
    let interval = quantile_of(requests, 0.5);
    let is_steady = quantile_of(requests, 0.9) - quantile_of(requests, 0.1) < 0.02 * period_ps;
    let turns = interval / period_ps;
    let slip = (turns - libm::round(turns)).abs();
    if is_steady && slip > 1e-3 { interval / slip } else { 0.0 }
}
