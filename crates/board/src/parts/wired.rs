//! WIZnet chips on a board: their SPI and pins on one side, the network on the other. Where the firmware uses an SPI of the
//! MCU, bytes come in frames; where it moves the pins itself, or lets a PIO do so, they come bit by bit. `mapped` has the ideal
//! MAC, which is on no SPI.

use mcu::{Reaction, SpiFrame};
use units::{Hertz, Picoseconds};
use wiznet::{Chip, Options};

use super::is_low;
use super::mapped::{self, MappedMac};
use crate::file::WiznetPart;
use lan::{ChipId, Lan, NetworkSetup, SavedLan};

/// SPI modes that the chips take: both sample at the rising edge (W5500 datasheet 2.1).
const MODES: [u8; 2] = [0b00, 0b11];

/// A chip in its place on the board.
#[derive(Debug, Clone)]
struct Seat {
    part: WiznetPart,
    chip: ChipId,
    selected: bool,
    /// Its interrupt output as it was last told; a chip drives it from the start (W5500 datasheet 1.1, INTn is an output).
    interrupt_low: Option<bool>,
    bits: Bits,
}

/// A byte on its way over pins that are moved one by one.
#[derive(Debug, Clone, Copy, Default)]
struct Bits {
    /// Whether any came since chip select fell: then the chip drives MISO.
    seen: bool,
    count: u8,
    sent: u8,
    answer: u8,
    /// The rising edge of the last bit.
    risen: Picoseconds,
}

/// The chips of a board, and the network that they are on.
#[derive(Debug)]
pub(super) struct WiredChips {
    lan: Lan,
    seats: Vec<Seat>,
    macs: Vec<MappedMac>,
    told: Option<Picoseconds>,
}

/// Chips in their places, to be kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct SavedWired {
    lan: SavedLan,
    seats: Vec<(bool, Option<bool>)>,
}

impl WiredChips {
    /// A network without chips.
    pub(super) fn new(network: &NetworkSetup) -> Self {
        Self { lan: Lan::new(network), seats: Vec::new(), macs: Vec::new(), told: None }
    }

    pub(super) fn has_chips(&self) -> bool {
        !self.seats.is_empty() || !self.macs.is_empty()
    }

    pub(super) fn add(&mut self, name: &str, part: &WiznetPart, seed: u64) {
        let options = Options { seed, link_up_time: part.link_up, ..Options::of(part.model) };
        let chip = self.lan.attach(name, Chip::new(options));
        let part = part.clone();
        self.seats.push(Seat { part, chip, selected: false, interrupt_low: None, bits: Bits::default() });
    }

    pub(super) fn add_ideal_mac(&mut self, name: &str, interrupt: u8) {
        let chip = self.lan.attach_ideal_mac(name);
        self.macs.push(MappedMac::new(chip, interrupt));
    }

    /// The processor reads in the address space that is the board's.
    pub(super) fn memory_read(&mut self, at: Picoseconds, address: u32, bytes: u8) -> Option<u32> {
        let (number, offset) = mapped::place(address);
        self.lan.advance(at);
        self.macs.get(number)?.read(&self.lan, at, offset, bytes)
    }

    pub(super) fn memory_peek(&self, address: u32, bytes: u8) -> Option<u32> {
        let (number, offset) = mapped::place(address);
        self.macs.get(number)?.read(&self.lan, self.lan.now(), offset, bytes)
    }

    pub(super) fn memory_write(
        &mut self,
        at: Picoseconds,
        address: u32,
        (bytes, value): (u8, u32),
        reactions: &mut Vec<Reaction>,
    ) -> bool {
        let (number, offset) = mapped::place(address);
        let Some(mac) = self.macs.get(number) else { return false };
        self.lan.advance(at);
        let written = mac.write(&mut self.lan, at, offset, (bytes, value));
        if mapped::is_register(offset) {
            self.tell(reactions);
        }
        written
    }

    pub(super) fn lan(&mut self) -> &mut Lan {
        &mut self.lan
    }

    /// What the chips complain of since the last call.
    pub(super) fn take_warnings(&mut self) -> Vec<String> {
        let Self { lan, seats, .. } = self;
        let warnings = seats.iter().flat_map(|seat| lan.with_chip(seat.chip, Chip::take_warnings));
        warnings.map(|warning| format!("{} (first at {})", warning.sentence, warning.at)).collect()
    }

    pub(super) fn next_event(&self) -> Option<Picoseconds> {
        self.lan.next_event()
    }

    pub(super) fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        self.lan.advance(at);
        self.tell(reactions);
    }

    pub(super) fn pins_changed(
        &mut self,
        at: Picoseconds,
        changed: u32,
        levels: u32,
        reactions: &mut Vec<Reaction>,
    ) {
        let Self { lan, seats, .. } = self;
        for seat in seats.iter_mut().filter(|seat| seat.pins() & changed != 0) {
            lan.advance(at);
            seat.pins_changed(at, changed, levels, lan, reactions);
        }
        self.tell(reactions);
    }

    /// The answer of the chip that is meant; nothing where none is.
    pub(super) fn frame(
        &mut self,
        at: Picoseconds,
        frame: &SpiFrame,
        reactions: &mut Vec<Reaction>,
    ) -> Option<u16> {
        let Self { lan, seats, .. } = self;
        let seat = seats.iter().find(|seat| seat.part.port == frame.port && seat.selected)?;
        let answer = if MODES.contains(&frame.mode) { seat.frame(at, frame, lan) } else { 0 };
        self.tell(reactions);
        Some(answer)
    }

    /// What the MCU has to hear: interrupt outputs that changed, and another time of the next event.
    fn tell(&mut self, reactions: &mut Vec<Reaction>) {
        for seat in &mut self.seats {
            let low = self.lan.chip(seat.chip).interrupt_is_low();
            if let Some(pin) = seat.part.interrupt.filter(|_| Some(low) != seat.interrupt_low) {
                reactions.push(Reaction::Pin { pin, level: Some(!low) });
            }
            seat.interrupt_low = Some(low);
        }
        for mac in &mut self.macs {
            reactions.extend(mac.interrupt_change(&self.lan));
        }
        if self.lan.next_event() != self.told {
            self.told = self.lan.next_event();
            reactions.push(Reaction::Rescheduled);
        }
    }

    /// Nothing where a chip cannot be saved.
    pub(super) fn saved(&self) -> Option<SavedWired> {
        let seats = self.seats.iter().map(|seat| (seat.selected, seat.interrupt_low));
        Some(SavedWired { lan: self.lan.saved()?, seats: seats.collect() })
    }

    /// False when these are other chips.
    pub(super) fn put_back(&mut self, saved: SavedWired) -> bool {
        if saved.seats.len() != self.seats.len() || !self.lan.put_back(saved.lan) {
            return false;
        }
        for (seat, (selected, interrupt_low)) in self.seats.iter_mut().zip(saved.seats) {
            (seat.selected, seat.interrupt_low) = (selected, interrupt_low);
        }
        self.told = None;
        true
    }

    pub(super) fn snapshot(&self) -> Option<Self> {
        Some(Self {
            lan: self.lan.snapshot()?,
            seats: self.seats.clone(),
            macs: self.macs.clone(),
            told: self.told,
        })
    }
}

impl Seat {
    fn pins(&self) -> u32 {
        let WiznetPart { select, reset, clock, .. } = self.part;
        [select, reset, clock].into_iter().flatten().fold(0, |mask, pin| mask | 1 << pin)
    }

    fn pins_changed(
        &mut self,
        at: Picoseconds,
        changed: u32,
        levels: u32,
        lan: &mut Lan,
        reactions: &mut Vec<Reaction>,
    ) {
        let moved = |pin: Option<u8>| pin.filter(|pin| changed >> pin & 1 == 1);
        if let Some(pin) = moved(self.part.reset) {
            lan.with_chip(self.chip, |chip| chip.set_reset(at, !is_low(levels, pin)));
        }
        if let Some(pin) = moved(self.part.select) {
            self.selected = is_low(levels, pin);
            if let Some(pin) = self.part.miso.filter(|_| self.bits.seen) {
                reactions.push(Reaction::Pin { pin, level: None });
            }
            self.bits = Bits::default();
            let selected = self.selected;
            lan.with_chip(self.chip, |chip| chip.select(at, selected));
        }
        if let Some(pin) = moved(self.part.clock).filter(|_| self.selected) {
            match is_low(levels, pin) {
                false => self.clock_rises(at, levels, lan),
                true => self.clock_falls(reactions, lan),
            }
        }
    }

    fn clock_rises(&mut self, at: Picoseconds, levels: u32, lan: &mut Lan) {
        let Some(mosi) = self.part.mosi else { return };
        let bits = &mut self.bits;
        if bits.count == 0 {
            bits.answer = lan.chip(self.chip).next_answer();
        }
        bits.sent = bits.sent << 1 | u8::from(!is_low(levels, mosi));
        bits.count += 1;
        let period = if bits.seen { at - bits.risen } else { Picoseconds::ZERO };
        (bits.seen, bits.risen) = (true, at);
        if bits.count == 8 {
            let (sent, clock_hz) = (bits.sent, clock_hz(period));
            *bits = Bits { seen: true, risen: at, ..Bits::default() };
            lan.with_chip(self.chip, |chip| chip.spi_byte(at, sent, clock_hz));
        }
    }

    /// The chip puts its next bit on MISO.
    fn clock_falls(&mut self, reactions: &mut Vec<Reaction>, lan: &Lan) {
        let Some(pin) = self.part.miso.filter(|_| self.bits.seen) else { return };
        let byte = if self.bits.count == 0 { lan.chip(self.chip).next_answer() } else { self.bits.answer };
        let level = Some(byte << self.bits.count & 0x80 != 0);
        reactions.push(Reaction::Pin { pin, level });
    }

    /// A frame of the MCU's SPI, which is one byte or two.
    fn frame(&self, at: Picoseconds, frame: &SpiFrame, lan: &mut Lan) -> u16 {
        let mut byte = |at, sent: u16| {
            lan.advance(at);
            u16::from(lan.with_chip(self.chip, |chip| chip.spi_byte(at, sent as u8, frame.clock_hz)))
        };
        match frame.bits {
            8 => byte(at, frame.sent),
            16 => {
                let middle = Picoseconds::new(frame.start.ps() + (at - frame.start).ps() / 2);
                byte(middle, frame.sent >> 8) << 8 | byte(at, frame.sent & 0xff)
            }
            // Frames of other lengths make no bytes for a chip that counts eight clocks to each.
            _ => 0,
        }
    }
}

fn clock_hz(period: Picoseconds) -> u64 {
    u64::try_from(units::PS_PER_S / period.ps().max(1)).map_or(0, |hz| Hertz::new(hz).map_or(0, Hertz::hz))
}
