//! Firmware that gets everything wrong: descriptors, registers, buffers. Nothing may panic or run on for ever.

use proptest::prelude::*;
use units::{PS_PER_MS, Picoseconds};

use super::driver::{read, write};
use super::firmware::{Rig, configuration};
use crate::io::Io;
use crate::peripherals::{Peripheral, Source};

/// Runs the host alone, as often as it wants to within two seconds of virtual time; how often that was.
fn let_the_host_run(rig: &mut Rig, io: &mut Io, mut meanwhile: impl FnMut(&mut Rig, &mut Io)) -> u32 {
    let until = Picoseconds::new(2_000 * PS_PER_MS);
    let mut events = 0;
    while let Some(at) = io.due(Source::UsbHost).filter(|&at| at <= until) {
        assert!(at >= io.now, "time goes on");
        io.now = at;
        io.cancel(Source::UsbHost);
        rig.usb.wake(Source::UsbHost, io);
        meanwhile(rig, io);
        events += 1;
        // A token and its answer take 4 µs at 12 Mbit/s at the least, so that two seconds have no more than this.
        assert!(events < 500_000, "the host does not come to rest");
    }
    events
}

#[derive(Debug, Clone)]
enum Access {
    Register(u32, u32),
    Memory(u32, u32),
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![
        (0_u32..0x400, any::<u32>()).prop_map(|(word, value)| Access::Register(word * 4, value)),
        (0_u32..0x28, any::<u32>()).prop_map(|(word, value)| Access::Register(word * 4, value)),
        (0_u32..0x40, any::<u32>()).prop_map(|(word, value)| Access::Memory(word * 4, value)),
        (0_u32..0x40, any::<u16>())
            .prop_map(|(word, value)| Access::Memory(word * 4, u32::from(value) | 0x8400)),
        (0_u32..0x400, any::<u32>()).prop_map(|(word, value)| Access::Memory(word * 4, value)),
    ]
}

fn carry_out(access: &Access, rig: &mut Rig, io: &mut Io) {
    match *access {
        Access::Register(offset, value) => {
            write(&mut rig.usb, io, offset, value);
            read(&mut rig.usb, io, offset);
        }
        Access::Memory(offset, value) => rig.usb.dpram_write(offset, 4, value, io),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn descriptors_of_random_bytes_neither_panic_nor_hang(
        device in prop::collection::vec(any::<u8>(), 0..40),
        tail in prop::collection::vec(any::<u8>(), 0..300),
        type_bytes in any::<bool>(),
    ) {
        let (mut rig, mut io) = (Rig::new(), Io::default());
        if type_bytes {
            // The start makes sense, so that the host gets further.
            rig.firmware.device[8..].iter_mut().zip(&device).for_each(|(to, from)| *to = *from);
            rig.firmware.configuration.truncate(9);
            rig.firmware.configuration.extend(tail);
            let length = rig.firmware.configuration.len() as u16;
            rig.firmware.configuration[2..4].copy_from_slice(&length.to_le_bytes());
        } else {
            rig.firmware.device = device;
            rig.firmware.configuration = tail;
        }
        rig.start(&mut io);
        rig.run(&mut io, Picoseconds::new(500 * PS_PER_MS));
    }

    #[test]
    fn a_configuration_with_flipped_bytes_neither_panics_nor_hangs(
        flips in prop::collection::vec((0_usize..200, any::<u8>()), 1..6),
    ) {
        let (mut rig, mut io) = (Rig::new(), Io::default());
        let mut bytes = configuration();
        for (at, value) in flips {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        rig.firmware.configuration = bytes;
        rig.start(&mut io);
        rig.usb.console_send(b"anybody there?", &mut io);
        rig.run(&mut io, Picoseconds::new(300 * PS_PER_MS));
    }

    #[test]
    fn random_accesses_neither_panic_nor_hang(
        before in prop::collection::vec(access(), 0..40),
        during in prop::collection::vec(access(), 1..60),
        configured in any::<bool>(),
    ) {
        let (mut rig, mut io) = (Rig::new(), Io::default());
        rig.start(&mut io);
        if configured {
            rig.run(&mut io, Picoseconds::new(30 * PS_PER_MS));
        }
        before.iter().for_each(|access| carry_out(access, &mut rig, &mut io));
        rig.usb.console_send(&[0x55; 300], &mut io);
        rig.usb.read_sectors(0, 3, &mut io);
        let mut left = during.iter();
        let_the_host_run(&mut rig, &mut io, |rig, io| {
            if let Some(access) = left.next() {
                carry_out(access, rig, io);
            }
        });
    }

    #[test]
    fn endpoint_0_that_always_has_random_data_neither_panics_nor_hangs(
        words in prop::collection::vec((any::<u16>(), any::<u16>()), 1..50),
        bytes in prop::collection::vec(any::<u8>(), 64),
    ) {
        let (mut rig, mut io) = (Rig::new(), Io::default());
        rig.start(&mut io);
        for (at, &byte) in (0x100..).zip(&bytes) {
            rig.usb.dpram_write(at, 1, u32::from(byte), &mut io);
        }
        let mut words = words.iter().cycle();
        let_the_host_run(&mut rig, &mut io, |rig, io| {
            if let Some(&(to_host, from_host)) = words.next() {
                rig.usb.dpram_write(0x80, 4, u32::from(to_host & 0x77ff) | 0x8400, io);
                rig.usb.dpram_write(0x84, 4, u32::from(from_host & 0x77ff) | 0x0400, io);
            }
        });
    }
}
