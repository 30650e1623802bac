//! Lines to other boards, each from a pin. What the chip drives there is kept as changes of level until somebody takes it. A
//! UART gives a whole character when its start bit begins; all else gives a change when it happens. A pin that the chip does
//! not drive leaves a serial line idle, which is high; a plain wire has the level of the pin's net, whoever makes it.
//!
//! Left out: a character that has begun goes out whole, whatever becomes of UART and pin meanwhile. What begins before it has ended,
//! as only after a reset of the UART it can, finds the line taken and is lost.

use mcu::{Character, Edge, Outgoing};
use units::Picoseconds;

use crate::pins::PIN_COUNT;

/// All lines from a chip.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingLines {
    /// The pins at which lines begin, a bit each.
    pins: u32,
    /// Those of them at which plain wires begin.
    wires: u32,
    /// The last level of each that was given.
    levels: u32,
    /// Up to when the levels of each are decided.
    decided_to: [Picoseconds; PIN_COUNT as usize],
    outgoing: Outgoing,
}

impl Default for OutgoingLines {
    fn default() -> Self {
        let decided_to = [Picoseconds::ZERO; PIN_COUNT as usize];
        Self { pins: 0, wires: 0, levels: u32::MAX, decided_to, outgoing: Outgoing::default() }
    }
}

impl OutgoingLines {
    pub(crate) fn begin(&mut self, pin: u8) {
        self.pins |= 1 << pin;
    }

    pub(crate) fn begin_wire(&mut self, pin: u8) {
        self.begin(pin);
        self.wires |= 1 << pin;
    }

    #[inline]
    pub(crate) fn wires(&self) -> u32 {
        self.wires
    }

    #[inline]
    pub(crate) fn pins(&self) -> u32 {
        self.pins
    }

    /// The chip drives a pin to a level, or does not drive it.
    pub(crate) fn drive(&mut self, at: Picoseconds, pin: u8, level: Option<bool>) {
        let level = level.unwrap_or(true);
        if level == (self.levels >> pin & 1 == 1) {
            return;
        }
        self.levels ^= 1 << pin;
        let at = at.max(self.decided_to[usize::from(pin)]);
        self.outgoing.edges.push(Edge { at, pin, level });
    }

    /// A character of a UART begins: the changes of its levels, from its start bit on, after which the line is high.
    pub(crate) fn send(&mut self, character: Character, edges: impl IntoIterator<Item = Edge>) {
        let decided_to = &mut self.decided_to[usize::from(character.pin)];
        if character.start < *decided_to {
            return;
        }
        *decided_to = character.end;
        self.outgoing.edges.extend(edges);
        self.outgoing.characters.push(character);
    }

    /// Up to when the levels of a line are decided, before that time itself.
    pub(crate) fn decided_to(&self, pin: u8) -> Picoseconds {
        self.decided_to[usize::from(pin)]
    }

    /// Takes what left since the last call.
    pub(crate) fn take(&mut self) -> Outgoing {
        std::mem::take(&mut self.outgoing)
    }
}
