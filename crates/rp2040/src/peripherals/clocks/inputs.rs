//! Clocks that oscillators outside give at pins: those at GPIN0 and GPIN1 are sources of the generators (RP2040 datasheet 2.15.2.3).
//! Edges are made while a pin is recorded, or a PIO program waits for it; otherwise nobody looks, and the pin stays low.

use units::{Hertz, Picoseconds};

use super::square::Square;
use crate::facts::CLOCK_INPUTS;
use crate::io::Io;
use crate::pins::{Function, Pins};

/// From an edge of a clock at a pin to what the cycle of clk_sys that it begins does at other pins: two pads, the generator and the
/// tree of the clock. No datasheet has it; pads of such chips take some nanoseconds each.
const PIN_TO_PIN: Picoseconds = Picoseconds::from_ns(10);

#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Given {
    pin: u8,
    square: Square,
}

#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ClockInputs {
    given: Vec<Given>,
}

/// Why a GPIN has no clock.
pub(super) fn missing(gpin: usize, pins: &Pins) -> &'static str {
    let pin = CLOCK_INPUTS[gpin];
    let is_given = pins.clocked >> pin & 1 == 1;
    match (gpin, is_given) {
        (0, false) => "a clock from GPIN0, but nothing on the board gives one at GPIO 20",
        (_, false) => "a clock from GPIN1, but nothing on the board gives one at GPIO 22",
        (0, true) => "a clock from GPIN0, but GPIO 20 is not set to the function CLOCK, or its input is off",
        (_, true) => "a clock from GPIN1, but GPIO 22 is not set to the function CLOCK, or its input is off",
    }
}

impl ClockInputs {
    /// A pin has a clock from here on, which rises at a time.
    pub(super) fn give(&mut self, pin: u8, rise: Picoseconds, hz: u64, io: &mut Io) {
        let half = Hertz::new(hz.saturating_mul(2)).map_or(Picoseconds::ZERO, |hz| hz.edge(1));
        self.given.retain(|given| given.pin != pin);
        self.given.push(Given { pin, square: Square::new(hz, rise - half) });
        io.pins.drive_outside(io.now, pin, Some(false));
    }

    /// Looks which nets have a clock: pins may be wired together.
    pub(super) fn find_nets(&self, io: &mut Io) {
        let pins = self.given.iter().fold(0, |pins, given| pins | 1 << given.pin);
        io.pins.clocked = io.pins.wired_with(pins);
    }

    /// What GPIN0 and GPIN1 get.
    pub(super) fn gpin_hz(&self, pins: &Pins) -> [u64; 2] {
        [0, 1].map(|gpin| {
            let pin = CLOCK_INPUTS[gpin];
            let is_in = pins.selected(Function::Clock) >> pin & 1 == 1 && pins.lets_in(pin);
            self.at(gpin, pins).filter(|_| is_in).map_or(0, |square| square.hz)
        })
    }

    /// The clock of the net that a GPIN is on.
    fn at(&self, gpin: usize, pins: &Pins) -> Option<&Square> {
        let net = pins.wired_with(1 << CLOCK_INPUTS[gpin]);
        self.given.iter().find(|given| net >> given.pin & 1 == 1).map(|given| &given.square)
    }

    /// When the first cycle that a GPIN clocks begins, at a time or later.
    pub(super) fn edge_from(&self, gpin: usize, at: Picoseconds, pins: &Pins) -> Option<Picoseconds> {
        Some(self.at(gpin, pins)?.rise_from(at - PIN_TO_PIN)? + PIN_TO_PIN)
    }

    /// Looks again which pins are watched: the others stand still.
    pub(super) fn watch(&mut self, io: &mut Io) {
        let watched = io.pins.recorded() | io.pins.awaited();
        for Given { pin, square } in &mut self.given {
            let is_watched = io.pins.wired_with(1 << *pin) & watched != 0;
            if is_watched != square.is_watched() {
                square.watch(io.now, is_watched);
                io.pins.drive_outside(io.now, *pin, Some(false));
            }
        }
    }

    /// The next edge of any of them.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.given.iter().filter_map(|given| given.square.next_edge()).min()
    }

    /// Makes the edges that are due.
    pub(super) fn advance(&mut self, io: &mut Io) {
        self.watch(io);
        for Given { pin, square } in &mut self.given {
            if let Some(level) = square.take_edge(io.now) {
                io.pins.drive_outside(io.now, *pin, Some(level));
            }
        }
    }
}
