//! MQTT: what the OASIS standard of MQTT 3.1.1 asks for, section by section, and streams of any bytes.

use proptest::prelude::*;
use traffic::mqtt::{Broker, Connect, Packet, Publish, QualityOfService, Reader, Settings, Will};
use traffic::{Connection, Declared, Machine};

use super::seat::{End, Seat, s};

use QualityOfService::{AtLeastOnce, AtMostOnce, ExactlyOnce};

fn broker(pairs: &[(&str, &str)]) -> Seat<Broker> {
    Seat::new(Broker::new(Settings::from_options(pairs).unwrap()))
}

fn connect(client_id: &str) -> Connect {
    let client_id = client_id.to_owned();
    Connect {
        level: 4,
        clean_session: true,
        keep_alive_s: 0,
        client_id,
        will: None,
        user: None,
        password: None,
    }
}

fn packets(bytes: &[u8]) -> Vec<Packet> {
    let mut reader = Reader::new(1 << 20);
    reader.push(bytes);
    std::iter::from_fn(|| reader.next_packet().expect("the broker sends MQTT")).collect()
}

fn say(seat: &mut Seat<Broker>, connection: Connection, packet: &Packet) -> Vec<Packet> {
    packets(&seat.receive(connection, &packet.encode()))
}

fn heard(seat: &mut Seat<Broker>, connection: Connection) -> Vec<Packet> {
    packets(&seat.take(connection))
}

fn join_as(seat: &mut Seat<Broker>, connect: Connect) -> (Connection, Vec<Packet>) {
    let connection = seat.accept();
    let answer = say(seat, connection, &Packet::Connect(connect));
    (connection, answer)
}

fn join(seat: &mut Seat<Broker>, client_id: &str) -> Connection {
    let (connection, answer) = join_as(seat, connect(client_id));
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 0 }]);
    connection
}

fn subscribe(
    seat: &mut Seat<Broker>,
    connection: Connection,
    filter: &str,
    quality: QualityOfService,
) -> Vec<Packet> {
    say(seat, connection, &Packet::Subscribe { packet_id: 10, filters: vec![(filter.to_owned(), quality)] })
}

fn message(topic: &str, quality: QualityOfService, payload: &str) -> Publish {
    let packet_id = if quality == AtMostOnce { 0 } else { 7 };
    let (topic, payload) = (topic.to_owned(), payload.as_bytes().to_vec());
    Publish { duplicate: false, quality, retain: false, topic, packet_id, payload }
}

fn kept(topic: &str, payload: &str) -> Packet {
    Packet::Publish(Publish { retain: true, ..message(topic, AtMostOnce, payload) })
}

fn ended(seat: &Seat<Broker>, connection: Connection) -> bool {
    seat.ends.get(&connection).is_some_and(|(_, end)| *end == End::Finished)
}

#[test]
fn the_standards_connect_example_is_read_field_by_field() {
    // Section 3.1.2 figure 3.6: will, will quality 1, user, password, clean session, keep-alive 10.
    let mut bytes = vec![0x10, 0, 0, 4, b'M', b'Q', b'T', b'T', 4, 0b1100_1110, 0, 10];
    for field in ["c", "w/t", "gone", "u", "p"] {
        bytes.extend([0, field.len() as u8]);
        bytes.extend(field.as_bytes());
    }
    bytes[1] = (bytes.len() - 2) as u8;
    let will = Will { topic: "w/t".into(), payload: b"gone".to_vec(), quality: AtLeastOnce, retain: false };
    let (user, password) = (Some("u".into()), Some(b"p".to_vec()));
    let expected = Connect { keep_alive_s: 10, will: Some(will), user, password, ..connect("c") };
    assert_eq!(packets(&bytes), [Packet::Connect(expected.clone())]);
    assert_eq!(Packet::Connect(expected).encode(), bytes);
}

#[test]
fn the_standards_publish_and_subscribe_examples_have_these_bytes() {
    // Section 3.3.2 figure 3.11: topic a/b, packet identifier 10.
    let publish = Publish { packet_id: 10, ..message("a/b", AtLeastOnce, "") };
    assert_eq!(Packet::Publish(publish).encode(), [0x32, 7, 0, 3, b'a', b'/', b'b', 0, 10]);
    // Section 3.8.3 figure 3.23: a/b with quality 1, c/d with quality 2.
    let filters = vec![("a/b".to_owned(), AtLeastOnce), ("c/d".to_owned(), ExactlyOnce)];
    let bytes = [0x82, 14, 0, 10, 0, 3, b'a', b'/', b'b', 1, 0, 3, b'c', b'/', b'd', 2];
    assert_eq!(Packet::Subscribe { packet_id: 10, filters }.encode(), bytes);
}

#[test]
fn remaining_lengths_at_the_edges_of_the_standards_table_are_read() {
    // Section 2.2.3 table 2.4; a PUBLISH with topic "t" has 3 bytes before its payload.
    for (length, header) in
        [(127, &[0x7F][..]), (128, &[0x80, 1]), (16_383, &[0xFF, 0x7F]), (16_384, &[0x80, 0x80, 1])]
    {
        let bytes = Packet::Publish(message("t", AtMostOnce, &"x".repeat(length - 3))).encode();
        assert_eq!(&bytes[1..=header.len()], header, "{length}");
        assert_eq!(packets(&bytes).len(), 1, "{length}");
    }
}

#[test]
fn a_message_reaches_who_subscribed_and_nobody_else() {
    let mut seat = broker(&[]);
    let (publisher, near, far) = (join(&mut seat, "p"), join(&mut seat, "n"), join(&mut seat, "f"));
    let suback = subscribe(&mut seat, near, "room/+/temperature", AtMostOnce);
    assert_eq!(suback, [Packet::Suback { packet_id: 10, codes: vec![0] }]);
    subscribe(&mut seat, far, "garden/#", AtMostOnce);
    let sent = message("room/1/temperature", AtMostOnce, "21");
    assert_eq!(say(&mut seat, publisher, &Packet::Publish(sent.clone())), []);
    assert_eq!(heard(&mut seat, near), [Packet::Publish(sent)]);
    assert_eq!(heard(&mut seat, far), []);
}

#[test]
fn quality_1_is_acknowledged_both_ways_and_never_raised() {
    let mut seat = broker(&[]);
    let (publisher, one, zero) = (join(&mut seat, "p"), join(&mut seat, "1"), join(&mut seat, "0"));
    subscribe(&mut seat, one, "t", AtLeastOnce);
    subscribe(&mut seat, zero, "t", AtMostOnce);
    let answer = say(&mut seat, publisher, &Packet::Publish(message("t", AtLeastOnce, "x")));
    assert_eq!(answer, [Packet::Puback(7)]);
    assert_eq!(
        heard(&mut seat, one),
        [Packet::Publish(Publish { packet_id: 1, ..message("t", AtLeastOnce, "x") })]
    );
    assert_eq!(heard(&mut seat, zero), [Packet::Publish(message("t", AtMostOnce, "x"))]);
    say(&mut seat, publisher, &Packet::Publish(message("t", AtMostOnce, "y")));
    assert_eq!(heard(&mut seat, one), [Packet::Publish(message("t", AtMostOnce, "y"))]);
}

#[test]
fn a_subscription_with_quality_2_is_granted_1() {
    let mut seat = broker(&[]);
    let one = join(&mut seat, "1");
    assert_eq!(
        subscribe(&mut seat, one, "t", ExactlyOnce),
        [Packet::Suback { packet_id: 10, codes: vec![1] }]
    );
}

#[test]
fn a_message_with_quality_2_that_is_sent_twice_goes_on_once() {
    let mut seat = broker(&[]);
    let (publisher, one) = (join(&mut seat, "p"), join(&mut seat, "1"));
    subscribe(&mut seat, one, "t", AtLeastOnce);
    let publish = Packet::Publish(message("t", ExactlyOnce, "x"));
    assert_eq!(say(&mut seat, publisher, &publish), [Packet::Pubrec(7)]);
    assert_eq!(say(&mut seat, publisher, &publish), [Packet::Pubrec(7)]);
    assert_eq!(heard(&mut seat, one).len(), 1);
    assert_eq!(say(&mut seat, publisher, &Packet::Pubrel(7)), [Packet::Pubcomp(7)]);
    say(&mut seat, publisher, &publish);
    assert_eq!(heard(&mut seat, one).len(), 1, "a released identifier is a new message");
}

#[test]
fn a_retained_message_waits_for_subscribers_until_an_empty_one_removes_it() {
    let mut seat = broker(&[]);
    let publisher = join(&mut seat, "p");
    say(&mut seat, publisher, &kept("t", "old"));
    say(&mut seat, publisher, &kept("t", "new"));
    let early = join(&mut seat, "early");
    assert_eq!(subscribe(&mut seat, early, "#", AtMostOnce)[1..], [kept("t", "new")]);
    say(&mut seat, publisher, &kept("t", "newer"));
    let newer = Packet::Publish(message("t", AtMostOnce, "newer"));
    assert_eq!(heard(&mut seat, early), [newer], "no retain flag for who was there: section 3.3.1.3");
    say(&mut seat, publisher, &kept("t", ""));
    let late = join(&mut seat, "late");
    assert_eq!(subscribe(&mut seat, late, "#", AtMostOnce).len(), 1);
}

#[test]
fn wildcards_do_not_reach_topics_that_begin_with_a_dollar() {
    let mut seat = broker(&[]);
    let (publisher, all, own) = (join(&mut seat, "p"), join(&mut seat, "a"), join(&mut seat, "o"));
    subscribe(&mut seat, all, "#", AtMostOnce);
    subscribe(&mut seat, own, "$SYS/#", AtMostOnce);
    say(&mut seat, publisher, &Packet::Publish(message("$SYS/load", AtMostOnce, "1")));
    assert_eq!((heard(&mut seat, all).len(), heard(&mut seat, own).len()), (0, 1));
}

#[test]
fn a_will_goes_out_when_the_connection_breaks_and_not_after_disconnect() {
    let mut seat = broker(&[]);
    let watcher = join(&mut seat, "w");
    subscribe(&mut seat, watcher, "status/#", AtMostOnce);
    let will =
        Will { topic: "status/b".into(), payload: b"lost".to_vec(), quality: AtMostOnce, retain: false };
    let dying = Connect { will: Some(will), ..connect("b") };
    let (polite, _) = join_as(&mut seat, dying.clone());
    say(&mut seat, polite, &Packet::Disconnect);
    seat.close(polite, None);
    assert_eq!(heard(&mut seat, watcher), []);
    let (broken, _) = join_as(&mut seat, dying);
    seat.close(broken, Some("reset by the peer"));
    assert_eq!(heard(&mut seat, watcher), [Packet::Publish(message("status/b", AtMostOnce, "lost"))]);
}

#[test]
fn a_client_that_is_silent_for_one_and_a_half_keep_alives_is_lost_exactly_then() {
    let mut seat = broker(&[]);
    let (board, _) = join_as(&mut seat, Connect { keep_alive_s: 10, ..connect("b") });
    seat.advance(s(14));
    assert_eq!(say(&mut seat, board, &Packet::Pingreq), [Packet::Pingresp]);
    seat.advance(s(100));
    assert_eq!(seat.ends.get(&board).map(|(at, _)| *at), Some(s(14 + 15 + 5)), "reset after lingering");
    assert_eq!((seat.machine.counters().silent, seat.machine.connected()), (1, 0));
}

#[test]
fn a_connection_that_never_says_connect_is_closed_after_ten_seconds() {
    let mut seat = broker(&[]);
    let quiet = seat.accept();
    seat.advance(s(9));
    assert!(!ended(&seat, quiet));
    seat.advance(s(1));
    assert!(ended(&seat, quiet));
}

#[test]
fn a_persistent_session_keeps_subscriptions_and_messages_of_quality_1() {
    let mut seat = broker(&[]);
    let publisher = join(&mut seat, "p");
    let persistent = Connect { clean_session: false, ..connect("b") };
    let (board, answer) = join_as(&mut seat, persistent.clone());
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 0 }]);
    subscribe(&mut seat, board, "t", AtLeastOnce);
    say(&mut seat, publisher, &Packet::Publish(message("t", AtLeastOnce, "unacknowledged")));
    heard(&mut seat, board);
    seat.close(board, Some("reset by the peer"));
    say(&mut seat, publisher, &Packet::Publish(message("t", AtMostOnce, "lost")));
    say(&mut seat, publisher, &Packet::Publish(message("t", AtLeastOnce, "queued")));
    let (again, answer) = join_as(&mut seat, persistent);
    let first = Publish { duplicate: true, packet_id: 1, ..message("t", AtLeastOnce, "unacknowledged") };
    let second = Publish { packet_id: 2, ..message("t", AtLeastOnce, "queued") };
    let connack = Packet::Connack { session_present: true, code: 0 };
    assert_eq!(answer, [connack, Packet::Publish(first), Packet::Publish(second)]);
    say(&mut seat, again, &Packet::Disconnect);
    join(&mut seat, "b");
    assert_eq!(seat.machine.subscriptions(), 0, "a clean session begins anew");
}

#[test]
fn a_second_client_of_the_same_name_takes_over() {
    let mut seat = broker(&[]);
    let old = join(&mut seat, "b");
    let new = join(&mut seat, "b");
    assert!(ended(&seat, old) && !ended(&seat, new));
    assert_eq!((seat.machine.counters().taken_over, seat.machine.connected()), (1, 1));
    seat.close(old, None);
    assert_eq!(
        say(&mut seat, new, &Packet::Pingreq),
        [Packet::Pingresp],
        "the old one's end is not the new one's"
    );
}

#[test]
fn unsubscribing_stops_the_messages() {
    let mut seat = broker(&[]);
    let board = join(&mut seat, "b");
    subscribe(&mut seat, board, "t", AtMostOnce);
    let unsubscribe = Packet::Unsubscribe { packet_id: 3, filters: vec!["t".to_owned(), "other".to_owned()] };
    assert_eq!(say(&mut seat, board, &unsubscribe), [Packet::Unsuback(3)]);
    assert_eq!(say(&mut seat, board, &Packet::Publish(message("t", AtMostOnce, "x"))), []);
}

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

fn some_packets() -> Vec<Packet> {
    vec![
        Packet::Connect(connect("b")),
        Packet::Subscribe { packet_id: 10, filters: vec![("#".to_owned(), AtLeastOnce)] },
        Packet::Publish(message("a/b", AtLeastOnce, "one")),
        Packet::Publish(message("a/b", ExactlyOnce, &"two".repeat(100))),
        Packet::Pubrel(7),
        Packet::Pingreq,
        Packet::Unsubscribe { packet_id: 9, filters: vec!["#".to_owned()] },
        Packet::Publish(message("a/b", AtLeastOnce, "nobody")),
        Packet::Disconnect,
    ]
}

proptest! {
    #[test]
    fn a_stream_gives_the_same_answers_wherever_it_is_cut(cuts in prop::collection::vec(1..60_usize, 0..60)) {
        let stream: Vec<u8> = some_packets().iter().flat_map(Packet::encode).collect();
        let mut whole = broker(&[]);
        let connection = whole.accept();
        let expected = whole.receive(connection, &stream);
        let mut pieces = broker(&[]);
        let connection = pieces.accept();
        let (mut rest, mut got) = (&stream[..], Vec::new());
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            got.extend(pieces.receive(connection, piece));
            rest = after;
        }
        got.extend(pieces.receive(connection, rest));
        prop_assert_eq!(got, expected);
        prop_assert_eq!(pieces.machine.counters(), whole.machine.counters());
    }

    #[test]
    fn a_copy_in_the_middle_of_a_stream_goes_on_as_the_original_does(cut in any::<prop::sample::Index>()) {
        let stream: Vec<u8> = some_packets().iter().flat_map(Packet::encode).collect();
        let (before, after) = stream.split_at(cut.index(stream.len()));
        let mut seat = broker(&[]);
        let connection = seat.accept();
        seat.receive(connection, before);
        let mut copy = seat.clone();
        prop_assert_eq!(copy.receive(connection, after), seat.receive(connection, after));
        prop_assert_eq!(copy.ends, seat.ends);
    }

    #[test]
    fn any_bytes_after_connect_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut seat = broker(&[]);
        let connection = join(&mut seat, "b");
        seat.receive(connection, &bytes);
        seat.advance(s(20));
    }

    #[test]
    fn a_packet_with_flipped_bytes_is_taken(
        which in 0..9_usize, place in any::<prop::sample::Index>(), with in any::<u8>(),
    ) {
        let mut bytes = some_packets()[which].encode();
        let place = place.index(bytes.len());
        bytes[place] = with;
        let mut seat = broker(&[]);
        let connection = if which == 0 { seat.accept() } else { join(&mut seat, "b") };
        seat.receive(connection, &bytes);
    }

    #[test]
    fn what_is_encoded_is_decoded_to_the_same(which in 0..9_usize) {
        let packet = some_packets()[which].clone();
        prop_assert_eq!(packets(&packet.encode()), vec![packet]);
    }
}

/// MQTT 3.1 (IBM and Eurotech, 2010), section by section where it differs.
fn connect_3_1(client_id: &str) -> Connect {
    Connect { level: 3, ..connect(client_id) }
}

#[test]
fn a_client_of_mqtt_3_1_is_served_like_one_of_3_1_1() {
    let mut seat = broker(&[]);
    let bytes = Packet::Connect(connect_3_1("old")).encode();
    assert_eq!(bytes[2..11], *b"\0\x06MQIsdp\x03", "section 3.1");
    let (old, answer) = join_as(&mut seat, connect_3_1("old"));
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 0 }]);
    subscribe(&mut seat, old, "a/#", AtLeastOnce);
    let new = join(&mut seat, "new");
    let message = Publish {
        duplicate: false,
        quality: AtMostOnce,
        retain: false,
        topic: "a/b".to_owned(),
        packet_id: 0,
        payload: b"17".to_vec(),
    };
    say(&mut seat, new, &Packet::Publish(message.clone()));
    assert_eq!(heard(&mut seat, old), [Packet::Publish(message)]);
}

#[test]
fn a_client_of_mqtt_3_1_may_repeat_a_subscription_and_one_of_3_1_1_may_not() {
    let again = |level: u8| {
        let mut seat = broker(&[]);
        let (connection, _) = join_as(&mut seat, Connect { level, ..connect("c") });
        let filters = vec![("a".to_owned(), AtMostOnce)];
        let mut bytes = Packet::Subscribe { packet_id: 7, filters }.encode();
        bytes[0] |= 8;
        packets(&seat.receive(connection, &bytes))
    };
    assert_eq!(again(3), [Packet::Suback { packet_id: 7, codes: vec![0] }], "section 2.1, DUP");
    assert_eq!(again(4), []);
}

#[test]
fn mqtt_3_1_knows_no_session_that_is_present_and_no_client_without_a_name() {
    let mut seat = broker(&[]);
    for _ in 0..2 {
        let kept = Connect { clean_session: false, ..connect_3_1("kept") };
        let (connection, answer) = join_as(&mut seat, kept);
        assert_eq!(answer, [Packet::Connack { session_present: false, code: 0 }]);
        seat.close(connection, None);
    }
    let (_, answer) = join_as(&mut seat, connect_3_1(""));
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 2 }]);
}

#[test]
fn the_name_of_one_version_with_the_level_of_another_is_refused_with_the_reason() {
    let mut seat = broker(&[]);
    let connection = seat.accept();
    let mut bytes = Packet::Connect(connect("c")).encode();
    bytes[8] = 3;
    let answer = packets(&seat.receive(connection, &bytes));
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 1 }]);
    let losses = seat.machine.results().losses;
    assert_eq!((losses.len(), losses[0].cause, losses[0].count), (1, traffic::Cause::ProtocolVersion, 1));
    assert!(losses[0].first.peer.is_some_and(|peer| peer.port == 40_000));
}
