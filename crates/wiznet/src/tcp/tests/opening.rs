//! From OPEN to ESTABLISHED: client, server, both at once, refusals, segment sizes.

use super::*;

#[test]
fn a_client_connects_in_three_segments() {
    let mut bench = Bench::new();
    assert_eq!(bench.status(), Status::Init);
    bench.connect();
    assert_eq!(bench.status(), Status::SynSent);
    let syn = bench.sent();
    assert_eq!(syn.len(), 1);
    assert_eq!((syn[0].flags, syn[0].sequence, syn[0].window, syn[0].mss), (SYN, u32::MAX, 2048, Some(1460)));
    assert_eq!(bench.interrupts(), 0);

    bench.deliver(SYN | ACK, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.interrupts(), interrupt::CON);
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
    assert_eq!(bench.next_event(), None, "a connection at rest has no timer");
}

#[test]
fn a_server_is_established_by_the_third_segment() {
    let mut bench = Bench::new();
    bench.listen();
    assert_eq!(bench.status(), Status::Listen);
    bench.deliver(SYN, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::SynRecv);
    assert_eq!(bench.connection.endpoints().remote_port, PEER_PORT);
    assert_eq!(bench.connection.endpoints().remote_address, PEER_ADDRESS);
    let answer = bench.sent();
    assert_eq!((answer[0].flags, answer[0].sequence, answer[0].acknowledgement), (SYN | ACK, u32::MAX, 0));
    assert_eq!(bench.interrupts(), 0);

    bench.deliver(ACK, 0, 0, 1000, b"hello");
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.interrupts(), interrupt::CON | interrupt::RECV);
    assert_eq!(bench.read_all(), b"hello");
}

#[test]
fn a_listening_socket_takes_only_a_syn_to_its_port() {
    let mut bench = Bench::new();
    bench.listen();
    let syn = Header { source_port: 9, destination_port: CHIP_PORT, flags: SYN, ..Header::default() };
    assert!(bench.connection.would_accept(&syn));
    for refused in [
        Header { destination_port: CHIP_PORT + 1, ..syn },
        Header { flags: SYN | ACK, ..syn },
        Header { flags: SYN | RST, ..syn },
        Header { flags: ACK, ..syn },
        Header { flags: FIN, ..syn },
    ] {
        assert!(!bench.connection.would_accept(&refused), "{refused:?}");
        bench.deliver_header(&refused, &[]);
        assert_eq!(bench.status(), Status::Listen);
        assert_eq!(bench.sent(), []);
    }
    assert_eq!(bench.connection.counters().unacceptable, 5);
}

#[test]
fn a_connection_knows_its_own_segments() {
    let bench = Bench::connected();
    let own = Header { source_port: PEER_PORT, destination_port: CHIP_PORT, ..Header::default() };
    assert!(bench.connection.matches(PEER_ADDRESS, &own));
    assert!(!bench.connection.matches(Ipv4Addr::new(192, 168, 1, 3).into(), &own));
    assert!(!bench.connection.matches(PEER_ADDRESS, &Header { source_port: 1, ..own }));
    assert!(!bench.connection.matches(PEER_ADDRESS, &Header { destination_port: 1, ..own }));
    assert!(!bench.connection.would_accept(&Header { flags: SYN, ..own }));
}

#[test]
fn a_syn_that_comes_twice_is_answered_twice() {
    let mut bench = Bench::new();
    bench.listen();
    for _ in 0..3 {
        bench.deliver(SYN, u32::MAX, 0, 1000, &[]);
        assert_eq!(bench.sent_briefly(), [(SYN | ACK, u32::MAX, 0)]);
    }
    assert_eq!(bench.status(), Status::SynRecv);
}

#[test]
fn a_refused_connect_closes_without_time_out() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(RST | ACK, 0, 0, 0, &[]);
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::DISCON);
    assert_eq!(bench.sent(), []);
    assert_eq!(bench.next_event(), None);
}

#[test]
fn a_reset_that_does_not_answer_the_syn_is_ignored() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(RST, 0, 0, 0, &[]);
    bench.deliver(RST | ACK, 0, 1, 0, &[]);
    assert_eq!(bench.status(), Status::SynSent);
}

#[test]
fn an_answer_to_an_older_syn_is_reset_and_the_connect_goes_on() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(ACK, 500, 77, 1000, &[]);
    assert_eq!(bench.sent_briefly(), [(RST, 77, 0)]);
    assert_eq!(bench.status(), Status::SynSent);
    bench.deliver(SYN | ACK, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::Established);
}

#[test]
fn both_sides_may_open_at_once() {
    let mut bench = Bench::new();
    bench.connect();
    bench.sent();
    bench.deliver(SYN, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::SynRecv);
    assert_eq!(bench.sent_briefly(), [(SYN | ACK, u32::MAX, 0)]);
    bench.deliver(SYN | ACK, u32::MAX, 0, 1000, &[]);
    assert_eq!(bench.status(), Status::Established);
    assert_eq!(bench.interrupts(), interrupt::CON);
    assert_eq!(bench.sent_briefly(), [(ACK, 0, 0)]);
}

#[test]
fn a_reset_half_way_in_closes_a_server() {
    let mut bench = Bench::new();
    bench.listen();
    bench.deliver(SYN, u32::MAX, 0, 1000, &[]);
    bench.sent();
    bench.deliver(RST, 0, 0, 0, &[]);
    assert_eq!(bench.status(), Status::Closed);
}

#[test]
fn the_smaller_segment_size_of_both_counts() {
    for (own, offered, negotiated) in [
        (0, Some(1460), 1460),
        (0, Some(536), 536),
        (100, Some(1460), 100),
        (9000, Some(9000), 1460),
        (0, None, 536),
        (0, Some(0), 1),
    ] {
        let mut bench = Bench::new();
        bench.settings.mss = own;
        bench.connect();
        let offer = bench.sent()[0].mss;
        assert_eq!(offer, Some(if own == 0 { 1460 } else { own.min(1460) }));
        let syn_ack = Header {
            source_port: PEER_PORT,
            destination_port: CHIP_PORT,
            sequence: PEER_ISN,
            acknowledgement: bench.chip_isn.wrapping_add(1),
            flags: SYN | ACK,
            window: 65_535,
            mss: offered,
        };
        assert_eq!(bench.connection.mss(), None);
        bench.deliver_header(&syn_ack, &[]);
        assert_eq!(bench.connection.mss(), Some(negotiated));
        bench.sent();
        bench.send(&[1; 2000]);
        let longest = bench.sent().iter().map(|seen| seen.payload.len()).max();
        assert_eq!(longest, Some(usize::from(negotiated)));
    }
}

#[test]
fn commands_out_of_place_do_nothing() {
    let endpoints = Endpoints::default();
    let mut closed = Connection::new();
    assert!(!closed.connect(endpoints, 0));
    assert!(!closed.listen(1, 0));
    assert!(!closed.disconnect());
    assert!(!closed.send_keep(&Settings::at_reset()));
    assert_eq!(closed.status(), Status::Closed);

    let mut bench = Bench::connected();
    assert!(!bench.connection.connect(endpoints, 0));
    assert!(!bench.connection.listen(1, 0));
    assert_eq!(bench.status(), Status::Established);

    let mut fresh = Bench::new();
    assert!(!fresh.send(b"x"), "nothing can be sent before a connection stands");
}

#[test]
fn an_address_that_cannot_be_resolved_is_a_time_out() {
    let mut bench = Bench::new();
    bench.connection.fail();
    assert_eq!(bench.status(), Status::Closed);
    assert_eq!(bench.interrupts(), interrupt::TIMEOUT);
}
