//! What holds for any traffic: nothing is lost or made without a counter, order, determinism, and the speed of the line.

use crate::common::{MS, Notebook, frame, notebook, ns, tag};
use ethernet::{Arrival, Cable, Direction, Impairments, LaneCounters, Network, PortId, Speed, StationId};
use proptest::prelude::*;
use units::Picoseconds;

/// What somebody does to a network.
#[derive(Debug, Clone)]
enum Deed {
    Send { port: usize, to: u8, bytes: usize },
    Station { to: u8, frames: usize },
    Plug { port: usize, plugged: bool },
    Wait { us: i64 },
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let to = || prop::sample::select(vec![1u8, 2, 3, 4, 9, 0xff]);
    let deed = prop_oneof![
        8 => (0usize..3, to(), 0usize..1600).prop_map(|(port, to, bytes)| Deed::Send { port, to, bytes }),
        2 => (to(), 1usize..400).prop_map(|(to, frames)| Deed::Station { to, frames }),
        1 => (0usize..3, any::<bool>()).prop_map(|(port, plugged)| Deed::Plug { port, plugged }),
        4 => (0i64..3_000).prop_map(|us| Deed::Wait { us }),
    ];
    prop::collection::vec(deed, 0..120)
}

fn texts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "none",
        "loss=20%",
        "burst_start=10%,duplicate=30%",
        "delay=1ms,jitter=1ms",
        "corrupt=10%",
        "reorder=20%,reorder_by=2ms,bit_errors=1e-4",
        "rate=2Mbit,limit=5,duplicate=50%",
        "rate=5Mbit,bucket=3kB,drop=1+2+4",
    ])
}

struct Scene {
    network: Network,
    ports: [PortId; 3],
    station: StationId,
    arrivals: Vec<(usize, Arrival)>,
}

fn play(deeds: &[Deed], texts: &[&str; 3], seed: u64, tapped: bool) -> Scene {
    let mut network = Network::new(seed);
    let speeds = [Speed::Mbps10, Speed::Mbps100, Speed::Mbps1000];
    let cable = |speed| Cable { speed, propagation: ns(200) };
    let ports = [0, 1, 2].map(|n| network.add_port(["a", "b", "c"][n], cable(speeds[n])));
    let station = network.add_station("s", cable(Speed::Mbps100), Box::<Notebook>::default());
    for ((n, &port), direction) in
        ports.iter().enumerate().zip([Direction::Outbound, Direction::Inbound, Direction::Outbound])
    {
        let impairments: Impairments = texts[n].parse().expect("it is a text of the reference");
        network.set_impairments(port, direction, impairments).expect("it is consistent");
    }
    if tapped {
        network.tap(ports[0]);
        network.tap(station);
    }
    let mut scene = Scene { network, ports, station, arrivals: Vec::new() };
    deeds.iter().enumerate().for_each(|(n, deed)| scene.act(n, deed));
    scene.act(deeds.len(), &Deed::Wait { us: 20_000_000 });
    scene
}

impl Scene {
    fn act(&mut self, n: usize, deed: &Deed) {
        let now = self.network.now();
        match *deed {
            Deed::Send { port, to, bytes } => {
                let frame = frame(to, port as u8 + 1, bytes.max(18), n as u32);
                self.network.send(self.ports[port], now, frame);
            }
            Deed::Station { to, frames } => {
                let frames = (0..frames).map(|k| frame(to, 4, 60 + k, n as u32));
                notebook(&mut self.network, self.station).outbox.extend(frames);
                self.network.poke(now, self.station);
            }
            Deed::Plug { port, plugged } => self.network.set_plugged(now, self.ports[port], plugged),
            Deed::Wait { us } => self.network.advance(now + ns(us * 1_000)),
        }
        for (n, &port) in self.ports.iter().enumerate() {
            let arrivals = std::iter::from_fn(|| self.network.take_arrival(port));
            self.arrivals.extend(arrivals.map(|arrival| (n, arrival)));
        }
    }

    /// Every direction of every cable.
    fn lanes(&self) -> Vec<LaneCounters> {
        let ports = self.ports.iter().map(|&port| self.network.counters(port));
        let all = ports.chain([self.network.counters(self.station)]);
        all.flat_map(|counters| [counters.sent, counters.received]).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_frame_is_made_or_lost_without_a_counter(
        deeds in deeds(), a in texts(), b in texts(), c in texts(), seed in 0u64..4,
    ) {
        let scene = play(&deeds, &[a, b, c], seed, seed % 2 == 0);
        prop_assert_eq!(scene.network.in_flight_frames(), 0);
        let lanes = scene.lanes();
        for lane in &lanes {
            let entered = lane.offered_frames + lane.duplicated_frames;
            prop_assert_eq!(entered, lane.delivered_frames + lane.dropped_frames(), "{:?}", lane);
        }
        let sum = |step: usize, of: fn(&LaneCounters) -> u64| lanes[step..].iter().step_by(2).map(of).sum::<u64>();
        let switch = scene.network.switch_counters();
        prop_assert_eq!(switch.received_frames, sum(0, |lane| lane.delivered_frames));
        let stopped = switch.filtered_frames + switch.reserved_frames + switch.giant_frames;
        prop_assert_eq!(switch.received_frames, switch.forwarded_frames + switch.flooded_frames + stopped);
        prop_assert_eq!(switch.forwarded_frames + switch.flooded_copies, sum(1, |lane| lane.offered_frames));
        let arrived = scene.arrivals.len() as u64;
        let mut scene = scene;
        let at_station = notebook(&mut scene.network, scene.station).received.len() as u64;
        prop_assert_eq!(arrived + at_station, sum(1, |lane| lane.delivered_frames));
    }

    #[test]
    fn the_same_seed_gives_the_same_events_tapped_or_not(
        deeds in deeds(), a in texts(), b in texts(), c in texts(), seed in 0u64..4, tapped in any::<bool>(),
    ) {
        let texts = [a, b, c];
        let mut first = play(&deeds, &texts, seed, false);
        let mut again = play(&deeds, &texts, seed, tapped);
        prop_assert_eq!(&first.arrivals, &again.arrivals);
        let received = notebook(&mut first.network, first.station).received.clone();
        prop_assert_eq!(&received, &notebook(&mut again.network, again.station).received);
        prop_assert_eq!(first.lanes(), again.lanes());
    }

    #[test]
    fn nothing_is_faster_than_the_line_and_order_is_kept_without_reorder(
        sizes in prop::collection::vec((18usize..1518, 0i64..200), 1..80),
        text in texts().prop_filter("it reorders", |text| !text.contains("reorder")),
        speed in prop::sample::select(vec![Speed::Mbps10, Speed::Mbps100]),
    ) {
        let mut network = Network::new(3);
        let a = network.add_port("a", Cable::new(Speed::Mbps1000));
        let b = network.add_port("b", Cable::new(speed));
        let impairments: Impairments = text.parse().expect("it is a text of the reference");
        let quiet = impairments.duplicate.as_f64() == 0.0;
        network.set_impairments(b, Direction::Inbound, impairments).expect("it is consistent");
        for (n, &(bytes, us)) in (0..).zip(&sizes) {
            network.send(a, network.now(), frame(2, 1, bytes, n));
            network.advance(network.now() + ns(us * 1_000));
        }
        network.advance(network.now() + Picoseconds::new(60_000 * MS));
        let arrivals: Vec<_> = std::iter::from_fn(|| network.take_arrival(b)).collect();
        for pair in arrivals.windows(2) {
            let least = speed.frame_time(pair[1].frame.bytes.len()) + speed.gap();
            prop_assert!(pair[1].at - pair[0].at >= least, "{:?}", pair);
        }
        if !text.contains("corrupt") {
            let tags: Vec<_> = arrivals.iter().map(|arrival| tag(&arrival.frame)).collect();
            let mut sorted = tags.clone();
            sorted.sort_unstable();
            prop_assert!(tags == sorted && (!quiet || tags.windows(2).all(|pair| pair[0] < pair[1])));
        }
    }

    #[test]
    fn a_rate_is_never_exceeded_beyond_its_bucket(
        sizes in prop::collection::vec((18usize..1518, 0i64..5_000), 2..60), bucket in 0u64..6_000,
    ) {
        let mut network = Network::new(3);
        let a = network.add_port("a", Cable::new(Speed::Mbps1000));
        let b = network.add_port("b", Cable::new(Speed::Mbps1000));
        let text = format!("rate=1Mbit,bucket={bucket}");
        network.set_impairments(b, Direction::Inbound, text.parse().expect("a text")).expect("it is consistent");
        for (n, &(bytes, us)) in (0..).zip(&sizes) {
            network.send(a, network.now(), frame(2, 1, bytes, n));
            network.advance(network.now() + ns(us * 1_000));
        }
        network.advance(network.now() + Picoseconds::new(60_000 * MS));
        let arrivals: Vec<_> = std::iter::from_fn(|| network.take_arrival(b)).collect();
        prop_assert_eq!(arrivals.len(), sizes.len());
        for from in 0..arrivals.len() {
            let mut bits = 0;
            for to in from + 1..arrivals.len() {
                bits += arrivals[to].frame.bytes.len() as i64 * 8;
                let elapsed = (arrivals[to].at - arrivals[from].at).ps();
                let (first, last) = (&arrivals[from].frame, &arrivals[to].frame);
                let serialised = Speed::Mbps1000.frame_time(last.bytes.len()) - Speed::Mbps1000.frame_time(first.bytes.len());
                let allowed = (elapsed - serialised.ps()) / 1_000_000 + bucket.max(1518) as i64 * 8;
                prop_assert!(bits <= allowed + 1, "{} bits in {} ps", bits, elapsed);
            }
        }
    }
}
