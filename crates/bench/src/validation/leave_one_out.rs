//! Leaving one out: what was fitted on a capture is fitted on the link's other captures, and the model then predicts this
//! one. A capture that no constant was fitted on is predicted blind as it is.
//!
//! A constant that none of the others tells may be anything between half and one and a half times its value: a row keeps its
//! goals without it where it keeps them at both ends. How a constant is fitted again is in `refit`.

use links::Params;
use rayon::prelude::*;
use record::Control;
use serde::Serialize;

use super::ledger::{Case, LedgerRow};
use super::refit::{FACTORS, Others};
use super::rules::matches;

/// A row without what its own capture told.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LeftOut {
    /// The constants that were fitted on this capture and are fitted on others here, or have another's value; none where the
    /// row is not judged.
    pub refitted: Vec<String>,
    /// Those that no other capture tells.
    pub untold: Vec<String>,
    /// Model over capture - 1.
    pub median_error: f64,
    /// Of the upper quartile.
    pub upper_quartile_error: f64,
    /// Kolmogorov-Smirnov distance beyond the resolution floor.
    pub ks: f64,
    /// Whether the goals of the class are met, at both ends of what untold constants may be; nothing where the row is not
    /// judged.
    pub passes: Option<bool>,
}

/// A capture with its rows.
pub(super) struct Judged {
    pub(super) case: Case,
    pub(super) rows: Vec<LedgerRow>,
    /// Its latencies as if all phases had been met alike, where nearly all were met.
    pub(super) evened: Vec<i64>,
}

impl Judged {
    pub(super) fn new(case: Case) -> Self {
        let (rows, evened) = case.judged(case.link.params());
        Self { case, rows, evened }
    }
}

/// Fills in what each row is where its capture is left out.
pub(super) fn leave_each_out(judged: &mut [Judged], control: &Control) {
    let found: Vec<Vec<LeftOut>> = judged
        .par_iter()
        .with_max_len(1)
        .map(|one| {
            let found = if control.is_stopped() { Vec::new() } else { left_out(one, judged) };
            control.advance(1);
            found
        })
        .collect();
    for (one, found) in judged.iter_mut().zip(found) {
        for (row, left_out) in one.rows.iter_mut().zip(found) {
            row.leave_one_out = left_out;
        }
    }
}

fn left_out(one: &Judged, all: &[Judged]) -> Vec<LeftOut> {
    let in_view = fitted_on(one.case.link.params(), &one.case.name);
    let is_judged = one.rows.iter().any(|row| row.passes.is_some());
    if in_view.is_empty() || !is_judged {
        return one.rows.iter().map(|row| of_row(row, &[], &[])).collect();
    }
    let others = Others::of(one, all);
    let mut params = one.case.link.params().clone();
    let (mut refitted, mut untold) = (Vec::new(), Vec::new());
    for name in in_view {
        let fitted = others.refit(&params, &name).map(|factor| params.scaled(&name, factor));
        match fitted.or_else(|| params.stood_in(&name)) {
            Some(told) => {
                params = told;
                refitted.push(name);
            }
            None => untold.push(name),
        }
    }
    let rows = if refitted.is_empty() { one.rows.clone() } else { one.case.rows(&params) };
    let mut found: Vec<LeftOut> = rows.iter().map(|row| of_row(row, &refitted, &untold)).collect();
    for factor in [FACTORS.0, FACTORS.1] {
        if !untold.is_empty() && found.iter().any(|row| row.passes == Some(true)) {
            let end = untold.iter().fold(params.clone(), |end, name| end.scaled(name, factor));
            for (row, at_end) in found.iter_mut().zip(one.case.rows(&end)) {
                row.passes = row.passes.map(|kept| kept && at_end.passes != Some(false));
            }
        }
    }
    found
}

fn of_row(row: &LedgerRow, refitted: &[String], untold: &[String]) -> LeftOut {
    LeftOut {
        refitted: refitted.to_vec(),
        untold: untold.to_vec(),
        median_error: row.median_error,
        upper_quartile_error: row.upper_quartile_error,
        ks: row.ks,
        passes: row.passes,
    }
}

/// The constants that were fitted on a capture.
fn fitted_on(params: &Params, capture: &str) -> Vec<String> {
    let capture = capture.rsplit_once('.').map_or(capture, |(stem, _)| stem);
    let fitted = params
        .iter()
        .filter(|(_, param)| param.captures.iter().flatten().any(|pattern| matches(pattern, capture)));
    fitted.map(|(name, _)| name.to_owned()).filter(|name| params.is_size(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::{Observed, rule_of};
    use links::{Schedule, Simulation, find};
    use units::Picoseconds;

    #[test]
    fn a_constant_names_the_captures_that_it_was_fitted_on() {
        let hc05 = find("hc05").unwrap();
        let found = fitted_on(hc05.params(), "hc-05/57600-12B.csv");
        assert!(found.iter().any(|name| name == "processing"), "{found:?}");
        assert!(!found.iter().any(|name| name == "stretch"), "{found:?}");
    }

    /// Two captures of nRF24 that a model made whose acknowledgements are lost more seldom than the real ones.
    fn made(lost: f64) -> Vec<Judged> {
        let link = find("nrf24").unwrap();
        let params = link.params().scaled("acknowledgement_lost", lost);
        let judge = |name: &str| {
            let rule = rule_of(name).unwrap();
            let settings = link
                .settings_with(rule.set.iter().map(|(name, value)| (name.as_str(), value.as_str())))
                .unwrap();
            let program = link.program_of(&settings, &params).unwrap();
            let schedule = Schedule::Fixed { period: Picoseconds::from_ns(200_000_000) };
            let run = Simulation::new(program, 1024, &schedule, 1_000, 5, name, 0).run();
            let observed = Observed {
                trigger_ps: run.iter().map(|sample| sample.trigger.ps()).collect(),
                latency_ps: run
                    .iter()
                    .map(|sample| sample.done.map(|done| (done - sample.trigger).ps()))
                    .collect(),
            };
            Judged::new(Case::new(rule, name, 1024, observed, 1).unwrap())
        };
        vec![judge("nrf24/256kbps-1024B.csv"), judge("nrf24/2Mbps-1024B.csv")]
    }

    #[test]
    fn a_constant_of_one_capture_is_found_from_the_other() {
        let mut judged = made(0.7);
        assert!(judged[0].rows[0].median_error > 0.02, "{}", judged[0].rows[0].median_error);
        leave_each_out(&mut judged, &Control::default());
        let left_out = &judged[0].rows[0].leave_one_out;
        assert!(left_out.refitted.iter().any(|name| name == "acknowledgement_lost"), "{left_out:?}");
        assert!(left_out.median_error.abs() < 0.02, "{left_out:?}");
        // The share was not fitted on the other one, which has it as it is.
        let other = &judged[1].rows[0].leave_one_out;
        assert!(
            !other.refitted.iter().chain(&other.untold).any(|name| name == "acknowledgement_lost"),
            "{other:?}"
        );
    }

    #[test]
    fn a_constant_that_no_other_capture_tells_is_named() {
        let mut judged = made(1.0);
        judged.truncate(1);
        leave_each_out(&mut judged, &Control::default());
        let left_out = &judged[0].rows[0].leave_one_out;
        assert!(left_out.untold.iter().any(|name| name == "acknowledgement_lost"), "{left_out:?}");
        // The row rests on it: at half its value the model is elsewhere.
        assert_eq!((judged[0].rows[0].passes, left_out.passes), (Some(true), Some(false)));
    }
}
