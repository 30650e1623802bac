//! Frames and packets that the chip makes, and whom it sends them to over IPv4: itself, the same subnet, or the gateway.

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IpProtocol, Ipv4Packet, Ipv4Repr,
    Ipv6Packet, Ipv6Repr,
};
use units::Picoseconds;

use crate::map::{Common, SocketRegister};

use super::Core;
use super::socket::Socket;

pub(super) const ETHERNET_HEADER_BYTES: usize = 14;
pub(super) const IPV4_HEADER_BYTES: usize = 20;
pub(super) const IPV6_HEADER_BYTES: usize = 40;
/// The index of IPv4 in facts that have one value for each family.
pub(super) const OF_IPV4: usize = 0;
const BROADCAST: [u8; 4] = [0xFF; 4];
pub(super) const UNSPECIFIED: [u8; 4] = [0; 4];
pub(super) const HARDWARE_BROADCAST: [u8; 6] = [0xFF; 6];

/// What of an IP header is not the chip's own choice; both addresses are of one family.
#[derive(Debug, Clone, Copy)]
pub(super) struct IpHeader {
    pub(super) hardware_address: [u8; 6],
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) protocol: IpProtocol,
    pub(super) time_to_live: u8,
    pub(super) type_of_service: u8,
    pub(super) dont_fragment: bool,
}

impl IpHeader {
    /// The header of an answer that no socket gives. Its time to live is Sn_TTL's reset value.
    pub(super) fn of_chip(
        hardware_address: [u8; 6],
        source: IpAddr,
        destination: IpAddr,
        protocol: IpProtocol,
    ) -> Self {
        Self {
            hardware_address,
            source,
            destination,
            protocol,
            time_to_live: 0x80,
            type_of_service: 0,
            dont_fragment: true,
        }
    }
}

impl Core {
    pub(crate) fn own_address(&self) -> [u8; 4] {
        self.common.address(Common::Sipr)
    }

    /// SIPR is 0.0.0.0, as while a driver asks for an address.
    pub(super) fn is_without_address(&self) -> bool {
        self.own_address() == [0; 4]
    }

    pub(super) fn own_hardware_address(&self) -> [u8; 6] {
        self.common.hardware_address(Common::Shar)
    }

    /// Whether everyone is meant: 255.255.255.255, or the last address of the own subnet.
    pub(super) fn is_broadcast(&self, address: IpAddr) -> bool {
        let IpAddr::V4(address) = address else { return false };
        let address = u32::from(address);
        let mask = u32::from_be_bytes(self.common.address(Common::Subr));
        let own = u32::from_be_bytes(self.own_address());
        address == u32::from_be_bytes(BROADCAST)
            || (mask != 0 && mask != u32::MAX && address == (own & mask | !mask))
    }

    /// Whom to ask for a hardware address.
    pub(super) fn next_hop(&self, destination: IpAddr) -> IpAddr {
        match destination {
            IpAddr::V4(destination) => {
                let mask = u32::from_be_bytes(self.common.address(Common::Subr));
                let differs = u32::from(destination) ^ u32::from_be_bytes(self.own_address());
                let is_near = differs & mask == 0;
                if is_near { destination.into() } else { self.common.address(Common::Gar).into() }
            }
            IpAddr::V6(destination) => self.next_hop_over_ipv6(destination).into(),
        }
    }

    /// What a socket's registers say, and said at OPEN, of the header of its packets.
    pub(super) fn header_of(
        &self,
        socket: usize,
        hardware_address: [u8; 6],
        destination: IpAddr,
        protocol: IpProtocol,
    ) -> IpHeader {
        const DONT_FRAGMENT: u16 = 0x4000;
        let (opened, registers) = (&self.sockets[socket].opened, &self.sockets[socket].registers);
        let fragment = match self.map().sockets_have(SocketRegister::Frag) {
            true => registers.u16(SocketRegister::Frag),
            false => DONT_FRAGMENT,
        };
        IpHeader {
            hardware_address,
            source: self.source_of(socket, destination),
            destination,
            protocol,
            time_to_live: opened.time_to_live,
            type_of_service: opened.type_of_service,
            dont_fragment: fragment & DONT_FRAGMENT != 0,
        }
    }

    /// The own address for packets of a socket to a destination.
    fn source_of(&self, socket: usize, destination: IpAddr) -> IpAddr {
        match destination {
            IpAddr::V4(_) => self.own_address().into(),
            IpAddr::V6(destination) => {
                let Socket { registers, source, .. } = &self.sockets[socket];
                let preference = registers.u8(SocketRegister::Psr);
                source.unwrap_or_else(|| self.source_over_ipv6(preference, destination)).into()
            }
        }
    }

    /// A frame with Ethernet and IP headers for `payload_bytes` that the caller appends.
    pub(super) fn begin_packet(&mut self, header: &IpHeader, payload_bytes: usize) -> Vec<u8> {
        match (header.source, header.destination) {
            (IpAddr::V6(src_addr), IpAddr::V6(dst_addr)) => {
                let repr = Ipv6Repr {
                    src_addr,
                    dst_addr,
                    next_header: header.protocol,
                    payload_len: payload_bytes,
                    hop_limit: header.time_to_live,
                };
                let mut frame =
                    self.begin_frame(header, EthernetProtocol::Ipv6, IPV6_HEADER_BYTES, payload_bytes);
                repr.emit(&mut Ipv6Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]));
                frame
            }
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                self.begin_ipv4_packet(header, source, destination, payload_bytes)
            }
            _ => unreachable!("both addresses of a header are of one family"),
        }
    }

    fn begin_frame(
        &self,
        header: &IpHeader,
        protocol: EthernetProtocol,
        header_bytes: usize,
        payload_bytes: usize,
    ) -> Vec<u8> {
        let mut frame = Vec::with_capacity(ETHERNET_HEADER_BYTES + header_bytes + payload_bytes);
        frame.resize(ETHERNET_HEADER_BYTES + header_bytes, 0);
        self.emit_ethernet(&mut frame, header.hardware_address, protocol);
        frame
    }

    fn begin_ipv4_packet(
        &mut self,
        header: &IpHeader,
        src_addr: Ipv4Addr,
        dst_addr: Ipv4Addr,
        payload_bytes: usize,
    ) -> Vec<u8> {
        let mut frame = self.begin_frame(header, EthernetProtocol::Ipv4, IPV4_HEADER_BYTES, payload_bytes);
        let repr = Ipv4Repr {
            src_addr,
            dst_addr,
            next_header: header.protocol,
            payload_len: payload_bytes,
            hop_limit: header.time_to_live,
        };
        let mut packet = Ipv4Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]);
        repr.emit(&mut packet, &ChecksumCapabilities::ignored());
        packet.set_dscp(header.type_of_service >> 2);
        packet.set_ecn(header.type_of_service & 0b11);
        packet.set_dont_frag(header.dont_fragment);
        packet.set_ident(self.identification);
        packet.fill_checksum();
        self.identification = self.identification.wrapping_add(1);
        frame
    }

    pub(super) fn emit_ethernet(&self, frame: &mut [u8], destination: [u8; 6], protocol: EthernetProtocol) {
        let repr = EthernetRepr {
            src_addr: EthernetAddress(self.own_hardware_address()),
            dst_addr: EthernetAddress(destination),
            ethertype: protocol,
        };
        repr.emit(&mut EthernetFrame::new_unchecked(frame));
    }

    /// Hands a frame to the MAC; the end of its last bit on the wire.
    pub(super) fn transmit(&mut self, frame: Vec<u8>) -> Picoseconds {
        let link = self.phy.link();
        if link.is_none() {
            self.dropped.no_link += 1;
        }
        self.mac.transmit(self.now, link, frame)
    }

    /// The same for what the chip sends of its own accord (answers, questions), which a full queue refuses.
    pub(super) fn answer(&mut self, frame: Vec<u8>) {
        if self.mac.has_room(self.now, self.phy.link()) {
            self.transmit(frame);
        } else {
            self.dropped.answers += 1;
        }
    }
}
