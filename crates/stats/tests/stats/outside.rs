//! Shapes seen from outside: exchanges with peers whose cause is known give that shape and no other, and those of links without
//! one give none.

use crate::support::{MS, US, random};
use stats::Random;
use stats::detect::{Exchange, Exchanges, Seen, Shape, seen_from_outside};

const RUNS: u64 = 100;
const WAY: f64 = 0.4 * MS;

/// A client that sends the next message after a pause, against a peer that answers at times that a rule gives:
/// from the arrival of the request to the first and the last byte of the answer.
fn closed_loop(
    n: usize,
    pause: &mut impl FnMut() -> f64,
    answer: &mut impl FnMut(usize, f64) -> (f64, f64),
) -> Vec<Exchange> {
    let mut now = 3.0 * MS;
    (0..n)
        .map(|index| {
            let trigger = now;
            let connect = (index == 0).then_some(trigger + WAY);
            let asked = connect.unwrap_or(trigger);
            let (first, last) = answer(index, asked + WAY / 2.0);
            now = last + WAY / 2.0 + pause();
            exchange(trigger, connect, first + WAY / 2.0, last + WAY / 2.0)
        })
        .collect()
}

fn exchange(trigger: f64, connect: Option<f64>, first: f64, last: f64) -> Exchange {
    Exchange {
        trigger_ps: trigger as i64,
        connect_ps: connect.map(|ps| ps as i64),
        first_byte_ps: Some(first as i64),
        done_ps: last as i64,
    }
}

fn seen(exchanges: Vec<Exchange>) -> Vec<Seen> {
    seen_from_outside(&Exchanges::new(exchanges, Some(0.1 * MS)))
}

/// The first tick after a time, a little late each time.
fn next_tick(time: f64, period: f64, r: &mut Random) -> f64 {
    (time / period).floor() * period + period + 40.0 * US * r.exponential()
}

/// Runs of a peer with one cause of time: how many name that shape alone and its period to within 3 %.
fn named(shape: Shape, period: f64, run: impl Fn(u64) -> Vec<Exchange>) -> usize {
    (0..RUNS)
        .filter(|seed| {
            let seen = seen(run(*seed));
            let right =
                seen.len() == 1 && seen[0].shape == shape && (seen[0].period_ps / period - 1.0).abs() < 0.03;
            if !right && *seed < 3 {
                eprintln!("{shape:?} of {} ms, seed {seed}: {seen:?}", period / MS);
            }
            right
        })
        .count()
}

#[test]
fn a_client_that_pauses_at_random_sees_the_period_of_a_poll() {
    for period in [10.0 * MS, 64.0 * MS, 102.4 * MS, 250.0 * MS] {
        let count = named(Shape::Grid, period, |seed| {
            let (mut r, mut p) = (random(seed), random(7 + seed));
            closed_loop(120, &mut || period * p.unit(), &mut |_, at| {
                let tick = next_tick(at, period, &mut r);
                (tick, tick)
            })
        });
        assert!(count >= 95, "{count} of {RUNS} at {} ms", period / MS);
    }
}

#[test]
fn a_small_dither_tells_a_poll_from_a_hold() {
    let period = 64.0 * MS;
    let count = named(Shape::Grid, period, |seed| {
        let (mut r, mut p) = (random(seed), random(7 + seed));
        closed_loop(120, &mut || 20.0 * MS * p.unit(), &mut |_, at| {
            let tick = next_tick(at, period, &mut r);
            (tick, tick)
        })
    });
    assert!(count >= 95, "{count} of {RUNS}");
}

#[test]
fn a_steady_probe_beats_with_a_poll() {
    let period = 64.0 * MS;
    for seed in 0..20 {
        let mut r = random(seed);
        let exchanges = (0..200)
            .map(|k| {
                let trigger = f64::from(k) * 150.0 * MS + 20.0 * US * r.unit();
                let done = next_tick(trigger + WAY / 2.0, period, &mut r) + WAY / 2.0;
                exchange(trigger, None, done, done)
            })
            .collect();
        let seen = seen(exchanges);
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert_eq!(seen[0].shape, Shape::Grid);
        assert!((seen[0].period_ps / period - 1.0).abs() < 0.01, "{seen:?}");
        // 150 ms are 2.34 periods: after 1/0.34 requests the phase is the same.
        assert!((seen[0].number("beat_ps").unwrap() / (150.0 * MS / 0.34375) - 1.0).abs() < 0.05, "{seen:?}");
    }
}

#[test]
fn without_a_pause_a_poll_and_a_hold_look_alike() {
    for period in [50.0 * MS, 250.0 * MS] {
        let of_poll = named(Shape::GridOrHold, period, |seed| {
            let mut r = random(seed);
            closed_loop(60, &mut || 5.0 * US, &mut |_, at| {
                let tick = next_tick(at, period, &mut r);
                (tick, tick)
            })
        });
        let of_hold = named(Shape::GridOrHold, period, |seed| {
            let mut r = random(seed);
            closed_loop(60, &mut || 5.0 * US, &mut |_, at| {
                let answered = at + period + 40.0 * US * r.exponential();
                (answered, answered)
            })
        });
        assert!(of_poll >= 95 && of_hold >= 95, "{of_poll} and {of_hold} of {RUNS}");
    }
}

#[test]
fn a_client_that_pauses_at_random_sees_that_a_hold_begins_with_the_request() {
    let hold = 50.0 * MS;
    let count = named(Shape::Hold, hold, |seed| {
        let (mut r, mut p) = (random(seed), random(7 + seed));
        closed_loop(120, &mut || hold * p.unit(), &mut |_, at| {
            let answered = at + hold + 80.0 * US * r.exponential();
            (answered, answered)
        })
    });
    assert!(count >= 95, "{count} of {RUNS}");
}

#[test]
fn the_late_rest_of_an_answer_is_seen() {
    for quantum in [40.0 * MS, 200.0 * MS] {
        let count = named(Shape::LateRest, quantum + WAY + MS, |seed| {
            let mut r = random(seed);
            closed_loop(60, &mut || 5.0 * US, &mut |index, at| {
                let first = at + 200.0 * US + 50.0 * US * r.exponential();
                // The first acknowledgements of a connection are not delayed.
                let wait = if index < 8 { WAY } else { quantum + WAY + 2.0 * MS * r.unit() };
                (first, first + wait)
            })
        });
        assert!(count >= 95, "{count} of {RUNS} at {} ms", quantum / MS);
    }
}

#[test]
fn time_outs_that_double_are_seen() {
    for quantum in [200.0 * MS, 1000.0 * MS] {
        let count = named(Shape::BackOff, quantum, |seed| {
            let mut r = random(seed);
            closed_loop(300, &mut || 5.0 * US, &mut |_, at| {
                let mut answered = at + 300.0 * US + 100.0 * US * r.exponential();
                let mut wait = quantum;
                while r.unit() < 0.06 {
                    answered +=
                        wait + 7.0 * MS * r.unit() + if r.unit() < 0.1 { 30.0 * MS * r.unit() } else { 0.0 };
                    wait *= 2.0;
                }
                (answered, answered)
            })
        });
        assert!(count >= 95, "{count} of {RUNS} at {} ms", quantum / MS);
    }
}

#[test]
fn openings_that_take_much_of_the_time_are_seen() {
    for seed in 0..RUNS {
        let mut r = random(seed);
        let mut now = 0.0;
        let exchanges = (0..50)
            .map(|_| {
                let (trigger, open) = (now, now + 2.0 * MS + 0.2 * MS * r.exponential());
                now = open + 2.5 * MS + 0.5 * MS * r.exponential();
                exchange(trigger, Some(open), now, now)
            })
            .collect();
        let seen = seen(exchanges);
        assert_eq!(seen.iter().map(|one| one.shape).collect::<Vec<_>>(), [Shape::Opening], "seed {seed}");
        assert!((0.3..0.6).contains(&seen[0].share), "{seen:?}");
    }
}

type Latency = fn(&mut Random) -> f64;

const PATTERNLESS: [(&str, Latency); 7] = [
    ("white", |r| 20.0 * MS + 1.0 * MS * r.normal()),
    ("uniform", |r| 10.0 * MS + 30.0 * MS * r.unit()),
    ("exponential", |r| 2.0 * MS + 5.0 * MS * r.exponential()),
    ("exponential of the idle loopback", |r| 0.05 * MS + 0.01 * MS * r.exponential()),
    ("log-normal", |r| 5.0 * MS * (0.5 * r.normal()).exp()),
    ("heavy tail", |r| 1.0 * MS / (1.0 - r.unit()).powf(0.7)),
    ("a program that is preempted now and then", |r| {
        0.06 * MS + 0.004 * MS * r.exponential() + if r.unit() < 0.02 { 4.0 * MS * r.unit() } else { 0.0 }
    }),
];

type Pause = fn(&mut Random) -> f64;

const PAUSES: [(&str, Pause); 3] = [
    ("none", |_| 5.0 * US),
    ("steady", |r| 10.0 * MS + 30.0 * US * r.exponential()),
    ("dithered", |r| 60.0 * MS * r.unit()),
];

#[test]
fn exchanges_without_a_cause_give_no_shape() {
    for (name, latency) in PATTERNLESS {
        for (pauses, pause) in PAUSES {
            for seed in 0..RUNS {
                let n = if seed % 2 == 0 { 300 } else { 30 };
                let (mut r, mut p) = (random(seed), random(7 + seed));
                let exchanges = closed_loop(n, &mut || pause(&mut p), &mut |_, at| {
                    let answered = at + latency(&mut r);
                    (answered, answered)
                });
                let seen = seen(exchanges);
                assert!(seen.is_empty(), "{name}, pauses {pauses}, n {n}, seed {seed}: {seen:?}");
            }
        }
    }
}

#[test]
fn a_steady_probe_of_a_link_without_a_cause_gives_no_shape() {
    for (name, latency) in PATTERNLESS {
        for seed in 0..RUNS {
            let mut r = random(seed);
            let exchanges = (0..100)
                .map(|k| {
                    let trigger = f64::from(k) * 500.0 * MS + 50.0 * US * r.exponential();
                    let done = trigger + latency(&mut r);
                    exchange(trigger, None, done, done)
                })
                .collect();
            let seen = seen(exchanges);
            assert!(seen.is_empty(), "{name}, seed {seed}: {seen:?}");
        }
    }
}

#[test]
fn no_message_and_one_message_give_no_shape() {
    assert!(seen(Vec::new()).is_empty());
    assert!(seen(vec![exchange(0.0, None, 1.0, 2.0)]).is_empty());
}
