//! From the pull-up to the configured device.

use units::{PS_PER_MS, Picoseconds};

use super::super::registers as r;
use super::super::{Driver, TransferKind};
use super::driver::{Event, clear, read, set, write};
use super::firmware::{Rig, configuration};
use crate::io::Io;

fn ms(ms: i64) -> Picoseconds {
    Picoseconds::new(ms * PS_PER_MS)
}

#[test]
fn a_device_is_configured_twenty_milliseconds_after_its_pull_up() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    assert!(rig.usb.configured() && rig.firmware.configured);
    assert!(rig.usb.host().serial_open(0));
    assert_eq!(rig.firmware.line_state, 3);
    assert_eq!(rig.firmware.line_coding, [0x00, 0xc2, 0x01, 0x00, 0, 0, 8], "115200 baud, 8N1");
    assert_eq!(io.unknown_accesses().count(), 0);
}

#[test]
fn the_host_learns_what_the_device_says_of_itself() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    let report = rig.usb.descriptors().unwrap();
    assert_eq!((report.vendor_id, report.product_id, report.control_packet_bytes), (0x2e8a, 0x000a, 64));
    assert_eq!(report.manufacturer.as_deref(), Some("Maker"));
    assert_eq!(report.product.as_deref(), Some("Thing"));
    // 31 characters make 64 bytes: one full packet and an empty one.
    assert_eq!(report.serial.as_deref(), Some("0123456789abcdef0123456789abcde"));
    let drivers: Vec<_> = report.interfaces.iter().map(|interface| interface.driver).collect();
    assert_eq!(drivers, [Driver::Serial, Driver::Serial, Driver::MassStorage, Driver::Hid]);
    assert_eq!(report.interfaces[0].name.as_deref(), Some("Port"));
    let endpoints: Vec<_> = report.interfaces[1].endpoints.iter().map(|e| (e.address, e.kind)).collect();
    assert_eq!(endpoints, [(0x02, TransferKind::Bulk), (0x82, TransferKind::Bulk)]);
}

#[test]
fn requests_come_in_the_order_in_which_a_pc_makes_them() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    let setups = &rig.firmware.setups;
    assert_eq!(setups[0], [0x80, 6, 0, 1, 0, 0, 8, 0]);
    assert_eq!(setups[1], [0x00, 5, 1, 0, 0, 0, 0, 0]);
    assert_eq!(setups[2], [0x80, 6, 0, 1, 0, 0, 18, 0]);
    assert_eq!(setups[3], [0x80, 6, 0, 2, 0, 0, 9, 0]);
    let [low, high] = (configuration().len() as u16).to_le_bytes();
    assert_eq!(setups[4], [0x80, 6, 0, 2, 0, 0, low, high]);
    assert_eq!(setups[5], [0x80, 6, 0, 3, 0, 0, 255, 0]);
    assert_eq!(setups[6], [0x80, 6, 2, 3, 9, 4, 255, 0], "the product first");
    assert!(setups.contains(&[0x00, 9, 1, 0, 0, 0, 0, 0]));
    assert_eq!(rig.firmware.events, [Event::BusReset]);
    assert!(rig.usb.configured());
}

/// What TinyUSB's work-around for RP2040-E5 does after a reset, in images of 2021 whatever the chip: once the line is at J it
/// holds the pull-up by the PHY and takes the pads from the controller for 1 ms.
fn leave_the_bus_for_a_millisecond(rig: &mut Rig, io: &mut Io) {
    write(&mut rig.usb, io, r::USBPHY_DIRECT, 2);
    write(&mut rig.usb, io, r::USBPHY_DIRECT_OVERRIDE, 4);
    write(&mut rig.usb, io, r::USB_MUXING, 0xc);
    rig.run_for(io, 1_000);
    write(&mut rig.usb, io, r::USB_MUXING, 0x9);
    write(&mut rig.usb, io, r::USBPHY_DIRECT_OVERRIDE, 0);
}

/// Runs in steps of 10 us until something holds; how long that took.
fn run_until(rig: &mut Rig, io: &mut Io, mut holds: impl FnMut(&mut Rig, &mut Io) -> bool) -> Picoseconds {
    let from = io.now;
    for _ in 0..10_000 {
        if holds(rig, io) {
            return io.now - from;
        }
        rig.run_for(io, 10);
    }
    panic!("it does not come to hold");
}

#[test]
fn a_device_has_its_ten_milliseconds_after_a_reset() {
    const LINE_STATE: u32 = 0xc;
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    for plugged_in in 1..=2 {
        run_until(&mut rig, &mut io, |rig, _| rig.firmware.events.contains(&Event::BusReset));
        run_until(&mut rig, &mut io, |rig, io| read(&mut rig.usb, io, r::SIE_STATUS) & LINE_STATE != 0);
        let events = rig.events;
        leave_the_bus_for_a_millisecond(&mut rig, &mut io);
        assert_eq!(rig.events, events, "the host asks for nothing meanwhile");
        let asked = run_until(&mut rig, &mut io, |rig, _| !rig.firmware.setups.is_empty());
        assert!(asked >= ms(9) - Picoseconds::from_ns(10_000), "after {asked}");
        rig.run_for(&mut io, 20_000);
        assert!(rig.usb.configured(), "plugged in {plugged_in} times");
        let resets = rig.firmware.events.iter().filter(|&event| *event == Event::BusReset).count();
        assert_eq!(resets, 1, "one reset is enough");
        rig.usb.disconnect(&mut io);
        rig.firmware.events.clear();
        rig.firmware.setups.clear();
        rig.usb.connect(&mut io);
    }
}

#[test]
fn a_string_that_the_device_refuses_is_left_out() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.firmware.strings.truncate(1);
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    let report = rig.usb.descriptors().unwrap();
    assert_eq!((report.manufacturer.as_deref(), report.product.as_deref()), (Some("Maker"), None));
    assert!(rig.usb.host().serial_open(0), "a STALL ends a request, not the enumeration");
}

#[test]
fn a_device_that_answers_late_is_asked_again() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.latency = Picoseconds::from_ns(700_000);
    rig.run(&mut io, ms(60));
    assert!(rig.usb.configured());
}

#[test]
fn a_device_that_never_answers_is_given_up() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    io.clocks.usb_hz = 0;
    rig.run(&mut io, ms(60_000));
    assert!(rig.usb.host().failed() && !rig.usb.configured());
    assert!(rig.events < 10_000, "{} events", rig.events);
}

#[test]
fn a_device_that_never_serves_its_interrupts_is_given_up() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.latency = ms(1_000_000);
    rig.run(&mut io, ms(60_000));
    assert!(rig.usb.host().failed());
    assert!(rig.events < 1_000, "{} events", rig.events);
}

#[test]
fn the_pull_up_needs_vbus_and_the_phy() {
    for (register, bits) in [(r::USB_PWR, 4), (r::USB_MUXING, 1), (r::MAIN_CTRL, 1), (r::SIE_CTRL, 1 << 16)] {
        let (mut rig, mut io) = (Rig::new(), Io::default());
        rig.start(&mut io);
        clear(&mut rig.usb, &mut io, register, bits);
        rig.run(&mut io, ms(20));
        assert!(!rig.usb.configured(), "register {register:#x}");
        set(&mut rig.usb, &mut io, register, bits);
        rig.run(&mut io, ms(50));
        assert!(rig.usb.configured(), "register {register:#x}");
    }
}

const PULLUP_EN: u32 = 1 << 16;

/// A device at the beginning of its first reset.
fn in_reset(io: &mut Io) -> Rig {
    let mut rig = Rig::new();
    rig.start(io);
    let begins = (0..200).map(|tenths| Picoseconds::new(tenths * PS_PER_MS / 10));
    for at in begins {
        rig.run(io, at);
        if rig.firmware.events.contains(&Event::BusReset) {
            return rig;
        }
    }
    panic!("no reset within 20 ms");
}

#[test]
fn a_pull_up_that_goes_and_comes_during_a_reset_is_not_seen() {
    // USB 2.0, 7.1.7.5: the host holds both lines low.
    let mut io = Io::default();
    let mut rig = in_reset(&mut io);
    clear(&mut rig.usb, &mut io, r::SIE_CTRL, PULLUP_EN);
    set(&mut rig.usb, &mut io, r::SIE_CTRL, PULLUP_EN);
    rig.run(&mut io, ms(50));
    assert!(rig.usb.configured());
    assert_eq!(rig.firmware.events, [Event::BusReset]);
}

#[test]
fn a_pull_up_that_is_off_when_the_reset_ends_is_a_device_that_went() {
    let mut io = Io::default();
    let mut rig = in_reset(&mut io);
    clear(&mut rig.usb, &mut io, r::SIE_CTRL, PULLUP_EN);
    rig.run(&mut io, ms(50));
    assert!(!rig.usb.configured());
    assert_eq!(rig.firmware.events, [Event::BusReset]);
    set(&mut rig.usb, &mut io, r::SIE_CTRL, PULLUP_EN);
    rig.run(&mut io, ms(100));
    assert!(rig.usb.configured());
    assert_eq!(rig.firmware.events, [Event::BusReset, Event::BusReset]);
}

#[test]
fn a_cable_that_is_pulled_suspends_the_device_and_one_plugged_in_enumerates_it_again() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    rig.usb.disconnect(&mut io);
    rig.run(&mut io, ms(22));
    assert!(!rig.usb.configured() && rig.usb.descriptors().is_none());
    assert!(!rig.firmware.events.contains(&Event::Suspended));
    rig.run(&mut io, ms(25));
    assert!(rig.firmware.events.contains(&Event::Suspended), "3 ms without frames");
    rig.usb.connect(&mut io);
    rig.run(&mut io, ms(50));
    assert!(rig.usb.configured() && rig.firmware.line_state == 3);
}

#[test]
fn a_controller_that_is_reset_goes_and_comes_back() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    rig.usb.console_send(b"typed early", &mut io);
    rig.usb.reset(&mut io);
    assert!(!rig.usb.configured());
    assert_eq!(io.lines.irq(), 0);
    rig.firmware.driver = Default::default();
    rig.start(&mut io);
    rig.run(&mut io, ms(50));
    assert!(rig.usb.configured());
    assert_eq!(rig.console(), b"typed early", "the terminal kept it");
}

#[test]
fn a_suspended_device_wakes_with_its_configuration() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, ms(20));
    rig.usb.suspend(&mut io);
    rig.run(&mut io, ms(30));
    rig.usb.console_send(b"x", &mut io);
    rig.run(&mut io, ms(100));
    assert_eq!(rig.firmware.events.last(), Some(&Event::Suspended));
    assert_eq!(rig.console(), b"", "nothing moves on a suspended bus");
    rig.usb.resume(&mut io);
    rig.run(&mut io, ms(119));
    assert_eq!(rig.console(), b"");
    rig.run(&mut io, ms(122));
    assert_eq!(rig.firmware.events.last(), Some(&Event::Resumed));
    assert_eq!(rig.console(), b"x");
}

#[test]
fn a_copy_goes_on_exactly_as_its_original() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, Picoseconds::from_ns(14_321_000));
    let (mut copy, mut copied_io) = (rig.clone(), io.snapshot().unwrap());
    for (rig, io) in [(&mut rig, &mut io), (&mut copy, &mut copied_io)] {
        rig.usb.console_send(b"the same", io);
        rig.run(io, ms(40));
    }
    assert_eq!(rig.usb.take_console(), copy.usb.take_console());
    assert_eq!(rig.firmware.setups, copy.firmware.setups);
    assert_eq!(rig.events, copy.events);
}
