//! The driver's side of a chip without a board around it: an SPI that takes its time, two pins, and a clock to wait on.
//! Drivers that run on the host do so in no time at all; only the bus and their waits count.

use sim::Passive;
use units::{Hertz, Picoseconds};

use super::{ChipId, Lan};

/// What a driver did to its bus and to its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BusUse {
    /// How often chip select went low.
    pub transactions: u64,
    /// Bytes on the bus, headers among them.
    pub bytes: u64,
    /// For how long SCK ran.
    pub bus_time: Picoseconds,
    /// For how long the driver waited.
    pub wait_time: Picoseconds,
}

/// An SPI controller in front of one chip of a [`Lan`].
#[derive(Debug)]
pub struct SpiController {
    lan: Lan,
    chip: ChipId,
    clock: Hertz,
    now: Picoseconds,
    used: BusUse,
    selected: bool,
    /// What a write sends, for the answers that nobody wants.
    outgoing: Vec<u8>,
}

impl SpiController {
    /// A controller whose SCK has a frequency. Where its chip is none of this network's, nobody answers: zeros are read.
    pub fn new(lan: Lan, chip: ChipId, clock: Hertz) -> Self {
        let now = lan.now();
        Self { lan, chip, clock, now, used: BusUse::default(), selected: false, outgoing: Vec::new() }
    }

    /// The virtual time.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// What the bus was used for so far.
    pub fn used(&self) -> BusUse {
        self.used
    }

    /// The network around the chip.
    pub fn lan(&self) -> &Lan {
        &self.lan
    }

    /// The network around the chip, to change it.
    pub fn lan_mut(&mut self) -> &mut Lan {
        &mut self.lan
    }

    /// The chip.
    pub fn chip(&self) -> ChipId {
        self.chip
    }

    /// Changes SCK.
    pub fn set_clock(&mut self, clock: Hertz) {
        self.clock = clock;
    }

    /// Moves chip select: true is low.
    pub fn select(&mut self, selected: bool) {
        if selected == self.selected {
            return;
        }
        self.selected = selected;
        self.used.transactions += u64::from(selected);
        let at = self.now;
        self.lan.with_device(self.chip, |chip| chip.select(at, selected));
    }

    /// Sends bytes and takes no heed of the answers.
    pub fn write(&mut self, bytes: &[u8]) {
        let mut outgoing = std::mem::take(&mut self.outgoing);
        outgoing.clear();
        outgoing.extend_from_slice(bytes);
        self.transfer(&mut outgoing);
        self.outgoing = outgoing;
    }

    /// Receives bytes while zeros go out.
    pub fn read(&mut self, bytes: &mut [u8]) {
        bytes.fill(0);
        self.transfer(bytes);
    }

    /// Moves bytes back to back, in place: what is sent goes in, what is received comes out.
    pub fn transfer(&mut self, bytes: &mut [u8]) {
        let start = self.now;
        self.used.bytes += bytes.len() as u64;
        let mut done = 0;
        while done < bytes.len() {
            let (count, end) = self.undisturbed(start, done, bytes.len());
            let piece = &mut bytes[done..done + count.max(1)];
            if count == 0 {
                self.move_byte(end, &mut piece[0]);
            } else {
                self.move_bytes(end, piece);
            }
            done += piece.len();
        }
        self.used.bus_time = self.used.bus_time + (self.now - start);
    }

    /// The end of the byte before `index`, counted from the first bit of a transfer.
    fn edge(&self, start: Picoseconds, index: usize) -> Picoseconds {
        start + self.clock.edge(8 * index as u64)
    }

    /// How many of the bytes from `done` to `all` end before anything else happens, and when; for none, when the next does.
    fn undisturbed(&self, start: Picoseconds, done: usize, all: usize) -> (usize, Picoseconds) {
        let end = self.edge(start, all);
        // What happens at the end of a byte comes before that byte.
        let Some(next) = self.lan.next_event().filter(|&next| next <= end) else { return (all - done, end) };
        let free = (next - start - Picoseconds::new(1)).max(Picoseconds::ZERO);
        let bits = i128::from(free.ps()) * i128::from(self.clock.hz()) / i128::from(units::PS_PER_S);
        let before = usize::try_from(bits / 8).unwrap_or(all).clamp(done, all);
        (before - done, self.edge(start, before.max(done + 1)))
    }

    /// A byte in which something else happens.
    fn move_byte(&mut self, end: Picoseconds, byte: &mut u8) {
        let clock_hz = self.clock.hz();
        self.lan.advance(end);
        *byte = self.lan.with_device(self.chip, |chip| chip.spi_byte(end, *byte, clock_hz)).unwrap_or(0);
        self.now = end;
    }

    /// Bytes in which nothing else happens but what they bring about.
    fn move_bytes(&mut self, end: Picoseconds, bytes: &mut [u8]) {
        let (from, clock_hz) = (self.now, self.clock.hz());
        self.lan.with_device(self.chip, |chip| chip.spi_burst(from, bytes, clock_hz));
        self.lan.advance(end);
        self.now = end;
    }

    /// Waits for a time.
    pub fn wait(&mut self, time: Picoseconds) {
        self.used.wait_time = self.used.wait_time + time;
        self.now = self.now + time;
        self.lan.advance(self.now);
    }

    /// Waits until the chip's interrupt output is low, at most until `end`; whether it is.
    pub fn wait_for_interrupt(&mut self, end: Picoseconds) -> bool {
        loop {
            if self.interrupt_is_low() {
                return true;
            }
            let next = self.lan.next_event().unwrap_or(end).min(end).max(self.now);
            let waited = next - self.now;
            self.wait(waited);
            if self.now >= end {
                return self.interrupt_is_low();
            }
        }
    }

    /// The level of the chip's reset input.
    pub fn set_reset(&mut self, high: bool) {
        let at = self.now;
        self.lan.with_device(self.chip, |chip| chip.set_reset(at, high));
    }

    /// Whether the chip's interrupt output is low.
    pub fn interrupt_is_low(&self) -> bool {
        self.lan.interrupt_is_low(self.chip)
    }
}
