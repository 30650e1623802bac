//! Serial ports: CDC ACM functions (USB CDC PSTN 1.2) as Linux's cdc-acm driver and a terminal on it use them. The
//! terminal opens the port at once, with 115200 8N1 and both DTR and RTS.
//!
//! Left out: SERIAL_STATE notifications are read and dropped; breaks; a port that closes.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::control::{Purpose, Request};
use crate::descriptors::{Driver, InterfaceReport, TransferKind};
use crate::wire::Packet;

const CLASS_INTERFACE_OUT: u8 = 0x21;
const SET_LINE_CODING: u8 = 0x20;
const SET_CONTROL_LINE_STATE: u8 = 0x22;
const DTR_AND_RTS: u16 = 3;
const BAUD: u32 = 115_200;
const COMMUNICATIONS: u8 = 2;
const ABSTRACT_CONTROL_MODEL: u8 = 2;
const DATA: u8 = 10;
/// A vendor's protocol for modems is Microsoft's RNDIS, which is a network (Linux: cdc-acm leaves it alone).
const VENDOR_PROTOCOL: u8 = 0xff;
/// More ports than this are left alone.
pub(crate) const MAX_PORTS: usize = 8;
/// What waits to be typed, and what waits to be taken; more is refused, and dropped and counted.
const MAX_WAITING: usize = 1 << 20;

/// What a terminal on a port holds; it stays while the device comes and goes.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Terminal {
    pub(crate) typed: VecDeque<u8>,
    shown: Vec<(Picoseconds, u8)>,
}

impl Terminal {
    /// Queues bytes for the device; how many there was room for.
    pub(crate) fn type_bytes(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(MAX_WAITING - self.typed.len().min(MAX_WAITING));
        self.typed.extend(&bytes[..taken]);
        taken
    }

    /// The device has the first of the queued bytes.
    pub(crate) fn typed_bytes_sent(&mut self, bytes: usize) {
        self.typed.drain(..bytes.min(self.typed.len()));
    }

    pub(crate) fn has_shown(&self) -> bool {
        !self.shown.is_empty()
    }

    pub(crate) fn take_shown(&mut self) -> Vec<(Picoseconds, u8)> {
        std::mem::take(&mut self.shown)
    }

    /// The device printed bytes; what nobody takes in time is dropped.
    pub(crate) fn show(&mut self, at: Picoseconds, bytes: &[u8]) {
        let room = MAX_WAITING.saturating_sub(self.shown.len()).min(bytes.len());
        self.shown.extend(bytes[..room].iter().map(|&byte| (at, byte)));
    }

    /// The next packet to the device.
    pub(crate) fn packet(&self, data1: bool, max_packet_bytes: usize) -> Packet {
        Packet::filled(data1, self.typed.len().min(max_packet_bytes), |bytes| {
            for (to, from) in bytes.iter_mut().zip(&self.typed) {
                *to = *from;
            }
        })
    }
}

/// Which interfaces of a device make up a port.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PortInterfaces {
    /// Place of the control interface in the list.
    pub(crate) control: usize,
    /// Place of the data interface in the list.
    pub(crate) data: usize,
}

/// Finds the ports of a device, and marks their interfaces.
pub(crate) fn find_ports(interfaces: &mut [InterfaceReport]) -> Vec<PortInterfaces> {
    let mut ports = Vec::new();
    for control in 0..interfaces.len() {
        let i = &interfaces[control];
        let is_modem = (i.class, i.subclass) == (COMMUNICATIONS, ABSTRACT_CONTROL_MODEL);
        if !is_modem || i.protocol == VENDOR_PROTOCOL || ports.len() == MAX_PORTS {
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
pub(crate) fn opening(port: usize, interface: u8) -> [Request; 2] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptors::EndpointReport;

    /// A control interface with a protocol, and a data interface behind it.
    fn pair(protocol: u8) -> Vec<InterfaceReport> {
        let bulk = |address| EndpointReport {
            address,
            kind: TransferKind::Bulk,
            max_packet_bytes: 64,
            interval_frames: 0,
        };
        let control = InterfaceReport {
            class: COMMUNICATIONS,
            subclass: ABSTRACT_CONTROL_MODEL,
            protocol,
            ..InterfaceReport::default()
        };
        let endpoints = vec![bulk(1), bulk(0x81)];
        vec![control, InterfaceReport { number: 1, class: DATA, endpoints, ..InterfaceReport::default() }]
    }

    #[test]
    fn a_modem_is_a_port_and_a_network_by_rndis_is_none() {
        assert_eq!(find_ports(&mut pair(0)).len(), 1);
        assert_eq!(find_ports(&mut pair(1)).len(), 1);
        assert!(find_ports(&mut pair(VENDOR_PROTOCOL)).is_empty());
    }
}
