//! Ping-pong over UDP in virtual time, by hand, and on loopback.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::thread;

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::pingpong::Payload;
use crate::testing::{loopback, serving, within_seconds};
use crate::{Action, Event, IpEndpoint, Machine, Outcome, Sample};

const SERVER: IpEndpoint = IpEndpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), port: 5000 };

const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

fn in_memory(settings: ClientSettings, counts: bool) -> (Client, u64, Picoseconds) {
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS / 2));
    let server = ServerSettings { counts, ..ServerSettings::default() };
    let server = wire.add(SERVER.address, Box::new(Server::new(server)));
    let client = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings)));
    assert!(wire.run_until_done(client, Picoseconds::new(100 * PS_PER_S)));
    let answered = wire.machine::<Server>(server).unwrap().answered();
    (wire.machine::<Client>(client).unwrap().clone(), answered, wire.now())
}

#[test]
fn a_thousand_rounds_take_a_thousand_round_trips_with_either_payload() {
    let counter = Payload::Counter { start: 1, newline: false };
    for (payload, counts) in [(counter, true), (Payload::Bytes { bytes: 64, seed: 3 }, false)] {
        let (client, answered, now) =
            in_memory(ClientSettings { payload, ..ClientSettings::to(SERVER) }, counts);
        assert_eq!((answered, now), (1000, ms(1000)));
        assert_eq!(client.counts(), Counts { sent: 1000, answered: 1000, ..Counts::default() });
        assert!(client.samples().all(|sample| sample.latency() == Some(ms(1))));
    }
}

#[test]
fn a_closed_loop_for_a_time_pauses_as_it_is_told() {
    let settings = ClientSettings {
        rounds: u64::MAX,
        duration: Some(ms(100)),
        think_time: ms(9),
        ..ClientSettings::to(SERVER)
    };
    let (client, answered, now) = in_memory(settings, false);
    assert_eq!((answered, client.samples().count(), now), (10, 10, ms(91)));
}

#[test]
fn an_open_loop_sends_at_its_fixed_times() {
    let settings = ClientSettings { rounds: 2500, rate: Some(2500), ..ClientSettings::to(SERVER) };
    let (client, answered, now) = in_memory(settings, false);
    assert_eq!((answered, now), (2500, Picoseconds::new(1_000_600_000_000)));
    for sample in client.samples() {
        assert_eq!(sample.trigger.ps(), sample.index as i64 * PS_PER_S / 2500);
        assert_eq!((sample.sent, sample.latency()), (Some(sample.trigger), Some(ms(1))));
    }
}

/// A client with datagrams under way, and their answers.
fn under_way(settings: ClientSettings, datagrams: usize) -> (Client, Vec<Vec<u8>>) {
    let mut client = Client::new(settings);
    let mut messages = Vec::new();
    client.handle(ms(0), Event::Wake);
    loop {
        while let Some(action) = client.poll() {
            if let Action::SendTo(_, _, bytes) = action {
                messages.push(bytes);
            }
        }
        if messages.len() >= datagrams {
            return (client, messages);
        }
        let at = client.wake_at().expect("there are more to send");
        client.handle(at, Event::Wake);
    }
}

fn answer(client: &mut Client, now: Picoseconds, bytes: &[u8]) {
    client.handle(now, Event::Datagram { socket: Server::SOCKET, from: SERVER, bytes });
}

#[test]
fn lost_late_doubled_reordered_and_wrong_answers_are_told_apart() {
    let settings =
        ClientSettings { rounds: 6, rate: Some(1000), timeout: ms(50), ..ClientSettings::to(SERVER) };
    let (mut client, messages) = under_way(settings, 6);
    answer(&mut client, ms(6), &messages[1]);
    answer(&mut client, ms(7), &messages[0]);
    answer(&mut client, ms(8), &messages[0]);
    let mut wrong = messages[2].clone();
    wrong[6] ^= 1;
    answer(&mut client, ms(9), &wrong);
    answer(&mut client, ms(10), b"?");
    client.handle(ms(10), Event::Datagram { socket: Server::SOCKET, from: loopback(5), bytes: &messages[3] });
    // The fourth timed out at 53 ms; the fifth and the sixth still wait.
    answer(&mut client, ms(53), &messages[3]);
    assert!(!client.is_done());
    client.handle(ms(54), Event::Wake);
    client.handle(ms(55), Event::Wake);
    assert!(client.is_done());
    let outcomes: Vec<Outcome> = client.samples().map(|sample| sample.outcome).collect();
    use Outcome::{Late, Ok, TimedOut, Wrong};
    assert_eq!(outcomes, [Ok, Ok, Wrong, Late, TimedOut, TimedOut]);
    let expected = Counts {
        sent: 6,
        answered: 2,
        timed_out: 3,
        late: 1,
        wrong: 1,
        duplicates: 1,
        out_of_order: 1,
        strangers: 2,
    };
    assert_eq!(client.counts(), expected);
    let last = client.samples().last().unwrap();
    assert_eq!(last.error.as_deref(), Some("no answer came within 50 ms"));
}

#[test]
fn latency_counts_from_the_scheduled_time_when_the_clock_was_read_late() {
    let settings = ClientSettings { rounds: 3, rate: Some(1000), ..ClientSettings::to(SERVER) };
    let mut client = Client::new(settings);
    client.handle(ms(0), Event::Wake);
    client.handle(ms(5), Event::Wake);
    let messages: Vec<Vec<u8>> = std::iter::from_fn(|| client.poll())
        .filter_map(|action| if let Action::SendTo(_, _, bytes) = action { Some(bytes) } else { None })
        .collect();
    for message in &messages {
        answer(&mut client, ms(6), message);
    }
    let latencies: Vec<_> = client.samples().map(Sample::latency).collect();
    assert_eq!(latencies, [ms(6), ms(5), ms(4)].map(Some));
    assert_eq!(client.samples().last().unwrap().sent, Some(ms(5)));
}

#[test]
fn a_host_that_is_not_there_is_given_up_and_what_was_measured_is_kept() {
    let settings = ClientSettings { timeout: ms(10), ..ClientSettings::to(loopback(1)) };
    let mut client = Client::new(settings);
    let mut wakes = 0;
    while let Some(at) = client.wake_at() {
        client.handle(at, Event::Wake);
        wakes += 1;
        assert!(wakes < 1000);
    }
    let sentence = "127.0.0.1:1 answered none of 20 datagrams one after another within 10 ms";
    assert_eq!(client.results().failure.as_deref(), Some(sentence));
    assert_eq!((client.is_done(), client.samples().count()), (true, 20));
}

#[test]
fn more_datagrams_under_way_than_are_remembered_are_given_up_one_by_one() {
    let settings = ClientSettings {
        rounds: 100_000,
        rate: Some(1_000_000),
        timeout: Picoseconds::new(PS_PER_S),
        ..ClientSettings::to(SERVER)
    };
    let (mut client, messages) = under_way(settings, 100_000);
    assert_eq!((messages.len(), client.counts().timed_out), (100_000, 100_000 - (1 << 16)));
    client.handle(ms(5000), Event::Wake);
    assert!(client.is_done());
    assert_eq!((client.samples().count(), client.counts().timed_out), (100_000, 100_000));
}

proptest! {
    #[test]
    fn every_datagram_leaves_one_sample_whatever_comes_back(
        steps in proptest::collection::vec((0usize..12, 0i64..40, any::<u8>()), 0..60),
        open in any::<bool>(), counter in any::<bool>(),
    ) {
        let payload = if counter {
            Payload::Counter { start: 3, newline: false }
        } else {
            Payload::Bytes { bytes: 12, seed: 1 }
        };
        let rate = open.then_some(100);
        let settings = ClientSettings { rounds: 20, rate, payload, timeout: ms(30), ..ClientSettings::to(SERVER) };
        let mut client = Client::new(settings);
        let mut now = ms(0);
        client.handle(now, Event::Wake);
        for (which, pause, byte) in steps {
            now = now + ms(pause);
            let mut bytes = payload.exchange(which as u64).1;
            if byte < 40 {
                bytes[0] ^= byte;
            }
            answer(&mut client, now, &bytes);
            client.handle(now, Event::Wake);
        }
        for _ in 0..1000 {
            let Some(at) = client.wake_at() else { break };
            now = now.max(at);
            client.handle(now, Event::Wake);
        }
        prop_assert!(client.is_done());
        let counts = client.counts();
        let indices: Vec<u64> = client.samples().map(|sample| sample.index).collect();
        prop_assert_eq!(indices, (0..counts.sent).collect::<Vec<u64>>());
        prop_assert_eq!(counts.sent, counts.answered + counts.timed_out + counts.wrong);
        prop_assert_eq!(counts.sent, 20);
    }
}

#[test]
fn the_client_counts_with_a_plain_server_on_loopback() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let mut buffer = [0; 64];
        for _ in 0..200 {
            let (count, from) = socket.recv_from(&mut buffer).unwrap();
            let number: u64 = std::str::from_utf8(&buffer[..count]).unwrap().parse().unwrap();
            socket.send_to((number + 1).to_string().as_bytes(), from).unwrap();
        }
    });
    let payload = Payload::Counter { start: 1, newline: false };
    let settings = ClientSettings { rounds: 200, payload, ..ClientSettings::to(loopback(port)) };
    let mut seat = Seat::new().unwrap();
    let client = seat.add(Box::new(Client::new(settings)));
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    assert_eq!(seat.machine::<Client>(client).unwrap().counts().answered, 200);
    server.join().unwrap();
}

#[test]
fn the_server_answers_a_plain_client_on_loopback_and_passes_over_what_is_no_number() {
    let settings = ServerSettings { port: 0, counts: true };
    let (server, answer) = serving(Server::new(settings), Server::SOCKET, |port| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut buffer = [0; 64];
        for text in ["no number", "41\n"] {
            socket.send_to(text.as_bytes(), ("127.0.0.1", port)).unwrap();
        }
        let (count, _) = socket.recv_from(&mut buffer).unwrap();
        buffer[..count].to_vec()
    });
    assert_eq!((answer, server.answered(), server.malformed()), (b"42".to_vec(), 1, 1));
}

/// A client in a closed loop whose server says the same of whatever it is asked, a millisecond later.
fn with_a_server_that_says_ready(settings: ClientSettings) -> Client {
    let mut client = Client::new(settings);
    let mut now = Picoseconds::ZERO;
    client.handle(now, Event::Wake);
    while !client.is_done() {
        let asked = std::iter::from_fn(|| client.poll()).any(|action| matches!(action, Action::SendTo(..)));
        now = if asked { now + ms(1) } else { client.wake_at().expect("it waits for something") };
        let event = Event::Datagram { socket: Server::SOCKET, from: SERVER, bytes: b"READY" };
        client.handle(now, if asked { event } else { Event::Wake });
    }
    client
}

#[test]
fn a_server_that_answers_with_something_else_is_measured_where_any_answer_counts() {
    let settings = ClientSettings { rounds: 20, takes_any_answer: true, ..ClientSettings::to(SERVER) };
    let client = with_a_server_that_says_ready(settings.clone());
    assert_eq!(client.counts(), Counts { sent: 20, answered: 20, ..Counts::default() });
    assert!(client.samples().all(|sample| sample.latency() == Some(ms(1))));
    let strict = with_a_server_that_says_ready(ClientSettings { takes_any_answer: false, ..settings });
    let failure = strict.results().failure.expect("it has failed");
    assert!(failure.contains("with another content came from there: answer=any counts such"), "{failure}");
}
