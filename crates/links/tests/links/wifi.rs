//! The Wi-Fi links against what standards and published measurements say of them, and each link's budget against its
//! own simulation.

use crate::support::program;
use links::stage::{BackgroundScan, BeaconDelivery, Dcf, Dwells, Gate, GateClock, Load, PhyRate};
use links::{Program, Schedule, Simulation, Steps, find};
use units::Picoseconds;

const US: i64 = 1_000_000;
const MS: i64 = 1_000 * US;

fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * MS)
}

/// Enough for the longest gate of any link but the background scan.
fn dithered() -> Schedule {
    Schedule::Dithered { period: ms(1_500), by: ms(512) }
}

/// Latencies in microseconds of the messages that arrived, ascending.
fn latencies_us(program: Program, payload_bytes: u32, schedule: &Schedule, samples: u64) -> Vec<f64> {
    let run = Simulation::new(program, payload_bytes, schedule, samples, 1, "test", 0).run();
    let arrived =
        run.iter().filter_map(|sample| sample.done.map(|done| (done - sample.trigger).ps() as f64 / 1e6));
    let mut latencies: Vec<f64> = arrived.collect();
    latencies.sort_by(f64::total_cmp);
    latencies
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

const VARIANTS: &[(&str, &[(&str, &str)])] = &[
    ("esp32-wifi-udp", &[]),
    ("esp32-wifi-udp", &[("power_save", "none")]),
    ("esp32-wifi-udp", &[("dtim_period", "3"), ("site", "quiet"), ("tick", "1 ms")]),
    ("esp32-wifi-tcp", &[("receiver_tick", "10 ms")]),
    ("esp32-wifi-tcp", &[("power_save", "max"), ("listen_interval", "2")]),
    ("esp32-wifi-tcp", &[("power_save", "none"), ("phy_rate", "1M"), ("frame_error", "30")]),
    ("esp32-wifi-tcp", &[("power_save", "none"), ("nodelay", "off")]),
    ("esp32-websocket", &[]),
    ("esp32-websocket", &[("nodelay", "on"), ("power_save", "min")]),
    ("esp32c6-websocket", &[("nodelay", "on"), ("tick", "none")]),
    ("pi4-websocket", &[]),
    ("pi4-websocket", &[("network", "wifi"), ("background_scan", "none")]),
];

#[test]
fn the_budget_is_the_mean_of_the_simulation() {
    for (link, set) in VARIANTS {
        for payload_bytes in [12, 1024] {
            let budget: i64 =
                program(link, set).budget(payload_bytes).iter().map(|line| line.mean.ps()).sum();
            let simulated = latencies_us(program(link, set), payload_bytes, &dithered(), 20_000);
            let (budget_us, mean_us) = (budget as f64 / 1e6, mean(&simulated));
            let variance =
                simulated.iter().map(|us| (us - mean_us).powi(2)).sum::<f64>() / simulated.len() as f64;
            let standard_error = (variance / simulated.len() as f64).sqrt();
            let allowed = (0.01 * budget_us).max(3.0 * standard_error);
            assert!(
                (budget_us - mean_us).abs() < allowed,
                "{link} {set:?} {payload_bytes} B: budget {budget_us:.1} us, simulated {mean_us:.1} us"
            );
        }
    }
}

#[test]
fn the_budget_of_a_scanning_station_is_the_mean_of_the_simulation() {
    let set = [("network", "wifi")];
    let budget: i64 = program("pi4-websocket", &set).budget(12).iter().map(|line| line.mean.ps()).sum();
    let schedule = Schedule::Dithered { period: ms(200), by: ms(60_000) };
    let simulated = latencies_us(program("pi4-websocket", &set), 12, &schedule, 60_000);
    assert!((budget as f64 / 1e6 / mean(&simulated) - 1.0).abs() < 0.01);
}

/// Published percentiles of 1000 messages of 1024 B with everything at its default, in milliseconds; nothing in the
/// model was fitted on these messages.
#[test]
fn sleeping_stations_get_their_datagrams_as_late_as_measured() {
    let simulated = latencies_us(program("esp32-wifi-udp", &[]), 1024, &dithered(), 20_000);
    for (share, published_ms) in [(0.05, 31.5), (0.25, 52.5), (0.5, 78.0), (0.75, 103.6), (0.95, 125.0)] {
        let error = quantile(&simulated, share) / 1e3 / published_ms - 1.0;
        assert!(error.abs() < 0.04, "at {share}: {:+.1} %", 100.0 * error);
    }
}

#[test]
fn a_longer_dtim_period_adds_half_a_beacon_interval_for_each_beacon() {
    let mean_us = |dtim| {
        mean(&latencies_us(program("esp32-wifi-udp", &[("dtim_period", dtim)]), 12, &dithered(), 20_000))
    };
    let added_us = mean_us("3") - mean_us("1");
    assert!((added_us / 102_400.0 - 1.0).abs() < 0.03, "{added_us}");
}

#[test]
fn a_frame_that_comes_after_the_announcement_closed_waits_a_whole_interval_more() {
    let deliver = |trigger_ms| {
        let beacon = BeaconDelivery::new(ms(100), ms(8), 0.0);
        let mut program = Program::from(Steps::new().stage(beacon));
        program.gates()[0].lock(ms(50), 0);
        latencies_us(program, 1, &Schedule::Recorded([ms(trigger_ms)].into()), 1)[0] / 1e3
    };
    assert_eq!([140, 142, 143, 150].map(deliver), [10.0, 8.0, 107.0, 100.0]);
}

#[test]
fn a_quiet_channel_costs_what_the_standard_says() {
    let set = [("power_save", "none"), ("site", "quiet"), ("tick", "none")];
    let simulated = latencies_us(program("esp32-wifi-tcp", &set), 12, &dithered(), 20_000);
    // Two hops of AIFS 37 us, 7.5 slots of 9 us and a 106-byte frame at MCS 7: 36 + 4 · 4 + 6 us.
    let air_us = 2.0 * (37.0 + 7.5 * 9.0 + 58.0);
    assert!((mean(&simulated) - 1_500.0 - air_us).abs() < 2.0, "{}", mean(&simulated));
    assert!((simulated[0] - 1_500.0 - 2.0 * (37.0 + 58.0)).abs() < 0.01);
}

#[test]
fn a_frame_is_given_up_after_seven_attempts() {
    let lossy = || Program::from(Steps::new().stage(Dcf::new(PhyRate::named("11M"), 0.5, |_: &Load| 100)));
    let run = Simulation::new(lossy(), 12, &dithered(), 100_000, 1, "test", 0).run();
    let lost = run.iter().filter(|sample| sample.done.is_none()).count() as f64 / 1e5;
    assert!((lost - 1.0 / 128.0).abs() < 0.001, "{lost}");
    assert!((lossy().loss(12) - 1.0 / 128.0).abs() < 1e-12);
}

/// Measured runs of 400 messages every 500 ms, twice the acknowledgement timer, each held still at a constant of its own
/// between 31 and 189 ms.
#[test]
fn nagle_freezes_a_run_whose_period_the_acknowledgement_timer_divides() {
    let mut medians = Vec::new();
    for seed in 0..40 {
        let schedule = Schedule::Fixed { period: ms(500) };
        let link = program("esp32-websocket", &[]);
        let run = Simulation::new(link, 12, &schedule, 400, seed, "test", 0).run();
        let mut run_ms: Vec<f64> =
            run.iter().map(|sample| (sample.done.unwrap() - sample.trigger).ps() as f64 / 1e9).collect();
        run_ms.sort_by(f64::total_cmp);
        let median = quantile(&run_ms, 0.5);
        medians.push(median);
        let near = run_ms.iter().filter(|&&latency| (latency - median).abs() < 15.0).count();
        // A run whose header comes close to the timer has a second line 250 ms later.
        assert!(near > 200, "run {seed}: {near} near {median}");
    }
    medians.sort_by(f64::total_cmp);
    assert!(medians[0] < 40.0 && medians[39] > 220.0, "{medians:?}");
    let dithered = latencies_us(program("esp32-websocket", &[]), 12, &dithered(), 20_000);
    let spread = (quantile(&dithered, 0.75) - quantile(&dithered, 0.25)) / 1e3;
    assert!((spread / 125.0 - 1.0).abs() < 0.05, "{spread}");
}

#[test]
fn without_nagle_a_message_does_not_wait_for_the_one_before() {
    let late = |nodelay| {
        let set = [("power_save", "none"), ("nodelay", nodelay)];
        let every = Schedule::Dithered { period: ms(100), by: ms(10) };
        quantile(&latencies_us(program("esp32-wifi-tcp", &set), 12, &every, 2_000), 0.5)
    };
    assert!(late("on") < 20_000.0);
    assert!(late("off") > 100_000.0);
}

#[test]
fn nagle_with_power_save_is_refused_with_a_way_out() {
    let link = find("esp32-websocket").unwrap();
    let settings = link.settings_with([("power_save", "min")]).unwrap();
    let error = link.program(&settings).unwrap_err().to_string();
    assert!(error.contains("nodelay = on"), "{error}");
}

#[test]
fn scans_that_follow_each_other_at_once_are_refused() {
    let link = find("pi4-websocket").unwrap();
    let settings = link.settings_with([("network", "wifi"), ("background_scan", "3 s")]).unwrap();
    assert!(link.program(&settings).unwrap_err().to_string().contains("at least 5s"));
}

#[test]
fn messages_are_held_up_as_often_as_a_scan_is_away() {
    let scan = || {
        let dwells = vec![Dwells { count: 13, away: ms(90) }, Dwells { count: 10, away: ms(130) }];
        Program::from(Steps::new().stage(BackgroundScan::new(ms(60_000), ms(40), dwells)))
    };
    let schedule = Schedule::Dithered { period: ms(200), by: ms(60_000) };
    let waits = latencies_us(scan(), 1, &schedule, 50_000);
    let held = waits.iter().filter(|&&wait| wait > 0.0).count() as f64 / waits.len() as f64;
    let away = (13.0 * 90.0 + 10.0 * 130.0) / 60_000.0;
    assert!((held / away - 1.0).abs() < 0.08, "{held} against {away}");
    assert!(quantile(&waits, 1.0) <= 130_000.0);
}

#[test]
fn stages_that_name_the_same_gate_wait_for_the_same_openings() {
    let gate = || Gate::new("wait", GateClock::new("beacon", ms(100)));
    let twice = Program::from(Steps::new().stage(gate()).stage(gate()));
    let waits = latencies_us(twice, 1, &dithered(), 1_000);
    assert!(quantile(&waits, 1.0) < 100_000.0, "the second wait is none");
}

#[test]
fn an_access_point_delivers_all_that_it_has_buffered_at_a_beacon() {
    let schedule = Schedule::Poisson { mean: ms(40) };
    let load =
        |settings: &[(&str, &str)]| latencies_us(program("esp32-wifi-udp", settings), 12, &schedule, 4_000);
    let alone = latencies_us(program("esp32-wifi-udp", &[]), 12, &dithered(), 4_000);
    // Each waits for its beacon as if it were alone, and behind a few others of 0.3 ms.
    for settings in [&[][..], &[("delivery", "ps-poll")]] {
        let loaded = load(settings);
        let longer = mean(&loaded) / mean(&alone) - 1.0;
        assert!((-0.02..0.06).contains(&longer), "{settings:?}: {longer}");
        assert!(quantile(&loaded, 0.99) < quantile(&alone, 0.99) + 10_000.0);
    }
    // One PS-Poll a frame takes channel access and 20 B more each time.
    let busy = Schedule::Fixed { period: ms(2) };
    let at = |settings: &[(&str, &str)]| {
        let quiet = [&[("site", "quiet")], settings].concat();
        mean(&latencies_us(program("esp32-wifi-udp", &quiet), 12, &busy, 4_000))
    };
    assert!(at(&[("delivery", "ps-poll")]) > at(&[]) + 1_000.0);
}

/// Messages a second over a path that always has more to send than it carries.
fn saturated_per_second(settings: &[(&str, &str)], payload_bytes: u32) -> f64 {
    let schedule = Schedule::Fixed { period: Picoseconds::new(50 * US) };
    let program = program("esp32-wifi-udp", settings);
    let run = Simulation::new(program, payload_bytes, &schedule, 6_000, 1, "test", 0).run();
    // All of them: in power save the channel takes every frame to the access point before the first one from it.
    6_000.0 / (run[5_999].done.unwrap() - run[0].trigger).ps() as f64 * 1e12
}

#[test]
fn throughput_is_what_channel_access_and_air_time_leave() {
    // Two hops without aggregation: SIFS 10 and three slots of 9 us, 7.5 slots of backoff, the frame; and SIFS with the
    // acknowledgement of 34 us after the second, since the access point contends while it acknowledges the first.
    for (rate, payload_bytes, frame_us) in
        [("mcs7", 1_472, 36 + 48 * 4 + 6), ("mcs7", 12, 36 + 3 * 4 + 6), ("54M", 1_472, 20 + 58 * 4 + 6)]
    {
        let settings = [("power_save", "none"), ("phy_rate", rate)];
        let slots = if rate == "54M" { 2.0 } else { 3.0 };
        let awake = saturated_per_second(&settings, payload_bytes);
        let hop_us = 10.0 + slots * 9.0 + 7.5 * 9.0 + f64::from(frame_us);
        let expected = 1e6 / (2.0 * hop_us + 10.0 + 34.0);
        assert!((awake / expected - 1.0).abs() < 0.05, "{rate} {payload_bytes} B: {awake} {expected}");
        // A station that sleeps from beacon to beacon has each frame later, but as many: each hop is acknowledged alone.
        let asleep = saturated_per_second(&[("phy_rate", rate)], payload_bytes);
        let expected = 1e6 / (2.0 * (hop_us + 44.0));
        assert!((asleep / expected - 1.0).abs() < 0.05, "{rate} {payload_bytes} B: {asleep} {expected}");
    }
}

#[test]
fn writes_that_nagle_holds_back_go_as_one() {
    // An acknowledgement a quarter of a second; 12 B every 20 ms are a dozen in one segment.
    let settings = [("power_save", "none"), ("nodelay", "off")];
    for link in ["esp32-wifi-tcp", "esp32-websocket"] {
        let fixed = Schedule::Fixed { period: ms(20) };
        let latencies = latencies_us(program(link, &settings), 12, &fixed, 1_000);
        assert!(*latencies.last().unwrap() < 700_000.0, "{link}: {:?}", latencies.last());
    }
}
