//! The driver's side of a chip without a board around it: an SPI that takes its time, two pins, and a clock to wait on.
//! Drivers that run on the host do so in no time at all; what their computing takes is declared ([`Computing`]). What a test
//! does with the network around the chip is in `network` and `datagrams`.

mod datagrams;
mod network;

use sim::{Passive, RandomStream};
use units::{Hertz, Picoseconds};

use super::{ChipId, Lan};

pub use datagrams::ReceivedDatagram;
pub use network::{Dropped, SeenFrame};

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
    /// For how long it computed.
    pub computing_time: Picoseconds,
}

/// What a driver's own computing takes before each of its transactions: the least, and how much more it may be. Without any
/// spread a driver that polls keeps in step with whatever it waits for.
#[derive(Debug, Clone, Default)]
pub struct Computing {
    least: Picoseconds,
    spread: Picoseconds,
    random: Option<RandomStream>,
}

impl Computing {
    /// Computing that takes from `least` up to and including `least + spread`; `seed` says which of these come.
    pub fn new(least: Picoseconds, spread: Picoseconds, seed: u64) -> Self {
        Self { least, spread, random: Some(RandomStream::named(seed, "driver")) }
    }

    fn time(&mut self) -> Picoseconds {
        let bound = self.spread + Picoseconds::new(1);
        let more = self.random.as_mut().map(|random| random.time_below(bound));
        self.least + more.unwrap_or(Picoseconds::ZERO)
    }
}

/// The bus of one chip.
#[derive(Debug)]
struct Bus {
    chip: ChipId,
    clock: Hertz,
    used: BusUse,
    selected: bool,
    computing: Computing,
    /// Whether its accesses are kept for whoever asks for them.
    records: bool,
    interrupt: InterruptEdges,
}

/// The falls of a chip's interrupt output: what an edge-triggered handler is called for. Only a driver raises that output, so
/// that no fall hides between two looks at it.
#[derive(Debug, Default)]
struct InterruptEdges {
    is_low: bool,
    falls: u64,
}

impl InterruptEdges {
    fn see(&mut self, is_low: bool) {
        self.falls += u64::from(is_low && !self.is_low);
        self.is_low = is_low;
    }
}

impl Bus {
    fn new(chip: ChipId, clock: Hertz) -> Self {
        let (used, computing) = (BusUse::default(), Computing::default());
        let interrupt = InterruptEdges::default();
        Self { chip, clock, used, selected: false, computing, records: false, interrupt }
    }
}

/// An SPI controller in front of chips of a [`Lan`], each on a bus of its own. One driver speaks to all of them, one after the
/// other, in one time; what it does is done on the bus that it turned to last.
#[derive(Debug)]
pub struct SpiController {
    lan: Lan,
    buses: Vec<Bus>,
    turned_to: usize,
    now: Picoseconds,
    /// What a write sends, for the answers that nobody wants.
    outgoing: Vec<u8>,
    network: network::Watch,
}

impl SpiController {
    /// A controller whose SCK has a frequency. Where its chip is none of this network's, nobody answers: zeros are read.
    pub fn new(lan: Lan, chip: ChipId, clock: Hertz) -> Self {
        let now = lan.now();
        let network = network::Watch::default();
        Self { lan, buses: vec![Bus::new(chip, clock)], turned_to: 0, now, outgoing: Vec::new(), network }
    }

    /// One more chip of the network on a bus of its own: its number for [`Self::turn_to`]. The first one has number 0.
    pub fn add_bus(&mut self, chip: ChipId, clock: Hertz) -> usize {
        self.buses.push(Bus::new(chip, clock));
        self.buses.len() - 1
    }

    /// Has what follows done on the bus of a number, where there is one.
    pub fn turn_to(&mut self, bus: usize) {
        if bus < self.buses.len() {
            self.turned_to = bus;
        }
    }

    /// Puts one more chip on the network, whose names have to differ for whoever reads of them.
    pub fn attach(&mut self, name: &str, chip: wiznet::Chip) -> ChipId {
        self.lan.advance(self.now);
        let id = self.lan.attach(name, chip);
        self.network.watch_cable(&mut self.lan, id);
        id
    }

    fn bus(&self) -> &Bus {
        &self.buses[self.turned_to]
    }

    fn bus_mut(&mut self) -> &mut Bus {
        &mut self.buses[self.turned_to]
    }

    /// The virtual time.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// What the bus was used for so far.
    pub fn used(&self) -> BusUse {
        self.bus().used
    }

    /// Has the driver's computing take time from here on.
    pub fn set_computing(&mut self, computing: Computing) {
        self.bus_mut().computing = computing;
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
        self.bus().chip
    }

    /// Changes SCK.
    pub fn set_clock(&mut self, clock: Hertz) {
        self.bus_mut().clock = clock;
    }

    /// Moves chip select: true is low.
    pub fn select(&mut self, selected: bool) {
        if selected == self.bus().selected {
            return;
        }
        if selected {
            self.compute();
        }
        let at = self.now;
        let bus = self.bus_mut();
        bus.selected = selected;
        bus.used.transactions += u64::from(selected);
        let chip = bus.chip;
        self.lan.with_device(chip, |chip| chip.select(at, selected));
        self.see_interrupts();
        self.watch_on();
    }

    fn compute(&mut self) {
        let bus = self.bus_mut();
        let time = bus.computing.time();
        bus.used.computing_time = bus.used.computing_time + time;
        self.now = self.now + time;
        self.lan.advance(self.now);
        self.see_interrupts();
    }

    fn see_interrupts(&mut self) {
        for bus in &mut self.buses {
            bus.interrupt.see(self.lan.interrupt_is_low(bus.chip));
        }
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
        self.bus_mut().used.bytes += bytes.len() as u64;
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
        let time = self.now - start;
        let used = &mut self.bus_mut().used;
        used.bus_time = used.bus_time + time;
    }

    /// The end of the byte before `index`, counted from the first bit of a transfer.
    fn edge(&self, start: Picoseconds, index: usize) -> Picoseconds {
        start + self.bus().clock.edge(8 * index as u64)
    }

    /// How many of the bytes from `done` to `all` end before anything else happens, and when; for none, when the next does.
    fn undisturbed(&self, start: Picoseconds, done: usize, all: usize) -> (usize, Picoseconds) {
        let end = self.edge(start, all);
        // What happens at the end of a byte comes before that byte.
        let Some(next) = self.lan.next_event().filter(|&next| next <= end) else { return (all - done, end) };
        let free = (next - start - Picoseconds::new(1)).max(Picoseconds::ZERO);
        let bits = i128::from(free.ps()) * i128::from(self.bus().clock.hz()) / i128::from(units::PS_PER_S);
        let before = usize::try_from(bits / 8).unwrap_or(all).clamp(done, all);
        (before - done, self.edge(start, before.max(done + 1)))
    }

    /// A byte in which something else happens.
    fn move_byte(&mut self, end: Picoseconds, byte: &mut u8) {
        let (chip, clock_hz) = (self.bus().chip, self.bus().clock.hz());
        self.lan.advance(end);
        self.see_interrupts();
        *byte = self.lan.with_device(chip, |chip| chip.spi_byte(end, *byte, clock_hz)).unwrap_or(0);
        self.now = end;
        self.see_interrupts();
    }

    /// Bytes in which nothing else happens but what they bring about.
    fn move_bytes(&mut self, end: Picoseconds, bytes: &mut [u8]) {
        let (from, chip, clock_hz) = (self.now, self.bus().chip, self.bus().clock.hz());
        self.lan.with_device(chip, |chip| chip.spi_burst(from, bytes, clock_hz));
        self.see_interrupts();
        self.lan.advance(end);
        self.now = end;
        self.see_interrupts();
    }

    /// Waits for a time.
    pub fn wait(&mut self, time: Picoseconds) {
        let used = &mut self.bus_mut().used;
        used.wait_time = used.wait_time + time;
        self.now = self.now + time;
        self.lan.advance(self.now);
        self.see_interrupts();
        self.watch_on();
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
        let (at, chip) = (self.now, self.bus().chip);
        self.lan.with_device(chip, |chip| chip.set_reset(at, high));
        self.see_interrupts();
    }

    /// Whether the chip's interrupt output is low.
    pub fn interrupt_is_low(&self) -> bool {
        self.lan.interrupt_is_low(self.bus().chip)
    }

    /// How often the chip's interrupt output went low so far.
    pub fn interrupt_falls(&self) -> u64 {
        self.bus().interrupt.falls
    }
}
