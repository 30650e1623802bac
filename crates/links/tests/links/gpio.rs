//! The bare GPIO link against the published percentiles of the captures that it describes.

use links::{Schedule, Simulation, find};

const BUILDS: [(&str, f64, f64); 8] = [
    ("stm32-ll-og", 0.91, 0.97),
    ("stm32-ll-o3", 0.47, 0.47),
    ("stm32-ll-os", 0.34, 0.35),
    ("stm32duino-og", 1.81, 1.98),
    ("stm32duino-o1", 1.54, 1.72),
    ("stm32duino-os", 1.34, 1.46),
    ("esp-idf", 4.19, 4.23),
    ("rpi-node", 1_306.70, 1_353.47),
];

fn latencies_us(build: &str) -> Vec<f64> {
    let gpio = find("gpio").unwrap();
    let program = gpio.program(&gpio.settings_with([("build", build)]).unwrap()).unwrap();
    let schedule = Schedule::Fixed { period: "10ms".parse().unwrap() };
    let run = Simulation::new(program, 1, &schedule, 20_000, 5, "test", 0).run();
    let mut latencies: Vec<f64> =
        run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e6).collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

#[test]
fn medians_and_upper_quartiles_are_within_two_per_cent_of_the_published_ones() {
    for (build, median, upper_quartile) in BUILDS {
        let latencies = latencies_us(build);
        for (share, expected) in [(0.5, median), (0.75, upper_quartile)] {
            let found = latencies[(share * latencies.len() as f64) as usize];
            assert!((found / expected - 1.0).abs() < 0.02, "{build}: {found} {expected}");
        }
    }
}

#[test]
fn the_budget_is_the_mean_of_what_is_simulated() {
    for (build, ..) in BUILDS {
        let gpio = find("gpio").unwrap();
        let program = gpio.program(&gpio.settings_with([("build", build)]).unwrap()).unwrap();
        let expected: f64 = program.budget(1).iter().map(|line| line.mean.ps() as f64 / 1e6).sum();
        let latencies = latencies_us(build);
        let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
        assert!((mean / expected - 1.0).abs() < 0.01, "{build}: {mean} {expected}");
    }
}

#[test]
fn a_pin_carries_one_byte_at_most() {
    assert!(find("gpio").unwrap().check_payload(2).is_err());
}
