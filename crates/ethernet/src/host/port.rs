//! The network card as smoltcp sees it: one packet in at a time, and whatever it sends kept in order. smoltcp sees packets; the
//! frames around them are the wrapper's.

use smoltcp::phy::{Checksum, ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::time::Instant;

use super::ip::{ETHERNET_HEADER_BYTES, ETHERTYPE_IPV4, LONGEST_PACKET_BYTES};
use super::ipv6::ETHERTYPE_IPV6;

/// smoltcp's device.
#[derive(Debug, Default)]
pub(super) struct Port {
    arrived: Option<Vec<u8>>,
    sent: Vec<Vec<u8>>,
}

impl Port {
    /// Lays the next frame before smoltcp.
    pub(super) fn offer(&mut self, frame: Vec<u8>) {
        self.arrived = Some(frame);
    }

    /// What smoltcp sent since the last time.
    pub(super) fn take_sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.sent)
    }
}

/// A frame for smoltcp.
pub(super) struct Arrived(Vec<u8>);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(self.0.get(ETHERNET_HEADER_BYTES..).unwrap_or_default())
    }
}

/// Room for a frame of smoltcp's.
pub(super) struct Room<'a>(&'a mut Vec<Vec<u8>>);

impl TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, bytes: usize, write: F) -> R {
        let mut frame = vec![0; ETHERNET_HEADER_BYTES + bytes];
        let result = write(&mut frame[ETHERNET_HEADER_BYTES..]);
        let is_ipv6 = frame.get(ETHERNET_HEADER_BYTES).is_some_and(|first| first >> 4 == 6);
        let ethertype = if is_ipv6 { ETHERTYPE_IPV6 } else { ETHERTYPE_IPV4 };
        frame[12..ETHERNET_HEADER_BYTES].copy_from_slice(&ethertype);
        self.0.push(frame);
        result
    }
}

impl Device for Port {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Room<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Room<'_>)> {
        Some((Arrived(self.arrived.take()?), Room(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        Some(Room(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut checksums = ChecksumCapabilities::default();
        checksums.ipv4 = Checksum::Both;
        checksums.tcp = Checksum::Both;
        checksums.udp = Checksum::Both;
        checksums.icmpv4 = Checksum::Both;
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = LONGEST_PACKET_BYTES;
        capabilities.checksum = checksums;
        capabilities
    }
}
