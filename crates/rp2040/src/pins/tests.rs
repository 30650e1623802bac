//! Nets with several drivers: wires between pins, pulls, resistors outside.

use super::*;
use proptest::prelude::*;

const NOW: Picoseconds = Picoseconds::ZERO;

fn drives(pins: &mut Pins, pin: u8, level: bool) {
    pins.set_control(NOW, pin, Function::Sio as u8, Overrides::default());
    pins.drive(NOW, Function::Sio, 1 << pin, u32::from(level) << pin, 1 << pin);
}

#[test]
fn what_one_end_of_a_wire_drives_the_other_sees() {
    for (driver, reader) in [(14, 15), (15, 14)] {
        let mut pins = Pins::default();
        pins.wire(NOW, 14, 15);
        for level in [true, false, true] {
            drives(&mut pins, driver, level);
            assert_eq!(pins.inputs() >> reader & 1 == 1, level);
            assert_eq!(pins.levels() >> driver & 1 == 1, level);
        }
    }
}

#[test]
fn wires_that_meet_make_one_net() {
    let mut pins = Pins::default();
    pins.wire(NOW, 1, 2);
    pins.wire(NOW, 3, 4);
    pins.wire(NOW, 2, 3);
    pins.drive_outside(NOW, 4, Some(true));
    assert_eq!(pins.levels(), 0b11110);
}

#[test]
fn a_pull_up_at_one_end_pulls_both() {
    let mut pins = Pins::default();
    pins.wire(NOW, 1, 2);
    let pad = |pull_up| Pad { pull_up, pull_down: false, ..Pad::default() };
    pins.set_pad(NOW, 1, pad(false));
    pins.set_pad(NOW, 2, pad(true));
    assert_eq!(pins.levels() & 0b110, 0b110);
}

#[test]
fn a_resistor_outside_counts_where_nobody_drives_and_wins_against_the_pads() {
    let mut pins = Pins::default();
    pins.wire(NOW, 1, 2);
    pins.pull_outside(NOW, 2, Some(true));
    assert_eq!(pins.levels(), 0b110, "the pads' pull-downs are on");
    drives(&mut pins, 1, false);
    assert_eq!(pins.levels(), 0);
    pins.drive(NOW, Function::Sio, 1 << 1, 0, 0);
    assert_eq!(pins.levels(), 0b110);
    pins.drive_outside(NOW, 1, Some(false));
    assert_eq!((pins.levels(), pins.conflicts()), (0, 0));
    pins.pull_outside(NOW, 30, Some(true));
}

#[test]
fn a_wire_to_no_pin_does_nothing() {
    let mut pins = Pins::default();
    pins.wire(NOW, 3, 30);
    pins.drive_outside(NOW, 3, Some(true));
    assert_eq!(pins.levels(), 1 << 3);
}

proptest! {
    /// Blocks that nobody noticed are led on one after the other, each through all that it did.
    #[test]
    fn what_a_pin_was_before_does_not_depend_on_the_order_in_which_blocks_tell(
        changes in prop::collection::vec((0i64..40, any::<bool>(), 0u32..4), 1..24),
    ) {
        let driver = |by_software| if by_software { (Function::Sio, 0) } else { (Function::Pio0, 2) };
        let pins = || {
            let mut pins = Pins::default();
            for pin in 0..4 {
                pins.set_control(NOW, pin, if pin < 2 { Function::Sio } else { Function::Pio0 } as u8, Overrides::default());
            }
            for function in [Function::Sio, Function::Pio0] {
                pins.drive(NOW, function, 0xf, 0, 0xf);
            }
            pins
        };
        let tell = |pins: &mut Pins, &(at, by_software, levels): &(i64, bool, u32)| {
            let (function, shift) = driver(by_software);
            pins.drive(Picoseconds::new(1 + at), function, 0b11 << shift, levels << shift, 0b11 << shift);
        };
        let mut in_time = changes;
        in_time.sort_by_key(|&(at, by_software, _)| (at, by_software));
        let mut one_by_one = in_time.clone();
        one_by_one.sort_by_key(|&(_, by_software, _)| by_software);
        let (mut expected, mut late) = (pins(), pins());
        in_time.iter().for_each(|change| tell(&mut expected, change));
        one_by_one.iter().for_each(|change| tell(&mut late, change));
        prop_assert_eq!(late.inputs_of_late(), expected.inputs_of_late());
        for at in 0..42 {
            let at = Picoseconds::new(at);
            prop_assert_eq!(late.inputs_before(at), expected.inputs_before(at));
        }
    }
}
