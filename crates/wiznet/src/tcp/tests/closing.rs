//! From ESTABLISHED to CLOSED: from either side, from both, by reset, by CLOSE.

use super::*;

#[test]
fn disconnect_closes_when_the_peer_has_closed_too() {
    let mut bench = Bench::connected();
    assert!(bench.connection.disconnect());
    assert_eq!(bench.status(), Status::FinWait);
    assert_eq!(bench.sent_briefly(), [(FIN | ACK, 0, 0)]);
    bench.deliver(ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.status(), Status::FinWait);
    assert_eq!(bench.interrupts(), 0);
    bench.deliver(FIN | ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::DISCON);
    let last = bench.sent();
    assert_eq!((last[0].flags, last[0].sequence, last[0].acknowledgement), (ACK, 1, 1));
    assert_eq!(bench.next_event(), None);
}

#[test]
fn the_fin_may_acknowledge_the_fin() {
    let mut bench = Bench::connected();
    bench.connection.disconnect();
    bench.sent();
    bench.deliver(FIN | ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.sent_briefly(), [(ACK, 1, 0)]);
}

#[test]
fn time_wait_stands_as_long_as_it_is_set_to() {
    let mut bench = Bench::connected();
    bench.settings.time_wait = ms(500);
    bench.connection.disconnect();
    bench.sent();
    bench.deliver(FIN | ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.status(), Status::TimeWait);
    assert_eq!(bench.sent_briefly(), [(ACK, 1, 0)]);
    bench.now = ms(300);
    bench.deliver(FIN | ACK, 0, 1, 1000, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK, 1, 0)], "the last acknowledgement may have been lost");
    assert_eq!(bench.advance(), ms(800));
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::DISCON);
}

#[test]
fn both_sides_may_close_at_once() {
    let mut bench = Bench::connected();
    bench.settings.time_wait = ms(1);
    bench.connection.disconnect();
    bench.sent();
    bench.deliver(FIN | ACK, 0, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::Closing);
    assert_eq!(bench.sent_briefly(), [(ACK, 1, 0)]);
    bench.deliver(ACK, 1, 1, 1000, &[]);
    assert_eq!(bench.status(), Status::TimeWait);
}

#[test]
fn the_peers_fin_leaves_the_own_side_open() {
    let mut bench = Bench::connected();
    bench.deliver(FIN | ACK, 0, 0, 1000, b"last words");
    assert_eq!(bench.status(), Status::CloseWait);
    assert_eq!(bench.interrupts(), interrupt::RECV | interrupt::DISCON);
    let answer = bench.sent();
    assert_eq!((answer[0].flags, answer[0].acknowledgement), (ACK, 11));
    assert_eq!(bench.read_all(), b"last words");
    assert_eq!(bench.sent(), [], "no more data can come, so nobody wants to know the window");

    assert!(bench.send(b"answer"));
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 6)]);
    assert!(bench.connection.disconnect());
    assert_eq!(bench.status(), Status::LastAck);
    assert_eq!(bench.sent_briefly(), [(FIN | ACK, 6, 0)]);
    bench.deliver(ACK, 11, 6, 1000, &[]);
    assert_eq!(bench.status(), Status::LastAck);
    bench.deliver(ACK, 11, 7, 1000, &[]);
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn data_that_was_given_by_send_goes_before_the_fin() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(SYN | ACK, u32::MAX, 0, 10, &[]);
    bench.sent();
    bench.send(&[7; 25]);
    bench.connection.disconnect();
    assert!(!bench.send(&[8; 5]), "after DISCON nothing more can be sent");
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 0, 10)]);
    bench.deliver(ACK, 0, 10, 10, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 10, 10)]);
    bench.deliver(ACK, 0, 20, 10, &[]);
    assert_eq!(bench.sent_briefly(), [(ACK | PSH, 20, 5), (FIN | ACK, 25, 0)]);
    bench.deliver(ACK, 0, 26, 10, &[]);
    bench.deliver(FIN | ACK, 0, 26, 10, &[]);
    assert_eq!(bench.status(), Status::Closed);
}

#[test]
fn data_that_comes_while_closing_is_received() {
    let mut bench = Bench::connected();
    bench.settings.no_delayed_ack = true;
    bench.connection.disconnect();
    bench.sent();
    bench.deliver(ACK, 0, 1, 1000, b"more");
    assert_eq!(bench.status(), Status::FinWait);
    assert_eq!(bench.interrupts(), interrupt::RECV);
    assert_eq!(bench.sent()[0].acknowledgement, 4);
    assert_eq!(bench.read_all(), b"more");
}

#[test]
fn a_fin_behind_a_gap_waits_for_the_gap() {
    let mut bench = Bench::connected();
    bench.deliver(FIN | ACK, 5, 0, 1000, b"world");
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.sent()[0].acknowledgement, 0);
    bench.deliver(FIN | ACK, 0, 0, 1000, b"helloworld");
    assert_eq!(bench.status(), Status::CloseWait);
    assert_eq!(bench.read_all(), b"helloworld");
}

#[test]
fn a_fin_behind_more_than_fits_waits_too() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, &[1; 1460]);
    bench.deliver(FIN | ACK, 1460, 0, 1000, &[2; 1000]);
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.sent()[0].acknowledgement, 2048);
    bench.read_all();
    bench.sent();
    bench.deliver(FIN | ACK, 2048, 0, 1000, &[2; 412]);
    assert_eq!(bench.status(), Status::CloseWait);
}

#[test]
fn a_reset_in_the_window_closes_and_any_other_does_not() {
    for (sequence, closes) in [(0, true), (2047, true), (2048, false), (u32::MAX, false), (1 << 31, false)] {
        let mut bench = Bench::connected();
        bench.send(b"x");
        bench.deliver(RST, sequence, 0, 0, &[]);
        assert_eq!(bench.status() == Status::Closed, closes, "reset at {sequence}");
        assert_eq!(bench.interrupts() & interrupt::DISCON != 0, closes);
        if closes {
            assert_eq!(bench.sent(), []);
            assert_eq!(bench.next_event(), None);
        }
    }
}

#[test]
fn a_syn_in_the_middle_is_only_acknowledged() {
    let mut bench = Bench::connected();
    bench.deliver(SYN, 5, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
}

#[test]
fn close_never_says_a_word() {
    let mut bench = Bench::connected();
    bench.send(b"unsent");
    bench.deliver(ACK, 0, 0, 1000, b"unacknowledged");
    bench.interrupts();
    bench.connection.close();
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), 0);
    assert_eq!(bench.sent(), []);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn received_bytes_outlive_the_connection() {
    let mut bench = Bench::connected();
    bench.deliver(ACK, 0, 0, 1000, b"kept");
    bench.deliver(RST, 4, 0, 0, &[]);
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.received_bytes(), 4);
    assert_eq!(bench.read_all(), b"kept");
    assert_eq!(bench.sent(), []);
}

#[test]
fn disconnect_before_a_connection_stands_closes_at_once() {
    let mut syn_sent = Bench::new();
    syn_sent.connect();
    let mut listening = Bench::new();
    listening.listen();
    for mut bench in [Bench::new(), syn_sent, listening] {
        assert!(bench.connection.disconnect());
        assert_eq!(bench.status(), Status::Closed);
        assert_eq!(bench.sent(), []);
    }
}
