//! Who gets which message, and with which quality.

use super::*;

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
