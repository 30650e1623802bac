//! Lines to and from other boards, at pins and USARTs. A run comes back where a receiver has to know more of its line.

use mcu::{Character, Edge, Outgoing};
use units::Picoseconds;

use super::{Io, Slot};
use crate::lines::receiver::{Receiver, Reception, Seen};
use crate::peripherals::NEVER;
use crate::pins::bit;

const TICK: Picoseconds = Picoseconds::new(1);

impl Io {
    /// A line, or a plain wire, begins at a pin.
    pub(crate) fn begin_line(&mut self, pin: u8, is_wire: bool, cycle: u64) {
        self.lines.outgoing.begin(pin, is_wire);
        self.lines_see(cycle);
    }

    /// A line ends at the receiving pin of a USART; false where a pin is none.
    pub(crate) fn end_line(&mut self, pin: u8, now: Picoseconds) -> bool {
        let Some(number) = self.receiver_at(pin) else { return false };
        self.lines.ends[number] = Some(Receiver::new(now, self.reception(number)));
        self.plan_lines();
        true
    }

    fn receiver_at(&self, pin: u8) -> Option<usize> {
        self.part.usarts.iter().position(|[rxd, _]| *rxd == pin)
    }

    pub(crate) fn take_lines(&mut self) -> Outgoing {
        self.lines.outgoing.take()
    }

    /// Up to which time a line is all that was taken, if the chip has run to a time.
    pub(crate) fn line_known_to(&self, pin: u8, ran_to: Picoseconds) -> Picoseconds {
        let next = self.next();
        let ran_to = if next == NEVER { ran_to } else { ran_to.min(self.time(next)) };
        self.lines.outgoing.decided_to(pin).max(ran_to) - TICK
    }

    /// Changes of level on the line that ends at a pin.
    ///
    /// # Errors
    /// The time at which a character was whole that comes too late.
    pub(crate) fn hear_line(
        &mut self,
        pin: u8,
        edges: &[Edge],
        known_to: Picoseconds,
        now: Picoseconds,
    ) -> Result<(), Picoseconds> {
        let Some(number) = self.receiver_at(pin) else { return Ok(()) };
        for edge in edges {
            self.devices.pins.add_edge_of_line(Edge { pin, ..*edge });
        }
        let Some(receiver) = &mut self.lines.ends[number] else { return Ok(()) };
        receiver.hear(edges, known_to);
        if let Seen::Character { whole, .. } = receiver.look()
            && whole < now
        {
            return Err(whole);
        }
        self.plan_lines();
        Ok(())
    }

    /// Lines see what the pins are now.
    #[inline]
    pub(crate) fn lines_see(&mut self, cycle: u64) {
        if self.lines.outgoing.pins() != 0 {
            let (levels, driven) = (self.devices.pins.levels(), self.devices.pins.driven());
            let at = self.time(cycle);
            self.lines.outgoing.see(at, levels, driven);
        }
    }

    /// A character leaves on a line, where one begins at its pin.
    pub(super) fn send_on_line(&mut self, pin: u8, byte: u8, cycles: [u64; 2], edges: &[Edge]) {
        if self.lines.outgoing.pins() & bit(pin) != 0 {
            let [start, end] = cycles.map(|cycle| self.time(cycle));
            self.lines.outgoing.send(Character { pin, start, end, byte }, edges.iter().copied());
        }
    }

    /// How long a character is to the USART with this receiving pin.
    pub(crate) fn received_character(&self, pin: u8) -> Option<Picoseconds> {
        let number = self.part.usarts.iter().position(|[rxd, _]| *rxd == pin)?;
        self.reception(number).map(|reception| mcu::Reception::whole(&reception))
    }

    /// How a USART receives, where it does.
    fn reception(&self, number: usize) -> Option<Reception> {
        let usart = self.devices.usarts.get(number).filter(|usart| usart.receives())?;
        Some(Reception { shape: usart.shape(), hz: self.devices.clock.hz() })
    }

    /// Baud rate, format or clock may have changed.
    pub(super) fn receptions_changed(&mut self, cycle: u64) {
        if self.lines.ends.iter().all(Option::is_none) {
            return;
        }
        for number in 0..self.lines.ends.len() {
            let (at, reception) = (self.time(cycle), self.reception(number));
            if let Some(receiver) = &mut self.lines.ends[number] {
                receiver.set(at, reception);
            }
        }
        self.plan_lines();
    }

    /// Has the chip look at its lines when something is on them, or when more has to be known.
    pub(crate) fn plan_lines(&mut self) {
        if self.lines.ends.iter().any(Option::is_some) {
            self.refresh(Slot::Lines);
        }
    }

    pub(super) fn refresh_lines(&mut self) {
        let due = self.lines_due();
        self.devices.schedule(Slot::Lines, due);
    }

    /// The cycle at which something is next on a line, or has to be known of it.
    fn lines_due(&self) -> u64 {
        let due = |receiver: &Receiver| match receiver.look() {
            Seen::Character { whole: at, .. } | Seen::Unknown(at) => self.devices.clock.cycle_at(at),
            Seen::Nothing => NEVER,
        };
        self.lines.ends.iter().flatten().map(due).min().unwrap_or(NEVER)
    }

    /// Takes the characters that are whole. False where more has to be known first: then the run comes back.
    pub(super) fn look_at_lines(&mut self, cycle: u64) -> bool {
        let now = self.time(cycle);
        for number in 0..self.lines.ends.len() {
            while let Some(receiver) = &mut self.lines.ends[number] {
                match receiver.look() {
                    Seen::Character { sampled, whole, byte, errors } if whole <= now => {
                        receiver.take(sampled);
                        self.devices.usarts[number].receive(byte, errors);
                        self.refresh(Slot::Usart(number as u8));
                    }
                    Seen::Unknown(at) if at <= now => {
                        self.lines.awaits = true;
                        break;
                    }
                    _ => break,
                }
            }
        }
        !self.lines.awaits
    }
}
