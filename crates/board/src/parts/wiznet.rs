//! WIZnet's chips on a board: SPI and pins on one side, the network on the other. Where the firmware uses an SPI of the MCU,
//! bytes come in frames; where it moves the pins itself, or lets a PIO do so, they come bit by bit. What differs between the
//! chips is in crate `wiznet`, whose table makes the kinds.

mod bits;

use ::wiznet::spi::MODES;
use ::wiznet::{Chip, Model, Options};
use fields::{Field, Takes};
use lan::ChipId;
use mcu::{Answer, ClockPulses, ClockWords, Patience, SpiFrame};
use units::Picoseconds;

use bits::Bits;

use super::{Around, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, on_spi};
use crate::header::Defines;
use crate::kinds::{Kind, LINK_UP, PIN, RESET, SELECT};

/// The kind of a chip's model.
pub(crate) fn kind(model: Model) -> Kind {
    let facts = model.facts();
    Kind {
        name: facts.name,
        help: facts.help,
        fields: FIELDS,
        has_ethernet: true,
        outputs: &[],
        build,
        fits: on_spi,
        header,
    }
}

const FIELDS: &[Field] = &[
    Field::open(
        "spi",
        Takes::Count(0, 1),
        "the SPI port that it is on, whose pins clock, mosi and miso are then; without one it is reached by these alone",
        "0",
    ),
    SELECT,
    RESET,
    Field::open("interrupt", PIN, "its interrupt output", "21"),
    Field::open("clock", PIN, "its SCLK, for firmware that moves pins itself or by PIO", "18"),
    Field::open("mosi", PIN, "its MOSI, likewise", "19"),
    Field::open("miso", PIN, "its MISO, likewise", "16"),
    LINK_UP,
];

fn build(entry: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let kind = entry.kind();
    let model = Model::named(kind)
        .ok_or_else(|| Misfit::of("kind", format!("is {kind}, and WIZnet has no such chip")))?;
    let pin = |name| entry.values.pin_if_given(name);
    let on_pins = ["clock", "mosi", "miso"].into_iter().all(|name| pin(name).is_some());
    if port_of(entry).is_none() && !on_pins {
        let words = "is missing, and so is one of clock, mosi and miso: give spi, or all of these";
        return Err(Misfit::of("spi", words.to_owned()));
    }
    Ok(Box::new(Seat {
        model,
        link_up: entry.values.time("link_up"),
        port: port_of(entry),
        select: pin("select"),
        reset: pin("reset"),
        interrupt: pin("interrupt"),
        clock: pin("clock"),
        mosi: pin("mosi"),
        miso: pin("miso"),
        chip: None,
        selected: false,
        bits: Bits::default(),
        clocked_hz: None,
    }))
}

fn port_of(entry: &PartEntry) -> Option<u8> {
    entry.values.get("spi").map(|port| port.integer() as u8)
}

/// Of several chips with Ethernet the firmware knows the first.
fn header(entry: &PartEntry, defines: &mut Defines) {
    if !defines.is_first("network") {
        return;
    }
    defines.define(&format!("BOARD_WIZNET_{}", entry.kind().to_uppercase()), "1");
    if let Some(port) = port_of(entry) {
        defines.define("BOARD_NETWORK_SPI", &port.to_string());
    }
    let pins = [
        ("MISO", "miso"),
        ("CSN", "select"),
        ("SCLK", "clock"),
        ("MOSI", "mosi"),
        ("RSTN", "reset"),
        ("INTN", "interrupt"),
    ];
    for (name, field) in pins {
        if let Some(pin) = entry.values.pin_if_given(field) {
            defines.define(&format!("BOARD_NETWORK_{name}"), &format!("{pin}u"));
        }
    }
}

/// A chip in its place on the board.
#[derive(Debug, Clone)]
struct Seat {
    model: Model,
    link_up: Picoseconds,
    /// Without one its clock and data are on pins of no SPI.
    port: Option<u8>,
    select: Option<u8>,
    reset: Option<u8>,
    interrupt: Option<u8>,
    clock: Option<u8>,
    mosi: Option<u8>,
    miso: Option<u8>,
    /// Its device, once it is on a network.
    chip: Option<ChipId>,
    selected: bool,
    bits: Bits,
    /// SCK of the last byte that came over pins.
    clocked_hz: Option<u64>,
}

impl Part for Seat {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        let options = Options { seed: wiring.seed, link_up_time: self.link_up, ..Options::of(self.model) };
        self.chip = wiring.attach(Chip::new(options));
        if let Some(port) = self.port {
            wiring.spi(port, true);
        }
        let pins = [self.select, self.reset, self.clock];
        wiring.pins(pins.into_iter().flatten().fold(0, |mask, pin| mask | 1 << pin));
        for pin in [self.select, self.reset].into_iter().flatten() {
            wiring.pulled_up(pin);
        }
        if let (Some(chip), Some(pin)) = (self.chip, self.interrupt) {
            wiring.interrupt(chip, pin);
        }
    }

    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        let Some(chip) = self.chip else { return };
        around.advance(at);
        let moved = |pin: Option<u8>| pin.filter(|pin| changed >> pin & 1 == 1);
        if let Some(pin) = moved(self.reset) {
            let high = !around.is_low(pin);
            around.with_device(chip, |chip| chip.set_reset(at, high));
        }
        if let Some(pin) = moved(self.select) {
            self.selected = around.is_low(pin);
            if let Some(pin) = self.miso.filter(|_| self.bits.have_begun()) {
                around.drive(pin, None);
            }
            self.bits = Bits::default();
            let selected = self.selected;
            around.with_device(chip, |chip| chip.select(at, selected));
        }
        if let Some(pin) = moved(self.clock).filter(|_| self.selected) {
            match around.is_low(pin) {
                false => self.clock_rises(at, chip, around),
                true => self.clock_falls(chip, around),
            }
        }
    }

    /// A clock that a PIO gives may be told late: its answers show at MISO alone, and interrupts where they come out.
    fn patience(&self) -> Patience {
        let Some(clock) = self.clock else { return Patience::default() };
        let moved = self.miso.map_or(0, |pin| 1 << pin);
        Patience { heard: 1 << clock, moved }
    }

    fn pulses(&mut self, pulses: &ClockPulses<'_>, around: &mut Around<'_>) -> Answer {
        self.clock_pulses(pulses, around)
    }

    fn words(&mut self, words: &ClockWords<'_>, answers: &mut [u32], around: &mut Around<'_>) -> usize {
        self.clock_words(words, answers, around)
    }

    fn spi_frame(&mut self, at: Picoseconds, frame: &SpiFrame, around: &mut Around<'_>) -> Option<u16> {
        let chip = self.chip.filter(|_| self.selected)?;
        if !MODES.contains(&frame.mode) {
            return Some(0);
        }
        let mut byte = |at, sent: u16| {
            around.advance(at);
            let answer = around.with_device(chip, |chip| chip.spi_byte(at, sent as u8, frame.clock_hz));
            u16::from(answer.unwrap_or(0))
        };
        Some(match frame.bits {
            8 => byte(at, frame.sent),
            16 => {
                let middle = Picoseconds::new(frame.start.ps() + (at - frame.start).ps() / 2);
                byte(middle, frame.sent >> 8) << 8 | byte(at, frame.sent & 0xff)
            }
            // Frames of other lengths make no bytes for a chip that counts eight clocks to each.
            _ => 0,
        })
    }

    fn clocked_hz(&self) -> Option<u64> {
        self.clocked_hz
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    /// Nothing is kept of a byte that is on its way over pins.
    fn saved(&self) -> Option<Vec<u8>> {
        Some(vec![u8::from(self.selected)])
    }

    fn put_back(&mut self, saved: &[u8]) -> bool {
        let &[selected] = saved else { return false };
        self.selected = selected != 0;
        true
    }
}
