//! `[targets.<entry>]`: boards at addresses, their rows, what is refused, and what a run on this computer's sockets leaves.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bench::rows::{Measure, RowResult, measure_row};
use bench::suite::{Quantity, Suite};
use bench::targets::{Facts, ImagePlaces, ready_rows};
use record::{Control, Outcome};
use traffic::os::{Seat, Until};

fn suite(text: &str) -> Result<Suite, String> {
    Suite::parse(Path::new("bench.toml"), text.to_owned()).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    suite(text).expect_err("it cannot be run")
}

#[test]
fn a_client_goes_to_the_board_and_says_what_is_measured() {
    let suite = suite(
        "[targets.a]\naddress = '192.168.1.50'\ntraffic = 'http path=/x requests=5'\n\
         [targets.b]\nsame_but = 'a'\naddress = '192.168.1.51'\nbounds = { p95 = '<= 5 ms' }\n\
         [targets.c]\naddress = 'board.local'\ntraffic = { kind = 'iperf', to = 'board:5002' }\n",
    )
    .unwrap();
    let told: Vec<(String, Quantity)> = suite
        .rows
        .iter()
        .map(|row| (row.address().unwrap().traffic.to_string(), row.measurement.quantity))
        .collect();
    assert_eq!(told[0], ("http to=board path=/x requests=5".to_owned(), Quantity::Requests));
    assert_eq!(told[2], ("iperf to=board:5002".to_owned(), Quantity::Bulk));
    let same = suite.rows[1].same_but.as_ref().unwrap();
    assert_eq!((same.what.as_str(), same.here.as_deref()), ("address", Some("192.168.1.51")));
    assert_eq!(suite.rows[1].bounds.len(), 1);
}

#[test]
fn what_cannot_be_asked_is_refused_with_line_and_field() {
    let cases = [
        ("[targets.a]\ntraffic = 'ping'\n", "bench.toml:1: targets.a.address is missing"),
        ("[targets.a]\naddress = '192.168.1.50'\n", "bench.toml:1: targets.a.traffic is missing"),
        (
            "[targets.a]\naddress = '192.168.1.50:80'\ntraffic = 'http'\n",
            "bench.toml:2: targets.a.address is \"192.168.1.50:80\"",
        ),
        (
            "[targets.a]\naddress = 'fe80::1'\ntraffic = 'http'\n",
            "bench.toml:2: targets.a.address is \"fe80::1\", but a board at an address is asked over IPv4 alone",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'htp'\n",
            "bench.toml:3: targets.a.traffic: traffic.htp: \"htp\" is no kind",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'ping count=no'\n",
            "bench.toml:3: targets.a.traffic: ping.count is \"no\"",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'ping'\nbounds = { flash = '<= 1 KiB' }\n",
            "bench.toml:4: targets.a.bounds.flash: a row with measure = \"latency\" has no such figure",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'ping'\n[targets.b]\nsame_but = 'a'\n",
            "bench.toml:4: targets.b: it is the same as a",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'ping'\n[targets.b]\nsame_but = 'a'\naddress = 'y'\ntraffic = 'http'\n",
            "bench.toml:4: targets.b: it differs from a in both",
        ),
        (
            "[targets.a]\naddress = 'x'\ntraffic = 'ping'\nfirmware = 'x'\n",
            "bench.toml:4: targets.a.firmware",
        ),
        (
            "[boards.a]\n[targets.a]\naddress = 'x'\ntraffic = 'ping'\n",
            "targets.a: another entry has a row of that name",
        ),
    ];
    for (text, expected) in cases {
        let found = refusal(text);
        assert!(found.contains(expected), "{found}\n  is to say {expected}");
    }
}

#[test]
fn a_name_that_nobody_knows_is_refused_before_anything_runs() {
    let suite = suite("[targets.a]\naddress = 'nobody.invalid'\ntraffic = 'ping'\n").unwrap();
    let error = ready_rows(&suite, &ImagePlaces::default()).expect_err("nobody knows it").to_string();
    assert!(error.contains("bench.toml:1: targets.a.address: \"nobody.invalid\" is no address"), "{error}");
}

/// A ping-pong server on a free port, in a thread, until it is dropped.
struct Server {
    port: u16,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn begin() -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
        seat.add(traffic::machine("pingpong-server", &[("port", &port.to_string())]).unwrap());
        let thread = std::thread::spawn(move || drop(seat.run(Until { deadline: None, stop: Some(&own) })));
        Self { port, stop, thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn measured(text: &str, control: &Control) -> RowResult {
    let suite = suite(text).unwrap();
    let ready = ready_rows(&suite, &ImagePlaces::default()).unwrap();
    let measure = Measure { seed: 1, intervals: true, findings: false, spans_of_first: 0 };
    measure_row(&ready[0], measure, control).unwrap().expect("it is worth keeping")
}

#[test]
fn every_message_has_its_times_and_the_row_a_figure_with_the_floor_of_this_computer() {
    let server = Server::begin();
    let text = format!(
        "[targets.a]\naddress = '127.0.0.1'\ntraffic = 'pingpong to=board:{} rounds=300'\nskip = 1\n",
        server.port
    );
    let row = measured(&text, &Control::default());
    assert_eq!((row.problem.as_deref(), row.samples.len()), (None, 299));
    for sample in row.samples.iter() {
        let (exchange, done) = (sample.exchange.unwrap(), sample.done.unwrap());
        let first = exchange.first_byte.unwrap();
        assert!(sample.trigger <= first && first <= done && done <= row.entry.end, "{sample:?}");
        assert_eq!(sample.outcome, Outcome::Paired);
    }
    assert!(row.figure.unwrap().value > 100.0);
    let Facts::Address(facts) = &row.entry.facts else { panic!("{:?}", row.entry.facts) };
    let floor = facts.floor.unwrap();
    assert!(floor.n > 100 && floor.median_ps.unwrap() > 0.0 && floor.share.unwrap() <= 1.0, "{floor:?}");
    assert_eq!(facts.resolved.as_deref(), Some("127.0.0.1"));
    if cfg!(target_os = "linux") {
        assert_eq!(facts.arrival_clock, "kernel");
    }
}

#[test]
fn a_port_where_nobody_listens_gives_a_row_without_a_figure_that_says_why() {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let text = format!("[targets.a]\naddress = '127.0.0.1'\ntraffic = 'pingpong to=board:{port} rounds=3'\n");
    let row = measured(&text, &Control::default());
    assert!(row.figure.is_none());
    assert!(row.problem.as_deref().unwrap().contains("connection refused at 127.0.0.1"), "{:?}", row.problem);
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_measured() {
    let server = Server::begin();
    let control = Arc::new(Control::default());
    let stops = Arc::clone(&control);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        stops.stop();
    });
    let text = format!(
        "[targets.a]\naddress = '127.0.0.1'\ntraffic = 'pingpong to=board:{} rounds=10000000 think_time=1ms'\n",
        server.port
    );
    let row = measured(&text, &control);
    stopper.join().unwrap();
    assert!(row.samples.len() > 10 && row.figure.is_some());
}

#[test]
fn who_watches_sees_each_message_once() {
    let server = Server::begin();
    let control = Control::default();
    control.watch();
    let text = format!(
        "[targets.a]\naddress = '127.0.0.1'\ntraffic = 'pingpong to=board:{} rounds=500 think_time=1ms'\n",
        server.port
    );
    let row = measured(&text, &control);
    let seen = control.take_seen();
    let indices: Vec<u64> = seen
        .iter()
        .flat_map(|one| one.samples.iter().map(|sample| sample.index).collect::<Vec<_>>())
        .collect();
    assert!(seen.len() > 1, "in batches");
    assert_eq!(indices, (0..indices.len() as u64).collect::<Vec<_>>());
    assert!(indices.len() + 100 >= row.samples.len() && indices.len() <= row.samples.len());
}
