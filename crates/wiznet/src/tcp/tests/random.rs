//! Segments and commands that make no sense, and very many of them.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Segment { header: Header, payload_bytes: usize },
    Command(u8),
    Pointers { tx_write: u16, rx_read: u16 },
    Settings { retry_time: u16, retry_count: u8, keep_alive_time: u8 },
    Wait(i64),
    Take(u8),
}

/// Numbers near the edges that matter, and any others.
fn near(base: u32) -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => (-3i64..3).prop_map(move |offset| base.wrapping_add(offset as u32)),
        2 => (0u32..5000).prop_map(move |offset| base.wrapping_add(offset)),
        1 => any::<u32>(),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let header =
        (near(PEER_ISN), near(0xFFFF_FF00), any::<u8>(), any::<u16>(), proptest::option::of(any::<u16>()))
            .prop_map(|(sequence, acknowledgement, flags, window, mss)| Header {
                source_port: PEER_PORT,
                destination_port: CHIP_PORT,
                sequence,
                acknowledgement,
                flags: flags & 0x1F,
                window: if flags & 0x80 == 0 { window % 3000 } else { window },
                mss,
            });
    prop_oneof![
        6 => (header, 0usize..1500).prop_map(|(header, payload_bytes)| Step::Segment { header, payload_bytes }),
        3 => (0u8..10).prop_map(Step::Command),
        1 => any::<(u16, u16)>().prop_map(|(tx_write, rx_read)| Step::Pointers { tx_write, rx_read }),
        1 => any::<(u16, u8, u8)>().prop_map(|(retry_time, retry_count, keep_alive_time)| Step::Settings {
            retry_time, retry_count, keep_alive_time
        }),
        2 => (0i64..10_000).prop_map(Step::Wait),
        3 => (0u8..20).prop_map(Step::Take),
    ]
}

fn command(bench: &mut Bench, number: u8) {
    let settings = bench.settings;
    match number {
        0 => bench.connection.open(&mut bench.pointers),
        1 => drop(bench.connection.listen(CHIP_PORT, bench.chip_isn)),
        2 => {
            let endpoints =
                Endpoints { local_port: CHIP_PORT, remote_port: PEER_PORT, remote_address: PEER_ADDRESS };
            bench.connection.connect(endpoints, bench.chip_isn);
        }
        3 if bench.tx.is_empty() => drop(bench.send(&[])),
        3 => drop(bench.send(&[7; 100])),
        4 => drop(bench.read(10)),
        5 => drop(bench.connection.disconnect()),
        6 => bench.connection.close(),
        7 => drop(bench.connection.send_keep(&settings)),
        8 => bench.connection.fail(),
        _ => bench.tx = vec![0; if bench.tx.is_empty() { 1024 } else { 0 }],
    }
}

fn apply(bench: &mut Bench, step: &Step) {
    match step {
        Step::Segment { header, payload_bytes } => bench.deliver_header(header, &vec![9; *payload_bytes]),
        Step::Command(number) => command(bench, *number),
        Step::Pointers { tx_write, rx_read } => {
            bench.tx_write = *tx_write;
            bench.rx_read = *rx_read;
        }
        Step::Settings { retry_time, retry_count, keep_alive_time } => {
            bench.settings.retry_time = *retry_time;
            bench.settings.retry_count = *retry_count;
            bench.settings.keep_alive_time = *keep_alive_time;
        }
        Step::Wait(milliseconds) => {
            let now = bench.now + ms(*milliseconds);
            bench.advance_to(now);
        }
        Step::Take(count) => (0..*count).for_each(|_| drop(bench.take())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_sequence_of_segments_and_commands_breaks_it(
        steps in proptest::collection::vec(step(), 1..60), memory_bits in 10u32..15,
    ) {
        let mut bench = Bench::new();
        bench.tx = vec![0; 1 << memory_bits];
        bench.rx = vec![0; 1 << memory_bits];
        for step in &steps {
            apply(&mut bench, step);
            let past = bench.next_event().is_some_and(|at| at <= bench.now);
            if past {
                bench.advance_to(bench.now);
                prop_assert!(bench.next_event().is_none_or(|at| at > bench.now), "a timer that never ends");
            }
        }
        bench.connection.close();
        prop_assert!(bench.take().is_none());
        prop_assert_eq!(bench.next_event(), None);
    }

    #[test]
    fn left_alone_every_connection_comes_to_rest(steps in proptest::collection::vec(step(), 1..40)) {
        let mut bench = Bench::new();
        steps.iter().for_each(|step| apply(&mut bench, step));
        bench.settings.retry_time = 2000;
        bench.settings.retry_count = 8;
        bench.settings.keep_alive_time = 0;
        for _ in 0..1000 {
            bench.sent();
            match bench.next_event() {
                None => return Ok(()),
                Some(at) => bench.advance_to(at.max(bench.now)),
            }
        }
        prop_assert!(false, "timers run on: {:?}", bench.connection);
    }
}

#[test]
fn a_hundred_thousand_syns_are_cheap() {
    let mut bench = Bench::new();
    bench.listen();
    let start = Instant::now();
    for number in 0..100_000u32 {
        let header = Header {
            source_port: (number % 60_000) as u16,
            destination_port: CHIP_PORT,
            sequence: number.wrapping_mul(2_654_435_761),
            flags: SYN,
            window: 1024,
            ..Header::default()
        };
        if bench.connection.matches(PEER_ADDRESS, &header) || bench.connection.would_accept(&header) {
            bench.deliver_header(&header, &[]);
        } else {
            assert!(reset_for(&header, 0).is_some());
        }
        while bench.take().is_some() {}
    }
    assert_eq!(bench.status(), Status::SynRecv);
    assert!(start.elapsed() < Duration::from_secs(2), "took {:?}", start.elapsed());
}
