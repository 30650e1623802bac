//! The Wi-Fi hop: its mean times against its stages' budget and the standard, power save against the beacon interval, and
//! what must hold for any frames.

use links::{WIFI_HOP, Way, WifiHop};
use proptest::prelude::*;
use units::Picoseconds;

const US: i64 = 1_000_000;
const MS: i64 = 1_000 * US;
/// 100 time units of 1.024 ms.
const BEACON_MS: f64 = 102.4;

fn hop(set: &[(&str, &str)], seed: u64) -> WifiHop {
    WifiHop::new(&WIFI_HOP.settings_with(set.iter().copied()).unwrap(), seed, "test")
}

fn budget_us(hop: &WifiHop, way: Way, frame_bytes: u32) -> f64 {
    hop.budget(way, frame_bytes).iter().map(|line| line.mean.ps() as f64 / 1e6).sum()
}

/// Times in microseconds of frames so far apart that each finds an idle hop; nothing for a lost one.
fn times_us(hop: &mut WifiHop, way: Way, frame_bytes: usize, count: i64) -> Vec<Option<f64>> {
    let period = 3_000 * MS + 17_341_234_567;
    let one = |n: i64| {
        let at = Picoseconds::new(n * period);
        hop.cross(at, way, frame_bytes).map(|leaves| (leaves - at).ps() as f64 / 1e6)
    };
    (1..=count).map(one).collect()
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

const VARIANTS: &[&[(&str, &str)]] = &[
    &[],
    &[("phy_rate", "1M"), ("access_point_time", "0.3 ms"), ("station_time", "0.7 ms")],
    &[("medium_load", "60")],
    &[("frame_error", "40"), ("phy_rate", "54M")],
    &[("power_save", "min"), ("wake_time", "2 ms")],
    &[("power_save", "min"), ("dtim_period", "3"), ("medium_load", "30")],
    &[("power_save", "max"), ("listen_interval", "5"), ("awake_time", "none")],
];

#[test]
fn frames_take_as_long_on_average_as_the_budget_of_the_stages_says() {
    for set in VARIANTS {
        for (way, bytes) in [(Way::ToStation, 98), (Way::FromStation, 98), (Way::ToStation, 1514)] {
            let mut hop = hop(set, 7);
            let arrived: Vec<f64> = times_us(&mut hop, way, bytes, 20_000).into_iter().flatten().collect();
            let (mean, standard_error) = mean_and_error(&arrived);
            let budget = budget_us(&hop, way, bytes as u32);
            assert!(
                (budget - mean).abs() < 4.0 * standard_error + 0.001,
                "{set:?} {way:?} {bytes} B: budget {budget:.2} us, {mean:.2} us and {standard_error:.2} us of error"
            );
        }
    }
}

#[test]
fn a_frame_on_a_quiet_channel_takes_what_the_standard_says() {
    let mut hop = hop(&[], 1);
    let arrived: Vec<f64> = times_us(&mut hop, Way::FromStation, 98, 20_000).into_iter().flatten().collect();
    // AIFS 37 us, 0 to 15 slots of 9 us, and 138 bytes at MCS 7: 36 + 5 x 4 + 6 us.
    let least = arrived.iter().copied().fold(f64::MAX, f64::min);
    let most = arrived.iter().copied().fold(0.0, f64::max);
    assert_eq!((least, most), (37.0 + 62.0, 37.0 + 135.0 + 62.0));
    assert!((mean_and_error(&arrived).0 - (37.0 + 67.5 + 62.0)).abs() < 1.5);
}

#[test]
fn frames_to_a_dozing_station_beat_with_the_beacon() {
    let mut hop = hop(&[("power_save", "min")], 3);
    let second = |n: i64| Picoseconds::new(n * 1_000 * MS);
    let waits_ms: Vec<f64> = (1..400)
        .map(|n| (hop.cross(second(n), Way::ToStation, 98).unwrap() - second(n)).ps() as f64 / 1e9)
        .collect();
    // A second is 10 beacon intervals less 24 ms: each wait is 24 ms longer than the one before, modulo the interval and the
    // backoffs of two frames, of up to 135 us each.
    let mut on_the_beat = 0;
    for pair in waits_ms.windows(2) {
        let off = (pair[1] - pair[0] - 24.0).rem_euclid(BEACON_MS);
        on_the_beat += usize::from(off.min(BEACON_MS - off) < 0.2701);
    }
    assert_eq!(on_the_beat, waits_ms.len() - 1);
    let (mean, _) = mean_and_error(&waits_ms);
    // Half an interval, the announcement's 8.2 ms, 2.2 ms of beacon, and the frames.
    assert!((mean - (51.2 + 8.2 + 2.2 + 0.4)).abs() < 3.0, "{mean}");
    assert!(waits_ms.iter().any(|&wait| wait > 100.0) && waits_ms.iter().any(|&wait| wait < 15.0));
}

#[test]
fn a_station_that_sent_hears_at_once_until_it_dozes_again() {
    let mut hop = hop(&[("power_save", "min"), ("awake_time", "200 ms")], 5);
    let after_sending_ms = |hop: &mut WifiHop, sent_s: i64, later_ms: i64| {
        let sent = Picoseconds::new(sent_s * 1_000 * MS);
        hop.cross(sent, Way::FromStation, 98).unwrap();
        let at = sent + Picoseconds::new(later_ms * MS);
        (hop.cross(at, Way::ToStation, 98).unwrap() - at).ps() as f64 / 1e9
    };
    assert!((1..50).all(|n| after_sending_ms(&mut hop, 3 * n, 199) < 0.3));
    assert!((51..100).all(|n| after_sending_ms(&mut hop, 3 * n, 202) > 8.2));
}

#[test]
fn what_the_access_point_kept_for_a_beacon_comes_in_one_burst() {
    let mut hop = hop(&[("power_save", "min"), ("awake_time", "none")], 2);
    let leaves: Vec<Picoseconds> = (0..5)
        .map(|n| hop.cross(Picoseconds::new(1_000 * MS + n * 10 * US), Way::ToStation, 98).unwrap())
        .collect();
    assert!(leaves[0] > Picoseconds::new(1_008 * MS));
    assert!(leaves.windows(2).all(|pair| pair[0] < pair[1]));
    assert!((leaves[4] - leaves[0]).ps() < 2 * MS);
}

#[test]
fn a_frame_that_waits_for_its_beacon_leaves_the_channel_to_others() {
    let mut hop = hop(&[("power_save", "min")], 2);
    let at = Picoseconds::new(1_000 * MS);
    let kept = hop.cross(at, Way::ToStation, 98).unwrap();
    let sent = hop.cross(at + Picoseconds::new(MS), Way::FromStation, 98).unwrap();
    assert!(sent < kept && (sent - at).ps() < 2 * MS);
}

#[test]
fn both_ways_share_the_channel() {
    let last_ms = |ways: &[Way]| {
        let mut hop = hop(&[], 4);
        let sent = (0..200).flat_map(|_| {
            ways.iter().map(|&way| hop.cross(Picoseconds::ZERO, way, 1514)).collect::<Vec<_>>()
        });
        sent.map(|leaves| leaves.unwrap().ps() as f64 / 1e9).fold(0.0, f64::max)
    };
    let (one, both) = (last_ms(&[Way::ToStation]), last_ms(&[Way::ToStation, Way::FromStation]));
    assert!((both / one - 2.0).abs() < 0.05, "{one} {both}");
    // AIFS 37 us, mean backoff 67.5 us, 1554 bytes at MCS 7 (36 + 48 x 4 + 6 us), SIFS 10 us, acknowledgement 34 us.
    assert!((one / 200.0 - 0.3825).abs() < 0.01, "{one}");
}

#[test]
fn a_frame_is_lost_when_seven_attempts_fail() {
    let mut hop = hop(&[("frame_error", "50")], 11);
    let lost = times_us(&mut hop, Way::ToStation, 98, 100_000).iter().filter(|time| time.is_none()).count();
    assert!((lost as f64 / 1e5 - 1.0 / 128.0).abs() < 0.0012, "{lost}");
    assert!((hop.loss(Way::ToStation, 98) - 1.0 / 128.0).abs() < 1e-12);
}

#[test]
fn the_same_seed_gives_the_same_times_and_another_others() {
    let times = |seed| {
        let mut hop = hop(&[("power_save", "min"), ("medium_load", "20"), ("frame_error", "20")], seed);
        times_us(&mut hop, Way::ToStation, 500, 100)
    };
    assert_eq!(times(1), times(1));
    assert_ne!(times(1), times(2));
}

#[test]
fn a_copy_goes_on_as_the_original_does() {
    let mut original = hop(&[("power_save", "max"), ("medium_load", "20")], 9);
    times_us(&mut original, Way::ToStation, 500, 10);
    let mut copy = original.clone();
    let later = |hop: &mut WifiHop| {
        let at = |n: i64| Picoseconds::new((100_000 + 7 * n) * MS);
        (0..200).map(|n| hop.cross(at(n), Way::ToStation, 98)).collect::<Vec<_>>()
    };
    assert_eq!(later(&mut original), later(&mut copy));
}

#[test]
fn a_frame_longer_than_an_msdu_is_lost() {
    let mut hop = hop(&[], 1);
    assert!(hop.cross(Picoseconds::ZERO, Way::ToStation, 2310).is_some());
    assert!(hop.cross(Picoseconds::ZERO, Way::ToStation, 2311).is_none());
}

#[test]
fn a_setting_out_of_range_says_what_it_takes() {
    let error = WIFI_HOP.settings_with([("dtim_period", "11")]).unwrap_err().to_string();
    assert_eq!(error, "dtim_period is 11, but it takes 1 to 10 beacons");
}

/// Frames as anything may bring them: times go back and forth, sizes are any.
fn frames() -> impl Strategy<Value = Vec<(i64, bool, usize)>> {
    let time = prop_oneof![Just(i64::MIN), Just(i64::MAX), any::<i64>(), 0..2_000 * MS, 0..10 * MS];
    let bytes = prop_oneof![Just(usize::MAX), any::<usize>(), 0usize..3_000, 60usize..1_515];
    prop::collection::vec((time, any::<bool>(), bytes), 1..60)
}

proptest! {
    #[test]
    fn no_frame_leaves_before_it_came_or_overtakes_another(
        frames in frames(), saving in 0usize..3, load in 0u32..=90, error in 0u32..=95, awake in 0usize..3, seed: u64,
    ) {
        let set = [
            ("power_save", ["none", "min", "max"][saving].to_owned()),
            ("awake_time", ["none", "20 ms", "10 s"][awake].to_owned()),
            ("listen_interval", "100".to_owned()),
            ("beacon_interval", "1.024 s".to_owned()),
            ("medium_load", load.to_string()),
            ("frame_error", error.to_string()),
            ("phy_rate", "1M".to_owned()),
        ];
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut hop = hop(&set, seed);
        let mut last = [Picoseconds::new(i64::MIN); 2];
        for (at, to_station, bytes) in frames {
            let way = if to_station { Way::ToStation } else { Way::FromStation };
            let at = Picoseconds::new(at);
            if let Some(leaves) = hop.cross(at, way, bytes) {
                prop_assert!(leaves > at);
                prop_assert!(leaves >= last[way as usize]);
                last[way as usize] = leaves;
            }
        }
    }
}
