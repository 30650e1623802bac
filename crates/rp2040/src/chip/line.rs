//! Serial lines between this chip and another board's. A line from a pin is told of with [`Rp2040::take_lines`]; of a line
//! to a UART the chip is told with [`Rp2040::hear_line`], and it comes back with [`mcu::Stop::AwaitsLine`] where it cannot
//! go on before it knows more.

use mcu::{Edge, Outgoing};
use units::Picoseconds;

use crate::bus::Bus;
use crate::chip::Rp2040;
use crate::facts::FACTS;

const TICK: Picoseconds = Picoseconds::new(1);

impl Rp2040 {
    /// A line to another board begins at a pin.
    pub fn begin_line(&mut self, pin: u8) {
        let now = self.now();
        self.bus.io.pins.begin_line(now, pin);
    }

    /// A wire to another board begins at a pin.
    pub fn begin_wire(&mut self, pin: u8) {
        let now = self.now();
        self.bus.io.pins.begin_wire(now, pin);
    }

    /// A line from another board ends at the receiving pin of a UART; false where a pin is none.
    pub fn end_line(&mut self, pin: u8) -> bool {
        let Some(port) = (FACTS.uart_receives)(pin) else { return false };
        let (blocks, io) = (&mut self.bus.blocks, &mut self.bus.io);
        blocks.uart[usize::from(port)].end_line(pin, io);
        true
    }

    /// Takes what left on lines since the last call.
    pub fn take_lines(&mut self) -> Outgoing {
        self.bus.io.pins.lines().take()
    }

    /// Up to and including which time the levels of a line from a pin are all that were taken, if the chip has run to a time
    /// (or slept through it) and to the present.
    pub fn line_known_to(&mut self, pin: u8, ran_to: Picoseconds) -> Picoseconds {
        let ran_to = self.now().max(ran_to).min(self.bus.io.next_wake());
        self.bus.io.pins.lines().decided_to(pin).max(ran_to) - TICK
    }

    /// The changes of level on the line that ends at a pin, up to and including a time, from those told before on.
    ///
    /// # Errors
    /// The time at which a character was whole, where the chip was looked at since.
    pub fn hear_line(&mut self, pin: u8, edges: &[Edge], known_to: Picoseconds) -> Result<(), Picoseconds> {
        let Some(port) = (FACTS.uart_receives)(pin) else { return Ok(()) };
        let (blocks, io) = (&mut self.bus.blocks, &mut self.bus.io);
        io.pins.add_edges(edges.iter().map(|edge| Edge { pin, ..*edge }));
        blocks.uart[usize::from(port)].hear_line(edges, known_to, io)
    }

    /// How long a character is to the UART at the receiving end of a line, as it is set now.
    pub fn received_character(&self, pin: u8) -> Option<Picoseconds> {
        let port = (FACTS.uart_receives)(pin)?;
        self.bus.blocks.uart[usize::from(port)].received_character(&self.bus.io)
    }

    /// How many characters a line brought while its pin was another function's than the UART's, which saw none of them.
    pub fn unheard_characters(&self, pin: u8) -> u64 {
        let port = (FACTS.uart_receives)(pin);
        port.map_or(0, |port| self.bus.blocks.uart[usize::from(port)].unheard_characters())
    }
}

impl Bus {
    /// What was asked for is asked for again: a run that came back for want of a line did not go on.
    pub(super) fn plan_lines(&mut self) {
        for uart in &mut self.blocks.uart {
            uart.plan(&mut self.io);
        }
    }
}
