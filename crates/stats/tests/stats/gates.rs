//! Gates and the phases that a run visits, on links whose gate is known because we built it in.

use crate::support::{MS, Run, US, period_ms, random, wait_for_gate};
use stats::detect::{Evidence, Kind, Settings};

#[test]
fn a_slot_is_found_with_its_period() {
    let mut noise = random(1);
    let run = Run::steady(1000, 250.0 * MS, |_, t| {
        wait_for_gate(t, 115.65 * MS, 3.0 * MS) + 8.8 * MS + 2.0 * MS * noise.unit()
    });
    let gate = run.finding(Kind::Gate).unwrap();
    assert!((period_ms(&gate) - 115.65).abs() < 0.01, "{gate:?}");
    assert!(gate.number("coherence_done").unwrap() > 0.95);
    assert!(gate.number("coherence_trigger").unwrap() < 0.1);
}

#[test]
fn the_longest_period_that_fits_is_reported_and_its_parts_as_aliases() {
    let run = Run::steady(800, 251.0 * MS, |_, t| wait_for_gate(t, 30.0 * MS, 0.0) + 1.5 * MS);
    let gate = run.finding(Kind::Gate).unwrap();
    assert!((period_ms(&gate) - 30.0).abs() < 0.001);
    let Some((_, Evidence::List(aliases))) = gate.evidence.iter().find(|(name, _)| *name == "aliases_ps")
    else {
        panic!("aliases are a list: {gate:?}")
    };
    let parts: Vec<f64> = aliases.iter().map(|alias| (30.0 * MS / alias).round()).collect();
    assert_eq!(parts, [2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn a_gate_is_found_with_an_irregular_trigger() {
    let mut dither = random(2);
    let mut time = 0.0;
    let times: Vec<f64> = (0..600)
        .map(|_| {
            time += 100.0 * MS + 60.0 * MS * dither.unit();
            time
        })
        .collect();
    let run = Run::at(times.into_iter(), &mut |_, t: f64| wait_for_gate(t, 50.0 * MS, 0.0) + 1.4 * MS);
    let findings = run.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!((period_ms(&findings[0]) - 50.0).abs() < 0.001);
}

#[test]
fn a_steady_trigger_that_visits_few_phases_is_warned_of() {
    // 200 ms against 30 ms: three phases, 10 ms apart, creeping with 14 ppm.
    let run = Run::steady(1000, 200.0 * MS * (1.0 - 14e-6), |_, t| {
        wait_for_gate(t, 30.0 * MS, 4.0 * MS) + 1.4 * MS
    });
    let findings = run.findings();
    assert!((period_ms(&findings[0]) - 30.0).abs() < 0.001, "{findings:?}");
    let coverage = findings.iter().find(|finding| finding.kind == Kind::PhaseCoverage).unwrap();
    assert_eq!(coverage.number("phases"), Some(3.0));
    assert!((coverage.number("phase_step_ps").unwrap() / MS - 10.0).abs() < 0.001);
    assert!(coverage.number("covered_share").unwrap() < 0.5);
    assert!(!findings.iter().any(|finding| finding.kind == Kind::Comb), "bands are no retries: {findings:?}");
}

#[test]
fn a_gate_that_divides_the_trigger_interval_is_a_frozen_phase_without_a_period() {
    // A 10 ms tick, a trigger every 100 ms, and clocks that differ by 11 ppm: 1.1 us per trigger.
    let mut noise = random(3);
    let run = Run::steady(400, 100.0 * MS, |_, t| {
        wait_for_gate(t, 10.0 * MS * (1.0 + 11e-6), 4.7 * MS) + 0.9 * MS + 20.0 * US * noise.normal()
    });
    let findings = run.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let frozen = &findings[0];
    assert_eq!((frozen.kind, frozen.period_ps), (Kind::FrozenPhase, None));
    assert!((frozen.number("drift_per_trigger_ps").unwrap() / US - 1.1).abs() < 0.1);
    assert!((frozen.number("covered_ps").unwrap() / MS - 0.44).abs() < 0.04);
    let candidates = frozen.evidence.iter().find(|(name, _)| *name == "candidate_periods_ps").unwrap();
    assert!(format!("{:?}", candidates.1).contains("10000000000.0"), "{candidates:?}");
}

#[test]
fn a_frozen_phase_has_a_period_when_the_user_names_the_gate() {
    let mut noise = random(4);
    let run = Run::steady(400, 100.0 * MS, |_, t| {
        wait_for_gate(t, 10.0 * MS * (1.0 + 11e-6), 4.7 * MS) + 0.9 * MS + 20.0 * US * noise.normal()
    });
    let findings = run.findings_with(Settings { gate_ps: Some(10_000_000_000), ..Settings::default() });
    let frozen = findings.iter().find(|finding| finding.kind == Kind::FrozenPhase).unwrap();
    assert_eq!(frozen.period_ps, Some(10_000_000_000));
    assert!((frozen.number("covered_share").unwrap() - 0.044).abs() < 0.005, "{frozen:?}");
}

#[test]
fn a_tick_that_the_run_crosses_once_is_named_by_the_fall() {
    // 10 ppm against a 10 ms tick, 300 ms triggers: the phase creeps 3 us per trigger and comes round in the run.
    let mut noise = random(5);
    let run = Run::steady(1000, 300.0 * MS, |_, t| {
        wait_for_gate(t, 10.0 * MS * (1.0 + 10e-6), 8.5 * MS) + 1.7 * MS + 1.0 * MS * noise.exponential()
    });
    let gate = run.finding(Kind::Gate).unwrap();
    assert!((period_ms(&gate) - 10.0).abs() < 0.01, "{gate:?}");
    assert!((gate.number("crossing_fall_ps").unwrap().abs() / MS - 10.0).abs() < 1.0);
}

#[test]
fn a_gate_that_divides_the_trigger_interval_is_named_by_messages_that_wait_once_more() {
    // A connection event is missed in 7 of 100 cases; 250 ms is five connection intervals of 50 ms.
    let mut noise = random(6);
    let run = Run::steady(1000, 250.0 * MS, |_, t| {
        let missed = if noise.unit() < 0.07 { 50.0 * MS } else { 0.0 };
        wait_for_gate(t, 50.0 * MS * (1.0 - 20e-6), 43.0 * MS) + 2.0 * MS + missed
    });
    let gate = run.finding(Kind::Gate).unwrap();
    assert!((period_ms(&gate) - 50.0).abs() < 0.01, "{gate:?}");
    assert!(run.finding(Kind::FrozenPhase).is_some());
}

#[test]
fn a_receiver_that_also_waits_for_a_tick_shows_both_periods() {
    let mut noise = random(7);
    let run = Run::steady(750, 400.0 * MS, |_, t| {
        let beacon = t + wait_for_gate(t, 102.4 * MS, 0.0) + 20.0 * MS + 1.0 * MS * noise.exponential();
        beacon + wait_for_gate(beacon, 10.0 * MS * (1.0 + 9e-6), 0.0) - t
    });
    let periods: Vec<f64> =
        run.findings().iter().filter(|f| matches!(f.kind, Kind::Gate | Kind::Comb)).map(period_ms).collect();
    assert!(periods.iter().any(|p| (p - 102.4).abs() < 0.05), "{periods:?}");
    assert!(periods.iter().any(|p| (p - 10.0).abs() < 0.05), "{periods:?}");
}

#[test]
fn a_bit_clock_thousands_of_times_faster_than_the_trigger_is_found_with_its_uncertainty() {
    let mut noise = random(8);
    let bit = 8.667 * US;
    let run = Run::steady(1100, 5.0 * MS, |_, t| {
        1040.0 * US + wait_for_gate(t, bit, 0.0) + 0.1 * US * noise.unit()
    });
    let gate = run.finding(Kind::Gate).unwrap();
    let uncertainty = gate.number("period_uncertainty_ps").unwrap();
    assert!((gate.period_ps.unwrap() as f64 - bit).abs() < uncertainty.max(0.05 * US), "{gate:?}");
}
