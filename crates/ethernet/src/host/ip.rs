//! Packets that the PC reads and makes itself, of IPv4 (RFC 791) and as IPv6 alike, in frames whose Ethernet addresses are filled
//! in when they leave.

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    IpProtocol, Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber, UdpPacket, UdpRepr,
};

use super::ipv6::{self, ETHERTYPE_IPV6};
use super::segment::{ACK, RST, Segment, address};

pub(super) const ETHERNET_HEADER_BYTES: usize = 14;
pub(super) const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
pub(super) const ETHERTYPE_ARP: [u8; 2] = [0x08, 0x06];

/// Linux's (`ip_default_ttl`).
pub(super) const HOP_LIMIT: u8 = 64;

/// The longest packet: Ethernet's 1500 bytes.
pub(super) const LONGEST_PACKET_BYTES: usize = 1500;

/// The longest payload of a segment, and of a datagram or an echo request, that fits a packet to an address: without 20 or 40
/// bytes of IP, and without 20 of TCP or 8 of UDP and ICMP.
pub(super) fn longest_segment_bytes(to: IpAddr) -> u32 {
    if to.is_ipv4() { 1460 } else { 1440 }
}

pub(super) fn longest_datagram_bytes(to: IpAddr) -> usize {
    if to.is_ipv4() { 1472 } else { 1452 }
}

/// Where a packet comes from and where it goes; both are of one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    pub from: IpAddr,
    pub to: IpAddr,
}

impl Way {
    /// Of the packet in a frame that [`is_sound`] accepted, or that is one of IPv6 with its whole header.
    pub(super) fn of(frame: &[u8]) -> Self {
        if frame[12..14] == ETHERTYPE_IPV6 {
            return ipv6::way_of(frame);
        }
        let (from, to) = ends(frame);
        Self { from: from.into(), to: to.into() }
    }

    pub(super) fn back(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// Both ends of the IPv4 packet in a frame that [`is_sound`] accepted.
pub(super) fn ends(frame: &[u8]) -> (Ipv4Addr, Ipv4Addr) {
    (address(frame, 26), address(frame, 30))
}

/// Whether a frame holds an IPv4 packet whose header is whole and right.
pub(super) fn is_sound(frame: &[u8]) -> bool {
    let Some(bytes) = frame.get(ETHERNET_HEADER_BYTES..) else { return false };
    frame[12..14] == ETHERTYPE_IPV4
        && Ipv4Packet::new_checked(bytes).is_ok_and(|packet| {
            packet.version() == 4 && packet.header_len() >= 20 && packet.verify_checksum()
        })
}

/// Whether an address is that of one host.
pub(super) fn is_one_host(address: Ipv4Addr) -> bool {
    let reserved = address.octets()[0] >= 240 || address.octets()[0] == 0;
    !(reserved || address.is_multicast() || address.is_loopback())
}

/// The payload of the packet in a frame that [`is_sound`] accepted, or that is one of IPv6 without further headers.
pub(super) fn payload(frame: &[u8]) -> &[u8] {
    if frame[12..14] == ETHERTYPE_IPV6 {
        return ipv6::payload(frame);
    }
    Ipv4Packet::new_unchecked(&frame[ETHERNET_HEADER_BYTES..]).payload()
}

/// A frame with a packet; `write` fills its payload.
pub(super) fn frame(
    way: Way,
    protocol: IpProtocol,
    payload_bytes: usize,
    write: impl FnOnce(&mut [u8]),
) -> Vec<u8> {
    let (src_addr, dst_addr) = match (way.from, way.to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => (from, to),
        (IpAddr::V6(from), IpAddr::V6(to)) => return ipv6::frame((from, to), protocol, payload_bytes, write),
        _ => unreachable!("both ends of a packet are of one family"),
    };
    let repr = Ipv4Repr {
        src_addr,
        dst_addr,
        next_header: protocol,
        payload_len: payload_bytes,
        hop_limit: HOP_LIMIT,
    };
    let mut frame = vec![0; ETHERNET_HEADER_BYTES + repr.buffer_len() + payload_bytes];
    frame[12..14].copy_from_slice(&ETHERTYPE_IPV4);
    let mut packet = Ipv4Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]);
    repr.emit(&mut packet, &ChecksumCapabilities::default());
    write(packet.payload_mut());
    frame
}

/// Has the header of a packet say how long the packet in a frame is.
pub(super) fn set_length(frame: &mut [u8]) {
    if frame[12..14] == ETHERTYPE_IPV6 {
        return ipv6::set_length(frame);
    }
    let packet_bytes = (frame.len() - ETHERNET_HEADER_BYTES) as u16;
    let mut packet = Ipv4Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]);
    packet.set_total_len(packet_bytes);
    packet.fill_checksum();
}

/// A frame with a datagram.
pub(super) fn datagram(way: Way, from_port: u16, to_port: u16, bytes: &[u8]) -> Vec<u8> {
    let repr = UdpRepr { src_port: from_port, dst_port: to_port };
    frame(way, IpProtocol::Udp, repr.header_len() + bytes.len(), |room| {
        repr.emit(
            &mut UdpPacket::new_unchecked(room),
            &way.from.into(),
            &way.to.into(),
            bytes.len(),
            |payload| payload.copy_from_slice(bytes),
            &ChecksumCapabilities::default(),
        );
    })
}

/// The reset that answers a segment of no connection (RFC 9293 section 3.10.7.1); nothing for a reset, or for one whose
/// check sum is wrong.
pub(super) fn reset(frame_in: &[u8], segment: &Segment) -> Option<Vec<u8>> {
    let way = Way::of(frame_in).back();
    let intact = TcpPacket::new_checked(payload(frame_in))
        .is_ok_and(|packet| packet.verify_checksum(&way.to.into(), &way.from.into()));
    if !intact {
        return None;
    }
    let number = |number: u32| TcpSeqNumber(number.cast_signed());
    let acknowledgment = segment.has(ACK).then(|| number(segment.acknowledgment));
    let ports = (segment.source_port, segment.destination_port);
    let repr = reset_of(ports, segment.has(RST), acknowledgment, number(segment.end()))?;
    Some(frame(way, IpProtocol::Tcp, repr.buffer_len(), |room| {
        repr.emit(
            &mut TcpPacket::new_unchecked(room),
            &way.from.into(),
            &way.to.into(),
            &ChecksumCapabilities::default(),
        );
    }))
}

/// The reset that answers a segment between two ports which acknowledges a number, or nothing, and ends at another one.
pub(super) fn reset_of(
    (source_port, destination_port): (u16, u16),
    is_reset: bool,
    acknowledgment: Option<TcpSeqNumber>,
    end: TcpSeqNumber,
) -> Option<TcpRepr<'static>> {
    if is_reset || source_port == 0 || destination_port == 0 {
        return None;
    }
    let (seq_number, ack_number) = match acknowledgment {
        Some(acknowledgment) => (acknowledgment, None),
        None => (TcpSeqNumber(0), Some(end)),
    };
    Some(TcpRepr {
        src_port: destination_port,
        dst_port: source_port,
        control: TcpControl::Rst,
        seq_number,
        ack_number,
        window_len: 0,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    })
}
