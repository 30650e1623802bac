//! Bytes both ways: memories, windows, SENDOK, gaps and repetitions.

use super::*;

#[test]
fn one_send_is_cut_into_segments() {
    let mut bench = Bench::connected();
    let bytes: Vec<u8> = (0..2048u32).map(|index| index as u8).collect();
    bench.send(&bytes);
    assert_eq!(bench.tx_free(), 0);
    let sent = bench.sent();
    assert_eq!(sent.iter().map(|seen| seen.payload.len()).collect::<Vec<_>>(), [1460, 588]);
    assert!(sent.iter().all(|seen| seen.flags == ACK | PSH));
    assert_eq!(sent.iter().flat_map(|seen| seen.payload.clone()).collect::<Vec<_>>(), bytes);
    assert_eq!(bench.pointers.tx_read, bench.tx_write, "Sn_TX_RD follows what was transmitted");
    assert_eq!(bench.tx_free(), 0, "and Sn_TX_FSR what was acknowledged");
    bench.deliver(ACK, 0, 1460, 65_535, &[]);
    assert_eq!(bench.tx_free(), 1460);
    bench.deliver(ACK, 0, 2048, 65_535, &[]);
    assert_eq!(bench.tx_free(), 2048);
}

#[test]
fn send_ok_comes_when_the_last_byte_is_sent_or_acknowledged() {
    for send_ok in [SendOk::Sent, SendOk::Acknowledged] {
        let mut bench = Bench::connected();
        bench.settings.send_ok = send_ok;
        bench.send(&[1; 2000]);
        assert_eq!(bench.interrupts(), 0);
        bench.take();
        assert_eq!(bench.interrupts(), 0, "one of two segments");
        bench.take();
        let after_sending = bench.interrupts();
        bench.deliver(ACK, 0, 1460, 65_535, &[]);
        assert_eq!(bench.interrupts(), 0);
        bench.deliver(ACK, 0, 2000, 65_535, &[]);
        let after_acknowledgement = bench.interrupts();
        let expected = match send_ok {
            SendOk::Sent => (interrupt::SENDOK, 0),
            SendOk::Acknowledged => (0, interrupt::SENDOK),
        };
        assert_eq!((after_sending, after_acknowledgement), expected);
    }
}

#[test]
fn a_send_of_nothing_is_done_at_once() {
    let mut bench = Bench::connected();
    assert!(bench.send(&[]));
    assert_eq!(bench.interrupts(), interrupt::SENDOK);
    assert_eq!(bench.sent(), []);
}

#[test]
fn pointers_and_sequence_numbers_wrap() {
    let mut bench = Bench::new();
    bench.chip_isn = u32::MAX - 3000;
    bench.peer_isn = u32::MAX - 5000;
    bench.connect();
    bench.sent();
    bench.deliver(SYN | ACK, u32::MAX, 0, 65_535, &[]);
    bench.sent();
    let (mut sent, mut received) = (0u32, 0u32);
    for round in 0..100u32 {
        let bytes: Vec<u8> = (0..1777).map(|index: u32| (round * 31 + index) as u8).collect();
        bench.send(&bytes);
        let out: Vec<u8> = bench.sent().into_iter().flat_map(|seen| seen.payload).collect();
        assert_eq!(out, bytes);
        sent += 1777;
        bench.deliver(ACK, received, sent, 65_535, &bytes[..1000]);
        received += 1000;
        assert_eq!(bench.read_all(), &bytes[..1000]);
        let ack = bench.sent();
        assert_eq!((ack[0].sequence, ack[0].acknowledgement), (sent, received));
    }
    assert!(sent > 65_536 * 2 && bench.tx_free() == 2048);
}

#[test]
fn the_window_is_the_free_receive_memory() {
    let mut bench = Bench::connected();
    bench.settings.no_delayed_ack = true;
    bench.deliver(ACK, 0, 0, 1000, &[1; 1460]);
    assert_eq!(bench.sent()[0].window, 588);
    bench.deliver(ACK, 1460, 0, 1000, &[2; 588]);
    assert_eq!(bench.sent()[0].window, 0);
    assert_eq!(bench.received_bytes(), 2048);

    bench.deliver(ACK, 2048, 0, 1000, &[3]);
    let answer = bench.sent();
    assert_eq!((answer[0].acknowledgement, answer[0].window), (2048, 0), "a probe gets an answer, not in");

    assert_eq!(bench.read(1), [1]);
    let update = bench.sent();
    assert_eq!((update[0].flags, update[0].acknowledgement, update[0].window), (ACK, 2048, 1));
    bench.deliver(ACK, 2048, 0, 1000, &[3; 100]);
    let answer = bench.sent();
    assert_eq!((answer[0].acknowledgement, answer[0].window), (2049, 0), "what fits is taken");
    assert_eq!(bench.connection.counters().beyond_window, 2);
    assert_eq!(bench.read_all(), [vec![1; 1459], vec![2; 588], vec![3]].concat());
}

#[test]
fn recv_tells_the_peer_only_if_bytes_were_read() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, b"hello");
    bench.read(0);
    assert_eq!(bench.sent(), []);
    bench.read(5);
    let update = bench.sent();
    assert_eq!((update.len(), update[0].acknowledgement, update[0].window), (1, 5, 2048));
    assert_eq!(bench.next_event(), None, "the acknowledgement that waited went along");
}

#[test]
fn segments_out_of_order_are_dropped_and_acknowledged_again() {
    let mut bench = Bench::connected();
    bench.settings.no_delayed_ack = true;
    bench.deliver(ACK, 5, 0, 1000, b"world");
    let repeated = bench.sent();
    assert_eq!((repeated[0].flags, repeated[0].acknowledgement), (ACK, 0));
    assert_eq!(bench.received_bytes(), 0);
    assert_eq!(bench.interrupts(), 0);
    bench.deliver(ACK, 0, 0, 1000, b"hello");
    assert_eq!(bench.sent()[0].acknowledgement, 5, "the chip did not keep the second");
    bench.deliver(ACK, 5, 0, 1000, b"world");
    assert_eq!(bench.read_all(), b"helloworld");
    assert_eq!(bench.connection.counters().out_of_order, 1);
}

#[test]
fn repetitions_are_taken_once() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, b"hello");
    bench.deliver(ACK, 0, 0, 1000, b"hello");
    assert_eq!(bench.sent()[0].acknowledgement, 5, "at once, though acknowledgements are delayed");
    bench.deliver(ACK, 2, 0, 1000, b"llo world");
    assert_eq!(bench.read_all(), b"hello world");
    assert_eq!(bench.connection.counters().duplicate, 1);
}

#[test]
fn no_more_is_sent_than_the_peers_window_holds() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(SYN | ACK, u32::MAX, 0, 2000, &[]);
    bench.sent();
    bench.send(&[1; 2048]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 1460), (ACK | PSH, 1460, 540)]);
    assert_eq!(bench.interrupts() & interrupt::SENDOK, 0);
    bench.deliver(ACK, 0, 1460, 545, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 2000, 5)]);
    bench.deliver(ACK, 0, 2005, 2000, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 2005, 43)]);
    assert_eq!(bench.interrupts() & interrupt::SENDOK, interrupt::SENDOK);
}

#[test]
fn an_old_segment_does_not_move_the_window() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 5000, b"abc");
    bench.deliver(ACK, 3, 0, 10, b"def");
    bench.deliver(ACK, 0, 0, 5000, b"abc");
    bench.send(&[1; 100]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 10)]);
}

fn closed_window() -> Bench {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 0, &[]);
    bench.send(&[1; 100]);
    assert_eq!(bench.sent(), []);
    bench
}

#[test]
fn a_closed_window_is_asked_for_with_doubling_waits() {
    let mut bench = closed_window();
    let mut waits = Vec::new();
    let mut last = bench.now;
    for _ in 0..20 {
        let at = bench.advance();
        assert_eq!(bench.sent_briefly(), [(ACK, u32::MAX, 1)]);
        waits.push(at - last);
        last = at;
        bench.deliver(ACK, 0, 0, 0, &[]);
    }
    let expected = [200, 400, 800, 1600, 3200, 6400].map(ms);
    assert_eq!(waits[..6], expected);
    assert!(waits[6..].iter().all(|&wait| wait == ms(6400)));
    assert_eq!(bench.status(), Status::Established, "a peer that answers is asked for ever");

    bench.deliver(ACK, 0, 0, 50, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 50)]);
    assert_eq!(bench.next_event(), Some(bench.now + ms(200)));
}

#[test]
fn a_closed_window_of_a_silent_peer_times_out() {
    let mut bench = closed_window();
    let asked = bench.times_until_silence();
    assert_eq!(asked.len(), 8, "RCR questions");
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::TIMEOUT);
}

#[test]
fn a_window_that_closes_behind_data_is_asked_for() {
    let mut bench = Bench::connected();
    bench.send(&[1; 1000]);
    bench.sent();
    bench.deliver(ACK, 0, 400, 0, &[]);
    assert_eq!(bench.advance(), ms(200));
    assert_eq!(bench.sent_briefly(), [(ACK, 399, 1)]);
    bench.deliver(ACK, 0, 400, 5000, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 400, 600)]);
}

#[test]
fn an_acknowledgement_of_what_was_never_sent_is_answered_and_ignored() {
    let mut bench = Bench::connected();
    bench.send(b"abc");
    bench.sent();
    bench.deliver(ACK, 0, 4, 1000, b"poison");
    assert_eq!(bench.sent_briefly(), [(ACK, 3, 0)]);
    assert_eq!(bench.received_bytes(), 0);
    assert_eq!(bench.tx_free(), 2045);
}

#[test]
fn a_write_pointer_beyond_the_memory_sends_the_ring_again() {
    let mut bench = Bench::connected();
    bench.tx = (0..2048u32).map(|index| (index / 8) as u8).collect();
    bench.tx_write = 5000;
    bench.send(&[]);
    let out: Vec<u8> = bench.sent().into_iter().flat_map(|seen| seen.payload).collect();
    assert_eq!(out.len(), 5000);
    assert!(out.iter().enumerate().all(|(index, &byte)| byte == bench.tx[index % 2048]));
}

#[test]
fn a_socket_without_memory_sends_and_takes_nothing() {
    let mut bench = Bench::connected();
    bench.tx = Vec::new();
    bench.rx = Vec::new();
    bench.tx_write = 10;
    assert!(!bench.send(&[]));
    bench.deliver(ACK, 0, 0, 1000, b"hello");
    assert_eq!(bench.received_bytes(), 0);
    let answer = bench.sent();
    assert_eq!((answer[0].acknowledgement, answer[0].window), (0, 0));
}

#[test]
fn memory_that_is_taken_away_takes_what_was_in_it_along() {
    let mut bench = Bench::connected();
    bench.send(&[1; 2000]);
    bench.take();
    bench.tx = Vec::new();
    assert!(bench.connection.has_segment(&bench.pointers));
    assert_eq!(bench.sent(), []);
    assert!(!bench.connection.has_segment(&bench.pointers));
    assert_eq!(bench.next_event(), None);
    bench.connection.disconnect();
    assert_eq!(bench.sent().len(), 1, "the way out still works");
}
