//! USB: the controller in device mode (RP2040 datasheet 4.1) and, at the other end of the cable, the host of a PC that
//! enumerates the device and gives it a console.
//!
//! [`Usb`] owns both, because every transaction is one of both. The bus leads accesses to the registers (0x50110000) and
//! to the memory (0x50100000) here, and events of [`Source::UsbHost`]; whoever runs the board uses the host through
//! the methods of [`Usb`].
//!
//! device.rs is the controller on the bus, block.rs its registers, dpram.rs its memory, port.rs the end
//! of the cable that the PC sees (`usb_host`).

mod block;
mod device;
mod dpram;
mod port;
mod registers;
#[cfg(test)]
mod tests;

use mcu::UsbPacket;
use units::Picoseconds;
pub use usb_host::{
    DeviceReport, Driver, EndpointReport, HidInput, HidReport, InterfaceReport, MassStorageReport, Sectors,
    TransferKind, UsbHost,
};

use crate::io::Io;
use crate::peripherals::{Peripheral, Source};
use device::Device;
use dpram::{CONTROL_END, CONTROL_START};
use port::Port;

/// The USB controller with the PC at the other end of its cable. The cable is plugged from the start; the PC does
/// nothing before the device enables its pull-up.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Usb {
    device: Device,
    host: UsbHost,
    /// The link of the device's network, as it was told.
    told_link: bool,
}

impl Default for Usb {
    fn default() -> Self {
        Self::new()
    }
}

impl Usb {
    /// The controller after reset, and a host.
    pub fn new() -> Self {
        Self { device: Device::new(), host: UsbHost::new(), told_link: false }
    }

    /// Resets the controller (RESETS.USBCTRL): its registers, not its memory. The host sees the device go.
    pub fn reset(&mut self, io: &mut Io) {
        let memory = self.device.dpram.clone();
        self.device = Device::new();
        self.device.dpram = memory;
        self.settle(io);
    }

    /// The bits of a register that a written 1 clears, which the atomic aliases have to hand through as they are.
    pub(crate) fn write_clear_mask(offset: u32) -> u32 {
        block::write_clear_mask(offset)
    }

    /// Reads 1, 2 or 4 bytes of the memory.
    pub fn dpram_read(&self, offset: u32, size: u32) -> u32 {
        self.device.dpram.read(offset, size)
    }

    /// Writes the lowest 1, 2 or 4 bytes of a value into the memory.
    pub fn dpram_write(&mut self, offset: u32, size: u32, value: u32, io: &mut Io) {
        self.device.dpram.write(offset, size, value);
        if (CONTROL_START..CONTROL_END).contains(&offset) {
            self.arm(io);
        }
    }

    /// The host, to look at.
    pub fn host(&self) -> &UsbHost {
        &self.host
    }

    /// The host has given the device its configuration.
    pub fn configured(&self) -> bool {
        self.host.configured()
    }

    /// What the device says of itself, once it is configured.
    pub fn descriptors(&self) -> Option<&DeviceReport> {
        self.host.descriptors()
    }

    /// Types bytes into the terminal on the first serial port; how many it has room for (a million may wait). They
    /// wait there until the device has a port and takes them.
    pub fn console_send(&mut self, bytes: &[u8], io: &mut Io) -> usize {
        self.serial_send(0, bytes, io)
    }

    /// Takes what the terminal on the first serial port shows since the last call, with the time of each byte.
    pub fn take_console(&mut self) -> Vec<(Picoseconds, u8)> {
        self.host.take_serial(0)
    }

    /// Whether the terminal on the first serial port shows anything that was not taken yet.
    pub(crate) fn has_console(&self) -> bool {
        self.host.has_serial(0)
    }

    /// As [`Usb::console_send`], for one of up to eight serial ports.
    pub fn serial_send(&mut self, port: usize, bytes: &[u8], io: &mut Io) -> usize {
        let taken = self.host.serial_send(port, bytes);
        self.arm(io);
        taken
    }

    /// As [`Usb::take_console`], for one of up to eight serial ports.
    pub fn take_serial(&mut self, port: usize) -> Vec<(Picoseconds, u8)> {
        self.host.take_serial(port)
    }

    /// Takes the reports of keyboards, mice and the like since the last call.
    pub fn hid_reports(&mut self) -> Vec<HidReport> {
        self.host.take_hid_reports()
    }

    /// Whether frames reach the device's network and come from it, where that changed since the last call.
    pub(crate) fn take_network_link(&mut self) -> Option<bool> {
        let has_link = self.host.network_has_link();
        (std::mem::replace(&mut self.told_link, has_link) != has_link).then_some(has_link)
    }

    /// Takes the packets with pieces of that network's frames that passed since the last call.
    pub(crate) fn take_network_packets(&mut self) -> impl Iterator<Item = UsbPacket> + use<> {
        let packets = self.host.take_passed_packets().into_iter();
        packets.map(|one| UsbPacket {
            start: one.start,
            end: one.end,
            from_chip: one.from_device,
            bytes: one.bytes,
        })
    }

    /// Takes the next frame that the device's network sent, and when the PC had it.
    pub(crate) fn take_frame(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        self.host.take_frame()
    }

    /// The PC sends a frame into the device's network; it is dropped where there is none.
    pub(crate) fn send_frame(&mut self, frame: &[u8], io: &mut Io) {
        self.host.send_frame(frame);
        self.arm(io);
    }

    /// Asks the device's disk for sectors (256 at the most); false when it has none. They come out of
    /// [`Usb::take_sectors`].
    pub fn read_sectors(&mut self, first: u32, sectors: u16, io: &mut Io) -> bool {
        let asked = self.host.read_sectors(first, sectors, io.now);
        self.arm(io);
        asked
    }

    /// Writes sectors (256 at the most) to the device's disk; false when it has none. The confirmation comes out of
    /// [`Usb::take_sectors`].
    pub fn write_sectors(&mut self, first: u32, data: &[u8], io: &mut Io) -> bool {
        let asked = self.host.write_sectors(first, data, io.now);
        self.arm(io);
        asked
    }

    /// Takes the sectors that came since the last call.
    pub fn take_sectors(&mut self) -> Vec<Sectors> {
        self.host.take_sectors()
    }

    /// Plugs the cable in.
    pub fn connect(&mut self, io: &mut Io) {
        self.host.set_plugged(true);
        self.settle(io);
    }

    /// Pulls the cable out. VBUS stays as the board's override has it.
    pub fn disconnect(&mut self, io: &mut Io) {
        self.host.set_plugged(false);
        self.settle(io);
    }

    /// The PC suspends the device, as it does when it goes to sleep.
    pub fn suspend(&mut self, io: &mut Io) {
        self.host.suspend(&mut Port { device: &mut self.device, io }, io.now);
        self.settle(io);
    }

    /// The PC wakes the device again.
    pub fn resume(&mut self, io: &mut Io) {
        self.host.resume(&mut Port { device: &mut self.device, io }, io.now);
        self.settle(io);
    }

    /// Asks to be woken for whatever the host does next; to be called after everything that may have changed that.
    fn arm(&mut self, io: &mut Io) {
        match self.host.next_wake(&Port { device: &mut self.device, io }, io.now) {
            Some(at) => io.wake_at(Source::UsbHost, at),
            None => io.cancel(Source::UsbHost),
        }
    }

    /// Both ends look at what changed: pull-up, interrupts, the next event.
    fn settle(&mut self, io: &mut Io) {
        self.device.follow_vbus(io);
        self.host.follow(&mut Port { device: &mut self.device, io }, io.now);
        self.arm(io);
        self.device.update_interrupt(io);
    }
}

impl Peripheral for Usb {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let value = self.device.read_register(offset, io);
        if offset == registers::SOF_RD {
            self.settle(io);
        }
        value
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        self.device.peek_register(offset, io)
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        self.device.write_register(offset, value, io);
        match offset {
            // What the host cannot see.
            registers::SIE_STATUS | registers::BUFF_STATUS | registers::EP_ABORT_DONE | registers::INTF => {
                self.device.update_interrupt(io);
            }
            _ => self.settle(io),
        }
    }

    fn wake(&mut self, _: Source, io: &mut Io) {
        self.host.wake(&mut Port { device: &mut self.device, io }, io.now);
        self.settle(io);
    }
}
