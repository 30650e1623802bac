//! The receiver by levels on its line. What it should see follows from where the middles of bits are.

use proptest::prelude::*;

use super::super::registers::{LCR_EPS, LCR_PEN, LCR_STP2};
use super::*;

const EIGHT_BITS: u32 = 3 << 5;
/// A bit of the reception that the tests have unless they say otherwise: 115,207 baud.
const BIT: i64 = 8_680_000;
const BEGIN: i64 = 1_000_000;

fn ps(ps: i64) -> Picoseconds {
    Picoseconds::new(ps)
}

/// 125 MHz with a divider in 1/64 for so many picoseconds a bit, which is a multiple of 128 ns.
fn reception(lcr_h: u32, bit: i64) -> Reception {
    Reception { format: Format::new(lcr_h), divider: u32::try_from(bit / 2000).unwrap(), hz: 125_000_000 }
}

/// A receiver that knows levels of equal length, one after the other, and then a long silence.
fn heard(lcr_h: u32, bit: i64, levels: &[u8]) -> Receiver {
    let mut receiver = Receiver::new(5, Picoseconds::ZERO, Some(reception(lcr_h, bit)));
    let mut before = 1;
    let mut edges = Vec::new();
    for (place, &level) in (0..).zip(levels) {
        if level != before {
            edges.push(Edge { at: ps(BEGIN + place * BIT), pin: 4, level: level == 1 });
        }
        before = level;
    }
    assert_eq!(before, 1, "a line ends idle");
    receiver.hear(&edges, ps(BEGIN + 1000 * BIT));
    receiver
}

/// Start, data, parity and stop of a byte.
fn frame(byte: u8, parity: Option<u8>) -> Vec<u8> {
    let data = (0..8).map(|bit| byte >> bit & 1);
    std::iter::once(0).chain(data).chain(parity).chain([1]).collect()
}

fn words(mut receiver: Receiver) -> Vec<(i64, u16)> {
    let mut words = Vec::new();
    while let Seen::Character { sampled, whole, word } = receiver.look() {
        words.push(((whole.ps() - BEGIN) / (BIT / 2), word));
        receiver.take(sampled);
    }
    words
}

#[test]
fn a_character_is_whole_when_its_stop_bit_is_over() {
    let levels = [frame(0x55, None), frame(0xa0, None), vec![1; 3], frame(0, None)].concat();
    assert_eq!(words(heard(EIGHT_BITS, BIT, &levels)), [(20, 0x55), (40, 0xa0), (66, 0)]);
}

#[test]
fn parity_is_checked_where_there_is_one() {
    let even = EIGHT_BITS | LCR_PEN | LCR_EPS;
    for (parity, word) in [(1, 0x07), (0, 0x07 | DR_PE as u16)] {
        assert_eq!(words(heard(even, BIT, &frame(7, Some(parity)))), [(22, word)]);
    }
    let two_stops = [frame(9, None), vec![1]].concat();
    assert_eq!(
        words(heard(EIGHT_BITS | LCR_STP2, BIT, &two_stops)),
        [(20, 9)],
        "only the first is looked at"
    );
}

#[test]
fn a_low_stop_bit_is_a_framing_error_and_a_low_character_a_break() {
    let mut levels = frame(0x81, None);
    *levels.last_mut().unwrap() = 0;
    levels.extend([1, 1]);
    levels.extend(frame(0x42, None));
    assert_eq!(words(heard(EIGHT_BITS, BIT, &levels)), [(20, 0x81 | DR_FE as u16), (44, 0x42)]);
    let pause = [vec![0; 35], vec![1; 2], frame(0x42, None)].concat();
    let found = words(heard(EIGHT_BITS, BIT, &pause));
    assert_eq!(found, [(20, (DR_BE | DR_FE) as u16), (94, 0x42)], "a break is one character, however long");
}

#[test]
fn a_glitch_shorter_than_half_a_bit_starts_nothing() {
    let mut receiver = Receiver::new(5, Picoseconds::ZERO, Some(reception(EIGHT_BITS, BIT)));
    let edge = |at: i64, level| Edge { at: ps(BEGIN + at), pin: 4, level };
    receiver.hear(&[edge(-3 * BIT, false), edge(-3 * BIT + BIT / 2 - 1, true)], ps(BEGIN - 1));
    let character = [edge(0, false), edge(BIT, true)];
    receiver.hear(&character, ps(BEGIN + 20 * BIT));
    assert_eq!(words(receiver), [(20, 0xff)]);
}

#[test]
fn half_the_rate_makes_garbage_of_what_is_sent_and_a_little_beside_it_does_not() {
    let text: Vec<u8> = b"agent".iter().flat_map(|&byte| frame(byte, None)).collect();
    let at_rate =
        |bit| words(heard(EIGHT_BITS, bit, &text)).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
    let right: Vec<u16> = b"agent".iter().map(|&byte| u16::from(byte)).collect();
    // The last bit is sampled half a bit beside its middle when a character of 9.5 bits is 5 % too long or short.
    for percent in [-4, 0, 4] {
        let bit = BIT * (100 + percent) / 100 / 128_000 * 128_000;
        assert_eq!(at_rate(bit), right, "{percent} %");
    }
    // Of 'a' (start, 1000 0110, stop) every second level: 0, then of two bits each the one that the middle falls on.
    let slow = at_rate(2 * BIT);
    assert!(slow.len() < right.len() && slow != right, "{slow:?}");
    let fast = at_rate(BIT / 2 / 128_000 * 128_000);
    assert!(fast.iter().any(|word| u32::from(*word) & DR_FE != 0), "{fast:?}");
}

#[test]
fn the_chip_may_run_to_the_stop_bit_that_a_character_could_have_at_the_earliest() {
    let mut receiver = Receiver::new(5, Picoseconds::ZERO, Some(reception(EIGHT_BITS, BIT)));
    receiver.hear(&[], ps(BEGIN));
    assert_eq!(receiver.look(), Seen::Unknown(ps(BEGIN + 17 * BIT / 2)));
    let start = Edge { at: ps(BEGIN + BIT), pin: 4, level: false };
    receiver.hear(&[start], ps(BEGIN + 9 * BIT));
    assert_eq!(receiver.look(), Seen::Unknown(ps(BEGIN + BIT + 19 * BIT / 2)));
    receiver.hear(&[], ps(BEGIN + 11 * BIT));
    assert!(matches!(receiver.look(), Seen::Character { .. }));
}

#[test]
fn of_two_rates_the_faster_one_says_how_far_the_chip_may_run() {
    let mut receiver = Receiver::new(5, Picoseconds::ZERO, Some(reception(EIGHT_BITS, BIT)));
    receiver.hear(&[], ps(BEGIN));
    receiver.set(ps(BEGIN + BIT), Some(reception(EIGHT_BITS, BIT / 10)));
    assert_eq!(receiver.look(), Seen::Unknown(ps(BEGIN + BIT + 17 * BIT / 20)));
    receiver.set(ps(BEGIN + BIT), None);
    assert_eq!(
        receiver.look(),
        Seen::Unknown(ps(BEGIN + 17 * BIT / 2)),
        "one may have begun before it was off"
    );
    receiver.hear(&[], ps(BEGIN + 2 * BIT));
    assert_eq!(receiver.look(), Seen::Nothing);
}

#[test]
fn a_character_is_received_as_the_settings_were_when_it_began() {
    let mut receiver = Receiver::new(5, Picoseconds::ZERO, Some(reception(EIGHT_BITS, BIT)));
    receiver.set(ps(BEGIN + BIT), Some(reception(EIGHT_BITS, BIT / 2)));
    let edge = |at: i64, level| Edge { at: ps(BEGIN + at), pin: 4, level };
    let all = [edge(0, false), edge(BIT, true), edge(12 * BIT, false), edge(12 * BIT + BIT / 2, true)];
    receiver.hear(&all, ps(BEGIN + 100 * BIT));
    assert_eq!(words(receiver), [(20, 0xff), (34, 0xff)]);
}

proptest! {
    #[test]
    fn any_levels_told_in_any_pieces_give_the_same_characters(
        lengths in prop::collection::vec(1i64..40 * BIT, 0..200),
        pieces in prop::collection::vec(1i64..50 * BIT, 1..50),
        lcr_h in 0u32..0x100,
    ) {
        let fresh = || Receiver::new(5, Picoseconds::ZERO, Some(reception(lcr_h & !1, BIT)));
        let mut at = BEGIN;
        let mut edges = Vec::new();
        for (place, length) in lengths.iter().enumerate() {
            edges.push(Edge { at: ps(at), pin: 4, level: place % 2 == 1 });
            at += length;
        }
        let end = ps(at + 2000 * BIT);
        let mut whole = fresh();
        whole.hear(&edges, end);
        let mut told = fresh();
        let (mut now, mut found) = (ps(0), Vec::new());
        let mut rest = &edges[..];
        for piece in pieces.iter().cycle() {
            now = (now + ps(*piece)).min(end);
            let known = rest.partition_point(|edge| edge.at <= now);
            told.hear(&rest[..known], now);
            rest = &rest[known..];
            loop {
                match told.look() {
                    Seen::Character { sampled, whole, word } => {
                        prop_assert!(sampled <= now);
                        found.push(((whole.ps() - BEGIN) / (BIT / 2), word));
                        told.take(sampled);
                    }
                    Seen::Unknown(needed) => {
                        prop_assert!(needed > now, "it could go on");
                        break;
                    }
                    Seen::Nothing => prop_assert!(false, "it is on"),
                }
            }
            if now == end {
                break;
            }
        }
        prop_assert_eq!(found, words(whole));
    }
}
