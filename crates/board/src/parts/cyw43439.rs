//! The radio of a Pico W on a board: two pins for itself, one for the clock, and one that both directions of data share with its
//! interrupt. What it is is in crate `cyw43`; its device is on the network, behind an access point.

use cyw43::{Chip, Latencies, Options, Response};
use fields::Field;
use lan::DeviceId;
use mcu::{Answer, ClockPulses, DataLine, Patience, Said};
use units::Picoseconds;

use super::{Around, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, anywhere};
use crate::header::Defines;
use crate::kinds::{Kind, PIN};

pub(crate) const KIND: Kind = Kind {
    name: "cyw43439",
    help: "the radio of a Pico W: a station on Wi-Fi, reached over gSPI, whose firmware the image uploads",
    fields: FIELDS,
    has_ethernet: true,
    outputs: &[LED],
    build,
    fits: anywhere,
    header,
};

const FIELDS: &[Field] = &[
    Field::needed("power", PIN, "its WL_REG_ON: low takes its power", "23"),
    Field::needed("data", PIN, "command, data of both directions, and its interrupt", "24"),
    Field::needed("select", PIN, "its chip select, low when it is meant", "25"),
    Field::needed("clock", PIN, "the clock of gSPI", "29"),
];

/// What hangs on the lowest output of the chip.
const LED: &str = "LED";
/// How long a frame is at work inside the chip, each way: fitted on the least ping published with a Pico W's web server, 3.23 ms
/// without power save, whose client is taken to be on Wi-Fi too. What its access point and its client's card take is in it.
const LATENCY: Picoseconds = Picoseconds::new(1_195 * units::PS_PER_US);
/// Of the maker of the Pico W, with an end of our own.
const ADDRESS: [u8; 6] = [0x28, 0xcd, 0xc1, 0x41, 0x57, 0x01];

fn build(entry: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let pin = |name| entry.values.pin(name);
    Ok(Box::new(Seat {
        power: pin("power"),
        data: pin("data"),
        select: pin("select"),
        clock: pin("clock"),
        chip: None,
        led: 0,
    }))
}

fn header(entry: &PartEntry, defines: &mut Defines) {
    if !defines.is_first("network") {
        return;
    }
    defines.define("BOARD_CYW43439", "1");
    for (name, field) in [("POWER", "power"), ("DATA", "data"), ("CSN", "select"), ("SCLK", "clock")] {
        defines.define(&format!("BOARD_NETWORK_{name}"), &format!("{}u", entry.values.pin(field)));
    }
}

/// A chip in its place on the board.
#[derive(Debug, Clone)]
struct Seat {
    power: u8,
    data: u8,
    select: u8,
    clock: u8,
    chip: Option<DeviceId<Chip>>,
    /// The net of its LED.
    led: u8,
}

impl Part for Seat {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        let latencies = Latencies { receive: LATENCY, transmit: LATENCY };
        let (air, joiners) = (wiring.access_points(), wiring.joiners());
        self.chip = wiring.attach(Chip::new(Options { address: ADDRESS, latencies, air, joiners }));
        wiring.pins([self.power, self.select, self.clock].into_iter().fold(0, |mask, pin| mask | 1 << pin));
        wiring.pulled_up(self.select);
        if let Some(chip) = self.chip {
            wiring.weak_interrupt(chip, self.data);
        }
        self.led = wiring.outputs(KIND.outputs.len());
        wiring.timed();
    }

    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        let Some(chip) = self.chip else { return };
        let is_high = |around: &Around<'_>, pin: u8| !around.is_low(pin);
        let (clock, data) = (is_high(around, self.clock), is_high(around, self.data));
        if changed >> self.clock & 1 == 1 {
            around.with_device(chip, |chip| match clock {
                true => chip.clock_rises(at, data),
                false => chip.clock_falls(at),
            });
        }
        if changed & (1 << self.power | 1 << self.select) != 0 {
            around.advance(at);
            let (power, selected) = (is_high(around, self.power), around.is_low(self.select));
            around.with_device(chip, |chip| {
                chip.set_power(at, power);
                chip.select(at, selected);
            });
            self.look_at_outputs(at, around);
        }
    }

    fn patience(&self) -> Patience {
        Patience { heard: 1 << self.clock, moved: 1 << self.data }
    }

    fn pulses(&mut self, pulses: &ClockPulses<'_>, around: &mut Around<'_>) -> Answer {
        let is_own = pulses.clock == self.clock && !pulses.falls_first;
        let Some(chip) = self.chip.filter(|_| is_own) else { return Answer::default() };
        let sent = match pulses.sent {
            Some(line) if line.pin == self.data => Some(line.levels),
            _ if pulses.may_pull >> self.data & 1 == 1 => None,
            _ => return Answer::default(),
        };
        let response = around.with_device(chip, |chip| chip.pulses(pulses.count, sent, pulses.times));
        let Response { count, levels, at_rise } = response.unwrap_or_default();
        let line = |levels| DataLine { pin: self.data, levels };
        let said = levels.map(|levels| Said { line: line(levels), at_rise, is_pulled: true });
        Answer { count, said }
    }

    /// The firmware moves its outputs some time after it was asked to.
    fn advance(&mut self, at: Picoseconds, around: &mut Around<'_>) {
        around.advance(at);
        self.look_at_outputs(at, around);
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}

impl Seat {
    fn look_at_outputs(&self, at: Picoseconds, around: &mut Around<'_>) {
        let Some(chip) = self.chip.and_then(|chip| around.device(chip)) else { return };
        let is_on = chip.gpio() & 1 == 1;
        around.set_output(at, self.led, is_on);
    }
}
