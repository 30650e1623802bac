//! A board behind a Wi-Fi access point: a chip and a PC that answer each other over the hop, and the `[wifi]` table of
//! network files.

use std::net::Ipv4Addr;
use std::path::Path;

use ethernet::{Cable, Host, HostOptions, Network, Speed};
use lan::{Lan, MachineSeat, NetworkSetup, SpiController, WIFI_FIELDS, WifiChannel};
use links::{StationSetup, WIFI_HOP, Way, WifiAir};
use traffic::{IpEndpoint, bulk, ping};
use units::{Hertz, PS_PER_MS, PS_PER_S, Picoseconds};
use wiznet::{Chip, Model, Options};

const BOARD: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 20);
const MAC: [u8; 6] = [0x02, 0x41, 0x57, 0, 0, 2];

fn parsed(text: &str) -> Result<NetworkSetup, String> {
    NetworkSetup::parse(Path::new("lan.toml"), text).map_err(|error| error.to_string())
}

/// Pings a W5500 that has an address; round-trip times in milliseconds, in order, and the lost.
fn ping_ms(network: &str, count: u64, interval_ms: i64) -> (Vec<f64>, u64) {
    let mut lan = Lan::new(&NetworkSetup { traffic: Vec::new(), ..parsed(network).unwrap() });
    let chip = lan.attach("board", Chip::new(Options::of(Model::W5500)));
    let mut driver = SpiController::new(lan, chip, Hertz::new(10_000_000).unwrap());
    driver.wait(Picoseconds::new(3 * PS_PER_S));
    for (register, value) in [(0x05u8, &[255, 255, 255, 0][..]), (0x09, &MAC), (0x0f, &BOARD.octets())] {
        driver.select(true);
        driver.transfer(&mut [&[0, register, 0x04], value].concat());
        driver.select(false);
    }
    // The first request finds the board's hardware address once its link is up.
    let first = ping::ClientSettings { count: 1, identifier: 2, ..ping::ClientSettings::to(BOARD) };
    driver.lan_mut().seat("first", Box::new(ping::Client::new(first)));
    driver.wait(Picoseconds::new(6 * PS_PER_S));
    let interval = Picoseconds::new(interval_ms * PS_PER_MS);
    let client =
        ping::Client::new(ping::ClientSettings { count, interval, ..ping::ClientSettings::to(BOARD) });
    driver.lan_mut().seat("ping", Box::new(client));
    driver.wait(Picoseconds::new(count as i64 * interval.ps() + 2 * PS_PER_S));
    let client: ping::Client = driver.lan_mut().machine("ping").expect("it was seated");
    let times = client.samples().filter_map(|sample| sample.latency());
    (times.map(|time| time.ps() as f64 / PS_PER_MS as f64).collect(), client.counts().timed_out)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn wifi_adds_to_a_ping_what_the_stages_of_both_ways_take() {
    let (wired, _) = ping_ms("", 2_000, 20);
    for (table, set) in [
        ("", vec![]),
        ("medium_load = 40", vec![("medium_load", "40")]),
        ("phy_rate = \"1M\"", vec![("phy_rate", "1M")]),
    ] {
        // So late that the answer does not meet the acknowledgement of its request on the air.
        let table = format!("[wifi]\nstation_time = \"0.5 ms\"\n{table}\n");
        let set = set.into_iter().chain([("station_time", "0.5 ms")]);
        let (round_trips, lost) = ping_ms(&table, 2_000, 20);
        let settings = WIFI_HOP.settings_with(set).unwrap();
        let mut hop = WifiAir::new(&settings, 1, "budget");
        hop.add_station(StationSetup::of(&settings), "board");
        // 14 bytes of Ethernet, 20 of IP, 8 of ICMP and 56 of payload; each way the frame is on the cable once more.
        let ways = [Way::ToStation, Way::FromStation].map(|way| hop.budget(0, way, 98));
        let hops_ms: f64 = ways.iter().flatten().map(|line| line.mean.ps() as f64 / PS_PER_MS as f64).sum();
        let cable_ms = 2.0 * Speed::Mbps100.frame_time(98).ps() as f64 / PS_PER_MS as f64;
        let expected = mean(&wired) + hops_ms + cable_ms;
        let allowed = 4.0 * deviation(&round_trips) / (round_trips.len() as f64).sqrt() + 0.002;
        let found = mean(&round_trips);
        assert!((found - expected).abs() < allowed, "{table}: {found} ms, expected {expected} +- {allowed}");
        assert_eq!(lost, 0);
    }
}

#[test]
fn pings_to_a_board_in_power_save_beat_with_the_beacon_and_others_take_a_millisecond() {
    // A beacon of 2.2 ms may be in the way of either frame.
    let (awake, _) = ping_ms("[wifi]\n", 300, 1_000);
    assert!(awake.iter().all(|&time| time < 5.0), "{awake:?}");
    let doze = "[wifi]\npower_save = \"min\"\ndtim_period = 1\n";
    let (dozing, lost) = ping_ms(&format!("{doze}awake_time = \"100 ms\"\n"), 300, 1_000);
    assert_eq!(lost, 0);
    // A second is 24 ms short of ten beacon intervals.
    for pair in dozing.windows(2) {
        let off = (pair[1] - pair[0] - 24.0).rem_euclid(102.4);
        assert!(off.min(102.4 - off) < 0.6, "{pair:?}");
    }
    assert!(dozing.iter().any(|&time| time > 95.0) && dozing.iter().any(|&time| time < 20.0));
    let (kept_awake, _) = ping_ms(&format!("{doze}awake_time = \"200 ms\"\n"), 300, 150);
    assert!(kept_awake[1..].iter().all(|&time| time < 5.0), "{kept_awake:?}");
}

#[test]
fn a_pc_on_wifi_adds_a_hop_each_way_and_may_doze_itself() {
    let (one_hop, _) = ping_ms("[wifi]\n", 1_000, 20);
    let (pc_only, _) = ping_ms("[pc.wifi]\n", 1_000, 20);
    let (two_hops, lost) = ping_ms("[wifi]\n[pc.wifi]\n", 1_000, 20);
    let (wired, _) = ping_ms("", 1_000, 20);
    assert_eq!(lost, 0);
    let added = |times: &[f64]| mean(times) - mean(&wired);
    assert!((added(&two_hops) / (added(&one_hop) + added(&pc_only)) - 1.0).abs() < 0.15);
    assert!(added(&pc_only) > 0.25, "{}", added(&pc_only));
    // The PC hears of an answer with a beacon only, where it has dozed off since its question.
    let far = "[cable]\nimpair_from_board = \"delay=100ms\"\n[pc.wifi]\npower_save = \"min\"\nawake_time = \"20 ms\"\n";
    let (dozing, _) = ping_ms(far, 200, 777);
    assert!(dozing.iter().any(|&time| time > 250.0) && dozing.iter().all(|&time| time > 105.0), "{dozing:?}");
}

#[test]
fn the_same_seed_gives_the_same_round_trips_and_errors_lose_some() {
    let network = |seed| format!("seed = {seed}\n[wifi]\nframe_error = 50\nmedium_load = 30\n");
    let (first, lost) = ping_ms(&network(4), 1_000, 20);
    assert_eq!((first.clone(), lost), ping_ms(&network(4), 1_000, 20));
    assert_ne!(first, ping_ms(&network(5), 1_000, 20).0);
    // One of 64: a ping crosses twice, and each crossing is lost once in 128.
    assert!((5..=30).contains(&lost), "{lost}");
}

/// Sends over TCP from a PC to a PC behind Wi-Fi; megabits a second, and whether all arrived whole.
fn tcp(settings: &[(&str, &str)], bytes: u64) -> (f64, bool) {
    let host = |name: &str, last: u8| {
        let mac = [0x02, 0x41, 0x57, 0, 1, last];
        Host::new(HostOptions::new(name, mac, Ipv4Addr::new(192, 168, 1, last), 24)).unwrap()
    };
    let (mut pc, mut board) = (host("pc", 1), host("board", 20));
    let server = bulk::Server::new(bulk::ServerSettings { port: 5_002, send: None, seed: 3, interval: None });
    let seat = board.seat(Box::new(MachineSeat::new(Box::new(server))));
    let to = IpEndpoint::new(BOARD, 5_002);
    let send = Some(bulk::Amount::Bytes(bytes));
    let client = bulk::Client::new(bulk::ClientSettings { send, seed: 3, ..bulk::ClientSettings::to(to) });
    pc.seat(Box::new(MachineSeat::new(Box::new(client))));
    let mut network = Network::new(1);
    network.add_station("pc", Cable::new(Speed::Mbps1000), Box::new(pc));
    let board = network.add_station("board", Cable::new(Speed::Mbps100), Box::new(board));
    let settings = WIFI_HOP.settings_with(settings.iter().copied()).unwrap();
    let mut channel = WifiChannel::new(&settings, 1);
    let member = channel.add_station(&settings, "board");
    let hop = network.add_hop(Box::new(channel));
    network.set_hop(board, hop, member);
    let end = Picoseconds::new(300 * PS_PER_S);
    while let Some(at) = network.next_event().filter(|&at| at <= end) {
        network.advance(at);
    }
    let station: &mut dyn std::any::Any = network.station_mut(board).expect("it is this network's");
    let host: &mut Host = station.downcast_mut().unwrap();
    let machine: &dyn std::any::Any = host.application_as::<MachineSeat>(seat).unwrap().machine();
    let server: &bulk::Server = machine.downcast_ref().unwrap();
    let Some(received) = server.transfers().next().map(|transfer| &transfer.received) else {
        return (0.0, false);
    };
    let whole = received.whole.unwrap();
    let seconds = (whole.end - whole.start).ps() as f64 / PS_PER_S as f64;
    let intact = whole.bytes == bytes && received.first_difference.is_none();
    (bytes as f64 * 8.0 / seconds / 1e6, intact)
}

#[test]
fn tcp_carries_everything_as_fast_as_the_channel_lets_it() {
    let (rate, intact) = tcp(&[], 4_000_000);
    // 1460 bytes for each 0.38 ms of a full frame, less the channel that acknowledgements take.
    assert!(intact && rate > 15.0 && rate < 1460.0 * 8.0 / 382.5, "{rate} Mbit/s");
    let (slower, intact) = tcp(&[("phy_rate", "1M")], 100_000);
    assert!(intact && slower > 0.4 && slower < 0.9, "{slower} Mbit/s");
}

#[test]
fn tcp_carries_everything_through_losses_and_dozes() {
    assert!(tcp(&[("frame_error", "50")], 300_000).1);
    assert!(tcp(&[("power_save", "min")], 1_000_000).1);
    assert!(tcp(&[("power_save", "min"), ("awake_time", "none"), ("dtim_period", "3")], 50_000).1);
}

#[test]
fn a_wifi_table_says_what_is_wrong_with_it_and_where() {
    let error = |text: &str| parsed(text).unwrap_err();
    let phy_rate = WIFI_FIELDS.iter().find(|field| field.name == "phy_rate").unwrap();
    assert_eq!(
        error("[wifi]\npower_save = \"min\"\ndtim_period = 11\n"),
        "lan.toml:3: wifi.dtim_period is 11, but it takes 1 to 10 beacons"
    );
    assert_eq!(
        error("[wifi]\n\npower_safe = \"min\"\n"),
        "lan.toml:3: wifi.power_safe: there is no such field; the nearest is power_save"
    );
    assert_eq!(
        error("[wifi]\nphy_rate = [1]\nmedium_load = 3"),
        format!("lan.toml:2: wifi.phy_rate is a list, but it takes {}", phy_rate.takes)
    );
    assert!(error("wifi = 3").starts_with("lan.toml:1: "));
    assert_eq!(
        error("[pc]\naddress = \"10.0.0.1/24\"\n[pc.wifi]\nbeacon_interval = \"100 ms\""),
        "lan.toml:4: pc.wifi.beacon_interval: there is no such field; the nearest is listen_interval"
    );
    assert!(parsed("[pc.wifi]").unwrap().pc_wifi.is_some() && parsed("[wifi]").unwrap().pc_wifi.is_none());
    assert!(parsed("").unwrap().wifi.is_none());
    let all: String =
        WIFI_FIELDS.iter().map(|field| format!("{} = {:?}\n", field.name, field.default_text())).collect();
    assert_eq!(parsed(&format!("[wifi]\n{all}")).unwrap().wifi, parsed("[wifi]").unwrap().wifi);
}
