//! The small services with plain sockets on loopback.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use super::*;
use crate::pattern::Pattern;
use crate::testing::{loopback, serving};

fn stream(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

#[test]
fn echo_sends_a_megabyte_back_to_one_who_reads_late() {
    let sent = Pattern::new(1).bytes(0, 1_000_000);
    let (server, back) = serving(Server::new(Service::Echo, 0), Server::LISTENER, |port| {
        let mut writer = stream(port);
        let mut reader = writer.try_clone().unwrap();
        let bytes = sent.clone();
        let writing = thread::spawn(move || {
            writer.write_all(&bytes).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        thread::sleep(Duration::from_millis(50));
        let mut back = Vec::new();
        reader.read_to_end(&mut back).unwrap();
        writing.join().unwrap();
        back
    });
    assert!(back == sent);
    assert_eq!((server.received_bytes(), server.sent_bytes()), (1_000_000, 1_000_000));
}

#[test]
fn an_echo_server_holds_a_peer_who_never_reads() {
    let mut server = Server::new(Service::Echo, 7);
    let connection = Connection(Connection::FIRST_ACCEPTED);
    let now = Picoseconds::ZERO;
    server
        .handle(now, Event::Accepted { listener: LISTENER, connection, peer: loopback(1), to: loopback(2) });
    for _ in 0..4 {
        server.handle(now, Event::Received(connection, &[0; 10_000]));
    }
    let actions: Vec<Action> = std::iter::from_fn(|| server.poll()).collect();
    assert_eq!(actions[4..], [Action::Hold(connection, true), Action::WantRoom(connection, 32 * 1024)]);
    server.handle(now, Event::Room(connection, 40_000));
    assert_eq!(server.poll(), Some(Action::Hold(connection, false)));
}

#[test]
fn discard_takes_everything_and_says_nothing() {
    let (server, silence) = serving(Server::new(Service::Discard, 0), Server::LISTENER, |port| {
        let mut stream = stream(port);
        stream.write_all(&[7; 500_000]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut back = Vec::new();
        stream.read_to_end(&mut back).unwrap();
        back
    });
    assert!(silence.is_empty());
    assert_eq!((server.received_bytes(), server.sent_bytes()), (500_000, 0));
}

#[test]
fn the_generator_sends_the_lines_of_rfc_864() {
    let (_, lines) = serving(Server::new(Service::Chargen, 0), Server::LISTENER, |port| {
        let mut bytes = vec![0; 96 * 74];
        stream(port).read_exact(&mut bytes).unwrap();
        bytes
    });
    let lines: Vec<&[u8]> = lines.chunks(74).collect();
    assert_eq!(
        lines[0],
        b" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg\r\n".as_slice()
    );
    assert_eq!(&lines[1][70..], b"gh\r\n");
    assert_eq!(&lines[94][..4], b"~ !\"");
    assert_eq!(lines[95], lines[0]);
}

#[test]
fn datagrams_are_echoed_and_answered_with_up_to_512_characters() {
    for service in [Service::Echo, Service::Chargen] {
        let (_, answers) = serving(Server::new(service, 0), Server::SOCKET, |port| {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
            let mut buffer = [0; 2048];
            let mut ask = || {
                socket.send_to(b"anybody", ("127.0.0.1", port)).unwrap();
                let count = socket.recv(&mut buffer).unwrap();
                buffer[..count].to_vec()
            };
            [ask(), ask(), ask()]
        });
        if service == Service::Echo {
            assert!(answers.iter().all(|answer| answer == b"anybody"));
        } else {
            assert!(answers.iter().all(|answer| answer.len() <= 512));
            assert!(answers[0] != answers[1] && answers[0].starts_with(b" !\"#"));
        }
    }
}

#[test]
fn a_datagram_from_another_echo_server_is_not_answered() {
    let mut server = Server::new(Service::Echo, 7);
    server.handle(Picoseconds::ZERO, Event::Datagram { socket: SOCKET, from: loopback(7), bytes: b"loop" });
    assert_eq!(server.poll(), None);
    server.handle(Picoseconds::ZERO, Event::Datagram { socket: SOCKET, from: loopback(7777), bytes: b"ask" });
    assert!(server.poll().is_some());
}
