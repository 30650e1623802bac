//! nRF24L01+ against the product specification and the facts of public captures.

use links::{Program, Schedule, Simulation};

fn program(settings: &[(&str, &str)]) -> Program {
    crate::support::program("nrf24", settings)
}

fn refusal(settings: &[(&str, &str)]) -> String {
    crate::support::refusal("nrf24", settings)
}

fn budget_us(settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    crate::support::part_us("nrf24", settings, payload_bytes, part)
}

fn mean_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    crate::support::mean_us("nrf24", settings, payload_bytes)
}

fn simulated_us(settings: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<Option<f64>> {
    let schedule = Schedule::Dithered { period: "1s".parse().unwrap(), by: "100ms".parse().unwrap() };
    let run = Simulation::new(program(settings), payload_bytes, &schedule, samples, 7, "test", 0).run();
    run.iter().map(|sample| sample.done.map(|done| (done - sample.trigger).ps() as f64 / 1e6)).collect()
}

#[test]
fn a_packet_has_the_bits_of_the_specification() {
    // 8 preamble, 24 to 40 address, 9 control, 8 to 256 payload, 8 to 16 checksum.
    let air = |settings: &[(&str, &str)]| budget_us(settings, 12, "packet on the air");
    assert_eq!(air(&[("rate", "2M")]), 313.0 / 2.0);
    assert_eq!(air(&[("rate", "1M")]), 313.0);
    assert_eq!(air(&[("rate", "250k")]), 313.0 * 4.0);
    assert_eq!(air(&[("rate", "1M"), ("padded", "off")]), 153.0);
    assert_eq!(air(&[("rate", "1M"), ("address", "5"), ("crc", "1")]), 313.0 + 16.0 - 8.0);
}

#[test]
fn twelve_bytes_take_what_was_published_of_both_rates() {
    for (rate, shortest, longest) in [("2M", 386.1, 387.2), ("250k", 1_506.8, 1_511.9)] {
        for latency in simulated_us(&[("rate", rate)], 12, 500) {
            let latency = latency.unwrap();
            assert!((shortest - 1.0..longest + 1.0).contains(&latency), "{rate}: {latency}");
        }
    }
}

#[test]
fn a_byte_less_saves_its_air_and_two_transfers_over_the_spi() {
    let saved = mean_us(&[], 12) - mean_us(&[("padded", "off")], 12);
    assert!((saved / 20.0 - 6.18).abs() < 0.01, "{saved}");
}

#[test]
fn a_lone_packet_is_never_seen_to_be_repeated() {
    let quick = simulated_us(&[], 32, 2_000);
    let spread = quick.iter().flatten().fold((f64::MAX, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
    assert!(spread.1 - spread.0 < 1.0, "{spread:?}");
}

#[test]
fn repetitions_make_a_comb_with_at_most_one_tooth_a_packet() {
    let settings = [("rate", "250k")];
    let never = mean_us(&[("rate", "250k"), ("acknowledgement_lost", "never")], 1024);
    let teeth: Vec<f64> =
        simulated_us(&settings, 1024, 4_000).iter().flatten().map(|us| (us - never) / 1_373.2).collect();
    assert!(teeth.iter().all(|tooth| (tooth - tooth.round()).abs() < 0.1), "latencies lie on teeth");
    let mean = teeth.iter().sum::<f64>() / teeth.len() as f64;
    let variance = teeth.iter().map(|tooth| (tooth - mean).powi(2)).sum::<f64>() / teeth.len() as f64;
    assert!((mean - 30.0 * 0.2467).abs() < 0.15, "{mean}");
    assert!(
        variance < 0.85 * mean,
        "a repetition that may itself fail would spread more: {variance} of {mean}"
    );
}

#[test]
fn without_retries_a_lost_acknowledgement_ends_the_message() {
    let lost =
        simulated_us(&[("retries", "0")], 128, 4_000).iter().filter(|latency| latency.is_none()).count();
    let expected = 1.0 - (1.0f64 - 0.2467).powi(2);
    assert!((lost as f64 / 4_000.0 - expected).abs() < 0.03, "{lost}");
    assert!((program(&[("retries", "0")]).loss(128) - expected).abs() < 1e-9);
}

#[test]
fn a_retry_delay_that_cannot_work_is_refused_with_one_that_can() {
    assert!(refusal(&[("rate", "250k"), ("retry_delay", "250 us")]).contains("use 500 us or more"));
    assert!(refusal(&[("retry_delay", "600 us")]).contains("multiple of 250 us"));
}

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    let variants: [&[(&str, &str)]; 4] =
        [&[], &[("rate", "250k")], &[("padded", "off"), ("rate", "1M")], &[("acknowledge", "off")]];
    for settings in variants {
        for payload_bytes in [12, 100, 1024] {
            let run = simulated_us(settings, payload_bytes, 20_000);
            let mean = run.iter().flatten().sum::<f64>() / run.len() as f64;
            let budget = mean_us(settings, payload_bytes);
            assert!((mean / budget - 1.0).abs() < 0.005, "{settings:?} {payload_bytes} B: {mean} {budget}");
        }
    }
}
