//! The radio of a Pico W under whatever a host does to its pins, and under whatever it writes as messages to its firmware. Time
//! goes on, what it gives the host is whole, it never promises more than drivers believe, and without power it forgets all.

use std::sync::OnceLock;

use cyw43::{Command, Function, Passive, Security};
use units::Picoseconds;

use super::Input;

#[path = "../../crates/cyw43/tests/chip/driver.rs"]
#[allow(dead_code)]
mod driver;

use driver::{Driver, HABITS, access_point, ms};

/// More events than this in one wait mean that time stands still.
const MOST_EVENTS: u32 = 100_000;
/// cyw43-driver does not believe a chip that is further ahead.
const MOST_CREDIT: u8 = 20;

/// Selects, commands, words and single bits on the pins, in each order of words, with power that comes and goes.
pub fn cyw43_pins(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let habit = input.one_of(&HABITS);
    let mut driver = Driver::with(habit, vec![access_point(None, Security::Wpa2, None)]);
    if input.byte() & 1 == 1 {
        driver = started();
    }
    while !input.is_over() {
        pin_happening(&mut driver, &mut input);
    }
    driver.chip.set_power(driver.now, false);
    assert_eq!((driver.chip.line(), driver.chip.gpio()), (None, 0), "a chip without power drives nothing");
    driver.chip.set_power(driver.now, true);
    driver.chip.select(driver.now, false);
    (driver.order, driver.status) = (cyw43::WordOrder::default(), false);
    driver.write(Function::Bus, 0, 4, HABITS[0].config);
    driver.order = HABITS[0].order;
    let test = [0, 1].map(|_| driver.read(Function::Bus, 0x14, 4));
    assert_eq!(test[1], 0xfeed_bead, "after power it answers as at first");
    Ok(())
}

fn pin_happening(driver: &mut Driver, input: &mut Input<'_>) {
    let what = input.byte();
    match what {
        0x00..=0x3f => {
            let command = Command {
                is_write: what & 1 == 1,
                increments: what & 2 == 2,
                function: input.one_of(&[
                    Function::Bus,
                    Function::Backplane,
                    Function::Wlan,
                    Function::Second,
                ]),
                address: input.long() & 0x1_ffff,
                bytes: u32::from(input.word() & 0x7ff).max(1),
            };
            driver.chip.select(driver.now, false);
            driver.chip.select(driver.now, true);
            bits(driver, 32, driver.order.swap(command.word()));
        }
        0x40..=0x7f => (0..=what & 0x1f).for_each(|_| bits(driver, 32, input.long())),
        0x80..=0x9f => bits(driver, u32::from(what & 0x1f), input.long()),
        0xa0..=0xbf => driver.chip.select(driver.now, what & 1 == 1),
        0xc0..=0xdf => wait(driver, Picoseconds::new(1 << (20 + (what & 0x1f)))),
        0xe0..=0xef => driver.chip.receive(driver.now, input.take(usize::from(what & 0x0f) * 16)),
        _ => driver.chip.set_power(driver.now, what & 7 != 0),
    }
    while driver.chip.take_sent().is_some() {}
}

fn bits(driver: &mut Driver, count: u32, word: u32) {
    for bit in (0..count).rev() {
        driver.now = driver.now + Picoseconds::new(16_000);
        driver.chip.clock_rises(driver.now, word >> bit & 1 == 1);
        driver.chip.clock_falls(driver.now);
    }
}

fn wait(driver: &mut Driver, time: Picoseconds) {
    let end = driver.now + time;
    for _ in 0..MOST_EVENTS {
        let Some(next) = driver.chip.next_event().filter(|next| *next <= end) else {
            driver.now = end;
            return driver.chip.advance(end);
        };
        driver.now = driver.now.max(next);
        driver.chip.advance(driver.now);
    }
    panic!("time stands still at {}", driver.now);
}

/// One whose firmware runs.
fn started() -> Driver {
    static STARTED: OnceLock<Driver> = OnceLock::new();
    let start = || {
        let mut driver =
            Driver::with(HABITS[0], vec![access_point(Some("lab"), Security::Wpa2, Some("12345678"))]);
        driver.start();
        driver
    };
    STARTED.get_or_init(start).clone()
}

/// Frames of function 2: requests, variables and data that are almost right, and some that are not.
pub fn cyw43_messages(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let mut driver = started();
    let (mut sequence, mut is_damaged) = (0u8, false);
    while !input.is_over() {
        let (frame, damaged) = message(&mut input, sequence);
        (sequence, is_damaged) = (sequence.wrapping_add(1), is_damaged || damaged);
        driver.write_bytes(Function::Wlan, 0, &frame);
        wait(&mut driver, Picoseconds::new(1 << (25 + input.byte() % 18)));
        while driver.chip.take_sent().is_some() {}
        look(&mut driver, (!is_damaged).then_some(sequence));
    }
    wait(&mut driver, ms(10_000));
    look(&mut driver, None);
    driver.chip.take_notes();
    Ok(())
}

/// What waits for the host is read: the driver holds each frame against its status. The sequence number that it will write next
/// is known while it has damaged no header.
fn look(driver: &mut Driver, next: Option<u8>) {
    for _ in 0..64 {
        let Some(frame) = driver.take_whole_frame() else { return };
        let [low, high, other_low, other_high] = [0, 1, 2, 3].map(|n| frame[n]);
        assert_eq!([low ^ other_low, high ^ other_high], [0xff, 0xff], "length and complement");
        assert!(frame.len() < 12 || usize::from(frame[7]) <= frame.len(), "the header is within the frame");
        if let Some(next) = next {
            assert!(frame[9].wrapping_sub(next) <= MOST_CREDIT, "credit {} before {next}", frame[9]);
        }
    }
}

/// A frame: with what a driver's has, but for what the input damages; whether it does.
fn message(input: &mut Input<'_>, sequence: u8) -> (Vec<u8>, bool) {
    const NAMES: [&str; 16] = [
        "cur_etheraddr",
        "gpioout",
        "escan",
        "join",
        "sae_password",
        "country",
        "clmload",
        "bsscfg:event_msgs",
        "bsscfg:ssid",
        "bss",
        "bsscfg:wsec",
        "bsscfg:wpa_auth",
        "pm2_sleep_ret",
        "bcn_li_dtim",
        "maxassoc",
        "ampdu_mpdu",
    ];
    const COMMANDS: [u32; 16] = [2, 3, 23, 25, 26, 29, 30, 52, 85, 86, 127, 134, 159, 165, 262, 263];
    let what = input.byte();
    let (channel, mut body) = match what & 3 {
        3 => {
            let length = usize::from(input.byte());
            (2, [&[0x20, 0, 0, 0][..], input.take(length)].concat())
        }
        kind => {
            let command = if what & 4 == 0 { input.one_of(&COMMANDS) } else { input.long() };
            let name = if kind == 0 { Vec::new() } else { [input.one_of(&NAMES).as_bytes(), &[0]].concat() };
            let command = if kind == 0 { command } else { 262 + u32::from(what >> 3 & 1) };
            let length = usize::from(input.byte());
            let data = [&name[..], input.take(length)].concat();
            let mut body = command.to_le_bytes().to_vec();
            body.extend((data.len() as u32).to_le_bytes());
            body.extend((u16::from(what >> 3 & 1) << 1).to_le_bytes());
            body.extend([sequence, 0, 0, 0, 0, 0]);
            body.extend(data);
            (0, body)
        }
    };
    if what & 0x80 != 0 {
        body.truncate(usize::from(input.byte()));
    }
    let total = (12 + body.len()) as u16;
    let mut frame = [total.to_le_bytes(), (!total).to_le_bytes()].concat();
    frame.extend([sequence, channel, 0, 12, 0, 0, 0, 0]);
    frame.extend(body);
    if what & 0x40 != 0 {
        let place = usize::from(input.byte()) % frame.len();
        frame[place] ^= input.byte();
    }
    (frame, what & 0xc0 != 0)
}
