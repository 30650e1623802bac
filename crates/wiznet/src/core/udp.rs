//! UDP, and what SEND has in common in UDP and IPRAW mode: a destination, perhaps ARP, then one packet or several.

use std::net::IpAddr;

use smoltcp::wire::{IpProtocol, UdpPacket};

use crate::chips::{Filter, PacketInfo, is_set};
use crate::map::SocketRegister;

use super::Core;
use super::ip::{HARDWARE_BROADCAST, IPV4_HEADER_BYTES, IPV6_HEADER_BYTES};
use super::ipv6::multicast_hardware_address;
use super::opened::{Destination, Group};
use super::receive::{Cast, Origin};
use super::socket::{Purpose, interrupt, status};

const UDP_HEADER_BYTES: usize = 8;
/// What fits in a frame behind the headers of IPv4 and UDP, and of IPv4 alone.
const LARGEST_UDP_BYTES: usize = 1472;
const LARGEST_IPRAW_BYTES: usize = 1480;

impl Core {
    /// SEND in UDP or IPRAW mode, or SEND6.
    pub(super) fn send_to_peer(&mut self, n: usize, destination: Destination) {
        if let Some(group) = self.group_of_send(n, destination) {
            self.heed_other_destination(n, &group);
            return self.send_datagrams(n, group.hardware_address, group.peer);
        }
        if self.is_broadcast(destination.address) {
            return self.send_datagrams(n, HARDWARE_BROADCAST, destination);
        }
        if let IpAddr::V6(address) = destination.address
            && address.is_multicast()
        {
            return self.send_datagrams(n, multicast_hardware_address(address), destination);
        }
        let next_hop = self.next_hop(destination.address);
        let registers = &self.sockets[n].registers;
        let forces_arp =
            is_set(self.facts.force_arp, &self.common) || is_set(self.facts.force_arp_of_socket, registers);
        match self.sockets[n].neighbour.filter(|known| known.next_hop == next_hop && !forces_arp) {
            Some(known) => self.send_datagrams(n, known.hardware_address, destination),
            None => self.resolve(n, destination, Purpose::Send),
        }
    }

    /// The group of OPEN, where a datagram is of its family.
    fn group_of_send(&self, n: usize, destination: Destination) -> Option<Group> {
        let of_family = |group: &Group| group.peer.address.is_ipv6() == destination.address.is_ipv6();
        self.sockets[n].opened.group.filter(of_family)
    }

    /// Of a chip that compares Sn_DIPR with that of the SEND before: what it knows is of no use any more.
    pub(super) fn forget_neighbour_of_another(&mut self, n: usize, destination: Destination) {
        let socket = &mut self.sockets[n];
        if self.facts.asks_for_each_destination {
            socket.neighbour = socket.neighbour.filter(|known| known.destination == destination.address);
        }
    }

    /// Sends what was written before SEND, divided where it does not fit in one packet.
    pub(super) fn send_datagrams(&mut self, n: usize, hardware_address: [u8; 6], to: Destination) {
        let is_udp = self.sockets[n].status() == status::UDP;
        let most = self.largest_payload(n, is_udp, to.address);
        let mut left = self.pending_bytes(n);
        let mut pointer = self.sockets[n].pointers.tx_read;
        loop {
            let bytes = left.min(most);
            let frame = if is_udp {
                self.udp_frame(n, hardware_address, to, pointer..pointer.wrapping_add(bytes as u16))
            } else {
                let number = self.sockets[n].opened.ip_protocol;
                let header = self.header_of(n, hardware_address, to.address, IpProtocol::from(number));
                let mut frame = self.begin_packet(&header, bytes);
                self.buffers.read_transmit(n, pointer, bytes, &mut frame);
                frame
            };
            let end = self.transmit(frame);
            pointer = pointer.wrapping_add(bytes as u16);
            left -= bytes;
            if left == 0 {
                return self.taken_over(n, end);
            }
        }
    }

    fn largest_payload(&self, n: usize, is_udp: bool, to: IpAddr) -> usize {
        let of_ipv4 = if is_udp { LARGEST_UDP_BYTES } else { LARGEST_IPRAW_BYTES };
        let limit = if to.is_ipv6() { of_ipv4 - (IPV6_HEADER_BYTES - IPV4_HEADER_BYTES) } else { of_ipv4 };
        match usize::from(self.sockets[n].registers.u16(SocketRegister::Mssr)) {
            0 => limit,
            mss => mss.min(limit),
        }
    }

    fn udp_frame(
        &mut self,
        n: usize,
        hardware_address: [u8; 6],
        to: Destination,
        part: std::ops::Range<u16>,
    ) -> Vec<u8> {
        let bytes = usize::from(part.end.wrapping_sub(part.start));
        let header = self.header_of(n, hardware_address, to.address, IpProtocol::Udp);
        let mut frame = self.begin_packet(&header, UDP_HEADER_BYTES + bytes);
        let start = frame.len();
        frame.resize(start + UDP_HEADER_BYTES, 0);
        self.buffers.read_transmit(n, part.start, bytes, &mut frame);
        let mut packet = UdpPacket::new_unchecked(&mut frame[start..]);
        packet.set_src_port(self.sockets[n].port());
        packet.set_dst_port(to.port);
        packet.set_len((UDP_HEADER_BYTES + bytes) as u16);
        packet.fill_checksum(&header.source.into(), &header.destination.into());
        frame
    }

    /// A SEND is finished when the last bit of its last frame is out.
    pub(super) fn finish_sends(&mut self) {
        while let Some(completion) = self.mac.take_completion(self.now) {
            let socket = &mut self.sockets[completion.socket];
            socket.pointers.tx_acknowledged = completion.boundary;
            socket.raise(interrupt::SENDOK);
        }
    }

    /// A datagram, and the packet that it came in. Whether a socket took it.
    pub(super) fn receive_udp(&mut self, origin: &Origin, datagram: &[u8], packet: &[u8]) -> bool {
        let Ok(udp) = UdpPacket::new_checked(datagram) else {
            self.dropped.malformed += 1;
            return false;
        };
        if !udp.verify_checksum(&origin.address.into(), &origin.destination.into()) {
            self.dropped.malformed += 1;
            return false;
        }
        let Some(n) = (0..self.sockets.len()).find(|&n| self.wants_datagram(n, origin, udp.dst_port()))
        else {
            if !self.is_without_address() {
                self.refuse_datagram(origin, packet);
            }
            return false;
        };
        let payload = udp.payload();
        let info = self.packet_info(origin, Some(udp.src_port()), payload.len());
        self.deliver(n, [&info, payload]);
        true
    }

    fn wants_datagram(&self, n: usize, origin: &Origin, port: u16) -> bool {
        let socket = &self.sockets[n];
        let takes = socket.status() == status::UDP && socket.opened.mode.takes(origin.address);
        let group = socket.opened.group.map(|group| group.peer);
        // Boards of WIZnet's show that a member at another port takes what goes to the group's.
        let is_to_group = origin.cast == Cast::Many && group.is_some_and(|group| group.port == port);
        if !takes || socket.port() != port && !is_to_group {
            return false;
        }
        let Filter { datagrams_to_all, datagrams_to_one, datagrams_to_solicited, .. } = self.facts.filter;
        match origin.cast {
            Cast::All => !is_set(datagrams_to_all, &socket.registers),
            Cast::Solicited => !is_set(datagrams_to_solicited, &socket.registers),
            Cast::Many => group.is_some_and(|group| group.address == origin.destination),
            Cast::One => !(group.is_some() && is_set(datagrams_to_one, &socket.registers)),
        }
    }

    /// What stands before a datagram, or a packet without ports, in a socket's memory.
    pub(super) fn packet_info(&self, origin: &Origin, port: Option<u16>, bytes: usize) -> Vec<u8> {
        let mut address = match origin.address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        if let Some(port) = port {
            address.extend_from_slice(&port.to_be_bytes());
        }
        let length = (bytes as u16).to_be_bytes();
        match self.facts.protocols.packet_info {
            PacketInfo::AddressFirst => [&address[..], &length].concat(),
            PacketInfo::LengthFirst => [&[length[0] | kind_of(origin), length[1]], &address[..]].concat(),
        }
    }
}

/// What the upper five bits of a packet's length say of its destination (ioLibrary, socket.h, PACK_IPv6 and its like).
fn kind_of(origin: &Origin) -> u8 {
    const IPV6: u8 = 0x80;
    const ALL_NODES: u8 = 0x40;
    const MULTICAST: u8 = 0x20;
    const LINK_LOCAL: u8 = 0x10;
    let IpAddr::V6(destination) = origin.destination else { return 0 };
    let kind = match origin.cast {
        Cast::All => ALL_NODES,
        Cast::Solicited | Cast::Many => MULTICAST,
        Cast::One if destination.is_unicast_link_local() => LINK_LOCAL,
        Cast::One => 0,
    };
    IPV6 | kind
}
