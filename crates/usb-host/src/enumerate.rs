//! Enumeration: the requests from the first reset to SET_CONFIGURATION (USB 2.0 9.1.2), in the order in which Linux
//! makes them. After it the class drivers take over (functions.rs).

use units::Picoseconds;

use crate::control::{Failure, Purpose, Request};
use crate::descriptors::{self as d, DeviceReport, StringIndices};
use crate::wire::MAX_PACKET_BYTES;
use crate::{ADDRESS_RECOVERY, Phase, REQUEST_TRIES, RETRY, UsbHost};

const GET_DESCRIPTOR: u8 = 6;
const SET_ADDRESS: u8 = 5;
const SET_CONFIGURATION: u8 = 9;
/// The address that the host gives; it has one port only.
const ADDRESS: u8 = 1;
/// How often the host resets a device that does not enumerate (Linux: PORT_INIT_TRIES).
const MAX_ATTEMPTS: u32 = 4;
/// The device descriptor up to bMaxPacketSize0.
const PACKET_SIZE_BYTES: u16 = 8;
const STRING_BYTES: u16 = 255;
const BOS_HEADER_BYTES: u16 = 5;
/// Devices from this bcdUSB on are asked for a binary object store.
const BOS_SINCE: u16 = 0x0201;
/// More interfaces are left without a name.
const MAX_NAMED_INTERFACES: usize = 16;

/// The request that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Step {
    /// The first bytes of the device descriptor, for the packet size of endpoint 0.
    PacketSize,
    Address,
    Device,
    BinaryObjectStore,
    ConfigurationHeader,
    Configuration,
    Languages,
    String(StringOwner),
    Select,
}

/// Whose string it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum StringOwner {
    Manufacturer,
    Product,
    Serial,
    Interface(usize),
}

/// What enumeration has found out so far.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Enumeration {
    /// How often it was begun.
    attempts: u32,
    string_indices: StringIndices,
    configuration_value: u8,
    language: u16,
    strings: Vec<(StringOwner, u8)>,
    pub(crate) report: DeviceReport,
}

impl Enumeration {
    /// A reset begins, and an attempt with it.
    pub(crate) fn count_attempt(&mut self) {
        self.attempts += 1;
    }
}

impl UsbHost {
    /// The reset is over and the device has recovered from it.
    pub(crate) fn begin_enumeration(&mut self, now: Picoseconds) {
        self.phase = Phase::Enumerating;
        self.address = 0;
        // As Linux does: as long as nothing is known, take what comes in one packet.
        self.add_control_pipe(MAX_PACKET_BYTES, now);
        self.ask(Step::PacketSize, now);
    }

    fn ask(&mut self, step: Step, now: Picoseconds) {
        let purpose = Purpose::Enumerate(step);
        let descriptor = |kind: u8, index: u8, language: u16, bytes: u16| {
            Request::asking(purpose, 0, GET_DESCRIPTOR, u16::from_le_bytes([index, kind]), language, bytes)
        };
        let request = match step {
            Step::PacketSize => descriptor(d::DEVICE, 0, 0, PACKET_SIZE_BYTES),
            Step::Address => Request::sending(purpose, 0, SET_ADDRESS, u16::from(ADDRESS), 0, Vec::new()),
            Step::Device => descriptor(d::DEVICE, 0, 0, d::DEVICE_BYTES),
            Step::BinaryObjectStore => descriptor(d::BINARY_OBJECT_STORE, 0, 0, BOS_HEADER_BYTES),
            Step::ConfigurationHeader => descriptor(d::CONFIGURATION, 0, 0, d::CONFIGURATION_HEADER_BYTES),
            Step::Configuration => descriptor(d::CONFIGURATION, 0, 0, self.configuration_bytes),
            Step::Languages => descriptor(d::STRING, 0, 0, STRING_BYTES),
            Step::String(owner) => {
                let index =
                    self.enumeration.strings.iter().find(|&&(o, _)| o == owner).map_or(0, |&(_, i)| i);
                descriptor(d::STRING, index, self.enumeration.language, STRING_BYTES)
            }
            Step::Select => {
                let value = u16::from(self.enumeration.configuration_value);
                Request::sending(purpose, 0, SET_CONFIGURATION, value, 0, Vec::new())
            }
        };
        self.submit(request, now);
    }

    /// A request of the enumeration is over.
    pub(crate) fn enumerated(
        &mut self,
        step: Step,
        request: Request,
        result: Result<Vec<u8>, Failure>,
        now: Picoseconds,
    ) {
        if self.phase != Phase::Enumerating {
            return;
        }
        let next = match (step, result) {
            (Step::BinaryObjectStore, _) => Some(Step::ConfigurationHeader),
            (Step::Languages, Ok(bytes)) => Some(self.take_languages(&bytes)),
            (Step::Languages, Err(_)) => Some(Step::Select),
            (Step::String(owner), result) => Some(self.take_string(owner, result.ok().as_deref())),
            (_, Err(Failure::Protocol)) if request.failures < REQUEST_TRIES => {
                return self.repeat(request, now);
            }
            (_, Err(_)) => None,
            (Step::PacketSize, Ok(bytes)) => return self.take_packet_size(&bytes, now),
            (Step::Address, Ok(_)) => return self.take_address(now),
            (Step::Device, Ok(bytes)) => self.take_device(&bytes),
            (Step::ConfigurationHeader, Ok(bytes)) => self.take_configuration_header(&bytes),
            (Step::Configuration, Ok(bytes)) => self.take_configuration(&bytes),
            (Step::Select, Ok(_)) => return self.take_selected(now),
        };
        match next {
            Some(step) => self.ask(step, now),
            None => self.give_up_attempt(now),
        }
    }

    fn repeat(&mut self, mut request: Request, now: Picoseconds) {
        request.failures += 1;
        self.submit(request, now);
        self.hold_control_pipe(RETRY, now);
    }

    /// The attempt failed; the device gets another reset, or is left alone.
    fn give_up_attempt(&mut self, now: Picoseconds) {
        self.drop_pipes();
        if self.enumeration.attempts >= MAX_ATTEMPTS {
            self.phase = Phase::Failed;
            return;
        }
        let attempts = self.enumeration.attempts;
        self.enumeration = Enumeration { attempts, ..Enumeration::default() };
        self.phase = Phase::Debounce;
        self.phase_until = Some(now + RETRY);
    }

    fn take_packet_size(&mut self, bytes: &[u8], now: Picoseconds) {
        let size = bytes.get(7).copied().filter(|size| [8, 16, 32, 64].contains(size));
        let Some(size) = size.filter(|_| bytes[1] == d::DEVICE) else { return self.give_up_attempt(now) };
        self.add_control_pipe(usize::from(size), now);
        self.ask(Step::Address, now);
    }

    fn take_address(&mut self, now: Picoseconds) {
        self.address = ADDRESS;
        self.ask(Step::Device, now);
        self.hold_control_pipe(ADDRESS_RECOVERY, now);
    }

    fn take_device(&mut self, bytes: &[u8]) -> Option<Step> {
        let (report, strings) = d::parse_device(bytes)?;
        let has_store = report.usb_release >= BOS_SINCE;
        self.enumeration.report = report;
        self.enumeration.string_indices = strings;
        Some(if has_store { Step::BinaryObjectStore } else { Step::ConfigurationHeader })
    }

    fn take_configuration_header(&mut self, bytes: &[u8]) -> Option<Step> {
        let (total, value) = d::parse_configuration_header(bytes)?;
        self.configuration_bytes = total;
        self.enumeration.configuration_value = value;
        Some(Step::Configuration)
    }

    fn take_configuration(&mut self, bytes: &[u8]) -> Option<Step> {
        let found = &mut self.enumeration;
        let interfaces = d::parse_interfaces(bytes);
        let [manufacturer, product, serial] = found.string_indices;
        let of_device = [
            (StringOwner::Product, product),
            (StringOwner::Manufacturer, manufacturer),
            (StringOwner::Serial, serial),
        ];
        let of_interfaces = interfaces
            .iter()
            .enumerate()
            .take(MAX_NAMED_INTERFACES)
            .map(|(n, interface)| (StringOwner::Interface(n), interface.name_index));
        found.strings = of_device.into_iter().chain(of_interfaces).filter(|&(_, index)| index != 0).collect();
        found.report.interfaces = interfaces;
        Some(if found.strings.is_empty() { Step::Select } else { Step::Languages })
    }

    fn take_languages(&mut self, bytes: &[u8]) -> Step {
        // US English, as Linux assumes where the list makes no sense.
        self.enumeration.language = d::parse_language(bytes).unwrap_or(0x0409);
        self.first_string()
    }

    fn take_string(&mut self, owner: StringOwner, bytes: Option<&[u8]>) -> Step {
        let text = bytes.and_then(d::parse_string);
        let report = &mut self.enumeration.report;
        match owner {
            StringOwner::Manufacturer => report.manufacturer = text,
            StringOwner::Product => report.product = text,
            StringOwner::Serial => report.serial = text,
            StringOwner::Interface(n) => {
                if let Some(interface) = report.interfaces.get_mut(n) {
                    interface.name = text;
                }
            }
        }
        self.enumeration.strings.retain(|&(o, _)| o != owner);
        self.first_string()
    }

    fn first_string(&self) -> Step {
        self.enumeration.strings.first().map_or(Step::Select, |&(owner, _)| Step::String(owner))
    }

    fn take_selected(&mut self, now: Picoseconds) {
        self.phase = Phase::Configured;
        self.bind_drivers(now);
    }
}
