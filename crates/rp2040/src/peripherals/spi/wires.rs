//! The SPI on its pins: which GPIO is which signal, the levels at rest, and the edges that a frame stands for when
//! somebody records the pins. Left out: output overrides (OUTOVER) of SCK and MOSI in the recorded edges.

use units::Picoseconds;

use super::pace::{Instant, Pace};
use mcu::Edge;

use crate::io::Io;
use crate::pins::{Function, Pins};

/// GPIO 4n is RX, 4n + 1 CSn, 4n + 2 SCK, 4n + 3 TX; 0 to 7 and 16 to 23 belong to SPI0, the others to SPI1
/// (RP2040 datasheet 1.4.3).
const PORT: [u32; 2] = [0x00ff_00ff, 0x3f00_ff00];
const RX: u32 = 0x1111_1111;
const CSN: u32 = 0x2222_2222;
const SCK: u32 = 0x4444_4444;
const TX: u32 = 0x8888_8888;

const CSN_PINS: [[u8; 4]; 2] = [[1, 5, 17, 21], [9, 13, 25, 29]];

/// Whether a pin shows the select line of this SPI.
pub(super) fn select_is_wired(pins: &Pins, port: u8) -> bool {
    CSN_PINS[usize::from(port)].iter().any(|&pin| pins.control(pin).0 == Function::Spi as u8)
}

/// Moves the select line.
pub(super) fn drive_select(pins: &mut Pins, at: Picoseconds, port: u8, high: bool) {
    let mask = CSN & PORT[usize::from(port)];
    pins.drive(at, Function::Spi, mask, if high { mask } else { 0 }, mask);
}

/// Drives SCK and TX to their levels at rest, as controller; lets go of SCK and CSn as peripheral device.
pub(super) fn drive_rest(
    pins: &mut Pins,
    at: Picoseconds,
    port: u8,
    sck: bool,
    controller: bool,
    transmit: bool,
) {
    let all = PORT[usize::from(port)];
    let levels = if sck { SCK & all } else { 0 };
    let clock = if controller { SCK & all } else { 0 };
    let data = if transmit { TX & all } else { 0 };
    pins.drive(at, Function::Spi, (SCK | TX) & all, levels, clock | data);
    if !controller {
        pins.drive(at, Function::Spi, CSN & all, CSN & all, 0);
    }
}

/// Whether a wire leads from SCK or a data line to a pin of this chip that is none of the same SPI. Where its own lines are joined,
/// words come back as they are.
#[inline]
pub(super) fn is_joined(pins: &Pins, port: u8) -> bool {
    let own = pins.selected(Function::Spi) & PORT[usize::from(port)];
    pins.wired_with(own & !CSN) & !own != 0
}

/// The pins of RX that a wire joins with others of this chip.
pub(super) fn joined_receiver(pins: &Pins, port: u8) -> u32 {
    let own = pins.selected(Function::Spi) & PORT[usize::from(port)] & RX;
    if pins.wired_with(own) & !own == 0 { 0 } else { own }
}

/// The pins that move bit by bit where any is joined, a bit each.
pub(super) fn moved(pins: &Pins, port: u8) -> u32 {
    pins.selected(Function::Spi) & PORT[usize::from(port)] & (SCK | TX) | joined_receiver(pins, port)
}

/// The level of RX.
pub(super) fn hears(pins: &Pins, port: u8) -> bool {
    pins.inputs() & joined_receiver(pins, port) != 0
}

/// Moves SCK.
pub(super) fn drive_clock(io: &mut Io, port: u8, level: bool) {
    drive(io, SCK & PORT[usize::from(port)], level);
}

/// Moves TX.
pub(super) fn drive_data(io: &mut Io, port: u8, level: bool) {
    drive(io, TX & PORT[usize::from(port)], level);
}

fn drive(io: &mut Io, mask: u32, level: bool) {
    io.pins.drive(io.now, Function::Spi, mask, if level { mask } else { 0 }, mask);
}

/// Whether somebody records SCK, TX or RX of this SPI.
#[inline]
pub(super) fn is_recorded(pins: &Pins, port: u8) -> bool {
    pins.recorded() & PORT[usize::from(port)] & !CSN != 0
}

/// The pins of this SPI that somebody records and that show it.
#[inline]
fn shown(pins: &Pins, port: u8) -> u32 {
    pins.selected(Function::Spi) & pins.recorded() & PORT[usize::from(port)]
}

/// Whether there are any.
#[inline]
pub(super) fn is_shown(pins: &Pins, port: u8) -> bool {
    shown(pins, port) != 0
}

/// A frame whose bits are to be shown.
pub(super) struct Shown {
    pub(super) port: u8,
    pub(super) sent: u16,
    pub(super) received: u16,
    /// When the first bit began.
    pub(super) start: Instant,
    /// Whether another frame follows at once.
    pub(super) more: bool,
    /// The pins that moved by themselves, a bit each.
    pub(super) moved: u32,
}

/// The data lines' levels after the last frame.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Lines {
    tx: bool,
    rx: bool,
}

impl Lines {
    /// Behind a frame that another one follows at once.
    pub(super) fn behind(sent: u16, received: u16) -> Self {
        Self { tx: sent & 1 == 1, rx: received & 1 == 1 }
    }
}

/// Adds the edges of a frame to those that are recorded.
pub(super) fn record(pins: &mut Pins, lines: &mut Lines, pace: &Pace, frame: &Shown) {
    let mask = shown(pins, frame.port) & !frame.moved;
    if mask == 0 {
        // At rest TX is low (RP2040 datasheet 4.4.3.10).
        *lines = Lines { tx: frame.more && frame.sent & 1 == 1, rx: frame.received & 1 == 1 };
        return;
    }
    let half = pace.half();
    let mut start = frame.start;
    for shift in (0..pace.word_bits).rev() {
        let (tx, rx) = (frame.sent >> shift & 1 == 1, frame.received >> shift & 1 == 1);
        if tx != lines.tx {
            add(pins, mask & TX, start, tx);
        }
        if rx != lines.rx {
            add(pins, mask & RX, start, rx);
        }
        *lines = Lines { tx, rx };
        let middle = pace.after(start, half);
        let end = pace.after(middle, half);
        // With SPH = 0 the first clock edge lies in the bit's middle, with SPH = 1 at its start.
        let [first, second] = if pace.captures_second() { [start, middle] } else { [middle, end] };
        add(pins, mask & SCK, first, !pace.sck_at_rest());
        add(pins, mask & SCK, second, pace.sck_at_rest());
        start = end;
    }
    // At rest TX is low (RP2040 datasheet 4.4.3.10).
    if !frame.more && lines.tx {
        add(pins, mask & TX, pace.after(start, pace.trail), false);
        lines.tx = false;
    }
}

/// Adds an edge of some pins, a bit each.
fn add(pins: &mut Pins, mut on: u32, at: Instant, level: bool) {
    let at = at.time();
    while on != 0 {
        let pin = on.trailing_zeros() as u8;
        on &= on - 1;
        pins.add_edges([Edge { at, pin, level }]);
    }
}
