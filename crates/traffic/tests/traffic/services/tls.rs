//! TLS: the same client meets the same server byte for byte, and what is no TLS is turned away with the reason.

use traffic::{Action, Cause, Connection, Event, IpEndpoint, Machine, machine};
use units::Picoseconds;

const CLIENT: Connection = Connection(Connection::FIRST_ACCEPTED);

/// A ClientHello of TLS 1.2 (RFC 5246, section 7.4.1.2) for ECDHE-ECDSA with AES-128-GCM on P-256.
fn hello() -> Vec<u8> {
    let extensions = [
        &[0, 10, 0, 4, 0, 2, 0, 23][..],
        &[0, 11, 0, 2, 1, 0],
        &[0, 13, 0, 4, 0, 2, 4, 3],
        &[0xFF, 1, 0, 1, 0],
    ]
    .concat();
    let random = [7; 32];
    let start = [&[3, 3][..], &random, &[0], &[0, 2, 0xC0, 0x2B], &[1, 0]].concat();
    let body = [&start[..], &(extensions.len() as u16).to_be_bytes(), &extensions].concat();
    let message = [&[1, 0][..], &(body.len() as u16).to_be_bytes(), &body].concat();
    [&[22, 3, 1][..], &(message.len() as u16).to_be_bytes(), &message].concat()
}

/// What a server says to these bytes of a first connection.
fn said(server: &mut dyn Machine, bytes: &[u8]) -> Vec<u8> {
    let end = |last, port| IpEndpoint { address: [192, 168, 1, last].into(), port };
    let accepted = Event::Accepted {
        listener: Connection(0),
        connection: CLIENT,
        peer: end(50, 40_000),
        to: end(1, 443),
    };
    for event in [Event::Wake, accepted, Event::Received(CLIENT, bytes)] {
        server.handle(Picoseconds::new(5), event);
    }
    let mut sent = Vec::new();
    while let Some(action) = server.poll() {
        if let Action::Send(CLIENT, bytes) = action {
            sent.extend(bytes);
        }
    }
    sent
}

fn flight(options: &[(&str, &str)]) -> Vec<u8> {
    said(&mut *machine("https-server", options).unwrap(), &hello())
}

#[test]
fn the_same_seed_makes_the_same_handshake() {
    let first = flight(&[]);
    assert!(first.len() > 700 && first[0] == 22, "ServerHello, Certificate and key exchange");
    assert_eq!(first, flight(&[]));
    assert_ne!(first, flight(&[("seed", "2")]));
}

#[test]
fn what_is_no_tls_is_turned_away_with_an_alert_and_the_reason() {
    let mut server = machine("mqtts", &[]).unwrap();
    let answer = said(&mut *server, b"GET / HTTP/1.0\r\n\r\n");
    assert_eq!(answer.first(), Some(&21), "an alert");
    let losses = server.results().losses;
    assert_eq!((losses.len(), losses[0].cause, losses[0].first.at), (1, Cause::Tls, Picoseconds::new(5)));
    assert_eq!(losses[0].first.peer.unwrap().to_string(), "192.168.1.50:40000");
    assert!(losses[0].first.detail.as_ref().is_some_and(|detail| !detail.is_empty()));
}

#[test]
fn a_client_that_left_in_the_handshake_counts_once_whatever_still_comes_of_it() {
    let mut server = machine("mqtts", &[]).unwrap();
    said(&mut *server, &[]);
    for event in [Event::PeerFinished(CLIENT), Event::Received(CLIENT, b"GET / HTTP/1.0\r\n\r\n")] {
        server.handle(Picoseconds::new(6), event);
    }
    let counters = server.results().counters;
    let failed = counters.iter().find(|counter| counter.name == "failed_handshakes").unwrap();
    assert_eq!(failed.value, 1);
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused_in_a_sentence() {
    let error = machine("mqtts", &[("certificate", "no-such-file.pem")]).unwrap_err().to_string();
    assert!(error.starts_with("certificate: no-such-file.pem cannot be read: "), "{error}");
    let folder = machine("tls-echo", &[("certificate", "/")]).unwrap_err().to_string();
    assert_eq!(folder, "certificate: / is no file of at most 1048576 bytes");
}
