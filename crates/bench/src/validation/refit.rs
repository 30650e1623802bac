//! A constant fitted again, on other captures than those that it was fitted on: with phases unknown, on captures that met nearly
//! all of them. Elsewhere a phase would hide what a constant does.

use links::Params;

use super::fit::sorted;
use super::leave_one_out::Judged;
use super::ledger::{COVERED, phase_free};

/// A constant is sought between these multiples of its value.
pub(super) const FACTORS: (f64, f64) = (0.5, 1.5);
/// Runs of a hundred messages by which two values of a constant are compared.
const RUNS: u64 = 20;
/// Other captures that a constant is fitted on at most, evenly taken.
const MOST_OTHERS: usize = 6;
/// Steps of the golden section.
const STEPS: usize = 10;
/// A smaller change of the distance, as a share of the latency, tells nothing.
const TELLING: f64 = 1e-4;

/// Other captures of the same link that met nearly all phases.
pub(super) struct Others<'a>(Vec<&'a Judged>);

impl<'a> Others<'a> {
    pub(super) fn of(one: &Judged, all: &'a [Judged]) -> Self {
        let tells = |other: &&Judged| {
            other.case.rule.link == one.case.rule.link
                && other.case.name != one.case.name
                && other.rows.first().is_some_and(|row| row.phase_coverage >= COVERED)
        };
        let found: Vec<&Judged> = all.iter().filter(tells).collect();
        let kept = found.len().min(MOST_OTHERS);
        Self((0..kept).map(|n| found[n * found.len() / kept]).collect())
    }

    /// The multiple of a constant with which the model is nearest to the captures; nothing where it makes no difference.
    pub(super) fn refit(&self, params: &Params, name: &str) -> Option<f64> {
        let cost = |factor: f64| -> f64 {
            let scaled = params.scaled(name, factor);
            self.0.iter().map(|other| distance(&scaled, other)).sum()
        };
        let (mut low, mut high) = FACTORS;
        let costs = [cost(low), cost(1.0), cost(high)];
        let spread = costs.iter().fold(0.0, |most: f64, cost| most.max((cost - costs[1]).abs()));
        if self.0.is_empty() || spread < TELLING * self.0.len() as f64 {
            return None;
        }
        let golden = (libm::sqrt(5.0) - 1.0) / 2.0;
        let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_left, mut at_right) = (cost(left), cost(right));
        for _ in 0..STEPS {
            if at_left <= at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - golden * (high - low);
                at_left = cost(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + golden * (high - low);
                at_right = cost(right);
            }
        }
        Some(f64::midpoint(low, high))
    }
}

/// How far the model is from a capture, as a share of its median.
fn distance(params: &Params, other: &Judged) -> f64 {
    let case = &other.case;
    let model = phase_free(&|| case.program(params), case.bytes, &case.observed, case.seed, RUNS);
    let (real, model) = (sorted(other.evened.iter()), sorted(model.iter().flatten()));
    if model.is_empty() {
        return 1.0;
    }
    stats::wasserstein_ps(&real, &model) / stats::quantile(&real, 0.5)
}
