//! Bulk transfer in virtual time and on loopback.

use std::io::{Read, Write};
use std::net::TcpStream;

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::pattern::Pattern;
use crate::testing::{loopback, serving, within_seconds};
use crate::{IpEndpoint, Machine};

fn server(send: Option<Amount>, port: u16) -> Server {
    Server::new(ServerSettings { port, send, seed: 5, interval: None })
}

fn client(server: IpEndpoint, send: Option<Amount>) -> Client {
    let interval = Some(Picoseconds::new(10 * PS_PER_MS));
    Client::new(ClientSettings { send, seed: 5, interval, ..ClientSettings::to(server) })
}

#[test]
fn a_slow_transfer_is_counted_finer_in_smaller_blocks() {
    let intervals = |block_bytes: usize| -> Vec<u64> {
        let address = [10, 0, 0, 1].into();
        let mut wire = Memory::new(Picoseconds::new(20 * PS_PER_MS));
        wire.add(address, Box::new(server(None, 5002)));
        let settings = ClientSettings {
            send: Some(Amount::Time(Picoseconds::new(PS_PER_S))),
            seed: 5,
            interval: Some(Picoseconds::new(50 * PS_PER_MS)),
            block_bytes,
            ..ClientSettings::to(IpEndpoint { address, port: 5002 })
        };
        let near = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings)));
        assert!(wire.run_until_done(near, Picoseconds::new(3 * PS_PER_S)));
        let sent = wire.machine::<Client>(near).unwrap().transfer().sent;
        sent.intervals.iter().map(|interval| interval.bytes).collect()
    };
    let (coarse, fine) = (intervals(16 * 1024), intervals(1000));
    assert!(coarse.iter().all(|bytes| bytes % (16 * 1024) == 0), "{coarse:?}");
    assert!(fine.iter().all(|bytes| bytes % 1000 == 0), "{fine:?}");
    assert!(fine.iter().any(|bytes| bytes % (16 * 1024) != 0), "{fine:?}");
}

#[test]
fn both_directions_at_once_arrive_whole_and_as_fast_as_the_window_allows() {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS / 2));
    let far = wire.add(address, Box::new(server(Some(Amount::Bytes(500_000)), 5002)));
    let near = client(IpEndpoint { address, port: 5002 }, Some(Amount::Bytes(1_000_000)));
    let near = wire.add([10, 0, 0, 2].into(), Box::new(near));
    assert!(wire.run_until_done(near, Picoseconds::new(PS_PER_S)));
    // The server hears of the end a little later.
    wire.run_until(wire.now() + Picoseconds::new(10 * PS_PER_MS));
    let here = wire.machine::<Client>(near).unwrap().transfer();
    let there = wire.machine::<Server>(far).unwrap().transfers().next().unwrap().clone();
    assert_eq!((there.received.bytes(), here.received.bytes()), (1_000_000, 500_000));
    assert_eq!((there.received.first_difference, here.received.first_difference), (None, None));
    assert_eq!(here.sent.crc32, crc32fast::hash(&Pattern::new(5).bytes(0, 1_000_000)));
    assert_eq!((there.received.crc32, here.received.crc32), (here.sent.crc32, there.sent.crc32));
    assert_eq!((here.error, there.error), (None, None));
    // 64 KiB in each millisecond of round trip: 15.3 of them.
    let whole = here.sent.whole.unwrap();
    assert_eq!((whole.end - whole.start).ps() / PS_PER_MS, 16);
    assert_eq!(here.sent.intervals.iter().map(|part| part.bytes).sum::<u64>(), 1_000_000);
    assert_eq!(here.sent.intervals.len(), 2);
}

#[test]
fn a_source_for_a_time_stops_at_that_time() {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS));
    let far = wire.add(address, Box::new(server(Some(Amount::Time(Picoseconds::new(40 * PS_PER_MS))), 5002)));
    let near = wire.add([10, 0, 0, 2].into(), Box::new(client(IpEndpoint { address, port: 5002 }, None)));
    assert!(wire.run_until_done(near, Picoseconds::new(PS_PER_S)));
    // The server hears of the end a little later.
    wire.run_until(wire.now() + Picoseconds::new(10 * PS_PER_MS));
    let sent = wire.machine::<Server>(far).unwrap().transfers().next().unwrap().sent.clone();
    let whole = sent.whole.unwrap();
    let milliseconds = (whole.end - whole.start).ps() / PS_PER_MS;
    assert!((40..=42).contains(&milliseconds), "{milliseconds}");
    // Each round trip of 2 ms carries a window of 64 KiB.
    assert!((20 * 65_536..=21 * 65_536).contains(&whole.bytes), "{}", whole.bytes);
    assert_eq!(wire.machine::<Client>(near).unwrap().transfer().received.crc32, sent.crc32);
}

#[test]
fn a_client_that_resets_is_done_and_its_server_hears_of_a_broken_connection() {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS));
    let far = wire.add(address, Box::new(server(Some(Amount::Bytes(1_000_000)), 5002)));
    let to = IpEndpoint { address, port: 5002 };
    let settings = ClientSettings {
        send: Some(Amount::Bytes(1_000_000)),
        seed: 5,
        reset_after: Some(300_000),
        ..ClientSettings::to(to)
    };
    let near = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings)));
    assert!(wire.run_until_done(near, Picoseconds::new(PS_PER_S)));
    wire.run_until(wire.now() + Picoseconds::new(10 * PS_PER_MS));
    let client = wire.machine::<Client>(near).unwrap();
    let passed = client.transfer().sent.bytes() + client.transfer().received.bytes();
    assert!((300_000..600_000).contains(&passed), "{passed}");
    assert_eq!(client.results().failure, None);
    let there = wire.machine::<Server>(far).unwrap().transfers().next().unwrap().clone();
    assert!(there.error.is_some() && there.received.bytes() < 1_000_000);
}

#[test]
fn a_sink_finds_the_first_wrong_byte_and_tells_a_broken_connection() {
    let (sink, ()) = serving(server(None, 0), Server::LISTENER, |port| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut bytes = Pattern::new(5).bytes(0, 300_000);
        bytes[200_001] ^= 0x10;
        stream.write_all(&bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(stream.read(&mut [0; 8]).unwrap(), 0);
    });
    let transfer = sink.transfers().next().unwrap();
    assert_eq!((transfer.received.bytes(), transfer.received.first_difference), (300_000, Some(200_001)));
}

#[test]
fn four_megabytes_each_way_on_loopback() {
    let mut seat = Seat::new().unwrap();
    let far = seat.add_background(Box::new(server(Some(Amount::Bytes(4_000_000)), 0)));
    let port = seat.local_port(far, Server::LISTENER).unwrap();
    let near = seat.add(Box::new(client(loopback(port), Some(Amount::Bytes(4_000_000)))));
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    let here = seat.machine::<Client>(near).unwrap().transfer();
    assert_eq!((here.received.bytes(), here.received.first_difference), (4_000_000, None));
    assert_eq!((here.sent.bytes(), here.error), (4_000_000, None));
}

#[test]
fn a_peer_that_goes_away_is_given_up_after_the_time_out_and_what_passed_counts() {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
    let to = loopback(listener.local_addr().unwrap().port());
    let timeout = Some(Picoseconds::new(200 * PS_PER_MS));
    let send = Some(Amount::Bytes(1 << 30));
    let mut seat = Seat::new().unwrap();
    let near = seat.add(Box::new(Client::new(ClientSettings { send, timeout, ..ClientSettings::to(to) })));
    // It never reads, and the kernel takes a few megabytes for it at most.
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    let client = seat.machine::<Client>(near).unwrap();
    let failure = client.results().failure.unwrap();
    assert_eq!(failure, format!("nothing passed between this client and {to} for 200 ms"));
    assert!(client.transfer().sent.bytes() > 10_000);
}
