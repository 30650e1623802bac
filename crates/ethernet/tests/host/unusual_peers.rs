//! Peers that forget, that do not know where they stand, or that offer unusual windows, and packets whose pieces come twice.

use crate::chip_common::{ByHand, CHIP_FIRST, Sent, sender};
use crate::common::{LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, checksum, ms, options, pattern};
use ethernet::{Host, Station};
use smoltcp::wire::TcpControl;

const WINDOW: u16 = 2_048;

/// A PC that has sent 100 bytes, and goes on in a minute.
fn waiting() -> ByHand {
    let writes = vec![(ms(1), pattern(0, 100)), (ms(60_000), pattern(0, 10))];
    let mut chip = ByHand::open(sender(options(false), writes, true), WINDOW);
    chip.hears(ms(10));
    chip.says(TcpControl::None, 100, WINDOW);
    chip.hears(ms(10));
    chip
}

fn controls(heard: Vec<(TcpControl, Sent)>) -> Vec<TcpControl> {
    heard.into_iter().map(|(control, _)| control).collect()
}

#[test]
fn a_peer_that_was_restarted_learns_where_it_stands_and_begins_anew_from_the_same_port() {
    let mut chip = waiting();
    let expected = chip.sequence;
    chip.sequence = CHIP_FIRST + 70_000;
    chip.says(TcpControl::Syn, 0, WINDOW);
    let answers = chip.hears(ms(1));
    assert_eq!(answers.len(), 1);
    let (control, sent) = &answers[0];
    assert_eq!((*control, sent.start), (TcpControl::None, chip.first + 100), "no SYN, an acknowledgement");
    // By RFC 9293 3.10.7.3 it answers with a reset at the number that was acknowledged.
    chip.sequence = expected;
    chip.says(TcpControl::Rst, 100, 0);
    chip.hears(ms(1));
    chip.sequence = CHIP_FIRST + 70_000;
    chip.says(TcpControl::Syn, 0, WINDOW);
    assert_eq!(chip.hears(ms(1))[0].0, TcpControl::Syn);
}

#[test]
fn a_reset_counts_at_the_next_number_alone_and_is_asked_about_elsewhere_in_the_window() {
    let mut chip = waiting();
    let expected = chip.sequence;
    chip.sequence = expected + 100;
    chip.says(TcpControl::Rst, 100, 0);
    assert_eq!(controls(chip.hears(ms(1))), [TcpControl::None]);
    chip.sequence = expected - 100;
    chip.says(TcpControl::Rst, 100, 0);
    assert!(chip.hears(ms(1)).is_empty(), "what is outside of the window is not answered");
    chip.sequence = expected;
    chip.says_data(b"still open", 100, WINDOW);
    assert_eq!(controls(chip.hears(ms(300))), [TcpControl::None]);
    chip.says(TcpControl::Rst, 100, 0);
    chip.hears(ms(1));
    chip.says_data(b"not any more", 100, WINDOW);
    assert_eq!(controls(chip.hears(ms(1))), [TcpControl::Rst]);
}

#[test]
fn a_window_that_is_closed_from_the_start_is_asked_about() {
    let mut chip = ByHand::open(sender(options(false), vec![(ms(1), pattern(0, 100))], true), 0);
    let start = chip.now;
    let mut asked = Vec::new();
    for _ in 0..1_500 {
        let heard = chip.hears(ms(1));
        asked.extend(heard.iter().map(|(_, sent)| {
            assert_eq!((sent.start, sent.payload.len()), (chip.first - 1, 0), "one number before the window");
            (sent.at - start).ps() / units::PS_PER_MS
        }));
    }
    assert_eq!(asked.len(), 3, "{asked:?}");
    let waited: Vec<i64> = asked.iter().map(|at| (at + 50) / 100).collect();
    assert_eq!(waited, [2, 6, 14], "after 0.2 s, and twice as late each time");
    chip.says(TcpControl::None, 0, 1_000);
    assert_eq!(chip.ranges(ms(1)), [(0, 0, 100)]);
}

#[test]
fn a_window_in_steps_of_more_than_ten_segments_takes_data() {
    for (scale, segment_bytes) in [(0, 1460), (7, 1460), (13, 1460), (14, 1460), (10, 102), (9, 51)] {
        let mut chip = ByHand::new(sender(options(false), vec![(ms(1), pattern(0, 60_000))], true));
        (chip.scale, chip.segment_bytes) = (Some(scale), segment_bytes);
        chip.begin(60_000);
        let sent: usize = chip.ranges(ms(20)).iter().map(|(.., bytes)| bytes).sum();
        // The first flight: ten segments, and what a step of the window has beyond them.
        let ten = 10 * usize::from(segment_bytes);
        let most = ten.next_multiple_of(1 << scale);
        assert!((ten..=most.max(ten)).contains(&sent), "{sent} bytes at a scale of {scale}");
    }
}

/// A ping of the left PC's in two pieces.
fn pieces() -> [Vec<u8>; 2] {
    let mut message = vec![8, 0, 0, 0, 0, 1, 0, 1];
    message.extend(pattern(0, 992));
    let sum = checksum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let piece = |start: usize, end: usize, more: u16| {
        let mut packet = vec![0x45, 0];
        packet.extend(((20 + end - start) as u16).to_be_bytes());
        packet.extend([0x12, 0x34]);
        packet.extend((more << 13 | (start / 8) as u16).to_be_bytes());
        packet.extend([64, 1, 0, 0]);
        packet.extend(LEFT.octets());
        packet.extend(RIGHT.octets());
        let sum = checksum(&packet);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        let frame = [&RIGHT_MAC[..], &LEFT_MAC, &[8, 0], &packet, &message[start..end]];
        frame.concat()
    };
    [piece(0, 480, 1), piece(480, 1000, 0)]
}

#[test]
fn a_piece_of_a_packet_that_comes_twice_spoils_nothing() {
    for order in [&[0, 1][..], &[0, 0, 1], &[1, 1, 0], &[1, 0, 0]] {
        let mut chip = ByHand::new(Host::new(options(false)).expect("a PC"));
        for &number in order {
            chip.host.receive(chip.now, &ethernet::Frame::new(pieces()[number].clone()));
        }
        chip.host.advance(chip.now + ms(1));
        let answers =
            std::iter::from_fn(|| chip.host.take_frame()).filter(|frame| frame.bytes[12..14] == [8, 0]);
        assert_eq!(answers.count(), 1, "{order:?}");
    }
}
