//! Bluetooth Classic SPP against the Bluetooth core specification and the facts of public captures.

use links::{Program, Schedule, Simulation};

fn program(settings: &[(&str, &str)]) -> Program {
    crate::support::program("esp32-spp", settings)
}

fn budget_us(settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    crate::support::part_us("esp32-spp", settings, payload_bytes, part)
}

fn mean_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    crate::support::mean_us("esp32-spp", settings, payload_bytes)
}

fn simulated_us(
    settings: &[(&str, &str)],
    payload_bytes: u32,
    schedule: &Schedule,
    samples: u64,
) -> Vec<f64> {
    run_us(settings, payload_bytes, schedule, samples, 7)
}

fn run_us(
    settings: &[(&str, &str)],
    payload_bytes: u32,
    schedule: &Schedule,
    samples: u64,
    seed: u64,
) -> Vec<f64> {
    let run = Simulation::new(program(settings), payload_bytes, schedule, samples, seed, "test", 0).run();
    run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e6).collect()
}

fn dithered() -> Schedule {
    Schedule::Dithered { period: "2s".parse().unwrap(), by: "300ms".parse().unwrap() }
}

#[test]
fn full_packets_are_as_long_as_the_specification_says() {
    // DH1 366, DH3 1622 and DH5 2870 us; a write of 9 bytes less fills them.
    for (bytes, microseconds) in [(18, 366.0), (174, 1_622.0), (330, 2_870.0)] {
        assert_eq!(budget_us(&[("packets", "basic")], bytes, "packet on the air"), microseconds);
    }
    // 3-DH5: 144 us and 1025 bytes at 3 Mbit/s.
    let longest = budget_us(&[], 990, "packet on the air");
    assert!((longest - (144.0 + 8.0 * 1_003.0 / 3.0)).abs() < 0.01, "{longest}");
}

#[test]
fn triggers_every_100_ms_see_three_openings() {
    let schedule = Schedule::Fixed { period: "100ms".parse().unwrap() };
    let run = simulated_us(&[], 12, &schedule, 300);
    let quickest = |residue: usize| run.iter().skip(residue).step_by(3).copied().fold(f64::MAX, f64::min);
    let mut lines = [quickest(0), quickest(1), quickest(2)];
    lines.sort_by(f64::total_cmp);
    for (line, offset) in lines.iter().zip([0.0, 1_250.0, 2_500.0]) {
        assert!((line - lines[0] - offset).abs() < 30.0, "{lines:?}");
    }
}

#[test]
fn small_writes_cost_the_host_their_time_each() {
    let chunk = |write| mean_us(&[("write", write)], 1024);
    let each = (chunk("32") - chunk("64")) / 16.0;
    assert!((each - 3_390.0).abs() < 20.0, "{each}");
}

#[test]
fn only_a_stream_of_many_writes_pauses() {
    let pause = |write| budget_us(&[("write", write)], 1024, "congestion pause");
    assert_eq!(pause("990"), 0.0);
    assert!(pause("64") > 5_000.0);
}

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    let variants: [&[(&str, &str)]; 4] =
        [&[], &[("packets", "basic")], &[("write", "64")], &[("tick", "none"), ("write", "330")]];
    for settings in variants {
        for payload_bytes in [12, 128, 1024] {
            // A run keeps the slots where they are against the ticks: many runs.
            let runs = (0..200).flat_map(|seed| run_us(settings, payload_bytes, &dithered(), 200, seed));
            let mean = runs.sum::<f64>() / 40_000.0;
            let budget = mean_us(settings, payload_bytes);
            assert!((mean / budget - 1.0).abs() < 0.01, "{settings:?} {payload_bytes} B: {mean} {budget}");
        }
    }
}
