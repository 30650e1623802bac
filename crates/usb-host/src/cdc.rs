//! Serial ports: CDC ACM functions (USB CDC PSTN 1.2) as Linux's cdc-acm driver and a terminal on it use them. The
//! terminal opens the port at once, with 115200 8N1 and both DTR and RTS.
//!
//! Left out: SERIAL_STATE notifications are read and dropped; breaks; a port that closes.

use std::collections::VecDeque;

use units::Picoseconds;

use super::super::wire::Packet;
use super::control::{Purpose, Request};
use super::descriptors::{Driver, InterfaceReport, TransferKind};

const CLASS_INTERFACE_OUT: u8 = 0x21;
const SET_LINE_CODING: u8 = 0x20;
const SET_CONTROL_LINE_STATE: u8 = 0x22;
const DTR_AND_RTS: u16 = 3;
const BAUD: u32 = 115_200;
const COMMUNICATIONS: u8 = 2;
const ABSTRACT_CONTROL_MODEL: u8 = 2;
const DATA: u8 = 10;
/// More ports than this are left alone.
pub(super) const MAX_PORTS: usize = 8;
/// What waits to be typed, and what waits to be taken; more is refused, and dropped and counted.
const MAX_WAITING: usize = 1 << 20;

/// What a terminal on a port holds; it stays while the device comes and goes.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Terminal {
    pub(super) typed: VecDeque<u8>,
    shown: Vec<(Picoseconds, u8)>,
    pub(super) lost: u64,
}

impl Terminal {
    /// Queues bytes for the device; how many there was room for.
    pub(super) fn type_bytes(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(MAX_WAITING - self.typed.len().min(MAX_WAITING));
        self.typed.extend(&bytes[..taken]);
        taken
    }

    /// The device has the first of the queued bytes.
    pub(super) fn typed_bytes_sent(&mut self, bytes: usize) {
        self.typed.drain(..bytes.min(self.typed.len()));
    }

    pub(super) fn has_shown(&self) -> bool {
        !self.shown.is_empty()
    }

    pub(super) fn take_shown(&mut self) -> Vec<(Picoseconds, u8)> {
        std::mem::take(&mut self.shown)
    }

    pub(super) fn show(&mut self, at: Picoseconds, bytes: &[u8]) {
        let room = MAX_WAITING.saturating_sub(self.shown.len()).min(bytes.len());
        self.shown.extend(bytes[..room].iter().map(|&byte| (at, byte)));
        self.lost += (bytes.len() - room) as u64;
    }

    /// The next packet to the device.
    pub(super) fn packet(&self, data1: bool, max_packet_bytes: usize) -> Packet {
        Packet::filled(data1, self.typed.len().min(max_packet_bytes), |bytes| {
            for (to, from) in bytes.iter_mut().zip(&self.typed) {
                *to = *from;
            }
        })
    }
}

/// Which interfaces of a device make up a port.
#[derive(Debug, Clone, Copy)]
pub(super) struct PortInterfaces {
    /// Place of the control interface in the list.
    pub(super) control: usize,
    /// Place of the data interface in the list.
    pub(super) data: usize,
}

/// Finds the ports of a device, and marks their interfaces.
pub(super) fn find_ports(interfaces: &mut [InterfaceReport]) -> Vec<PortInterfaces> {
    let mut ports = Vec::new();
    for control in 0..interfaces.len() {
        let i = &interfaces[control];
        if (i.class, i.subclass) != (COMMUNICATIONS, ABSTRACT_CONTROL_MODEL) || ports.len() == MAX_PORTS {
            continue;
        }
        // The union descriptor names the data interface; without one it is the next of the class.
        let named = i.data_interface.and_then(|number| interfaces.iter().position(|i| i.number == number));
        let next = || (control + 1..interfaces.len()).find(|&n| interfaces[n].class == DATA);
        let Some(data) = named.or_else(next).filter(|&data| has_both_directions(&interfaces[data])) else {
            continue;
        };
        interfaces[control].driver = Driver::Serial;
        interfaces[data].driver = Driver::Serial;
        ports.push(PortInterfaces { control, data });
    }
    ports
}

fn has_both_directions(interface: &InterfaceReport) -> bool {
    [false, true].iter().all(|&out| interface.find(TransferKind::Bulk, out).is_some())
}

/// The requests that open a port.
pub(super) fn opening(port: usize, interface: u8) -> [Request; 2] {
    let mut coding = BAUD.to_le_bytes().to_vec();
    // One stop bit, no parity, eight bits.
    coding.extend([0, 0, 8]);
    let index = u16::from(interface);
    [
        Request::sending(Purpose::LineCoding, CLASS_INTERFACE_OUT, SET_LINE_CODING, 0, index, coding),
        Request::sending(
            Purpose::LineState(port),
            CLASS_INTERFACE_OUT,
            SET_CONTROL_LINE_STATE,
            DTR_AND_RTS,
            index,
            Vec::new(),
        ),
    ]
}
