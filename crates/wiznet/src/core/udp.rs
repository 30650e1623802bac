//! UDP, and what SEND has in common in UDP and IPRAW mode: a destination, perhaps ARP, then one packet or several.

use smoltcp::wire::{IpAddress, IpProtocol, Ipv4Address, Ipv4Packet, UdpPacket};

use crate::chips::{Filter, is_set};
use crate::map::SocketRegister;

use super::Core;
use super::ip::{ETHERNET_HEADER_BYTES, HARDWARE_BROADCAST, IPV4_HEADER_BYTES};
use super::opened::Destination;
use super::receive::{Cast, Origin};
use super::socket::{Purpose, interrupt, status};

const UDP_HEADER_BYTES: usize = 8;
/// What fits in a frame behind the headers of IPv4 and UDP, and of IPv4 alone.
const LARGEST_UDP_BYTES: usize = 1472;
const LARGEST_IPRAW_BYTES: usize = 1480;

impl Core {
    /// SEND in UDP or IPRAW mode.
    pub(super) fn send_to_peer(&mut self, n: usize) {
        if let Some(group) = self.sockets[n].opened.group {
            self.heed_other_destination(n, &group);
            return self.send_datagrams(n, group.hardware_address, group.peer);
        }
        let destination = Destination::in_registers(&self.sockets[n].registers);
        if self.is_broadcast(destination.address) {
            return self.send_datagrams(n, HARDWARE_BROADCAST, destination);
        }
        let next_hop = self.next_hop(destination.address);
        let forces_arp = is_set(self.facts.force_arp, &self.common);
        match self.sockets[n].neighbour.filter(|known| known.next_hop == next_hop && !forces_arp) {
            Some(known) => self.send_datagrams(n, known.hardware_address, destination),
            None => self.resolve(n, destination, Purpose::Send),
        }
    }

    /// Of a chip that compares Sn_DIPR with that of the SEND before: what it knows is of no use any more.
    pub(super) fn forget_neighbour_of_another(&mut self, n: usize) {
        let socket = &mut self.sockets[n];
        let destination = socket.registers.address(SocketRegister::Dipr);
        if self.facts.asks_for_each_destination {
            socket.neighbour = socket.neighbour.filter(|known| known.destination == destination);
        }
    }

    /// Sends what was written before SEND, divided where it does not fit in one packet.
    pub(super) fn send_datagrams(&mut self, n: usize, hardware_address: [u8; 6], to: Destination) {
        let is_udp = self.sockets[n].status() == status::UDP;
        let most = self.largest_payload(n, is_udp);
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

    fn largest_payload(&self, n: usize, is_udp: bool) -> usize {
        let limit = if is_udp { LARGEST_UDP_BYTES } else { LARGEST_IPRAW_BYTES };
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
        packet.set_src_port(self.sockets[n].opened.port);
        packet.set_dst_port(to.port);
        packet.set_len((UDP_HEADER_BYTES + bytes) as u16);
        packet.fill_checksum(&ip_address(self.own_address()), &ip_address(header.destination));
        debug_assert_eq!(start, ETHERNET_HEADER_BYTES + IPV4_HEADER_BYTES);
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

    /// Whether a socket took it.
    pub(super) fn receive_udp(&mut self, origin: &Origin, ip: &Ipv4Packet<&[u8]>) -> bool {
        let Ok(packet) = UdpPacket::new_checked(ip.payload()) else {
            self.dropped.malformed += 1;
            return false;
        };
        let (source, destination) = (ip_address(origin.address), ip_address(origin.destination));
        if !packet.verify_checksum(&source, &destination) {
            self.dropped.malformed += 1;
            return false;
        }
        let Some(n) = (0..self.sockets.len()).find(|&n| self.wants_datagram(n, origin, packet.dst_port()))
        else {
            self.refuse_datagram(origin, ip);
            return false;
        };
        let payload = packet.payload();
        let mut header = [0; 8];
        header[..4].copy_from_slice(&origin.address);
        header[4..6].copy_from_slice(&packet.src_port().to_be_bytes());
        header[6..].copy_from_slice(&(payload.len() as u16).to_be_bytes());
        self.deliver(n, [&header, payload]);
        true
    }

    fn wants_datagram(&self, n: usize, origin: &Origin, port: u16) -> bool {
        let socket = &self.sockets[n];
        if socket.status() != status::UDP || socket.opened.port != port {
            return false;
        }
        let group = socket.opened.group.map(|group| group.peer.address);
        let Filter { datagrams_to_all, datagrams_to_one, .. } = self.facts.filter;
        match origin.cast {
            Cast::All => !is_set(datagrams_to_all, &socket.registers),
            Cast::Many => group == Some(origin.destination),
            Cast::One => !(group.is_some() && is_set(datagrams_to_one, &socket.registers)),
        }
    }
}

pub(super) fn ip_address(address: [u8; 4]) -> IpAddress {
    IpAddress::Ipv4(Ipv4Address::from(address))
}
