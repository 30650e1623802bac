//! Programs of the PC's that hand more to TCP at a time than its buffer holds.

use std::net::Ipv4Addr;

use ethernet::{Cable, Host, HostOptions, Network, Speed};
use lan::MachineSeat;
use traffic::{IpEndpoint, bulk};
use units::{PS_PER_S, Picoseconds};

/// Sends 1 MB in blocks from one PC to another; when all had arrived, in ms.
fn arrived_after_ms(block_bytes: usize) -> f64 {
    let host = |name: &str, last: u8| {
        let mac = [0x02, 0x41, 0x57, 0, 1, last];
        Host::new(HostOptions::new(name, mac, Ipv4Addr::new(192, 168, 1, last), 24)).unwrap()
    };
    let (mut client, mut server) = (host("client", 1), host("server", 2));
    let settings = bulk::ServerSettings { port: 5_002, send: None, seed: 3, interval: None };
    let seat = server.seat(Box::new(MachineSeat::new(Box::new(bulk::Server::new(settings)))));
    let to = IpEndpoint::new(Ipv4Addr::new(192, 168, 1, 2), 5_002);
    let send = Some(bulk::Amount::Bytes(1_000_000));
    let settings = bulk::ClientSettings { send, seed: 3, block_bytes, ..bulk::ClientSettings::to(to) };
    client.seat(Box::new(MachineSeat::new(Box::new(bulk::Client::new(settings)))));
    let mut network = Network::new(1);
    network.add_station("client", Cable::new(Speed::Mbps100), Box::new(client));
    let server = network.add_station("server", Cable::new(Speed::Mbps100), Box::new(server));
    while let Some(at) = network.next_event().filter(|&at| at <= Picoseconds::new(10 * PS_PER_S)) {
        network.advance(at);
    }
    let station: &mut dyn std::any::Any = network.station_mut(server).expect("it is this network's");
    let host: &mut Host = station.downcast_mut().unwrap();
    let machine: &dyn std::any::Any = host.application_as::<MachineSeat>(seat).unwrap().machine();
    let server: &bulk::Server = machine.downcast_ref().unwrap();
    let transfer = server.transfers().next().expect("a transfer");
    let whole = transfer.received.whole.expect("something arrived");
    assert_eq!(
        (whole.bytes, transfer.received.first_difference),
        (1_000_000, None),
        "{block_bytes} bytes a block"
    );
    (whole.end - whole.start).ps() as f64 / 1e9
}

#[test]
fn blocks_that_are_longer_than_the_buffer_arrive_whole_and_as_soon_as_short_ones() {
    let short_ms = arrived_after_ms(16 * 1024);
    for block_bytes in [65_536, 65_537, 131_072, 1 << 20] {
        let ms = arrived_after_ms(block_bytes);
        assert!(
            (0.9..1.1).contains(&(ms / short_ms)),
            "{block_bytes} bytes a block take {ms} ms, not {short_ms} ms"
        );
    }
}
