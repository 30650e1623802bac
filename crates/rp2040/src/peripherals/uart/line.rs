//! The format of a frame on the UART's line and its exact times. Time is counted in sixteenths of a bit's divider:
//! a bit lasts 16 · (IBRD + FBRD / 64) cycles of clk_peri, which is (64 · IBRD + FBRD) quarters of a cycle
//! (RP2040 datasheet 4.2.3.2). The real divider places each edge on a cycle of clk_peri; here it lies where the average
//! puts it, up to a cycle beside.

use units::{PS_PER_S, Picoseconds};

use super::registers::{LCR_EPS, LCR_PEN, LCR_SPS, LCR_STP2};
use mcu::{Character, Edge};

use crate::io::Io;
use crate::pins::{Function, Pins};

/// Pins of TX, RX and RTS: GPIO 4n + 0 is TX, + 1 RX, + 2 CTS, + 3 RTS; UART0 has 0 to 3, 12 to 19 and 28 to 29, UART1 the
/// others (RP2040 datasheet 1.4.3).
const PORT: [u32; 2] = [0x300f_f00f, 0x0ff0_0ff0];
const TX: u32 = 0x1111_1111;
const RX: u32 = 0x2222_2222;
const RTS: u32 = 0x8888_8888;

/// Drives TX and RTS; both are there as soon as a pin shows them.
pub(super) fn drive(io: &mut Io, port: u8, tx: bool, rts: bool) {
    let (tx_mask, rts_mask) = (TX & PORT[usize::from(port)], RTS & PORT[usize::from(port)]);
    let levels = (if tx { tx_mask } else { 0 }) | (if rts { rts_mask } else { 0 });
    io.pins.drive(io.now, Function::Uart, tx_mask | rts_mask, levels, tx_mask | rts_mask);
}

/// The pins that show RX, a bit each.
pub(super) fn receiving(pins: &Pins, port: u8) -> u32 {
    RX & PORT[usize::from(port)] & pins.selected(Function::Uart)
}

/// Whether a wire leads from TX to other pins of this chip. A line to another board is told of whole frames.
pub(super) fn is_joined(pins: &Pins, port: u8) -> bool {
    let own = TX & PORT[usize::from(port)] & pins.selected(Function::Uart);
    pins.wired_with(own) & !own != 0 && pins.lines_out() & own == 0
}

/// How a byte goes over the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Format {
    lcr_h: u32,
}

impl Format {
    pub(super) fn new(lcr_h: u32) -> Self {
        Self { lcr_h }
    }

    /// Data bits: 5 to 8.
    pub(super) fn word_bits(self) -> u32 {
        5 + (self.lcr_h >> 5 & 3)
    }

    /// The bits of a byte that are sent.
    pub(super) fn mask(self, byte: u8) -> u8 {
        byte & (u8::MAX >> (8 - self.word_bits()))
    }

    /// Bits of a whole frame: start, data, parity, stop.
    pub(super) fn frame_bits(self) -> u32 {
        1 + self.word_bits() + u32::from(self.lcr_h & LCR_PEN != 0) + self.stop_bits()
    }

    /// Start, data and parity.
    pub(super) fn bits_before_stop(self) -> u32 {
        self.frame_bits() - self.stop_bits()
    }

    /// The parity bit of a byte, where there is one.
    pub(super) fn parity_bit(self, byte: u8) -> Option<bool> {
        (self.lcr_h & LCR_PEN != 0).then(|| self.parity(byte))
    }

    fn stop_bits(self) -> u32 {
        1 + u32::from(self.lcr_h & LCR_STP2 != 0)
    }

    fn parity(self, byte: u8) -> bool {
        let even = self.lcr_h & LCR_EPS != 0;
        if self.lcr_h & LCR_SPS != 0 { !even } else { (self.mask(byte).count_ones() % 2 == 1) == even }
    }

    /// The levels of a frame's bits, the first in bit 0.
    fn levels(self, byte: u8) -> u32 {
        let word = self.word_bits();
        let mut levels = u32::from(self.mask(byte)) << 1;
        let mut bits = 1 + word;
        if self.lcr_h & LCR_PEN != 0 {
            levels |= u32::from(self.parity(byte)) << bits;
            bits += 1;
        }
        levels | u32::MAX << bits
    }
}

/// When the bits of back-to-back frames begin, counted from the first frame's start.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Beat {
    anchor: Picoseconds,
    bits: u64,
    divider: u64,
    hz: u64,
}

impl Beat {
    /// A beat that begins now; nothing when the clock or the divider stands.
    pub(super) fn new(now: Picoseconds, divider: u32, hz: u64) -> Option<Self> {
        (divider >= 64 && hz > 0).then_some(Self { anchor: now, bits: 0, divider: u64::from(divider), hz })
    }

    /// Whether frames go on at that rate.
    pub(super) fn is_of(&self, divider: u32, hz: u64) -> bool {
        self.divider == u64::from(divider) && self.hz == hz
    }

    pub(super) fn advance(&mut self, bits: u32) {
        self.bits += u64::from(bits);
    }

    /// When the bit begins that lies `bits` after the current place.
    pub(super) fn bit(&self, bits: i64) -> Picoseconds {
        let count = u128::from(self.bits.saturating_add_signed(bits));
        let ps = count * u128::from(self.divider) * PS_PER_S as u128 / (4 * u128::from(self.hz));
        let ps = i64::try_from(ps).unwrap_or(i64::MAX);
        Picoseconds::new(self.anchor.ps().saturating_add(ps))
    }
}

/// A frame begins at the beat's current place: it goes out on the lines to other boards.
pub(super) fn send(pins: &mut Pins, port: u8, beat: &Beat, format: Format, byte: u8) {
    let mask = pins.lines().pins() & TX & PORT[usize::from(port)];
    if mask == 0 {
        return;
    }
    let mask = mask & pins.selected(Function::Uart);
    let (start, end) = (beat.bit(0), beat.bit(i64::from(format.frame_bits())));
    for pin in (0..32u8).filter(|pin| mask >> pin & 1 == 1) {
        let edges = edges(beat, format, byte, 0).map(|(at, level)| Edge { at, pin, level });
        pins.lines().send(Character { pin, start, end, byte }, edges);
    }
}

/// The changes of level of a frame whose first bit lies so far from the beat's current place.
pub(super) fn edges(
    beat: &Beat,
    format: Format,
    byte: u8,
    first: i64,
) -> impl Iterator<Item = (Picoseconds, bool)> {
    let levels = format.levels(byte);
    let level = move |bit: u32| levels >> bit & 1 == 1;
    let changes = (0..format.frame_bits()).filter(move |&bit| (bit == 0 || level(bit - 1)) != level(bit));
    changes.map(move |bit| (beat.bit(first + i64::from(bit)), level(bit)))
}

/// Adds the edges of a frame, which ended at the beat's current place, to those that are recorded.
pub(super) fn record(pins: &mut Pins, port: u8, beat: &Beat, format: Format, byte: u8) {
    let mask = pins.recorded() & TX & PORT[usize::from(port)];
    if mask == 0 {
        return;
    }
    let mask = mask & pins.selected(Function::Uart);
    for (at, level) in edges(beat, format, byte, -i64::from(format.frame_bits())) {
        let pins_of_tx = (0..32u8).filter(|pin| mask >> pin & 1 == 1);
        pins.add_edges(pins_of_tx.map(|pin| Edge { at, pin, level }));
    }
}
