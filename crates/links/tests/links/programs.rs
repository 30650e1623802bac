//! How messages walk through a program: frames, attempts, queueing, done, spans; and that the closed-form budget is the
//! mean of the simulation.

use links::stage::{Cause, Constant, Gate, GateClock, Load, Part, Passage, Stage, Uniform, Visit};
use links::{Budget, Program, Sample, Schedule, Simulation, Steps};
use proptest::prelude::*;
use units::Picoseconds;

const US: i64 = 1_000_000;

fn us(count: i64) -> Picoseconds {
    Picoseconds::new(count * US)
}

fn fixed(name: &'static str, time: Picoseconds) -> impl Stage {
    Constant::fixed(name, Cause::Cpu, time)
}

/// Loses frames with a probability, after a time on the air.
#[derive(Debug)]
struct LossyAir {
    time: Picoseconds,
    loss: f64,
}

impl Stage for LossyAir {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("on the air", Cause::Air)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let at = visit.now + self.time;
        if visit.random.chance(self.loss) {
            Passage::Lost { part: 0, at }
        } else {
            Passage::Leave { part: 0, at }
        }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, self.time);
    }

    fn loss(&self, _load: &Load) -> f64 {
        self.loss
    }
}

fn every(period: Picoseconds) -> Schedule {
    Schedule::Fixed { period }
}

fn run(steps: Steps, payload_bytes: u32, schedule: &Schedule, samples: u64) -> Vec<Sample> {
    Simulation::new(Program::from(steps), payload_bytes, schedule, samples, 1, "test", 0).run()
}

fn latencies_us(samples: &[Sample]) -> Vec<Option<i64>> {
    samples.iter().map(|sample| sample.done.map(|done| (done - sample.trigger).ps() / US)).collect()
}

#[test]
fn a_message_takes_the_steps_one_after_another() {
    let steps = Steps::new().stage(fixed("a", us(3))).stage(fixed("b", us(4)));
    let samples = run(steps, 12, &every(us(100)), 3);
    assert_eq!(latencies_us(&samples), [Some(7); 3]);
    assert_eq!(samples.iter().map(|sample| sample.trigger).collect::<Vec<_>>(), [us(100), us(200), us(300)]);
}

#[test]
fn a_message_is_cut_into_frames_and_each_carries_its_share() {
    let air = Constant::of_load("air", Cause::Air, |load: &Load| us(i64::from(load.frame_bytes)));
    let gap =
        Constant::of_load("gap", Cause::Protocol, |load: &Load| us(if load.is_last { 0 } else { 1_000 }));
    let steps = Steps::new().frames(100, Steps::new().stage(air).stage(gap));
    assert_eq!(latencies_us(&run(steps, 250, &every(us(100_000)), 1)), [Some(250 + 2 * 1_000)]);
}

#[test]
fn frames_within_frames_know_the_message_s_first_and_last() {
    let mark = Constant::of_load("mark", Cause::Cpu, |load: &Load| {
        us(i64::from(load.is_first) + 1_000 * i64::from(load.is_last) + 10 * i64::from(load.frame_bytes == 5))
    });
    let steps = Steps::new().frames(15, Steps::new().frames(10, Steps::new().stage(mark)));
    // 30 bytes: 15 + 15, each 10 + 5.
    assert_eq!(latencies_us(&run(steps, 30, &every(us(100_000)), 1)), [Some(1 + 1_000 + 20)]);
}

#[test]
fn the_done_edge_comes_with_the_last_frame_and_what_follows_keeps_the_link_busy() {
    let steps = || {
        Steps::new().frames(10, Steps::new().stage(fixed("air", us(10))).done().stage(fixed("ack", us(7))))
    };
    assert_eq!(latencies_us(&run(steps(), 20, &every(us(1_000)), 2)), [Some(27), Some(27)]);
    // Triggers every 30 us meet a link that is busy for 34: each waits 4 us longer than the one before.
    assert_eq!(latencies_us(&run(steps(), 20, &every(us(30)), 3)), [Some(27), Some(31), Some(35)]);
}

#[test]
fn what_is_lost_more_often_than_may_be_retried_is_lost() {
    let steps = |loss| {
        let body = Steps::new().stage(LossyAir { time: us(10), loss });
        Steps::new().attempts(2, body, Steps::new().stage(fixed("retry delay", us(100))))
    };
    assert_eq!(latencies_us(&run(steps(1.0), 1, &every(us(1_000)), 2)), [None, None]);
    assert_eq!(latencies_us(&run(steps(0.0), 1, &every(us(1_000)), 2)), [Some(10), Some(10)]);
    let some = latencies_us(&run(steps(0.5), 1, &every(us(1_000)), 4_000));
    assert!(some.iter().all(|latency| matches!(latency, None | Some(10 | 120 | 230))));
    let lost = some.iter().filter(|latency| latency.is_none()).count() as f64 / 4_000.0;
    assert!((lost - 0.125).abs() < 0.02, "{lost}");
}

#[test]
fn a_frame_that_outer_attempts_repeat_starts_over_with_its_inner_ones() {
    let inner = Steps::new().frames(5, Steps::new().stage(LossyAir { time: us(1), loss: 0.3 }));
    let inner = Steps::new().attempts(1, inner, Steps::new().stage(fixed("inner", us(10))));
    let steps = Steps::new().attempts(50, inner, Steps::new().stage(fixed("outer", us(1_000))));
    let program = Program::from(Steps::new());
    assert!(program.budget(1).is_empty());
    check_budget(
        &|| Steps::new().attempts(50, two_lossy_frames(), Steps::new().stage(fixed("outer", us(1_000)))),
        10,
    );
    assert!(run(steps, 10, &every(us(1_000_000)), 200).iter().all(|sample| sample.done.is_some()));
}

fn two_lossy_frames() -> Steps {
    Steps::new().frames(5, Steps::new().stage(LossyAir { time: us(1), loss: 0.3 }))
}

/// The closed-form total against the mean of 40,000 dithered messages, within four standard errors.
fn check_budget(steps: &dyn Fn() -> Steps, payload_bytes: u32) {
    let total: i64 = Program::from(steps()).budget(payload_bytes).iter().map(|line| line.mean.ps()).sum();
    let schedule = Schedule::Dithered { period: us(1_000_000), by: us(77_000) };
    let samples = run(steps(), payload_bytes, &schedule, 40_000);
    let arrived: Vec<f64> = samples
        .iter()
        .filter_map(|sample| sample.done.map(|done| (done - sample.trigger).ps() as f64))
        .collect();
    let n = arrived.len() as f64;
    let mean = arrived.iter().sum::<f64>() / n;
    let deviation = (arrived.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    let error = (mean - total as f64).abs();
    assert!(
        error <= 4.0 * deviation / n.sqrt() + 2.0,
        "closed form {total}, mean {mean} of {n}, {deviation}"
    );
}

#[test]
fn the_closed_form_budget_is_the_mean_of_the_simulation() {
    let gate = || Gate::new("wait for the slot", GateClock::new("slot", us(20_000)));
    let retry = |loss| {
        let body = Steps::new()
            .stage(fixed("turnaround", us(130)))
            .stage(LossyAir { time: us(300), loss })
            .done()
            .stage(LossyAir { time: us(60), loss: loss / 2.0 });
        Steps::new().attempts(5, body, Steps::new().stage(Uniform::new("retry delay", Cause::Retry, us(800))))
    };
    check_budget(&|| Steps::new().stage(gate()), 1);
    check_budget(
        &|| Steps::new().stage(Uniform::new("jitter", Cause::Cpu, us(10))).stage(fixed("a", us(3))),
        1,
    );
    for loss in [0.02, 0.3, 0.8] {
        check_budget(&|| retry(loss), 1);
        check_budget(&|| Steps::new().stage(gate()).frames(32, retry(loss)), 100);
    }
}

#[test]
fn spans_tile_the_time_from_trigger_to_done() {
    let steps = Steps::new().stage(Gate::new("wait", GateClock::new("slot", us(50)))).frames(
        10,
        Steps::new().stage(Uniform::new("air", Cause::Air, us(40))).done().stage(fixed("ack", us(9))),
    );
    let mut simulation = Simulation::new(Program::from(steps), 25, &every(us(60)), 50, 3, "spans", 20);
    let mut samples = Vec::new();
    loop {
        let batch = simulation.next_batch();
        if batch.is_empty() {
            break;
        }
        samples.extend(batch);
    }
    let spans = simulation.take_spans();
    assert!(spans.iter().all(|span| span.message < 20), "only the first 20 messages leave spans");
    assert!(simulation.longest_queue() > 0, "triggers come faster than the link carries");
    for sample in &samples[..20] {
        let mut at = sample.trigger;
        for span in spans.iter().filter(|span| span.message == sample.index) {
            assert_eq!(span.start, at);
            at = span.end;
        }
        assert!(sample.done.is_some_and(|done| done <= at));
    }
}

#[test]
fn a_locked_trigger_follows_the_gate_at_its_offset() {
    let mut clock = GateClock::new("slot", us(100));
    clock.lock(us(7), 0);
    let schedule = Schedule::Locked { gate: "slot".to_owned(), offset: us(30), period: us(250) };
    let steps = Steps::new().stage(Gate::new("wait", clock));
    assert_eq!(latencies_us(&run(steps, 1, &schedule, 5)), [Some(70); 5]);
}

#[test]
fn a_closed_loop_triggers_when_the_link_is_free() {
    let steps = Steps::new().stage(fixed("a", us(10))).done().stage(fixed("ack", us(5)));
    let samples = run(steps, 1, &Schedule::ClosedLoop { pause: us(2) }, 3);
    let triggers: Vec<i64> = samples.iter().map(|sample| sample.trigger.ps() / US).collect();
    assert_eq!(triggers, [2, 19, 36]);
}

#[test]
fn a_poisson_schedule_keeps_its_mean_interval() {
    let samples =
        run(Steps::new().stage(fixed("a", us(1))), 1, &Schedule::Poisson { mean: us(1_000) }, 20_000);
    let last = samples.last().unwrap().trigger.ps() as f64 / US as f64;
    assert!((last / 20_000.0 - 1_000.0).abs() < 30.0);
}

#[test]
fn adding_a_stage_leaves_the_random_numbers_of_the_others_alone() {
    let jitter = || Uniform::new("jitter", Cause::Cpu, us(100));
    let draw = |steps| latencies_us(&run(steps, 1, &every(us(1_000)), 50));
    let plain = draw(Steps::new().stage(jitter()));
    let longer = plain.iter().map(|latency| latency.map(|us| us + 10)).collect::<Vec<_>>();
    assert_eq!(draw(Steps::new().stage(jitter()).stage(fixed("tail", us(10)))), longer);
    assert_eq!(draw(Steps::new().stage(fixed("head", us(10))).stage(jitter())), longer);
}

/// What a queue in front of one server takes for constant arrivals and service (D/D/1), behind a gate that lets through
/// all that waits: message n is done at max over j <= n of opening(j) + (n - j + 1) service.
fn gated_queue(period: i64, gate: (i64, i64), service: i64, count: i64) -> Vec<i64> {
    let opening = |n: i64| {
        let since = (n + 1) * period - gate.1;
        gate.1 + (since + gate.0 - 1).div_euclid(gate.0) * gate.0
    };
    (0..count)
        .map(|n| (0..=n).map(|j| opening(j) + (n - j + 1) * service).max().unwrap())
        .enumerate()
        .map(|(n, done)| done - (n as i64 + 1) * period)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_that_wait_at_a_gate_go_through_it_together(
        period in 1i64..400, gate in 1i64..1_000, phase in 0i64..1_000, service in 0i64..300,
    ) {
        let mut clock = GateClock::new("slot", us(gate));
        clock.lock(us(phase), 0);
        let steps = Steps::new()
            .together(Steps::new().stage(Gate::new("wait", clock)))
            .stage(fixed("service", us(service)));
        let found: Vec<i64> =
            latencies_us(&run(steps, 1, &every(us(period)), 60)).into_iter().map(Option::unwrap).collect();
        prop_assert_eq!(found, gated_queue(period, (gate, phase), service, 60));
    }

    #[test]
    fn messages_never_overtake_each_other(
        period in 1i64..50, spread in 1i64..500, loss in 0.0f64..0.9,
    ) {
        let steps = Steps::new()
            .together(Steps::new().stage(Uniform::new("delay", Cause::Cpu, us(spread))))
            .exclusive("air", Steps::new().stage(LossyAir { time: us(3), loss }))
            .together(Steps::new().stage(Uniform::new("way", Cause::Cpu, us(spread))))
            .exclusive("air", Steps::new().stage(fixed("answer", us(2))));
        let samples = run(steps, 1, &every(us(period)), 200);
        prop_assert!(samples.iter().enumerate().all(|(n, sample)| sample.index == n as u64));
        let done: Vec<Picoseconds> = samples.iter().filter_map(|sample| sample.done).collect();
        prop_assert!(done.is_sorted());
        // Both uses of the one channel take turns.
        prop_assert!(done.windows(2).all(|pair| pair[1] - pair[0] >= us(2)));
    }
}

#[test]
fn what_waits_for_an_acknowledgement_goes_as_one() {
    let air = Constant::of_load("air", Cause::Air, |load: &Load| us(i64::from(load.payload_bytes)));
    let steps = Steps::new().batched(25, Steps::new().stage(air).done().stage(fixed("answer", us(90))));
    // The first is alone until 110 us; then two of 10 B go together, as 25 B hold no third, and so on.
    let samples = run(steps, 10, &every(us(10)), 5);
    let done: Vec<i64> = samples.iter().map(|sample| sample.done.unwrap().ps() / US).collect();
    assert_eq!(done, [20, 130, 130, 240, 240]);
}

#[test]
fn what_is_known_late_is_still_accounted_for() {
    /// Says after 10 us that 4 of them were a wait.
    #[derive(Debug)]
    struct Late;
    impl Stage for Late {
        fn parts(&self) -> Vec<Part> {
            vec![Part::new("wait", Cause::Gate), Part::new("work", Cause::Cpu)]
        }
        fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
            match (visit.now - visit.entered, visit.stays) {
                (since, 0) if since < us(10) => Passage::Wait { until: visit.entered + us(10) },
                (_, 0) => Passage::Stay { part: 0, until: visit.entered + us(4) },
                _ => Passage::Leave { part: 1, at: visit.now + us(2) },
            }
        }
        fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
            budget.add(0, us(4));
            budget.add(1, us(8));
        }
    }
    let mut simulation =
        Simulation::new(Program::from(Steps::new().stage(Late)), 1, &every(us(100)), 1, 1, "late", 1);
    assert_eq!(latencies_us(&simulation.next_batch()), [Some(12)]);
    let spent: Vec<(u32, i64)> = simulation
        .take_spans()
        .iter()
        .map(|span| (span.activity, (span.end - span.start).ps() / US))
        .collect();
    assert_eq!(spent, [(1, 4), (2, 8)]);
}

#[test]
fn what_is_lost_at_a_site_is_sent_again_or_lost_as_the_link_has_it() {
    let at = |name: &str, settings: &[(&str, &str)], bytes: u32| {
        let link = links::find(name).unwrap();
        let program = link.program(&link.settings_with(settings.iter().copied()).unwrap()).unwrap();
        let expected = program.loss(bytes);
        let schedule = Schedule::Dithered { period: us(2_000_000), by: us(200_000) };
        let run = Simulation::new(program, bytes, &schedule, 4_000, 1, "site", 0).run();
        let lost = run.iter().filter(|sample| sample.done.is_none()).count() as f64 / 4_000.0;
        assert!(
            (lost - expected).abs() < 4.0 * (expected / 4_000.0).sqrt() + 1e-3,
            "{name} {lost} {expected}"
        );
        expected
    };
    // 4.256 ms of a full frame of 802.15.4 among 50 bursts a second: 19 %; three repetitions leave 0.13 %.
    let crowded = ("loss_site", "crowded");
    assert!((at("ieee802154", &[crowded, ("ack", "off")], 116) - 0.1917).abs() < 1e-3);
    assert!((at("ieee802154", &[crowded], 116) - 0.1917f64.powi(4)).abs() < 1e-4);
    assert!(at("nrf24", &[crowded, ("acknowledge", "off")], 32) > 0.005);
    assert!(at("nrf24", &[crowded], 32) < 1e-6);
    assert!(at("esp32-802154", &[crowded], 12) > 0.03);
    assert!(at("espnow", &[crowded], 250) < 1e-4);
    assert!(at("esp32-wifi-udp", &[crowded], 1_472) < 1e-6);
    assert_eq!(at("nrf52840-ble", &[crowded], 244), 0.0);
    for link in links::all().iter().filter(|link| link.settings.iter().any(|field| field.name == "loss_site"))
    {
        assert_eq!(at(link.name, &[], 12), 0.0, "{}: a clean site loses nothing", link.name);
    }
}
