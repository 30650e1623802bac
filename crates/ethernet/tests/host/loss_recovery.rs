//! How the PC repairs losses towards a chip without selective acknowledgements: NewReno (RFC 6582) and slow start after a time-out
//! (RFC 5681 section 3.1, RFC 6298 section 5).

use smoltcp::wire::TcpControl;

use crate::chip_common::{ByHand, sender};
use crate::common::{options, us};
use ethernet::HostOptions;

const MSS: u32 = 1460;
/// lwIP's default window.
const WINDOW: u16 = 4 * MSS as u16;

/// A chip that took the handshake, and a PC with enough to send for all that follows.
fn transfer() -> ByHand {
    let options = HostOptions { timestamps: false, ..options(false) };
    let mut chip = ByHand::open(sender(options, vec![(us(0), vec![0x5a; 64 * 1024])], true), WINDOW);
    assert_eq!(segments(&mut chip, 10_000), [0, 1, 2, 3]);
    chip
}

/// Which segments the PC sends within so many microseconds.
fn segments(chip: &mut ByHand, microseconds: i64) -> Vec<u32> {
    let ranges = chip.ranges(us(microseconds));
    assert!(ranges.iter().all(|(_, start, bytes)| start % MSS == 0 && *bytes == MSS as usize), "{ranges:?}");
    ranges.into_iter().map(|(_, start, _)| start / MSS).collect()
}

/// The chip acknowledges all before a segment.
fn acknowledge(chip: &mut ByHand, segment: u32) {
    chip.says(TcpControl::None, segment * MSS, WINDOW);
}

#[test]
fn a_second_hole_is_filled_when_the_first_one_is() {
    let mut chip = transfer();
    // Segments 1 and 3 are lost: 0 is acknowledged, then 2, 4 and what comes behind repeat that.
    acknowledge(&mut chip, 1);
    assert_eq!(segments(&mut chip, 1_000), [4]);
    for _ in 0..3 {
        acknowledge(&mut chip, 1);
    }
    assert_eq!(segments(&mut chip, 1_000)[..1], [1]);
    acknowledge(&mut chip, 3);
    assert_eq!(segments(&mut chip, 1_000)[..1], [3]);
    acknowledge(&mut chip, 5);
    assert_eq!(segments(&mut chip, 1_000)[..1], [5]);
}

#[test]
fn after_a_time_out_one_segment_goes_out_and_then_as_many_as_slow_start_lets() {
    let mut chip = transfer();
    // All four are lost.
    let resent = segments(&mut chip, 250_000);
    assert_eq!(resent, [0]);
    acknowledge(&mut chip, 1);
    assert_eq!(segments(&mut chip, 10_000), [1, 2]);
    acknowledge(&mut chip, 2);
    acknowledge(&mut chip, 3);
    // The fourth of those that were lost, and new ones.
    assert_eq!(segments(&mut chip, 10_000)[..2], [3, 4]);
}

#[test]
fn a_segment_that_is_lost_again_waits_for_a_time_out_of_twice_the_length() {
    let mut chip = transfer();
    assert_eq!(segments(&mut chip, 250_000), [0]);
    assert!(segments(&mut chip, 300_000).is_empty());
    assert_eq!(segments(&mut chip, 200_000), [0]);
}

#[test]
fn after_its_recovery_a_transfer_goes_on_with_what_the_chip_takes() {
    let mut chip = transfer();
    assert_eq!(segments(&mut chip, 250_000), [0]);
    let mut next = 1;
    let mut sent = 0;
    while next < 24 {
        acknowledge(&mut chip, next);
        next += 1;
        sent += segments(&mut chip, 1_000).len();
    }
    // Segments 1 to 3 again, and from 4 on to those that the window holds behind the last acknowledgement.
    assert_eq!(sent, 23 + 4 - 1);
}
