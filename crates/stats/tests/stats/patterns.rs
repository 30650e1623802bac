//! Combs, steps, drift, bursts and hidden losses, on links that have them by construction.

use crate::support::{MS, Run, US, period_ms, random};
use stats::detect::{Evidence, Kind, Series, Settings, detect};

#[test]
fn retries_with_a_fixed_delay_are_a_comb() {
    let mut chance = random(1);
    let run = Run::steady(1000, 200.0 * MS, |_, _| {
        let retries = (0..31).filter(|_| chance.unit() < 0.15).count();
        60.0 * MS + 1.375 * MS * retries as f64 + 20.0 * US * chance.normal()
    });
    let findings = run.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].kind, Kind::Comb);
    assert!((period_ms(&findings[0]) - 1.375).abs() < 0.005);
}

#[test]
fn retries_are_a_comb_however_many_messages_need_one() {
    for percent in [3, 10, 18, 20, 21, 22, 23, 24, 30, 40] {
        let is_comb = |seed: u64| {
            let mut chance = random(seed);
            let run = Run::steady(1000, 200.0 * MS, |_, _| {
                let retries = (0..31).find(|_| chance.unit() >= f64::from(percent) / 100.0).unwrap_or(31);
                2.0 * MS + 1.5 * MS * f64::from(retries) + 10.0 * US * chance.normal()
            });
            run.finding(Kind::Comb).is_some_and(|comb| (period_ms(&comb) - 1.5).abs() < 0.02)
        };
        let found = (0..20).filter(|seed| is_comb(*seed)).count();
        assert!(found >= 18, "with {percent} % of retries: {found} of 20");
    }
}

#[test]
fn what_is_finer_than_twenty_steps_of_the_clock_is_no_finding() {
    let mut chance = random(6);
    // Latencies of a processor at 125 MHz: 100 us, and a few times 16 of its cycles.
    let cycle = 0.008 * US;
    let run = Run::steady(1000, 20.0 * MS, |_, _| {
        let laps = (0..8).filter(|_| chance.unit() < 0.4).count();
        100.0 * US + 16.0 * cycle * laps as f64
    });
    // Times that are no whole number of anything, as those of a clock that divides no picosecond.
    let uneven = |times: &[i64]| times.iter().map(|at| at + at % 7).collect::<Vec<i64>>();
    let run = Run { trigger_ps: run.trigger_ps.clone(), latency_ps: uneven(&run.latency_ps) };
    assert!(!run.findings().is_empty());
    let known = Settings { step_ps: Some(cycle as i64), ..Settings::default() };
    let found = run.findings_with(known);
    assert!(
        found
            .iter()
            .all(|one| !matches!(one.kind, Kind::Comb | Kind::Steps | Kind::Gate | Kind::PhaseCoverage)),
        "{found:?}"
    );
}

#[test]
fn two_ways_through_the_firmware_are_steps_with_their_shares() {
    // A DMA transfer that ends on its buffer in a quarter of the cases, else on the idle line one character later.
    let mut chance = random(2);
    let run = Run::steady(1000, 20.0 * MS, |_, _| {
        let idle_line = if chance.unit() < 0.75 { 85.7 * US } else { 0.0 };
        1050.0 * US + idle_line + 3.0 * US * chance.normal()
    });
    let steps = run.finding(Kind::Steps).unwrap();
    let list = |name| match &steps.evidence.iter().find(|(key, _)| *key == name).unwrap().1 {
        Evidence::List(values) => values.clone(),
        Evidence::Number(_) => panic!("{name} is a list"),
    };
    assert!((list("distances_ps")[0] / US - 85.7).abs() < 1.0, "{steps:?}");
    assert!((list("shares")[0] - 0.25).abs() < 0.05, "{steps:?}");
}

#[test]
fn a_link_that_slows_down_as_it_warms_up_drifts() {
    let mut noise = random(3);
    let run = Run::steady(1000, 100.0 * MS, |k, _| {
        2.0 * MS * (1.0 + 0.3 * (1.0 - (-(k as f64) / 300.0).exp())) + 0.1 * MS * noise.normal()
    });
    let drift = run.finding(Kind::Drift).unwrap();
    assert!((drift.number("range_ps").unwrap() / MS - 0.56).abs() < 0.1, "{drift:?}");
}

#[test]
fn slow_messages_that_come_together_are_bursts_with_their_period() {
    let mut noise = random(4);
    let run = Run::steady(1500, 200.0 * MS, |k, _| {
        let scanning = k % 300 >= 40 && k % 300 < 56;
        let scan = if scanning && noise.unit() < 0.7 { 80.0 * MS * noise.unit() + 20.0 * MS } else { 0.0 };
        6.5 * MS + 0.3 * MS * noise.normal() + scan
    });
    let bursts = run.finding(Kind::Bursts).unwrap();
    assert_eq!(bursts.number("bursts"), Some(5.0));
    assert!((bursts.period_ps.unwrap() as f64 / 1e12 - 60.0).abs() < 1.0, "{bursts:?}");
}

#[test]
fn several_short_bursts_are_found_though_chance_may_make_one_of_them() {
    for (bursts, length) in [(3, 8), (5, 8), (8, 6), (10, 5)] {
        for seed in 0..20 {
            let mut noise = random(seed);
            let apart = 1000 / bursts;
            let run = Run::steady(1000, 100.0 * MS, |k, _| {
                let slow =
                    if k % apart < length && k / apart < bursts { 30.0 + 20.0 * noise.unit() } else { 0.0 };
                5.0 * MS + 0.2 * MS * noise.normal() + slow * MS
            });
            let found = run.finding(Kind::Bursts);
            assert!(found.is_some(), "{bursts} of {length} messages, seed {seed}");
            assert_eq!(found.unwrap().number("bursts"), Some(bursts as f64));
        }
    }
}

#[test]
fn a_lost_message_that_was_paired_with_the_next_completion_is_called_a_loss() {
    let mut chance = random(5);
    let run = Run::steady(500, 250.0 * MS, |_, _| {
        let lost = if chance.unit() < 0.02 { 250.0 * MS } else { 0.0 };
        21.4 * MS + 4.0 * US * chance.normal() + lost
    });
    let loss = run.finding(Kind::LossAsLatency).unwrap();
    let truth = run.latency_ps.iter().filter(|latency| **latency > 200_000_000_000).count();
    assert_eq!(loss.number("hidden_losses"), Some(truth as f64));
}

#[test]
fn missed_triggers_say_what_a_simple_rule_would_have_reported() {
    let sent: Vec<i64> = (0..100).map(|k| k * 250_000_000_000).collect();
    let paired: Vec<i64> = sent.iter().copied().filter(|t| t % 2_500_000_000_000 != 0).collect();
    let latencies = vec![21_000_000_000; paired.len()];
    let findings = detect(&Series::new(&paired, &latencies, &sent), Settings::default());
    let loss = findings.iter().find(|finding| finding.kind == Kind::LossAsLatency).unwrap();
    assert_eq!(loss.number("missed"), Some(10.0));
    assert_eq!(loss.number("would_read_ps"), Some(271e9));
}

#[test]
fn what_a_simple_rule_would_have_reported_is_the_time_to_the_next_completion_whenever_triggers_come() {
    // Each message follows the one before, and a lost one is given up after two seconds.
    let (mut now, mut sent, mut paired) = (0, Vec::new(), Vec::new());
    for number in 1..200 {
        sent.push(now);
        if number % 20 == 0 {
            now += 2_000_000_000_000;
        } else {
            paired.push(now);
            now += 5_000_000_000;
        }
    }
    let latencies = vec![4_000_000_000; paired.len()];
    let loss_of = |sent: &[i64], paired: &[i64]| {
        let findings = detect(&Series::new(paired, &latencies[..paired.len()], sent), Settings::default());
        findings.into_iter().find(|finding| finding.kind == Kind::LossAsLatency).unwrap()
    };
    assert_eq!(loss_of(&sent, &paired).number("would_read_ps"), Some(2_004e9));
    let ends_lost = loss_of(&sent[..20], &paired[..19]);
    assert_eq!((ends_lost.number("missed"), ends_lost.number("would_read_ps")), (Some(1.0), None));
}

#[test]
fn findings_are_the_same_in_every_run() {
    let mut noise = random(6);
    let run = Run::steady(300, 100.0 * MS, |_, t| {
        (-t).rem_euclid(15.0 * MS) + 7.0 * MS + 0.2 * MS * noise.normal()
    });
    assert_eq!(run.findings(), run.findings());
}
