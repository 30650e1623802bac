//! The examples and lengths of the standard.

use super::*;

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
