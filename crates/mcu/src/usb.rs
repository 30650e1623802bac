//! The USB port of a chip, seen from the PC at the other end of its cable: what the device says of itself, its disk, and what
//! its keyboard or mouse sends. The PC itself is the chip's affair, because every transaction is one of both.

use serde::Serialize;
use units::Picoseconds;

/// What a USB device says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsbDevice {
    /// idVendor.
    pub vendor_id: u16,
    /// idProduct.
    pub product_id: u16,
    /// The manufacturer's string.
    pub manufacturer: Option<String>,
    /// The product's string.
    pub product: Option<String>,
    /// The serial number's string.
    pub serial: Option<String>,
    /// The class code of each interface (usb.org, Defined Class Codes).
    pub interface_classes: Vec<u8>,
    /// What its interfaces make up, in words, such as `2 serial ports` and `disk`.
    pub functions: Vec<String>,
    /// Whether one of them is a network that the PC drives.
    pub has_network: bool,
    /// Sectors of its disk; none without a disk, or before its size is known.
    pub disk_sectors: Option<u32>,
    /// Bytes of each.
    pub disk_sector_bytes: Option<u32>,
}

/// A packet with a piece of a frame of the network on USB, from its token to its acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsbPacket {
    /// When the token began.
    pub start: Picoseconds,
    /// When the acknowledgement was over.
    pub end: Picoseconds,
    /// Whether the chip sent it.
    pub from_chip: bool,
    /// Its data.
    pub bytes: u32,
}

/// A report of a keyboard, a mouse or another input device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputReport {
    /// When the PC had it.
    pub time_ps: i64,
    /// `keyboard`, `mouse` or `other`.
    pub kind: &'static str,
    /// All its bytes.
    pub content: Vec<u8>,
}

/// What a disk answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskAnswer {
    /// When the PC had it.
    pub at: Picoseconds,
    /// Whether the device did what was asked.
    pub ok: bool,
    /// The sectors that were read.
    pub data: Vec<u8>,
}

/// The port.
pub trait UsbPort {
    /// The device, once the PC knows it.
    fn device(&self) -> Option<UsbDevice>;

    /// Whether the PC has a serial port of the device open.
    fn serial_is_open(&self) -> bool;

    /// Takes what keyboards and mice have sent since the last call.
    fn take_input_reports(&mut self) -> Vec<InputReport>;

    /// Asks the device's disk for sectors (256 at the most); false when it has none.
    fn read_disk(&mut self, first: u32, sectors: u16) -> bool;

    /// Writes sectors (256 at the most) to the device's disk; false when it has none.
    fn write_disk(&mut self, first: u32, data: &[u8]) -> bool;

    /// Takes the disk's answers since the last call.
    fn take_disk(&mut self) -> Vec<DiskAnswer>;
}
