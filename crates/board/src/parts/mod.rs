//! What stands around the MCU: the parts of a board file and the devices that a program connects, all of them a [`Part`], as
//! one [`mcu::Outside`]. Frames and bytes go to the parts on their bus.

mod activity;
mod arrivals;
pub(crate) mod button;
pub(crate) mod cyw43439;
mod devices;
pub(crate) mod eeprom;
mod i2c_wires;
pub(crate) mod ideal_mac;
pub(crate) mod led;
pub(crate) mod loopback;
mod outputs;
mod outside;
mod part;
mod pulses;
pub(crate) mod rmii_phy;
mod routes;
mod saved;
pub(crate) mod switch;
pub(crate) mod usb_network;
pub(crate) mod voltage;
pub(crate) mod wire;
mod wiring;
pub(crate) mod wiznet;

use lan::{Lan, NetworkSetup};
use mcu::{Edge, Facts};
pub use mcu::{Reaction, SpiFrame};
use units::Picoseconds;

pub use activity::{Activity, Burst};
pub use devices::{I2cDevice, PinDevice, SpiDevice};
pub use part::{Around, Part, Wiring};
pub use pulses::Pulses;

use super::file::BoardFile;
use arrivals::Arrivals;
use devices::{OnI2c, OnPins, OnSpi};
pub(crate) use outputs::MOST_NETS;
use wiring::Buses;
pub(crate) use wiring::Joint;

/// The words of levels.
const LEVELS: [&str; 2] = ["high", "low"];

/// Everything around the MCU.
#[derive(Debug)]
pub struct Parts {
    /// Those of the board file, in its order, and then those that a program connected.
    parts: Vec<Box<dyn Part>>,
    /// The network that their devices are on, where they have any.
    lan: Option<Lan>,
    buses: Buses,
    /// What is on its way over wires from another board.
    arrivals: Arrivals,
}

/// What passed over the buses of one port number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passed {
    /// Frames on SPI.
    pub spi_frames: u64,
    /// SCK of the last one.
    pub spi_clock_hz: u64,
    /// Bytes that a UART sent.
    pub uart_bytes: u64,
    /// Bytes on I2C, addresses among them.
    pub i2c_bytes: u64,
}

impl Parts {
    /// Nothing yet, around an MCU.
    fn around(facts: &'static Facts) -> Self {
        Self { parts: Vec::new(), lan: None, buses: Buses::of(facts), arrivals: Arrivals::default() }
    }

    /// The parts of a board. Those with Ethernet are put on a network, if there are any.
    ///
    /// # Panics
    /// Never: what a board file cannot be is refused when it is read.
    pub fn of(board: &BoardFile, network: &NetworkSetup, seed: u64) -> Self {
        let has_ethernet = board.parts.iter().any(super::PartEntry::has_ethernet);
        let mut parts = Self::around(board.mcu.facts);
        parts.lan = has_ethernet.then(|| Lan::new(network));
        for entry in &board.parts {
            parts.connect(&entry.name, seed, entry.build().expect("a part that was read can be made"));
        }
        parts
    }

    /// Puts a part on the board.
    fn connect(&mut self, name: &str, seed: u64, mut part: Box<dyn Part>) {
        let Self { parts, lan, buses, .. } = self;
        part.connect(&mut Wiring { name, seed, part: parts.len(), buses, lan: lan.as_mut() });
        parts.push(part);
    }

    /// The inputs of the parts that are active low and pulled up: what nobody drives neither selects nor resets one. The
    /// datasheets have such resistors inside (W5500 1.1, SCSn), boards have them outside.
    pub(super) fn pulled_up(&self) -> Vec<u8> {
        self.buses.pulled_up.clone()
    }

    /// The pins with a clock that a part takes as such: millions of edges that say nothing.
    pub(super) fn clocks(&self) -> u32 {
        self.buses.clocks
    }

    /// What the parts drive from the start.
    pub(super) fn outputs_at_start(&mut self) -> Vec<(u8, bool)> {
        let mut reactions = Vec::new();
        self.buses.tell(self.lan.as_ref(), &mut reactions);
        let level = |reaction| match reaction {
            Reaction::Pin { pin, level: Some(level) } => Some((pin, level)),
            _ => None,
        };
        reactions.into_iter().filter_map(level).collect()
    }

    /// Connects a device to an SPI port.
    pub(super) fn connect_spi(&mut self, port: u8, select: Option<u8>, device: Box<dyn SpiDevice>) {
        self.connect("", 0, Box::new(OnSpi::new(port, select, device)));
    }

    /// Connects a device to an I2C port.
    pub(super) fn connect_i2c(&mut self, port: u8, device: Box<dyn I2cDevice>) {
        self.connect("", 0, Box::new(OnI2c::new(port, device)));
    }

    /// Connects a device to the pins.
    pub fn connect_pins(&mut self, device: Box<dyn PinDevice>) {
        self.connect("", 0, Box::new(OnPins(device)));
    }

    /// Connects a signal generator, in place of one that was there.
    pub(super) fn connect_pulses(&mut self, pulses: Pulses) {
        match self.buses.pulses {
            Some(before) => self.parts[before] = Box::new(pulses),
            None => {
                self.buses.pulses = Some(self.parts.len());
                self.connect("", 0, Box::new(pulses));
            }
        }
    }

    /// A pin gets another level from a wire at a time that is still to come.
    pub(crate) fn expect_edge(&mut self, edge: Edge) {
        self.arrivals.expect(edge);
    }

    /// When the next edge arrives from another board.
    pub(crate) fn next_arrival(&self) -> Option<Picoseconds> {
        self.arrivals.next_event()
    }

    /// What the MCU's pins have to do with each other and with levels from the start.
    pub(crate) fn joints(&self) -> &[Joint] {
        &self.buses.joints
    }

    /// The pin that a part of the board file drives when somebody presses it, or lets go of it, and the level; nothing where it
    /// cannot be pressed.
    pub(crate) fn pressed(&self, part: usize, pressed: bool) -> Option<(u8, Option<bool>)> {
        self.parts.get(part)?.pressed(pressed)
    }

    /// Sets the voltage at a pin with an ADC input.
    pub fn set_microvolts(&mut self, pin: u8, microvolts: Option<i32>) {
        self.buses.set_microvolts(pin, microvolts);
    }

    /// Joins two pins' buses; the nets are joined by the chip.
    pub fn wire(&mut self, pin: u8, to: u8) {
        self.buses.routes.wire(self.buses.facts, pin, to);
    }

    /// The network that the board's chips are on.
    pub fn lan(&mut self) -> Option<&mut Lan> {
        self.lan.as_mut()
    }

    /// What a user should know of how the chips were treated so far.
    pub fn notes(&mut self) -> &[String] {
        let warnings = self.lan.as_mut().map(Lan::take_warnings).unwrap_or_default();
        let told = warnings.iter().map(|warning| format!("{} (first at {})", warning.sentence, warning.at));
        self.buses.notes.extend(told);
        &self.buses.notes
    }

    /// Keeps what happens on the buses from here on.
    pub fn record(&mut self, on: bool) {
        self.buses.activity = on.then(Activity::default);
    }

    /// The levels of outputs that are on no pin of the MCU, each at the bit of its net.
    pub(crate) fn outputs(&self) -> u32 {
        self.buses.outputs.levels()
    }

    /// Keeps their edges from here on.
    pub(crate) fn record_outputs(&mut self) {
        self.buses.outputs.record();
    }

    /// Those since the last call.
    pub(crate) fn take_output_edges(&mut self) -> Vec<Edge> {
        self.buses.outputs.take_edges()
    }

    /// What passed over the buses of ports 0 and 1.
    pub fn passed(&self) -> [Passed; 2] {
        self.buses.passed
    }

    /// The fastest SCK in use, on the ports or over pins that are on none; nothing where none was used.
    pub fn spi_clock_hz(&self) -> Option<u64> {
        let of_ports = self.buses.passed.iter().map(|port| port.spi_clock_hz).filter(|hz| *hz > 0);
        of_ports.chain(self.parts.iter().filter_map(|part| part.clocked_hz())).max()
    }

    /// What happened on the buses since the last call.
    pub fn take_activity(&mut self) -> Vec<Burst> {
        self.buses.activity.as_mut().map_or_else(Vec::new, Activity::take)
    }
}
