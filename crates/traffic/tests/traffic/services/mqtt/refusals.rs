//! What is refused or dropped.

use super::*;

#[test]
fn refusals_carry_the_standards_codes_and_end_the_connection() {
    let mut seat = broker(&[("user", "u"), ("password", "p"), ("most_sessions", "1")]);
    let known =
        |client_id| Connect { user: Some("u".into()), password: Some(b"p".to_vec()), ..connect(client_id) };
    for (wanted, code) in [
        (Connect { level: 5, ..known("a") }, 1),
        (Connect { clean_session: false, ..known("") }, 2),
        (connect("a"), 4),
        (Connect { password: Some(b"q".to_vec()), ..known("a") }, 4),
        (known("a"), 0),
        (known("b"), 3),
    ] {
        let (connection, answer) = join_as(&mut seat, wanted);
        assert_eq!(answer, [Packet::Connack { session_present: false, code }]);
        assert_eq!(ended(&seat, connection), code != 0, "code {code}");
    }
}

#[test]
fn malformed_packets_and_packets_out_of_place_end_the_connection() {
    let cases: &[(&str, &[u8])] = &[
        ("quality 3", &[0x36, 5, 0, 1, b't', 0, 1]),
        ("a wildcard in a topic", &[0x30, 3, 0, 1, b'+']),
        ("an empty topic", &[0x30, 2, 0, 0]),
        ("a topic beyond the packet", &[0x30, 3, 0, 9, b't']),
        ("a topic that is not UTF-8", &[0x30, 3, 0, 1, 0xFF]),
        ("a topic with a null", &[0x30, 3, 0, 1, 0]),
        ("packet identifier 0", &[0x32, 5, 0, 1, b't', 0, 0]),
        ("a subscription without filter", &[0x82, 2, 0, 1]),
        ("wrong reserved flags", &[0x80, 6, 0, 1, 0, 1, b't', 0]),
        ("a misplaced wildcard", &[0x82, 7, 0, 1, 0, 2, b't', b'#', 0]),
        ("a fifth length byte", &[0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ("a reserved packet type", &[0xF0, 0]),
        ("a CONNACK from a client", &[0x20, 2, 0, 0]),
        ("a second CONNECT", &[0x10, 13, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, 1, b'c']),
    ];
    for (what, bytes) in cases {
        let mut seat = broker(&[]);
        let board = join(&mut seat, "b");
        assert_eq!(seat.receive(board, bytes), Vec::<u8>::new(), "{what}");
        assert!(ended(&seat, board), "{what}");
        assert_eq!(seat.machine.counters().malformed, 1, "{what}");
    }
    let mut seat = broker(&[]);
    let hasty = seat.accept();
    assert_eq!(say(&mut seat, hasty, &Packet::Pingreq), []);
    assert!(ended(&seat, hasty), "a first packet that is no CONNECT");
}

#[test]
fn a_packet_greater_than_allowed_ends_the_connection_before_it_has_arrived() {
    let mut seat = broker(&[("most_packet_bytes", "1024")]);
    let board = join(&mut seat, "b");
    seat.receive(board, &[0x30, 0x80, 0x08]);
    assert!(ended(&seat, board));
}

#[test]
fn queues_drop_and_count_what_exceeds_them() {
    let mut seat = broker(&[("most_inflight", "2"), ("most_queued", "3")]);
    let (publisher, slow) = (join(&mut seat, "p"), join(&mut seat, "s"));
    subscribe(&mut seat, slow, "t", AtLeastOnce);
    for _ in 0..10 {
        say(&mut seat, publisher, &Packet::Publish(message("t", AtLeastOnce, "x")));
    }
    assert_eq!(heard(&mut seat, slow).len(), 2);
    assert_eq!(seat.machine.counters().dropped, 10 - 2 - 3);
    assert_eq!(say(&mut seat, slow, &Packet::Puback(1)).len(), 1, "an acknowledgement lets the next one go");
}

#[test]
fn a_subscriber_without_room_costs_a_bounded_number_of_bytes() {
    let mut seat = broker(&[("most_unsent_bytes", "1024"), ("most_queued", "10")]);
    let (publisher, slow) = (join(&mut seat, "p"), join(&mut seat, "s"));
    subscribe(&mut seat, slow, "t", AtMostOnce);
    seat.room = Some(0);
    let text = "x".repeat(500);
    for _ in 0..100 {
        seat.receive(publisher, &Packet::Publish(message("t", AtMostOnce, &text)).encode());
    }
    // Three messages reach the bound of 1024 bytes, ten wait.
    assert_eq!(seat.machine.counters().dropped, 100 - 3 - 10);
    for _ in 0..40 {
        seat.give_room(600);
    }
    assert_eq!(heard(&mut seat, slow).len(), 13);
}

#[test]
fn the_silent_broker_answers_nothing() {
    let mut seat = broker(&[("answers", "no")]);
    let (connection, answer) = join_as(&mut seat, connect("b"));
    seat.advance(s(1000));
    assert_eq!((answer, ended(&seat, connection)), (vec![], false));
}
