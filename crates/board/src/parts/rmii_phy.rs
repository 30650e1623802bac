//! A LAN8720A on a board: RMII and the management interface at pins, the network on the other side. The reference clock comes from
//! the microcontroller or goes to it, and is told as a clock and not by its edges; the other pins change where a frame does, so
//! that nothing happens here while none passes.

use fields::{Field, Takes};
use lan::DeviceId;
use lan::NetDevice;
use lan::lan8720::management::{Managed, Management, OUTPUT_DELAY};
use lan::lan8720::rmii::{Clock, frame_at_pins};
use lan::lan8720::transmitter::{EvenDibits, Transmitter};
use lan::lan8720::{Lan8720, REFERENCE_HZ};
use mcu::{Facts, Foretold, LevelRow, LevelWords, Patience};
use units::Picoseconds;

use super::{Around, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, either};
use crate::header::Defines;
use crate::kinds::{Kind, LINK_UP, PIN, RESET};

pub(crate) const KIND: Kind = Kind {
    name: "lan8720",
    help: "a LAN8720A, an Ethernet PHY behind RMII for 10 and 100 Mbit/s: the firmware is the MAC, by PIO and DMA. The reference \
           clock of 50 MHz comes from a clock output of the RP2040 (`clock`), or goes to it from the PHY (`refclko`)",
    fields: FIELDS,
    has_ethernet: true,
    outputs: &[],
    build,
    fits,
    header,
};

const FIELDS: &[Field] = &[
    Field::open(
        "clock",
        PIN,
        "its CLKIN, the reference clock, from a clock output: GPIO 21, 23, 24 or 25 of an RP2040",
        "21",
    ),
    Field::open(
        "refclko",
        PIN,
        "in place of that its REFCLKO: the PHY, or the oscillator of its module, gives the reference clock to this pin. An RP2040 can \
         run by a clock at GPIO 20 or 22, and PIO programs can wait for its edges at any pin",
        "20",
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

/// With a chip whose oscillator is on the board the first edge comes so long after its power.
const FIRST_RISE: Picoseconds = Picoseconds::from_ns(20);

/// It needs a clock in one direction.
fn clock_fits(entry: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    let name = facts.pin_name;
    match (entry.values.pin_if_given("clock"), entry.values.pin_if_given("refclko")) {
        (Some(clock), None) if facts.clock_outputs.is_empty() => {
            let words = format!(
                "is {}, but the {} gives no chip a clock; leave this chip out",
                name(clock),
                facts.title
            );
            Err(Misfit::of("clock", words))
        }
        (Some(clock), None) if !facts.clock_outputs.contains(&clock) => {
            let outputs = facts.clock_outputs.iter().map(|&gpio| name(gpio)).collect();
            let words = format!("is {}, which is no clock output; take {}", name(clock), either(outputs));
            Err(Misfit::of("clock", words))
        }
        (None, Some(refclko)) if facts.clock_inputs.is_empty() => {
            let words = format!(
                "is {}, but the {} takes no chip's clock; leave this chip out",
                name(refclko),
                facts.title
            );
            Err(Misfit::of("refclko", words))
        }
        (Some(clock), Some(refclko)) => {
            let words = format!(
                "is {}, but clock is {}; the reference clock goes one way, so leave one of them out",
                name(refclko),
                name(clock)
            );
            Err(Misfit::of("refclko", words))
        }
        (None, None) => {
            let words = "is lan8720, which needs a reference clock; give clock or refclko".to_owned();
            Err(Misfit::of("kind", words))
        }
        _ => Ok(()),
    }
}

/// It needs a reference clock, and two rows of pins that meet no other pin of it.
fn fits(entry: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    let name = facts.pin_name;
    clock_fits(entry, facts)?;
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
    let refclko = entry.values.pin_if_given("refclko");
    Ok(Box::new(Seat {
        clock_pin: entry.values.pin_if_given("clock"),
        refclko,
        rxd0: pin("rxd0"),
        txd0: pin("txd0"),
        mdio: pin("mdio"),
        mdc: pin("mdc"),
        reset: entry.values.pin_if_given("reset"),
        address: entry.values.integer("address") as u8,
        link_up: entry.values.time("link_up"),
        phy: None,
        state: State { clock: refclko.map(|_| Clock::at_100(FIRST_RISE)), ..State::default() },
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
        ("REFCLKO", "refclko"),
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
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Receives {
    /// The part drives the pins, from this step on.
    ByItself { pins: Foretold, next: usize },
    /// The microcontroller carries out what was foretold, up to then.
    Foretold { ends: Picoseconds },
}

impl Receives {
    /// When the part has to do with it next; nothing once the frame has gone by.
    fn next_event(&self) -> Option<Picoseconds> {
        match self {
            Self::ByItself { pins, next } => pins.at(pins.next_change(*next)?),
            Self::Foretold { ends } => Some(*ends),
        }
    }
}

/// The PHY in its place on the board.
#[derive(Debug, Clone)]
struct Seat {
    clock_pin: Option<u8>,
    refclko: Option<u8>,
    rxd0: u8,
    txd0: u8,
    mdio: u8,
    mdc: u8,
    reset: Option<u8>,
    address: u8,
    link_up: Picoseconds,
    /// Its device, once it is on a network.
    phy: Option<PhyId>,
    state: State,
}

/// What it is doing.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct State {
    clock: Option<Clock>,
    /// The frame that is on its way to the MAC.
    receives: Option<Receives>,
    transmitter: Transmitter,
    management: Management,
    mdio_level: Option<bool>,
    /// The level that MDIO gets next, and when.
    mdio_next: Option<(Picoseconds, Option<bool>)>,
}

impl Part for Seat {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        let mut phy = Lan8720::new(self.address, self.link_up);
        if let Some(pin) = self.refclko {
            phy.set_clock(Picoseconds::ZERO, REFERENCE_HZ);
            wiring.given_clock(pin, FIRST_RISE, REFERENCE_HZ);
        }
        self.phy = wiring.attach(phy);
        let pins = 0b111 << self.txd0 | 1 << self.mdc;
        wiring.pins(self.reset.map_or(pins, |pin| pins | 1 << pin));
        if let Some(pin) = self.reset {
            wiring.pulled_up(pin);
        }
        if let Some(pin) = self.clock_pin.or(self.refclko) {
            wiring.clock(pin);
        }
        wiring.pulled_up(self.mdio);
        for pin in self.rxd0..self.rxd0 + 3 {
            wiring.level(pin, Some(false));
        }
        wiring.timed();
    }

    fn clock_output(&mut self, pin: u8, clock: Option<(Picoseconds, u64)>, around: &mut Around<'_>) {
        let (Some(phy), true) = (self.phy, Some(pin) == self.clock_pin) else { return };
        self.state.clock = clock.map(|(rise, _)| Clock::at_100(rise));
        let hz = clock.map_or(0, |(_, hz)| hz);
        let at = clock.map_or(around.now(), |(rise, _)| rise);
        if hz != REFERENCE_HZ {
            self.state.clock = None;
        }
        around.with_device(phy, |phy| phy.set_clock(at, hz));
    }

    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        if changed >> self.txd0 & 0b111 != 0 {
            let levels = (around.levels >> self.txd0 & 0b111) as u8;
            if self.state.transmitter.is_idle() {
                self.follow_speed(phy, around);
            }
            match self.state.transmitter.changed(self.state.clock, at, levels) {
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

    fn pins_changed_in_row(&mut self, row: &LevelRow<'_>, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        if self.state.transmitter.is_idle() {
            self.follow_speed(phy, around);
        }
        // TX_EN is not among them, so that no frame begins or ends.
        let sent = row.changes().filter(|(_, changed, _)| changed >> self.txd0 & 0b111 != 0);
        for (at, _, levels) in sent {
            self.state.transmitter.changed(self.state.clock, at, (levels >> self.txd0 & 0b111) as u8);
        }
        around.levels = row.last();
        self.take_beginning(phy, around);
    }

    fn levels_in_words(&mut self, words: &LevelWords<'_>, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        let LevelWords { start, step, words: bits, early, .. } = *words;
        let dibits = EvenDibits { start, step, words: bits, early };
        let are_dibits = (words.pin, words.bits) == (self.txd0, 2);
        if are_dibits && self.state.transmitter.take_evenly(self.state.clock, &dibits) {
            around.levels = words.last();
            return self.take_beginning(phy, around);
        }
        words.in_row(|row| self.pins_changed_in_row(row, around));
    }

    /// While TX_EN stands, nothing follows on a di-bit.
    fn patience(&self) -> Patience {
        Patience { heard: 0b11 << self.txd0, moved: 0 }
    }

    fn take_foretold(&mut self) -> Option<Foretold> {
        match self.state.receives.take()? {
            Receives::ByItself { pins, next: 0 } => {
                self.state.receives = Some(Receives::Foretold { ends: pins.end() });
                Some(pins)
            }
            other => {
                self.state.receives = Some(other);
                None
            }
        }
    }

    fn next_event(&self) -> Option<Picoseconds> {
        let receives = self.state.receives.as_ref().and_then(Receives::next_event);
        let mdio = self.state.mdio_next.map(|(at, _)| at);
        receives.into_iter().chain(mdio).min()
    }

    fn advance(&mut self, at: Picoseconds, around: &mut Around<'_>) {
        let Some(phy) = self.phy else { return };
        if let Some((_, level)) = self.state.mdio_next.take_if(|(due, _)| *due <= at) {
            around.drive(self.mdio, level);
        }
        if let Some(Receives::ByItself { pins, next }) = &mut self.state.receives {
            while pins.at(*next).is_some_and(|due| due <= at) {
                let before = if *next == 0 { 0 } else { pins.levels(*next - 1) };
                let levels = pins.levels(*next);
                for pin in (0..32).filter(|pin| (before ^ levels) >> pin & 1 == 1) {
                    around.drive(pin, Some(levels >> pin & 1 == 1));
                }
                *next += 1;
            }
        }
        let has_gone_by = match &self.state.receives {
            Some(Receives::Foretold { ends }) => *ends <= at,
            Some(receives) => receives.next_event().is_none(),
            None => true,
        };
        if has_gone_by {
            self.state.receives = None;
            around.advance(at);
            self.take_beginning(phy, around);
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(&self.state).ok()
    }

    fn put_back(&mut self, saved: &[u8]) -> bool {
        let Ok(state) = postcard::from_bytes(saved) else { return false };
        self.state = state;
        true
    }
}

impl Seat {
    /// A frame is on the wire: once the one before has gone by, it comes out at the pins.
    fn take_beginning(&mut self, phy: PhyId, around: &mut Around<'_>) {
        if self.state.receives.is_some() {
            return;
        }
        self.follow_speed(phy, around);
        let Some(clock) = self.state.clock else { return };
        let next = around.device(phy).is_some_and(Lan8720::has_beginning);
        if next && let Some(Some(frame)) = around.with_device(phy, Lan8720::take_beginning) {
            let (first, levels) = frame_at_pins(clock, frame.at, &frame.bytes);
            let pins = Foretold::new((self.rxd0, PINS_IN_A_ROW), (first, clock.dibit()), levels);
            self.state.receives = Some(Receives::ByItself { pins, next: 0 });
        }
    }

    /// Both directions have the speed of the link.
    fn follow_speed(&mut self, phy: PhyId, around: &Around<'_>) {
        let speed = around.device(phy).and_then(NetDevice::speed);
        if let (Some(clock), Some(speed)) = (&mut self.state.clock, speed) {
            *clock = clock.at(speed);
        }
    }

    fn manage(&mut self, at: Picoseconds, phy: PhyId, around: &mut Around<'_>) {
        let mdio = !around.is_low(self.mdio);
        let management = &mut self.state.management;
        let level = around.with_device(phy, |phy| management.clock_rises(mdio, &mut Managing { phy, at }));
        let level = level.flatten();
        if level != self.state.mdio_level {
            self.state.mdio_level = level;
            self.state.mdio_next = Some((at + OUTPUT_DELAY, level));
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
