//! The ideal MAC in the address space of the MCU: the first one at the beginning of the board's window, each further one behind
//! the one before.

use mcu::Reaction;
use mcu::outside::BOARD_WINDOW;
use units::Picoseconds;

use lan::{ChipId, IDEAL_MAC_BYTES, Lan};

/// Registers come before the memories of frames.
const REGISTERS: std::ops::Range<u32> = 0..0x1000;

/// A MAC in its place on the board.
#[derive(Debug, Clone)]
pub(super) struct MappedMac {
    chip: ChipId,
    interrupt: u8,
    /// Its interrupt output as it was last told.
    interrupt_low: bool,
}

/// Which MAC an address belongs to, and where in it.
pub(super) fn place(address: u32) -> (usize, u32) {
    let offset = address.wrapping_sub(BOARD_WINDOW);
    ((offset / IDEAL_MAC_BYTES) as usize, offset % IDEAL_MAC_BYTES)
}

pub(super) fn is_register(offset: u32) -> bool {
    REGISTERS.contains(&offset)
}

impl MappedMac {
    pub(super) fn new(chip: ChipId, interrupt: u8) -> Self {
        Self { chip, interrupt, interrupt_low: false }
    }

    pub(super) fn read(&self, lan: &Lan, at: Picoseconds, offset: u32, bytes: u8) -> Option<u32> {
        lan.ideal_mac(self.chip).read(at, offset, bytes)
    }

    pub(super) fn write(
        &self,
        lan: &mut Lan,
        at: Picoseconds,
        offset: u32,
        (bytes, value): (u8, u32),
    ) -> bool {
        lan.with_ideal_mac(self.chip, |mac| mac.write(at, offset, bytes, value))
    }

    /// What its interrupt output does that the MCU has not heard of.
    pub(super) fn interrupt_change(&mut self, lan: &Lan) -> Option<Reaction> {
        let low = lan.ideal_mac(self.chip).interrupt_is_low();
        let changed = low != std::mem::replace(&mut self.interrupt_low, low);
        changed.then_some(Reaction::Pin { pin: self.interrupt, level: Some(!low) })
    }
}
