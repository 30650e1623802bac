//! Streams that are cut, copied and damaged.

use super::*;

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
