//! Clients of MQTT 3.1.

use super::*;

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
