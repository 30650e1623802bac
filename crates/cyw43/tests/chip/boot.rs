//! From power to a firmware that answers, with the times that were logged on boards.

use cyw43::Function;
use units::Picoseconds;

use crate::driver::{ADDRESS, Driver, HABITS, RAM_BYTES, ms};

#[test]
fn the_chip_is_a_43439_whose_cores_are_in_reset() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    assert_eq!(driver.read_backplane(0x1800_0000, 2), 0xa9afu16.to_le_bytes());
    for core in [0x1810_3000, 0x1810_4000] {
        assert_eq!(driver.read_backplane(core + 0x800, 1), [1]);
    }
}

#[test]
fn the_fast_clock_comes_21_ms_after_the_release_and_function_2_84_ms_after_that() {
    for habit in HABITS {
        let mut driver = Driver::with(habit, Vec::new());
        driver.upload(186 | !186 << 16);
        driver.set_core(1, 0);
        let released = driver.now;
        let mut times = Vec::new();
        while driver.now < released + ms(150) && times.len() < 2 {
            driver.wait(Picoseconds::new(100 * units::PS_PER_US));
            let has_clock = driver.read(Function::Backplane, 0x1_000e, 1) & 0x80 != 0;
            if [has_clock, driver.is_ready()][times.len()] {
                times.push((driver.now - released).ps() / (100 * units::PS_PER_US));
            }
        }
        assert!((213..=216).contains(&times[0]) && (1055..=1060).contains(&times[1]), "{times:?}, {habit:?}");
    }
}

#[test]
fn a_wrong_token_and_no_firmware_at_all_end_in_one_sentence() {
    for (uploads, said) in [(true, "length of NVRAM"), (false, "without firmware")] {
        let mut driver = Driver::with(HABITS[0], Vec::new());
        if uploads {
            driver.upload(186 | 186 << 16);
        }
        driver.set_core(1, 0);
        driver.wait(ms(1_000));
        assert!(!driver.is_ready());
        let notes = driver.chip.take_notes();
        assert!(notes.len() == 1 && notes[0].sentence.contains(said), "{notes:?}");
    }
}

#[test]
fn an_upload_that_was_cut_short_does_not_start_and_the_whole_one_does() {
    for (end, starts) in
        [(&b"\0Version: 7.95.49 CRC: 0 Date: Tue DVID 01-1\0"[..], true), (&[0x55; 40], false)]
    {
        let mut driver = Driver::with(HABITS[0], Vec::new());
        driver.upload(186 | !186 << 16);
        let image: Vec<u8> = (0..0x1_0000u32).map(|n| (n * 7 + 1) as u8).chain(end.iter().copied()).collect();
        driver.write_backplane(0, &image);
        driver.set_core(1, 0);
        driver.wait(ms(1_000));
        assert_eq!(driver.is_ready(), starts);
        let has_clock = driver.read(Function::Backplane, 0x1_000e, 1) & 0x80 != 0;
        assert_eq!(has_clock, starts, "no fast clock without firmware");
        let notes = driver.chip.take_notes();
        assert_eq!(notes.iter().any(|note| note.sentence.contains("cut short")), !starts, "{notes:?}");
    }
}

#[test]
fn the_phases_of_its_supply_follow_power_and_firmware() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.start();
    let before = driver.chip.phase_times(driver.now);
    assert_eq!(before.off, ms(1), "power comes after 1 ms in these tests");
    assert!(before.boot > ms(105) && before.boot < driver.now);
    assert_eq!(before.off + before.boot + before.on, driver.now);
    driver.wait(ms(100));
    assert_eq!(driver.chip.phase_times(driver.now).on, before.on + ms(100));
    driver.chip.set_power(driver.now, false);
    driver.wait(ms(100));
    assert_eq!(driver.chip.phase_times(driver.now).off, ms(101));
}

#[test]
fn a_firmware_that_runs_shows_the_memory_that_it_shares_and_a_log() {
    let mut driver = Driver::with(HABITS[1], Vec::new());
    driver.start();
    let word = |driver: &mut Driver, at: u32| {
        let bytes = driver.read_backplane(at, 4);
        u32::from_le_bytes([0, 1, 2, 3].map(|n| bytes[n]))
    };
    let shared = word(&mut driver, RAM_BYTES - 0x1_0000 - 4);
    let console = word(&mut driver, shared + 0x14);
    let [buffer, size, index] = [8, 12, 16].map(|at| word(&mut driver, console + at));
    assert_eq!((shared, console % 4), (0x0001_6070, 0));
    assert!(buffer + size < RAM_BYTES && index <= size && index > 0);
}

#[test]
fn requests_are_answered_in_the_time_that_boards_take_and_unknown_ones_are_noted() {
    for habit in HABITS {
        let mut driver = Driver::with(habit, Vec::new());
        driver.start();
        assert_eq!(driver.get_variable("cur_etheraddr", 6), ADDRESS);
        driver.set_variable("cur_etheraddr", &[2, 0, 0, 0, 0, 9]);
        assert_eq!(driver.get_variable("cur_etheraddr", 6), [2, 0, 0, 0, 0, 9]);
        driver.set_variable("no_such_thing", &[1, 2, 3, 4]);
        assert_eq!(driver.get_variable("no_such_thing", 4), [1, 2, 3, 4]);
        let before = driver.now;
        driver.set_variable("country", b"XX\0\0");
        let took = (driver.now - before).ps() / units::PS_PER_MS;
        assert!((28..=32).contains(&took), "28 to 32 ms on a board: {took}");
        let notes = driver.chip.take_notes();
        assert!(notes.iter().any(|note| note.sentence.contains("no_such_thing")), "{notes:?}");
    }
}

#[test]
fn the_led_follows_gpioout_and_the_registers_of_chip_common() {
    let mut driver = Driver::with(HABITS[0], Vec::new());
    driver.start();
    for on in [true, false] {
        driver.set_variable("gpioout", &[1, 0, 0, 0, u8::from(on), 0, 0, 0]);
        assert_eq!(driver.chip.gpio() & 1, u32::from(on));
    }
    driver.write_backplane(0x1800_0068, &1u32.to_le_bytes());
    driver.write_backplane(0x1800_0064, &1u32.to_le_bytes());
    assert_eq!(driver.chip.gpio() & 1, 1);
}
