//! Impairments: what users can write, what becomes of frames, and that the same seed gives the same events.

use crate::common::{MS, frame, ns, tag};
use ethernet::{
    Arrival, BitRate, Cable, Direction, DropReason, Hop, HopPassed, IMPAIRMENT_OPTIONS, Impairments,
    JitterShape, LaneCounters, Network, PortId, Probability, Speed,
};
use proptest::prelude::*;
use units::Picoseconds;

/// Sends frames of 200 bytes at a steady pace over a direct cable with these impairments; gives what arrives.
fn sent(text: &str, frames: u32, every: Picoseconds) -> (LaneCounters, Vec<Arrival>) {
    let (mut network, a, b) = direct(text, 1);
    let arrivals = pace(&mut network, a, b, frames, every);
    (network.counters(a).sent, arrivals)
}

fn direct(text: &str, seed: u64) -> (Network, PortId, PortId) {
    let mut network = Network::new(seed);
    let (a, b) = (
        network.add_port("a", Cable::new(Speed::Mbps100)),
        network.add_port("b", Cable::new(Speed::Mbps100)),
    );
    network.connect_directly(a, b).expect("both have cables to the switch");
    let impairments = text.parse().unwrap_or_else(|error| panic!("{error}"));
    network.set_impairments(a, Direction::Outbound, impairments).expect("parsed ones are consistent");
    (network, a, b)
}

fn pace(network: &mut Network, a: PortId, b: PortId, frames: u32, every: Picoseconds) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    for n in 0..frames {
        let at = Picoseconds::new(i64::from(n) * every.ps());
        network.advance(at);
        network.send(a, at, frame(2, 1, 200, n));
        arrivals.extend(std::iter::from_fn(|| network.take_arrival(b)));
    }
    network.advance(Picoseconds::new(i64::from(frames) * every.ps() + 4000 * 3600 * MS));
    arrivals.extend(std::iter::from_fn(|| network.take_arrival(b)));
    arrivals
}

fn tags(arrivals: &[Arrival]) -> Vec<u32> {
    arrivals.iter().map(|arrival| tag(&arrival.frame)).collect()
}

/// When frame `n` of a pace would arrive without impairments.
fn plain(n: u32, every: Picoseconds) -> Picoseconds {
    Picoseconds::new(i64::from(n) * every.ps()) + Speed::Mbps100.frame_time(200)
}

#[test]
fn every_example_and_default_of_the_table_is_accepted_and_prints_as_itself() {
    let needs = |name: &str| match name {
        "burst_end" | "burst_loss" => "burst_start=1%,",
        "bucket" => "rate=1Mbit,",
        "jitter" | "jitter_shape" => "delay=10ms,jitter=1ms,",
        "reorder_by" => "reorder=1%,",
        _ => "",
    };
    for option in IMPAIRMENT_OPTIONS.iter().map(|option| option.field) {
        let prefix = if option.name == "jitter" { "delay=10ms," } else { needs(option.name) };
        let text = format!("{prefix}{}", option.example);
        let read: Impairments = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_ne!(read, Impairments::default(), "{text}");
        assert_eq!(read.to_string().parse(), Ok(read.clone()), "{read}");
        assert!(read.to_string().contains(option.name), "{read}");
        let usual = format!("{}={}", option.name, option.default_text());
        assert_eq!(usual.parse(), Ok(Impairments::default()), "{usual}");
        assert!(!option.help.is_empty() && !option.takes.to_string().is_empty());
    }
}

#[test]
fn a_text_reads_as_the_values_that_it_names() {
    let read: Impairments =
        "loss=1%, delay=10ms, jitter=2ms, jitter_shape=normal, rate=1.5Mbit/s, drop=7+3, bit_errors=1e-9"
            .parse()
            .expect("it is a text of the reference");
    assert_eq!(read.loss, Probability::per_million(10_000));
    assert_eq!((read.delay.ps(), read.jitter.ps()), (10 * MS, 2 * MS));
    assert_eq!(read.jitter_shape, JitterShape::Normal);
    assert_eq!(read.rate, BitRate::new(1_500_000));
    assert_eq!(read.drop, [3, 7]);
    assert_eq!(
        read.to_string(),
        "drop=3+7,loss=1%,bit_errors=1e-9,rate=1500kbit,delay=10ms,jitter=2ms,jitter_shape=normal"
    );
}

#[test]
fn a_wrong_text_is_refused_with_the_part_and_what_is_possible() {
    for (text, pieces) in [
        ("los=1%", ["`los=1%`", "the nearest is loss", ""]),
        ("weather=1", ["`weather=1`", "burst_start, ", "loss"]),
        ("delay=1ms,loss", ["`loss` has no value", "loss=1%", ""]),
        ("loss=120%", ["`loss=120%`", "0 to 100%", "loss=1%"]),
        ("loss=-1%", ["`loss=-1%`", "probability", "loss=1%"]),
        ("loss=1e-16", ["`loss=1e-16`", "1e-15", ""]),
        ("delay=10", ["`delay=10`", "ms", "delay=10ms"]),
        ("delay=2h", ["`delay=2h`", "1 h", ""]),
        ("rate=10", ["`rate=10`", "Mbit", "rate=1Mbit"]),
        ("rate=1bit", ["`rate=1bit`", "1kbit", ""]),
        ("jitter=2ms,delay=1ms", ["jitter=2ms", "delay=1ms", "use delay=2ms or more"]),
        ("loss=1%,loss=2%", ["`loss=2%`", "given before", ""]),
        ("bucket=15kB", ["bucket does nothing", "rate", ""]),
        ("burst_end=5%", ["burst_end", "without burst_start", "burst_start=0.1%"]),
        ("drop=0", ["`drop=0`", "counted from 1", "drop=3+7"]),
        ("limit=0", ["`limit=0`", "1 to 65536", ""]),
        ("jitter_shape=pareto,jitter=1ms,delay=1ms", ["pareto", "uniform or normal", ""]),
        ("loss=1%,", ["``", "there are", ""]),
    ] {
        let message = text.parse::<Impairments>().expect_err(text).to_string();
        let plainer = message.replace('`', "");
        for piece in pieces {
            assert!(message.contains(piece) || plainer.contains(piece), "{text}: {message}");
        }
    }
}

#[test]
fn scripted_drops_lose_the_frames_of_these_numbers_and_no_others() {
    let (counters, arrivals) = sent("drop=2+5", 6, Picoseconds::new(MS));
    assert_eq!(tags(&arrivals), [0, 2, 3, 5]);
    assert_eq!(counters.dropped(DropReason::Scripted), 2);
}

#[test]
fn a_delay_adds_to_the_time_on_the_wire_exactly() {
    let every = Picoseconds::new(MS);
    let (_, arrivals) = sent("delay=10ms", 5, every);
    for (n, arrival) in (0..).zip(&arrivals) {
        assert_eq!(arrival.at, plain(n, every) + Picoseconds::new(10 * MS));
    }
    assert_eq!(arrivals.len(), 5);
}

#[test]
fn one_frame_in_a_hundred_is_lost_at_one_percent() {
    let (counters, arrivals) = sent("loss=1%", 20_000, ns(100_000));
    // 200 expected with a standard deviation of 14.
    assert!((130..270).contains(&counters.dropped(DropReason::Loss)), "{counters:?}");
    assert_eq!(arrivals.len() as u64, 20_000 - counters.dropped_frames());
}

#[test]
fn losses_of_a_burst_come_in_a_row_of_the_mean_length_that_its_end_says() {
    let (counters, arrivals) = sent("burst_start=1%,burst_end=20%", 50_000, ns(100_000));
    let tags = tags(&arrivals);
    let bursts = tags.windows(2).filter(|pair| pair[1] - pair[0] > 1).count() as f64;
    let mean = counters.dropped(DropReason::BurstLoss) as f64 / bursts;
    assert!((4.5..5.5).contains(&mean), "1 / 20% = 5 frames, not {mean}");
    // Share of time in a burst: 1 / (1 + 20) of all.
    let share = counters.dropped_frames() as f64 / 50_000.0;
    assert!((0.04..0.056).contains(&share), "{share}");
}

#[test]
fn uniform_jitter_stays_within_its_bounds_and_reaches_them() {
    let every = Picoseconds::new(10 * MS);
    let (_, arrivals) = sent("delay=4ms,jitter=3ms", 2_000, every);
    let late: Vec<i64> =
        (0..).zip(&arrivals).map(|(n, arrival)| (arrival.at - plain(n, every)).ps()).collect();
    assert!(late.iter().all(|late| (MS..=7 * MS).contains(late)));
    assert!(late.iter().any(|&late| late < MS + MS / 20) && late.iter().any(|&late| late > 7 * MS - MS / 20));
    let mean = late.iter().sum::<i64>() / 2_000;
    assert!((mean - 4 * MS).abs() < MS / 5, "{mean}");
}

#[test]
fn normal_jitter_has_its_deviation() {
    let every = Picoseconds::new(30 * MS);
    let (_, arrivals) = sent("delay=10ms,jitter=2ms,jitter_shape=normal", 4_000, every);
    let late =
        (0..).zip(&arrivals).map(|(n, arrival)| (arrival.at - plain(n, every)).ps() as f64 / MS as f64);
    let variance = late.map(|late| (late - 10.0).powi(2)).sum::<f64>() / 4_000.0;
    assert!((3.6..4.4).contains(&variance), "{variance}");
}

#[test]
fn reordered_frames_are_overtaken_by_as_much_as_they_are_held_back() {
    let (counters, arrivals) = sent("reorder=5%,reorder_by=5ms", 2_000, Picoseconds::new(MS));
    let tags = tags(&arrivals);
    let late = tags.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!((50..160).contains(&late), "{late}");
    assert_eq!(counters.delivered_frames, 2_000);
    let held = arrivals.iter().filter(|arrival| {
        arrival.at >= plain(tag(&arrival.frame), Picoseconds::new(MS)) + Picoseconds::new(5 * MS)
    });
    assert!((60..150).contains(&held.count()));
}

#[test]
fn a_duplicate_follows_its_original() {
    let (counters, arrivals) = sent("duplicate=10%", 1_000, Picoseconds::new(MS));
    assert!((60..150).contains(&counters.duplicated_frames));
    assert_eq!(counters.delivered_frames, 1_000 + counters.duplicated_frames);
    let twins = arrivals.windows(2).filter(|pair| pair[0].frame == pair[1].frame);
    let apart = Speed::Mbps100.frame_time(200) + Speed::Mbps100.gap();
    let apart: Vec<_> = twins.map(|pair| pair[1].at - pair[0].at == apart).collect();
    assert_eq!(apart.len() as u64, counters.duplicated_frames);
    assert!(apart.iter().all(|&apart| apart), "a copy takes the wire right behind its original");
}

#[test]
fn a_corrupted_frame_has_one_bit_flipped_and_a_right_check_sequence() {
    let (_, arrivals) = sent("corrupt=50%", 400, Picoseconds::new(MS));
    let flipped = |arrival: &Arrival, n| {
        let before = frame(2, 1, 200, n).bytes;
        before.iter().zip(&arrival.frame.bytes).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
    };
    let flips: Vec<_> = (0..).zip(&arrivals).map(|(n, arrival)| flipped(arrival, n)).collect();
    assert!(flips.iter().all(|&bits| bits <= 1));
    assert!((150..250).contains(&flips.iter().sum::<u32>()));
    assert!(arrivals.iter().all(|arrival| arrival.frame.intact));
}

#[test]
fn bit_errors_spoil_as_many_frames_as_their_bits_make_likely() {
    let (_, arrivals) = sent("bit_errors=1e-5", 10_000, Picoseconds::new(MS));
    // 1 - (1 - 1e-5)^(204 * 8) = 1.62 %: 162 expected with a deviation of 13.
    let bad = arrivals.iter().filter(|arrival| !arrival.frame.intact).count();
    assert!((110..215).contains(&bad), "{bad}");
    let (counters, arrivals) = sent("bit_errors=100%", 3, Picoseconds::new(MS));
    assert_eq!(counters.delivered_frames, 3, "an outer port judges for itself");
    assert!(arrivals.iter().all(|arrival| !arrival.frame.intact && arrival.frame.bytes[0] == !2));
}

#[test]
fn a_rate_serialises_frames_and_its_limit_drops_the_rest() {
    // Ten frames of 200 bytes at once: 1.6 ms each at 1 Mbit/s.
    let (_, arrivals) = sent("rate=1Mbit", 10, ns(0));
    let expected = |n: i64| Picoseconds::new(n * 1_600_000_000) + Speed::Mbps100.frame_time(200);
    assert!((1..).zip(&arrivals).all(|(n, arrival)| arrival.at == expected(n)), "{arrivals:?}");
    assert_eq!(arrivals.len(), 10);
    let (counters, arrivals) = sent("rate=1Mbit,limit=3", 10, ns(0));
    assert_eq!(tags(&arrivals), [0, 1, 2]);
    assert_eq!(counters.dropped(DropReason::ImpairmentLimit), 7);
}

#[test]
fn a_token_bucket_lets_as_much_through_at_once_as_it_holds() {
    let (_, arrivals) = sent("rate=1Mbit,bucket=1000", 8, ns(0));
    let gap = |n: usize| (arrivals[n].at - arrivals[n - 1].at).ps();
    let line = (Speed::Mbps100.frame_time(200) + Speed::Mbps100.gap()).ps();
    assert!((1..5).all(|n| gap(n) == line), "five frames of 200 bytes at the speed of the cable");
    assert!((6..8).all(|n| gap(n) == 1_600_000_000), "then 1.6 ms each");
    assert_eq!(arrivals[5].at, plain(0, ns(0)) + Picoseconds::new(1_600_000_000));
}

/// Takes 2 ms for even frames and none for odd ones, and loses every seventh.
#[derive(Debug, Clone, Default)]
struct Uneven {
    passes: Vec<(Picoseconds, usize, Direction, usize)>,
    passed: std::collections::VecDeque<HopPassed>,
}

impl Hop for Uneven {
    fn offer(
        &mut self,
        at: Picoseconds,
        member: usize,
        direction: Direction,
        frame_bytes: usize,
        ticket: u64,
    ) -> bool {
        self.passes.push((at, member, direction, frame_bytes));
        let n = self.passes.len();
        let leaves =
            (!n.is_multiple_of(7)).then(|| if n % 2 == 1 { at + Picoseconds::new(2 * MS) } else { at });
        self.passed.push_back(HopPassed { ticket, leaves, kept: None });
        true
    }

    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}

    fn take(&mut self) -> Option<HopPassed> {
        self.passed.pop_front()
    }

    fn snapshot(&self) -> Option<Box<dyn Hop>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn a_hop_sees_whole_frames_in_their_order_and_its_answers_keep_it() {
    let (mut network, a, b) = direct("none", 1);
    let hop = network.add_hop(Box::<Uneven>::default());
    network.set_hop(a, hop, 3);
    let arrivals = pace(&mut network, a, b, 20, ns(100_000));
    let kept: Vec<u32> = (0u32..20).filter(|n| !(n + 1).is_multiple_of(7)).collect();
    assert_eq!(tags(&arrivals), kept);
    assert_eq!(network.counters(a).sent.dropped(DropReason::Hop), 2);
    let frame_time = Speed::Mbps100.frame_time(200);
    assert_eq!(arrivals[0].at, frame_time + Picoseconds::new(2 * MS) + frame_time);
    network.send(b, network.now(), frame(1, 2, 100, 0));
    let start = network.now();
    network.advance(start + Picoseconds::new(10 * MS));
    let hop: &dyn std::any::Any = network.hop(hop).expect("it is on the cable of both");
    let passes = &hop.downcast_ref::<Uneven>().expect("it is of this kind").passes;
    assert_eq!(passes[0], (frame_time, 3, Direction::Outbound, 200));
    assert_eq!(passes[20], (start + Speed::Mbps100.frame_time(100), 3, Direction::Inbound, 100));
}

/// Lets nothing go before an hour is over.
#[derive(Debug, Clone, Default)]
struct Stuck {
    kept: std::collections::VecDeque<u64>,
    is_over: bool,
}

impl Stuck {
    const HOUR: Picoseconds = Picoseconds::new(3600 * 1000 * MS);
}

impl Hop for Stuck {
    fn offer(&mut self, _: Picoseconds, _: usize, _: Direction, _: usize, ticket: u64) -> bool {
        self.kept.push_back(ticket);
        true
    }

    fn next_event(&self) -> Option<Picoseconds> {
        (!self.kept.is_empty()).then_some(Self::HOUR)
    }

    fn advance(&mut self, at: Picoseconds) {
        self.is_over = at >= Self::HOUR;
    }

    fn take(&mut self) -> Option<HopPassed> {
        let ticket = if self.is_over { self.kept.pop_front() } else { None }?;
        Some(HopPassed { ticket, leaves: Some(Self::HOUR), kept: None })
    }

    fn snapshot(&self) -> Option<Box<dyn Hop>> {
        None
    }
}

#[test]
fn a_hop_that_lets_nothing_go_holds_a_thousand_frames() {
    let (mut network, a, b) = direct("none", 1);
    let hop = network.add_hop(Box::<Stuck>::default());
    network.set_hop(a, hop, 0);
    assert!(network.snapshot().is_none(), "this one cannot be copied");
    let arrivals = pace(&mut network, a, b, 1_500, ns(100_000));
    assert_eq!(tags(&arrivals), (0..1_000).collect::<Vec<_>>());
    assert_eq!(network.counters(a).sent.dropped(DropReason::HopQueue), 500);
}

#[test]
fn what_a_hop_holds_is_lost_with_the_cable_and_the_next_frames_are_not() {
    let (mut network, a, b) = direct("none", 1);
    let hop = network.add_hop(Box::<Stuck>::default());
    network.set_hop(a, hop, 0);
    network.send(a, ns(0), frame(1, 2, 200, 0));
    network.advance(ns(1_000_000));
    network.set_plugged(ns(1_000_000), a, false);
    network.set_plugged(ns(1_000_000), a, true);
    network.send(a, ns(2_000_000), frame(1, 2, 200, 1));
    network.advance(Stuck::HOUR + Picoseconds::new(MS));
    let arrived: Vec<_> = std::iter::from_fn(|| network.take_arrival(b)).collect();
    assert_eq!(tags(&arrived), [1]);
    assert_eq!(network.counters(a).sent.dropped(DropReason::CablePulled), 1);
    assert_eq!(network.in_flight_frames(), 0);
}

#[test]
fn a_snapshot_draws_what_the_original_draws() {
    let (mut network, a, b) = direct("loss=20%,delay=5ms,jitter=5ms,duplicate=20%,reorder=10%", 1);
    let hop = network.add_hop(Box::<Uneven>::default());
    network.set_hop(a, hop, 0);
    for n in 0..50 {
        network.send(a, network.now(), frame(2, 1, 200, n));
        network.advance(network.now() + ns(300_000));
    }
    let mut copy = network.snapshot().expect("everything can be copied");
    let go_on = |network: &mut Network| {
        let now = network.now();
        (50..150).for_each(|n| network.send(a, now, frame(2, 1, 200, n)));
        network.advance(now + Picoseconds::new(500 * MS));
        std::iter::from_fn(|| network.take_arrival(b)).collect::<Vec<_>>()
    };
    let expected = go_on(&mut network);
    assert!(expected.len() > 60);
    assert_eq!(go_on(&mut copy), expected);
}

#[test]
fn impairments_taken_away_leave_order_and_what_was_held() {
    let (mut network, a, b) = direct("delay=5ms", 1);
    network.send(a, ns(0), frame(2, 1, 200, 0));
    network.advance(Picoseconds::new(MS));
    network.set_impairments(a, Direction::Outbound, Impairments::default()).expect("none is consistent");
    network.send(a, Picoseconds::new(MS), frame(2, 1, 200, 1));
    network.advance(Picoseconds::new(100 * MS));
    let arrivals: Vec<_> = std::iter::from_fn(|| network.take_arrival(b)).collect();
    assert_eq!(tags(&arrivals), [0, 1]);
    assert_eq!(arrivals[0].at, plain(0, ns(0)) + Picoseconds::new(5 * MS));
}

#[test]
fn another_impairment_changes_no_draw_of_the_first() {
    let lost = |text| {
        let (_, arrivals) = sent(text, 2_000, Picoseconds::new(MS));
        tags(&arrivals)
    };
    assert_eq!(lost("loss=3%"), lost("loss=3%,delay=1ms,jitter=0.5ms,corrupt=0%,bit_errors=1e-15"));
}

fn any_impairments() -> impl Strategy<Value = Impairments> {
    let probability = || (0u64..=1_000_000).prop_map(Probability::per_million);
    let time = || (0i64..3_600_000_000_000_000).prop_map(Picoseconds::new);
    let chances = (probability(), probability(), probability(), probability(), probability(), probability());
    let times = (time(), time(), time(), any::<bool>());
    let rates = (prop::option::of(1_000u64..100_000_000_000), 0u64..16_000_000, 1u64..=65_536);
    let drops = prop::collection::btree_set(1u64.., 0..5);
    (chances, times, rates, drops).prop_map(|(chances, times, rates, drops)| {
        let usual = Impairments::default();
        let burst = chances.1 > Probability::NEVER;
        let reorder = chances.4 > Probability::NEVER;
        let jitter = times.1.min(times.0);
        let normal = times.3 && jitter > Picoseconds::ZERO;
        Impairments {
            loss: chances.0,
            burst_start: chances.1,
            burst_end: if burst { chances.2 } else { usual.burst_end },
            burst_loss: if burst { chances.3 } else { usual.burst_loss },
            drop: drops.into_iter().collect(),
            delay: times.0,
            jitter,
            jitter_shape: if normal { JitterShape::Normal } else { JitterShape::Uniform },
            reorder: chances.4,
            reorder_by: if reorder { times.2 } else { usual.reorder_by },
            duplicate: chances.5,
            corrupt: chances.2,
            bit_errors: chances.3,
            rate: rates.0.and_then(BitRate::new),
            bucket_bytes: if rates.0.is_some() { rates.1 } else { 0 },
            limit_frames: rates.2,
        }
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_the_same(impairments in any_impairments()) {
        let text = impairments.to_string();
        prop_assert_eq!(text.parse::<Impairments>(), Ok(impairments), "{}", text);
    }

    #[test]
    fn small_probabilities_survive_a_round_trip(parts in 0u64..=999, exponent in 0u32..=12) {
        let text = format!("loss={parts}e-{}", 3 + exponent);
        let read: Impairments = text.parse().expect("it is a probability");
        prop_assert_eq!(read.to_string().parse(), Ok(read));
    }

    #[test]
    fn any_text_reads_or_is_refused_without_a_panic(text in "[a-z_]{0,12}[=,]?[-+0-9.e%a-zA-Zµ, =]{0,40}") {
        if let Ok(read) = text.parse::<Impairments>() {
            prop_assert_eq!(read.to_string().parse(), Ok(read));
        }
    }
}
