//! Ping in virtual time, with replies made by hand, and to the loopback where the system allows it.

use std::net::Ipv4Addr;

use units::{PS_PER_MS, Picoseconds};

use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat, SeatError};
use crate::testing::within_seconds;

const TARGET: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

fn settings(count: u64) -> ClientSettings {
    ClientSettings { count, interval: ms(10), timeout: ms(25), ..ClientSettings::to(TARGET) }
}

#[test]
fn requests_go_out_at_their_interval_and_come_back_after_the_round_trip() {
    let mut wire = Memory::new(ms(2));
    wire.add(TARGET, Box::new(Client::new(settings(0))));
    let number = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings(5))));
    assert!(wire.run_until_done(number, ms(1000)));
    let client = wire.machine::<Client>(number).unwrap();
    let triggers: Vec<_> = client.samples().map(|sample| sample.trigger).collect();
    assert_eq!(triggers, [0, 10, 20, 30, 40].map(ms));
    assert!(client.samples().all(|s| s.outcome == Outcome::Ok && s.latency() == Some(ms(4))));
    assert_eq!(
        client.summary().to_string(),
        "5 packets transmitted, 5 received, 0.0000% packet loss\nrtt min/avg/max/mdev = 4.000/4.000/4.000/0.000 ms"
    );
}

#[test]
fn an_address_without_a_host_loses_everything_and_the_client_still_ends() {
    let mut wire = Memory::new(ms(2));
    let number = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings(3))));
    assert!(wire.run_until_done(number, ms(1000)));
    assert_eq!(wire.now(), ms(45), "the last request's time-out");
    let counts = wire.machine::<Client>(number).unwrap().counts();
    assert_eq!(counts, Counts { sent: 3, timed_out: 3, ..Counts::default() });
}

#[test]
fn a_request_is_lost_when_its_time_out_has_passed_and_not_before() {
    let mut wire = Memory::new(ms(2));
    wire.add(TARGET, Box::new(Client::new(settings(0))));
    let number = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings(5))));
    // The third request went out at 20 ms, and its reply is there at 24.
    assert!(!wire.run_until_done(number, ms(22)));
    let client = wire.machine::<Client>(number).unwrap();
    assert_eq!((client.counts().sent, client.samples().count()), (3, 2));
    let lost = client.results().counters.iter().find(|counter| counter.name == "lost").unwrap().value;
    assert_eq!(lost, 0);
}

#[test]
fn lost_late_duplicate_wrong_and_strange_replies_are_told_apart() {
    let settings = settings(5);
    let mut client = Client::new(settings.clone());
    for turn in 0..5 {
        client.handle(ms(turn * 10), Event::Wake);
    }
    let payload = |index| settings.payload(index);
    let mut reply = |at: i64, sequence, payload: Vec<u8>| {
        let event = Event::EchoReply { from: TARGET, identifier: 1, sequence, payload: &payload };
        client.handle(ms(at), event);
    };
    reply(41, 1, payload(1));
    reply(42, 3, payload(3));
    reply(43, 3, payload(3));
    reply(44, 4, vec![0; 56]);
    reply(44, 40_000, payload(0));
    client.handle(ms(50), Event::Wake);
    let outcomes: Vec<_> = client.samples().map(|sample| sample.outcome).collect();
    use Outcome::{Late, Ok, TimedOut, Wrong};
    assert_eq!(outcomes, [TimedOut, Late, TimedOut, Ok, Wrong]);
    let expected =
        Counts { sent: 5, received: 1, timed_out: 3, late: 1, duplicates: 1, wrong: 1, strangers: 1 };
    assert_eq!(client.counts(), expected);
    assert!(client.is_done());
}

#[test]
fn sequence_numbers_wrap_and_old_requests_are_forgotten_but_kept_as_samples() {
    let mut client = Client::new(ClientSettings { timeout: ms(5), ..settings(70_000) });
    let mut at = Picoseconds::ZERO;
    for index in 0..70_000u64 {
        client.handle(at, Event::Wake);
        let payload = client.settings.payload(index);
        let reply =
            Event::EchoReply { from: TARGET, identifier: 1, sequence: index as u16, payload: &payload };
        client.handle(at + ms(1), reply);
        at = at + ms(10);
    }
    assert_eq!(client.counts(), Counts { sent: 70_000, received: 70_000, ..Counts::default() });
    assert_eq!(client.samples().count(), 70_000);
    assert!(client.is_done());
}

#[test]
fn the_loopback_answers_where_the_system_allows_ping() {
    let mut seat = Seat::new().unwrap();
    let settings = ClientSettings { identifier: 0x5150, ..settings(5) };
    let client =
        Client::new(ClientSettings { to: Ipv4Addr::LOCALHOST.into(), timeout: ms(2000), ..settings });
    let number = seat.add(Box::new(client));
    match seat.run(within_seconds(10)) {
        Ok(ended) => {
            assert_eq!(ended, Ended::Done);
            assert_eq!(seat.machine::<Client>(number).unwrap().counts().received, 5);
        }
        Err(SeatError::Echo(error)) => eprintln!("skipped: ICMP echo is not allowed here: {error}"),
        Err(error) => panic!("{error}"),
    }
}
