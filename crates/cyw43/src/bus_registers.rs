//! Function 0: the registers of the bus itself. They work as soon as the chip has power.

use serde::{Deserialize, Serialize};

use crate::command::Function;
use crate::word_order::WordOrder;

/// Of the first byte, after power-up as it was read from boards: HIGH_SPEED and INT_POL_HIGH.
const CONFIG_AT_RESET: u8 = 0x30;
const WORD32: u8 = 1;
const BIG_ENDIAN: u8 = 1 << 1;
const HIGH_SPEED: u8 = 1 << 4;
const INTERRUPT_HIGH: u8 = 1 << 5;
/// Status enable, as it was read from boards.
const STATUS_AT_RESET: u8 = 0x01;
const STATUS_ENABLE: u8 = 1;
/// Function 1 has a delay of its own from the start: drivers that set none skip four bytes.
const DELAYS_AT_RESET: [u8; 4] = [0, 4, 0, 0];
const DELAY_ALL: u8 = 1 << 2;

/// Interrupts.
pub(crate) const DATA_UNAVAILABLE: u16 = 1;
pub(crate) const UNDERFLOW: u16 = 1 << 1;
pub(crate) const OVERFLOW: u16 = 1 << 2;
const PACKET: u16 = 1 << 5;
pub(crate) const FUNCTION1: u16 = 1 << 13;
/// Those that show on the line.
const ON_LINE: u16 = UNDERFLOW | OVERFLOW | PACKET | FUNCTION1;

/// What the test register reads: the bus is alive and the order of bytes is the right one.
const TEST_PATTERN: u32 = 0xfeed_bead;
/// What it reads the first time after power-up, as it was seen on boards.
const TEST_BEFORE: u32 = 0x0303_0303;

/// Bits of the status word.
const STATUS_UNAVAILABLE: u32 = 1;
const STATUS_UNDERFLOW: u32 = 1 << 1;
const STATUS_OVERFLOW: u32 = 1 << 2;
const STATUS_INTERRUPT: u32 = 1 << 3;
const STATUS_RECEIVES: u32 = 1 << 5;
const STATUS_PACKET: u32 = 1 << 8;
const STATUS_LENGTH: u32 = 9;
const LENGTH_MASK: u32 = 0x7ff;

/// What the status word says of the rest of the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Readiness {
    /// Function 2 takes a packet.
    pub(crate) receives: bool,
    /// The length of the packet that waits for the host.
    pub(crate) packet_bytes: Option<u32>,
    /// Functions 1 and 2 are ready.
    pub(crate) is_ready: [bool; 2],
}

/// The registers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BusRegisters {
    config: u8,
    delay: u8,
    status_enable: u8,
    interrupts: u16,
    enabled: u16,
    /// Response delays of the functions.
    delays: [u8; 4],
    scratch: u32,
    functions: [u16; 3],
    was_tested: bool,
}

impl Default for BusRegisters {
    fn default() -> Self {
        Self {
            config: CONFIG_AT_RESET,
            delay: 0,
            status_enable: STATUS_AT_RESET,
            interrupts: DATA_UNAVAILABLE,
            enabled: 0,
            delays: DELAYS_AT_RESET,
            scratch: 0,
            functions: [0; 3],
            was_tested: false,
        }
    }
}

impl BusRegisters {
    pub(crate) fn order(&self) -> WordOrder {
        WordOrder::of(self.config & WORD32 != 0, self.config & BIG_ENDIAN != 0)
    }

    pub(crate) fn is_high_speed(&self) -> bool {
        self.config & HIGH_SPEED != 0
    }

    /// A chip that was just powered has no status words: its drivers ask for none before they have set the order.
    pub(crate) fn appends_status(&self) -> bool {
        self.config & WORD32 != 0 && self.status_enable & STATUS_ENABLE != 0
    }

    /// One delay for every function, or each its own.
    pub(crate) fn delay_bytes(&self, function: Function) -> u32 {
        let own = self.delays[function.index()];
        let common = if self.status_enable & DELAY_ALL != 0 { self.delay } else { 0 };
        u32::from(own.max(common))
    }

    /// Whether a packet waits for the host. Its interrupt is that level, which no write clears: drivers of Embassy and soypat read
    /// the packets and leave it alone.
    pub(crate) fn set_packet(&mut self, waits: bool) {
        self.interrupts = self.interrupts & !PACKET | if waits { PACKET } else { 0 };
    }

    /// The level of the interrupt on the line.
    pub(crate) fn line(&self) -> bool {
        let active = self.interrupts & self.enabled & ON_LINE != 0;
        active == (self.config & INTERRUPT_HIGH != 0)
    }

    pub(crate) fn status(&self, ready: Readiness) -> u32 {
        let flag = |is: bool, bit: u32| if is { bit } else { 0 };
        let packet =
            ready.packet_bytes.map_or(0, |bytes| STATUS_PACKET | (bytes & LENGTH_MASK) << STATUS_LENGTH);
        flag(self.interrupts & DATA_UNAVAILABLE != 0, STATUS_UNAVAILABLE)
            | flag(self.interrupts & UNDERFLOW != 0, STATUS_UNDERFLOW)
            | flag(self.interrupts & OVERFLOW != 0, STATUS_OVERFLOW)
            | flag(self.interrupts & PACKET != 0, STATUS_INTERRUPT)
            | flag(ready.receives, STATUS_RECEIVES)
            | packet
    }

    pub(crate) fn read(&mut self, address: u32, ready: Readiness) -> u32 {
        let bytes = self.bytes(address & !3, ready);
        if address & !3 == 0x14 {
            self.was_tested = true;
        }
        // A read within a word begins with its byte.
        u32::from_le_bytes(bytes) >> (8 * (address & 3))
    }

    fn bytes(&self, address: u32, ready: Readiness) -> [u8; 4] {
        let halves = |low: u16, high: u16| (u32::from(low) | u32::from(high) << 16).to_le_bytes();
        let info = |n: usize| self.functions[n] | u16::from(ready.is_ready[n]) << 1;
        match address {
            0x00 => [self.config, self.delay, self.status_enable, 0],
            0x04 => halves(self.interrupts, self.enabled),
            0x08 => self.status(ready).to_le_bytes(),
            0x0c => halves(info(0), info(1)),
            0x10 => halves(self.functions[2], 0),
            0x14 if self.was_tested => TEST_PATTERN.to_le_bytes(),
            0x14 => TEST_BEFORE.to_le_bytes(),
            0x18 => self.scratch.to_le_bytes(),
            0x1c => self.delays,
            _ => [0; 4],
        }
    }

    /// Writes bytes, the lowest of `value` first.
    pub(crate) fn write(&mut self, address: u32, bytes: u32, value: u32) {
        for (n, byte) in (0..bytes.min(4)).zip(value.to_le_bytes()) {
            self.write_byte(address + n, byte);
        }
    }

    fn write_byte(&mut self, address: u32, byte: u8) {
        let half = |value: &mut u16, shift: u32| {
            *value = *value & !(0xff << shift) | u16::from(byte) << shift;
        };
        match address {
            0x00 => self.config = byte,
            0x01 => self.delay = byte,
            0x02 => self.status_enable = byte,
            // What is set is cleared, whatever the width of the write.
            0x04 => self.interrupts &= !u16::from(byte) | PACKET,
            0x05 => self.interrupts &= !(u16::from(byte) << 8),
            0x06 => half(&mut self.enabled, 0),
            0x07 => half(&mut self.enabled, 8),
            0x0c..=0x11 => half(&mut self.functions[(address - 0x0c) as usize / 2], 8 * (address & 1)),
            0x18..=0x1b => {
                let shift = 8 * (address - 0x18);
                self.scratch = self.scratch & !(0xff << shift) | u32::from(byte) << shift;
            }
            0x1c..=0x1f => self.delays[(address - 0x1c) as usize] = byte,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_register_is_what_boards_show_after_power_up() {
        assert_eq!(BusRegisters::default().read(0, Readiness::default()), 0x0001_0030);
    }

    #[test]
    fn the_test_pattern_comes_with_the_second_read() {
        let mut bus = BusRegisters::default();
        let reads: Vec<u32> = (0..3).map(|_| bus.read(0x14, Readiness::default())).collect();
        assert_eq!(reads, [TEST_BEFORE, TEST_PATTERN, TEST_PATTERN]);
    }

    #[test]
    fn interrupts_are_cleared_by_writing_ones_to_single_bytes_too_but_for_that_of_a_packet() {
        let mut bus = BusRegisters { interrupts: DATA_UNAVAILABLE | FUNCTION1, ..BusRegisters::default() };
        bus.set_packet(true);
        bus.write(0x04, 1, 0x21);
        assert_eq!(bus.read(0x04, Readiness::default()), u32::from(PACKET | FUNCTION1));
        bus.write(0x05, 1, 0x20);
        assert_eq!(bus.read(0x04, Readiness::default()), u32::from(PACKET));
    }

    #[test]
    fn the_line_is_the_packet_interrupt_where_that_is_enabled() {
        let mut bus = BusRegisters::default();
        bus.set_packet(true);
        assert!(!bus.line());
        bus.write(0x06, 2, 0x00be);
        assert!(bus.line());
        bus.set_packet(false);
        assert!(!bus.line());
    }

    #[test]
    fn the_status_word_tells_the_length_of_what_waits() {
        let ready = Readiness { receives: true, packet_bytes: Some(1072), is_ready: [true; 2] };
        let mut bus = BusRegisters::default();
        bus.write(0x04, 1, 1);
        assert_eq!(bus.read(0x08, ready), 1 << 5 | 1 << 8 | 1072 << 9);
    }
}
