//! ESP-NOW against airtimes of IEEE 802.11 and the facts of public captures.

use links::{Program, Schedule, Simulation};

fn program(settings: &[(&str, &str)]) -> Program {
    crate::support::program("espnow", settings)
}

fn budget_us(settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    crate::support::part_us("espnow", settings, payload_bytes, part)
}

fn mean_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    crate::support::mean_us("espnow", settings, payload_bytes)
}

fn simulated_us(settings: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<f64> {
    let schedule = Schedule::Dithered { period: "1s".parse().unwrap(), by: "3072ms".parse().unwrap() };
    let run = Simulation::new(program(settings), payload_bytes, &schedule, samples, 7, "test", 0).run();
    run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e6).collect()
}

#[test]
fn frames_are_as_long_as_the_standard_says() {
    let air = |rate, bytes| budget_us(&[("rate", rate)], bytes, "frame on the air");
    assert_eq!(air("1M", 12), 192.0 + 8.0 * 71.0);
    assert_eq!(air("1M", 128), 192.0 + 8.0 * 187.0);
    assert_eq!(air("1M", 250), 192.0 + 8.0 * 309.0);
    // Preamble and SIGNAL 20 us, 590 bits in 7 symbols of 96 bits, signal extension 6 us.
    assert_eq!(air("24M", 12), 20.0 + 7.0 * 4.0 + 6.0);
    assert_eq!(budget_us(&[("encrypted", "off")], 12, "frame on the air"), 192.0 + 8.0 * 55.0);
}

#[test]
fn an_acknowledgement_parts_two_frames_but_does_not_hold_up_the_last() {
    assert_eq!(budget_us(&[], 250, "sender's firmware"), 200.0);
    let quiet = [("neighbours", "0"), ("tick", "none")];
    let one = mean_us(&quiet, 250);
    assert_eq!(one, 200.0 + 2_664.0 + 300.0);
    // SIFS 10, acknowledgement 304, callback 200.
    assert_eq!(mean_us(&quiet, 500) - one, 2_664.0 + 514.0);
}

#[test]
fn a_quiet_channel_and_no_tick_leave_nothing_to_chance() {
    let run = simulated_us(&[("neighbours", "0"), ("tick", "none")], 1024, 100);
    assert!(run.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn triggers_of_100_ms_meet_a_neighbours_beacon_in_runs() {
    // 102.4 - 100 ms: the beat takes 43 triggers, and a message of 13 ms meets the beacon in 6 of them in a row.
    let schedule = Schedule::Fixed { period: "100ms".parse().unwrap() };
    let settings = [("neighbours", "1"), ("tick", "none")];
    let run = Simulation::new(program(&settings), 1024, &schedule, 430, 3, "test", 0).run();
    let quiet = mean_us(&[("neighbours", "0"), ("tick", "none")], 1024);
    let late: Vec<bool> = run
        .iter()
        .map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e6 > quiet + 100.0)
        .collect();
    let starts = late.windows(2).filter(|pair| !pair[0] && pair[1]).count();
    let share = late.iter().filter(|&&late| late).count() as f64 / late.len() as f64;
    assert!((9..=11).contains(&starts), "{starts} runs of late messages");
    assert!((0.10..0.18).contains(&share), "{share}");
}

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    let variants: [&[(&str, &str)]; 4] = [
        &[],
        &[("rate", "LR-250k"), ("neighbours", "3"), ("neighbour_busy", "5.5 ms")],
        &[("rate", "24M"), ("tick", "1 ms")],
        &[("neighbours", "0"), ("tick", "none")],
    ];
    for settings in variants {
        for payload_bytes in [12, 128, 1024] {
            let run = simulated_us(settings, payload_bytes, 20_000);
            let mean = run.iter().sum::<f64>() / run.len() as f64;
            let budget = mean_us(settings, payload_bytes);
            assert!((mean / budget - 1.0).abs() < 0.01, "{settings:?} {payload_bytes} B: {mean} {budget}");
        }
    }
}
