//! What a device says of itself: device, configuration and string descriptors (USB 2.0 chapter 9.6), read from bytes
//! that firmware may have got wrong. What does not parse is left out; nothing is believed without a look.
//!
//! Of alternate settings the first that has endpoints is kept, beside 0; others are left out. A network's data interface has none in
//! setting 0.

use crate::kinds;
use crate::port::Endpoint;
use crate::wire::MAX_PACKET_BYTES;

pub(crate) const DEVICE: u8 = 1;
pub(crate) const CONFIGURATION: u8 = 2;
pub(crate) const STRING: u8 = 3;
pub(crate) const BINARY_OBJECT_STORE: u8 = 15;
pub(crate) const HID_REPORT: u8 = 0x22;
const INTERFACE: u8 = 4;
const ENDPOINT: u8 = 5;
const HID: u8 = 0x21;
const CLASS_SPECIFIC_INTERFACE: u8 = 0x24;
const CDC_UNION: u8 = 6;

/// Bytes of a whole device descriptor.
pub(crate) const DEVICE_BYTES: u16 = 18;
/// Bytes of a configuration descriptor without what follows it.
pub(crate) const CONFIGURATION_HEADER_BYTES: u16 = 9;

/// Linux: USB_MAXINTERFACES.
const MAX_INTERFACES: usize = 32;
/// Linux: USB_MAXENDPOINTS.
const MAX_ENDPOINTS: usize = 30;

/// What a host knows of a device when it has enumerated it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeviceReport {
    /// idVendor.
    pub vendor_id: u16,
    /// idProduct.
    pub product_id: u16,
    /// bcdUSB.
    pub usb_release: u16,
    /// bcdDevice.
    pub device_release: u16,
    /// The largest packet of endpoint 0.
    pub control_packet_bytes: u8,
    /// The manufacturer's string, where there is one.
    pub manufacturer: Option<String>,
    /// The product's string, where there is one.
    pub product: Option<String>,
    /// The serial number's string, where there is one.
    pub serial: Option<String>,
    /// Every interface with its alternate setting 0.
    pub interfaces: Vec<InterfaceReport>,
}

impl DeviceReport {
    /// What it is, in words: the functions that its interfaces make up.
    pub fn functions(&self) -> Vec<String> {
        kinds::functions(&self.interfaces)
    }
}

/// One interface of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InterfaceReport {
    /// bInterfaceNumber.
    pub number: u8,
    /// bInterfaceClass.
    pub class: u8,
    /// bInterfaceSubClass.
    pub subclass: u8,
    /// bInterfaceProtocol.
    pub protocol: u8,
    /// Its string, where it has one.
    pub name: Option<String>,
    /// What this host does with it.
    pub driver: Driver,
    /// Its endpoints.
    pub endpoints: Vec<EndpointReport>,
    pub(crate) name_index: u8,
    pub(crate) data_interface: Option<u8>,
    pub(crate) report_descriptor_bytes: u16,
    /// The first alternate setting that has endpoints, where setting 0 has none, with its endpoints.
    pub(crate) later_setting: u8,
    pub(crate) later_endpoints: Vec<EndpointReport>,
}

/// What the host does with an interface.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Driver {
    /// It leaves it alone: vendor classes, audio, MIDI.
    #[default]
    None,
    /// A serial port (CDC ACM): its control interface or its data interface.
    Serial,
    /// A disk (bulk-only mass storage).
    MassStorage,
    /// Keyboard, mouse and the like.
    Hid,
    /// A network: its control interface or its data interface.
    Network,
}

/// How an endpoint transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum TransferKind {
    Control,
    Isochronous,
    Bulk,
    Interrupt,
}

/// One endpoint of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EndpointReport {
    /// bEndpointAddress.
    pub address: u8,
    /// How it transfers.
    pub kind: TransferKind,
    /// wMaxPacketSize, as the descriptor has it.
    pub max_packet_bytes: u16,
    /// bInterval in frames.
    pub interval_frames: u8,
}

impl EndpointReport {
    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.address & 15, self.address & 0x80 == 0)
    }

    /// The largest packet that full speed allows, whatever the descriptor says.
    pub(crate) fn packet_bytes(&self) -> usize {
        usize::from(self.max_packet_bytes & 0x7ff).clamp(1, MAX_PACKET_BYTES)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let [_, _, address, attributes, low, high, interval, ..] = *bytes else { return None };
        let kind = match attributes & 3 {
            0 => TransferKind::Control,
            1 => TransferKind::Isochronous,
            2 => TransferKind::Bulk,
            _ => TransferKind::Interrupt,
        };
        let max_packet_bytes = u16::from_le_bytes([low, high]);
        // Endpoint 0 has no descriptor.
        (address & 15 != 0).then_some(Self { address, kind, max_packet_bytes, interval_frames: interval })
    }
}

impl InterfaceReport {
    /// Its first endpoint of a kind and direction.
    pub(crate) fn find(&self, kind: TransferKind, out: bool) -> Option<EndpointReport> {
        self.endpoints.iter().copied().find(|e| e.kind == kind && e.endpoint().out == out)
    }

    /// The setting in which it has endpoints.
    pub(crate) fn setting(&self) -> u8 {
        if self.endpoints.is_empty() { self.later_setting } else { 0 }
    }

    /// Its first bulk endpoint of a direction in that setting.
    pub(crate) fn find_of_setting(&self, out: bool) -> Option<EndpointReport> {
        let endpoints = if self.endpoints.is_empty() { &self.later_endpoints } else { &self.endpoints };
        endpoints.iter().copied().find(|e| e.kind == TransferKind::Bulk && e.endpoint().out == out)
    }

    /// An endpoint of one of its settings.
    fn add_endpoint(&mut self, setting: u8, endpoint: EndpointReport) {
        if setting != 0 && self.later_endpoints.is_empty() {
            self.later_setting = setting;
        }
        let endpoints = match setting {
            0 => &mut self.endpoints,
            _ if setting == self.later_setting => &mut self.later_endpoints,
            _ => return,
        };
        if endpoints.len() < MAX_ENDPOINTS {
            endpoints.push(endpoint);
        }
    }

    fn parse(bytes: &[u8]) -> Option<(Self, u8)> {
        let [_, _, number, alternate, _, class, subclass, protocol, name_index, ..] = *bytes else {
            return None;
        };
        Some((Self { number, class, subclass, protocol, name_index, ..Self::default() }, alternate))
    }

    fn take_class_descriptor(&mut self, bytes: &[u8]) {
        match *bytes {
            [_, CLASS_SPECIFIC_INTERFACE, CDC_UNION, _, subordinate, ..] => {
                self.data_interface = Some(subordinate);
            }
            [_, HID, _, _, _, _, HID_REPORT, low, high, ..] => {
                self.report_descriptor_bytes = u16::from_le_bytes([low, high]);
            }
            _ => {}
        }
    }
}

/// Indices of the device's strings: manufacturer, product, serial number.
pub(crate) type StringIndices = [u8; 3];

/// A device descriptor; nothing when it is too short or of another type.
pub(crate) fn parse_device(bytes: &[u8]) -> Option<(DeviceReport, StringIndices)> {
    let b: &[u8; DEVICE_BYTES as usize] = bytes.first_chunk()?;
    let word = |at: usize| u16::from_le_bytes([b[at], b[at + 1]]);
    let report = DeviceReport {
        usb_release: word(2),
        control_packet_bytes: b[7],
        vendor_id: word(8),
        product_id: word(10),
        device_release: word(12),
        ..DeviceReport::default()
    };
    (b[1] == DEVICE).then_some((report, [b[14], b[15], b[16]]))
}

/// A configuration descriptor's header: how long all of it is, and the value that selects it.
pub(crate) fn parse_configuration_header(bytes: &[u8]) -> Option<(u16, u8)> {
    let [length, CONFIGURATION, low, high, _, value, ..] = *bytes else { return None };
    let total = u16::from_le_bytes([low, high]);
    (length >= 9 && total >= CONFIGURATION_HEADER_BYTES).then_some((total, value))
}

/// The interfaces of a configuration. Stops at the first descriptor that has no sensible length, and when there are
/// more than any device has.
pub(crate) fn parse_interfaces(bytes: &[u8]) -> Vec<InterfaceReport> {
    let mut interfaces: Vec<InterfaceReport> = Vec::new();
    // The setting that is being described; none where it belongs to no interface that is kept.
    let mut setting = None;
    let mut rest = bytes;
    while let Some(&length) = rest.first() {
        let Some((descriptor, after)) = rest.split_at_checked(usize::from(length)) else { break };
        rest = after;
        let Some(&kind) = descriptor.get(1) else { break };
        let last = interfaces.last_mut();
        match (kind, setting, last) {
            (INTERFACE, ..) => {
                setting = match (InterfaceReport::parse(descriptor), interfaces.last()) {
                    (Some((_, 0)), _) if interfaces.len() == MAX_INTERFACES => break,
                    (Some((interface, 0)), _) => {
                        interfaces.push(interface);
                        Some(0)
                    }
                    (Some((interface, later)), Some(last)) if last.number == interface.number => Some(later),
                    _ => None,
                };
            }
            (ENDPOINT, Some(setting), Some(interface)) => {
                if let Some(endpoint) = EndpointReport::parse(descriptor) {
                    interface.add_endpoint(setting, endpoint);
                }
            }
            (_, Some(0), Some(interface)) => interface.take_class_descriptor(descriptor),
            _ => {}
        }
    }
    interfaces
}

/// A string descriptor's text.
pub(crate) fn parse_string(bytes: &[u8]) -> Option<String> {
    let length = usize::from(*bytes.first()?).min(bytes.len());
    let units = bytes.get(2..length).filter(|_| bytes[1] == STRING)?;
    let units: Vec<u16> = units.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// The first language of string descriptor 0.
pub(crate) fn parse_language(bytes: &[u8]) -> Option<u16> {
    let [length, STRING, low, high, ..] = *bytes else { return None };
    (length >= 4).then_some(u16::from_le_bytes([low, high]))
}
