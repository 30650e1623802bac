use units::Picoseconds;

use super::module::Timing;
use crate::{Schedule, Simulation, find};

fn latencies_ms(baud: &str, payload_bytes: u32, samples: u64) -> Vec<f64> {
    let link = find("hc05").unwrap();
    let program = link.program(&link.settings_with([("baud", baud)]).unwrap()).unwrap();
    let schedule = Schedule::Dithered {
        period: Picoseconds::from_ns(3_000_000_000),
        by: Picoseconds::from_ns(50_000_000),
    };
    let samples = Simulation::new(program, payload_bytes, &schedule, samples, 5, "test", 0).run();
    let mut latencies: Vec<f64> =
        samples.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e9).collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

#[test]
fn baud_rates_are_rounded_to_the_chips_units() {
    // 39 units make 9521.5 baud, 1887 make 460 693.
    for (baud, expected_us) in [(9_600, 1_050.256), (460_800, 21.706_4)] {
        let character = Timing::new(baud, find("hc05").unwrap().params()).character_out as f64 / 1e6;
        assert!((character / expected_us - 1.0).abs() < 1e-5, "{character}");
    }
}

#[test]
fn twelve_bytes_take_the_published_20_ms_at_57600_baud() {
    let latencies = latencies_ms("57600", 12, 20_000);
    let median = latencies[10_000];
    assert!((median - 20.2).abs() < 0.4, "{median}");
}

#[test]
fn a_kilobyte_at_460800_baud_is_limited_by_the_air() {
    let median = |baud| latencies_ms(baud, 1_024, 4_000)[2_000];
    // Half of a millisecond per packet is what twice the baud rate saves on the UARTs.
    let (slow, fast) = (median("460800"), median("921600"));
    assert!(fast > 0.8 * slow, "{slow} {fast}");
    assert!(slow > 2.0 * 1_024.0 * 10.0 / 460.8, "{slow}");
}

#[test]
fn a_longer_message_never_comes_much_earlier() {
    let mean = |bytes| latencies_ms("57600", bytes, 4_000).iter().sum::<f64>() / 4_000.0;
    let means = [1, 12, 128, 200, 400, 1_024].map(mean);
    assert!(means.is_sorted(), "{means:?}");
}

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    let link = find("hc05").unwrap();
    for baud in ["9600", "57600", "460800"] {
        for payload_bytes in [12, 128, 1_024] {
            let settings = link.settings_with([("baud", baud)]).unwrap();
            let budget = link.program(&settings).unwrap().budget(payload_bytes);
            let budget_ms = budget.iter().map(|line| line.mean.ps() as f64 / 1e9).sum::<f64>();
            let latencies = latencies_ms(baud, payload_bytes, 20_000);
            let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
            assert!((budget_ms / mean - 1.0).abs() < 0.01, "{baud} {payload_bytes}: {budget_ms} {mean}");
        }
    }
}

#[test]
fn what_comes_before_a_read_is_read_with_it() {
    let link = find("hc05").unwrap();
    for (baud, payload_bytes, interval_ms, most_ms) in [("57600", 12, 5, 60.0), ("460800", 12, 2, 60.0)] {
        let program = link.program(&link.settings_with([("baud", baud)]).unwrap()).unwrap();
        let schedule = Schedule::Fixed { period: Picoseconds::from_ns(interval_ms * 1_000_000) };
        let run = Simulation::new(program, payload_bytes, &schedule, 4_000, 5, "test", 0).run();
        let longest = run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps()).max().unwrap();
        assert!((longest as f64) < most_ms * 1e9, "{baud}: {longest}");
    }
}

#[test]
fn a_module_carries_what_its_uart_and_the_air_take() {
    let link = find("hc05").unwrap();
    // 57600 baud are 236 units of 244.14 baud, 5762 characters a second; 126 B in three slot pairs are 33.6 kB/s.
    for (baud, rate) in [("57600", 5_761.7), ("460800", 33_600.0)] {
        let program = link.program(&link.settings_with([("baud", baud)]).unwrap()).unwrap();
        let schedule = Schedule::Fixed { period: Picoseconds::from_ns(200_000) };
        let run = Simulation::new(program, 12, &schedule, 8_000, 5, "test", 0).run();
        let done = |n: usize| run[n].done.unwrap().ps() as f64 / 1e12;
        let found = 6_000.0 * 12.0 / (done(7_999) - done(1_999));
        // The 2.45 characters that a message costs beyond its own are the measured ones of a single message.
        assert!((0.75..1.05).contains(&(found / rate)), "{baud}: {found} {rate}");
    }
}
