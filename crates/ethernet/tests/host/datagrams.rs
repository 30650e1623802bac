//! UDP, ICMP and raw frames of the virtual PC.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use crate::common::{LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Wire, ms, us, wire};
use ethernet::{EchoReply, HostError, Unreachable};
use units::Picoseconds;

type Shared<T> = Arc<Mutex<Vec<T>>>;
type Datagram = ((IpAddr, u16), Vec<u8>);

fn list<T>() -> Shared<T> {
    Arc::new(Mutex::new(Vec::new()))
}

/// Has the right PC keep what arrives at a port, and send it back.
fn udp_echo(wire: &mut Wire, port: u16) -> Shared<Datagram> {
    let heard = list();
    let told = heard.clone();
    let mut socket = None;
    wire.on_right(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| sockets.bind(port, false).expect("a free port"));
        while sockets.take_news().is_some() {}
        let mut arrived = Vec::new();
        while sockets.receive_from(id, |from, bytes| arrived.push((from, bytes.to_vec()))) {}
        for (from, bytes) in arrived {
            assert!(sockets.send_to(id, from.0, from.1, &bytes));
            told.lock().expect("a lock").push((from, bytes));
        }
        None
    });
    heard
}

#[test]
fn a_datagram_to_a_station_goes_past_the_table_of_arp() {
    let mut wire = wire();
    let mut has_sent = false;
    wire.on_left(move |_, sockets| {
        // The right PC answers that nobody listens there.
        if !std::mem::replace(&mut has_sent, true) {
            let id = sockets.bind(67, false).expect("a free port");
            assert!(sockets.send_to_station(id, (RIGHT.into(), 68), RIGHT_MAC, b"yours"));
            assert!(sockets.send_to(id, RIGHT, 68, b"later"));
        }
        None
    });
    wire.run(ms(10));
    let sent: Vec<_> = wire.carried.iter().filter(|carried| carried.from_left).collect();
    assert_eq!((&sent[0].bytes[..6], &sent[0].bytes[12..14]), (&RIGHT_MAC[..], &[8, 0][..]));
    assert_eq!((&sent[1].bytes[..6], &sent[1].bytes[12..14]), (&[0xff; 6][..], &[8, 6][..]), "who has it?");
}

#[test]
fn a_datagram_goes_there_and_back() {
    let mut wire = wire();
    let heard = udp_echo(&mut wire, 9000);
    let answers: Shared<Datagram> = list();
    let told = answers.clone();
    let mut socket = None;
    wire.on_left(move |_, sockets| {
        let id = *socket.get_or_insert_with(|| {
            let id = sockets.bind(0, false).expect("a free port");
            assert!((32_768..61_000).contains(&sockets.udp_port(id)));
            assert!(sockets.send_to(id, RIGHT, 9000, b"hello"));
            assert!(sockets.send_to(id, RIGHT, 9000, &[7; 1472]));
            id
        });
        while sockets
            .receive_from(id, |from, bytes| told.lock().expect("a lock").push((from, bytes.to_vec())))
        {
        }
        None
    });
    wire.run(ms(100));
    let answers = answers.lock().expect("a lock").clone();
    let server = (RIGHT.into(), 9000);
    assert_eq!(answers, [(server, b"hello".to_vec()), (server, vec![7; 1472])]);
    assert_eq!(heard.lock().expect("a lock")[0].0.0, LEFT);
}

#[test]
fn only_a_socket_that_may_broadcast_does() {
    let mut wire = wire();
    let heard = udp_echo(&mut wire, 67);
    let mut done = false;
    wire.on_left(move |_, sockets| {
        if std::mem::replace(&mut done, true) {
            return None;
        }
        let shy = sockets.bind(67, false).expect("a free port");
        assert!(!sockets.send_to(shy, Ipv4Addr::BROADCAST, 67, b"no"));
        assert!(!sockets.send_to(shy, Ipv4Addr::new(10, 0, 0, 255), 67, b"no"));
        assert_eq!(sockets.bind(67, true), Err(HostError::PortInUse(67)));
        let loud = sockets.bind(68, true).expect("a free port");
        assert!(sockets.send_to(loud, Ipv4Addr::BROADCAST, 67, b"all"));
        assert!(sockets.send_to(loud, Ipv4Addr::new(10, 0, 0, 255), 67, b"us"));
        None
    });
    wire.run(ms(100));
    let heard: Vec<_> = heard.lock().expect("a lock").iter().map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(heard, [b"all".to_vec(), b"us".to_vec()]);
    assert!(
        wire.carried.iter().filter(|c| c.bytes[..6] == [0xFF; 6] && c.bytes[12..14] == [8, 0]).count() >= 2
    );
}

#[test]
fn a_datagram_to_a_closed_port_is_told_to_be_unreachable() {
    let mut wire = wire();
    let notices: Shared<Unreachable> = list();
    let told = notices.clone();
    let mut socket = None;
    wire.on_left(move |_, sockets| {
        socket.get_or_insert_with(|| {
            let id = sockets.bind(5555, false).expect("a free port");
            assert!(sockets.send_to(id, RIGHT, 4444, b"anyone?"));
        });
        while let Some(notice) = sockets.take_unreachable() {
            told.lock().expect("a lock").push(notice);
        }
        None
    });
    wire.run(ms(100));
    let notices = notices.lock().expect("a lock").clone();
    let right = RIGHT.into();
    assert_eq!(
        notices,
        [Unreachable { from: right, code: 3, protocol: 17, to: right, local_port: 5555, remote_port: 4444 }]
    );
}

#[test]
fn a_ping_is_answered_with_what_it_carried() {
    let mut wire = wire();
    let replies: Shared<EchoReply> = list();
    let told = replies.clone();
    let mut sent = 0;
    wire.on_left(move |now, sockets| {
        while let Some(reply) = sockets.take_echo_reply() {
            told.lock().expect("a lock").push(reply);
        }
        if sent < 3 && now >= ms(sent) {
            assert!(sockets.echo_request(RIGHT, 0xABCD, sent as u16, &[sent as u8; 56]));
            sent += 1;
        }
        (sent < 3).then(|| ms(sent))
    });
    wire.run(ms(100));
    let replies = replies.lock().expect("a lock").clone();
    assert_eq!(replies.len(), 3);
    for (n, reply) in replies.iter().enumerate() {
        assert_eq!((reply.from, reply.identifier, reply.sequence), (RIGHT.into(), 0xABCD, n as u16));
        assert_eq!(reply.payload, vec![n as u8; 56]);
    }
    let round_trip = replies[2].at - ms(2);
    let expected = us(2 * 50 + 2 * 10 + 2 * 5);
    assert_eq!(round_trip, expected, "two ways, two cards in, two cards out");
}

#[test]
fn two_applications_with_one_identifier_hear_their_own_replies() {
    let mut wire = wire();
    let replies: [Shared<EchoReply>; 2] = [list(), list()];
    for (n, told) in replies.clone().into_iter().enumerate() {
        let mut sent = 0_u16;
        wire.on_left(move |now, sockets| {
            while let Some(reply) = sockets.take_echo_reply() {
                told.lock().expect("a lock").push(reply);
            }
            if sent < 3 && now >= ms(i64::from(sent)) {
                assert!(sockets.echo_request(RIGHT, 1, sent, &[n as u8; 56]));
                sent += 1;
            }
            (sent < 3).then(|| ms(i64::from(sent)))
        });
    }
    wire.run(ms(100));
    for (n, replies) in replies.iter().enumerate() {
        let replies = replies.lock().expect("a lock");
        let heard: Vec<_> =
            replies.iter().map(|one| (one.identifier, one.sequence, one.payload[0])).collect();
        assert_eq!(heard, [0, 1, 2].map(|sequence| (1, sequence, n as u8)));
    }
}

#[test]
fn a_ping_to_everyone_is_not_answered() {
    let mut wire = wire();
    let ping = ping_to([0xFF; 6], Ipv4Addr::new(10, 0, 0, 255));
    wire.left.send_frame(Picoseconds::ZERO, ping);
    wire.left.send_frame(Picoseconds::ZERO, ping_to(crate::common::RIGHT_MAC, RIGHT));
    wire.run(ms(100));
    let from_right: Vec<_> =
        wire.carried.iter().filter(|c| !c.from_left && c.bytes[12..14] == [8, 0]).collect();
    assert!(from_right.len() <= 1, "{}", from_right.len());
}

fn ping_to(mac: [u8; 6], address: Ipv4Addr) -> Vec<u8> {
    crate::common::echo_request(LEFT_MAC, mac, LEFT, address)
}

#[test]
fn a_test_sends_and_sees_any_frame() {
    let mut wire = wire();
    let seen: Shared<Vec<u8>> = list();
    let told = seen.clone();
    wire.on_right(move |_, sockets| {
        sockets.watch_frames(true);
        while let Some(frame) = sockets.take_frame() {
            told.lock().expect("a lock").push(frame.bytes);
        }
        None
    });
    let odd: Vec<u8> = [vec![1; 6], vec![2; 6], vec![0x88, 0xB5], vec![9; 46]].concat();
    let frame = odd.clone();
    let mut sent = false;
    wire.on_left(move |now, sockets| {
        if now >= ms(1) && !std::mem::replace(&mut sent, true) {
            sockets.send_frame(frame.clone());
        }
        (now < ms(1)).then_some(ms(1))
    });
    wire.run(ms(10));
    assert_eq!(*seen.lock().expect("a lock"), [odd]);
}

#[test]
fn a_pulled_cable_carries_nothing_and_tcp_survives_it() {
    use ethernet::{Speed, Station, TcpState};
    let mut wire = wire();
    let mut listener = None;
    let received = Arc::new(Mutex::new(0));
    let told = received.clone();
    let mut connection = None;
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            connection = Some(id);
        }
        if let Some(id) = connection {
            *told.lock().expect("a lock") += sockets.receive(id, <[u8]>::len);
        }
        None
    });
    let mut client = None;
    let mut next = ms(1);
    wire.on_left(move |now, sockets| {
        let id = *client.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        if now >= next && sockets.state(id) == Some(TcpState::Open) {
            sockets.send(id, &[1; 100]);
            next = next + ms(10);
        }
        (now < ms(1000)).then_some(next.max(now + us(1)))
    });
    wire.run(ms(100));
    let before = *received.lock().expect("a lock");
    assert!(before >= 900, "{before}");
    wire.right.link_changed(ms(100), None);
    wire.run(ms(600));
    assert_eq!(*received.lock().expect("a lock"), before);
    wire.right.link_changed(ms(600), Some(Speed::Mbps100));
    wire.run(ms(5_000));
    assert!(*received.lock().expect("a lock") >= 9_900);
}
