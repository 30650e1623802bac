//! The edges on SDA and SCL that the controller's work stands for while it is spoken in bytes, when somebody records the pins.
//! The levels of the pins themselves are not moved.

use super::scl::{Beat, Scl};
use mcu::Edge;

use crate::pins::{ALL_PINS, Function, Pins};

/// GPIO 4n is SDA and 4n + 1 SCL of I2C0; 4n + 2 and 4n + 3 those of I2C1 (RP2040 datasheet 1.4.3).
const SDA: [u32; 2] = [0x1111_1111 & ALL_PINS, 0x4444_4444 & ALL_PINS];
const SCL: [u32; 2] = [0x2222_2222 & ALL_PINS, 0x8888_8888 & ALL_PINS];

/// The pins that may be SDA and SCL of a port, a bit each.
pub(super) fn signals(port: u8) -> (u32, u32) {
    let port = usize::from(port & 1);
    (SDA[port], SCL[port])
}

/// The lines' levels after the last step.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct Lines {
    sda: bool,
    scl: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self { sda: true, scl: true }
    }
}

/// Whether somebody records SDA or SCL.
pub(super) fn is_recorded(pins: &Pins, port: u8) -> bool {
    let port = usize::from(port);
    pins.recorded() & (SDA[port] | SCL[port]) != 0
}

/// Adds the edges of one step, from its beginning on.
pub(super) struct Recorder<'a> {
    pub(super) pins: &'a mut Pins,
    pub(super) lines: &'a mut Lines,
    pub(super) port: u8,
    pub(super) beat: Beat,
    pub(super) scl: Scl,
    /// Cycles from SCL's fall until SDA moves.
    pub(super) hold: u64,
    /// Cycles that are left until the step's end.
    pub(super) left: u64,
}

impl Recorder<'_> {
    fn sda(&mut self, after: u64, level: bool) {
        if self.lines.sda != level {
            self.lines.sda = level;
            self.edge(SDA[usize::from(self.port)], after, level);
        }
    }

    fn scl(&mut self, after: u64, level: bool) {
        if self.lines.scl != level {
            self.lines.scl = level;
            self.edge(SCL[usize::from(self.port)], after, level);
        }
    }

    fn edge(&mut self, signal: u32, after: u64, level: bool) {
        let mask = signal & self.pins.recorded() & self.pins.selected(Function::I2c);
        let at = self.beat.before(self.left.saturating_sub(after));
        self.pins.add_edges((0..32u8).filter(|pin| mask >> pin & 1 == 1).map(|pin| Edge { at, pin, level }));
    }

    fn pass(&mut self, cycles: u64) {
        self.left = self.left.saturating_sub(cycles);
    }

    /// SCL low while SDA takes its level, then high.
    fn bit(&mut self, level: bool) {
        self.scl(0, false);
        self.sda(self.hold.min(self.scl.low - 1), level);
        self.scl(self.scl.low, true);
        self.pass(self.scl.low + self.scl.high);
    }

    pub(super) fn start(&mut self) {
        self.sda(0, false);
        self.pass(self.scl.start());
    }

    pub(super) fn repeated_start(&mut self) {
        self.bit(true);
        self.start();
    }

    pub(super) fn byte(&mut self, byte: u8, acknowledged: bool) {
        self.read_byte(byte);
        self.acknowledgement(acknowledged);
    }

    pub(super) fn read_byte(&mut self, byte: u8) {
        for shift in (0..8).rev() {
            self.bit(byte >> shift & 1 == 1);
        }
        self.hold_clock();
    }

    pub(super) fn acknowledgement(&mut self, acknowledged: bool) {
        self.bit(!acknowledged);
        self.hold_clock();
    }

    /// SCL stays low until the next step, whenever that comes.
    fn hold_clock(&mut self) {
        self.scl(0, false);
    }

    pub(super) fn stop(&mut self) {
        self.bit(false);
        self.sda(0, true);
    }
}
