//! Frames that are broken, and frames that are too many.

use std::net::Ipv4Addr;

use ethernet::{Direction, DropReason, Ending};
use wiznet::Model;

use crate::driver::{BOARD, Driver, MODELS, PC, interrupt, ms, quiet, sn, status, us};
use crate::exchange::{
    Exchange, Exchanger, Opening, Step, assert_reopens, exchange, transfer_bytes, wait_for_client,
};
use crate::frames::{ACK, Flooder, PC_MAC, RST, SYN, arp, is_arp_reply, packet, segment, tcp_of};

#[test]
fn frames_of_a_wrong_length_or_check_sequence_are_dropped_and_counted() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let at = driver.now();
        let chip = driver.chip_id();
        let echo_request = packet(PC, 1, &[8, 0, 0xF7, 0xFF, 0, 0, 0, 0]);
        let mut wrong_length = 0;
        driver.spi.lan_mut().with_device(chip, |chip| {
            for length in (0..60).chain([1515, 1518, 1519, 2048, 9000, 65_536]) {
                let mut frame = echo_request.clone();
                frame.resize(length, 0);
                chip.receive(at, &frame, true);
                wrong_length += 1;
            }
            for _ in 0..7 {
                chip.receive(at, &echo_request, false);
            }
        });
        driver.wait(ms(10));
        let dropped = driver.chip().dropped();
        assert_eq!((dropped.wrong_length, dropped.wrong_check_sequence), (wrong_length, 7), "{model:?}");
        assert_eq!(sent_frames(&driver), 0, "{model:?}: none of them was answered");
        driver.spi.lan_mut().with_device(chip, |chip| chip.receive(at + ms(10), &echo_request, true));
        driver.wait(ms(10));
        assert_eq!(sent_frames(&driver), 1, "{model:?}: a good one is");
    }
}

fn sent_frames(driver: &Driver) -> u64 {
    let lan = driver.spi.lan();
    lan.network().counters(lan.port(driver.chip_id()).unwrap()).sent.offered_frames
}

fn lost_on_the_way_to_the_board(driver: &Driver) -> u64 {
    let lan = driver.spi.lan();
    lan.network().counters(lan.port(driver.chip_id()).unwrap()).received.dropped_frames()
}

#[test]
fn bit_errors_on_the_cable_cost_time_and_no_byte() {
    for model in MODELS {
        let noisy = "bit_errors=0.001%".parse().expect("an impairment");
        let mut setup = quiet();
        setup.impairments = [noisy, Default::default()];
        let mut driver = Driver::on(model, &setup);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        exchange(&mut driver, 0, 4000, 7000, &talks, 0);
        assert!(driver.chip().dropped().wrong_check_sequence > 0, "{model:?}: there were none");
    }
}

#[test]
fn giants_and_runts_of_the_pc_stop_on_the_way_or_at_the_chip() {
    let mut driver = Driver::new(Model::W5500);
    let frames = [0, 13, 1515, 9000].map(|length| vec![0xFF; length]).to_vec();
    crate::frames::send_frames(&mut driver, frames);
    driver.wait(ms(10));
    let network = driver.spi.lan().network();
    let pc = driver.spi.lan().pc().expect("there is a PC");
    let sent = network.counters(pc).sent;
    let stopped = sent.dropped(DropReason::Runt) + sent.dropped(DropReason::Giant);
    assert_eq!(stopped + network.switch_counters().giant_frames, 3);
    // The switch lets 1515 bytes pass, which with a VLAN tag are no giant; the chip knows no tags.
    assert_eq!(driver.chip().dropped(), wiznet::Dropped { wrong_length: 1, ..Default::default() });
}

#[test]
fn a_storm_of_a_hundred_thousand_arp_requests_is_answered_while_a_transfer_goes_on() {
    const REQUESTS: u32 = 100_000;
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        let asker = Ipv4Addr::new(192, 168, 1, 9);
        let replies =
            Flooder::seat(&mut driver, REQUESTS, us(10), |frame| is_arp_reply(&frame.bytes).then_some(()), {
                move |n| {
                    let other = Ipv4Addr::new(192, 168, 1, 200);
                    arp(1, (PC_MAC, asker), if n % 2 == 0 { BOARD } else { other })
                }
            });
        let mut transfer = Exchange::new(0, transfer_bytes());
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
        driver.wait(ms(2_000));
        let dropped = driver.chip().dropped();
        assert_eq!(lost_on_the_way_to_the_board(&driver), 0, "{model:?}");
        let replies = replies.lock().expect("no test has panicked").len() as u64;
        // One more reply answered the PC's own question.
        let expected = u64::from(REQUESTS / 2);
        assert!(
            (expected..=expected + 2).contains(&(replies + dropped.answers + dropped.no_room)),
            "{replies} {dropped:?}"
        );
        assert!(replies > expected * 9 / 10, "{model:?}: {replies} replies, {dropped:?}");
    }
}

#[test]
fn a_scan_of_all_ports_finds_the_open_ones_and_resets_from_the_others() {
    const SCANNER_PORT: u16 = 40_000;
    for model in MODELS {
        let mut driver = Driver::new(model);
        driver.listen(0, 80);
        driver.listen(1, 5000);
        // The PC knows the board's hardware address from here on.
        let at = driver.now();
        let refused = Exchanger::new(Opening::Call(4, at), 0).seat(&mut driver);
        driver.wait(ms(10));
        assert_eq!(refused.lock().expect("no test has panicked")[0].ending, Some(Ending::Refused));
        let answers = Flooder::seat(
            &mut driver,
            65_536,
            us(20),
            |frame| tcp_of(&frame.bytes),
            |n| segment((PC, SCANNER_PORT), n as u16, 1000 + n, SYN),
        );
        driver.wait(ms(2_000));
        let answers = answers.lock().expect("no test has panicked");
        let ports_with = |flags: u8| {
            let mut ports: Vec<u16> =
                answers.iter().filter(|answer| answer.2 == flags).map(|answer| answer.0).collect();
            ports.sort_unstable();
            ports
        };
        assert_eq!(ports_with(SYN | ACK), [80, 5000], "{model:?}");
        let closed: Vec<u16> = (0..=u16::MAX).filter(|port| ![80, 5000].contains(port)).collect();
        assert!(ports_with(RST | ACK) == closed, "{model:?}: {} resets", ports_with(RST | ACK).len());
        assert_eq!(answers.len(), 65_536, "{model:?}: nothing else was sent");
        // The PC's stack knows nothing of the scanner's segments and resets what was answered.
        for n in [0, 1] {
            assert_eq!(
                (driver.status(n), driver.take_interrupts(n)),
                (status::CLOSED, interrupt::DISCON),
                "{model:?}"
            );
        }
        assert_reopens(&mut driver, 0);
    }
}

/// A source of its own for each segment: an address that nobody has, and a port.
fn stranger(n: u32) -> (Ipv4Addr, u16) {
    let [_, a, b, c] = n.to_be_bytes();
    (Ipv4Addr::new(10, a, b, c), 1024 + (n % 50_000) as u16)
}

#[test]
fn a_flood_of_a_hundred_thousand_syns_takes_the_listener_for_half_a_minute_and_nothing_else() {
    const SEGMENTS: u32 = 100_000;
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        driver.listen(1, 80);
        let begun = driver.now();
        let answers = Flooder::seat(
            &mut driver,
            SEGMENTS,
            us(10),
            |frame| tcp_of(&frame.bytes).filter(|&(port, ..)| port == 80).map(|(_, _, flags)| flags),
            |n| segment(stranger(n), 80, n, SYN),
        );
        let mut transfer = Exchange::new(0, transfer_bytes());
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
        assert_eq!(driver.status(1), status::SYNRECV, "{model:?}");
        let closed = driver.wait_until(ms(40_000), |driver| driver.status(1) == status::CLOSED);
        let after = driver.now() - begun;
        assert!(closed && (ms(31_800)..ms(31_805)).contains(&after), "{model:?}: closed after {after}");
        assert_eq!(driver.take_interrupts(1), interrupt::TIMEOUT, "{model:?}");
        assert_flood_was_answered(&driver, &answers.lock().expect("no test has panicked"), SEGMENTS);
        driver.listen(1, 80);
        let at = driver.now();
        let calls = Exchanger::new(Opening::Call(80, at), transfer_bytes()).seat(&mut driver);
        wait_for_client(&mut driver, 1, ms(10_000));
        let mut transfer = Exchange::new(1, transfer_bytes());
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &calls, 0);
    }
}

/// One segment is answered nine times, as RCR is 8; every other one once, or it is counted.
#[track_caller]
fn assert_flood_was_answered(driver: &Driver, answers: &[u8], segments: u32) {
    let with = |wanted: u8| answers.iter().filter(|&&flags| flags == wanted).count() as u64;
    let dropped = driver.chip().dropped();
    let lost = lost_on_the_way_to_the_board(driver) + dropped.answers + dropped.no_room;
    assert_eq!(with(SYN | ACK), 9, "{:?}", driver.model);
    assert_eq!(with(RST | ACK) + lost, u64::from(segments - 1), "{:?}: {dropped:?}", driver.model);
    assert_eq!(with(SYN | ACK) + with(RST | ACK), answers.len() as u64, "{:?}", driver.model);
}

#[test]
fn noise_on_the_wire_is_dropped_while_a_transfer_goes_on() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        let noise = crate::exchange::pattern(7, 1 << 20);
        Flooder::seat(&mut driver, 20_000, us(50), |_| None::<()>, move |n| noisy_frame(&noise, n));
        let mut transfer = Exchange::new(0, transfer_bytes());
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        driver.wait(ms(2_000));
        transfer.finish(&mut driver, &talks, 0);
        assert!(driver.chip().dropped().malformed > 1_000, "{model:?}: {:?}", driver.chip().dropped());
    }
}

/// Noise behind an Ethernet header to the board: as ARP, as IPv4, as a packet with a right header, as anything.
fn noisy_frame(noise: &[u8], n: u32) -> Vec<u8> {
    let at = n as usize * 37 % (noise.len() - 2_000);
    let body = &noise[at..at + usize::from(noise[at]) * 5];
    let protocol = [1, 2, 6, 17][n as usize / 4 % 4];
    let mut frame = packet(PC, protocol, body);
    match n % 4 {
        0 => frame[12..14].copy_from_slice(&[8, 6]),
        1 => frame[14..34.min(14 + body.len())].copy_from_slice(&body[..20.min(body.len())]),
        2 => frame[12..14].copy_from_slice(&noise[at..at + 2]),
        _ => {}
    }
    frame
}

#[test]
fn the_direction_of_an_impairment_is_as_the_board_sees_it() {
    let mut driver = Driver::new(Model::W5500);
    let port = driver.spi.lan().port(driver.chip_id()).unwrap();
    let all = "loss=100%".parse().expect("an impairment");
    let set =
        driver.spi.lan_mut().with_network(|network| network.set_impairments(port, Direction::Inbound, all));
    assert_eq!(set, Ok(()));
    driver.begin_connect(0, 4000, 7000);
    assert!(driver.wait_until(ms(3_000), |driver| driver.u8(0, sn::IR) == interrupt::TIMEOUT));
    assert_eq!(sent_frames(&driver), 9, "the requests went out");
    assert_eq!(lost_on_the_way_to_the_board(&driver), 9, "the answers were lost");
}
