//! Every wait, in the datasheet's numbers.

use super::*;

/// TCPTO as the W5500 datasheet 1.0.9 writes it under RCR: the sum of RTR x 2^N for N up to M, then RCR - M times RTRmax,
/// where M is the least number with RTR x 2^(M+1) over 65535, in 100 us.
fn datasheet_time_out(rtr: i64, rcr: i64) -> Picoseconds {
    let mut m = 0;
    while rtr * (1 << (m + 1)) <= 65_535 && m < rcr {
        m += 1;
    }
    let doubling: i64 = (0..=m).map(|n| rtr * (1 << n)).sum();
    us((doubling + (rcr - m) * rtr * (1 << m)) * 100)
}

#[test]
fn the_datasheets_example_takes_31_8_seconds() {
    let mut bench = Bench::new();
    bench.connect();
    let expected = [0, 200, 600, 1400, 3000, 6200, 12_600, 19_000, 25_400].map(ms);
    assert_eq!(bench.times_until_silence(), expected);
    assert_eq!(bench.now, ms(31_800));
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::TIMEOUT);
}

#[test]
fn every_kind_of_segment_times_out_as_the_datasheet_says() {
    let syn = |bench: &mut Bench| bench.connect();
    let syn_ack = |bench: &mut Bench| {
        bench.listen();
        bench.deliver(SYN, u32::MAX, 0, 1000, &[]);
    };
    let open = |bench: &mut Bench| {
        bench.connect();
        bench.sent();
        bench.deliver(SYN | ACK, u32::MAX, 0, 1000, &[]);
        bench.sent();
        bench.interrupts();
    };
    let data = |bench: &mut Bench| {
        open(bench);
        bench.send(b"anyone there?");
    };
    let fin = |bench: &mut Bench| {
        open(bench);
        bench.connection.disconnect();
    };
    let last_fin = |bench: &mut Bench| {
        open(bench);
        bench.deliver(FIN | ACK, 0, 0, 1000, &[]);
        bench.interrupts();
        bench.connection.disconnect();
    };
    let keep_alive = |bench: &mut Bench| {
        open(bench);
        bench.send(b"x");
        bench.sent();
        bench.deliver(ACK, 0, 1, 1000, &[]);
        bench.interrupts();
        assert!(bench.connection.send_keep(&bench.settings));
    };
    let starts: [&dyn Fn(&mut Bench); 6] = [&syn, &syn_ack, &data, &fin, &last_fin, &keep_alive];
    for (rtr, rcr) in
        [(2000, 8), (2000, 0), (4000, 7), (1, 3), (1, 20), (65_535, 2), (32_768, 5), (0x07D0, 255)]
    {
        for (kind, start) in starts.iter().enumerate() {
            let mut bench = Bench::new();
            bench.settings.retry_time = rtr;
            bench.settings.retry_count = rcr;
            start(&mut bench);
            let sent = bench.times_until_silence().len();
            assert_eq!(sent, usize::from(rcr) + 1, "kind {kind}, RTR {rtr}, RCR {rcr}");
            let expected = datasheet_time_out(i64::from(rtr), i64::from(rcr));
            assert_eq!(bench.now, expected, "kind {kind}, RTR {rtr}, RCR {rcr}");
            assert_eq!(bench.settings.final_wait(), expected);
            assert_eq!(bench.status(), Status::Closed);
            assert_eq!(bench.interrupts() & interrupt::TIMEOUT, interrupt::TIMEOUT);
        }
    }
}

#[test]
fn an_rtr_of_zero_still_waits() {
    let mut bench = Bench::new();
    bench.settings.retry_time = 0;
    bench.connect();
    assert_eq!(bench.times_until_silence().len(), 9);
    assert!(bench.now > Picoseconds::ZERO);
}

#[test]
fn an_acknowledgement_of_new_data_starts_the_waits_anew() {
    let mut bench = Bench::connected();
    bench.send(&[1; 2000]);
    assert_eq!(bench.sent().len(), 2);
    bench.advance();
    assert_eq!(bench.now, ms(200));
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 1460), (ACK | PSH, 1460, 540)], "all of it again");
    assert_eq!(bench.next_event(), Some(ms(600)));
    bench.now = ms(250);
    bench.deliver(ACK, 0, 1460, 1000, &[]);
    assert_eq!(bench.next_event(), Some(ms(450)), "RTR from the acknowledgement on");
    bench.deliver(ACK, 0, 1460, 1000, &[]);
    assert_eq!(bench.next_event(), Some(ms(450)), "the same acknowledgement again changes nothing");
    bench.deliver(ACK, 0, 2000, 1000, &[]);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn a_wait_begins_when_the_segment_leaves() {
    let mut bench = Bench::connected();
    bench.send(b"x");
    assert_eq!(bench.next_event(), None);
    bench.now = ms(3);
    bench.sent();
    assert_eq!(bench.next_event(), Some(ms(203)));
}

#[test]
fn a_fin_that_the_peer_never_returns_times_out() {
    let mut bench = Bench::connected();
    bench.connection.disconnect();
    bench.sent();
    bench.deliver(ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.advance(), ms(31_800));
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::TIMEOUT);
}

#[test]
fn data_is_acknowledged_after_rtr() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, b"one");
    assert_eq!(bench.sent(), []);
    bench.now = ms(150);
    bench.deliver(ACK, 3, 0, 1000, b"two");
    assert_eq!(bench.sent(), []);
    assert_eq!(bench.advance(), ms(200), "counted from the first of them");
    let ack = bench.sent();
    assert_eq!((ack[0].flags, ack[0].acknowledgement, ack[0].window), (ACK, 6, 2042));
    assert_eq!(bench.next_event(), None);

    bench.settings.retry_time = 500;
    bench.deliver(ACK, 6, 0, 1000, b"three");
    assert_eq!(bench.advance(), ms(250));
}

#[test]
fn with_no_delayed_ack_data_is_acknowledged_at_once() {
    let mut bench = Bench::connected();
    bench.settings.no_delayed_ack = true;
    bench.deliver(ACK, 0, 0, 1000, b"one");
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn data_carries_the_acknowledgement_that_waits() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, b"ping");
    bench.send(b"pong");
    let answer = bench.sent();
    assert_eq!(answer.len(), 1);
    assert_eq!(answer[0].acknowledgement, 4);
    bench.deliver(ACK, 4, 4, 1000, &[]);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn keep_alive_asks_after_the_set_silence() {
    let mut bench = Bench::connected();
    bench.settings.keep_alive_time = 2;
    assert_eq!(bench.next_event(), None, "not before data has passed");
    bench.now = ms(1000);
    bench.send(b"x");
    bench.sent();
    bench.now = ms(1001);
    bench.deliver(ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.next_event(), Some(ms(11_001)), "10 s after the last segment");
    assert!(!bench.connection.send_keep(&bench.settings), "SEND_KEEP is for Sn_KPALVTR = 0");
    bench.advance();
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 1)], "one byte that the peer has had");
    assert_eq!(bench.next_event(), Some(ms(11_201)));
    bench.now = ms(11_003);
    bench.deliver(ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.next_event(), Some(ms(21_003)));
}

#[test]
fn send_keep_needs_data_that_has_passed() {
    let mut bench = Bench::connected();
    assert!(!bench.connection.send_keep(&bench.settings));
    bench.deliver(ACK, 0, 0, 1000, b"x");
    assert!(bench.connection.send_keep(&bench.settings));
    assert_eq!(bench.sent_briefly(), [(ACK, u32::MAX, 1)]);
    bench.deliver(ACK, 1, 0, 1000, &[]);
    assert_eq!(bench.next_event(), None, "an answer is all it wanted");
    assert_eq!(bench.status(), Status::Established);
}

#[test]
fn a_keep_alive_of_the_peer_is_answered() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, u32::MAX, 0, 1000, &[0]);
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
    bench.deliver(ACK, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
    assert_eq!(bench.received_bytes(), 0);
}
