//! Human interface devices (USB HID 1.11): report descriptor, SET_IDLE, reports by the interrupt endpoint. Keyboards and
//! mice are told apart by the report descriptor's application collections and decoded as the boot protocol lays
//! them out, which is how keyboards and mice in practice report outside it too.
//!
//! Left out: output and feature reports, other layouts than the boot protocol's (their bytes are there undecoded).

use units::Picoseconds;

use crate::control::{Purpose, Request};

const CLASS_INTERFACE_OUT: u8 = 0x21;
const SET_IDLE: u8 = 0x0a;
const STANDARD_INTERFACE: u8 = 0x01;
const GET_DESCRIPTOR: u8 = 6;
const REPORT_DESCRIPTOR_VALUE: u16 = 0x2200;
pub(crate) const CLASS: u8 = 3;
const GENERIC_DESKTOP: u32 = 1;
/// Linux takes no longer report descriptor.
const MAX_REPORT_DESCRIPTOR_BYTES: u16 = 4096;
/// Reports that nobody took; later ones are dropped.
pub(crate) const MAX_REPORTS: usize = 1 << 16;

/// A report that a device sent.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HidReport {
    /// When it was acknowledged.
    pub at: Picoseconds,
    /// bInterfaceNumber.
    pub interface: u8,
    /// All its bytes, with the report number where the device uses them.
    pub bytes: Vec<u8>,
    /// What it says.
    pub input: HidInput,
}

/// What a report says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum HidInput {
    /// The keys that are down.
    Keyboard {
        /// A bit for each of the modifiers, left control first.
        modifiers: u8,
        /// Usages of the other keys; 0 is none.
        keys: [u8; 6],
    },
    /// Buttons and movement.
    Mouse {
        /// A bit for each button, left first.
        buttons: u8,
        /// To the right.
        x: i8,
        /// Down.
        y: i8,
        /// Away from the user.
        wheel: i8,
    },
    /// Anything else.
    Other,
}

/// What a report describes, by its application collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Application {
    Keyboard,
    Mouse,
    Other,
}

/// One HID interface.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Hid {
    pub(crate) interface: u8,
    /// Its reports are read from now on.
    pub(crate) reading: bool,
    numbered: bool,
    applications: Vec<(u8, Application)>,
}

impl Hid {
    pub(crate) fn new(interface: u8) -> Self {
        Self { interface, ..Self::default() }
    }

    /// The requests that start it, as Linux's usbhid makes them.
    pub(crate) fn opening(&self, index: usize, descriptor_bytes: u16) -> [Request; 2] {
        let interface = u16::from(self.interface);
        [
            Request::sending(Purpose::HidIdle, CLASS_INTERFACE_OUT, SET_IDLE, 0, interface, Vec::new()),
            Request::asking(
                Purpose::HidReportDescriptor(index),
                STANDARD_INTERFACE,
                GET_DESCRIPTOR,
                REPORT_DESCRIPTOR_VALUE,
                interface,
                descriptor_bytes.min(MAX_REPORT_DESCRIPTOR_BYTES),
            ),
        ]
    }

    /// Learns from the report descriptor which report is whose.
    pub(crate) fn take_report_descriptor(&mut self, bytes: &[u8]) {
        let (mut page, mut usage, mut application, mut report) = (0, 0, Application::Other, 0);
        let mut rest = bytes;
        while let Some((&prefix, after)) = rest.split_first() {
            // Sizes 0, 1, 2, 4; a long item (0xfe) has its size in the next byte (HID 1.11 6.2.2).
            let size = if prefix == 0xfe {
                after.first().map_or(0, |&size| usize::from(size) + 2)
            } else {
                [0, 1, 2, 4][usize::from(prefix & 3)]
            };
            let Some((data, next)) = after.split_at_checked(size) else { break };
            rest = next;
            let value = data.iter().take(4).rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            match prefix & 0xfc {
                0x04 => page = value,
                0x08 => usage = value & 0xffff,
                0x84 => (report, self.numbered) = (value as u8, true),
                0xa0 if value == 1 => {
                    application = match (page, usage) {
                        (GENERIC_DESKTOP, 6) => Application::Keyboard,
                        (GENERIC_DESKTOP, 2) => Application::Mouse,
                        _ => Application::Other,
                    }
                }
                0x80 if !self.applications.iter().any(|&(r, _)| r == report) => {
                    self.applications.push((report, application));
                }
                _ => {}
            }
        }
    }

    /// What a report says.
    pub(crate) fn decode(&self, bytes: &[u8]) -> HidInput {
        let (report, fields) = match bytes.split_first() {
            Some((&report, fields)) if self.numbered => (report, fields),
            _ => (0, bytes),
        };
        let application = self.applications.iter().find(|&&(r, _)| r == report).map(|&(_, a)| a);
        match (application, fields) {
            (Some(Application::Keyboard), &[modifiers, _, a, b, c, d, e, f, ..]) => {
                HidInput::Keyboard { modifiers, keys: [a, b, c, d, e, f] }
            }
            (Some(Application::Mouse), &[buttons, x, y, ref rest @ ..]) => {
                let wheel = rest.first().copied().unwrap_or(0).cast_signed();
                HidInput::Mouse { buttons, x: x.cast_signed(), y: y.cast_signed(), wheel }
            }
            _ => HidInput::Other,
        }
    }
}
