//! What a device says of itself: a sound device with a serial port, a keyboard and a disk, or what an input has in place of
//! that.

use super::input::Input;

pub(super) const PRODUCT: &str = "fuzz";
/// Endpoints of the port, the keyboard and the disk; those to the host have bit 7.
pub(super) const NOTIFIES: u8 = 0x81;
pub(super) const SHOWS: u8 = 0x82;
pub(super) const TYPES: u8 = 0x02;
pub(super) const PRESSES: u8 = 0x83;
pub(super) const DISK_IN: u8 = 0x84;
pub(super) const DISK_OUT: u8 = 0x04;

/// Types of descriptors (USB 2.0 table 9-5, HID 1.11 7.1).
const DEVICE: u8 = 1;
const CONFIGURATION: u8 = 2;
const STRING: u8 = 3;
const REPORT: u8 = 0x22;

/// The descriptors of a device.
#[derive(Debug, Clone)]
pub(super) struct Descriptors {
    device: Vec<u8>,
    configuration: Vec<u8>,
    report: Vec<u8>,
    string: Vec<u8>,
}

impl Descriptors {
    pub(super) fn sound() -> Self {
        let device = vec![18, DEVICE, 0, 2, 0xef, 2, 1, 64, 0x8a, 0x2e, 0x0a, 0, 0, 1, 0, 2, 0, 1];
        Self { device, configuration: configuration(), report: keyboard(), string: text(PRODUCT) }
    }

    /// Four bits of the first byte say which of them the input has: behind a length each. The highest keeps the header of a
    /// configuration, so that what is in it is looked at.
    pub(super) fn of(input: &mut Input<'_>) -> Self {
        let mut own = Self::sound();
        let which = input.byte();
        if which & 1 != 0 {
            own.device = input.take(usize::from(which >> 5) + 11).to_vec();
        }
        if which & 2 != 0 {
            let count = usize::from(input.byte());
            own.configuration = input.take(count).to_vec();
            if which & 0x10 != 0 {
                own.configuration = headed(&own.configuration);
            }
        }
        if which & 4 != 0 {
            let count = usize::from(input.byte());
            own.report = input.take(count).to_vec();
        }
        if which & 8 != 0 {
            let count = usize::from(input.byte());
            own.string = input.take(count).to_vec();
        }
        own
    }

    /// The string, which is also what a network says of itself.
    pub(super) fn string(&self) -> Vec<u8> {
        self.string.clone()
    }

    /// The descriptor that a request names; nothing where there is none.
    pub(super) fn get(&self, kind: u8, index: u8) -> Option<Vec<u8>> {
        match (kind, index) {
            (DEVICE, _) => Some(self.device.clone()),
            (CONFIGURATION, _) => Some(self.configuration.clone()),
            (STRING, 0) => Some(vec![4, STRING, 9, 4]),
            (STRING, _) => Some(self.string.clone()),
            (REPORT, _) => Some(self.report.clone()),
            _ => None,
        }
    }
}

fn text(text: &str) -> Vec<u8> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    [&[units.len() as u8 + 2, STRING], &units[..]].concat()
}

/// Descriptors behind the header of a configuration (USB 2.0 table 9-10).
fn headed(content: &[u8]) -> Vec<u8> {
    let [low, high] = (9 + content.len() as u16).to_le_bytes();
    [&[9, CONFIGURATION, low, high, 4, 1, 0, 0x80, 50], content].concat()
}

fn interface(number: u8, endpoints: u8, class: [u8; 3]) -> Vec<u8> {
    vec![9, 4, number, 0, endpoints, class[0], class[1], class[2], 0]
}

fn endpoint(address: u8, attributes: u8, bytes: u8, interval: u8) -> Vec<u8> {
    vec![7, 5, address, attributes, bytes, 0, interval]
}

fn configuration() -> Vec<u8> {
    headed(
        &[
            interface(0, 1, [2, 2, 0]),
            vec![5, 0x24, 0, 0x10, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1],
            endpoint(NOTIFIES, 3, 8, 16),
            interface(1, 2, [10, 0, 0]),
            endpoint(SHOWS, 2, 64, 0),
            endpoint(TYPES, 2, 64, 0),
            interface(2, 1, [3, 1, 1]),
            vec![9, 0x21, 0x11, 1, 0, 1, REPORT, keyboard().len() as u8, 0],
            endpoint(PRESSES, 3, 8, 10),
            interface(3, 2, [8, 6, 0x50]),
            endpoint(DISK_IN, 2, 64, 0),
            endpoint(DISK_OUT, 2, 64, 0),
        ]
        .concat(),
    )
}

/// A report descriptor with a collection of the boot protocol's keyboard, and nothing else.
fn keyboard() -> Vec<u8> {
    vec![0x05, 1, 0x09, 6, 0xa1, 1, 0x75, 8, 0x95, 8, 0x81, 2, 0xc0]
}
