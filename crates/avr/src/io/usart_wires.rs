//! USARTs at pins that a wire joins with others of the chip: whoever is at the other end, another USART or software, sees the levels
//! of each bit, and is heard bit by bit. A receiver samples a bit in its middle (ATmega328P datasheet, "Asynchronous Data
//! Recovery"). A falling edge that is still low half a bit later is a start bit.
//!
//! Left out: the majority of three samples, and that start bits are found with a sixteenth of a bit.

use super::{Io, Slot};
use crate::peripherals::NEVER;
use crate::peripherals::usart::{Frame, Shape};
use crate::pins::bit;

/// What goes over the wires of a USART.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct UsartWires {
    sent: Option<Sent>,
    heard: Option<Heard>,
    /// A character whose stop bit was sampled, with its errors as UCSRnA has them, and when that bit is over.
    character: Option<(u64, u8, u8)>,
}

/// A frame on TXD.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Sent {
    frame: Frame,
    shape: Shape,
    /// The bit that begins next.
    bit: u64,
}

/// A frame on RXD, of which some bits were sampled.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Heard {
    start: u64,
    shape: Shape,
    bits: u16,
    count: u64,
}

impl Sent {
    fn next(&self) -> u64 {
        self.frame.start + self.bit * self.shape.bit_cycles
    }
}

impl Heard {
    /// The middle of the next bit.
    fn next(&self) -> u64 {
        self.start + self.count * self.shape.bit_cycles + self.shape.bit_cycles / 2
    }

    /// The character, when its stop bit was sampled.
    fn whole(&self) -> Option<(u64, u8, u8)> {
        let bits = self.shape.bits_before_stop() + 1;
        let over = self.start + bits * self.shape.bit_cycles;
        let (word, errors) = self.shape.received(self.bits);
        (self.count == bits).then_some((over, word as u8, errors))
    }
}

impl UsartWires {
    /// Whether bits of a frame have yet to begin on TXD.
    pub(super) fn is_sending(&self) -> bool {
        self.sent.is_some()
    }

    pub(super) fn next(&self) -> u64 {
        let sent = self.sent.map(|sent| sent.next());
        let heard = self.heard.map(|heard| heard.next());
        let whole = self.character.map(|(over, ..)| over);
        sent.into_iter().chain(heard).chain(whole).min().unwrap_or(NEVER)
    }
}

impl Io {
    /// Whether a wire leads from a pin of a USART to others of the chip. A line to another board is told of whole frames.
    fn is_wired(&self, pin: u8) -> bool {
        self.devices.pins.is_wired(bit(pin)) && self.lines.outgoing.pins() & bit(pin) == 0
    }

    /// Whether what a USART sends is at a wire, bit by bit.
    pub(super) fn sends_to_wire(&self, number: u8) -> bool {
        self.is_wired(self.part.usarts[usize::from(number)][1])
    }

    /// A frame begins on TXD, where a wire leads from it.
    pub(super) fn send_to_wire(&mut self, number: u8, frame: Frame) {
        let place = usize::from(number);
        let shape = self.devices.usarts[place].shape();
        self.devices.usart_wires[place].sent = Some(Sent { frame, shape, bit: 0 });
        self.refresh(Slot::UsartWire(number));
    }

    /// Pins changed, of which some may be RXD of a USART.
    pub(super) fn wires_changed(&mut self, changed: u32, cycle: u64) {
        for number in 0..self.devices.usarts.len() {
            let [rxd, _] = self.part.usarts[number];
            let falls = changed & bit(rxd) & !self.devices.pins.levels() != 0;
            let usart = &self.devices.usarts[number];
            let listens =
                falls && usart.receives() && self.is_wired(rxd) && self.lines.ends[number].is_none();
            let wires = &mut self.devices.usart_wires[number];
            if listens && wires.heard.is_none() {
                wires.heard = Some(Heard { start: cycle, shape: usart.shape(), bits: 0, count: 0 });
                self.refresh(Slot::UsartWire(number as u8));
            }
        }
    }

    /// A bit begins on TXD, or is to be sampled on RXD, or a character is over.
    pub(super) fn wire_is_due(&mut self, number: u8, cycle: u64) {
        let place = usize::from(number);
        let wires = &mut self.devices.usart_wires[place];
        if let Some((_, byte, errors)) = wires.character.take_if(|(over, ..)| *over <= cycle) {
            self.devices.usarts[place].receive(byte, errors);
            self.refresh(Slot::Usart(number));
        }
        self.sample_wire(place, cycle);
        self.show_bit(place, cycle);
    }

    fn sample_wire(&mut self, place: usize, cycle: u64) {
        let level = self.devices.pins.levels() & bit(self.part.usarts[place][0]) != 0;
        let wires = &mut self.devices.usart_wires[place];
        let Some(heard) = wires.heard.as_mut().filter(|heard| heard.next() <= cycle) else { return };
        heard.bits |= u16::from(level) << heard.count;
        heard.count += 1;
        let is_glitch = heard.count == 1 && level;
        let whole = heard.whole();
        wires.character = whole.or(wires.character);
        if whole.is_some() || is_glitch {
            wires.heard = None;
        }
    }

    fn show_bit(&mut self, place: usize, cycle: u64) {
        let Some(sent) = self.devices.usart_wires[place].sent.as_mut() else { return };
        if sent.next() > cycle {
            return;
        }
        let level = sent.shape.levels(sent.frame.byte) >> sent.bit & 1 == 1;
        sent.bit += 1;
        if sent.next() >= sent.frame.end {
            self.devices.usart_wires[place].sent = None;
        }
        let txd = bit(self.part.usarts[place][1]);
        self.devices
            .pins
            .give(txd, self.devices.usarts[place].holds_txd().then_some(if level { txd } else { 0 }));
        self.pins_may_have_changed(cycle);
    }
}
