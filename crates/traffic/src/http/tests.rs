//! HTTP between the two machines, and with the field's own clients.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::response::ResponseError;
use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::testing::{loopback, pieces, serving, tool, within_seconds};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Outcome};

fn site() -> ServerSettings {
    let chunked = Page { chunked: true, ..Page::of_size("/chunked", 40_000) };
    let slow = Page { delay: Picoseconds::new(20 * PS_PER_MS), ..Page::of_size("/slow", 10) };
    ServerSettings {
        port: 0,
        pages: vec![Page::of_size("/", 137), chunked, slow, Page::of_size("/big", 300_000)],
    }
}

pub(super) fn in_memory(settings: impl Fn(IpEndpoint) -> ClientSettings) -> (Client, u64, Picoseconds) {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS / 2));
    let server = wire.add(address, Box::new(Server::new(ServerSettings { port: 80, ..site() })));
    let client = Client::new(settings(IpEndpoint { address, port: 80 }));
    let client = wire.add([10, 0, 0, 2].into(), Box::new(client));
    assert!(wire.run_until_done(client, Picoseconds::new(100 * PS_PER_S)));
    let answered = wire.machine::<Server>(server).unwrap().answered();
    (wire.machine::<Client>(client).unwrap().clone(), answered, wire.now())
}

#[test]
fn a_hundred_pages_without_keep_alive_take_two_round_trips_each() {
    let (client, answered, now) = in_memory(|to| ClientSettings { requests: 100, ..ClientSettings::to(to) });
    let summary = client.summary();
    assert_eq!((summary.complete, summary.failed, answered), (100, 0, 100));
    assert_eq!((now, summary.taken), (Picoseconds::new(200 * PS_PER_MS), Picoseconds::new(200 * PS_PER_MS)));
    assert_eq!(summary.body_bytes, 13_700);
    assert!((summary.requests_per_second() - 500.0).abs() < 1e-9);
    let ms = Picoseconds::new(PS_PER_MS);
    assert_eq!((summary.connect.median, summary.processing.max, summary.total.min), (ms, ms, ms + ms));
    assert!(summary.to_string().contains("Time per request:       2.000 [ms] (mean)\n"), "{summary}");
}

#[test]
fn four_at_a_time_with_keep_alive_open_four_connections() {
    let (client, _, now) = in_memory(|to| ClientSettings {
        requests: 100,
        concurrency: 4,
        keep_alive: true,
        ..ClientSettings::to(to)
    });
    assert_eq!(now, Picoseconds::new(26 * PS_PER_MS), "one round trip to open and 25 for the pages");
    assert_eq!(client.samples().iter().filter_map(|sample| sample.connect).count(), 4);
    assert_eq!(client.samples().iter().filter_map(|sample| sample.connection).max(), Some(3));
}

#[test]
fn chunks_long_bodies_heads_posts_and_missing_pages_are_all_responses() {
    for (path, method, status, body_bytes) in [
        ("/chunked", Method::Get, 200, 40_000),
        ("/big", Method::Get, 200, 300_000),
        ("/big?x=1", Method::Head, 200, 0),
        ("/", Method::Post(vec![b'x'; 100_000]), 200, 137),
        ("/slow", Method::Get, 200, 10),
        ("/none", Method::Get, 404, 9),
    ] {
        for keep_alive in [false, true] {
            let (client, _, _) = in_memory(|to| ClientSettings {
                path: path.to_owned(),
                method: method.clone(),
                requests: 3,
                keep_alive,
                ..ClientSettings::to(to)
            });
            for sample in client.samples() {
                assert_eq!((sample.outcome, sample.status), (Outcome::Ok, Some(status)), "{path}");
                assert_eq!(sample.error_status().is_some(), status >= 400, "{path}");
                assert_eq!(sample.payload_bytes, body_bytes, "{path}");
            }
            assert_eq!(client.samples().len(), 3);
        }
    }
}

#[test]
fn a_response_that_takes_too_long_is_one_failed_request() {
    let (client, _, _) = in_memory(|to| ClientSettings {
        path: "/slow".to_owned(),
        requests: 2,
        timeout: Picoseconds::new(10 * PS_PER_MS),
        ..ClientSettings::to(to)
    });
    assert!(client.samples().iter().all(|sample| sample.outcome == Outcome::TimedOut));
    assert_eq!(client.summary().failed, 2);
}

#[test]
fn a_body_with_another_crc_than_expected_is_a_wrong_answer() {
    for path in ["/", "/chunked"] {
        let page = site().pages.into_iter().find(|page| page.path == path).unwrap();
        let crc32 = crc32fast::hash(&page.body);
        for (expected, outcome) in [(crc32, Outcome::Ok), (crc32 ^ 1, Outcome::Wrong)] {
            let (client, _, _) = in_memory(|to| ClientSettings {
                path: path.to_owned(),
                requests: 2,
                body_crc32: Some(expected),
                ..ClientSettings::to(to)
            });
            assert!(client.samples().iter().all(|sample| sample.outcome == outcome), "{path}");
        }
    }
}

fn read(stream: &[u8], cuts: &[usize]) -> (Result<Progress, ResponseError>, u64) {
    let mut reader = ResponseReader::new(false);
    for piece in pieces(stream, cuts) {
        match reader.take(piece) {
            Ok((_, Progress::More)) => {}
            other => return (other.map(|pair| pair.1), 0),
        }
    }
    (reader.end(), reader.response_bytes())
}

#[test]
fn each_framing_of_rfc_9112_ends_where_it_must() {
    let complete = |status, keep_alive, body_bytes, response_bytes| {
        Ok(Progress::Complete { status, keep_alive, body_bytes, response_bytes })
    };
    for (stream, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokrest", complete(200, true, 2, 40)),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", complete(200, false, 2, 40)),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", complete(200, false, 13, 32)),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", complete(204, true, 0, 52)),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n",
            complete(200, false, 3, 89),
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", Err(ResponseError::Truncated)),
        ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nok", Err(ResponseError::Length)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Err(ResponseError::Chunk)),
        ("SSH-2.0-x\r\n", Err(ResponseError::Head(httparse::Error::Version))),
    ] {
        assert_eq!(read(stream.as_bytes(), &[]).0, expected, "{stream}");
    }
}

#[test]
fn a_body_of_ten_gigabytes_is_counted_portion_by_portion() {
    let mut reader = ResponseReader::new(false);
    reader.take(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n").unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        assert_eq!(reader.take(&piece), Ok((1 << 20, Progress::More)));
    }
    assert_eq!(reader.response_bytes(), 48 + (64 << 20));
    assert_eq!(reader.end(), Err(ResponseError::Truncated));
}

fn served(stream: &[u8], cuts: &[usize]) -> Vec<u8> {
    let mut server = Server::new(site());
    let connection = Connection(Connection::FIRST_ACCEPTED);
    let mut sent = Vec::new();
    let peer = loopback(1);
    server.handle(Picoseconds::ZERO, Event::Accepted { listener: Connection(0), connection, peer, to: peer });
    for piece in pieces(stream, cuts) {
        server.handle(Picoseconds::ZERO, Event::Received(connection, piece));
        while let Some(action) = server.poll() {
            match action {
                Action::Send(_, bytes) => sent.extend(bytes),
                Action::WantRoom(..) => server.handle(Picoseconds::ZERO, Event::Room(connection, 65_536)),
                _ => {}
            }
        }
    }
    sent
}

const LINES: [&str; 12] = [
    "GET / HTTP/1.1\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n",
    "POST /chunked HTTP/1.0\n",
    "HTTP/1.1 200 OK\r\n",
    "Content-Length: 3\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n",
    "\r\n",
    "3\r\nabc\r\n",
    "0\r\n\r\n",
    "abc",
];

proptest! {
    #[test]
    fn any_stream_reads_the_same_however_it_is_cut(
        lines in proptest::collection::vec(prop_oneof![
            4 => (0..LINES.len()).prop_map(|at| LINES[at].as_bytes().to_vec()),
            1 => proptest::collection::vec(any::<u8>(), 0..6),
        ], 0..12),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let stream = lines.concat();
        prop_assert_eq!(read(&stream, &cuts), read(&stream, &[]));
        prop_assert_eq!(served(&stream, &cuts), served(&stream, &[]));
    }
}

#[test]
fn a_request_names_its_host_in_the_way_of_its_version() {
    let status = |request: &str| {
        let text = String::from_utf8_lossy(&served(request.as_bytes(), &[])).into_owned();
        text.split(' ').nth(1).unwrap_or("none").to_owned()
    };
    // RFC 9112 sections 3.2 and 3.2.2.
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), "400");
    assert_eq!(status("GET / HTTP/1.0\r\n\r\n"), "200");
    for target in ["/", "http://x/", "HTTP://x:80", "http://x/big"] {
        assert_eq!(status(&format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")), "200", "{target}");
    }
    assert_eq!(status("GET http://x/nothing HTTP/1.1\r\nHost: x\r\n\r\n"), "404");
}

#[test]
fn a_connection_ends_whose_request_says_two_lengths() {
    let page = "GET / HTTP/1.1\r\nHost: x\r\n";
    let both =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let text = String::from_utf8_lossy(&served(format!("{both}{page}\r\n").as_bytes(), &[])).into_owned();
    // RFC 9112 section 6.1.
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
    assert!(text.contains("Connection: close"), "{text}");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let stream = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3000);
    let text = String::from_utf8_lossy(&served(&stream, &[])).into_owned();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3000);
}

#[test]
fn the_client_measures_a_plain_server_whose_bodies_change_in_length() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        for number in 0..20 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 1024];
            assert!(stream.read(&mut buffer).unwrap() > 0);
            let body = "x".repeat(number);
            write!(stream, "HTTP/1.0 200 OK\r\nServer: plain\r\n\r\n{body}").unwrap();
        }
    });
    let mut seat = Seat::new().unwrap();
    let settings = ClientSettings { requests: 20, ..ClientSettings::to(loopback(port)) };
    let number = seat.add(Box::new(Client::new(settings)));
    assert_eq!(seat.run(within_seconds(20)).unwrap(), Ended::Done);
    server.join().unwrap();
    let summary = seat.machine::<Client>(number).unwrap().summary();
    assert_eq!((summary.complete, summary.failed, summary.body_bytes), (20, 0, 190));
    assert_eq!(summary.status_classes, [0, 20, 0, 0, 0]);
}

#[test]
fn apache_bench_fails_no_request_with_or_without_keep_alive() {
    for keep in [&["-n", "200", "-c", "4"][..], &["-n", "200", "-c", "4", "-k"]] {
        let (server, printed) = serving(Server::new(site()), Server::LISTENER, |port| {
            let url = format!("http://127.0.0.1:{port}/");
            tool("ab", &[keep, &[&url]].concat())
        });
        let Some(printed) = printed else { return };
        assert!(printed.contains("Complete requests:      200\n"), "{printed}");
        assert!(printed.contains("Failed requests:        0\n"), "{printed}");
        assert!(printed.contains("HTML transferred:       27400 bytes"), "{printed}");
        assert!(server.answered() >= 200);
    }
}

#[test]
fn wrk_and_curl_get_whole_pages() {
    let (_, printed) = serving(Server::new(site()), Server::LISTENER, |port| {
        let url = format!("http://127.0.0.1:{port}/chunked");
        let wrk = tool("wrk", &["-t1", "-c4", "-d1s", &url]);
        let curl = |arguments: &[&str]| tool("curl", &[&["-s", "-S"], arguments].concat());
        let big = format!("http://127.0.0.1:{port}/big");
        let written = "%{http_code} %{size_download} %{num_connects}\n";
        let twice = curl(&["-w", written, "-o", "/dev/null", &big, "-o", "/dev/null", &url]);
        let body = "y".repeat(3000);
        let post = curl(&["-H", "Expect: 100-continue", "-d", &body, "-w", written, "-o", "/dev/null", &url]);
        let none = curl(&["-I", &format!("http://127.0.0.1:{port}/none")]);
        (wrk, twice, post, none)
    });
    let (wrk, twice, post, none) = printed;
    if let Some(wrk) = wrk {
        assert!(
            wrk.contains("requests in") && !wrk.contains("Socket errors") && !wrk.contains("Non-2xx"),
            "{wrk}"
        );
    }
    if let (Some(twice), Some(post), Some(none)) = (twice, post, none) {
        assert_eq!(twice, "200 300000 1\n200 40000 0\n");
        assert_eq!(post, "200 40000 1\n");
        assert!(none.starts_with("HTTP/1.1 404 Not Found\r\n"), "{none}");
    }
}
