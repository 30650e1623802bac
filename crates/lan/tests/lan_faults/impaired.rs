//! Cables that lose, reorder, double and change frames: bytes arrive as they were sent, or the driver is told.

use wiznet::Model;

use crate::driver::{Driver, MODELS, PC, TCP, command, interrupt, ms, quiet, status};
use crate::exchange::{Exchange, Exchanger, Opening, Step, Talks, exchange, pc_pattern, transfer_bytes};

/// A chip on a cable with the same impairments both ways, and a PC that exchanges.
fn impaired(model: Model, impairments: &str) -> (Driver, Talks) {
    let both: ethernet::Impairments = impairments.parse().expect("impairments");
    let mut setup = quiet();
    setup.impairments = [both.clone(), both];
    let mut driver = Driver::on(model, &setup);
    let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
    (driver, talks)
}

#[test]
fn bytes_arrive_unchanged_over_cables_that_lose_reorder_or_double_frames() {
    for impairments in [
        "reorder=5%,reorder_by=1ms",
        "reorder=5%,reorder_by=30ms",
        "duplicate=5%",
        "loss=5%",
        "delay=5ms,jitter=2ms,reorder=5%,reorder_by=3ms,duplicate=5%",
    ] {
        for model in MODELS {
            let (mut driver, talks) = impaired(model, impairments);
            exchange(&mut driver, 0, 4000, 7000, &talks, 0);
        }
    }
}

/// Whether the socket was connected; a frame that was changed may have made it time out.
fn connects(driver: &mut Driver, local_port: u16) -> bool {
    driver.open(0, TCP, local_port);
    driver.aim(0, PC, 7000);
    driver.command(0, command::CONNECT);
    let settled = driver
        .wait_until(ms(60_000), |driver| [status::ESTABLISHED, status::CLOSED].contains(&driver.status(0)));
    assert!(settled, "{:?}: CONNECT neither succeeds nor fails", driver.model);
    let connected = driver.status(0) == status::ESTABLISHED;
    assert!(connected || driver.take_interrupts(0) & interrupt::TIMEOUT != 0, "{:?}", driver.model);
    connected
}

#[test]
fn over_a_cable_that_changes_bits_bytes_arrive_unchanged_or_a_time_out_is_reported() {
    for model in MODELS {
        let (mut driver, talks) = impaired(model, "corrupt=5%");
        let mut done = false;
        for attempt in 0..10 {
            if !connects(&mut driver, 4000 + attempt) {
                continue;
            }
            let mut transfer = Exchange::new(0, transfer_bytes());
            let end = transfer.run(&mut driver, ms(600_000));
            assert!(matches!(end, Step::Moved | Step::TimedOut), "{model:?}: {end:?}");
            let expected = pc_pattern(transfer_bytes());
            assert!(expected.starts_with(&transfer.received), "{model:?}: what has arrived is unchanged");
            if end == Step::Moved {
                let talk = talks.lock().expect("no test has panicked").len() - 1;
                transfer.finish(&mut driver, &talks, talk);
                done = true;
                break;
            }
        }
        assert!(done, "{model:?}: ten attempts failed");
        assert!(driver.chip().dropped().malformed > 0, "{model:?}: nothing was changed");
    }
}
