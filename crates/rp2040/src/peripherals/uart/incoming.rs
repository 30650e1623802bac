//! The line from another board: the receiver and the chip's agenda. A character is there when its stop bit is over, and the
//! chip comes back from its run where the receiver has to know more of its line.

use mcu::Edge;
use units::Picoseconds;

use super::line::Format;
use super::receiver::{Receiver, Reception, Seen};
use super::registers::{CR_LBE, CR_RXE};
use super::{LINE_SOURCE, Uart};
use crate::io::Io;
use crate::pins::Function;

impl Uart {
    /// A line ends here, which is idle so far. From here on the chip runs no further than [`Self::hear_line`] allows.
    pub(crate) fn end_line(&mut self, pin: u8, io: &mut Io) {
        self.line = Some(Box::new(Receiver::new(pin, io.now, self.reception(io))));
        self.plan(io);
    }

    /// The changes of level on the line up to and including a time, from those told before on.
    ///
    /// # Errors
    /// The time at which a character was whole that comes too late: the chip was looked at since.
    pub(crate) fn hear_line(
        &mut self,
        edges: &[Edge],
        known_to: Picoseconds,
        io: &mut Io,
    ) -> Result<(), Picoseconds> {
        let Some(line) = &mut self.line else { return Ok(()) };
        line.hear(edges, known_to);
        if let Seen::Character { whole, .. } = line.look()
            && whole < io.now
        {
            return Err(whole);
        }
        self.plan(io);
        Ok(())
    }

    /// How many characters a line brought while its pin was another function's.
    pub(crate) fn unheard_characters(&self) -> u64 {
        self.line.as_ref().map_or(0, |line| line.unheard)
    }

    /// Asks for what is next on the line, if there is one: before a run, in which nothing may be left out.
    pub(crate) fn plan(&mut self, io: &mut Io) {
        let Some(line) = &self.line else { return };
        let source = LINE_SOURCE[self.index()];
        match line.look() {
            Seen::Character { whole: at, .. } | Seen::Unknown(at) => io.wake_at(source, at),
            Seen::Nothing => io.cancel(source),
        }
    }

    /// Clock, divider, format or control may have changed.
    pub(crate) fn reception_changed(&mut self, io: &mut Io) {
        if self.line.is_some() {
            let reception = self.reception(io);
            if let Some(line) = &mut self.line {
                line.set(io.now, reception);
            }
            self.plan(io);
        }
    }

    /// How long a character is, where one would be received.
    pub(crate) fn received_character(&self, io: &Io) -> Option<Picoseconds> {
        self.reception(io).map(|reception| mcu::Reception::whole(&reception))
    }

    pub(super) fn reception(&self, io: &Io) -> Option<Reception> {
        let (divider, hz) = (self.divider, io.clocks.peri_hz);
        let is_on = self.is_on(CR_RXE) && self.cr & CR_LBE == 0 && divider >= 64 && hz > 0;
        is_on.then(|| Reception { format: Format::new(self.lcr_h), divider, hz })
    }

    pub(super) fn look_at_line(&mut self, io: &mut Io) {
        let Some(line) = &mut self.line else { return };
        match line.look() {
            Seen::Character { sampled, whole, word } if whole <= io.now => {
                line.take(sampled);
                if io.pins.control(line.pin).0 == Function::Uart as u8 {
                    self.accept(word, io);
                } else {
                    line.unheard += 1;
                }
            }
            Seen::Unknown(at) if at <= io.now => {
                io.awaits_line = true;
                return;
            }
            _ => {}
        }
        self.plan(io);
    }
}
