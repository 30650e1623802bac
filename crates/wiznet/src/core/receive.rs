//! Frames from the wire: what the MAC drops, and who is given the rest. ARP and IP for this chip go to the hardwired protocols; what no socket of those takes goes to socket 0 if that is in MACRAW mode.

use std::net::IpAddr;

use smoltcp::wire::{EthernetFrame, EthernetProtocol, IpProtocol, Ipv4Packet};
use units::Picoseconds;

use super::ip::OF_IPV4;
use super::mac::{LONGEST_BYTES, SHORTEST_BYTES};
use super::socket::interrupt;
use super::{Core, MOST_IN_INBOX};
use crate::chips::is_set;
use crate::map::{Common, Side};

/// Whom a frame or packet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    /// This chip alone.
    One,
    /// Those who have an address of IPv6 that ends alike.
    Solicited,
    Many,
    All,
}

/// Where a packet came from, and for whom it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) hardware_address: [u8; 6],
    pub(super) address: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) cast: Cast,
    pub(super) hop_limit: u8,
}

impl Core {
    /// A whole frame arrived.
    pub(crate) fn receive(&mut self, at: Picoseconds, bytes: &[u8], check_sequence_is_right: bool) {
        self.advance(at);
        let dropped = &mut self.dropped;
        if self.phy.link().is_none() {
            dropped.no_link += 1;
        } else if !check_sequence_is_right {
            dropped.wrong_check_sequence += 1;
        } else if !(SHORTEST_BYTES..=LONGEST_BYTES).contains(&bytes.len()) {
            dropped.wrong_length += 1;
        } else if self.inbox.len() >= MOST_IN_INBOX {
            dropped.no_room += 1;
        } else {
            let busy_until = self.inbox.back().map_or(self.now, |&(at, _)| at.max(self.now));
            self.inbox.push_back((busy_until + self.options.receive_time, bytes.to_vec()));
            if self.options.receive_time == Picoseconds::ZERO {
                self.process_inbox();
                self.pump_segments();
            }
            self.settle();
        }
    }

    pub(super) fn process_inbox(&mut self) {
        while self.inbox.front().is_some_and(|&(at, _)| at <= self.now) {
            let Some((_, frame)) = self.inbox.pop_front() else { return };
            if self.is_ready() {
                self.process(&frame);
            }
        }
    }

    fn process(&mut self, bytes: &[u8]) {
        let frame = EthernetFrame::new_unchecked(bytes);
        let destination = frame.dst_addr();
        let cast = if destination.0 == self.own_hardware_address() {
            Some(Cast::One)
        } else if destination.is_broadcast() {
            Some(Cast::All)
        } else if destination.is_multicast() {
            Some(Cast::Many)
        } else {
            None
        };
        let source = frame.src_addr().0;
        let taken = match (cast, frame.ethertype()) {
            (Some(Cast::One | Cast::All), EthernetProtocol::Arp) => {
                self.receive_arp(frame.payload());
                false
            }
            (Some(cast), EthernetProtocol::Ipv4) => self.receive_ipv4(source, cast, frame.payload()),
            (Some(cast), EthernetProtocol::Ipv6) if self.map().has(Common::Llar) => {
                self.receive_ipv6(source, cast, frame.payload())
            }
            _ => false,
        };
        if !taken {
            self.receive_raw(bytes, cast);
        }
    }

    /// Whether a socket took it.
    fn receive_ipv4(&mut self, source: [u8; 6], frame_cast: Cast, bytes: &[u8]) -> bool {
        let Ok(packet) = Ipv4Packet::new_checked(bytes) else {
            self.dropped.malformed += 1;
            return false;
        };
        if packet.version() != 4 || !packet.verify_checksum() {
            self.dropped.malformed += 1;
            return false;
        }
        if is_set(self.facts.protocols.switches.packet_block[OF_IPV4], &self.common) {
            return false;
        }
        let destination = packet.dst_addr();
        let cast = if self.is_broadcast(destination.into()) {
            Cast::All
        } else if destination.is_multicast() {
            Cast::Many
        } else if (destination.octets() == self.own_address() || self.takes_anyones(packet.next_header()))
            && !destination.is_unspecified()
            && frame_cast == Cast::One
        {
            Cast::One
        } else {
            return false;
        };
        if packet.more_frags() || packet.frag_offset() != 0 {
            self.dropped.fragments += 1;
            return false;
        }
        let origin = Origin {
            hardware_address: source,
            address: packet.src_addr().into(),
            destination: destination.into(),
            cast,
            hop_limit: packet.hop_limit(),
        };
        match packet.next_header() {
            IpProtocol::Udp => self.receive_udp(&origin, packet.payload(), bytes),
            IpProtocol::Tcp => self.receive_tcp(&origin, packet.payload()),
            protocol => self.receive_other(&origin, protocol, packet.payload()),
        }
    }

    /// Without an address of its own the chip takes datagrams that come to its Ethernet address, whomever else they name. Adafruit's
    /// library does not ask DHCP servers for broadcasts, and gets its address from those that reply to it alone.
    fn takes_anyones(&self, protocol: IpProtocol) -> bool {
        protocol == IpProtocol::Udp && self.is_without_address()
    }

    fn receive_other(&mut self, origin: &Origin, protocol: IpProtocol, payload: &[u8]) -> bool {
        let taken = self.receive_ip_raw(origin, protocol, payload);
        match protocol {
            IpProtocol::Icmp => self.receive_icmp(origin, payload, taken),
            IpProtocol::Igmp => self.receive_igmp(payload),
            _ => {}
        }
        taken
    }

    /// Stores the pieces one after another in a socket's receive memory, all or nothing.
    pub(super) fn deliver(&mut self, n: usize, pieces: [&[u8]; 2]) {
        let span = self.buffers.span(Side::Receive, n);
        let socket = &mut self.sockets[n];
        let bytes = pieces[0].len() + pieces[1].len();
        let free = usize::from(span.size.saturating_sub(socket.received_bytes()));
        if bytes > free {
            self.dropped.no_room += 1;
            return;
        }
        for piece in pieces {
            self.buffers.store_received(n, socket.pointers.rx_write, piece);
            socket.pointers.rx_write = socket.pointers.rx_write.wrapping_add(piece.len() as u16);
        }
        socket.raise(interrupt::RECV);
    }

    /// Whether socket 0 hands frames to a driver with a stack of its own, which then answers strangers itself.
    pub(crate) fn is_network_card(&self) -> bool {
        self.sockets[0].status() == super::socket::status::MACRAW
    }

    /// Whether no other socket is open beside that.
    pub(crate) fn is_network_card_alone(&self) -> bool {
        let closed = |socket: &super::socket::Socket| socket.status() == super::socket::status::CLOSED;
        self.is_network_card() && self.sockets[1..].iter().all(closed)
    }
}
