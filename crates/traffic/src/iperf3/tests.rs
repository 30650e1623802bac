//! iperf 3 between the two machines, with Debian's iperf3, and with peers that say what they like.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::control::{Reader, Told, Wanted, cookie, framed};
use super::json::{Parameters, Refusal, Report};
use super::*;
use crate::bulk::{Amount, Transfer};
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::testing::{loopback, pieces, serving, tool, within_seconds};
use crate::{Action, Connection, Event, IpEndpoint, Machine};

fn bytes(transfers: &[Transfer]) -> (u64, u64) {
    assert!(transfers.iter().all(|transfer| transfer.error.is_none()), "{transfers:?}");
    (
        transfers.iter().map(|transfer| transfer.sent.bytes()).sum(),
        transfers.iter().map(|transfer| transfer.received.bytes()).sum(),
    )
}

fn in_memory(settings: impl Fn(IpEndpoint) -> ClientSettings) -> (Client, Server) {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS / 2));
    let far = wire.add(address, Box::new(Server::new(ServerSettings::default())));
    let settings = settings(IpEndpoint { address, port: PORT });
    let near = wire.add([10, 0, 0, 2].into(), Box::new(Client::new(settings)));
    assert!(wire.run_until_done(near, Picoseconds::new(100 * PS_PER_S)));
    wire.run_until(wire.now() + Picoseconds::new(10 * PS_PER_MS));
    (wire.machine::<Client>(near).unwrap().clone(), wire.machine::<Server>(far).unwrap().clone())
}

#[test]
fn so_many_bytes_pass_in_either_direction_on_one_stream_and_on_three() {
    for reverse in [false, true] {
        for parallel in [1, 3] {
            let (client, server) = in_memory(|to| ClientSettings {
                amount: Amount::Bytes(500_000),
                reverse,
                parallel,
                block_bytes: 10_000,
                ..ClientSettings::to(to)
            });
            assert_eq!(client.results().failure, None);
            assert_eq!((server.tests(), server.transfers().count()), (1, parallel as usize));
            let (sent, received) = bytes(&client.transfers());
            let theirs: Vec<Transfer> = server.transfers().cloned().collect();
            let passed = if reverse { received } else { sent };
            assert!((500_000..900_000).contains(&passed), "{passed}");
            assert!(reverse || sent == 500_000, "the sender sends no more than it is told");
            // What was under way when the test ended is not the receiver's any more.
            let (their_sent, their_received) = bytes(&theirs);
            assert!(their_received <= sent && received <= their_sent);
            let said = if reverse { their_sent } else { their_received };
            assert_eq!(client.bytes_of_server(), Some(said));
        }
    }
}

#[test]
fn a_test_for_a_time_lasts_that_long_and_has_its_intervals() {
    let (client, _) = in_memory(|to| ClientSettings {
        amount: Amount::Time(Picoseconds::new(PS_PER_S)),
        interval: Some(Picoseconds::new(PS_PER_S / 10)),
        reverse: true,
        ..ClientSettings::to(to)
    });
    let whole = client.transfers()[0].received.whole.unwrap();
    assert_eq!(whole.end - whole.start, Picoseconds::new(PS_PER_S));
    // A window of 64 KiB in each millisecond of round trip.
    let work = client.work();
    assert_eq!(work.len(), 10);
    assert!(work[1..9].iter().all(|sample| sample.payload_bytes == 100 * 65_536), "{work:?}");
}

/// Debian's iperf3 as a server; ends with the value.
struct Iperf3Server {
    child: Child,
    port: u16,
}

impl Iperf3Server {
    /// On a port that was free a moment ago; nothing where iperf3 is not installed.
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let arguments = ["-s", "-p", &port.to_string(), "--forceflush"];
        let child =
            Command::new("iperf3").args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else {
            ::testing::leave_out("iperf3 cannot be run (Debian: iperf3)");
            return None;
        };
        // It says so once it listens.
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.is_ok_and(|line| line.contains("listening"))));
        Some(Self { child, port })
    }
}

impl Drop for Iperf3Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn our_client_tests_debians_iperf3_in_both_directions() {
    for (reverse, parallel, amount) in [
        (false, 1, Amount::Time(Picoseconds::new(PS_PER_S / 10))),
        (true, 1, Amount::Time(Picoseconds::new(PS_PER_S / 10))),
        (false, 3, Amount::Bytes(60_000_000)),
        (true, 3, Amount::Bytes(60_000_000)),
    ] {
        // Each has a server of its own: it is busy with a test for a while after that has ended for the client.
        let Some(server) = Iperf3Server::start() else { return };
        let settings =
            ClientSettings { amount, reverse, parallel, ..ClientSettings::to(loopback(server.port)) };
        let mut seat = Seat::new().unwrap();
        let number = seat.add(Box::new(Client::new(settings)));
        assert_eq!(seat.run(within_seconds(30)).unwrap(), Ended::Done);
        let client = seat.machine::<Client>(number).unwrap();
        assert_eq!(client.results().failure, None, "{settings:?}");
        let (sent, received) = bytes(&client.transfers());
        let theirs = client.bytes_of_server().expect("it told its results");
        let (ours, least) = if reverse { (received, received) } else { (sent, theirs) };
        assert!(ours > 10_000 && least > 0, "{ours} B, {theirs} B there: {settings:?}");
        assert!(if reverse { received <= theirs } else { theirs <= sent }, "{settings:?}");
    }
}

#[test]
fn debians_iperf3_tests_our_server_in_every_direction() {
    for (arguments, back, there) in [
        (&["-t", "1", "-b", "20M"][..], false, true),
        (&["-n", "60M", "-R"], true, false),
        (&["-n", "60M", "-P", "2"], false, true),
        (&["-n", "60M", "-P", "2", "-R"], true, false),
        (&["-n", "60M", "--bidir"], true, true),
    ] {
        let settings = ServerSettings { port: 0, ..ServerSettings::default() };
        let (server, printed) = serving(Server::new(settings), Server::LISTENER, |port| {
            tool("iperf3", &[&["-c", "127.0.0.1", "-p", &port.to_string()], arguments].concat())
        });
        let Some(printed) = printed else { return };
        assert!(printed.contains("iperf Done."), "{arguments:?}: {printed}");
        let transfers: Vec<Transfer> = server.transfers().cloned().collect();
        let (sent, received) = bytes(&transfers);
        assert_eq!((sent > 10_000, received > 10_000), (back, there), "{arguments:?}: {printed}");
        assert_eq!(server.tests(), 1, "{arguments:?}: {printed}");
    }
}

#[test]
fn debians_iperf3_is_told_that_udp_is_not_done() {
    let settings = ServerSettings { port: 0, ..ServerSettings::default() };
    let (server, printed) = serving(Server::new(settings), Server::LISTENER, |port| {
        tool("iperf3", &["-c", "127.0.0.1", "-p", &port.to_string(), "-u", "-t", "1"])
    });
    let Some(printed) = printed else { return };
    assert!(printed.contains("error"), "{printed}");
    assert_eq!((server.tests(), server.transfers().count()), (0, 0));
}

/// A client whose control connection is open and that has introduced itself.
fn introduced(reverse: bool) -> Client {
    let mut client = Client::new(ClientSettings { reverse, ..ClientSettings::to(loopback(5201)) });
    client.handle(Picoseconds::ZERO, Event::Wake);
    client.handle(Picoseconds::ZERO, Event::Opened(Connection(0)));
    client
}

#[test]
fn each_way_to_be_turned_away_is_a_sentence() {
    let results = framed("{\"streams\":3}");
    for (told, sentence) in [
        (&[0xFF][..], "127.0.0.1:5201 is busy with another test"),
        (&[9, 11], "127.0.0.1:5201 ended the test before its end"),
        (
            &[9, 0xFE, 0, 0, 0, 13, 0, 0, 0, 0],
            "127.0.0.1:5201 refused the test: it does not do such a test (iperf3's error 13)",
        ),
        (b"SSH-2.0-x\r\n", "what 127.0.0.1:5201 says is not what an iperf3 server says"),
        (&[9, 10, 1, 2], "what 127.0.0.1:5201 says is not what an iperf3 server says"),
        (&results, "what 127.0.0.1:5201 says is not what an iperf3 server says"),
    ] {
        let mut client = introduced(false);
        for byte in told {
            client.handle(Picoseconds::ZERO, Event::Received(Connection(0), &[*byte]));
        }
        assert_eq!(client.results().failure.as_deref(), Some(sentence));
        assert!(client.is_done() && client.wake_at().is_none());
    }
    let mut client = introduced(false);
    client.handle(Picoseconds::ZERO, Event::Closed(Connection(0), None));
    let sentence = "127.0.0.1:5201 closed a connection of the test";
    assert_eq!(client.results().failure.as_deref(), Some(sentence));
}

#[test]
fn a_server_that_drips_its_results_is_given_up() {
    let mut client = introduced(true);
    let second = |count: i64| Picoseconds::new(count * PS_PER_S);
    client.handle(second(0), Event::Received(Connection(0), &[9, 10]));
    client.handle(second(0), Event::Opened(Connection(1)));
    client.handle(second(0), Event::Received(Connection(0), &[1, 2]));
    client.handle(second(1), Event::Received(Connection(1), &[0; 1000]));
    client.handle(second(10), Event::Wake);
    client.handle(second(10), Event::Received(Connection(0), &[13, 0, 0, 1, 0]));
    for at in 11..25 {
        client.handle(second(at), Event::Received(Connection(0), b" "));
        client.handle(second(at), Event::Wake);
    }
    let sentence = "127.0.0.1:5201 did not go on with the test within 10 s";
    assert_eq!(client.results().failure.as_deref(), Some(sentence));
    assert_eq!(client.transfers()[0].received.bytes(), 1000, "what was measured is kept");
}

fn accepted(server: &mut Server, number: u32, now: Picoseconds) -> Connection {
    let connection = Connection(Connection::FIRST_ACCEPTED + number);
    server.handle(
        now,
        Event::Accepted { listener: Server::LISTENER, connection, peer: loopback(1), to: loopback(2) },
    );
    connection
}

#[test]
fn a_client_that_goes_silent_is_forgotten_and_others_are_told_to_wait() {
    let mut server = Server::new(ServerSettings::default());
    let now = Picoseconds::ZERO;
    server.handle(now, Event::Wake);
    let first = accepted(&mut server, 0, now);
    let second = accepted(&mut server, 1, now);
    let third = accepted(&mut server, 2, now);
    server.handle(now, Event::Received(first, &cookie(1)));
    server.handle(now, Event::Received(second, &cookie(2)));
    let actions: Vec<Action> = std::iter::from_fn(|| server.poll()).collect();
    assert!(actions.contains(&Action::Send(first, vec![9])), "{actions:?}");
    assert!(actions.contains(&Action::Send(second, vec![0xFF])), "{actions:?}");
    let later = Picoseconds::new(10 * PS_PER_S);
    assert_eq!(server.wake_at(), Some(later));
    server.handle(later, Event::Wake);
    let actions: Vec<Action> = std::iter::from_fn(|| server.poll()).collect();
    assert_eq!(actions, [Action::Abort(third), Action::Abort(first)]);
    assert_eq!(server.wake_at(), None);
}

#[test]
fn parameters_are_those_of_debians_iperf3() {
    let recorded = br#"{"tcp":true,"omit":0,"time":1,"num":0,"blockcount":0,"parallel":2,"reverse":true,"len":131072,"pacing_timer":1000,"client_version":"3.12"}"#;
    let parameters = Parameters::parse(recorded).unwrap();
    let expected = Parameters {
        amount: Amount::Time(Picoseconds::new(PS_PER_S)),
        streams: 2,
        from_client: false,
        from_server: true,
        block_bytes: 131_072,
    };
    assert_eq!(parameters, expected);
    assert_eq!(Parameters::parse(parameters.text().as_bytes()), Ok(expected));
    assert_eq!(Parameters::parse(br#"{"udp":true}"#), Err(Refusal::OtherProtocol));
    assert_eq!(Parameters::parse(b"[]"), Err(Refusal::NoJson));
    let hostile =
        br#"{"parallel":1e99,"len":-1,"num":18446744073709551615,"blockcount":18446744073709551615}"#;
    assert_eq!(Parameters::parse(hostile).unwrap().amount, Amount::Bytes(u64::MAX));
}

fn told(stream: &[u8], cuts: &[usize], wanted: &[Wanted]) -> Vec<Option<Told>> {
    let mut reader = Reader::new(wanted[0]);
    let mut told = Vec::new();
    for mut piece in pieces(stream, cuts) {
        while !piece.is_empty() {
            match reader.take(&mut piece) {
                Ok(None) => {}
                Ok(Some(one)) => {
                    told.push(Some(one));
                    reader.want(wanted[told.len() % wanted.len()]);
                }
                Err(_) => {
                    told.push(None);
                    return told;
                }
            }
        }
    }
    told
}

proptest! {
    #[test]
    fn a_control_connection_is_read_the_same_however_it_is_cut(
        parts in proptest::collection::vec(prop_oneof![
            (0u8..18).prop_map(|state| vec![state]),
            Just(framed("{\"streams\":[]}")),
            Just(cookie(1)),
            proptest::collection::vec(any::<u8>(), 0..50),
        ], 0..8),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let wanted = [Wanted::State, Wanted::Text, Wanted::Cookie, Wanted::Errors];
        let stream = parts.concat();
        prop_assert_eq!(told(&stream, &cuts, &wanted), told(&stream, &[], &wanted));
    }

    #[test]
    fn no_text_makes_the_readers_of_json_panic(text in "\\PC{0,60}|[\\[{}\\],:\"0-9a-z_]{0,60}") {
        let _ = (Parameters::parse(text.as_bytes()), Report::parse(text.as_bytes()));
    }
}
