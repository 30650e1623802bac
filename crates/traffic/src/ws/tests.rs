//! WebSocket between the two machines, with Python's `websockets`, and with peers that say what they like.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use proptest::prelude::*;
use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use super::frame::{Message, Reader, Violation};
use super::handshake;
use super::*;
use crate::memory::Memory;
use crate::os::{Ended, Seat};
use crate::testing::{loopback, pieces, serving, within_seconds};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Outcome};

/// Debian's interpreter has Debian's python3-websockets.
const PYTHON: &str = "/usr/bin/python3";

const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * PS_PER_MS)
}

fn in_memory(cut: usize, settings: impl Fn(IpEndpoint) -> ClientSettings) -> (Client, Server, Picoseconds) {
    let address = [10, 0, 0, 1].into();
    let mut wire = Memory::new(Picoseconds::new(PS_PER_MS / 2)).cut_into(cut);
    let far = wire.add(address, Box::new(Server::new(ServerSettings::default())));
    let client = Client::new(settings(IpEndpoint { address, port: PORT }));
    let near = wire.add([10, 0, 0, 2].into(), Box::new(client));
    assert!(wire.run_until_done(near, Picoseconds::new(100 * PS_PER_S)));
    let server = wire.machine::<Server>(far).unwrap().clone();
    (wire.machine::<Client>(near).unwrap().clone(), server, wire.now())
}

#[test]
fn a_thousand_messages_take_a_round_trip_each_after_two_to_open_and_one_to_close() {
    for text in [true, false] {
        let (client, server, now) =
            in_memory(usize::MAX, |to| ClientSettings { text, ..ClientSettings::to(to) });
        assert_eq!((client.failure(), server.answered(), now), (None, 1000, ms(1003)));
        assert!(client.samples().iter().all(|sample| sample.outcome == Outcome::Ok));
        assert!(client.samples().iter().all(|sample| sample.latency() == Some(ms(1))));
        let [first, second, ..] = client.samples() else { panic!("a thousand") };
        assert_eq!((first.connect, second.connect), (Some(ms(1)), None));
        // Two bytes of head, four of mask, twelve of message.
        assert_eq!((first.request_bytes, first.payload_bytes, first.response_bytes), (18, 12, 14));
        let unclean =
            client.results().counters.iter().find(|one| one.name == "unclean_closings").unwrap().value;
        assert_eq!(unclean, 0);
    }
}

#[test]
fn messages_of_every_length_of_length_pass_byte_by_byte() {
    for message_bytes in [8, 125, 126, 65_535, 65_536, 200_000] {
        let (client, _, _) = in_memory(if message_bytes < 1000 { 1 } else { 1460 }, |to| ClientSettings {
            message_bytes,
            rounds: 3,
            text: message_bytes % 2 == 0,
            ..ClientSettings::to(to)
        });
        for sample in client.samples() {
            assert_eq!((sample.outcome, sample.payload_bytes), (Outcome::Ok, message_bytes.into()));
        }
    }
}

#[test]
fn a_time_to_send_messages_ends_with_the_closing_handshake() {
    let (client, _, now) = in_memory(usize::MAX, |to| ClientSettings {
        rounds: u64::MAX,
        duration: Some(ms(100)),
        think_time: ms(9),
        ..ClientSettings::to(to)
    });
    assert_eq!((client.samples().len(), now), (10, ms(101)));
}

#[test]
fn the_handshake_is_that_of_rfc_6455() {
    // Section 1.3.
    assert_eq!(handshake::accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    let (answer, opens) = handshake::answer(&handshake::request("/chat", "a", "dGhlIHNhbXBsZSBub25jZQ=="));
    assert!(opens && String::from_utf8(answer.clone()).unwrap().contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    assert_eq!(handshake::check_response(&answer, "dGhlIHNhbXBsZSBub25jZQ=="), Ok(()));
    let wrong = handshake::check_response(&answer, "AAAAAAAAAAAAAAAAAAAAAA==");
    assert_eq!(wrong, Err("the server's Sec-WebSocket-Accept is not that of the key".to_owned()));
    let page = handshake::check_response(b"HTTP/1.1 200 OK\r\n\r\n", "");
    let sentence = "the server answered the opening handshake with status 200, and not with 101";
    assert_eq!(page, Err(sentence.to_owned()));
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
        (
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n\r\n",
            "426",
        ),
        ("nonsense\r\n\r\n", "400"),
    ] {
        let (answer, opens) = handshake::answer(request.as_bytes());
        assert!(!opens && answer.starts_with(format!("HTTP/1.1 {status}").as_bytes()), "{request}");
    }
}

#[test]
fn the_frames_are_those_of_rfc_6455() {
    // Section 5.7.
    let masked = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
    let hello = Message::Text(b"Hello".to_vec());
    assert_eq!(hello.frame(Some([0x37, 0xfa, 0x21, 0x3d])), masked);
    assert_eq!(Reader::new(true).take(&mut &masked[..]), Ok(Some(hello.clone())));
    let fragments = [0x01, 0x03, 0x48, 0x65, 0x6c, 0x89, 0x00, 0x80, 0x02, 0x6c, 0x6f];
    let (mut reader, mut stream) = (Reader::new(false), &fragments[..]);
    assert_eq!(reader.take(&mut stream), Ok(Some(Message::Ping(Vec::new()))), "between the fragments");
    assert_eq!(reader.take(&mut stream), Ok(Some(hello)));
    assert_eq!(&Message::Binary(vec![0; 256]).frame(None)[..4], [0x82, 0x7E, 1, 0]);
    assert_eq!(&Message::Binary(vec![0; 65_536]).frame(None)[..10], [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]);
}

#[test]
fn what_rfc_6455_forbids_is_refused_before_anything_is_kept() {
    for (frame, code) in [
        (&[0xC1, 0x00][..], 1002),
        (&[0x83, 0x00], 1002),
        (&[0x81, 0x80], 1002),
        (&[0x80, 0x00], 1002),
        (&[0x09, 0x00], 1002),
        (&[0x89, 0x7E, 0, 126], 1002),
        (&[0x88, 0x01, 3], 1002),
        (&[0x88, 0x02, 3, 0xED], 1002),
        (&[0x81, 0x01, 0xFF], 1007),
        (&[0x82, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1009),
        (&[0x82, 0x7F, 0, 0, 0, 0, 0, 0x10, 0, 1], 1009),
    ] {
        let violation = Reader::new(false).take(&mut &frame[..]).unwrap_err();
        assert_eq!(violation.code(), code, "{frame:x?}");
        assert!(!violation.sentence().is_empty());
    }
}

/// A client that has sent its first message.
fn waiting() -> Client {
    let mut client = Client::new(ClientSettings { rounds: 2, ..ClientSettings::to(loopback(80)) });
    client.handle(ms(0), Event::Wake);
    client.handle(ms(1), Event::Opened(Connection(0)));
    let accept = handshake::accept(&handshake::key(0, 0));
    let head = format!(
        "HTTP/1.1 101 -\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    client.handle(ms(2), Event::Received(Connection(0), head.as_bytes()));
    client
}

#[test]
fn what_is_no_echo_is_a_failed_message_and_the_next_opens_another_connection() {
    for (answer, outcome, error) in [
        (
            Message::Text(b"another".to_vec()).frame(None),
            Outcome::Wrong,
            "the answer is not the message that was sent",
        ),
        (
            Message::Close(Some(1001)).frame(None),
            Outcome::Reset,
            "127.0.0.1:80 closed the WebSocket with status 1001",
        ),
        (vec![0xFF, 0xFF], Outcome::Wrong, "the peer broke RFC 6455: a reserved bit is set"),
    ] {
        let mut client = waiting();
        client.handle(ms(3), Event::Received(Connection(0), &answer));
        let sample = &client.samples()[0];
        assert_eq!((sample.outcome, sample.error.as_deref()), (outcome, Some(error)));
        let actions: Vec<Action> = std::iter::from_fn(|| client.poll()).collect();
        assert_eq!(actions.last(), Some(&Action::Abort(Connection(0))));
        assert_eq!((client.wake_at(), client.is_done()), (Some(ms(103)), false));
    }
}

#[test]
fn a_ping_is_answered_and_a_server_that_never_closes_is_left() {
    let mut client = waiting();
    while client.poll().is_some() {}
    client.handle(ms(3), Event::Received(Connection(0), &Message::Ping(b"?".to_vec()).frame(None)));
    let Some(Action::Send(_, pong)) = client.poll() else { panic!("a pong") };
    assert_eq!(Reader::new(true).take(&mut &pong[..]), Ok(Some(Message::Pong(b"?".to_vec()))));
    for _ in 0..2 {
        let echo = client.samples().len();
        let text = format!("{echo} ");
        let frame = echo_of(&client, &text);
        client.handle(ms(4), Event::Received(Connection(0), &frame));
    }
    assert!(!client.is_done());
    client.handle(client.wake_at().unwrap(), Event::Wake);
    assert!(client.is_done());
    let unclean = client.results().counters.iter().find(|one| one.name == "unclean_closings").unwrap().value;
    assert_eq!((unclean, client.results().failure), (1, None));
}

/// What a server sends back to the message that the client waits for, which begins with a text.
fn echo_of(client: &Client, text: &str) -> Vec<u8> {
    let mut client = client.clone();
    let sent = std::iter::from_fn(|| client.poll()).find_map(|action| match action {
        Action::Send(_, frame) => match Reader::new(true).take(&mut &frame[..]) {
            Ok(Some(Message::Text(bytes))) if bytes.starts_with(text.as_bytes()) => Some(bytes),
            _ => None,
        },
        _ => None,
    });
    let first = || {
        let mut fresh = waiting();
        std::iter::from_fn(|| fresh.poll())
            .filter_map(|action| match action {
                Action::Send(_, frame) => match Reader::new(true).take(&mut &frame[..]) {
                    Ok(Some(Message::Text(bytes))) => Some(bytes),
                    _ => None,
                },
                _ => None,
            })
            .last()
    };
    Message::Text(sent.or_else(first).expect("a message was sent")).frame(None)
}

#[test]
fn a_server_resets_who_does_not_finish_the_handshake_and_closes_who_breaks_the_rules() {
    let mut server = Server::new(ServerSettings::default());
    server.handle(ms(0), Event::Wake);
    let [slow, rude] = [0, 1].map(|number| Connection(Connection::FIRST_ACCEPTED + number));
    for connection in [slow, rude] {
        server.handle(
            ms(0),
            Event::Accepted { listener: Server::LISTENER, connection, peer: loopback(1), to: loopback(2) },
        );
    }
    server.handle(ms(1), Event::Received(slow, b"GET / HT"));
    server.handle(ms(1), Event::Received(rude, &handshake::request("/", "a", &handshake::key(1, 1))));
    while server.poll().is_some() {}
    server.handle(ms(2), Event::Received(rude, &Message::Text(b"no mask".to_vec()).frame(None)));
    let actions: Vec<Action> = std::iter::from_fn(|| server.poll()).collect();
    let closing = Message::Close(Some(1002)).frame(None);
    assert_eq!(actions, [Action::Send(rude, closing), Action::Finish(rude)]);
    server.handle(ms(10_000), Event::Wake);
    assert_eq!(server.poll(), Some(Action::Abort(slow)));
    assert_eq!((server.malformed(), server.answered()), (1, 0));
}

fn read(stream: &[u8], cuts: &[usize], expects_mask: bool) -> (Vec<Message>, Option<Violation>) {
    let mut reader = Reader::new(expects_mask);
    let mut messages = Vec::new();
    for mut piece in pieces(stream, cuts) {
        loop {
            match reader.take(&mut piece) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(violation) => return (messages, Some(violation)),
            }
        }
    }
    (messages, None)
}

fn message() -> impl Strategy<Value = Message> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..130);
    prop_oneof![
        "\\PC{0,80}".prop_map(|text| Message::Text(text.into_bytes())),
        bytes().prop_map(Message::Binary),
        proptest::collection::vec(any::<u8>(), 0..125).prop_map(Message::Ping),
        proptest::collection::vec(any::<u8>(), 0..125).prop_map(Message::Pong),
        (1000u16..1003).prop_map(|code| Message::Close(Some(code))),
        Just(Message::Close(None)),
    ]
}

proptest! {
    #[test]
    fn messages_are_read_as_they_were_written_however_they_are_cut(
        messages in proptest::collection::vec(message(), 0..8),
        mask in proptest::option::of(any::<[u8; 4]>()),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let stream: Vec<u8> = messages.iter().flat_map(|message| message.frame(mask)).collect();
        prop_assert_eq!(read(&stream, &cuts, mask.is_some()), (messages, None));
    }

    #[test]
    fn any_stream_is_read_the_same_however_it_is_cut(
        parts in proptest::collection::vec(prop_oneof![
            message().prop_map(|message| message.frame(None)),
            message().prop_map(|message| message.frame(Some([1, 2, 3, 4]))),
            Just(vec![0x01, 0x02, b'a', b'b']),
            Just(vec![0x80, 0x01, b'c']),
            proptest::collection::vec(any::<u8>(), 0..12),
        ], 0..8),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
        expects_mask in any::<bool>(),
    ) {
        let stream = parts.concat();
        prop_assert_eq!(read(&stream, &cuts, expects_mask), read(&stream, &[], expects_mask));
    }

    #[test]
    fn any_head_is_answered_the_same_however_it_is_cut(
        lines in proptest::collection::vec(prop_oneof![
            Just(b"GET / HTTP/1.1\r\n".to_vec()),
            Just(b"Upgrade: websocket\r\nConnection: Upgrade\r\n".to_vec()),
            Just(b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(Message::Text(b"hi".to_vec()).frame(Some([1, 2, 3, 4]))),
            proptest::collection::vec(any::<u8>(), 0..6),
        ], 0..12),
        cuts in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let served = |cuts: &[usize]| {
            let mut server = Server::new(ServerSettings::default());
            let connection = Connection(Connection::FIRST_ACCEPTED);
            server.handle(ms(0), Event::Accepted { listener: Server::LISTENER, connection, peer: loopback(1), to: loopback(2) });
            for piece in pieces(&lines.concat(), cuts) {
                server.handle(ms(0), Event::Received(connection, piece));
            }
            std::iter::from_fn(|| server.poll()).collect::<Vec<Action>>()
        };
        prop_assert_eq!(served(&cuts), served(&[]));
    }
}

/// Runs a program of Python's `websockets`; nothing where it is not installed.
fn python(program: &str, arguments: &[&str]) -> Option<Child> {
    let there = Command::new(PYTHON).args(["-c", "import websockets"]).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        ::testing::leave_out("Python's websockets is not installed (Debian: python3-websockets)");
        return None;
    }
    let mut command = Command::new(PYTHON);
    command.args(["-c", program]).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    Some(command.spawn().unwrap())
}

const PYTHON_SERVER: &str = "
import asyncio, sys, websockets
async def echo(websocket, path=None):
    async for message in websocket:
        await websocket.ping()
        await websocket.send([message[:3], message[3:]])
async def main():
    async with websockets.serve(echo, '127.0.0.1', 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
asyncio.run(main())
";

#[test]
fn our_client_plays_with_pythons_websockets_which_pings_and_answers_in_fragments() {
    let Some(mut child) = python(PYTHON_SERVER, &[]) else { return };
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().parse().unwrap();
    for text in [true, false] {
        let settings =
            ClientSettings { rounds: 50, message_bytes: 300, text, ..ClientSettings::to(loopback(port)) };
        let mut seat = Seat::new().unwrap();
        let number = seat.add(Box::new(Client::new(settings)));
        assert_eq!(seat.run(within_seconds(30)).unwrap(), Ended::Done);
        let client = seat.machine::<Client>(number).unwrap();
        assert_eq!(client.failure(), None);
        assert_eq!(client.samples().len(), 50);
        assert!(
            client.samples().iter().all(|sample| sample.outcome == Outcome::Ok),
            "{:?}",
            client.samples()
        );
        let counted = |name| client.results().counters.iter().find(|one| one.name == name).unwrap().value;
        assert_eq!((counted("pings"), counted("unclean_closings")), (50, 0));
    }
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

const PYTHON_CLIENT: &str = "
import asyncio, sys, websockets
async def main():
    async with websockets.connect('ws://127.0.0.1:' + sys.argv[1] + '/any', max_size=None) as websocket:
        for message in ['text', b'binary', 'x' * 70000, ['in ', 'three ', 'pieces'], b'']:
            await websocket.send(message)
            answer = await websocket.recv()
            assert answer == (''.join(message) if isinstance(message, list) else message), answer[:40]
        await asyncio.wait_for(await websocket.ping(), 20)
    print(websocket.close_code)
asyncio.run(main())
";

#[test]
fn pythons_websockets_plays_with_our_server() {
    let (server, printed) = serving(Server::new(ServerSettings { port: 0 }), Server::LISTENER, |port| {
        let mut child = python(PYTHON_CLIENT, &[&port.to_string()])?;
        let mut printed = String::new();
        child.stdin.take().unwrap().flush().unwrap();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert!(child.wait().unwrap().success());
        Some(printed)
    });
    let Some(printed) = printed else { return };
    assert_eq!((printed.trim(), server.answered(), server.malformed()), ("1000", 5, 0));
}
