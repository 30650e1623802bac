//! The SPI as controller (ATmega328P datasheet, "SPI - Serial Peripheral Interface"). A byte that is written in a cycle can be
//! read 17 cycles later at F/2: 16 of the byte and one of the write (measured on an ATmega32U4: tiberiusbrown/Ardens#134). A
//! byte that is written in that very cycle is lost, one from the next on is not; other clocks are taken to do alike.
//!
//! Left out: the SPI as device, and the phase of its prescaler, which is taken to begin with each byte.

use super::{NEVER, has};

const SPIE: u8 = 7;
const SPE: u8 = 6;
const DORD: u8 = 5;
const MSTR: u8 = 4;
const SPIF: u8 = 1 << 7;
const WCOL: u8 = 1 << 6;
const SPI2X: u8 = 1;

/// The SPI.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Spi {
    control: u8,
    status: u8,
    /// Whether SPSR was read while a flag was set: an access to SPDR clears it then.
    is_seen: bool,
    received: u8,
    under_way: Option<Byte>,
    /// When the last byte ended.
    ended: u64,
}

/// A byte on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Byte {
    /// As it goes over the wire, the first bit highest.
    pub(crate) sent: u8,
    /// The cycle of the first bit, and that behind the last one.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Spi {
    pub(crate) fn is_enabled(&self) -> bool {
        has(self.control, SPE)
    }

    pub(crate) fn is_controller(&self) -> bool {
        self.is_enabled() && has(self.control, MSTR)
    }

    /// CPOL and CPHA, as bit 1 and bit 0 of the mode.
    pub(crate) fn mode(&self) -> u8 {
        self.control >> 2 & 3
    }

    /// Cycles of a bit.
    pub(crate) fn divider(&self) -> u64 {
        let slow = [4, 16, 64, 128][usize::from(self.control & 3)];
        if self.status & SPI2X != 0 { slow / 2 } else { slow }
    }

    pub(crate) fn interrupts(&self) -> bool {
        self.status & SPIF != 0 && has(self.control, SPIE)
    }

    /// Its handler is entered, which clears the flag.
    pub(crate) fn acknowledge(&mut self) {
        self.status &= !SPIF;
    }

    /// Time in which its clock stood still.
    pub(crate) fn stand_still(&mut self, cycles: u64) {
        if let Some(byte) = &mut self.under_way {
            (byte.start, byte.end) = (byte.start + cycles, byte.end + cycles);
        }
    }

    pub(crate) fn next(&self) -> u64 {
        self.under_way.map_or(NEVER, |byte| byte.end)
    }

    pub(crate) fn read(&mut self, register: u8) -> u8 {
        match register {
            0 => self.control,
            1 => {
                self.is_seen |= self.status & (SPIF | WCOL) != 0;
                self.status
            }
            _ => {
                self.touch();
                self.received
            }
        }
    }

    fn touch(&mut self) {
        if std::mem::take(&mut self.is_seen) {
            self.status &= !(SPIF | WCOL);
        }
    }

    /// Writes a register in a cycle; the byte that begins with it.
    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) -> Option<Byte> {
        match register {
            0 => {
                self.control = value;
                if !self.is_enabled() {
                    self.under_way = None;
                }
            }
            1 => self.status = self.status & !SPI2X | value & SPI2X,
            _ => return self.begin(value, cycle),
        }
        None
    }

    fn begin(&mut self, value: u8, cycle: u64) -> Option<Byte> {
        self.touch();
        if self.under_way.is_some() {
            self.status |= WCOL;
            return None;
        }
        if !self.is_controller() {
            return None;
        }
        let value = if cycle == self.ended && cycle > 0 { 0 } else { value };
        let sent = if has(self.control, DORD) { value.reverse_bits() } else { value };
        let start = cycle + 1;
        let byte = Byte { sent, start, end: start + 8 * self.divider() };
        self.under_way = Some(byte);
        self.under_way
    }

    /// The byte that ends by a cycle, if one does.
    pub(crate) fn ending(&self, cycle: u64) -> Option<Byte> {
        self.under_way.filter(|byte| byte.end <= cycle)
    }

    /// A byte ends, with what was received.
    pub(crate) fn end(&mut self, received: u8) {
        let Some(byte) = self.under_way.take() else { return };
        self.ended = byte.end;
        self.received = if has(self.control, DORD) { received.reverse_bits() } else { received };
        self.status |= SPIF;
        self.is_seen = false;
    }

    /// SS is an input and low: another controller takes the bus.
    pub(crate) fn lose_bus(&mut self) {
        if self.is_controller() {
            self.control &= !(1 << MSTR);
            self.status |= SPIF;
            self.is_seen = false;
            self.under_way = None;
        }
    }
}
