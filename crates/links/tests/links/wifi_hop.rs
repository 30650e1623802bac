//! The Wi-Fi hop: its mean times against its stages' budget and the standard, power save against the beacon interval, and
//! what must hold for any frames.

use links::{RadioUse, StationSetup, WIFI_HOP, Way, WifiAir};
use proptest::prelude::*;
use units::Picoseconds;

const US: i64 = 1_000_000;
const MS: i64 = 1_000 * US;
/// 100 time units of 1.024 ms.
const BEACON_MS: f64 = 102.4;

/// A channel with stations that are all set alike.
#[derive(Clone)]
struct Hop {
    air: WifiAir,
    tickets: u64,
}

impl Hop {
    fn new(set: &[(&str, &str)], seed: u64, stations: usize) -> Self {
        let settings = WIFI_HOP.settings_with(set.iter().copied()).unwrap();
        let mut air = WifiAir::new(&settings, seed, "test");
        for station in 0..stations {
            air.add_station(StationSetup::of(&settings), &format!("station {station}"));
        }
        Self { air, tickets: 0 }
    }

    /// Brings frames at once; when each leaves, and nothing for a lost one.
    fn cross_all(&mut self, at: Picoseconds, frames: &[(usize, Way, usize)]) -> Vec<Option<Picoseconds>> {
        let first = self.tickets;
        let mut leaves = vec![None; frames.len()];
        let mut open = 0;
        for (station, way, bytes) in frames {
            open += usize::from(self.air.offer(at, *station, *way, *bytes, self.tickets));
            self.tickets += 1;
        }
        while open > 0 {
            let next = self.air.next_event().expect("a frame that is on its way comes through or is lost");
            self.air.advance(next);
            while let Some(passed) = self.air.take() {
                open -= 1;
                leaves[(passed.ticket - first) as usize] = passed.leaves;
            }
        }
        leaves
    }

    fn cross(&mut self, at: Picoseconds, way: Way, bytes: usize) -> Option<Picoseconds> {
        self.cross_all(at, &[(0, way, bytes)])[0]
    }

    fn used(&mut self, until: Picoseconds) -> RadioUse {
        self.air.advance(until);
        self.air.radio_use(0)
    }
}

fn hop(set: &[(&str, &str)], seed: u64) -> Hop {
    Hop::new(set, seed, 1)
}

fn budget_us(hop: &Hop, way: Way, frame_bytes: u32) -> f64 {
    hop.air.budget(0, way, frame_bytes).iter().map(|line| line.mean.ps() as f64 / 1e6).sum()
}

/// Times in microseconds of frames so far apart that each finds an idle hop; nothing for a lost one.
fn times_us(hop: &mut Hop, way: Way, frame_bytes: usize, count: i64) -> Vec<Option<f64>> {
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
    &[("power_save", "min"), ("delivery", "ps-poll"), ("awake_time", "none")],
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
    // AIFS 37 us, 0 to 15 slots of 9 us, and 138 bytes at MCS 7: 36 + 5 x 4 + 6 us. A beacon of 2.2 ms is in the way of one
    // in 44 frames.
    let free: Vec<f64> = arrived.iter().copied().filter(|&time| time <= 37.0 + 135.0 + 62.0).collect();
    let least = free.iter().copied().fold(f64::MAX, f64::min);
    let most = free.iter().copied().fold(0.0, f64::max);
    assert_eq!((least, most), (37.0 + 62.0, 37.0 + 135.0 + 62.0));
    assert!((mean_and_error(&free).0 - (37.0 + 67.5 + 62.0)).abs() < 1.5);
    let beacon_share = 1.0 - free.len() as f64 / arrived.len() as f64;
    assert!((beacon_share - (2.192 + 0.104) / BEACON_MS).abs() < 0.004, "{beacon_share}");
}

#[test]
fn frames_to_a_dozing_station_beat_with_the_beacon() {
    let mut hop = hop(&[("power_save", "min"), ("dtim_period", "1")], 3);
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
fn with_every_second_beacon_a_dtim_a_frame_waits_up_to_two_intervals() {
    let longest_ms = |set: &[(&str, &str)]| {
        let mut hop = hop(&[&[("power_save", "min")], set].concat(), 3);
        let waits = times_us(&mut hop, Way::ToStation, 98, 1_000);
        let mut waits: Vec<f64> = waits.into_iter().flatten().collect();
        waits.sort_by(f64::total_cmp);
        // Two of a thousand beacons are not heard.
        waits[989] / 1e3
    };
    let published_ms = longest_ms(&[]);
    assert!((195.0..216.0).contains(&published_ms), "{published_ms}");
    assert!((100.0..113.0).contains(&longest_ms(&[("dtim_period", "1")])));
    assert!((300.0..319.0).contains(&longest_ms(&[("dtim_period", "3")])));
}

#[test]
fn a_station_that_sent_hears_at_once_until_it_dozes_again() {
    let mut hop = hop(&[("power_save", "min"), ("awake_time", "200 ms")], 5);
    let after_sending_ms = |hop: &mut Hop, sent_s: i64, later_ms: i64| {
        let sent = Picoseconds::new(sent_s * 1_000 * MS);
        hop.cross(sent, Way::FromStation, 98).unwrap();
        let at = sent + Picoseconds::new(later_ms * MS);
        (hop.cross(at, Way::ToStation, 98).unwrap() - at).ps() as f64 / 1e9
    };
    // A beacon may be in the way.
    assert!((1..50).all(|n| after_sending_ms(&mut hop, 3 * n, 199) < 2.6));
    assert!((51..100).all(|n| after_sending_ms(&mut hop, 3 * n, 204) > 8.2));
}

#[test]
fn a_station_that_wakes_to_send_is_given_at_once_what_was_kept() {
    for (awake_time, is_given) in [("200 ms", true), ("none", false)] {
        let mut hop = hop(&[("power_save", "min"), ("dtim_period", "10"), ("awake_time", awake_time)], 6);
        let at = Picoseconds::new(1_000 * MS);
        assert!(hop.air.offer(at, 0, Way::ToStation, 98, 1));
        let later = at + Picoseconds::new(5 * MS);
        assert!(hop.air.offer(later, 0, Way::FromStation, 98, 2));
        hop.air.advance(later + Picoseconds::new(3 * MS));
        let passed: Vec<u64> = std::iter::from_fn(|| hop.air.take()).map(|passed| passed.ticket).collect();
        assert_eq!(passed.contains(&1), is_given, "awake for {awake_time}");
        assert!(passed.contains(&2));
    }
}

#[test]
fn what_the_access_point_kept_for_a_beacon_comes_in_one_burst() {
    for delivery in ["burst", "ps-poll"] {
        let mut hop = hop(&[("power_save", "min"), ("awake_time", "none"), ("delivery", delivery)], 2);
        let leaves: Vec<Picoseconds> = hop
            .cross_all(Picoseconds::new(1_000 * MS), &[(0, Way::ToStation, 98); 5])
            .into_iter()
            .flatten()
            .collect();
        assert!(leaves[0] > Picoseconds::new(1_008 * MS));
        assert!(leaves.windows(2).all(|pair| pair[0] < pair[1]));
        assert!((leaves[4] - leaves[0]).ps() < 3 * MS);
    }
}

#[test]
fn a_frame_that_waits_for_its_beacon_leaves_the_channel_to_others() {
    let mut hop = Hop::new(&[("power_save", "min"), ("dtim_period", "10")], 2, 2);
    let at = Picoseconds::new(1_000 * MS);
    let leaves = hop.cross_all(at, &[(0, Way::ToStation, 98), (1, Way::FromStation, 98)]);
    assert!(leaves[1] < leaves[0] && (leaves[1].unwrap() - at).ps() < 4 * MS);
}

/// Megabits a second of stations that always have a frame of 1514 bytes, as G. Bianchi's Markov chain has it ("Performance
/// Analysis of the IEEE 802.11 Distributed Coordination Function", 2000): a fixed point of the shares of slots in which a station
/// sends and in which others do.
fn bianchi_mbit(stations: f64) -> f64 {
    let (window, stages) = (16.0_f64, 6);
    let sends = |fails: f64| {
        2.0 * (1.0 - 2.0 * fails)
            / ((1.0 - 2.0 * fails) * (window + 1.0) + fails * window * (1.0 - (2.0 * fails).powi(stages)))
    };
    let (mut low, mut high) = (0.0, 0.499_999);
    for _ in 0..60 {
        let fails: f64 = (low + high) / 2.0;
        let others: f64 = 1.0 - (1.0 - sends(fails)).powf(stations - 1.0);
        if others > fails { low = fails } else { high = fails }
    }
    let sends = sends(low);
    let idle = (1.0 - sends).powf(stations);
    let one = stations * sends * (1.0 - sends).powf(stations - 1.0);
    // 1554 bytes at MCS 7 are on the air for 36 + 48 x 4 + 6 us; AIFS 37, SIFS 10, acknowledgement 34.
    let (air, slot) = (234.0, 9.0);
    let mean = idle * slot + one * (air + 10.0 + 34.0 + 37.0) + (1.0 - idle - one) * (air + 37.0);
    // A beacon of 2.19 ms in each 102.4 ms.
    one * 1514.0 * 8.0 / mean * (1.0 - 2.19 / 102.4)
}

#[test]
fn stations_on_one_channel_share_it_as_bianchis_chain_says() {
    for stations in [2, 5, 10] {
        let mut hop = Hop::new(&[], 4, stations);
        for n in 0..1000 * stations {
            assert!(hop.air.offer(Picoseconds::ZERO, n % stations, Way::FromStation, 1514, n as u64));
        }
        let time = Picoseconds::new(700 * MS);
        hop.air.advance(time);
        let mut through = vec![0u32; stations];
        while let Some(passed) = hop.air.take() {
            through[passed.ticket as usize % stations] += u32::from(passed.leaves.is_some());
        }
        let all: u32 = through.iter().sum();
        let (mbit, expected) =
            (f64::from(all) * 1514.0 * 8.0 / (time.ps() as f64 / 1e6), bianchi_mbit(stations as f64));
        assert!((mbit / expected - 1.0).abs() < 0.04, "{stations}: {mbit} Mbit/s, {expected} expected");
        let fair = f64::from(all) / stations as f64;
        assert!(through.iter().all(|&one| (f64::from(one) / fair - 1.0).abs() < 0.35), "{through:?}");
    }
}

#[test]
fn frames_that_wait_go_in_one_transmission_where_that_is_set() {
    let last_ms = |set: &[(&str, &str)], way| {
        let mut hop = hop(set, 4);
        let leaves = hop.cross_all(Picoseconds::ZERO, &[(0, way, 1514); 200]);
        leaves.into_iter().flatten().map(|leaves| leaves.ps() as f64 / 1e9).fold(0.0, f64::max)
    };
    for way in [Way::ToStation, Way::FromStation] {
        let single = last_ms(&[], way);
        // AIFS 37 us, mean backoff 67.5 us, 1554 bytes at MCS 7 (36 + 48 x 4 + 6 us), SIFS 10 us, acknowledgement 34 us, and
        // beacons.
        assert!((single / 200.0 / (1.0 + 2.19 / 102.4) - 0.3825).abs() < 0.012, "{single}");
        let eight = last_ms(&[("aggregate_frames", "8")], way);
        // From the station eight at once: 8 x 1560 bytes are 385 symbols. To it, as many as 5.484 ms and 65535 bytes hold.
        let expected = (0.037 + 0.0675 + 0.036 + 385.0 * 0.004 + 0.006 + 0.048) / 8.0;
        if way == Way::FromStation {
            assert!((eight / 200.0 / (1.0 + 2.19 / 102.4) - expected).abs() < 0.01, "{eight}");
        }
        assert!(eight < 0.6 * single, "{eight} {single}");
        let slow = last_ms(&[("aggregate_frames", "8"), ("phy_rate", "54M")], way);
        assert!(slow > 1.6 * eight, "802.11g has no A-MPDU");
    }
}

#[test]
fn frames_of_an_aggregate_that_are_lost_come_again_and_keep_their_order() {
    let mut hop = hop(&[("aggregate_frames", "16"), ("frame_error", "30")], 9);
    let leaves = hop.cross_all(Picoseconds::ZERO, &[(0, Way::FromStation, 500); 400]);
    let arrived: Vec<Picoseconds> = leaves.iter().flatten().copied().collect();
    assert!(arrived.len() >= 398, "0.3 to the seventh power are lost");
    assert!(arrived.windows(2).all(|pair| pair[0] <= pair[1]));
}

#[test]
fn a_radio_in_power_save_is_off_for_most_of_a_quiet_hour() {
    let hour = Picoseconds::new(3_600_000 * MS);
    let share = |set: &[(&str, &str)]| hop(set, 1).used(hour).doze.ps() as f64 / hour.ps() as f64;
    assert_eq!(share(&[]), 0.0);
    // It hears 2.19 ms of each 102.4 ms, or of twice that.
    assert!((share(&[("power_save", "min"), ("dtim_period", "1")]) - (1.0 - 2.192 / 102.4)).abs() < 1e-4);
    assert!((share(&[("power_save", "min")]) - (1.0 - 2.192 / 204.8)).abs() < 1e-4);
    let mut busy = hop(&[("power_save", "min"), ("awake_time", "200 ms")], 1);
    for n in 1..=100 {
        busy.cross(Picoseconds::new(n * 1_000 * MS), Way::FromStation, 98).unwrap();
    }
    let used = busy.used(Picoseconds::new(101_000 * MS));
    // 200 ms of each second it is awake, as long as it takes to say that it dozes.
    let awake = 101.0 - (used.doze + used.receive + used.transmit).ps() as f64 / 1e12;
    assert!((awake - 100.0 * 0.2).abs() < 1.0, "{awake} {used:?}");
    // 62 us for the frame and the null frame each (36 + 20 + 6, 36 + 4 + 6), and no acknowledgements of its own.
    assert!((used.transmit.ps() as f64 / 1e6 / 100.0 - (62.0 + 46.0)).abs() < 5.0, "{used:?}");
}

#[test]
fn a_frame_is_lost_when_seven_attempts_fail() {
    let mut hop = hop(&[("frame_error", "50")], 11);
    let lost = times_us(&mut hop, Way::ToStation, 98, 100_000).iter().filter(|time| time.is_none()).count();
    assert!((lost as f64 / 1e5 - 1.0 / 128.0).abs() < 0.0012, "{lost}");
    assert!((hop.air.loss(0, Way::ToStation, 98) - 1.0 / 128.0).abs() < 1e-12);
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
    let later = |hop: &mut Hop| {
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
    fn every_frame_comes_through_or_is_lost_and_none_overtakes_another(
        frames in frames(), saving in 0usize..3, load in 0u32..=90, error in 0u32..=95, awake in 0usize..3,
        polls: bool, aggregates in 1u32..=64, seed: u64,
    ) {
        let set = [
            ("power_save", ["none", "min", "max"][saving].to_owned()),
            ("awake_time", ["none", "20 ms", "10 s"][awake].to_owned()),
            ("delivery", ["burst", "ps-poll"][usize::from(polls)].to_owned()),
            ("aggregate_frames", aggregates.to_string()),
            ("listen_interval", "100".to_owned()),
            ("beacon_interval", "1.024 s".to_owned()),
            ("medium_load", load.to_string()),
            ("frame_error", error.to_string()),
            ("phy_rate", "mcs0".to_owned()),
        ];
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut hop = hop(&set, seed);
        let mut open = std::collections::BTreeMap::new();
        let mut last = [(0, Picoseconds::new(i64::MIN)); 2];
        let mut look = |hop: &mut Hop, open: &mut std::collections::BTreeMap<u64, (Picoseconds, usize)>| {
            while let Some(passed) = hop.air.take() {
                let (at, way) = open.remove(&passed.ticket).expect("it was offered, once");
                assert!(passed.ticket >= last[way].0);
                last[way].0 = passed.ticket;
                if let Some(leaves) = passed.leaves {
                    assert!(leaves > at && leaves >= last[way].1);
                    last[way].1 = leaves;
                }
            }
        };
        for (ticket, (at, to_station, bytes)) in frames.into_iter().enumerate() {
            // What was brought at the end of time waits for ever.
            let at = Picoseconds::new(at.clamp(0, 1 << 60));
            let way = if to_station { Way::ToStation } else { Way::FromStation };
            if hop.air.offer(at, 0, way, bytes, ticket as u64) {
                open.insert(ticket as u64, (at, way as usize));
            }
            look(&mut hop, &mut open);
        }
        for _ in 0..200_000 {
            let Some(next) = hop.air.next_event().filter(|_| !open.is_empty()) else { break };
            hop.air.advance(next);
            look(&mut hop, &mut open);
        }
        prop_assert!(open.is_empty());
    }
}
