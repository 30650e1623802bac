//! UDP, and what SEND has in common in UDP and IPRAW mode: a destination, perhaps ARP, then one packet or several.

use smoltcp::wire::{IpAddress, IpProtocol, Ipv4Address, Ipv4Packet, UdpPacket};

use crate::chips::{Filter, is_set};
use crate::map::SocketRegister;

use super::Core;
use super::ip::{ETHERNET_HEADER_BYTES, HARDWARE_BROADCAST, IPV4_HEADER_BYTES};
use super::receive::{Cast, Origin};
use super::socket::{Purpose, interrupt, protocol, status};

const UDP_HEADER_BYTES: usize = 8;
/// What fits in a frame behind the headers of IPv4 and UDP, and of IPv4 alone.
const LARGEST_UDP_BYTES: usize = 1472;
const LARGEST_IPRAW_BYTES: usize = 1480;

/// Sn_MR.MULTI.
pub(super) const MULTICAST: u8 = 0x80;

impl Core {
    /// SEND in UDP or IPRAW mode.
    pub(super) fn send_to_peer(&mut self, n: usize) {
        let socket = &self.sockets[n];
        let destination = socket.registers.address(SocketRegister::Dipr);
        if socket.protocol() == protocol::UDP && socket.mode() & MULTICAST != 0 {
            return self.send_datagrams(n, socket.registers.hardware_address(SocketRegister::Dhar));
        }
        if self.is_broadcast(destination) {
            return self.send_datagrams(n, HARDWARE_BROADCAST);
        }
        let next_hop = self.next_hop(destination);
        let forces_arp = is_set(self.facts.force_arp, &self.common);
        match socket.neighbour.filter(|known| known.next_hop == next_hop && !forces_arp) {
            Some(known) => self.send_datagrams(n, known.hardware_address),
            None => self.resolve(n, next_hop, Purpose::Send),
        }
    }

    /// Sends what was written before SEND, divided where it does not fit in one packet.
    pub(super) fn send_datagrams(&mut self, n: usize, hardware_address: [u8; 6]) {
        let is_udp = self.sockets[n].status() == status::UDP;
        let most = self.largest_payload(n, is_udp);
        let mut left = self.pending_bytes(n);
        let mut pointer = self.sockets[n].pointers.tx_read;
        loop {
            let bytes = left.min(most);
            let frame = if is_udp {
                self.udp_frame(n, hardware_address, pointer, bytes)
            } else {
                let number = self.sockets[n].registers.u8(SocketRegister::Proto);
                let header = self.header_of(n, hardware_address, IpProtocol::from(number));
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

    fn udp_frame(&mut self, n: usize, hardware_address: [u8; 6], pointer: u16, bytes: usize) -> Vec<u8> {
        let header = self.header_of(n, hardware_address, IpProtocol::Udp);
        let mut frame = self.begin_packet(&header, UDP_HEADER_BYTES + bytes);
        let start = frame.len();
        frame.resize(start + UDP_HEADER_BYTES, 0);
        self.buffers.read_transmit(n, pointer, bytes, &mut frame);
        let registers = &self.sockets[n].registers;
        let mut packet = UdpPacket::new_unchecked(&mut frame[start..]);
        packet.set_src_port(registers.u16(SocketRegister::Port));
        packet.set_dst_port(registers.u16(SocketRegister::Dport));
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
        if socket.status() != status::UDP || socket.registers.u16(SocketRegister::Port) != port {
            return false;
        }
        let joins = socket.mode() & MULTICAST != 0;
        let Filter { datagrams_to_all, datagrams_to_one, .. } = self.facts.filter;
        match origin.cast {
            Cast::All => !is_set(datagrams_to_all, &socket.registers),
            Cast::Many => joins && socket.registers.address(SocketRegister::Dipr) == origin.destination,
            Cast::One => !(joins && is_set(datagrams_to_one, &socket.registers)),
        }
    }
}

pub(super) fn ip_address(address: [u8; 4]) -> IpAddress {
    IpAddress::Ipv4(Ipv4Address::from(address))
}
