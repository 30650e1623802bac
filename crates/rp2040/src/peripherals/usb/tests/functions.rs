//! Serial port, disk, keyboard and mouse on a configured device.

use units::{PS_PER_MS, Picoseconds};
use usb_host::{FRAME_PS, Packet, bit_times};

use super::super::HidInput;
use super::firmware::{DISK_SECTORS, Rig, SERIAL_IN};
use crate::io::Io;

/// Debounce and reset.
const FRAMES_BEGAN: Picoseconds = Picoseconds::new(1_100_000_000);

/// A device that is configured, with nothing left to do.
fn configured(double_buffered: bool) -> (Rig, Io) {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.firmware.driver.double_buffered = double_buffered;
    rig.start(&mut io);
    rig.run(&mut io, Picoseconds::new(100 * PS_PER_MS));
    assert!(rig.usb.configured() && rig.usb.host().mass_storage().is_some_and(|disk| disk.ready));
    rig.events = 0;
    (rig, io)
}

#[test]
fn an_idle_device_costs_no_events() {
    let (mut rig, mut io) = configured(false);
    rig.run_for(&mut io, 10_000_000);
    assert_eq!(rig.events, 0);
}

#[test]
fn what_is_typed_comes_back_as_the_device_echoes_it() {
    for double_buffered in [false, true] {
        let (mut rig, mut io) = configured(double_buffered);
        let text: Vec<u8> = (0..10_000_u32).map(|n| (n * 7 % 251) as u8).collect();
        assert_eq!(rig.usb.console_send(&text, &mut io), text.len());
        rig.run_for(&mut io, 60_000);
        assert!(rig.console() == text, "double buffered: {double_buffered}");
    }
}

#[test]
fn what_is_typed_before_there_is_a_device_waits_for_it() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.usb.console_send(b"import board\r\n", &mut io);
    rig.start(&mut io);
    rig.run_for(&mut io, 30_000);
    assert_eq!(rig.console(), b"import board\r\n");
}

#[test]
fn a_terminal_takes_a_million_bytes_ahead_and_no_more() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    assert_eq!(rig.usb.console_send(&[0; 1 << 20], &mut io), 1 << 20);
    assert_eq!(rig.usb.console_send(b"x", &mut io), 0);
}

#[test]
fn a_buffer_made_available_goes_out_at_the_next_poll() {
    let (mut rig, mut io) = configured(false);
    rig.run_for(&mut io, 5_432);
    let available = io.now;
    rig.print(&mut io, b"hello");
    rig.run_for(&mut io, 100);
    let shown = rig.usb.take_console();
    // At the latest one retry of 20 us later; then token, data and acknowledgement: 35 + 35 + 40 + 19 bits and 2 gaps.
    let wire = bit_times(35 + 4 + Packet::new(false, b"hello").wire_bits() + 4 + 19);
    let waited = shown[0].0 - available - wire;
    assert!((0..=20_000_000).contains(&waited.ps()), "{waited}");
    assert_eq!(shown.iter().map(|&(_, byte)| byte).collect::<Vec<_>>(), b"hello");
    assert!(rig.events <= 2, "one transaction: {} events", rig.events);
}

#[test]
fn two_buffers_fill_a_frame_with_19_packets() {
    // USB 2.0 table 5-9: at most 19 bulk transfers of 64 bytes in a full-speed frame.
    let (mut rig, mut io) = configured(true);
    let data: Vec<u8> = (0..64 * 200).map(|n| (n % 53) as u8).collect();
    rig.print(&mut io, &data);
    rig.run_for(&mut io, 20_000);
    let shown = rig.usb.take_console();
    assert!(shown.iter().map(|&(_, byte)| byte).eq(data));
    let frames: Vec<i64> =
        shown.iter().step_by(64).map(|&(at, _)| (at - FRAMES_BEGAN).ps() / FRAME_PS).collect();
    for frame in frames[0] + 1..frames[199] {
        assert_eq!(frames.iter().filter(|&&f| f == frame).count(), 19);
    }
    assert!(frames[199] > frames[0] + 9);
}

#[test]
fn no_packet_crosses_the_end_of_a_frame() {
    let (mut rig, mut io) = configured(true);
    rig.print(&mut io, &[0x55; 64 * 300]);
    rig.run_for(&mut io, 20_000);
    for (at, _) in rig.usb.take_console() {
        let into = (at - FRAMES_BEGAN).ps() % FRAME_PS;
        // A whole transaction of 64 bytes takes 613 bits or more after the SOF and a gap.
        assert!(into >= bit_times(35 + 613).ps() - 1, "{into}");
        assert!(into <= FRAME_PS - bit_times(32).ps());
    }
}

#[test]
fn a_transfer_of_whole_packets_ends_with_an_empty_one() {
    let (mut rig, mut io) = configured(false);
    rig.print(&mut io, &[1; 128]);
    rig.run_for(&mut io, 1_000);
    rig.print(&mut io, b"");
    let (usb, firmware) = (&mut rig.usb, &mut rig.firmware);
    firmware.driver.send(usb, &mut io, SERIAL_IN, &[]);
    rig.run_for(&mut io, 1_000);
    assert!(!rig.firmware.driver.busy(SERIAL_IN));
    rig.print(&mut io, b"after");
    rig.run_for(&mut io, 1_000);
    assert_eq!(rig.console()[128..], *b"after");
}

#[test]
fn a_stalled_pipe_is_cleared_and_goes_on_with_data0() {
    let (mut rig, mut io) = configured(false);
    rig.print(&mut io, b"a");
    rig.run_for(&mut io, 1_000);
    let (usb, firmware) = (&mut rig.usb, &mut rig.firmware);
    firmware.driver.stall(usb, &mut io, SERIAL_IN);
    rig.run_for(&mut io, 2_000);
    assert_eq!(
        rig.firmware.setups.last(),
        Some(&[0x02, 1, 0, 0, 0x82, 0, 0, 0]),
        "CLEAR_FEATURE (ENDPOINT_HALT)"
    );
    rig.print(&mut io, b"b");
    rig.run_for(&mut io, 1_000);
    assert_eq!(rig.console(), b"ab");
}

#[test]
fn a_disk_gets_the_commands_that_a_pc_sends_when_it_appears() {
    let (rig, _) = configured(false);
    assert_eq!(rig.firmware.commands, [0x12, 0x00, 0x25, 0x1a, 0x28]);
    let disk = rig.usb.host().mass_storage().unwrap();
    assert_eq!(disk.name, ["Maker", "Thing disk", "1.0"]);
    assert_eq!((disk.blocks, disk.block_bytes, disk.write_protected), (DISK_SECTORS as u32, 512, false));
}

#[test]
fn sectors_are_read_and_written() {
    for double_buffered in [false, true] {
        let (mut rig, mut io) = configured(double_buffered);
        assert!(rig.usb.read_sectors(5, 3, &mut io));
        assert!(rig.usb.write_sectors(7, &[0xa5; 600], &mut io));
        assert!(rig.usb.read_sectors(7, 2, &mut io));
        let before = rig.firmware.disk.clone();
        rig.run_for(&mut io, 100_000);
        let results = rig.usb.take_sectors();
        assert_eq!(results.len(), 3);
        assert!(results.iter().all(|sectors| sectors.ok));
        assert!(results[0].data == before[5 * 512..8 * 512]);
        assert!(results[1].written && results[1].data.is_empty());
        assert!(results[2].data == rig.firmware.disk[7 * 512..9 * 512]);
        assert_eq!(results[2].data[..600], [0xa5; 600]);
        assert_eq!(results[2].data[600..], [0; 424], "the last sector is filled up");
    }
}

#[test]
fn a_disk_that_refuses_a_command_is_asked_why_and_serves_the_next() {
    let (mut rig, mut io) = configured(false);
    rig.firmware.refuses = Some(0x28);
    rig.usb.read_sectors(0, 1, &mut io);
    rig.run_for(&mut io, 20_000);
    let results = rig.usb.take_sectors();
    assert_eq!((results.len(), results[0].ok), (1, false));
    assert_eq!(rig.firmware.commands.last(), Some(&0x03), "REQUEST SENSE");
    rig.firmware.refuses = None;
    rig.usb.read_sectors(0, 1, &mut io);
    rig.run_for(&mut io, 20_000);
    assert!(rig.usb.take_sectors()[0].ok);
}

#[test]
fn a_disk_that_is_not_ready_is_asked_again_until_it_is() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    rig.firmware.refuses = Some(0x00);
    rig.start(&mut io);
    rig.run_for(&mut io, 1_000_000);
    let asked = rig.firmware.commands.iter().filter(|&&code| code == 0x00).count();
    assert_eq!(asked, 5, "then every two seconds");
    assert!(!rig.usb.host().mass_storage().unwrap().ready);
    rig.firmware.refuses = None;
    rig.run_for(&mut io, 2_000_000);
    assert!(rig.usb.host().mass_storage().unwrap().ready);
}

#[test]
fn there_are_no_sectors_without_a_disk() {
    let (mut rig, mut io) = (Rig::new(), Io::default());
    assert!(!rig.usb.read_sectors(0, 1, &mut io) && !rig.usb.write_sectors(0, &[0], &mut io));
    assert!(rig.usb.host().mass_storage().is_none());
}

#[test]
fn keys_and_movements_are_collected_at_the_poll_interval() {
    let (mut rig, mut io) = configured(false);
    let key = [1, 0x02, 0, 0x04, 0, 0, 0, 0, 0];
    rig.firmware.reports = vec![key.to_vec(), vec![2, 1, 0xfb, 10], vec![3, 9]];
    rig.print(&mut io, b"");
    rig.run_for(&mut io, 50_000);
    let reports = rig.usb.hid_reports();
    let inputs: Vec<HidInput> = reports.iter().map(|report| report.input).collect();
    assert_eq!(
        inputs,
        [
            HidInput::Keyboard { modifiers: 2, keys: [4, 0, 0, 0, 0, 0] },
            HidInput::Mouse { buttons: 1, x: -5, y: 10, wheel: 0 },
            HidInput::Other,
        ]
    );
    assert_eq!((reports[0].interface, &reports[0].bytes[..]), (3, &key[..]));
    // bInterval is 10 frames, which xHCI controllers round down to 8.
    let apart = reports[1].at - reports[0].at;
    assert!((apart.ps() - 8 * FRAME_PS).abs() < bit_times(200).ps(), "{apart}");
}
