//! Whatever a host does, the chip goes on.

use cyw43::{Chip, Command, Function, Passive, Security};
use proptest::prelude::*;
use units::Picoseconds;

use crate::driver::{ADDRESS, Driver, HABITS, access_point, ms};

#[test]
fn a_frame_that_is_no_frame_is_thrown_away_with_a_note() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.start();
    driver.write_bytes(Function::Wlan, 0, &[0xa5; 64]);
    let notes = driver.chip.take_notes();
    assert!(notes.iter().any(|note| note.sentence.contains("do not match")), "{notes:?}");
    assert_eq!(driver.get_variable("cur_etheraddr", 6), ADDRESS);
}

#[test]
fn power_that_goes_in_mid_frame_leaves_a_chip_that_starts_anew() {
    let mut driver = Driver::with(HABITS[0], vec![access_point(None, Security::Open, None)]);
    driver.start();
    driver.chip.select(driver.now, true);
    for _ in 0..45 {
        driver.chip.clock_rises(driver.now, true);
    }
    driver.chip.set_power(driver.now, false);
    assert_eq!(driver.chip.line(), None, "it drives nothing");
    driver.chip.select(driver.now, false);
    driver.wait(ms(20));
    driver.chip.set_power(driver.now, true);
    assert_eq!(driver.chip.next_event(), None, "nothing of before is left");
    driver.begin(HABITS[0]);
    driver.start();
    assert_eq!(driver.get_variable("cur_etheraddr", 6), ADDRESS);
}

#[test]
fn frames_beyond_the_credit_are_thrown_away_with_a_note_and_the_others_leave() {
    let mut driver = Driver::with(HABITS[0], vec![access_point(Some("lab"), Security::Open, None)]);
    driver.start();
    driver.hear_events();
    driver.join("lab", None);
    driver.events(ms(4_000));
    let frame: Vec<u8> = ADDRESS.into_iter().chain(0..60).collect();
    let burst = |driver: &mut Driver| {
        (0..40).for_each(|_| driver.send_ethernet(&frame));
        driver.wait(ms(50));
        std::iter::from_fn(|| driver.chip.take_sent()).count()
    };
    // It takes 16 at a time.
    assert_eq!(burst(&mut driver), 16);
    let notes = driver.chip.take_notes();
    assert!(notes.iter().any(|note| note.sentence.contains("beyond the credit")), "{notes:?}");
    while driver.take_frame().is_some() {}
    assert_eq!(burst(&mut driver), 16, "it goes on");
}

/// What a host does to the pins.
#[derive(Debug, Clone)]
enum Act {
    Command(u32),
    Word(u32),
    Bits(u8, u32),
    Select(bool),
    Wait(u16),
    Receive(Vec<u8>),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let command = (any::<bool>(), 0u32..4, 0u32..0x1_ffff, 0u32..0x7ff).prop_map(
        |(is_write, function, address, bytes)| {
            let function =
                [Function::Bus, Function::Backplane, Function::Wlan, Function::Second][function as usize];
            Command { is_write, increments: true, function, address, bytes: bytes.max(1) }.word()
        },
    );
    let act = prop_oneof![
        command.prop_map(Act::Command),
        any::<u32>().prop_map(Act::Word),
        (1u8..32, any::<u32>()).prop_map(|(bits, word)| Act::Bits(bits, word)),
        any::<bool>().prop_map(Act::Select),
        any::<u16>().prop_map(Act::Wait),
        prop::collection::vec(any::<u8>(), 0..80).prop_map(Act::Receive),
    ];
    prop::collection::vec(act, 0..60)
}

fn clock(chip: &mut Chip, now: &mut Picoseconds, bits: u32, word: u32) {
    for bit in (0..bits).rev() {
        *now = *now + Picoseconds::new(16_000);
        chip.clock_rises(*now, word >> bit & 1 == 1);
        chip.clock_falls(*now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_host_stops_the_chip(acts in acts()) {
        let mut driver = Driver::with(HABITS[0], vec![access_point(None, Security::Open, None)]);
        driver.start();
        let (chip, mut now, order) = (&mut driver.chip, driver.now, driver.order);
        for act in acts {
            match act {
                Act::Command(word) => {
                    chip.select(now, false);
                    chip.select(now, true);
                    clock(chip, &mut now, 32, order.swap(word));
                }
                Act::Word(word) => clock(chip, &mut now, 32, word),
                Act::Bits(bits, word) => clock(chip, &mut now, u32::from(bits), word),
                Act::Select(selected) => chip.select(now, selected),
                Act::Wait(us) => {
                    now = now + Picoseconds::new(i64::from(us) * units::PS_PER_US);
                    chip.advance(now);
                }
                Act::Receive(frame) => chip.receive(now, &frame),
            }
        }
        chip.advance(now + ms(1_000));
        while chip.take_sent().is_some() {}
        chip.take_notes();
    }
}
