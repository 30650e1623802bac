//! LoRa against Semtech's published numbers and the facts of public captures.

use links::{Program, Schedule, Simulation};

fn program(settings: &[(&str, &str)]) -> Program {
    crate::support::program("lora", settings)
}

fn refusal(settings: &[(&str, &str)]) -> String {
    crate::support::refusal("lora", settings)
}

fn budget_us(settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    crate::support::part_us("lora", settings, payload_bytes, part)
}

fn airtime_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    budget_us(settings, payload_bytes, "packet on the air")
}

fn mean_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    crate::support::mean_us("lora", settings, payload_bytes)
}

fn simulated(settings: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<Option<f64>> {
    let schedule = Schedule::Dithered { period: "100s".parse().unwrap(), by: "1ms".parse().unwrap() };
    let run = Simulation::new(program(settings), payload_bytes, &schedule, samples, 7, "test", 0).run();
    run.iter().map(|sample| sample.done.map(|done| (done - sample.trigger).ps() as f64 / 1e6)).collect()
}

#[test]
fn the_airtime_is_what_semtechs_calculator_says() {
    // LoRaWAN's airtimes at 125 kHz, 4/5, preamble 8, explicit header, CRC: 13 bytes around 10 and 51 of payload.
    for (sf, payload_bytes, microseconds) in [
        ("7", 23, 61_696.0),
        ("8", 23, 113_152.0),
        ("9", 23, 205_824.0),
        ("10", 23, 370_688.0),
        ("11", 20, 741_376.0),
        ("11", 23, 823_296.0),
        ("12", 23, 1_482_752.0),
        ("7", 64, 118_016.0),
        ("12", 64, 2_793_472.0),
    ] {
        assert_eq!(airtime_us(&[("sf", sf)], payload_bytes), microseconds, "SF{sf}, {payload_bytes} B");
    }
}

#[test]
fn every_knob_of_the_airtime_formula_counts() {
    // Symbols of 1024 us at SF7 and 125 kHz; 12 bytes are 4 blocks behind 20.25 symbols.
    let symbols = |settings: &[(&str, &str)]| airtime_us(settings, 12) / 1_024.0;
    assert_eq!(symbols(&[]), 20.25 + 4.0 * 5.0);
    assert_eq!(symbols(&[("coding_rate", "4/8")]), 20.25 + 4.0 * 8.0);
    assert_eq!(symbols(&[("crc", "off")]), 20.25 + 4.0 * 5.0);
    assert_eq!(symbols(&[("header", "implicit"), ("crc", "off")]), 20.25 + 3.0 * 5.0);
    assert_eq!(symbols(&[("preamble", "20 symbols")]), 32.25 + 4.0 * 5.0);
    assert_eq!(symbols(&[("low_data_rate", "on")]), 20.25 + 6.0 * 5.0);
    assert_eq!(airtime_us(&[("sf", "6"), ("header", "implicit")], 1) / 512.0, 20.25 + 5.0);
}

#[test]
fn low_data_rate_optimisation_comes_with_symbols_beyond_16_ms() {
    let is_on = |sf, bandwidth| {
        let set = |low_data_rate| {
            airtime_us(&[("sf", sf), ("bandwidth", bandwidth), ("low_data_rate", low_data_rate)], 100)
        };
        set("auto") == set("on")
    };
    assert!(is_on("11", "125 kHz") && is_on("12", "125 kHz") && is_on("12", "250 kHz"));
    assert!(!is_on("10", "125 kHz") && !is_on("11", "250 kHz") && !is_on("12", "500 kHz"));
    // 12 B, 128 B: a capture at 62.5 kHz shows 130 symbols between them, which only 4/5 with optimisation gives.
    let long_range = [("sf", "11"), ("bandwidth", "62.5 kHz")];
    assert_eq!((airtime_us(&long_range, 128) - airtime_us(&long_range, 12)) / 32_768.0, 130.0);
}

#[test]
fn names_of_bandwidths_that_the_datasheet_rounds_mean_the_exact_ones() {
    for (name, hz) in [("7800", 7_812.5), ("10.4 kHz", 500_000.0 / 48.0), ("41.7 kHz", 500_000.0 / 12.0)] {
        let symbol_us = 128.0 / hz * 1e6;
        let symbols = airtime_us(&[("bandwidth", name), ("low_data_rate", "off")], 12) / symbol_us;
        assert!((symbols - 40.25).abs() < 1e-6, "{name}: {symbols}");
    }
}

#[test]
fn long_messages_go_in_packets_of_255_bytes() {
    let fast = [("bandwidth", "250 kHz")];
    assert_eq!(airtime_us(&fast, 1024), 4.0 * airtime_us(&fast, 255) + airtime_us(&fast, 4));
    assert_eq!(airtime_us(&[("chunk", "64 B")], 1024), 16.0 * airtime_us(&[], 64));
}

#[test]
fn writing_a_full_packet_takes_what_the_logic_trace_shows() {
    // Sending trace: 280.48 us for address and 255 bytes, 2.29 us for each of three registers.
    let fill = budget_us(&[("bandwidth", "250 kHz")], 255, "payload over SPI to the radio");
    assert!((fill - (280.48 + 3.0 * 2.41)).abs() < 0.2, "{fill}");
    let slow = budget_us(&[("spi_clock", "1 MHz")], 255, "payload over SPI to the radio");
    assert!(slow > 256.0 * 8.0, "{slow}");
}

#[test]
fn latencies_are_within_a_fifth_of_a_per_cent_of_the_published_medians() {
    let (fast, far) = ([("bandwidth", "250 kHz")], [("sf", "11"), ("bandwidth", "62.5 kHz")]);
    for (settings, payload_bytes, milliseconds) in [
        (&fast[..], 12, 21.387_12),
        (&fast[..], 1024, 817.357_60),
        (&far[..], 12, 1_181.125_52),
        (&far[..], 1024, 40_865.131_53),
    ] {
        let error = mean_us(settings, payload_bytes) / 1e3 / milliseconds - 1.0;
        assert!(error.abs() < 0.002, "{payload_bytes} B: {error}");
    }
}

#[test]
fn a_packet_is_decoded_three_quarters_of_a_symbol_and_a_carrier_offset_later() {
    let decoding = |settings: &[(&str, &str)]| budget_us(settings, 12, "receiver decodes");
    // 2056 Hz are one chirp bin at SF7 and 250 kHz, and 67 at SF11 and 62.5 kHz.
    assert!((decoding(&[("bandwidth", "250 kHz")]) - 0.75 * 512.0 - 1.05 * 4.0).abs() < 0.1);
    let far = [("sf", "11"), ("bandwidth", "62.5 kHz")];
    assert!((decoding(&far) - 0.75 * 32_768.0 - 67.4 * 16.0).abs() < 1.0);
}

#[test]
fn the_spread_is_one_chip_and_the_start_of_the_transmitter() {
    let mut latencies: Vec<f64> =
        simulated(&[("sf", "11"), ("bandwidth", "62.5 kHz")], 12, 20_000).into_iter().flatten().collect();
    latencies.sort_by(f64::total_cmp);
    let spread = latencies[latencies.len() - 1] - latencies[0];
    assert!((19.5..=20.5).contains(&spread), "{spread}");
}

#[test]
fn the_budget_is_the_mean_of_what_is_simulated() {
    let variants: [&[(&str, &str)]; 5] = [
        &[],
        &[("sf", "11"), ("bandwidth", "62.5 kHz")],
        &[("sleep", "off"), ("spi_clock", "1 MHz"), ("chunk", "100 B")],
        &[("sf", "6"), ("header", "implicit"), ("crc", "off"), ("coding_rate", "4/8")],
        &[("bandwidth", "7.8 kHz"), ("interference", "0.01 /s")],
    ];
    for settings in variants {
        for payload_bytes in [1, 12, 1024] {
            let latencies: Vec<f64> =
                simulated(settings, payload_bytes, 20_000).into_iter().flatten().collect();
            let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
            let expected = mean_us(settings, payload_bytes);
            // The spread's standard error is far below this.
            assert!((mean - expected).abs() < 1.5, "{settings:?}, {payload_bytes} B: {mean} {expected}");
        }
    }
}

#[test]
fn interference_loses_what_is_longer_on_the_air() {
    let settings = [("bandwidth", "250 kHz"), ("interference", "0.049 /s")];
    // The capture that the rate is from lost 21 of 534 long messages; its 12 B sibling lost 1 of 1000.
    let loss = program(&settings).loss(1024);
    assert!((loss - 21.0 / 534.0).abs() < 0.001, "{loss}");
    assert!((program(&settings).loss(12) - 0.001).abs() < 0.0002);
    let lost = simulated(&settings, 1024, 50_000).iter().filter(|latency| latency.is_none()).count();
    assert!((lost as f64 / 50_000.0 - loss).abs() < 0.003, "{lost}");
    assert_eq!(program(&[]).loss(1024), 0.0);
}

#[test]
fn what_the_chip_cannot_do_is_refused_with_what_to_do_instead() {
    assert_eq!(
        refusal(&[("sf", "6")]),
        "sf is 6, which the SX1276 allows with header = implicit only; set that, or sf = 7"
    );
    assert!(refusal(&[("bandwidth", "100 kHz")]).ends_with("125, 250 and 500 kHz; take one of these"));
    assert_eq!(refusal(&[("sf", "13")]), "sf is 13, but it takes a whole number from 6 to 12");
    assert_eq!(refusal(&[("preamble", "5")]), "preamble is 5, but it takes 6 to 65535 symbols");
}

#[test]
fn a_sleeping_radio_costs_its_oscillator() {
    let saved = mean_us(&[], 12) - mean_us(&[("sleep", "off")], 12);
    assert!((saved - 144.7).abs() < 0.1, "{saved}");
}

#[test]
fn a_duty_cycle_lets_through_what_its_share_of_the_air_holds() {
    // 20 and 300 B at SF7 and 125 kHz: 28 + 30 and 372 + 97 symbols of payload (AN1200.13), 12.25 of preamble a packet.
    for (duty_cycle, share, payload_bytes, airtime_us) in [
        ("1%", 0.01, 20, 56_576.0),
        ("10%", 0.1, 20, 56_576.0),
        ("0.1%", 0.001, 20, 56_576.0),
        ("1%", 0.01, 300, 399_616.0 + 92_416.0),
    ] {
        let settings = [("duty_cycle", duty_cycle)];
        let schedule = Schedule::Fixed { period: "10ms".parse().unwrap() };
        let run = Simulation::new(program(&settings), payload_bytes, &schedule, 60, 7, "test", 0).run();
        let done_us = |n: usize| run[n].done.unwrap().ps() as f64 / 1e6;
        let between_us = (done_us(59) - done_us(9)) / 50.0;
        // The host's own time between two messages comes on top: some milliseconds.
        let excess = between_us * share / airtime_us - 1.0;
        assert!((0.0..0.01).contains(&excess), "{duty_cycle}, {payload_bytes} B: {between_us} us, {excess}");
        // A message by itself is not slower for it.
        assert_eq!(mean_us(&settings, payload_bytes), mean_us(&[], payload_bytes));
    }
}
