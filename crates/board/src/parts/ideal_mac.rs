//! The ideal MAC in the address space of the MCU: the first one at the beginning of the board's window, each further one behind
//! the one before. The MAC itself is a device of crate `lan`.

use fields::Field;
use lan::{DeviceId, IDEAL_MAC_BYTES, IdealMac, Lan};
use mcu::Facts;
use mcu::outside::BOARD_WINDOW;
use units::Picoseconds;

use super::{Around, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::Misfit;
use crate::header::Defines;
use crate::kinds::{Kind, PIN};

pub(crate) const KIND: Kind = Kind {
    name: "ideal-mac",
    help: "an Ethernet MAC in the address space of the MCU, which no RP2040 has: frames cost no bus time. \
           [The ideal MAC](ideal-mac.md) has its registers",
    fields: &[Field::needed("interrupt", PIN, "its interrupt output, low while a frame waits", "21")],
    has_ethernet: true,
    outputs: &[],
    build: |entry| Ok(Box::new(MappedMac { device: None, interrupt: entry.values.pin("interrupt") })),
    fits,
    header,
};

/// Its registers are where the microcontroller has room for those of the board.
fn fits(_: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    if facts.has_board_window {
        return Ok(());
    }
    let words =
        format!("is ideal-mac, for whose registers the {} has no place; leave this chip out", facts.title);
    Err(Misfit::of("kind", words))
}

/// Of several chips with Ethernet the firmware knows the first.
fn header(entry: &PartEntry, defines: &mut Defines) {
    if defines.is_first("network") {
        defines.define("BOARD_IDEAL_MAC", &format!("{BOARD_WINDOW:#010x}u"));
        defines.define("BOARD_NETWORK_INTN", &format!("{}u", entry.values.pin("interrupt")));
    }
}

/// Registers come before the memories of frames.
const REGISTERS: std::ops::Range<u32> = 0..0x1000;

/// A MAC in its place on the board.
#[derive(Debug, Clone)]
struct MappedMac {
    device: Option<DeviceId<IdealMac>>,
    interrupt: u8,
}

impl Part for MappedMac {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        self.device = wiring.attach(IdealMac::default());
        wiring.window(IDEAL_MAC_BYTES);
        if let Some(device) = self.device {
            wiring.interrupt(device, self.interrupt);
        }
    }

    fn memory_read(&self, at: Picoseconds, offset: u32, bytes: u8, lan: Option<&Lan>) -> Option<u32> {
        lan?.device(self.device?)?.read(at, offset, bytes)
    }

    fn memory_write(
        &mut self,
        at: Picoseconds,
        offset: u32,
        (bytes, value): (u8, u32),
        around: &mut Around<'_>,
    ) -> bool {
        let Some(device) = self.device else { return false };
        around.advance(at);
        around.with_device(device, |mac| mac.write(at, offset, bytes, value)).unwrap_or(false)
    }

    fn is_register(&self, offset: u32) -> bool {
        REGISTERS.contains(&offset)
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }
}
