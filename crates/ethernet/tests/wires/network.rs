//! The wire and the switch: times of IEEE 802.3, learning, cables that are pulled, bounds and counters.

use crate::common::{MS, Notebook, frame, notebook, ns, tag};
use ethernet::{Cable, Direction, DropReason, Frame, Impairments, Network, NoDirectCable, PortId, Speed};
use units::Picoseconds;

fn three_ports(speed: Speed) -> (Network, [PortId; 3]) {
    let mut network = Network::new(1);
    let ports = ["a", "b", "c"].map(|name| network.add_port(name, Cable::new(speed)));
    (network, ports)
}

fn arrivals(network: &mut Network, port: PortId) -> Vec<(Picoseconds, Frame)> {
    std::iter::from_fn(|| network.take_arrival(port)).map(|arrival| (arrival.at, arrival.frame)).collect()
}

#[test]
fn the_shortest_frame_takes_5_76_us_at_100_mbit_and_148_809_of_them_fit_in_a_second() {
    // 64 bytes with the check sequence, 8 of preamble, 12 of silence: 672 bits.
    assert_eq!(Speed::Mbps100.frame_time(60), ns(5_760));
    let mut network = Network::new(1);
    let a = network.add_port("a", Cable::new(Speed::Mbps100));
    let b = network.add_station("b", Cable::new(Speed::Mbps100), Box::<Notebook>::default());
    network.connect_directly(a, b).expect("both have cables to the switch");
    let second = Picoseconds::new(1000 * MS);
    let mut sent = 0;
    while network.now() < second {
        while network.counters(a).sent.dropped_frames() == 0 && sent < 200_000 {
            network.send(a, Picoseconds::ZERO, frame(2, 1, 60, sent));
            sent += 1;
        }
        let step = network.now() + Picoseconds::new(MS);
        network.advance(step.min(second));
        if network.counters(a).sent.dropped_frames() > 0 {
            (0..150).for_each(|_| network.send(a, Picoseconds::ZERO, frame(2, 1, 60, sent)));
        }
    }
    // Frame n is whole at n * 6.72 us + 5.76 us: 148,809 of them within the second, and 148,810 begun.
    let received = &notebook(&mut network, b).received;
    assert_eq!(received.len(), 148_809);
    assert_eq!(received[0].0, ns(5_760));
    assert_eq!(received[148_808].0, ns(148_808 * 6_720 + 5_760));
}

#[test]
fn the_switch_stores_a_frame_before_it_forwards_it_at_the_speed_of_the_other_cable() {
    let mut network = Network::new(1);
    let fast = Cable { speed: Speed::Mbps1000, propagation: ns(5) };
    let slow = Cable { speed: Speed::Mbps10, propagation: ns(500) };
    let (a, b) = (network.add_port("a", fast), network.add_port("b", slow));
    network.set_switch_latency(ns(3_000));
    network.send(a, ns(100), frame(2, 1, 1514, 0));
    network.advance(Picoseconds::new(10 * MS));
    // 1526 bytes with preamble and check sequence: 12.208 us, then 1220.8 us.
    assert_eq!(arrivals(&mut network, b)[0].0, ns(100 + 12_208 + 5 + 3_000 + 1_220_800 + 500));
}

#[test]
fn a_frame_shorter_than_60_bytes_arrives_padded_with_zeros() {
    let (mut network, [a, b, _]) = three_ports(Speed::Mbps100);
    network.send(a, ns(0), frame(0xff, 1, 42, 7));
    network.advance(Picoseconds::new(MS));
    let arrived = arrivals(&mut network, b);
    assert_eq!(arrived[0].1.bytes.len(), 60);
    assert_eq!(arrived[0].1.bytes[42..], [0; 18]);
}

#[test]
fn an_unknown_destination_is_flooded_and_a_learned_one_is_not() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps100);
    network.send(a, ns(0), frame(2, 1, 60, 0));
    network.advance(Picoseconds::new(MS));
    assert_eq!((arrivals(&mut network, b).len(), arrivals(&mut network, c).len()), (1, 1));
    network.send(b, Picoseconds::new(MS), frame(1, 2, 60, 1));
    network.advance(Picoseconds::new(2 * MS));
    assert_eq!((arrivals(&mut network, a).len(), arrivals(&mut network, c).len()), (1, 0));
    let counters = network.switch_counters();
    assert_eq!((counters.flooded_frames, counters.flooded_copies, counters.forwarded_frames), (1, 2, 1));
}

#[test]
fn an_address_is_forgotten_after_300_s() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps100);
    network.send(b, ns(0), frame(0xff, 2, 60, 0));
    let second = |s: i64| Picoseconds::new(s * units::PS_PER_S);
    network.send(a, second(299), frame(2, 1, 60, 1));
    network.advance(second(300));
    network.send(a, second(301), frame(2, 1, 60, 2));
    network.advance(second(302));
    let tags: Vec<_> = arrivals(&mut network, c).iter().map(|(_, frame)| tag(frame)).collect();
    assert_eq!(tags, [0, 2], "the broadcast, and what came after the address was forgotten");
}

#[test]
fn an_address_that_moves_is_found_at_its_new_cable() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps100);
    network.send(b, ns(0), frame(0xff, 9, 60, 0));
    network.send(c, ns(20_000), frame(0xff, 9, 60, 1));
    network.advance(Picoseconds::new(MS));
    for port in [a, b, c] {
        arrivals(&mut network, port);
    }
    network.send(a, Picoseconds::new(MS), frame(9, 1, 60, 2));
    network.advance(Picoseconds::new(2 * MS));
    assert_eq!((arrivals(&mut network, b).len(), arrivals(&mut network, c).len()), (0, 1));
}

#[test]
fn a_frame_for_the_cable_that_it_came_from_goes_no_further() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps100);
    network.send(a, ns(0), frame(0xff, 1, 60, 0));
    network.send(a, ns(0), frame(0xff, 5, 60, 1));
    network.send(a, ns(0), frame(1, 5, 60, 2));
    network.advance(Picoseconds::new(MS));
    for port in [b, c] {
        assert_eq!(arrivals(&mut network, port).len(), 2, "the broadcasts");
    }
    assert!(arrivals(&mut network, a).is_empty());
    assert_eq!(network.switch_counters().filtered_frames, 1);
}

#[test]
fn a_pulled_cable_is_forgotten_so_that_its_addresses_are_found_elsewhere_at_once() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps100);
    network.send(b, ns(0), frame(0xff, 9, 60, 0));
    network.advance(Picoseconds::new(MS));
    network.set_plugged(network.now(), b, false);
    arrivals(&mut network, c);
    network.send(a, network.now(), frame(9, 1, 60, 1));
    network.advance(Picoseconds::new(2 * MS));
    assert_eq!(arrivals(&mut network, c).len(), 1);
    assert_eq!(network.counters(b).received.offered_frames, 0, "nothing is sent to a pulled cable");
}

#[test]
fn a_full_table_learns_no_more_and_floods() {
    let (mut network, [a, b, c]) = three_ports(Speed::Mbps1000);
    for n in 0..1100u32 {
        let mut made_up = frame(0xff, 1, 60, n);
        made_up.bytes[6..12].copy_from_slice(&[2, 1, 0, 0, (n >> 8) as u8, n as u8]);
        network.send(a, network.now(), made_up);
        network.advance(network.now() + ns(1_000));
    }
    assert_eq!(network.switch_counters().unlearned_addresses, 1100 - 1024);
    network.advance(network.now() + Picoseconds::new(MS));
    let (before_b, before_c) = (arrivals(&mut network, b).len(), arrivals(&mut network, c).len());
    assert_eq!((before_b, before_c), (1100, 1100));
    let mut last = frame(2, 3, 60, 0);
    last.bytes[..6].copy_from_slice(&[2, 1, 0, 0, 4, 75]);
    network.send(b, network.now(), last);
    network.advance(network.now() + Picoseconds::new(MS));
    assert_eq!((arrivals(&mut network, a).len(), arrivals(&mut network, c).len()), (1, 1));
}

#[test]
fn pause_frames_and_giants_go_no_further_than_the_switch() {
    let (mut network, [a, b, _]) = three_ports(Speed::Mbps100);
    let mut pause = frame(2, 1, 60, 0);
    pause.bytes[..6].copy_from_slice(&[0x01, 0x80, 0xc2, 0, 0, 1]);
    network.send(a, ns(0), pause);
    network.send(a, ns(0), frame(0xff, 1, 1519, 0));
    network.send(a, ns(0), frame(0xff, 1, 1518, 0));
    network.send(a, ns(0), Frame::new(vec![0; 13]));
    network.advance(Picoseconds::new(MS));
    assert_eq!(arrivals(&mut network, b).len(), 1);
    let counters = network.switch_counters();
    assert_eq!((counters.reserved_frames, counters.giant_frames), (1, 1));
    assert_eq!(network.counters(a).sent.dropped(DropReason::Runt), 1);
}

#[test]
fn a_wrong_check_sequence_is_dropped_by_switch_and_station_and_told_to_an_outer_port() {
    let (mut network, [a, b, _]) = three_ports(Speed::Mbps100);
    let s = network.add_station("s", Cable::new(Speed::Mbps100), Box::<Notebook>::default());
    let bad = Frame { intact: false, ..frame(0xff, 1, 60, 0) };
    network.send(a, ns(0), bad.clone());
    network.advance(Picoseconds::new(MS));
    assert_eq!(network.counters(a).sent.dropped(DropReason::CheckSequence), 1);
    assert!(arrivals(&mut network, b).is_empty());

    network.connect_directly(a, s).expect("both have cables to the switch");
    network.send(a, network.now(), bad.clone());
    network.advance(Picoseconds::new(2 * MS));
    assert!(notebook(&mut network, s).received.is_empty());
    assert_eq!(
        network.counters(s).received.dropped(DropReason::CheckSequence),
        2,
        "one before, on the same cable"
    );

    let (mut network, [a, b, _]) = three_ports(Speed::Mbps100);
    network.connect_directly(a, b).expect("both have cables to the switch");
    network.send(a, ns(0), bad);
    network.advance(Picoseconds::new(MS));
    assert!(!arrivals(&mut network, b)[0].1.intact);
}

#[test]
fn what_does_not_fit_in_the_queue_of_the_switch_is_dropped_from_its_tail_and_counted() {
    let mut network = Network::new(1);
    let a = network.add_port("a", Cable::new(Speed::Mbps1000));
    let b = network.add_port("b", Cable::new(Speed::Mbps10));
    network.set_switch_queue(b, 4);
    for n in 0..20 {
        network.send(a, ns(0), frame(2, 1, 1514, n));
    }
    network.advance(Picoseconds::new(100 * MS));
    let tags: Vec<_> = arrivals(&mut network, b).iter().map(|(_, frame)| tag(frame)).collect();
    assert_eq!(tags, [0, 1, 2, 3, 4], "one on the wire and four behind it");
    assert_eq!(network.counters(b).received.dropped(DropReason::QueueFull), 15);
}

#[test]
fn a_pulled_cable_loses_what_is_on_it_and_stations_are_told() {
    let mut network = Network::new(1);
    let a = network.add_port("a", Cable::new(Speed::Mbps100));
    let s = network.add_station("s", Cable::new(Speed::Mbps1000), Box::<Notebook>::default());
    network.send(a, ns(0), frame(0xff, 1, 1514, 0));
    network.set_plugged(ns(50_000), a, false);
    network.advance(ns(60_000));
    assert_eq!(network.carrier(a), None);
    network.send(a, ns(60_000), frame(0xff, 1, 60, 1));
    network.set_plugged(ns(70_000), a, true);
    network.set_plugged(ns(200_000), s, false);
    network.advance(ns(300_000));
    network.set_plugged(ns(300_000), s, true);
    let sent = network.counters(a).sent;
    assert_eq!((sent.dropped(DropReason::CablePulled), sent.dropped(DropReason::NoCarrier)), (1, 1));
    assert_eq!(network.carrier(a), Some(Speed::Mbps100));
    let station = notebook(&mut network, s);
    assert!(station.received.is_empty());
    let gigabit = Some(Speed::Mbps1000);
    assert_eq!(station.links, [(ns(0), gigabit), (ns(200_000), None), (ns(300_000), gigabit)]);
}

#[test]
fn a_station_hands_over_as_much_as_its_ring_holds_and_the_rest_when_there_is_room() {
    let mut network = Network::new(1);
    let s = network.add_station("s", Cable::new(Speed::Mbps100), Box::<Notebook>::default());
    let b = network.add_port("b", Cable::new(Speed::Mbps100));
    notebook(&mut network, s).outbox = (0..2000).map(|n| frame(2, 1, 1514, n)).collect();
    network.poke(ns(0), s);
    assert!(notebook(&mut network, s).outbox.len() >= 2000 - 257);
    network.advance(Picoseconds::new(1000 * MS));
    let arrived = arrivals(&mut network, b);
    assert!(arrived.iter().map(|(_, frame)| tag(frame)).eq(0..2000));
    let line: Vec<_> = arrived.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(line.iter().all(|&gap| gap == ns(123_040)), "back to back: 1538 bytes each");
}

#[test]
fn a_direct_cable_runs_at_the_slower_of_both_speeds() {
    let mut network = Network::new(1);
    let a = network.add_port("a", Cable::new(Speed::Mbps1000));
    let b = network.add_port("b", Cable::new(Speed::Mbps10));
    network.connect_directly(a, b).expect("both have cables to the switch");
    assert_eq!((network.carrier(a), network.carrier(b)), (Some(Speed::Mbps10), Some(Speed::Mbps10)));
    network.send(b, ns(0), frame(1, 2, 60, 0));
    network.advance(Picoseconds::new(MS));
    assert_eq!(arrivals(&mut network, a)[0].0, ns(57_600));
    network.set_plugged(network.now(), b, false);
    assert_eq!(network.carrier(a), None);
}

#[test]
fn a_snapshot_goes_on_as_the_original_does() {
    let mut network = Network::new(1);
    let s = network.add_station("s", Cable::new(Speed::Mbps100), Box::<Notebook>::default());
    let b = network.add_port("b", Cable::new(Speed::Mbps10));
    notebook(&mut network, s).outbox = (0..100).map(|n| frame(2, 1, 200, n)).collect();
    network.poke(ns(0), s);
    network.advance(Picoseconds::new(3 * MS));
    let mut copy = network.snapshot().expect("a notebook can be copied");
    for network in [&mut network, &mut copy] {
        network.advance(Picoseconds::new(500 * MS));
    }
    let expected = arrivals(&mut network, b);
    assert_eq!(expected.len(), 100);
    assert_eq!(arrivals(&mut copy, b), expected);
    assert_eq!(copy.counters(b), network.counters(b));
}

#[test]
fn an_id_of_another_network_names_nothing() {
    let mut other = Network::new(1);
    let [_, _, stranger] = ["a", "b", "c"].map(|name| other.add_port(name, Cable::new(Speed::Mbps100)));
    let [_, foreign] = ["d", "e"]
        .map(|name| other.add_station(name, Cable::new(Speed::Mbps100), Box::<Notebook>::default()));
    let tap = other.tap(stranger).expect("it is there");
    let mut network = Network::new(1);
    let own = network.add_port("own", Cable::new(Speed::Mbps100));
    let before = network.counters(own);
    network.send(stranger, ns(0), frame(1, 2, 60, 0));
    network.set_plugged(ns(0), stranger, false);
    network.poke(ns(10), foreign);
    network.set_switch_queue(stranger, 1);
    network
        .set_impairments(stranger, Direction::Inbound, Impairments::default())
        .expect("nothing contradicts");
    network.advance(ns(1_000_000));
    assert!(network.station(foreign).is_none() && network.station_mut(foreign).is_none());
    assert_eq!((network.take_arrival(stranger), network.carrier(stranger)), (None, None));
    assert!(network.tap(stranger).is_none());
    assert_eq!(
        (network.name(stranger), network.tapped_names(tap), network.tapped_speed(tap)),
        (None, None, None)
    );
    assert_eq!(network.counters(stranger), Default::default());
    assert_eq!(network.connect_directly(own, stranger), Err(NoDirectCable));
    assert_eq!(network.connect_directly(own, own), Err(NoDirectCable));
    assert_eq!((network.carrier(own), network.counters(own)), (Some(Speed::Mbps100), before));
}
