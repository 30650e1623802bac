//! Keep-alives, and sessions that outlast a connection.

use super::*;

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
