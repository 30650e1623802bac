//! A USART as UART (ATmega328P datasheet, "USART0"): frames of 5 to 9 bits with parity, double speed, two bytes of receive
//! buffer, and its three interrupts. A frame begins as soon as the shift register is free.
//!
//! Left out: the synchronous mode and that of SPI, multi-processor frames, the ninth bit, and the phase of the baud rate's prescaler,
//! which is taken to begin with each frame.

use std::collections::VecDeque;

use super::{NEVER, has};

const RXC: u8 = 1 << 7;
const TXC: u8 = 1 << 6;
const UDRE: u8 = 1 << 5;
const DOR: u8 = 1 << 3;
/// FE and UPE.
pub(crate) const FRAME_ERROR: u8 = 1 << 4;
pub(crate) const PARITY_ERROR: u8 = 1 << 2;
const U2X: u8 = 1 << 1;
const RXCIE: u8 = 7;
const TXCIE: u8 = 6;
const UDRIE: u8 = 5;
const RXEN: u8 = 4;
const TXEN: u8 = 3;
const UCSZ2: u8 = 2;
/// The receive buffer.
const FIFO_BYTES: usize = 2;

/// A USART.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Usart {
    status: u8,
    control: u8,
    format: u8,
    divisor: u16,
    /// Cycles of a bit of the last frame that was sent; 0 before.
    sent_bit_cycles: u64,
    /// The byte that waits for the shift register.
    waiting: Option<u8>,
    shifting: Option<Frame>,
    /// Each byte with the errors of its frame.
    received: VecDeque<(u8, u8)>,
    overrun: bool,
    /// What is typed, and when the next byte of it is whole.
    typed: VecDeque<u8>,
    typed_at: u64,
    /// Whether PRRn has stopped its clock.
    is_stopped: bool,
}

/// A frame on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Frame {
    pub(crate) byte: u8,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The lengths of a frame's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Shape {
    pub(crate) bit_cycles: u64,
    pub(crate) data_bits: u64,
    pub(crate) parity: Option<bool>,
    pub(crate) stop_bits: u64,
}

impl Shape {
    fn frame_cycles(&self) -> u64 {
        self.bit_cycles * (self.bits_before_stop() + self.stop_bits)
    }

    /// Start, data and parity.
    pub(crate) fn bits_before_stop(&self) -> u64 {
        1 + self.data_bits + u64::from(self.parity.is_some())
    }

    /// The levels of a frame's bits, the first one lowest.
    pub(crate) fn levels(&self, byte: u8) -> u32 {
        let data = u32::from(byte) & ((1 << self.data_bits) - 1);
        let is_odd = data.count_ones() % 2 == 1;
        let parity = self.parity.map_or(0, |odd| u32::from(is_odd != odd) << (1 + self.data_bits));
        data << 1 | parity | u32::MAX << self.bits_before_stop()
    }

    /// What a receiver makes of the bits of a frame: the word, and its errors as UCSRnA has them.
    pub(crate) fn received(&self, bits: u16) -> (u16, u8) {
        let word = bits >> 1 & !(u16::MAX << self.data_bits);
        let bit = |number: u64| u32::from(bits >> number & 1);
        let stop = self.bits_before_stop();
        let is_right = self.parity.is_none_or(|odd| ((word.count_ones() + bit(stop - 1)) % 2 == 1) == odd);
        let framing = if bit(stop) == 1 { 0 } else { FRAME_ERROR };
        (word, framing | if is_right { 0 } else { PARITY_ERROR })
    }
}

impl Usart {
    pub(crate) fn new() -> Self {
        Self {
            status: UDRE,
            control: 0,
            // 8 bits, no parity, one stop bit.
            format: 0x06,
            divisor: 0,
            sent_bit_cycles: 0,
            waiting: None,
            shifting: None,
            received: VecDeque::new(),
            overrun: false,
            typed: VecDeque::new(),
            typed_at: NEVER,
            is_stopped: false,
        }
    }

    /// A reset; what is typed at it waits on.
    pub(crate) fn reset(&mut self) {
        let typed = std::mem::take(&mut self.typed);
        *self = Self { typed, ..Self::new() };
    }

    pub(crate) fn transmits(&self) -> bool {
        has(self.control, TXEN)
    }

    /// Whether TXD is its own: a transmitter that is switched off first finishes what it was given.
    pub(crate) fn holds_txd(&self) -> bool {
        self.transmits() || self.is_sending()
    }

    pub(crate) fn receives(&self) -> bool {
        has(self.control, RXEN) && self.has_clock()
    }

    pub(crate) fn has_clock(&self) -> bool {
        !self.is_stopped
    }

    /// PRRn stops its clock, or starts it again after some cycles. What is typed meanwhile waits.
    pub(crate) fn switch_clock(&mut self, stops: bool, stood_still: u64, cycle: u64) {
        self.is_stopped = stops;
        if let Some(frame) = &mut self.shifting {
            (frame.start, frame.end) = (frame.start + stood_still, frame.end + stood_still);
        }
        self.typed_at = NEVER;
        if self.receives() {
            self.pace_typed(cycle);
        }
    }

    pub(crate) fn is_sending(&self) -> bool {
        self.shifting.is_some()
    }

    /// Whether a byte that comes interrupts.
    pub(crate) fn wakes_by_receiving(&self) -> bool {
        self.receives() && has(self.control, RXCIE)
    }

    /// Whether it could take no byte.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.is_some()
    }

    /// Cycles of a bit of the last frame that was sent; nothing before.
    pub(crate) fn sent_bit_cycles(&self) -> Option<u64> {
        (self.sent_bit_cycles > 0).then_some(self.sent_bit_cycles)
    }

    pub(crate) fn shape(&self) -> Shape {
        let samples = if self.status & U2X != 0 { 8 } else { 16 };
        let size = self.format >> 1 & 3 | self.control & 1 << UCSZ2;
        Shape {
            bit_cycles: (u64::from(self.divisor & 0xfff) + 1) * samples,
            data_bits: if size == 7 { 9 } else { 5 + u64::from(size & 3) },
            parity: has(self.format, 5).then(|| has(self.format, 4)),
            stop_bits: 1 + u64::from(self.format >> 3 & 1),
        }
    }

    /// RXC, UDRE and TXC interrupts.
    pub(crate) fn interrupts(&self) -> [bool; 3] {
        let status = self.flags();
        [
            status & RXC != 0 && has(self.control, RXCIE),
            status & UDRE != 0 && has(self.control, UDRIE),
            status & TXC != 0 && has(self.control, TXCIE),
        ]
    }

    /// The handler of TXC is entered, which clears the flag.
    pub(crate) fn acknowledge_sent(&mut self) {
        self.status &= !TXC;
    }

    fn flags(&self) -> u8 {
        let received = if self.received.is_empty() { 0 } else { RXC };
        let empty = if self.waiting.is_none() { UDRE } else { 0 };
        let overrun = if self.overrun { DOR } else { 0 };
        let errors = self.received.front().map_or(0, |(_, errors)| *errors);
        self.status & (TXC | U2X | 1) | received | empty | overrun | errors
    }

    pub(crate) fn next(&self) -> u64 {
        let sent = self.shifting.map_or(NEVER, |frame| frame.end);
        sent.min(self.typed_at)
    }

    pub(crate) fn read(&mut self, register: u8) -> u8 {
        match register {
            0 => self.flags(),
            1 => self.control,
            2 => self.format,
            4 => self.divisor as u8,
            5 => (self.divisor >> 8) as u8,
            6 => {
                self.overrun = false;
                self.received.pop_front().map_or(0, |(byte, _)| byte)
            }
            _ => 0,
        }
    }

    /// Writes a register in a cycle; the frame that begins with it.
    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) -> Option<Frame> {
        match register {
            0 => {
                let sent = self.status & !value & TXC;
                self.status = value & (U2X | 1) | sent;
            }
            1 => {
                let was_receiving = self.receives();
                self.control = value;
                if !self.receives() {
                    self.received.clear();
                } else if !was_receiving {
                    self.pace_typed(cycle);
                }
            }
            2 => self.format = value,
            4 => self.divisor = self.divisor & 0xff00 | u16::from(value),
            5 => self.divisor = self.divisor & 0x00ff | u16::from(value & 0xf) << 8,
            6 if self.transmits() && self.waiting.is_none() => {
                self.waiting = Some(value);
                return self.shift(cycle + 1);
            }
            _ => {}
        }
        None
    }

    /// Moves the waiting byte into the shift register where that is free.
    fn shift(&mut self, cycle: u64) -> Option<Frame> {
        if self.shifting.is_some() {
            return None;
        }
        let byte = self.waiting.take()?;
        let shape = self.shape();
        self.sent_bit_cycles = shape.bit_cycles;
        let frame = Frame { byte, start: cycle, end: cycle + shape.frame_cycles() };
        self.shifting = Some(frame);
        self.shifting
    }

    /// Ends the frame that ends by a cycle, if one does; it, and the one that begins then.
    pub(crate) fn end_frame(&mut self, cycle: u64) -> Option<(Frame, Option<Frame>)> {
        let ended = self.shifting.filter(|frame| frame.end <= cycle)?;
        self.shifting = None;
        let next = self.shift(ended.end);
        if next.is_none() {
            self.status |= TXC;
        }
        Some((ended, next))
    }

    /// Types at it.
    pub(crate) fn type_bytes(&mut self, bytes: &[u8], cycle: u64) {
        self.typed.extend(bytes);
        if self.receives() && self.typed_at == NEVER {
            self.pace_typed(cycle);
        }
    }

    fn pace_typed(&mut self, cycle: u64) {
        self.typed_at = if self.typed.is_empty() { NEVER } else { cycle + self.shape().frame_cycles() };
    }

    /// Takes in what was typed and is whole by a cycle.
    pub(crate) fn hear_typed(&mut self, cycle: u64) {
        while self.typed_at <= cycle {
            let at = self.typed_at;
            if let Some(byte) = self.typed.pop_front() {
                self.receive(byte, 0);
            }
            self.pace_typed(at);
        }
    }

    /// A byte is whole at the receiver, with the errors of its frame as UCSRnA has them.
    pub(crate) fn receive(&mut self, byte: u8, errors: u8) {
        if !self.receives() {
            return;
        }
        // A third byte waits in the shift register until another one comes, which is lost then.
        if self.received.len() > FIFO_BYTES {
            self.overrun = true;
            return;
        }
        let mask = 0xff >> (8 - self.shape().data_bits.min(8));
        self.received.push_back((byte & mask, errors));
    }
}
