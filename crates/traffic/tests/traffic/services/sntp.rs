//! SNTP: a request's answer, field by field (RFC 4330 section 5).

use proptest::prelude::*;
use traffic::sntp::{Server, Settings};
use traffic::{Cause, Declared, Machine};

use super::seat::{Seat, causes, host, ms, s};

/// Version 4, mode 3, transmit time 0x0102030405060708.
fn request() -> Vec<u8> {
    let mut bytes = vec![0x23, 0, 6, 0];
    bytes.resize(40, 0);
    bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    bytes
}

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    Seat::new(Server::new(Settings::from_options(pairs).unwrap()))
}

#[test]
fn the_answer_repeats_the_transmit_time_and_says_epoch_plus_virtual_time() {
    let mut seat = server(&[("epoch", "0")]);
    seat.advance(ms(1500));
    let sent = seat.datagram(host(50, 40_001), &request());
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].to, host(50, 40_001));
    let answer = &sent[0].bytes;
    assert_eq!(answer.len(), 48);
    assert_eq!(answer[..3], [0x24, 1, 6], "no leap, version 4, mode 4, stratum 1, the client's poll");
    assert_eq!(answer[24..32], [1, 2, 3, 4, 5, 6, 7, 8]);
    // 2208988800 s from 1900 to 1970 (RFC 868), plus 1.5 s.
    assert_eq!(answer[40..48], (2_208_988_801_u64 << 32 | 0x8000_0000).to_be_bytes());
}

#[test]
fn the_default_epoch_is_the_start_of_2026() {
    let mut seat = server(&[]);
    let answer = seat.datagram(host(50, 123), &request())[0].bytes.clone();
    let seconds = u32::from_be_bytes(answer[40..44].try_into().unwrap());
    // 56 years of 365 days and 14 leap days after 1970.
    assert_eq!(seconds, 2_208_988_800 + (56 * 365 + 14) * 86_400);
}

#[test]
fn a_late_answer_says_when_it_was_asked_and_when_it_left() {
    let mut seat = server(&[("epoch", "0"), ("delay", "250ms")]);
    assert_eq!(seat.datagram(host(50, 123), &request()), []);
    let sent = seat.advance(s(1));
    assert_eq!(sent[0].at, ms(250));
    assert_eq!(sent[0].bytes[36..40], [0; 4], "received on the second");
    assert_eq!(sent[0].bytes[44..48], 0x4000_0000_u32.to_be_bytes(), "left a quarter of a second later");
}

#[test]
fn stratum_0_is_a_kiss_of_death_with_the_alarm_set() {
    let mut seat = server(&[("stratum", "0")]);
    let answer = seat.datagram(host(50, 123), &request())[0].bytes.clone();
    assert_eq!((answer[0], answer[1], &answer[12..16]), (0xE4, 0, &b"RATE"[..]));
}

#[test]
fn late_answers_that_find_no_place_to_wait_in_are_lost_for_want_of_room() {
    let mut seat = server(&[("delay", "1s")]);
    for _ in 0..1030 {
        assert_eq!(seat.datagram(host(50, 123), &request()), []);
    }
    assert_eq!((seat.machine.dropped(), causes(&seat.machine)), (6, vec![(Cause::NoRoom, 6)]));
}

#[test]
fn servers_answers_and_short_datagrams_are_not_answered() {
    let mut seat = server(&[]);
    let mut answer = request();
    answer[0] = 0x24;
    for bytes in [&answer[..], &request()[..47], &[]] {
        assert_eq!(seat.datagram(host(50, 123), bytes), []);
    }
    assert_eq!((seat.machine.refused(), seat.machine.answered()), (3, 0));
    assert_eq!(causes(&seat.machine), [(Cause::Malformed, 3)]);
}

#[test]
fn requests_that_are_not_to_be_answered_are_counted() {
    let mut seat = server(&[("answers", "false")]);
    assert_eq!(seat.datagram(host(50, 123), &request()), []);
    assert_eq!(seat.machine.results().summary, "ignored 1 requests");
    // Nothing was lost: it was asked for.
    assert_eq!(causes(&seat.machine), []);
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut seat = server(&[]);
        prop_assert!(seat.datagram(host(50, 123), &bytes).len() <= 1);
    }
}
