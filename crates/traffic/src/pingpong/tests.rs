//! Ping-pong on the wire in memory and on the system's sockets, with programs written apart from it.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat, Until};
use crate::testing::pieces;
use crate::{Action, Connection, Event, IpEndpoint, Machine, Outcome, Sample};

const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const HALF_MS: Picoseconds = Picoseconds::new(PS_PER_MS / 2);
const TENTH_OF_A_SECOND: Picoseconds = Picoseconds::new(PS_PER_S / 10);

fn settings(rounds: u64, payload: Payload) -> ClientSettings {
    let to = IpEndpoint { address: SERVER, port: 5000 };
    ClientSettings { rounds, payload, ..ClientSettings::to(to) }
}

fn in_memory(wire: Memory, client: ClientSettings, answer: Answer) -> (Vec<Sample>, u64, Memory) {
    let mut wire = wire;
    let server = wire.add(SERVER, Box::new(Server::new(ServerSettings { answer, ..Default::default() })));
    let client = wire.add(Ipv4Addr::new(10, 0, 0, 2).into(), Box::new(Client::new(client)));
    assert!(wire.run_until_done(client, Picoseconds::new(100 * PS_PER_S)));
    let samples = wire.machine::<Client>(client).unwrap().samples().to_vec();
    (samples, wire.machine::<Server>(server).unwrap().answered(), wire)
}

#[test]
fn a_thousand_rounds_take_a_thousand_round_trips_of_the_wire() {
    let counter = Payload::Counter { start: 1, newline: false };
    let answer = Answer::Counter { newline: false };
    let (samples, answered, wire) = in_memory(Memory::new(HALF_MS), settings(1000, counter), answer);
    assert_eq!((samples.len(), answered), (1000, 1000));
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok));
    assert!(samples.iter().all(|sample| sample.latency() == Some(Picoseconds::new(PS_PER_MS))));
    assert_eq!(wire.now(), Picoseconds::new(1001 * PS_PER_MS), "one more to open the connection");
    assert_eq!(samples[0].connect, Some(Picoseconds::new(PS_PER_MS)));
    assert_eq!((samples[1].connect, samples[999].response_bytes), (None, 4));
}

#[test]
fn messages_of_bytes_pass_whole_in_segments_of_one_byte_with_think_time() {
    let settings = ClientSettings {
        think_time: Picoseconds::new(PS_PER_MS),
        ..settings(20, Payload::Bytes { bytes: 128, seed: 3 })
    };
    let wire = Memory::new(HALF_MS).cut_into(1);
    let (samples, _, wire) = in_memory(wire, settings, Answer::Echo { bytes: 128 });
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok && sample.response_bytes == 128));
    assert_eq!(wire.now(), Picoseconds::new((1 + 20 + 19) * PS_PER_MS));
}

#[test]
fn a_time_to_send_messages_ends_the_last_one_whole() {
    let counter = Payload::Counter { start: 1, newline: false };
    for (think_ms, messages, end_ms) in [(0, 49, 50), (20, 3, 50)] {
        let settings = ClientSettings {
            duration: Some(Picoseconds::new(50 * PS_PER_MS)),
            think_time: Picoseconds::new(think_ms * PS_PER_MS),
            ..settings(u64::MAX, counter)
        };
        let answer = Answer::Counter { newline: false };
        let (samples, _, wire) = in_memory(Memory::new(HALF_MS), settings, answer);
        assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok));
        assert!(samples.iter().all(|sample| sample.sent == Some(sample.trigger)));
        assert_eq!((samples.len(), wire.now()), (messages, Picoseconds::new(end_ms * PS_PER_MS)));
    }
}

#[test]
fn messages_of_a_megabyte_are_compared_once_though_they_come_byte_by_byte() {
    let payload = Payload::Bytes { bytes: 1 << 20, seed: 3 };
    let stream = payload.exchange(0).1;
    let cuts: Vec<usize> = (0..stream.len()).step_by(64).collect();
    let began = std::time::Instant::now();
    let outcomes = fed(payload, &stream, &cuts);
    assert_eq!(outcomes, [(Outcome::Ok, 1 << 20, None)]);
    // Compared anew with each of 16384 pieces it would be 8.6e9 comparisons.
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_time_out_is_one_sample_and_the_next_message_opens_a_new_connection() {
    let payload = Payload::Bytes { bytes: 12, seed: 3 };
    let settings = ClientSettings { timeout: Picoseconds::new(3 * PS_PER_MS), ..settings(3, payload) };
    let (samples, _, _) = in_memory(Memory::new(HALF_MS), settings, Answer::Echo { bytes: 13 });
    let outcomes: Vec<_> = samples.iter().map(|sample| (sample.outcome, sample.connection)).collect();
    assert_eq!(outcomes, [0, 1, 2].map(|number| (Outcome::TimedOut, Some(number))));
    assert_eq!(samples[0].error.as_deref(), Some("no whole answer came within 3 ms"));
}

#[test]
fn a_server_that_is_not_there_is_given_up_after_three_openings() {
    let counter = Payload::Counter { start: 1, newline: false };
    let mut wire = Memory::new(HALF_MS);
    wire.add(SERVER, Box::new(Server::new(ServerSettings { port: 1, ..Default::default() })));
    let client = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings(1000, counter))));
    assert!(wire.run_until_done(client, Picoseconds::new(PS_PER_S)));
    let client = wire.machine::<Client>(client).unwrap();
    assert_eq!(
        client.failure(),
        Some("3 connections one after another could not be opened: connection refused at 10.0.0.1:5000")
    );
    assert_eq!(client.samples().len(), 3);
}

/// Opens a client by hand and feeds it a stream in pieces, answering nothing by itself.
fn fed(payload: Payload, stream: &[u8], cuts: &[usize]) -> Vec<(Outcome, u64, Option<String>)> {
    let mut client = Client::new(settings(5, payload));
    let now = Picoseconds::ZERO;
    client.handle(now, Event::Wake);
    client.handle(now, Event::Opened(Connection(0)));
    for piece in pieces(stream, cuts) {
        client.handle(now, Event::Received(Connection(0), piece));
    }
    client.samples().iter().map(|s| (s.outcome, s.response_bytes, s.error.clone())).collect()
}

fn served(answer: Answer, pieces: &[&[u8]]) -> (Vec<u8>, bool) {
    let mut server = Server::new(ServerSettings { answer, no_delay: false, ..Default::default() });
    let connection = Connection(Connection::FIRST_ACCEPTED);
    let peer = IpEndpoint { address: SERVER, port: 1 };
    server.handle(Picoseconds::ZERO, Event::Accepted { listener: Connection(0), connection, peer, to: peer });
    for piece in pieces {
        server.handle(Picoseconds::ZERO, Event::Received(connection, piece));
    }
    let mut answers = Vec::new();
    let mut aborted = false;
    while let Some(action) = server.poll() {
        match action {
            Action::Send(_, bytes) => answers.extend(bytes),
            other => aborted |= matches!(other, Action::Abort(_)),
        }
    }
    (answers, aborted)
}

#[test]
fn a_dither_spreads_the_pauses_and_is_the_same_in_each_run() {
    let run = || -> Vec<i64> {
        let counter = Payload::Counter { start: 1, newline: false };
        let mut client = Client::new(ClientSettings { dither: TENTH_OF_A_SECOND, ..settings(200, counter) });
        client.handle(Picoseconds::ZERO, Event::Wake);
        client.handle(Picoseconds::ZERO, Event::Opened(Connection(0)));
        let mut now = Picoseconds::ZERO;
        let pauses = (0..199).map(|index| {
            client.handle(now, Event::Received(Connection(0), &counter.exchange(index).1));
            let wake_at = client.wake_at().expect("it pauses before the next message");
            let pause = wake_at - now;
            now = wake_at;
            client.handle(now, Event::Wake);
            pause.ps()
        });
        pauses.collect()
    };
    let pauses = run();
    assert_eq!(pauses, run());
    for tenth in 0..10 {
        let within = pauses.iter().filter(|pause| 10 * **pause / TENTH_OF_A_SECOND.ps() == tenth).count();
        assert!((8..=32).contains(&within), "{within} of 199 pauses are in tenth {tenth}");
    }
}

proptest! {
    #[test]
    fn a_client_judges_a_stream_the_same_however_it_is_cut(
        right in 0usize..6,
        noise in proptest::collection::vec(any::<u8>(), 0..20),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
        counter in any::<bool>(),
    ) {
        let payload = if counter {
            Payload::Counter { start: 8, newline: false }
        } else {
            Payload::Bytes { bytes: 12, seed: 1 }
        };
        let mut stream: Vec<u8> = (0..right as u64).flat_map(|index| payload.exchange(index).1).collect();
        stream.extend(noise);
        prop_assert_eq!(fed(payload, &stream, &cuts), fed(payload, &stream, &[]));
    }

    #[test]
    fn a_server_answers_lines_and_messages_the_same_however_they_are_cut(
        stream in proptest::collection::vec(prop_oneof![b'0'..=b'9', Just(b'\n'), any::<u8>()], 0..100),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        for answer in [Answer::Counter { newline: true }, Answer::Echo { bytes: 7 }] {
            prop_assert_eq!(served(answer, &pieces(&stream, &cuts)), served(answer, &[&stream]));
        }
        let _ = served(Answer::Counter { newline: false }, &pieces(&stream, &cuts));
    }

    #[test]
    fn a_counting_stream_without_newlines_is_answered_the_same_however_it_is_cut(
        count in 1u64..60,
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let stream: String = (0..count).map(|index| (1 + 2 * index).to_string()).collect();
        let expected: String = (0..count).map(|index| (2 + 2 * index).to_string()).collect();
        // The first number is one digit: its own segment, as a client sends it.
        let mut all: Vec<&[u8]> = vec![&stream.as_bytes()[..1]];
        all.extend(pieces(&stream.as_bytes()[1..], &cuts));
        let answer = Answer::Counter { newline: false };
        prop_assert_eq!(served(answer, &all), (expected.into_bytes(), false));
    }
}

fn ten_seconds() -> Until<'static> {
    Until { deadline: Some(Picoseconds::new(10 * PS_PER_S)), stop: None }
}

#[test]
fn the_client_counts_with_a_plain_server_on_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 16];
        let mut last = 0;
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            last = std::str::from_utf8(&buffer[..count]).unwrap().parse::<u32>().unwrap();
            stream.write_all((last + 1).to_string().as_bytes()).unwrap();
        }
        last
    });
    let to = IpEndpoint::new(Ipv4Addr::LOCALHOST, port);
    let mut seat = Seat::new().unwrap();
    let client = seat.add(Box::new(Client::new(ClientSettings { rounds: 200, ..ClientSettings::to(to) })));
    assert_eq!(seat.run(ten_seconds()).unwrap(), Ended::Done);
    let samples = seat.machine::<Client>(client).unwrap().samples();
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok && sample.latency().unwrap().ps() > 0));
    assert_eq!((samples.len(), server.join().unwrap()), (200, 399));
}

#[test]
fn the_server_counts_with_a_plain_client_on_loopback() {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let server = seat.add(Box::new(Server::new(ServerSettings { port: 0, ..Default::default() })));
    let port = seat.local_port(server, Server::LISTENER).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.set_nodelay(true).unwrap();
            let mut number = 1u32;
            for _ in 0..100 {
                stream.write_all(number.to_string().as_bytes()).unwrap();
                let mut buffer = [0; 16];
                let count = stream.read(&mut buffer).unwrap();
                let answer: u32 = std::str::from_utf8(&buffer[..count]).unwrap().parse().unwrap();
                assert_eq!(answer, number + 1);
                number = answer + 1;
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let ended = seat.run(Until { stop: Some(&stop), ..ten_seconds() }).unwrap();
        assert_eq!(ended, Ended::Stopped);
    });
    assert_eq!(seat.machine::<Server>(server).unwrap().answered(), 100);
}

#[test]
fn two_machines_of_one_seat_play_on_loopback_and_the_run_ends_with_the_client() {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let answer = Answer::Echo { bytes: 1024 };
    let server = Server::new(ServerSettings { port: 0, answer, no_delay: true });
    let server = seat.add_background(Box::new(server));
    let port = seat.local_port(server, Server::LISTENER).unwrap();
    let to = IpEndpoint::new(Ipv4Addr::LOCALHOST, port);
    let payload = Payload::Bytes { bytes: 1024, seed: 9 };
    let client = Client::new(ClientSettings { rounds: 50, payload, ..ClientSettings::to(to) });
    let client = seat.add(Box::new(client));
    assert_eq!(seat.run(ten_seconds()).unwrap(), Ended::Done);
    assert_eq!(seat.machine::<Client>(client).unwrap().samples().len(), 50);
    assert_eq!(seat.machine::<Server>(server).unwrap().answered(), 50);
}
