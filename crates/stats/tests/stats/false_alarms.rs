//! Data without a pattern gives no finding: white, uniform, exponential, constant and heavy-tailed latencies,
//! with steady and dithered triggers, long and short runs.

use crate::support::{MS, Run, US, random};
use stats::Random;

type Latency = fn(&mut Random) -> f64;

const PATTERNLESS: [(&str, Latency); 6] = [
    ("normal", |r| 20.0 * MS + 1.0 * MS * r.normal()),
    ("uniform", |r| 10.0 * MS + 30.0 * MS * r.unit()),
    ("exponential", |r| 2.0 * MS + 5.0 * MS * r.exponential()),
    ("log-normal", |r| 5.0 * MS * (0.5 * r.normal()).exp()),
    ("constant with jitter of 3 us", |r| 817.0 * MS / 4.0 + 3.0 * US * r.normal()),
    ("sum of two uniform waits", |r| 5.0 * MS + 10.0 * MS * r.unit() + 10.0 * MS * r.unit()),
];

fn assert_silent(name: &str, n: usize, seed: u64, run: &Run) {
    let findings = run.findings();
    assert!(findings.is_empty(), "{name}, n = {n}, seed {seed}: {findings:?}");
}

#[test]
fn patternless_latencies_of_a_steady_trigger_give_no_finding() {
    for (name, latency) in PATTERNLESS {
        for n in [30, 120, 1000] {
            for seed in 0..25 {
                let mut r = random(seed);
                assert_silent(name, n, seed, &Run::steady(n, 250.0 * MS, |_, _| latency(&mut r)));
            }
        }
    }
}

#[test]
fn patternless_latencies_of_a_dithered_trigger_give_no_finding() {
    for (name, latency) in PATTERNLESS {
        for seed in 0..25 {
            let mut r = random(1000 + seed);
            let mut dither = random(seed);
            let mut time = 0.0;
            let times: Vec<f64> = (0..500)
                .map(|_| {
                    time += 230.0 * MS + 60.0 * MS * dither.unit();
                    time
                })
                .collect();
            assert_silent(name, 500, seed, &Run::at(times.into_iter(), &mut |_, _| latency(&mut r)));
        }
    }
}

#[test]
fn slow_messages_that_come_by_chance_are_no_bursts() {
    for (n, slow_share) in [(200, 0.05), (1000, 0.01), (1000, 0.05), (1000, 0.09), (8000, 0.05)] {
        for seed in 0..50 {
            let mut r = random(seed);
            let run = Run::steady(n, 100.0 * MS, |_, _| {
                let slow = if r.unit() < slow_share { 20.0 * MS + 50.0 * MS * r.unit() } else { 0.0 };
                5.0 * MS + 0.2 * MS * r.normal() + slow
            });
            let found = run.finding(stats::detect::Kind::Bursts);
            assert!(found.is_none(), "{slow_share} of {n}, seed {seed}: {found:?}");
        }
    }
}

#[test]
fn a_constant_gives_no_finding() {
    assert_silent("constant", 500, 0, &Run::steady(500, 100.0 * MS, |_, _| 5.0 * MS));
}

#[test]
fn the_analysers_sample_grid_is_no_comb() {
    let mut r = random(1);
    assert_silent("grid", 2000, 1, &Run::steady(2000, 1.0 * MS, |_, _| 0.45 * US + 0.02 * US * r.normal()));
}

#[test]
fn a_handful_of_messages_gives_no_finding() {
    for n in 0..12 {
        let mut r = random(n as u64);
        assert_silent("few", n, n as u64, &Run::steady(n, 100.0 * MS, |_, _| 5.0 * MS + MS * r.unit()));
    }
}
