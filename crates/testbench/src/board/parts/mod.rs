//! What stands around the chip: the parts of a board file and the devices that a program connects, as one
//! [`mcu::Outside`]. Frames and bytes go to the devices on their bus; a device on SPI is meant while its chip select
//! is low.

mod activity;
mod eeprom;
mod i2c_wires;
mod loopback;
mod mapped;
mod pulses;
mod routes;
mod wired;

use std::fmt::Debug;

use mcu::Outside;
pub use mcu::{Reaction, SpiFrame};
use rp2040::FACTS;
use units::Picoseconds;

pub use activity::{Activity, Burst};
pub use eeprom::Eeprom;
pub use loopback::SpiLoopback;
pub use pulses::Pulses;

use self::i2c_wires::I2cWires;
use self::wired::{SavedWired, WiredChips};
use super::file::{BoardFile, Part};
use crate::lan::{Lan, NetworkSetup};

/// The pins with an ADC input, the first of them input 0.
const ADC_INPUTS: usize = (*FACTS.adc_gpios.end() - *FACTS.adc_gpios.start()) as usize + 1;

/// A device on an SPI bus.
pub trait SpiDevice: Debug + Send {
    /// A frame ends; what the device sent at the same time.
    fn frame(&mut self, at: Picoseconds, frame: &SpiFrame) -> u16;

    /// Its chip select went low (true) or high.
    fn selected(&mut self, at: Picoseconds, selected: bool) {
        let _ = (at, selected);
    }

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn SpiDevice>>;
}

/// A device on an I2C bus.
pub trait I2cDevice: Debug + Send {
    /// A start with an address; true acknowledges and makes it the one that is meant.
    fn start(&mut self, at: Picoseconds, address: u16, read: bool) -> bool;

    /// A byte from the controller; true acknowledges.
    fn write(&mut self, at: Picoseconds, byte: u8) -> bool;

    /// A byte for the controller.
    fn read(&mut self, at: Picoseconds, acknowledged: bool) -> u8;

    /// A stop, or the start of somebody else's transfer.
    fn stop(&mut self, at: Picoseconds);

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn I2cDevice>>;
}

/// A device that looks at pins and may drive some.
pub trait PinDevice: Debug + Send {
    /// Pins changed their level.
    fn changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>);

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn PinDevice>>;
}

#[derive(Debug)]
struct SpiSeat {
    select: Option<u8>,
    device: Box<dyn SpiDevice>,
}

#[derive(Debug, Default)]
struct I2cBus {
    devices: Vec<Box<dyn I2cDevice>>,
    /// The one that acknowledged its address.
    meant: Option<usize>,
}

/// Everything around the chip.
#[derive(Debug, Default)]
pub struct Parts {
    levels: u32,
    spi: [Vec<SpiSeat>; 2],
    i2c: [I2cBus; 2],
    i2c_wires: Vec<I2cWires>,
    pin_devices: Vec<Box<dyn PinDevice>>,
    pulses: Option<Pulses>,
    microvolts: [Option<i32>; ADC_INPUTS],
    routes: routes::Routes,
    activity: Option<Activity>,
    passed: [Passed; 2],
    wired: Option<WiredChips>,
    notes: Vec<String>,
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

/// What stands around the chip, to be kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedParts {
    levels: u32,
    microvolts: [Option<i32>; ADC_INPUTS],
    wired: Option<SavedWired>,
}

impl Parts {
    /// Nothing where something cannot be saved: devices that a program connected, EEPROMs, pulses, an ideal MAC.
    pub(crate) fn saved(&self) -> Option<SavedParts> {
        let devices = self.spi.iter().map(Vec::len).sum::<usize>()
            + self.i2c.iter().map(|bus| bus.devices.len()).sum::<usize>()
            + self.pin_devices.len()
            + usize::from(self.pulses.is_some());
        let wired = match &self.wired {
            Some(wired) => Some(wired.saved()?),
            None => None,
        };
        (devices == 0).then_some(SavedParts { levels: self.levels, microvolts: self.microvolts, wired })
    }

    /// False when these are the parts of another board.
    pub(crate) fn put_back(&mut self, saved: SavedParts) -> bool {
        (self.levels, self.microvolts) = (saved.levels, saved.microvolts);
        match (&mut self.wired, saved.wired) {
            (Some(wired), Some(saved)) => wired.put_back(saved),
            (own, saved) => own.is_none() && saved.is_none(),
        }
    }

    /// The parts of a board. Wires and levels of pins are the chip's own affair. Chips with Ethernet are put on a network, if
    /// there are any.
    pub fn of(board: &BoardFile, network: &NetworkSetup, seed: u64) -> Self {
        let mut parts = Self::default();
        let mut wired = WiredChips::new(network);
        for chip in &board.chips {
            match chip.part {
                Part::SpiLoopback { port, select, previous } => {
                    parts.connect_spi(port, select, Box::new(SpiLoopback::new(previous)));
                }
                Part::I2cEeprom { port, address, bytes, page_bytes, write_time } => {
                    parts.connect_i2c(port, Box::new(Eeprom::new(address, bytes, page_bytes, write_time)));
                }
                Part::Voltage { pin, microvolts } => parts.set_microvolts(pin, Some(microvolts)),
                Part::Wire { pin, to } => parts.routes.wire(pin, to),
                Part::Wiznet(ref part) => wired.add(&chip.name, part, seed),
                Part::IdealMac { interrupt } => wired.add_ideal_mac(&chip.name, interrupt),
                Part::Led { .. } | Part::Button { .. } | Part::Switch { .. } => {}
            }
        }
        parts.wired = wired.has_chips().then_some(wired);
        parts
    }

    /// The inputs of the chips that are active low and pulled up: what nobody drives neither selects nor resets one. The
    /// datasheets have such resistors inside (W5500 1.1, SCSn), boards have them outside.
    pub(super) fn pulled_up(&self) -> Vec<u8> {
        let selects = self.spi.iter().flatten().filter_map(|seat| seat.select);
        let wired = self.wired.iter().flat_map(WiredChips::pulled_up);
        selects.chain(wired).collect()
    }

    /// What the chips drive from the start.
    pub(super) fn outputs_at_start(&mut self) -> Vec<(u8, bool)> {
        self.wired.as_mut().map_or_else(Vec::new, WiredChips::outputs_at_start)
    }

    /// Connects a device to an SPI port.
    pub fn connect_spi(&mut self, port: u8, select: Option<u8>, device: Box<dyn SpiDevice>) {
        self.spi[usize::from(port & 1)].push(SpiSeat { select, device });
    }

    /// Connects a device to an I2C port.
    pub fn connect_i2c(&mut self, port: u8, device: Box<dyn I2cDevice>) {
        if self.i2c[usize::from(port & 1)].devices.is_empty() {
            self.i2c_wires.extend(I2cWires::of_port(port));
        }
        self.i2c[usize::from(port & 1)].devices.push(device);
    }

    /// Connects a device to the pins.
    pub fn connect_pins(&mut self, device: Box<dyn PinDevice>) {
        self.pin_devices.push(device);
    }

    /// Connects a signal generator, in place of one that was there.
    pub(super) fn connect_pulses(&mut self, pulses: Pulses) {
        self.pulses = Some(pulses);
    }

    /// Sets the voltage at a pin with an ADC input.
    pub fn set_microvolts(&mut self, pin: u8, microvolts: Option<i32>) {
        if let Some(input) =
            pin.checked_sub(*FACTS.adc_gpios.start()).and_then(|i| self.microvolts.get_mut(usize::from(i)))
        {
            *input = microvolts;
        }
    }

    /// Joins two pins' buses; the nets are joined by the chip.
    pub fn wire(&mut self, pin: u8, to: u8) {
        self.routes.wire(pin, to);
    }

    /// The network that the board's chips are on.
    pub fn lan(&mut self) -> Option<&mut Lan> {
        self.wired.as_mut().map(WiredChips::lan)
    }

    /// What a user should know of how the chips were treated so far.
    pub fn notes(&mut self) -> &[String] {
        if let Some(wired) = &mut self.wired {
            self.notes.extend(wired.take_warnings());
        }
        &self.notes
    }

    /// Keeps what happens on the buses from here on.
    pub fn record(&mut self, on: bool) {
        self.activity = on.then(Activity::default);
    }

    /// What passed over the buses of ports 0 and 1.
    pub fn passed(&self) -> [Passed; 2] {
        self.passed
    }

    /// What happened on the buses since the last call.
    pub fn take_activity(&mut self) -> Vec<Burst> {
        self.activity.as_mut().map_or_else(Vec::new, Activity::take)
    }
}

fn is_low(levels: u32, pin: u8) -> bool {
    levels >> pin & 1 == 0
}

impl Outside for Parts {
    fn pins_changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        self.levels = levels;
        for seat in self.spi.iter_mut().flatten() {
            if let Some(pin) = seat.select.filter(|pin| changed >> pin & 1 == 1) {
                seat.device.selected(at, is_low(levels, pin));
            }
        }
        let mut all_wires = std::mem::take(&mut self.i2c_wires);
        for wires in &mut all_wires {
            wires.changed(at, changed, levels, self, reactions);
        }
        self.i2c_wires = all_wires;
        for device in &mut self.pin_devices {
            device.changed(at, changed, levels, reactions);
        }
        if let Some(wired) = &mut self.wired {
            wired.pins_changed(at, changed, levels, reactions);
        }
    }

    fn spi_frame(&mut self, at: Picoseconds, frame: SpiFrame, reactions: &mut Vec<Reaction>) -> u16 {
        let passed = &mut self.passed[usize::from(frame.port & 1)];
        passed.spi_frames += 1;
        passed.spi_clock_hz = frame.clock_hz;
        if let Some(activity) = &mut self.activity {
            activity.spi(at, &frame);
        }
        let mut answer = self.wired.as_mut().and_then(|wired| wired.frame(at, &frame, reactions));
        for seat in &mut self.spi[usize::from(frame.port & 1)] {
            if seat.select.is_none_or(|pin| is_low(self.levels, pin)) {
                let theirs = seat.device.frame(at, &frame);
                answer.get_or_insert(theirs);
            }
        }
        match answer {
            Some(answer) => answer,
            None if self.routes.spi_loops(frame.port) => frame.sent,
            None => 0,
        }
    }

    fn uart_byte(&mut self, at: Picoseconds, port: u8, byte: u8, reactions: &mut Vec<Reaction>) {
        self.passed[usize::from(port & 1)].uart_bytes += 1;
        if let Some(activity) = &mut self.activity {
            activity.uart(at, port, byte);
        }
        reactions.extend(self.routes.uarts_behind(port).map(|port| Reaction::UartByte { port, byte }));
    }

    fn i2c_start(&mut self, at: Picoseconds, port: u8, address: u16, read: bool) -> bool {
        self.passed[usize::from(port & 1)].i2c_bytes += 1;
        if let Some(activity) = &mut self.activity {
            activity.i2c(at, port, address, read);
        }
        let bus = &mut self.i2c[usize::from(port & 1)];
        let meant = bus.devices.iter_mut().position(|device| device.start(at, address, read));
        if let Some(before) = bus.meant.filter(|&before| Some(before) != meant) {
            bus.devices[before].stop(at);
        }
        bus.meant = meant;
        meant.is_some()
    }

    fn i2c_write(&mut self, at: Picoseconds, port: u8, byte: u8) -> bool {
        self.passed[usize::from(port & 1)].i2c_bytes += 1;
        let bus = &mut self.i2c[usize::from(port & 1)];
        bus.meant.is_some_and(|meant| bus.devices[meant].write(at, byte))
    }

    fn i2c_read(&mut self, at: Picoseconds, port: u8, acknowledged: bool) -> u8 {
        self.passed[usize::from(port & 1)].i2c_bytes += 1;
        let bus = &mut self.i2c[usize::from(port & 1)];
        bus.meant.map_or(0xff, |meant| bus.devices[meant].read(at, acknowledged))
    }

    fn i2c_stop(&mut self, at: Picoseconds, port: u8) {
        let bus = &mut self.i2c[usize::from(port & 1)];
        if let Some(meant) = bus.meant.take() {
            bus.devices[meant].stop(at);
        }
    }

    fn memory_read(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        _: &mut Vec<Reaction>,
    ) -> Option<u32> {
        self.wired.as_mut()?.memory_read(at, address, bytes)
    }

    fn memory_write(
        &mut self,
        at: Picoseconds,
        address: u32,
        bytes: u8,
        value: u32,
        reactions: &mut Vec<Reaction>,
    ) -> bool {
        let wired = self.wired.as_mut();
        wired.is_some_and(|wired| wired.memory_write(at, address, (bytes, value), reactions))
    }

    fn memory_peek(&self, address: u32, bytes: u8) -> Option<u32> {
        self.wired.as_ref()?.memory_peek(address, bytes)
    }

    fn adc_microvolts(&mut self, _: Picoseconds, channel: u8) -> Option<i32> {
        self.microvolts.get(usize::from(channel)).copied().flatten()
    }

    fn next_event(&self) -> Option<Picoseconds> {
        let chips = self.wired.as_ref().and_then(WiredChips::next_event);
        let pulses = self.pulses.as_ref().map(Pulses::next_edge);
        chips.into_iter().chain(pulses).min()
    }

    fn advance(&mut self, at: Picoseconds, reactions: &mut Vec<Reaction>) {
        if let Some(pulses) = &mut self.pulses {
            pulses.advance(at, reactions);
        }
        if let Some(wired) = &mut self.wired {
            wired.advance(at, reactions);
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Outside>> {
        let wired = match &self.wired {
            Some(wired) => Some(wired.snapshot()?),
            None => None,
        };
        let seats = |seats: &Vec<SpiSeat>| -> Option<Vec<SpiSeat>> {
            seats
                .iter()
                .map(|seat| Some(SpiSeat { select: seat.select, device: seat.device.snapshot()? }))
                .collect()
        };
        let bus = |bus: &I2cBus| -> Option<I2cBus> {
            let devices = bus.devices.iter().map(|device| device.snapshot()).collect::<Option<_>>()?;
            Some(I2cBus { devices, meant: bus.meant })
        };
        Some(Box::new(Self {
            levels: self.levels,
            spi: [seats(&self.spi[0])?, seats(&self.spi[1])?],
            i2c: [bus(&self.i2c[0])?, bus(&self.i2c[1])?],
            i2c_wires: self.i2c_wires.clone(),
            pin_devices: self.pin_devices.iter().map(|device| device.snapshot()).collect::<Option<_>>()?,
            pulses: self.pulses.clone(),
            microvolts: self.microvolts,
            routes: self.routes.clone(),
            activity: self.activity.clone(),
            passed: self.passed,
            wired,
            notes: self.notes.clone(),
        }))
    }
}
