//! Somebody types at a UART: bytes arrive one after another, as fast as the UART is set to take them.

use units::Picoseconds;

use crate::bus::Bus;
use crate::peripherals::Source;

const SOURCES: [Source; 2] = [Source::Typed0, Source::Typed1];
/// How long to wait for a UART that is off.
const PATIENCE: Picoseconds = Picoseconds::from_ns(1_000_000);

impl Bus {
    /// Adds to what is typed.
    pub(crate) fn type_at_uart(&mut self, port: usize, bytes: &[u8]) {
        let waits = self.typed[port].is_empty();
        self.typed[port].extend(bytes);
        if waits {
            self.next_typed(port);
        }
    }

    /// A byte that was typed has arrived.
    pub(super) fn typed_arrived(&mut self, port: usize) {
        if self.blocks.uart[port].frame_time(&self.io).is_some()
            && let Some(byte) = self.typed[port].pop_front()
        {
            self.blocks.uart[port].receive(byte, &mut self.io);
        }
        self.next_typed(port);
    }

    fn next_typed(&mut self, port: usize) {
        if self.typed[port].is_empty() {
            return;
        }
        let wait = self.blocks.uart[port].frame_time(&self.io).unwrap_or(PATIENCE);
        self.io.wake_at(SOURCES[port], self.io.now + wait);
    }
}
