//! SPI0 and SPI1: the PL022 (RP2040 datasheet 4.4) as controller. A frame takes its time on the wire, with the gap that
//! the PL022 leaves between frames (`pace.rs`); it reaches the outside, and its answer the receive FIFO, at the end of
//! its last bit. The levels of SCK and the data lines are moved bit by bit where a wire leads from them to other pins of this chip
//! (`at_pins.rs`); else a recorder of the pins gets their edges (`wires.rs`).
//!
//! Left out, and reported when firmware asks for it: operation as peripheral device (CR1.MS), and the frame formats of
//! Texas Instruments and National Microwire (CR0.FRF), which go as Motorola frames. A frame that is under way when
//! CR1.SSE is cleared still ends.

mod at_pins;
mod fifo;
mod flow;
mod pace;
mod registers;
#[cfg(test)]
mod tests;
mod wires;

use units::Picoseconds;

use self::at_pins::AtPins;
use self::fifo::{DEPTH, Fifo};
use self::pace::{Instant, Pace};
use self::registers::*;
use self::wires::Shown;
use super::{Peripheral, Source};
use crate::io::Io;
use crate::lines::{Dreq, Irq};
use mcu::SpiFrame;

const BLOCK: [&str; 2] = ["SPI0", "SPI1"];
const SOURCE: [Source; 2] = [Source::Spi0, Source::Spi1];
const BITS_SOURCE: [Source; 2] = [Source::Spi0Bits, Source::Spi1Bits];
const IRQ: [Irq; 2] = [Irq::SPI0, Irq::SPI1];
const TX_DREQ: [Dreq; 2] = [Dreq::SPI0_TX, Dreq::SPI1_TX];
const RX_DREQ: [Dreq; 2] = [Dreq::SPI0_RX, Dreq::SPI1_RX];

/// What the appointment in the agenda is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
enum Step {
    /// No frame is under way; at most the receive timeout.
    #[default]
    Rest,
    /// The select line falls.
    Select,
    /// The last bit of a frame ends.
    LastBit,
    /// The select line rises.
    Release,
}

/// One of the two SPIs.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Spi {
    port: u8,
    cr0: u32,
    cr1: u32,
    cpsr: u32,
    imsc: u32,
    dmacr: u32,
    tx: Fifo,
    rx: Fifo,
    overrun: bool,
    pace: Pace,
    step: Step,
    due: Instant,
    shifting: u16,
    select_is_wired: bool,
    /// When the select line is high again after the last frame; until then the SPI is busy.
    at_rest: Instant,
    /// When the receive timeout strikes, or struck.
    timeout: Option<Picoseconds>,
    lines: wires::Lines,
    at_pins: Option<AtPins>,
}

impl Spi {
    /// SPI0 or SPI1 after reset.
    pub fn new(port: u8) -> Self {
        Self {
            port: port & 1,
            cr0: 0,
            cr1: 0,
            cpsr: 0,
            imsc: 0,
            dmacr: 0,
            tx: Fifo::default(),
            rx: Fifo::default(),
            overrun: false,
            pace: Pace::default(),
            step: Step::Rest,
            due: Instant::default(),
            shifting: 0,
            select_is_wired: false,
            at_rest: Instant::LONG_AGO,
            timeout: None,
            lines: wires::Lines::default(),
            at_pins: None,
        }
    }

    /// Whether the end of a frame raises no interrupt and moves no pin, whatever comes.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        self.imsc == 0 && self.at_pins.is_none()
    }

    /// Whether a register takes words that are to be sent, and does nothing else.
    pub(crate) fn takes_word(offset: u32) -> bool {
        offset == SSPDR
    }

    /// Whether it is switched on.
    pub(crate) fn is_on(&self) -> bool {
        self.cr1 & CR1_SSE != 0
    }

    /// Whether no frame is under way.
    #[inline]
    pub(crate) fn is_at_rest(&self) -> bool {
        self.step == Step::Rest
    }

    /// Until when a register shows the same to whoever looks from `now` on, if no event comes; nothing when looking changes
    /// something.
    pub(crate) fn shows_until(&self, offset: u32, now: Picoseconds) -> Option<Picoseconds> {
        let starts = self.step == Step::Rest && !self.tx.is_empty();
        let rests_at = Some(self.at_rest.time()).filter(|&at| now < at);
        (offset == SSPSR && !starts).then(|| rests_at.unwrap_or(Picoseconds::new(i64::MAX)))
    }

    fn index(&self) -> usize {
        usize::from(self.port)
    }

    fn status(&self, now: Picoseconds) -> u32 {
        let busy = self.step != Step::Rest || !self.tx.is_empty() || now < self.at_rest.time();
        u32::from(self.tx.is_empty())
            | u32::from(!self.tx.is_full()) << 1
            | u32::from(!self.rx.is_empty()) << 2
            | u32::from(self.rx.is_full()) << 3
            | u32::from(busy) << 4
    }

    /// SSPRIS: half is four words of eight (RP2040 datasheet 4.4.2.8).
    #[inline]
    fn raw_interrupts(&self, now: Picoseconds) -> u32 {
        let timed_out = self.timeout.is_some_and(|at| at <= now);
        (if self.overrun { INT_ROR } else { 0 })
            | (if timed_out { INT_RT } else { 0 })
            | (if self.rx.len() >= DEPTH / 2 { INT_RX } else { 0 })
            | (if self.tx.len() <= DEPTH / 2 { INT_TX } else { 0 })
    }

    /// Puts the levels of interrupt and data requests on their lines.
    #[inline]
    pub(crate) fn apply_lines(&self, io: &mut Io) {
        let (standing, all) = self.requests();
        io.lines.set_dreqs(all, standing);
        let pending = self.imsc != 0 && self.raw_interrupts(io.now) & self.imsc != 0;
        io.lines.set_irq(IRQ[self.index()], pending);
    }

    /// Brings the pace up to date; nothing when the clock or the prescaler stands.
    #[inline]
    fn refresh_pace(&mut self, io: &Io) -> Option<()> {
        if self.pace.is_of(io.clocks.peri_hz, self.cr0, self.cpsr) {
            return Some(());
        }
        self.pace = Pace::new(io.clocks.peri_hz, self.cr0, self.cpsr)?;
        self.due = self.pace.adopt(self.due);
        self.at_rest = self.pace.adopt(self.at_rest);
        Some(())
    }

    fn is_running(&self) -> bool {
        self.cr1 & (CR1_SSE | CR1_MS) == CR1_SSE
    }

    fn arm(&mut self, step: Step, due: Instant, io: &mut Io) {
        self.step = step;
        self.due = due;
        io.wake_at(SOURCE[self.index()], due.time());
    }

    /// Starts a frame when the SPI rests and has something to send.
    #[inline]
    fn start_if_due(&mut self, io: &mut Io) {
        if self.step != Step::Rest || self.tx.is_empty() || !self.is_running() {
            return;
        }
        if self.refresh_pace(io).is_none() {
            return;
        }
        let ready = self.pace.after(Instant::at(io.now), self.pace.start_up);
        let free = self.pace.after(self.at_rest, self.pace.high);
        self.start_at(if ready.time() < free.time() { free } else { ready }, io);
    }

    /// Starts a frame whose select line falls at `select`.
    #[inline]
    fn start_at(&mut self, select: Instant, io: &mut Io) {
        // A frame that begins stops the receive timeout, unless it struck already.
        self.timeout = self.timeout.filter(|&at| at <= io.now);
        self.select_is_wired = wires::select_is_wired(&io.pins, self.port);
        if self.select_is_wired {
            self.arm(Step::Select, select, io);
        } else {
            self.shift(self.pace.after(select, self.pace.to_last_bit), io);
        }
    }

    /// Takes a word from the FIFO into the shift register; its last bit will end at `due`.
    #[inline]
    fn shift(&mut self, due: Instant, io: &mut Io) {
        if let Some(word) = self.tx.pop() {
            self.shifting = word;
            self.begin_at_pins(self.pace.before(due, self.pace.bits), io);
            self.arm(Step::LastBit, due, io);
        } else {
            self.step = Step::Rest;
        }
    }

    /// The last bit of a frame ends.
    #[inline]
    fn end_frame(&mut self, io: &mut Io) {
        self.exchange(io);
        self.go_on(io);
    }

    /// The outside and the receive FIFO get their words.
    #[inline]
    fn exchange(&mut self, io: &mut Io) {
        let received = self.answer(io);
        self.receive(received);
    }

    /// The outside gets its word; what comes back.
    #[inline]
    fn answer(&mut self, io: &mut Io) -> u16 {
        let start = self.pace.before(self.due, self.pace.bits);
        let (sent, answer) = self.show_outside(start, io);
        let answer = self.end_at_pins(io).unwrap_or(answer);
        self.record(sent, answer, start, io);
        if self.cr1 & CR1_LBM != 0 { sent } else { answer }
    }

    /// Keeps the edges of a frame that began at `start`, where somebody wants them.
    #[inline]
    fn record(&mut self, sent: u16, answer: u16, start: Instant, io: &mut Io) {
        if wires::is_recorded(&io.pins, self.port) {
            let more = !self.tx.is_empty() && self.is_running();
            let moved = if self.at_pins.is_some() { wires::moved(&io.pins, self.port) } else { 0 };
            let shown = Shown { port: self.port, sent, received: answer, start, more, moved };
            wires::record(&mut io.pins, &mut self.lines, &self.pace, &shown);
        }
    }

    /// What was sent in a frame that began at `start`, and what the outside answers.
    #[inline]
    fn show_outside(&self, start: Instant, io: &mut Io) -> (u16, u16) {
        let frame = SpiFrame {
            port: self.port,
            bits: self.pace.word_bits,
            sent: self.pace.mask(self.shifting),
            clock_hz: self.pace.sck_hz,
            mode: self.pace.mode,
            start: start.time(),
        };
        let answer = io.outside.spi_frame(io.now, frame, &mut io.reactions);
        (frame.sent, self.pace.mask(answer))
    }

    #[inline]
    fn receive(&mut self, word: u16) {
        self.timeout = None;
        self.overrun |= !self.rx.push(word);
    }

    /// What follows on the end of a last bit: another frame, or rest.
    #[inline]
    fn go_on(&mut self, io: &mut Io) {
        self.at_rest = self.pace.after(self.due, self.pace.trail);
        let more = self.has_more(io);
        if more && (!self.select_is_wired || self.pace.captures_second()) {
            self.shift(self.pace.after(self.due, self.pace.frame), io);
        } else if self.select_is_wired {
            self.arm(Step::Release, self.at_rest, io);
        } else {
            self.rest(io);
        }
    }

    /// Whether another frame can follow at once.
    #[inline]
    fn has_more(&mut self, io: &Io) -> bool {
        !self.tx.is_empty() && self.is_running() && self.refresh_pace(io).is_some()
    }

    /// The select line goes high, between two frames or at the end.
    fn release(&mut self, io: &mut Io) {
        wires::drive_select(&mut io.pins, io.now, self.port, true);
        if self.has_more(io) {
            self.start_at(self.pace.after(self.at_rest, self.pace.high), io);
        } else {
            self.rest(io);
        }
    }

    fn rest(&mut self, io: &mut Io) {
        self.step = Step::Rest;
        if !self.rx.is_empty() {
            self.await_timeout(self.at_rest, io);
        }
    }

    /// Counts the receive timeout from `from`.
    fn await_timeout(&mut self, from: Instant, io: &mut Io) {
        self.timeout = Some(self.pace.after(from, self.pace.timeout).time());
        self.arm_timeout(io);
    }

    /// Asks to be woken for the receive timeout, which is needed only when it interrupts.
    fn arm_timeout(&self, io: &mut Io) {
        if self.step == Step::Rest
            && self.imsc & INT_RT != 0
            && let Some(at) = self.timeout.filter(|&at| at > io.now)
        {
            io.wake_at(SOURCE[self.index()], at);
        }
    }

    fn read_data(&mut self) -> u32 {
        let word = self.rx.pop().unwrap_or_default();
        if self.rx.is_empty() {
            self.timeout = None;
        }
        u32::from(word)
    }

    fn clear_interrupts(&mut self, value: u32, io: &mut Io) {
        if value & INT_ROR != 0 {
            self.overrun = false;
        }
        // What is left in the FIFO counts anew.
        if value & INT_RT != 0 && self.timeout.is_some() {
            self.await_timeout(Instant::at(io.now), io);
        }
    }

    fn configure(&mut self, io: &mut Io) {
        let controller = self.cr1 & CR1_MS == 0;
        let transmit = controller || self.cr1 & CR1_SOD == 0;
        wires::drive_rest(&mut io.pins, io.now, self.port, self.cr0 & CR0_SPO != 0, controller, transmit);
        if controller && self.step == Step::Rest {
            wires::drive_select(&mut io.pins, io.now, self.port, true);
        }
        if self.cr1 & CR1_SSE == 0 {
            return;
        }
        if self.cr0 & CR0_FRF != 0 {
            io.unknown(BLOCK[self.index()], "SSPCR0.FRF (frame formats of TI and Microwire)", true);
        }
        if !controller {
            io.unknown(BLOCK[self.index()], "SSPCR1.MS (peripheral device)", true);
        }
    }
}

impl Peripheral for Spi {
    #[inline]
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        // The clock may have come back since a frame could not start; nothing else would tell.
        if self.step == Step::Rest && !self.tx.is_empty() {
            self.start_if_due(io);
            self.apply_lines(io);
        }
        if offset != SSPDR {
            return match offset {
                SSPCR0..=SSPDMACR | SSPPERIPHID0.. => self.peek(offset, io),
                _ => {
                    io.unknown(BLOCK[self.index()], "no such register", false);
                    0
                }
            };
        }
        let word = self.read_data();
        self.apply_lines(io);
        word
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            SSPCR0 => self.cr0,
            SSPCR1 => self.cr1,
            SSPDR => u32::from(self.rx.front().unwrap_or_default()),
            SSPSR => self.status(io.now),
            SSPCPSR => self.cpsr,
            SSPIMSC => self.imsc,
            SSPRIS => self.raw_interrupts(io.now),
            SSPMIS => self.raw_interrupts(io.now) & self.imsc,
            SSPDMACR => self.dmacr,
            SSPPERIPHID0.. => IDENTIFICATION.get((offset - SSPPERIPHID0) as usize / 4).copied().unwrap_or(0),
            _ => 0,
        }
    }

    #[inline]
    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            SSPDR => {
                // A word more than the FIFO holds is lost.
                let _ = self.tx.push(value as u16);
            }
            SSPCR0 => {
                self.cr0 = value & 0xffff;
                self.configure(io);
            }
            SSPCR1 => {
                self.cr1 = value & (CR1_LBM | CR1_SSE | CR1_MS | CR1_SOD);
                self.configure(io);
            }
            SSPCPSR => self.cpsr = value & 0xfe,
            SSPIMSC => {
                self.imsc = value & (INT_ROR | INT_RT | INT_RX | INT_TX);
                self.arm_timeout(io);
            }
            SSPICR => self.clear_interrupts(value, io),
            SSPDMACR => self.dmacr = value & (DMACR_RXDMAE | DMACR_TXDMAE),
            SSPSR | SSPRIS | SSPMIS | SSPPERIPHID0.. => {}
            _ => io.unknown(BLOCK[self.index()], "no such register", true),
        }
        self.start_if_due(io);
        self.apply_lines(io);
    }

    #[inline]
    fn wake(&mut self, source: Source, io: &mut Io) {
        if source == BITS_SOURCE[self.index()] {
            return self.begin_half(io);
        }
        match self.step {
            Step::Rest => {}
            Step::Select => {
                wires::drive_select(&mut io.pins, io.now, self.port, false);
                self.shift(self.pace.after(self.due, self.pace.to_last_bit), io);
            }
            Step::LastBit => self.end_frame(io),
            Step::Release => self.release(io),
        }
        self.apply_lines(io);
    }
}
