//! The UART link against the STM32's divider, arithmetic of the ring and facts of public captures.

use links::{Program, Schedule, Simulation};

fn program(settings: &[(&str, &str)]) -> Program {
    crate::support::program("uart", settings)
}

fn refusal(settings: &[(&str, &str)]) -> String {
    crate::support::refusal("uart", settings)
}

fn part_us(settings: &[(&str, &str)], payload_bytes: u32, part: &str) -> f64 {
    crate::support::part_us("uart", settings, payload_bytes, part)
}

fn mean_us(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    crate::support::mean_us("uart", settings, payload_bytes)
}

fn simulated(settings: &[(&str, &str)], payload_bytes: u32, samples: u64) -> Vec<f64> {
    let schedule = Schedule::Dithered { period: "30s".parse().unwrap(), by: "10ms".parse().unwrap() };
    let run = Simulation::new(program(settings), payload_bytes, &schedule, samples, 3, "test", 0).run();
    run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e6).collect()
}

#[test]
fn bits_are_as_long_as_the_divider_of_the_chip_makes_them() {
    // BRR as ST's driver computes it from 42 MHz; 5 cycles more per character.
    for (baud, divider) in
        [("115200", 364.0), ("230400", 182.0), ("460800", 91.0), ("921600", 45.0), ("1843200", 23.0)]
    {
        let expected = 1000.0 * (10.0 * divider + 5.0) / 42.0;
        let found = part_us(&[("baud", baud)], 1000, "characters on the wire");
        assert!((found - expected).abs() < 1e-3, "{baud}: {found} {expected}");
        let wait = part_us(&[("baud", baud)], 1000, "wait for the baud clock");
        assert!((wait - divider / 84.0).abs() < 1e-4, "{baud}: {wait}");
    }
}

#[test]
fn parity_and_stop_bits_lengthen_characters() {
    let on_wire =
        |settings: &[(&str, &str)]| part_us(settings, 1000, "characters on the wire") * 42.0 / 1000.0;
    assert!((on_wire(&[]) - 3_645.0).abs() < 1e-3);
    assert!((on_wire(&[("parity", "even")]) - 4_009.0).abs() < 1e-3);
    assert!((on_wire(&[("parity", "odd"), ("stop_bits", "2")]) - 4_373.0).abs() < 1e-3);
}

#[test]
fn mean_latencies_are_within_a_tenth_of_a_per_cent_of_the_published_medians() {
    for (baud, receive, payload_bytes, milliseconds) in [
        ("115200", "poll", 12, 1.048_52),
        ("230400", "poll", 12, 0.526_27),
        ("460800", "poll", 12, 0.265_13),
        ("921600", "poll", 12, 0.133_10),
        ("1843200", "poll", 12, 0.069_95),
        ("115200", "irq", 12, 1.048_85),
        ("230400", "irq", 12, 0.526_54),
        ("460800", "irq", 12, 0.265_39),
        ("921600", "irq", 12, 0.133_37),
        ("1843200", "irq", 12, 0.070_22),
        ("115200", "irq", 1024, 88.876_51),
        ("921600", "irq", 1024, 11.096_92),
    ] {
        let error =
            mean_us(&[("baud", baud), ("receive", receive)], payload_bytes) / 1e3 / milliseconds - 1.0;
        assert!(error.abs() < 0.001, "{receive} at {baud}, {payload_bytes} B: {error}");
    }
}

#[test]
fn dma_is_fast_for_every_fourth_message_of_12_bytes() {
    // 12, 24, 36, 48 bytes: of these only 48 ends where half of a ring of 32 bytes does.
    let latencies = simulated(&[("receive", "dma")], 12, 4_000);
    let fast: Vec<bool> = latencies.iter().map(|&latency| latency < 1_080.0).collect();
    assert_eq!(fast.iter().filter(|&&fast| fast).count(), 1_000);
    assert!(fast.chunks(4).all(|four| four == [false, false, false, true]), "the pattern repeats");
    // One character of idle line, and a few microseconds of copying, lie between the two kinds.
    let slow = latencies.iter().zip(&fast).filter(|(_, fast)| !**fast).map(|(&latency, _)| latency);
    assert!(slow.clone().fold(f64::INFINITY, f64::min) > 1_123.0);
}

#[test]
fn messages_that_fill_halves_of_the_ring_never_wait_for_an_idle_line() {
    for (payload_bytes, ring) in [(16, "32 B"), (1024, "32 B"), (12, "24 B"), (4, "8 B")] {
        let settings = [("receive", "dma"), ("dma_ring", ring)];
        assert_eq!(part_us(&settings, payload_bytes, "idle line that ends a message"), 0.0, "{ring}");
    }
    let always = part_us(&[("receive", "dma"), ("dma_ring", "4096 B")], 1, "idle line that ends a message");
    assert!((always - 3_640.0 / 42.0 * 4_094.0 / 4_096.0).abs() < 0.01, "{always}");
}

#[test]
fn at_the_highest_rate_the_idle_interrupt_overtakes_the_main_loop() {
    // Copying 12 characters and reporting takes longer than one idle character of 5.5 us.
    let latencies = simulated(&[("receive", "dma"), ("baud", "1843200")], 12, 1_000);
    let least = latencies.iter().fold(f64::INFINITY, |least, &latency| least.min(latency));
    assert!((least - 75.7).abs() < 0.5, "{least}");
}

#[test]
fn slower_builds_take_longer_by_what_the_captures_show() {
    let build = |build| mean_us(&[("build", build)], 12);
    assert!((build("debug") - build("release") - 15.1).abs() < 0.3, "{}", build("debug"));
    assert!((build("minsize") - build("release") - 2.0).abs() < 0.3, "{}", build("minsize"));
}

#[test]
fn a_faster_core_shortens_the_firmware_and_nothing_else() {
    let saved = mean_us(&[], 12) - mean_us(&[("cpu_clock", "336 MHz")], 12);
    let firmware: f64 =
        ["firmware, trigger to first character", "interrupt entry", "firmware, last character to done"]
            .iter()
            .map(|part| part_us(&[], 12, part))
            .sum();
    assert!((saved - firmware / 2.0).abs() < 1e-3, "{saved} {firmware}");
}

#[test]
fn the_budget_is_the_mean_of_what_is_simulated() {
    for receive in ["poll", "irq", "dma"] {
        for (baud, build, payload_bytes) in [
            ("115200", "release", 12),
            ("1843200", "release", 12),
            ("1843200", "debug", 13),
            ("921600", "minsize", 1024),
            ("9600", "release", 1),
        ] {
            let settings = [("receive", receive), ("baud", baud), ("build", build)];
            let latencies = simulated(&settings, payload_bytes, 20_480);
            let mean = latencies.iter().sum::<f64>() / latencies.len() as f64;
            let variance = latencies.iter().map(|latency| (latency - mean).powi(2)).sum::<f64>()
                / latencies.len() as f64;
            let error = (mean - mean_us(&settings, payload_bytes)).abs();
            let allowed = 3.0 * (variance / latencies.len() as f64).sqrt();
            assert!(error < allowed.max(1e-3), "{settings:?}: {error} {allowed}");
        }
    }
}

#[test]
fn what_cannot_work_is_refused_with_what_to_do_instead() {
    assert_eq!(
        refusal(&[("baud", "3000000")]),
        "3000000 baud cannot be divided from 42 MHz, which gives 641 to 2625000 baud; change baud or uart_clock"
    );
    assert!(refusal(&[("baud", "300")]).starts_with("300 baud cannot be divided"));
    assert_eq!(
        refusal(&[("receive", "dma"), ("dma_ring", "33")]),
        "dma_ring is 33, but DMA reports its half, so it takes an even number"
    );
    let slow = refusal(&[("build", "debug"), ("cpu_clock", "16 MHz"), ("baud", "921600")]);
    assert!(slow.ends_with("lower baud, raise cpu_clock or set build = release"), "{slow}");
    assert_eq!(
        refusal(&[("receive", "telepathy")]),
        "receive is \"telepathy\", but it takes one of poll, irq, dma"
    );
}
