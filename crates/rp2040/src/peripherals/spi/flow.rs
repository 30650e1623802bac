//! Frames that follow each other without a pause, when the end of each does nothing but exchange words: what the bus needs to lead
//! them without an appointment for each.

use mcu::SpiAnswer;
use units::Picoseconds;

use super::registers::{CR1_LBM, DMACR_RXDMAE, DMACR_TXDMAE};
use super::{RX_DREQ, Spi, Step, TX_DREQ, wires};
use crate::io::Io;
use crate::peripherals::dma::flow::Port;

/// The data registers (RP2040 datasheet 4.4.4).
const DATA: [u32; 2] = [0x4003_c008, 0x4004_0008];

impl Spi {
    /// How the DMA sees it.
    #[inline]
    pub(crate) fn as_port(&self) -> Port {
        let port = self.index();
        let data = DATA[port];
        Port { from: data, to: data, receive: RX_DREQ[port], transmit: TX_DREQ[port], machine: 0 }
    }

    /// Whether a frame is under way at whose end nothing happens but that words are exchanged and the next frame begins, should
    /// there be one.
    #[inline]
    pub(crate) fn flows(&self, io: &Io) -> bool {
        self.step == Step::LastBit
            && self.at_pins.is_none()
            && self.is_quiet()
            && self.is_running()
            && (!self.select_is_wired || self.pace.captures_second())
            && self.pace.is_of(io.clocks.peri_hz, self.cr0, self.cpsr)
    }

    /// Whether another frame follows the present one at once, if it flows.
    #[inline]
    pub(crate) fn has_next(&self) -> bool {
        !self.tx.is_empty()
    }

    /// From the end of a frame to the end of the next one at least.
    #[inline]
    pub(crate) fn frame(&self) -> Picoseconds {
        self.pace.frame.whole()
    }

    /// Whether the transmit FIFO is full, and the receive FIFO empty unless nobody empties it: as it is before the end of each
    /// frame while the DMA keeps pace.
    #[inline]
    pub(crate) fn is_in_step(&self, is_emptied: bool) -> bool {
        let emptied = self.dmacr & DMACR_RXDMAE != 0 && self.rx.is_empty();
        self.tx.is_full() && self.dmacr & DMACR_TXDMAE != 0 && (emptied || !is_emptied)
    }

    /// A frame ends: the outside gets its word; what comes back.
    #[inline]
    pub(crate) fn answer_in_flow(&mut self, io: &mut Io) -> u16 {
        let start = self.pace.before(self.due, self.pace.bits);
        let (sent, answer) = self.show_outside(start, io);
        self.timeout = None;
        self.record(sent, answer, start, io);
        if self.cr1 & CR1_LBM != 0 { sent } else { answer }
    }

    /// The same of a frame that nobody hears, before anybody is told of it: what was sent, and what the receive FIFO gets.
    #[inline]
    pub(crate) fn exchange_unheard(&self, answer: SpiAnswer) -> (u16, u16) {
        let sent = self.pace.mask(self.shifting);
        (sent, if self.cr1 & CR1_LBM != 0 { sent } else { self.pace.mask(answer.to(sent)) })
    }

    /// Frames ended that nobody heard; this was sent in the last one.
    pub(crate) fn pass_unheard(&mut self, frames: u64, answer: SpiAnswer, sent: u16, io: &mut Io) {
        self.timeout = None;
        io.outside.spi_frames_passed(self.port, frames, self.pace.sck_hz);
        if wires::is_recorded(&io.pins, self.port) {
            self.lines = wires::Lines::behind(sent, self.pace.mask(answer.to(sent)));
        }
    }

    /// Whether somebody records pins on which frames are to be seen.
    #[inline]
    pub(crate) fn is_shown(&self, io: &Io) -> bool {
        wires::is_shown(&io.pins, self.port)
    }

    /// The receive FIFO gets the word that came back.
    #[inline]
    pub(crate) fn receive_in_flow(&mut self, word: u16) {
        self.receive(word);
    }

    /// The next frame begins; gives when that ends.
    #[inline]
    pub(crate) fn next_frame_in_flow(&mut self) -> Picoseconds {
        self.shifting = self.tx.pop().unwrap_or_default();
        self.at_rest = self.pace.after(self.due, self.pace.trail);
        self.due = self.pace.after(self.due, self.pace.frame);
        self.due.time()
    }

    /// The next frame begins, and the FIFO, which is full, gets another word for the one that is sent; gives when that ends.
    #[inline]
    pub(crate) fn next_frame_of_beat(&mut self, word: u32) -> Picoseconds {
        self.shifting = self.tx.exchange(word as u16);
        self.due = self.pace.after(self.due, self.pace.frame);
        self.due.time()
    }

    /// After the last frame of a beat: when the select line would have been high if that had been the last of all.
    #[inline]
    pub(crate) fn end_beat(&mut self) {
        let ended = self.pace.before(self.due, self.pace.frame);
        self.at_rest = self.pace.after(ended, self.pace.trail);
    }

    /// The DMA takes a word.
    #[inline]
    pub(crate) fn take_in_flow(&mut self) -> u32 {
        self.read_data()
    }

    /// The DMA brings a word; one more than the FIFO holds is lost.
    #[inline]
    pub(crate) fn bring_in_flow(&mut self, word: u32) {
        let _ = self.tx.push(word as u16);
    }

    /// The requests to the DMA that stand, and all that there may be.
    #[inline]
    pub(crate) fn requests(&self) -> (u64, u64) {
        // The ports' requests follow each other: to transmit, to receive.
        let first = TX_DREQ[0].0 + 2 * self.port;
        let transmits = self.dmacr & DMACR_TXDMAE != 0 && !self.tx.is_full();
        let receives = self.dmacr & DMACR_RXDMAE != 0 && !self.rx.is_empty();
        ((u64::from(transmits) | u64::from(receives) << 1) << first, 3 << first)
    }
}
