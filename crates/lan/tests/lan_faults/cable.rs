//! The cable is pulled, plugged in again, or leads to somebody with the same address.

use std::net::Ipv4Addr;

use crate::driver::{BOARD, BOARD_MAC, Driver, MODELS, interrupt, ms, quiet, status};
use crate::exchange::{Exchange, Exchanger, Opening, Step, exchange, transfer_bytes};
use crate::frames::{arp, send_frames};

fn set_plugged(driver: &mut Driver, plugged: bool) {
    let (at, chip) = (driver.now(), driver.chip_id());
    driver.spi.lan_mut().set_plugged(at, chip, plugged);
}

/// A transfer that is half done.
fn half_done(driver: &mut Driver) -> Exchange {
    driver.connect(0, 4000, 7000);
    let mut exchange = Exchange::new(0, transfer_bytes());
    while exchange.received.len() < transfer_bytes() / 2 {
        let step = exchange.step(driver);
        assert!(matches!(step, Step::Moved | Step::Idle), "{:?}: {step:?}", driver.model);
    }
    exchange
}

#[test]
fn a_cable_that_is_back_within_the_retry_time_costs_no_byte() {
    for away in [ms(1), ms(300), ms(5_000), ms(20_000)] {
        for model in MODELS {
            let mut driver = Driver::new(model);
            let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
            let mut transfer = half_done(&mut driver);
            set_plugged(&mut driver, false);
            let moved = transfer.received.len();
            assert_eq!(transfer.run(&mut driver, away), Step::Idle, "{model:?}, {away}");
            assert!(transfer.received.len() <= moved + 2048, "{model:?}: what was in its memory at most");
            set_plugged(&mut driver, true);
            assert_eq!(transfer.run(&mut driver, ms(120_000)), Step::Moved, "{model:?}, {away}");
            transfer.finish(&mut driver, &talks, 0);
        }
    }
}

#[test]
fn a_cable_that_is_away_for_longer_times_out_and_the_driver_can_go_on() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        let mut transfer = half_done(&mut driver);
        set_plugged(&mut driver, false);
        let pulled = driver.now();
        assert_eq!(transfer.run(&mut driver, ms(60_000)), Step::TimedOut, "{model:?}");
        let after = driver.now() - pulled;
        // RTR 200 ms and RCR 8: 31.8 s from the last byte that was sent, which may have been sent while the cable was there.
        assert!((ms(31_500)..ms(32_100)).contains(&after), "{model:?}: timed out after {after}");
        assert_eq!(driver.status(0), status::CLOSED, "{model:?}");
        driver.wait(ms(10_000));
        set_plugged(&mut driver, true);
        driver.wait(ms(100));
        exchange(&mut driver, 0, 4001, 7000, &talks, 1);
    }
}

#[test]
fn a_connect_without_a_cable_times_out_like_one_to_nobody() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        set_plugged(&mut driver, false);
        let begun = driver.now();
        driver.begin_connect(0, 4000, 7000);
        assert!(driver.wait_until(ms(5_000), |driver| driver.status(0) == status::CLOSED), "{model:?}");
        let after = driver.now() - begun;
        assert!((ms(1_800)..ms(1_803)).contains(&after), "{model:?}: RTR x (RCR + 1), but it took {after}");
        assert_eq!(driver.take_interrupts(0), interrupt::TIMEOUT, "{model:?}");
        set_plugged(&mut driver, true);
        driver.wait(ms(100));
        exchange(&mut driver, 0, 4001, 7000, &talks, 0);
    }
}

#[test]
fn a_cable_that_wobbles_through_a_transfer_costs_no_byte() {
    for model in MODELS {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.connect(0, 4000, 7000);
        let mut transfer = Exchange::new(0, transfer_bytes());
        for wobble in 1..40 {
            let step = transfer.run(&mut driver, ms(wobble * 3 % 50 + 1));
            assert!(matches!(step, Step::Moved | Step::Idle), "{model:?}: {step:?}");
            set_plugged(&mut driver, wobble % 2 == 0);
        }
        set_plugged(&mut driver, true);
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
    }
}

#[test]
fn somebody_with_the_same_address_is_told_and_disturbs_no_connection() {
    const IR: u16 = 0x15;
    let bit = |model| if model == wiznet::Model::W6100 { 0x04 } else { 0x80 };
    let somebody: [u8; 6] = [2, 9, 9, 9, 9, 9];
    for model in MODELS {
        let conflict = bit(model);
        let mut driver = Driver::on(model, &quiet());
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        let mut transfer = half_done(&mut driver);
        let other = Ipv4Addr::new(192, 168, 1, 77);
        let harmless = vec![arp(1, (BOARD_MAC, BOARD), other), arp(1, (somebody, other), BOARD)];
        send_frames(&mut driver, harmless);
        driver.wait(ms(1));
        assert_eq!(driver.read_common(IR, 1)[0] & conflict, 0, "{model:?}: nobody else has its address");
        for operation in [1, 2] {
            send_frames(&mut driver, vec![arp(operation, (somebody, BOARD), BOARD)]);
            driver.wait(ms(1));
            assert_eq!(driver.read_common(IR, 1)[0] & conflict, conflict, "{model:?}");
            driver.write_common(IR, &[conflict]);
            assert_eq!(driver.read_common(IR, 1)[0] & conflict, 0, "{model:?}: written, it is gone");
        }
        assert_eq!(transfer.run(&mut driver, ms(600_000)), Step::Moved, "{model:?}");
        transfer.finish(&mut driver, &talks, 0);
    }
}
