//! SDA and SCL at the pins: who in this block holds which of them low, what the pins show, and the conditions that follow.
//! Both lines are open drain: a block pulls a line low or lets go of it, and resistors make it high.
//!
//! Left out: the rise times of the lines, and the spike filter's and the synchroniser's delay.

use units::Picoseconds;

use super::registers::*;
use super::{I2c, wires};
use crate::io::Io;
use crate::pins::{Function, Pins};

/// The levels of both lines, or who holds them low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Levels {
    pub(super) sda: bool,
    pub(super) scl: bool,
}

pub(super) const RELEASED: Levels = Levels { sda: true, scl: true };

/// The lines as this block has to do with them.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct OpenDrain {
    /// What the controller lets the lines be; false holds low.
    pub(super) controller: Levels,
    /// The same for the target.
    pub(super) target: Levels,
    /// The levels that were seen last.
    pub(super) seen: Levels,
    /// Between a start and a stop of whoever it was.
    pub(super) busy: bool,
    /// When the last start was.
    started: Picoseconds,
}

impl Default for OpenDrain {
    fn default() -> Self {
        Self {
            controller: RELEASED,
            target: RELEASED,
            seen: RELEASED,
            busy: false,
            started: Picoseconds::ZERO,
        }
    }
}

/// What a change of the lines means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Start,
    Stop,
    ClockRises,
    ClockFalls,
}

/// What the block sees at its pins. A signal that several pins have is high when one of them is (RP2040 datasheet 2.19.2);
/// one that no pin has counts as released.
fn seen(pins: &Pins, port: u8) -> Levels {
    let level = |signal: u32| {
        let own = signal & pins.selected(Function::I2c);
        own == 0 || pins.inputs() & own != 0
    };
    let (sda, scl) = wires::signals(port);
    Levels { sda: level(sda), scl: level(scl) }
}

/// Whether somebody else is at the pins of a port: a wire leads from them to other pins, or to another board.
pub(super) fn is_joined(pins: &Pins, port: u8) -> bool {
    let (sda, scl) = wires::signals(port);
    let own = (sda | scl) & pins.selected(Function::I2c);
    pins.wired_with(own) & !own != 0 || pins.lines_out() & own != 0
}

/// Lets go of both lines of a port: the block was reset.
pub(crate) fn release(io: &mut Io, port: u8) {
    let (sda, scl) = wires::signals(port);
    io.pins.drive(io.now, Function::I2c, sda | scl, 0, 0);
}

impl I2c {
    /// Holds the lines low that controller or target want low, and lets go of the others.
    pub(super) fn pull(&mut self, io: &mut Io) {
        let (sda, scl) = wires::signals(self.port);
        let lines = &self.lines;
        let low = |released: bool, signal: u32| if released { 0 } else { signal };
        let enables = low(lines.controller.sda && lines.target.sda, sda)
            | low(lines.controller.scl && lines.target.scl, scl);
        io.pins.drive(io.now, Function::I2c, sda | scl, 0, enables);
    }

    pub(super) fn levels(&self, io: &Io) -> Levels {
        seen(&io.pins, self.port)
    }

    /// The block is switched on: what it sees now is no change, and a line that is low is somebody's.
    pub(super) fn begin_to_listen(&mut self, io: &Io) {
        self.lines.seen = self.levels(io);
        self.lines.busy = false;
    }

    /// Whether a start is in order.
    pub(super) fn is_bus_free(&self, io: &Io) -> bool {
        !self.lines.busy && self.levels(io) == RELEASED
    }

    /// Whether another controller began at this very instant: neither knows of the other yet.
    pub(super) fn begins_now(&self, io: &Io) -> bool {
        self.lines.busy && self.lines.started == io.now
    }

    /// What became of the lines since they were last looked at. An edge of SCL counts before one of SDA when it falls and
    /// after it when it rises, so that both at one instant are no condition.
    fn take_change(&mut self, io: &Io) -> Option<Change> {
        let levels = self.levels(io);
        let before = std::mem::replace(&mut self.lines.seen, levels);
        match (before.scl, levels.scl) {
            (false, true) => Some(Change::ClockRises),
            (true, false) => Some(Change::ClockFalls),
            (true, true) if before.sda != levels.sda => {
                Some(if levels.sda { Change::Stop } else { Change::Start })
            }
            _ => None,
        }
    }

    /// The levels that peripherals see changed at some pins.
    pub(crate) fn inputs_changed(&mut self, changed: u32, io: &mut Io) {
        let (sda, scl) = wires::signals(self.port);
        if changed & (sda | scl) == 0 || !self.is_listening() {
            return;
        }
        if let Some(change) = self.take_change(io) {
            match change {
                Change::Start => {
                    (self.lines.busy, self.lines.started) = (true, io.now);
                    self.sticky |= INT_START_DET | INT_ACTIVITY;
                }
                Change::Stop => {
                    self.lines.busy = false;
                    if self.con & CON_STOP_DET_IFADDRESSED == 0 || self.target.is_addressed() {
                        self.sticky |= INT_STOP_DET;
                    }
                }
                Change::ClockRises | Change::ClockFalls => {}
            }
            self.target_notices(change, io);
            self.controller_notices(change, io);
        }
        self.proceed(io);
        self.apply_lines(io);
    }

    /// Whether a change at its pins can mean anything to this block.
    fn is_listening(&self) -> bool {
        self.is_enabled() || self.bus.is_active()
    }

    /// The pins at which this block may listen, a bit each.
    pub(crate) fn listens_to(&self, pins: &Pins) -> u32 {
        let (sda, scl) = wires::signals(self.port);
        (sda | scl) & pins.selected(Function::I2c)
    }
}
