//! UART0 and UART1: the PL011 (RP2040 datasheet 4.2). A byte takes the time of its frame on the line and reaches the outside
//! when its stop bit ends; bytes from outside arrive with [`Uart::receive`]. Of a line from another board the receiver
//! samples the levels (`incoming.rs`, `receiver.rs`), with framing and parity errors and breaks. So it does of a wire to other
//! pins of this chip, where the levels of TX are shown too (`at_pins.rs`).
//!
//! Left out, and reported when firmware asks for it: hardware flow control and IrDA. Left out without a report: modem
//! signals (they read 0), errors of bytes that are typed, a break in
//! loopback or as something that a console receives (the pin is low). The
//! times of a frame follow the settings at its start.

mod at_pins;
mod incoming;
mod line;
mod receiver;
mod registers;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use mcu::Reaction;
use units::Picoseconds;

use self::at_pins::AtPins;
use self::line::{Beat, Format};
use self::receiver::Receiver;
use self::registers::*;
use super::{Peripheral, Source};
use crate::io::Io;
use crate::lines::{Dreq, Irq};

/// Words in each FIFO (RP2040 datasheet 4.2.2.3); one when the FIFOs are off.
const DEPTH: usize = 32;
/// Words at which the interrupts come, for TXIFLSEL and RXIFLSEL: 1/8 to 7/8; the reserved settings count as the last.
const WATERMARKS: [usize; 8] = [4, 8, 16, 24, 28, 28, 28, 28];
/// The receive timeout in bits (RP2040 datasheet 4.2.6.4).
const TIMEOUT_BITS: i64 = 32;
/// Sent bytes that are kept until somebody takes them; the oldest are dropped.
const CONSOLE_BYTES: usize = 1 << 16;

const BLOCK: [&str; 2] = ["UART0", "UART1"];
const SOURCE: [Source; 2] = [Source::Uart0, Source::Uart1];
const RECEIVE_SOURCE: [Source; 2] = [Source::Uart0Receive, Source::Uart1Receive];
const LINE_SOURCE: [Source; 2] = [Source::Uart0Line, Source::Uart1Line];
const BITS_SOURCE: [Source; 2] = [Source::Uart0Bits, Source::Uart1Bits];
const IRQ: [Irq; 2] = [Irq::UART0, Irq::UART1];
const TX_DREQ: [Dreq; 2] = [Dreq::UART0_TX, Dreq::UART1_TX];
const RX_DREQ: [Dreq; 2] = [Dreq::UART0_RX, Dreq::UART1_RX];

/// What a register says of the UART's transmitter to whoever looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transmitter {
    /// It can take no more.
    Full,
    /// It has not sent all of what it took.
    Busy,
    Idle,
}

/// Whether an offset is that of the register that tells of the transmitter, and what it says then.
pub(crate) fn transmitter(offset: u32, value: u32) -> Option<Transmitter> {
    (offset == UARTFR).then_some(match value {
        _ if value & FR_TXFF != 0 => Transmitter::Full,
        _ if value & FR_BUSY != 0 => Transmitter::Busy,
        _ => Transmitter::Idle,
    })
}

/// One of the two UARTs.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Uart {
    port: u8,
    ibrd: u32,
    fbrd: u32,
    lcr_h: u32,
    cr: u32,
    ifls: u32,
    imsc: u32,
    ris: u32,
    dmacr: u32,
    /// IBRD and FBRD in 1/64, as the last write to LCR_H took them over.
    divider: u32,
    tx: VecDeque<u8>,
    /// Each with its errors, as UARTDR has them.
    rx: VecDeque<u16>,
    /// The byte in the shift register and its format.
    shifting: Option<(u8, Format)>,
    beat: Beat,
    /// The levels of its bits are at the pins.
    is_shown: bool,
    at_pins: AtPins,
    /// UARTRSR, and whether a word was lost since the last one that the FIFO took.
    errors: u32,
    overrun: bool,
    sent: VecDeque<(Picoseconds, u8)>,
    /// The end of a line from another board.
    #[serde(skip)]
    line: Option<Box<Receiver>>,
}

impl Uart {
    /// UART0 or UART1 after reset.
    pub fn new(port: u8) -> Self {
        Self {
            port: port & 1,
            ibrd: 0,
            fbrd: 0,
            lcr_h: 0,
            cr: CR_TXE | CR_RXE,
            ifls: 0x12,
            imsc: 0,
            ris: 0,
            dmacr: 0,
            divider: 0,
            tx: VecDeque::new(),
            rx: VecDeque::new(),
            shifting: None,
            beat: Beat::default(),
            is_shown: false,
            at_pins: AtPins::default(),
            errors: 0,
            overrun: false,
            sent: VecDeque::new(),
            line: None,
        }
    }

    /// Back to the state after reset. What was sent before stays: it is out of the chip.
    pub(crate) fn reset(&mut self, io: &mut Io) {
        let sent = std::mem::take(&mut self.sent);
        let line = self.line.take();
        *self = Self { sent, line, ..Self::new(self.port) };
        self.drive(io);
        self.reception_changed(io);
    }

    /// A byte arrives from outside; its stop bit ends now. It is lost when the receiver is off or its FIFO full.
    pub fn receive(&mut self, byte: u8, io: &mut Io) {
        if self.cr & CR_LBE == 0 {
            self.accept(u16::from(Format::new(self.lcr_h).mask(byte)), io);
            self.apply_lines(io);
        }
    }

    /// Takes the bytes that were sent since the last call, each with the time at which its stop bit ended; of more than
    /// 65,536 the last ones.
    pub fn take_sent(&mut self) -> Vec<(Picoseconds, u8)> {
        self.sent.drain(..).collect()
    }

    /// Whether bytes were sent since they were last taken.
    pub(crate) fn has_sent(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Whether bytes still have to go out, and the clock is there for it.
    pub(crate) fn is_sending(&self, io: &Io) -> bool {
        self.shifting.is_some() && Beat::new(Picoseconds::ZERO, self.divider, io.clocks.peri_hz).is_some()
    }

    /// How long a byte takes on the wire; nothing while the UART is off or its clock stands.
    pub fn frame_time(&self, io: &Io) -> Option<Picoseconds> {
        let beat = Beat::new(Picoseconds::ZERO, self.divider, io.clocks.peri_hz)?;
        let bits = i64::from(Format::new(self.lcr_h).frame_bits());
        self.is_on(CR_RXE).then(|| beat.bit(bits))
    }

    fn index(&self) -> usize {
        usize::from(self.port)
    }

    fn depth(&self) -> usize {
        if self.lcr_h & LCR_FEN != 0 { DEPTH } else { 1 }
    }

    /// The transmit interrupt comes when no more words than this are left.
    fn tx_watermark(&self) -> usize {
        if self.lcr_h & LCR_FEN != 0 { WATERMARKS[(self.ifls & 7) as usize] } else { 0 }
    }

    /// The receive interrupt comes with this many words.
    fn rx_watermark(&self) -> usize {
        if self.lcr_h & LCR_FEN != 0 { WATERMARKS[(self.ifls >> 3 & 7) as usize] } else { 1 }
    }

    /// Whether a register shows the same until the next event, and looking changes nothing.
    pub(crate) fn is_steady(&self, offset: u32) -> bool {
        let starts = self.shifting.is_none() && !self.tx.is_empty();
        matches!(offset, UARTFR | UARTRIS | UARTMIS) && !starts
    }

    fn flags(&self) -> u32 {
        let busy = self.shifting.is_some() || !self.tx.is_empty();
        (if busy { FR_BUSY } else { 0 })
            | (if self.rx.is_empty() { FR_RXFE } else { 0 })
            | (if self.tx.len() >= self.depth() { FR_TXFF } else { 0 })
            | (if self.rx.len() >= self.depth() { FR_RXFF } else { 0 })
            | (if self.tx.is_empty() { FR_TXFE } else { 0 })
    }

    /// Puts the levels of interrupt and data requests on their lines.
    pub(crate) fn apply_lines(&self, io: &mut Io) {
        let port = self.index();
        let on = self.cr & CR_UARTEN != 0;
        let tx = on && self.dmacr & DMACR_TXDMAE != 0 && self.tx.len() < self.depth();
        let rx = on && self.dmacr & DMACR_RXDMAE != 0 && !self.rx.is_empty();
        io.lines.set_dreq(TX_DREQ[port], tx);
        io.lines.set_dreq(RX_DREQ[port], rx);
        io.lines.set_irq(IRQ[port], self.ris & self.imsc != 0);
    }

    fn is_on(&self, half: u32) -> bool {
        self.cr & (CR_UARTEN | half) == CR_UARTEN | half
    }

    /// A word as UARTDR has it arrives.
    fn accept(&mut self, word: u16, io: &mut Io) {
        if !self.is_on(CR_RXE) {
            return;
        }
        if self.rx.len() >= self.depth() {
            self.overrun = true;
            self.errors |= RSR_OE;
            self.ris |= INT_OE;
            return;
        }
        // Room again: the first word behind the lost ones has the mark (Arm PrimeCell UART PL011, DDI 0183, 2.4).
        let overrun = if std::mem::take(&mut self.overrun) { DR_OE } else { 0 };
        self.rx.push_back(word | overrun as u16);
        // UARTRIS has the errors one bit below UARTDR.
        self.ris |= u32::from(word) >> 1 & INT_ERRORS;
        if self.rx.len() >= self.rx_watermark() {
            self.ris |= INT_RX;
        }
        match Beat::new(io.now, self.divider, io.clocks.peri_hz) {
            Some(beat) => io.wake_at(RECEIVE_SOURCE[self.index()], beat.bit(TIMEOUT_BITS)),
            None => io.cancel(RECEIVE_SOURCE[self.index()]),
        }
    }

    fn read_data(&mut self, io: &mut Io) -> u32 {
        let Some(word) = self.rx.pop_front() else { return 0 };
        let word = u32::from(word);
        self.errors = self.errors & RSR_OE | word >> 8 & !RSR_OE;
        if self.rx.len() < self.rx_watermark() {
            self.ris &= !INT_RX;
        }
        if self.rx.is_empty() {
            self.ris &= !INT_RT;
            io.cancel(RECEIVE_SOURCE[self.index()]);
        }
        word
    }

    fn write_data(&mut self, byte: u8, io: &mut Io) {
        if self.tx.len() >= self.depth() {
            return;
        }
        self.tx.push_back(byte);
        if self.tx.len() > self.tx_watermark() {
            self.ris &= !INT_TX;
        }
        self.start_if_due(io);
    }

    /// Starts a frame when the shift register is free and there is something to send.
    fn start_if_due(&mut self, io: &mut Io) {
        if self.shifting.is_some() || self.tx.is_empty() || !self.is_on(CR_TXE) || self.lcr_h & LCR_BRK != 0 {
            return;
        }
        if let Some(beat) = Beat::new(io.now, self.divider, io.clocks.peri_hz) {
            self.beat = beat;
            self.shift(io);
        }
    }

    /// Takes a byte from the FIFO into the shift register.
    fn shift(&mut self, io: &mut Io) {
        let watermark = self.tx_watermark();
        let above = self.tx.len() > watermark;
        let Some(byte) = self.tx.pop_front() else { return };
        // The interrupt is for the passage through the level, not for the level (RP2040 datasheet 4.2.6.3).
        if above && self.tx.len() <= watermark {
            self.ris |= INT_TX;
        }
        let format = Format::new(self.lcr_h);
        self.shifting = Some((format.mask(byte), format));
        line::send(&mut io.pins, self.port, &self.beat, format, format.mask(byte));
        io.wake_at(SOURCE[self.index()], self.beat.bit(i64::from(format.frame_bits())));
        self.begin_at_pins(io);
    }

    /// The stop bit of a frame ends.
    fn end_frame(&mut self, io: &mut Io) {
        let Some((byte, format)) = self.shifting.take() else { return };
        self.beat.advance(format.frame_bits());
        if !self.is_shown {
            line::record(&mut io.pins, self.port, &self.beat, format, byte);
        }
        if self.sent.len() >= CONSOLE_BYTES {
            self.sent.pop_front();
        }
        self.sent.push_back((io.now, byte));
        let before = io.reactions.len();
        io.outside.uart_byte(io.now, self.port, byte, &mut io.reactions);
        if self.is_shown {
            // Who is at the other end of a wire has heard the bits.
            let later = io.reactions.split_off(before);
            io.reactions.extend(later.into_iter().filter(|it| !matches!(it, Reaction::UartByte { .. })));
        }
        if self.cr & CR_LBE != 0 {
            self.accept(u16::from(Format::new(self.lcr_h).mask(byte)), io);
        }
        let goes_on = self.is_on(CR_TXE) && self.lcr_h & LCR_BRK == 0;
        if goes_on && self.beat.is_of(self.divider, io.clocks.peri_hz) {
            self.shift(io);
        } else {
            self.start_if_due(io);
        }
        self.drive(io);
    }

    /// At rest TX is high, and low in a break once the frame under way is sent.
    fn drive(&self, io: &mut Io) {
        line::drive(io, self.port, self.level(io.now), self.cr & CR_RTS == 0);
    }

    fn write_line_control(&mut self, value: u32, io: &mut Io) {
        if (self.lcr_h ^ value) & LCR_FEN != 0 {
            self.tx.clear();
            self.rx.clear();
            self.ris &= !(INT_RX | INT_RT);
            io.cancel(RECEIVE_SOURCE[self.index()]);
        }
        self.lcr_h = value & 0xff;
        // Only this write takes a new divider over (RP2040 datasheet 4.2.7.1). An integer part of 0 stops the UART, and
        // one of 65535 leaves no room for a fraction.
        self.divider = match self.ibrd {
            0 => 0,
            0xffff => 0xffff << 6,
            ibrd => ibrd << 6 | self.fbrd,
        };
        self.drive(io);
    }

    fn write_control(&mut self, value: u32, io: &mut Io) {
        let raised = value & !self.cr;
        self.cr = value & 0xff87;
        let block = BLOCK[self.index()];
        if raised & (CR_RTSEN | CR_CTSEN) != 0 {
            io.unknown(block, "UARTCR.RTSEN and CTSEN (hardware flow control)", true);
        }
        if raised & CR_SIREN != 0 {
            io.unknown(block, "UARTCR.SIREN (IrDA)", true);
        }
        self.drive(io);
    }
}

impl Peripheral for Uart {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        // The clock may have come back since a frame could not start; nothing else would tell.
        if self.shifting.is_none() && !self.tx.is_empty() {
            self.start_if_due(io);
            self.apply_lines(io);
        }
        match offset {
            UARTDR => {
                let value = self.read_data(io);
                self.apply_lines(io);
                value
            }
            UARTRSR | UARTFR | UARTILPR..=UARTDMACR | UARTPERIPHID0.. => self.peek(offset, io),
            _ => {
                io.unknown(BLOCK[self.index()], "no such register", false);
                0
            }
        }
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            UARTDR => self.rx.front().map_or(0, |&word| u32::from(word)),
            UARTRSR => self.errors,
            UARTFR => self.flags(),
            UARTIBRD => self.ibrd,
            UARTFBRD => self.fbrd,
            UARTLCR_H => self.lcr_h,
            UARTCR => self.cr,
            UARTIFLS => self.ifls,
            UARTIMSC => self.imsc,
            UARTRIS => self.ris,
            UARTMIS => self.ris & self.imsc,
            UARTDMACR => self.dmacr,
            UARTPERIPHID0.. => {
                IDENTIFICATION.get((offset - UARTPERIPHID0) as usize / 4).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            UARTDR => self.write_data(value as u8, io),
            UARTRSR => self.errors = 0,
            UARTILPR => io.unknown(BLOCK[self.index()], "UARTILPR (IrDA)", true),
            UARTIBRD => self.ibrd = value & 0xffff,
            UARTFBRD => self.fbrd = value & 0x3f,
            UARTLCR_H => self.write_line_control(value, io),
            UARTCR => self.write_control(value, io),
            UARTIFLS => self.ifls = value & 0x3f,
            UARTIMSC => self.imsc = value & 0x7ff,
            UARTICR => self.ris &= !value,
            UARTDMACR => self.dmacr = value & 7,
            UARTFR | UARTRIS | UARTMIS | UARTPERIPHID0.. => {}
            _ => io.unknown(BLOCK[self.index()], "no such register", true),
        }
        self.start_if_due(io);
        self.apply_lines(io);
        self.reception_changed(io);
    }

    fn wake(&mut self, source: Source, io: &mut Io) {
        if source == SOURCE[self.index()] {
            self.end_frame(io);
        } else if source == BITS_SOURCE[self.index()] {
            self.show(io);
        } else if source == LINE_SOURCE[self.index()] && self.line.is_some() {
            self.look_at_line(io);
        } else if source == LINE_SOURCE[self.index()] {
            self.look_at_pins(io);
        } else if !self.rx.is_empty() {
            self.ris |= INT_RT;
        }
        self.apply_lines(io);
    }
}
