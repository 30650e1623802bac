//! Ports that hear bits: whoever plays a frame out bit by bit hears of it with its first one, and what such a one sends is known only
//! with its last.

use ethernet::{Cable, Frame, Network, PortId, Speed};
use units::Picoseconds;

/// 8 + 1500 + 4 bytes at 80 ns each.
const FRAME_NS: i64 = 120_960;
const GAP_NS: i64 = 960;

fn ns(count: i64) -> Picoseconds {
    Picoseconds::from_ns(count)
}

fn frame(last: u8) -> Frame {
    let mut bytes = vec![0x31; 1500];
    bytes[..12].copy_from_slice(&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]);
    bytes[1499] = last;
    Frame::new(bytes)
}

/// Two ports on one cable; the first hears bits.
fn pair() -> (Network, PortId, PortId) {
    let mut network = Network::new(1);
    let board = network.add_port("board", Cable::new(Speed::Mbps100));
    let other = network.add_port("other", Cable::new(Speed::Mbps100));
    network.hear_bits(board);
    network.connect_directly(board, other).expect("both have a cable");
    (network, board, other)
}

#[test]
fn a_frame_is_told_by_its_first_bit_and_arrives_with_its_last() {
    let (mut network, board, other) = pair();
    network.send(other, ns(1000), frame(1));
    network.send(other, ns(1000), frame(2));
    network.advance(ns(999));
    assert_eq!(network.take_beginning(board), None);
    network.advance(ns(1000));
    let first = network.take_beginning(board).expect("its first bit is there");
    assert_eq!((first.at, first.frame.bytes[1499], network.take_arrival(board)), (ns(1000), 1, None));
    network.advance(ns(1000 + FRAME_NS));
    assert_eq!(network.take_arrival(board).map(|arrival| arrival.at), Some(ns(1000 + FRAME_NS)));
    network.advance(ns(1_000_000));
    let second = network.take_beginning(board).map(|beginning| beginning.at);
    assert_eq!(second, Some(ns(1000 + FRAME_NS + GAP_NS)));
    assert_eq!(network.take_beginning(other), None);
}

#[test]
fn a_frame_that_is_known_with_its_last_bit_arrives_then_and_not_a_frame_later() {
    let (mut network, board, other) = pair();
    network.advance(ns(5000 + FRAME_NS));
    network.send_begun(board, ns(5000), frame(1));
    network.advance(ns(5000 + FRAME_NS));
    assert_eq!(network.take_arrival(other).map(|arrival| arrival.at), Some(ns(5000 + FRAME_NS)));
    // The wire is taken for the gap behind it all the same.
    network.send(board, ns(5000 + FRAME_NS), frame(2));
    network.advance(ns(1_000_000));
    let next = network.take_arrival(other).map(|arrival| arrival.at);
    assert_eq!(next, Some(ns(5000 + 2 * FRAME_NS + GAP_NS)));
}

#[test]
fn a_cable_that_is_pulled_tells_no_beginning() {
    let (mut network, board, other) = pair();
    network.send(other, ns(1000), frame(1));
    network.set_plugged(ns(0), board, false);
    network.advance(ns(1_000_000));
    assert_eq!((network.take_beginning(board), network.take_arrival(board)), (None, None));
}
