//! The controller's registers and words one by one.

use units::{PS_PER_MS, Picoseconds};

use super::super::registers as r;
use super::driver::{Event, bit, buffer_control, clear, endpoint_control, read, set, write};
use super::firmware::{Rig, SERIAL_IN, SERIAL_OUT};
use crate::io::Io;
use crate::lines::Irq;
use crate::peripherals::Peripheral;

fn configured() -> (Rig, Io) {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.start(&mut io);
    rig.run(&mut io, Picoseconds::new(100 * PS_PER_MS));
    (rig, io)
}

#[test]
fn registers_have_their_reset_values() {
    // RP2040 datasheet 4.1.4: all zero but NAK_POLL and USBPHY_TRIM.
    let (mut rig, mut io) = (Rig::new(), Io::default());
    for offset in (0..=0x98).step_by(4) {
        let expected = match offset {
            0x6c => 0x0010_0010,
            0x84 => 0x0000_1f1f,
            _ => 0,
        };
        assert_eq!(read(&mut rig.usb, &mut io, offset), expected, "{offset:#x}");
    }
    assert_eq!(io.unknown_accesses().count(), 0);
    read(&mut rig.usb, &mut io, 0x9c);
    assert_eq!(io.unknown_accesses().count(), 1);
}

#[test]
fn the_memory_is_read_and_written_by_bytes_halfwords_and_words() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.usb.dpram_write(0x200, 4, 0x4433_2211, &mut io);
    rig.usb.dpram_write(0x201, 1, 0xaaaa_aaaa, &mut io);
    rig.usb.dpram_write(0x202, 2, 0xbbcc_bbcc, &mut io);
    assert_eq!(rig.usb.dpram_read(0x200, 4), 0xbbcc_aa11);
    assert_eq!(rig.usb.dpram_read(0x203, 1), 0xbb);
    rig.usb.reset(&mut io);
    assert_eq!(rig.usb.dpram_read(0x200, 4), 0xbbcc_aa11, "a reset leaves the memory alone");
}

#[test]
fn host_mode_is_reported() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    write(&mut rig.usb, &mut io, r::MAIN_CTRL, 3);
    assert!(io.unknown_accesses().any(|access| access.detail.contains("host mode")));
}

#[test]
fn a_nak_is_shown_to_firmware_that_asked_for_it() {
    let (mut rig, mut io) = configured();
    let control = rig.usb.dpram_read(endpoint_control(SERIAL_IN), 4);
    rig.usb.dpram_write(endpoint_control(SERIAL_IN), 4, control | 1 << 16, &mut io);
    rig.run_for(&mut io, 50);
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_STATUS_STALL_NAK), bit(SERIAL_IN));
    assert_ne!(read(&mut rig.usb, &mut io, r::INTR) & 1 << 19, 0);
    let events = rig.events;
    rig.run_for(&mut io, 10_000);
    assert_eq!(rig.events, events, "further NAKs change nothing");
    clear(&mut rig.usb, &mut io, r::EP_STATUS_STALL_NAK, bit(SERIAL_IN));
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_STATUS_STALL_NAK), 0);
    // A poll near the end of a frame, where a packet might not fit, waits for the next.
    rig.run_for(&mut io, 150);
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_STATUS_STALL_NAK), bit(SERIAL_IN));
}

#[test]
fn an_endpoint_under_abort_answers_nak() {
    let (mut rig, mut io) = configured();
    set(&mut rig.usb, &mut io, r::EP_ABORT, bit(SERIAL_IN));
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_ABORT_DONE), bit(SERIAL_IN));
    rig.print(&mut io, b"later");
    rig.run_for(&mut io, 5_000);
    assert_eq!(rig.console(), b"");
    clear(&mut rig.usb, &mut io, r::EP_ABORT_DONE, bit(SERIAL_IN));
    clear(&mut rig.usb, &mut io, r::EP_ABORT, bit(SERIAL_IN));
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_ABORT_DONE), 0);
    rig.run_for(&mut io, 5_000);
    assert_eq!(rig.console(), b"later");
}

#[test]
fn an_abort_waits_for_the_transaction_on_the_wire() {
    let (mut rig, mut io) = configured();
    rig.print(&mut io, &[7; 60]);
    // The token is over within 20 + 3 us, the data at least 40 us later.
    rig.run_for(&mut io, 25);
    set(&mut rig.usb, &mut io, r::EP_ABORT, bit(SERIAL_IN));
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_ABORT_DONE), 0);
    rig.run_for(&mut io, 60);
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_ABORT_DONE), bit(SERIAL_IN));
    assert_eq!(rig.console(), [7; 60]);
}

#[test]
fn two_buffers_that_are_done_are_told_one_after_the_other() {
    let (mut rig, mut io) = configured();
    write(&mut rig.usb, &mut io, r::INTE, 0);
    let control = rig.usb.dpram_read(endpoint_control(SERIAL_IN), 4);
    rig.usb.dpram_write(endpoint_control(SERIAL_IN), 4, control | 1 << 30, &mut io);
    // Both halves full and available, DATA0 and DATA1, three bytes each, buffer 0 first.
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0xa403_9403, &mut io);
    rig.run_for(&mut io, 1_000);
    let status = |rig: &mut Rig, io: &mut Io| {
        let done = read(&mut rig.usb, io, r::BUFF_STATUS) & bit(SERIAL_IN) != 0;
        (done, read(&mut rig.usb, io, r::BUFF_CPU_SHOULD_HANDLE) & bit(SERIAL_IN) != 0)
    };
    assert_eq!(rig.usb.dpram_read(buffer_control(SERIAL_IN), 4), 0x2003_0003, "neither full nor available");
    assert_eq!(status(&mut rig, &mut io), (true, false));
    clear(&mut rig.usb, &mut io, r::BUFF_STATUS, bit(SERIAL_IN));
    assert_eq!(status(&mut rig, &mut io), (true, true));
    clear(&mut rig.usb, &mut io, r::BUFF_STATUS, bit(SERIAL_IN));
    assert!(!status(&mut rig, &mut io).0);
    assert_eq!(rig.console().len(), 6);
}

#[test]
fn an_interrupt_for_two_buffers_waits_for_the_second() {
    let (mut rig, mut io) = configured();
    write(&mut rig.usb, &mut io, r::INTE, 0);
    let control = rig.usb.dpram_read(endpoint_control(SERIAL_IN), 4) & !(1 << 29);
    rig.usb.dpram_write(endpoint_control(SERIAL_IN), 4, control | 3 << 28 & !(1 << 29) | 1 << 30, &mut io);
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0x0000_9403, &mut io);
    rig.run_for(&mut io, 1_000);
    assert_eq!(read(&mut rig.usb, &mut io, r::BUFF_STATUS), 0);
    rig.usb.dpram_write(buffer_control(SERIAL_IN) + 2, 2, 0xa403, &mut io);
    rig.run_for(&mut io, 1_000);
    assert_eq!(read(&mut rig.usb, &mut io, r::BUFF_STATUS), bit(SERIAL_IN));
}

#[test]
fn a_packet_with_the_wrong_toggle_is_acknowledged_and_dropped() {
    let (mut rig, mut io) = configured();
    write(&mut rig.usb, &mut io, r::INTE, 0);
    // To the host: DATA1 where DATA0 is due.
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0xb403, &mut io);
    rig.run_for(&mut io, 1_000);
    assert_eq!(rig.usb.dpram_read(buffer_control(SERIAL_IN), 4) & 0x8400, 0, "it was acknowledged");
    assert_eq!(rig.console(), b"");
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0x9403, &mut io);
    rig.run_for(&mut io, 1_000);
    assert_eq!(rig.console().len(), 3);
    // To the device: it expects DATA1 where the host sends DATA0.
    rig.usb.dpram_write(buffer_control(SERIAL_OUT), 4, 0x2440, &mut io);
    rig.usb.console_send(b"lost", &mut io);
    rig.run_for(&mut io, 1_000);
    assert_ne!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 1 << 31, 0, "DATA_SEQ_ERROR");
    assert_eq!(rig.usb.dpram_read(buffer_control(SERIAL_OUT), 4), 0x2440, "the buffer is still available");
}

#[test]
fn a_packet_longer_than_its_endpoint_allows_is_babble() {
    let (mut rig, mut io) = configured();
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0x9400 | 65, &mut io);
    rig.run_for(&mut io, 10_000);
    assert_eq!(rig.console(), b"");
    assert_eq!(rig.usb.dpram_read(buffer_control(SERIAL_IN), 4) & 0x8400, 0x8400, "never acknowledged");
}

#[test]
fn a_long_buffer_wraps_at_the_end_of_the_memory() {
    let (mut rig, mut io) = configured();
    let control = rig.usb.dpram_read(endpoint_control(SERIAL_IN), 4) & !0xffff;
    rig.usb.dpram_write(endpoint_control(SERIAL_IN), 4, control | 0xffff, &mut io);
    rig.usb.dpram_write(0xfc0, 1, 0x41, &mut io);
    rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0x9401, &mut io);
    rig.run_for(&mut io, 1_000);
    assert_eq!(rig.console(), b"A", "bits 0 to 5 of the address are ignored");
}

#[test]
fn an_unwritten_interrupt_enable_keeps_the_line_low() {
    let (mut rig, mut io) = configured();
    let line = |io: &Io| io.lines.irq() >> Irq::USBCTRL.0 & 1;
    assert_eq!(line(&io), 0);
    write(&mut rig.usb, &mut io, r::INTF, 1);
    assert_eq!(line(&io), 1);
    write(&mut rig.usb, &mut io, r::INTF, 0);
    assert_eq!(line(&io), 0);
}

#[test]
fn a_set_up_packet_disarms_the_stall_of_endpoint_0() {
    let (mut rig, mut io) = configured();
    rig.firmware.driver.stall(&mut rig.usb, &mut io, 0x80);
    rig.usb.disconnect(&mut io);
    rig.usb.connect(&mut io);
    rig.run_for(&mut io, 50_000);
    assert!(rig.usb.configured());
    assert_eq!(read(&mut rig.usb, &mut io, r::EP_STALL_ARM), 0);
}

#[test]
fn frames_are_counted_without_an_event() {
    let (mut rig, mut io) = configured();
    rig.events = 0;
    let first = read(&mut rig.usb, &mut io, r::SOF_RD);
    assert_eq!(rig.usb.peek(r::INTR, &io) & 1 << 17, 0, "reading SOF_RD acknowledges");
    rig.run_for(&mut io, 999);
    rig.run_for(&mut io, 1);
    assert_ne!(rig.usb.peek(r::INTR, &io) & 1 << 17, 0);
    rig.run_for(&mut io, 2_999_000);
    assert_eq!(read(&mut rig.usb, &mut io, r::SOF_RD), (first + 3_000) & 0x7ff);
    assert_eq!(rig.events, 0);
}

#[test]
fn a_frame_interrupt_comes_every_millisecond() {
    let (mut rig, mut io) = configured();
    rig.firmware.events.clear();
    read(&mut rig.usb, &mut io, r::SOF_RD);
    set(&mut rig.usb, &mut io, r::INTE, 1 << 17);
    rig.run_for(&mut io, 10_000);
    let numbers: Vec<u32> = rig.firmware.events.iter().filter_map(sof).collect();
    assert_eq!(numbers.len(), 10);
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
}

fn sof(event: &Event) -> Option<u32> {
    if let Event::Sof(number) = event { Some(*number) } else { None }
}

#[test]
fn status_tells_of_connection_line_and_vbus() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    const CONNECTED: u32 = 1 << 16;
    const LINE_J: u32 = 1 << 2;
    const VBUS: u32 = 1;
    rig.start(&mut io);
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & (CONNECTED | 0xc | VBUS), LINE_J | VBUS);
    rig.run_for(&mut io, 500);
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 0xc, 0, "SE0 during the reset");
    rig.run_for(&mut io, 20_000);
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & (CONNECTED | 0xc), CONNECTED | LINE_J);
    assert_ne!(read(&mut rig.usb, &mut io, r::INTR) & 1 << 13, 0, "DEV_CONN_DIS");
    clear(&mut rig.usb, &mut io, r::SIE_STATUS, CONNECTED);
    assert_eq!(read(&mut rig.usb, &mut io, r::INTR) & 1 << 13, 0);
    assert_ne!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & CONNECTED, 0, "the level stays");
}

#[test]
fn bits_are_cleared_by_writing_ones_with_and_without_an_alias() {
    for through_alias in [false, true] {
        let (mut rig, mut io) = configured();
        write(&mut rig.usb, &mut io, r::INTE, 0);
        rig.usb.dpram_write(buffer_control(SERIAL_IN), 4, 0xd403, &mut io);
        rig.usb.console_send(b"x", &mut io);
        rig.run_for(&mut io, 1_000);
        let both = bit(SERIAL_IN) | bit(SERIAL_OUT);
        assert_eq!(read(&mut rig.usb, &mut io, r::BUFF_STATUS), both);
        assert_ne!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 1 << 18, 0, "TRANS_COMPLETE after LAST");
        let clearing = if through_alias { clear } else { write };
        clearing(&mut rig.usb, &mut io, r::BUFF_STATUS, bit(SERIAL_IN));
        assert_eq!(read(&mut rig.usb, &mut io, r::BUFF_STATUS), bit(SERIAL_OUT));
        clearing(&mut rig.usb, &mut io, r::SIE_STATUS, 1 << 18);
        let status = read(&mut rig.usb, &mut io, r::SIE_STATUS);
        assert_eq!(status & (1 << 18 | 1 << 30), 1 << 30, "ACK_REC stays");
    }
}

#[test]
fn vbus_is_seen_at_a_pin_without_the_override() {
    use crate::pins::{Function, Overrides};
    let (mut rig, mut io) = (Rig::new(), Io::default());
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 1, 0);
    io.pins.set_control(io.now, 7, Function::Usb as u8, Overrides::default());
    io.pins.drive_outside(io.now, 7, Some(true));
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 1, 1);
}

#[test]
fn vbus_interrupts_when_it_comes_and_goes_until_the_status_bit_is_cleared() {
    const VBUS_DETECTED: u32 = 1;
    const VBUS_DETECT: u32 = 1 << 11;
    let (mut rig, mut io) = (Rig::new(), Io::default());
    let overridden = |vbus: u32| 1 << 3 | vbus << 2;
    for vbus in [1, 0] {
        write(&mut rig.usb, &mut io, r::USB_PWR, overridden(vbus));
        assert_eq!(read(&mut rig.usb, &mut io, r::INTR) & VBUS_DETECT, VBUS_DETECT);
        clear(&mut rig.usb, &mut io, r::SIE_STATUS, VBUS_DETECTED);
        assert_eq!(read(&mut rig.usb, &mut io, r::INTR) & VBUS_DETECT, 0);
        assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & VBUS_DETECTED, vbus, "the level stays");
    }
}

#[test]
fn the_pull_up_held_by_the_phy_keeps_the_device_attached_while_the_pads_are_muxed() {
    let (mut rig, mut io) = configured();
    write(&mut rig.usb, &mut io, r::USBPHY_DIRECT, 2);
    write(&mut rig.usb, &mut io, r::USBPHY_DIRECT_OVERRIDE, 4);
    write(&mut rig.usb, &mut io, r::USB_MUXING, 0xc);
    rig.usb.console_send(b"hears nothing", &mut io);
    rig.run_for(&mut io, 1_000);
    assert!(rig.usb.configured());
    assert_eq!(rig.console(), b"");
    assert_eq!(read(&mut rig.usb, &mut io, r::SIE_STATUS) & 0xc, 4, "the line is at J");
    write(&mut rig.usb, &mut io, r::USB_MUXING, 0x9);
    write(&mut rig.usb, &mut io, r::USBPHY_DIRECT_OVERRIDE, 0);
    rig.run_for(&mut io, 2_000);
    assert_eq!(rig.console(), b"hears nothing");
    assert_eq!(io.unknown_accesses().count(), 0);
}

#[test]
fn a_transceiver_that_is_powered_down_hears_nothing() {
    let (mut rig, mut io) = configured();
    set(&mut rig.usb, &mut io, r::SIE_CTRL, 1 << 18);
    rig.usb.console_send(b"x", &mut io);
    rig.run_for(&mut io, 5_000);
    assert_eq!(rig.console(), b"");
    clear(&mut rig.usb, &mut io, r::SIE_CTRL, 1 << 18);
    rig.run_for(&mut io, 5_000);
    assert_eq!(rig.console(), b"x");
}
