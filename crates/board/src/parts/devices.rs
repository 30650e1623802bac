//! Devices that know their own bus and nothing else, such as those of a program in Python, and the parts that they are on a
//! board: on an SPI or an I2C port, or at the pins.

use std::fmt::Debug;

use mcu::{Reaction, SpiFrame};
use units::Picoseconds;

use super::{Around, Part, Wiring};

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
    fn read(&mut self, at: Picoseconds) -> u8;

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

/// A device on an SPI port. It is meant while its chip select is low; without one always.
#[derive(Debug)]
pub(super) struct OnSpi {
    port: u8,
    select: Option<u8>,
    device: Box<dyn SpiDevice>,
}

impl OnSpi {
    pub(super) fn new(port: u8, select: Option<u8>, device: Box<dyn SpiDevice>) -> Self {
        Self { port, select, device }
    }
}

impl Part for OnSpi {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.spi(self.port, self.select.is_some());
        if let Some(pin) = self.select {
            wiring.pulled_up(pin);
            wiring.pins(1 << pin);
        }
    }

    fn pins_changed(&mut self, at: Picoseconds, _: u32, around: &mut Around<'_>) {
        if let Some(pin) = self.select {
            self.device.selected(at, around.is_low(pin));
        }
    }

    fn spi_frame(&mut self, at: Picoseconds, frame: &SpiFrame, around: &mut Around<'_>) -> Option<u16> {
        let is_meant = self.select.is_none_or(|pin| around.is_low(pin));
        is_meant.then(|| self.device.frame(at, frame))
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(Self { port: self.port, select: self.select, device: self.device.snapshot()? }))
    }
}

/// A device on an I2C port.
#[derive(Debug)]
pub(super) struct OnI2c {
    port: u8,
    device: Box<dyn I2cDevice>,
}

impl OnI2c {
    pub(super) fn new(port: u8, device: Box<dyn I2cDevice>) -> Self {
        Self { port, device }
    }
}

impl Part for OnI2c {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.i2c(self.port);
    }

    fn i2c_start(&mut self, at: Picoseconds, address: u16, read: bool) -> bool {
        self.device.start(at, address, read)
    }

    fn i2c_write(&mut self, at: Picoseconds, byte: u8) -> bool {
        self.device.write(at, byte)
    }

    fn i2c_read(&mut self, at: Picoseconds) -> u8 {
        self.device.read(at)
    }

    fn i2c_stop(&mut self, at: Picoseconds) {
        self.device.stop(at);
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(Self { port: self.port, device: self.device.snapshot()? }))
    }
}

/// A device at the pins, which is told of every pin.
#[derive(Debug)]
pub(super) struct OnPins(pub(super) Box<dyn PinDevice>);

impl Part for OnPins {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.pins(u32::MAX);
    }

    fn pins_changed(&mut self, at: Picoseconds, changed: u32, around: &mut Around<'_>) {
        self.0.changed(at, changed, around.levels, around.reactions);
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(Self(self.0.snapshot()?)))
    }
}
