//! A LAN8720A on a board: RMII and the management interface at pins, the network on the other side. Its reference clock comes
//! from the microcontroller, which is told as a clock and not by its edges; its own pins change where a frame does, so that
//! nothing happens here while none passes.

use fields::{Field, Takes};
use lan::DeviceId;
use lan::lan8720::management::{Managed, Management};
use lan::lan8720::rmii::{Clock, DIBIT, frame_at_pins};
use lan::lan8720::transmitter::Transmitter;
use lan::lan8720::{Lan8720, REFERENCE_HZ};
use mcu::{Facts, Foretold, Patience};
use units::Picoseconds;

use super::{Around, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, either};
use crate::header::Defines;
use crate::kinds::{Kind, LINK_UP, PIN, RESET};

pub(crate) const KIND: Kind = Kind {
    name: "lan8720",
    help: "a LAN8720A, an Ethernet PHY behind RMII: the firmware is the MAC, by PIO and DMA. It takes its reference clock of \
           50 MHz from a clock output of the RP2040",
    fields: FIELDS,
    has_ethernet: true,
    outputs: &[],
    build,
    fits,
    header,
};

const FIELDS: &[Field] = &[
    Field::needed(
        "clock",
        PIN,
        "its CLKIN, the reference clock, from a clock output: GPIO 21, 23, 24 or 25 of an RP2040",
        "21",
    ),
    Field::needed("rxd0", PIN, "its RXD0, with RXD1 and CRS_DV at the two pins behind it", "6"),
    Field::needed("txd0", PIN, "its TXD0, with TXD1 and TX_EN at the two pins behind it", "10"),
    Field::needed("mdio", PIN, "data of its management interface", "14"),
    Field::needed("mdc", PIN, "the clock of that", "15"),
    RESET,
    Field::new(
        "address",
        Takes::Count(0, 31),
        "1",
        "the address that it answers at there (PHYAD0 is strapped)",
        "0",
    ),
    LINK_UP,
];

/// Data and a line that says when they count.
const PINS_IN_A_ROW: u8 = 3;

/// It needs a clock output of the microcontroller, and two rows of pins that meet no other pin of it.
fn fits(entry: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    let name = facts.pin_name;
    let clock = entry.values.pin("clock");
    if facts.clock_outputs.is_empty() {
        let words =
            format!("is {}, but the {} gives no chip a clock; leave this chip out", name(clock), facts.title);
        return Err(Misfit::of("clock", words));
    }
    if !facts.clock_outputs.contains(&clock) {
        let outputs = facts.clock_outputs.iter().map(|&gpio| name(gpio)).collect();
        let words = format!("is {}, which is no clock output; take {}", name(clock), either(outputs));
        return Err(Misfit::of("clock", words));
    }
    for field in ["rxd0", "txd0"] {
        let first = entry.values.pin(field);
        let last = first + PINS_IN_A_ROW - 1;
        if last > facts.last_gpio() {
            let highest = name(facts.last_gpio() + 1 - PINS_IN_A_ROW);
            let words = format!("is {}, and two pins more follow it; give one up to {highest}", name(first));
            return Err(Misfit::of(field, words));
        }
        let within = |&(other, pin): &(&str, u8)| other != field && (first..=last).contains(&pin);
        if let Some((other, pin)) = entry.pins().find(within) {
            let words = format!(
                "is {}, and its row goes on to {}, but {other} is {}; give each pins of its own",
                name(first),
                name(last),
                name(pin)
            );
            return Err(Misfit::of(field, words));
        }
    }
    Ok(())
}

fn build(entry: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let pin = |name| entry.values.pin(name);
    Ok(Box::new(Seat {
        clock_pin: pin("clock"),
        rxd0: pin("rxd0"),
        txd0: pin("txd0"),
        mdio: pin("mdio"),
        mdc: pin("mdc"),
        reset: entry.values.pin_if_given("reset"),
        address: entry.values.integer("address") as u8,
        link_up: entry.values.time("link_up"),
        phy: None,
        clock: None,
        receives: None,
        transmitter: Transmitter::default(),
        management: Management::default(),
        mdio_level: None,
    }))
}

/// Of several chips with Ethernet the firmware knows the first.
fn header(entry: &PartEntry, defines: &mut Defines) {
    if !defines.is_first("network") {
        return;
    }
    defines.define("BOARD_LAN8720", "1");
    let pins = [
        ("REF_CLK", "clock"),
        ("RXD0", "rxd0"),
        ("TXD0", "txd0"),
        ("MDIO", "mdio"),
        ("MDC", "mdc"),
        ("RSTN", "reset"),
    ];
    for (name, field) in pins {
        if let Some(pin) = entry.values.pin_if_given(field) {
            defines.define(&format!("BOARD_NETWORK_{name}"), &format!("{pin}u"));
        }
    }
}

type PhyId = DeviceId<Lan8720>;

/// A frame on its way to the MAC.
#[derive(Debug, Clone)]
enum Receives {
    /// The part drives the pins, from this change on.
    ByItself { pins: Foretold, next: usize },
    /// The microcontroller carries out what was foretold, up to then.
    Foretold { ends: Picoseconds },
}

impl Receives {
    /// When the part has to do with it next; nothing once the frame has gone by.
    fn next_event(&self) -> Option<Picoseconds> {
        match self {
            Self::ByItself { pins, next } => pins.at(*next),
            Self::Foretold { ends } => Some(*ends),
        }
    }
}

/// The PHY in its place on the board.
#[derive(Debug, Clone)]
struct Seat {
    clock_pin: u8,
    rxd0: u8,
    txd0: u8,
    mdio: u8,
    mdc: u8,
    reset: Option<u8>,
    address: u8,
    link_up: Picoseconds,
    /// Its device, once it is on a network.
    phy: Option<PhyId>,
    clock: Option<Clock>,
    /// The frame that is on its way to the MAC.
    receives: Option<Receives>,
    transmitter: Transmitter,
    management: Management,
    mdio_level: Option<bool>,
}

impl Part for Seat {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        self.phy = wiring.attach(Lan8720::new(self.address, self.link_up));
        let pins = 0b111 << self.txd0 | 1 << self.mdc;
        wiring.pins(self.reset.map_or(pins, |pin| pins | 1 << pin));
        if let Some(pin) = self.reset {
            wiring.pulled_up(pin);
        }
        wiring.clock(self.clock_pin);
        wiring.pulled_up(self.mdio);
        for pin in self.rxd0..self.rxd0 + 3 {
            wiring.level(pin, Some(false));
        }
        wiring.timed();
    }

    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, around: &mut Around<'_>) {
        let (Some(phy), true) = (self.phy, pin == self.clock_pin) else { return };
        self.clock = clock.map(|(rise, _)| Clock { rise });
        let hz = clock.map_or(0, |(_, hz)| hz);
        let at = clock.map_or(around.now(), |(rise, _)| rise);
        if hz != REFERENCE_HZ {
            self.clock = None;
        }
        around.with_device(phy, |phy| phy.set_clock(at, hz));
    }

    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        if changed >> self.txd0 & 0b111 != 0 {
            let levels = (around.levels >> self.txd0 & 0b111) as u8;
            match self.transmitter.changed(self.clock, at, levels) {
                Some(Ok((start, frame))) => {
                    around.advance(at);
                    around.with_device(phy, |phy| phy.transmitted(start, frame));
                }
                Some(Err(fault)) => drop(around.with_device(phy, |phy| phy.refused(at, fault))),
                None => {}
            }
        }
        if changed >> self.mdc & 1 == 1 && !around.is_low(self.mdc) {
            around.advance(at);
            self.manage(at, phy, around);
        }
        if let Some(pin) = self.reset.filter(|pin| changed >> pin & 1 == 1) {
            around.advance(at);
            let is_high = !around.is_low(pin);
            around.with_device(phy, |phy| phy.set_reset(at, is_high));
        }
        self.take_beginning(phy, around);
    }

    /// While TX_EN stands, nothing follows on a di-bit.
    fn patience(&self) -> Patience {
        Patience { heard: 0b11 << self.txd0, moved: 0 }
    }

    fn take_foretold(&mut self) -> Option<Foretold> {
        match self.receives.take()? {
            Receives::ByItself { pins, next: 0 } => {
                self.receives = Some(Receives::Foretold { ends: pins.end() });
                Some(pins)
            }
            other => {
                self.receives = Some(other);
                None
            }
        }
    }

    fn next_event(&self) -> Option<Picoseconds> {
        self.receives.as_ref()?.next_event()
    }

    fn advance(&mut self, at: Picoseconds, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        if let Some(Receives::ByItself { pins, next }) = &mut self.receives {
            while pins.at(*next).is_some_and(|due| due <= at) {
                let before = if *next == 0 { 0 } else { pins.levels(*next - 1) };
                let levels = pins.levels(*next);
                for pin in (0..32).filter(|pin| (before ^ levels) >> pin & 1 == 1) {
                    around.drive(pin, Some(levels >> pin & 1 == 1));
                }
                *next += 1;
            }
        }
        let has_gone_by = match &self.receives {
            Some(Receives::Foretold { ends }) => *ends <= at,
            Some(receives) => receives.next_event().is_none(),
            None => true,
        };
        if has_gone_by {
            self.receives = None;
            around.advance(at);
            self.take_beginning(phy, around);
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }
}

impl Seat {
    /// A frame is on the wire: once the one before has gone by, it comes out at the pins.
    fn take_beginning(&mut self, phy: PhyId, around: &mut Around<'_>) {
        let Some(clock) = self.clock.filter(|_| self.receives.is_none()) else { return };
        let next = around.device(phy).is_some_and(Lan8720::has_beginning);
        if next && let Some(Some(frame)) = around.with_device(phy, Lan8720::take_beginning) {
            let (first, levels) = frame_at_pins(clock, frame.at, &frame.bytes);
            let pins = Foretold::new((self.rxd0, PINS_IN_A_ROW), (first, DIBIT), levels);
            self.receives = Some(Receives::ByItself { pins, next: 0 });
        }
    }

    fn manage(&mut self, at: Picoseconds, phy: PhyId, around: &mut Around<'_>) {
        let mdio = !around.is_low(self.mdio);
        let Self { management, .. } = self;
        let level = around.with_device(phy, |phy| management.clock_rises(mdio, &mut Managing { phy, at }));
        let level = level.flatten();
        if level != self.mdio_level {
            self.mdio_level = level;
            around.drive(self.mdio, level);
        }
    }
}

/// The registers at a moment.
struct Managing<'a> {
    phy: &'a mut Lan8720,
    at: Picoseconds,
}

impl Managed for Managing<'_> {
    fn address(&self) -> u8 {
        self.phy.address()
    }

    fn read(&mut self, register: u8) -> u16 {
        self.phy.read(self.at, register)
    }

    fn write(&mut self, register: u8, value: u16) {
        self.phy.write(self.at, register, value);
    }
}
