//! Peers that reset, vanish, do not read, or never answer.

use std::net::Ipv4Addr;

use ethernet::{Direction, Ending, TcpState};
use units::Picoseconds;

use crate::driver::{Driver, MODELS, PC, UDP, interrupt, ms, sn, status, us};
use crate::exchange::{Exchange, Exchanger, Opening, Step, assert_reopens, exchange, transfer_bytes};
use crate::frames::{Flooder, packet, send_frames};

#[test]
fn a_peer_that_resets_closes_the_socket_without_a_time_out() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let resetting = Exchanger::new(Opening::Listen(7000), 0).resetting_after(100);
        let talks = resetting.seat(&mut driver);
        driver.connect(0, 4000, 7000);
        driver.take_interrupts(0);
        driver.send(0, &[0x42; 100]);
        assert!(driver.wait_until(ms(100), |driver| driver.status(0) == status::CLOSED), "{model:?}");
        assert_eq!(driver.take_interrupts(0), interrupt::SENDOK | interrupt::DISCON, "{model:?}");
        assert_eq!(talks.lock().expect("no test has panicked")[0].ending, Some(Ending::Aborted));
        assert_reopens(&mut driver, 0);
    }
}

/// From here on nothing reaches the PC, nor comes from it. What is lost on the way to it is tapped.
fn vanish(driver: &mut Driver) {
    let pc = driver.spi.lan().pc().expect("there is a PC");
    driver.spi.lan_mut().with_network(|network| {
        for direction in [Direction::Inbound, Direction::Outbound] {
            let all = "loss=100%".parse().expect("an impairment");
            network.set_impairments(pc, direction, all).expect("it contradicts nothing");
        }
        network.tap(pc);
        while network.take_tapped().is_some() {}
    });
}

/// When the board's frames of a kind came to the PC's cable.
fn tapped(driver: &mut Driver, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<Picoseconds> {
    driver.spi.lan_mut().with_network(|network| {
        let mut times = Vec::new();
        while let Some(frame) = network.take_tapped() {
            if frame.direction == Direction::Inbound && is_wanted(&frame.bytes) {
                times.push(frame.at);
            }
        }
        times
    })
}

/// Waits for Sn_IR's TIMEOUT by the interrupt pin, to the picosecond.
fn wait_for_timeout(driver: &mut Driver, most: Picoseconds) -> Picoseconds {
    let end = driver.now() + most;
    driver.take_interrupts(0);
    // The W5100S can be configured to hold its pin back; by its reset value it does not.
    assert!(driver.spi.wait_for_interrupt(end), "{:?}: no time-out in time", driver.model);
    let at = driver.now();
    assert_eq!(driver.take_interrupts(0), interrupt::TIMEOUT, "{:?}", driver.model);
    assert_eq!(driver.status(0), status::CLOSED, "{:?}", driver.model);
    at
}

/// The waits by the datasheet of the W5500 (RCR): RTR doubles as long as it is below 6.5535 s, then stays.
fn documented_waits(rtr: i64, rcr: u32) -> Vec<Picoseconds> {
    let wait = |n: u32| (0..=n).map(|doublings| rtr << doublings).take_while(|&wait| wait <= 65_535).last();
    (0..=rcr).map(|n| Picoseconds::new(wait(n).expect("RTR itself fits") * 100 * units::PS_PER_US)).collect()
}

#[track_caller]
fn assert_waits(times: &[Picoseconds], timeout: Picoseconds, (rtr, rcr): (i64, u32), what: &str) {
    let expected = documented_waits(rtr, rcr);
    assert_eq!(times.len(), expected.len(), "{what}");
    let waits: Vec<Picoseconds> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits, expected[..waits.len()], "{what}");
    // The tap is behind the board's cable and the switch, up to 200 us away.
    let last = timeout - times[times.len() - 1];
    let shown = expected[waits.len()];
    assert!(last <= shown && shown - last < us(200), "{what}: {last} instead of {shown} before giving up");
}

#[test]
fn the_documented_waits_add_up_to_thirty_one_point_eight_seconds() {
    let sum = documented_waits(2000, 8).into_iter().fold(Picoseconds::ZERO, |sum, wait| sum + wait);
    assert_eq!(sum, ms(31_800));
}

#[test]
fn a_peer_that_vanishes_is_given_up_after_exactly_the_documented_waits() {
    for model in MODELS {
        for (rtr, rcr) in [(2000, 8), (1000, 3), (1, 0), (500, 15)] {
            let mut driver = Driver::new(model);
            set_retries(&mut driver, rtr, rcr);
            Exchanger::new(Opening::Listen(7000), 0).seat(&mut driver);
            driver.connect(0, 4000, 7000);
            driver.wait(ms(100));
            vanish(&mut driver);
            driver.send(0, &[0x42; 100]);
            let timeout = wait_for_timeout(&mut driver, ms(120_000));
            let is_data = |frame: &[u8]| frame.len() == 154;
            let times = tapped(&mut driver, is_data);
            assert_waits(
                &times,
                timeout,
                (rtr.into(), rcr.into()),
                &format!("{model:?}, RTR {rtr}, RCR {rcr}"),
            );
            assert_reopens(&mut driver, 0);
        }
    }
}

fn set_retries(driver: &mut Driver, rtr: u16, rcr: u8) {
    let is_late = matches!(driver.model, wiznet::Model::W5500 | wiznet::Model::W6100);
    let at = if is_late { 0x19 } else { 0x17 };
    driver.write_common(at, &rtr.to_be_bytes());
    driver.write_common(at + 2, &[rcr]);
    assert_eq!(
        (driver.read_common(at, 2), driver.read_common(at + 2, 1)),
        (rtr.to_be_bytes().to_vec(), vec![rcr])
    );
}

#[test]
fn a_peer_that_never_was_there_is_asked_for_nine_times_at_even_intervals() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        vanish(&mut driver);
        driver.begin_connect(0, 4000, 7000);
        let timeout = wait_for_timeout(&mut driver, ms(10_000));
        let times = tapped(&mut driver, |frame| frame[12..14] == [8, 6]);
        let waits: Vec<Picoseconds> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits, [ms(200); 8], "{model:?}");
        let last = timeout - times[8];
        assert!(last <= ms(200) && ms(200) - last < us(200), "{model:?}: {last}");
    }
}

#[test]
fn a_peer_that_does_not_read_for_a_minute_gets_everything_then() {
    const PC_BUFFER_BYTES: usize = 64_240;
    let bytes = transfer_bytes().max(128 << 10);
    for model in MODELS {
        let mut driver = Driver::new(model);
        let reads_from = driver.now() + ms(60_000);
        let talks = Exchanger::new(Opening::Listen(7000), bytes).reading_from(reads_from).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        let mut transfer = Exchange::new(0, bytes);
        let until = reads_from - driver.now() - ms(1_000);
        assert_eq!(transfer.run(&mut driver, until), Step::Idle, "{model:?}");
        let given = transfer.sent;
        assert!(
            (PC_BUFFER_BYTES..=PC_BUFFER_BYTES + 2048).contains(&given),
            "{model:?}: {given} bytes were taken"
        );
        assert_eq!(driver.size(0, sn::TX_FSR), 2048 - (given - PC_BUFFER_BYTES), "{model:?}");
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
    }
}

#[test]
fn a_driver_that_does_not_read_for_a_minute_gets_everything_then() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        driver.wait(ms(60_000));
        assert_eq!((driver.size(0, sn::RX_RSR), driver.status(0)), (2048, status::ESTABLISHED), "{model:?}");
        let mut transfer = Exchange::new(0, transfer_bytes());
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
    }
}

#[test]
fn a_chip_without_an_address_takes_the_datagram_that_brings_it_one() {
    const SIPR: u16 = 0x0F;
    // From port 67, without a checksum (RFC 768).
    let datagram = |port: u16| [&[0, 67][..], &port.to_be_bytes(), &[0, 12, 0, 0, 1, 2, 3, 4]].concat();
    for model in MODELS {
        let mut driver = Driver::new(model);
        driver.write_common(SIPR, &[0; 4]);
        driver.open(0, UDP, 68);
        send_frames(&mut driver, vec![packet(PC, 17, &datagram(68)), packet(PC, 17, &datagram(69))]);
        driver.wait(ms(5));
        // Eight bytes of origin and length stand before the four.
        assert_eq!(driver.size(0, sn::RX_RSR), 12, "{model:?}");
        driver.write_common(SIPR, &[192, 168, 1, 251]);
        send_frames(&mut driver, vec![packet(PC, 17, &datagram(68))]);
        driver.wait(ms(5));
        assert_eq!(driver.size(0, sn::RX_RSR), 12, "{model:?}: it is another's");
    }
}

#[test]
fn a_dhcp_server_that_never_answers_leaves_the_socket_open_and_the_chip_well() {
    const SIPR: u16 = 0x0F;
    for model in MODELS {
        let mut driver = Driver::new(model);
        driver.write_common(SIPR, &[0; 4]);
        let asked = Flooder::seat(
            &mut driver,
            0,
            ms(1),
            |frame| is_discover(&frame.bytes).then_some(frame.at),
            |_| Vec::new(),
        );
        driver.open(0, UDP, 68);
        driver.aim(0, Ipv4Addr::BROADCAST, 67);
        // RFC 2131 section 4.1: after 4 s, 8 s and so on, without the random part.
        for wait in [ms(4_000), ms(8_000), ms(16_000), ms(32_000)] {
            driver.send(0, &[1; 300]);
            driver.wait(wait);
            assert_eq!(driver.take_interrupts(0), interrupt::SENDOK, "{model:?}");
            assert_eq!((driver.size(0, sn::RX_RSR), driver.status(0)), (0, status::UDP), "{model:?}");
        }
        assert_eq!(asked.lock().expect("no test has panicked").len(), 4, "{model:?}");
        driver.configure();
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        exchange(&mut driver, 1, 4000, 7000, &talks, 0);
    }
}

/// A broadcast from 0.0.0.0 port 68 to port 67 (RFC 2131).
fn is_discover(frame: &[u8]) -> bool {
    frame.len() == 342
        && frame[..6] == [0xFF; 6]
        && frame[26..38] == [0, 0, 0, 0, 255, 255, 255, 255, 0, 68, 0, 67]
}

#[test]
fn a_peer_that_vanishes_before_the_end_of_its_own_direction_does_not_keep_the_socket() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        Exchanger::new(Opening::Listen(7000), 0).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        driver.wait(ms(100));
        vanish(&mut driver);
        driver.command(0, crate::driver::command::DISCON);
        let timeout = wait_for_timeout(&mut driver, ms(120_000));
        let fins = tapped(&mut driver, |frame| frame[23] == 6 && frame[47] & 1 == 1);
        assert_waits(&fins, timeout, (2000, 8), &format!("{model:?}: FIN"));
    }
}

#[test]
fn a_client_of_the_pc_whose_board_vanishes_is_told_so() {
    let mut driver = Driver::new(wiznet::Model::W5500);
    driver.listen(0, 80);
    let at = driver.now();
    let calls = Exchanger::new(Opening::Call(80, at), transfer_bytes()).seat(&mut driver);
    crate::exchange::wait_for_client(&mut driver, 0, ms(1_000));
    let chip = driver.chip_id();
    let now = driver.now();
    driver.spi.lan_mut().set_plugged(now, chip, false);
    driver.wait(ms(1_200_000));
    let ending = calls.lock().expect("no test has panicked")[0].ending;
    assert_eq!(ending.map(TcpState::Over), Some(TcpState::Over(Ending::TimedOut)), "PC: {PC}");
}
