//! What leaves the chip towards another board: changes of level, kept until somebody takes them. A USART gives a whole character
//! when its start bit begins; all else gives a change when it happens. A pin that the chip does not drive leaves a serial line
//! idle, which is high; a plain wire has the level of the pin, whoever makes it.

use mcu::{Character, Edge, Outgoing};
use units::Picoseconds;

/// All lines from a chip.
#[derive(Debug)]
pub(crate) struct OutgoingLines {
    /// The pins at which lines and wires begin, a bit each.
    pins: u32,
    /// Those of them at which plain wires begin.
    wires: u32,
    /// The last level of each that was given.
    levels: u32,
    /// Up to when the levels of each are decided.
    decided_to: [Picoseconds; 32],
    taken: Outgoing,
}

impl Default for OutgoingLines {
    fn default() -> Self {
        let decided_to = [Picoseconds::ZERO; 32];
        Self { pins: 0, wires: 0, levels: u32::MAX, decided_to, taken: Outgoing::default() }
    }
}

impl OutgoingLines {
    pub(crate) fn begin(&mut self, pin: u8, is_wire: bool) {
        self.pins |= 1 << (pin & 31);
        self.wires |= u32::from(is_wire) << (pin & 31);
    }

    #[inline]
    pub(crate) fn pins(&self) -> u32 {
        self.pins
    }

    /// Takes over the levels of all pins, of which the chip drives some.
    pub(crate) fn see(&mut self, at: Picoseconds, levels: u32, driven: u32) {
        let shown = levels | !driven & !self.wires;
        let mut changed = (shown ^ self.levels) & self.pins;
        self.levels ^= changed;
        while changed != 0 {
            let pin = changed.trailing_zeros() as u8;
            changed &= changed - 1;
            let at = at.max(self.decided_to[usize::from(pin)]);
            self.taken.edges.push(Edge { at, pin, level: shown >> pin & 1 == 1 });
        }
    }

    /// A character of a USART begins: the changes of its levels, from its start bit on, after which the line is high.
    pub(crate) fn send(&mut self, character: Character, edges: impl IntoIterator<Item = Edge>) {
        self.taken.edges.extend(edges);
        self.decided_to[usize::from(character.pin & 31)] = character.end;
        self.taken.characters.push(character);
    }

    /// Up to when the levels of a line are decided, before that time itself.
    pub(crate) fn decided_to(&self, pin: u8) -> Picoseconds {
        self.decided_to[usize::from(pin & 31)]
    }

    /// Takes what left since the last call.
    pub(crate) fn take(&mut self) -> Outgoing {
        std::mem::take(&mut self.taken)
    }
}
