//! The pins of a chip, as the board around it meets them. A bit of every mask is a GPIO.

use units::Picoseconds;

use crate::{Edge, Outside};

/// The pins, and what they are connected to.
pub trait Pins {
    /// Connects what stands around the chip.
    fn connect(&mut self, outside: Box<dyn Outside>);

    /// What stands around the chip.
    fn outside(&mut self) -> &mut dyn Outside;

    /// The level of every pin, as a logic analyser sees it.
    fn levels(&self) -> u32;

    /// The pins that the chip itself drives now.
    fn driven(&self) -> u32;

    /// Drives a pin from outside, or lets go of it.
    fn drive_pin(&mut self, pin: u8, level: Option<bool>);

    /// Puts a resistor at a pin: it gives the level while nobody drives.
    fn pull_pin(&mut self, pin: u8, level: bool);

    /// An oscillator outside drives a pin from here on, by a rising edge and its frequency. It is known as a clock: its edges are made
    /// where somebody looks at them. Ignored by a chip that [`crate::Facts::clock_inputs`] says nothing of.
    fn give_clock(&mut self, pin: u8, rise: Picoseconds, hz: u64) {
        let _ = (pin, rise, hz);
    }

    /// Wires two pins together: from here on they are one net.
    fn wire_pins(&mut self, pin: u8, other: u8);

    /// Keeps every edge of these pins from here on.
    fn record_pins(&mut self, mask: u32);

    /// Takes the edges that were kept since the last call.
    fn take_edges(&mut self) -> Vec<Edge>;
}
