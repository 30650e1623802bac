//! What changed at the pins: what those are told who look at them, the edges that are kept, and the lines to other boards.

use mcu::Edge;
use units::Picoseconds;

use super::{ALL_PINS, CHANGES_KEPT, Function, Pins, pins_of};
use crate::outgoing_lines::OutgoingLines;

impl Pins {
    /// The pins whose level nothing but the function that they are given to has to do with.
    #[inline]
    pub(crate) fn plain(&self) -> u32 {
        self.plain
    }

    /// The pins of them that are given to a function.
    #[inline]
    pub(crate) fn plain_of(&self, function: Function) -> u32 {
        self.plain & self.selected[function as usize]
    }

    /// The pins that the chip leaves to those outside, who alone say what level they and their inputs have.
    pub(crate) fn left_to_outside(&self) -> u32 {
        let driven = self.selected.iter().zip(&self.enable).fold(0, |all, (own, enable)| all | own & enable);
        self.alone & !driven
    }

    /// Notes that pins changed, and which of them more than once since that was last asked, beside what [`Pins::drive`] has seen.
    pub(crate) fn note_changes(&mut self, changed: u32, pulsed: u32) {
        self.changed |= changed;
        self.inputs_changed |= changed;
        self.inputs_pulsed |= pulsed;
    }

    /// The pins whose level for peripherals changed since that was last asked.
    #[inline]
    pub(crate) fn inputs_changed(&self) -> u32 {
        self.inputs_changed
    }

    /// The pins whose level at the net changed since that was last asked.
    #[inline]
    pub(crate) fn changed(&self) -> u32 {
        self.changed
    }

    /// Whether no level changed since it was last asked.
    #[inline]
    pub(crate) fn are_settled(&self) -> bool {
        self.changed | self.inputs_changed == 0
    }

    /// The pins whose level at the net changed since the last call.
    pub(crate) fn take_changed(&mut self) -> u32 {
        std::mem::take(&mut self.changed)
    }

    /// The same of some pins, while the others stay noted.
    pub(crate) fn take_changed_of(&mut self, pins: u32) -> u32 {
        let taken = self.changed & pins;
        self.changed &= !pins;
        taken
    }

    /// The pins whose level for peripherals changed since the last call.
    pub(crate) fn take_inputs_changed(&mut self) -> u32 {
        self.inputs_pulsed = 0;
        std::mem::take(&mut self.inputs_changed)
    }

    /// The pins that did so more than once.
    #[inline]
    pub(crate) fn inputs_pulsed(&self) -> u32 {
        self.inputs_pulsed
    }

    /// The last changes of the levels that peripherals see, the oldest first: when, and what they were from then on.
    pub(crate) fn inputs_of_late(&self) -> [(Picoseconds, u32); CHANGES_KEPT] {
        let mut levels = self.inputs;
        let mut changes = self.before.map(|(at, before)| (at, std::mem::replace(&mut levels, before)));
        changes.reverse();
        changes
    }

    /// The pins that are one net with any of these.
    pub(crate) fn wired_with(&self, pins: u32) -> u32 {
        pins_of(pins & ALL_PINS).fold(0, |nets, pin| nets | self.wired[pin])
    }

    /// The pins at which lines to other boards begin.
    pub(crate) fn lines_out(&self) -> u32 {
        self.lines.pins()
    }

    /// Keeps every edge of these pins from here on.
    pub fn record(&mut self, mask: u32) {
        self.recorded = mask & ALL_PINS;
    }

    /// The pins whose edges are kept.
    pub fn recorded(&self) -> u32 {
        self.recorded
    }

    /// The pins for which programs of PIO wait.
    pub(crate) fn awaited(&self) -> u32 {
        self.awaited[0] | self.awaited[1]
    }

    /// Machines of a block wait for these pins, and no longer for those that they waited for before; whether that is news.
    #[inline]
    pub(crate) fn await_pins(&mut self, block: usize, pins: u32) -> bool {
        std::mem::replace(&mut self.awaited[block], pins) != pins
    }

    /// The edges that were kept since they were taken.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Takes the edges that were kept since the last call.
    pub fn take_edges(&mut self) -> Vec<Edge> {
        std::mem::take(&mut self.edges)
    }

    /// Keeps edges that a frame on a bus stands for (the bits of an SPI byte), without moving the pin.
    pub fn add_edges(&mut self, edges: impl IntoIterator<Item = Edge>) {
        let recorded = self.recorded;
        self.edges.extend(edges.into_iter().filter(|edge| recorded >> edge.pin & 1 == 1));
    }

    /// A line to another board begins at this pin: what the chip drives there is kept from here on.
    pub(crate) fn begin_line(&mut self, at: Picoseconds, pin: u8) {
        self.lines.begin(pin);
        self.find_plain();
        self.resolve(at, 1 << pin);
    }

    /// A wire to another board begins at this pin: the levels of its net are kept from here on.
    pub(crate) fn begin_wire(&mut self, at: Picoseconds, pin: u8) {
        self.lines.begin_wire(pin);
        self.find_plain();
        self.resolve(at, 1 << pin);
    }

    /// The lines that begin at pins.
    pub(crate) fn lines(&mut self) -> &mut OutgoingLines {
        &mut self.lines
    }

    /// How often the chip and the outside drove one pin to different levels.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }
}
