//! Patterns in latencies that name their cause: gates, frozen phases, combs, steps, drift, bursts and losses
//! that pass for latency.
//!
//! Each detector answers from its own test and gives figures as evidence; sentences are made of them in the
//! Python package's `explain`. A pattern that another one explains is not reported twice: [`detect`] knows the
//! order. Data without a pattern must give no finding; `tests/false_alarms.rs` holds the detectors to that.

mod bursts;
mod comb;
mod coverage;
mod drift;
mod finding;
mod gate;
mod loss;
mod outside;
mod series;
mod spectrum;
mod steps;
mod tick_crossing;

pub use finding::{Evidence, Finding, Kind};
pub use outside::{Exchange, Exchanges, Seen, Shape, seen_from_outside};
pub use series::Series;

use coverage::Coverage;
use units::PS_PER_S;

/// What a user knows beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    /// A gate period that is known, for example an OS tick of 10 ms.
    pub gate_ps: Option<i64>,
    /// The step of all times, where that does not show in them: an analyser's sample period, a processor's cycle.
    pub step_ps: Option<i64>,
}

impl Settings {
    /// Of something whose clock is known: all that it does takes whole cycles.
    pub fn of_clock(clock_hz: u64) -> Self {
        let step_ps = PS_PER_S.checked_div(clock_hz.cast_signed());
        Self { step_ps, ..Self::default() }
    }
}

/// All findings of one capture, most confident first within the order of detectors.
pub fn detect(series: &Series, settings: Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(loss::find(series));
    let typical = series.without_hidden_losses().in_steps_of(settings.step_ps.unwrap_or(0));
    let comb = comb::find(&typical);
    let gates = gate::find(&typical, comb.as_ref());
    let crossing = if gates.is_empty() { tick_crossing::find(&typical) } else { None };

    let coverages: Vec<Coverage> = match (settings.gate_ps, &crossing) {
        (Some(period_ps), _) => Coverage::of_known_gate(&typical, period_ps as f64).into_iter().collect(),
        (None, Some(crossing)) => {
            vec![Coverage::of_creep(&typical, crossing.period_ps, crossing.per_trigger_ps)]
        }
        (None, None) if gates.is_empty() => Coverage::of_ramp(&typical).into_iter().collect(),
        (None, None) => gates.iter().filter_map(|gate| Coverage::of_gate(&typical, gate)).collect(),
    };
    let ramp_is_phase = coverages.iter().any(Coverage::explains_a_ramp);
    let comb = comb.filter(|comb| !gates.iter().any(|gate| gate.explains_comb(comb)));

    findings.extend(gates.iter().map(gate::Gate::finding));
    findings.extend(crossing.as_ref().map(tick_crossing::TickCrossing::finding));
    findings.extend(coverages.iter().filter_map(|coverage| coverage.finding(&typical)));
    match comb {
        Some(comb) => findings.push(comb.finding(&typical)),
        None => findings.extend(steps::find(&typical, &gates)),
    }
    if gates.is_empty() && crossing.is_none() && !ramp_is_phase {
        findings.extend(drift::find(&typical));
    }
    findings.extend(bursts::find(&typical));
    findings
}
