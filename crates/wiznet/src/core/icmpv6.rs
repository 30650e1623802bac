//! ICMPv6: echo replies, "port unreachable" in both directions, and what goes to neighbour discovery. ICMP6BLKR keeps a kind
//! from the chip and leaves it to a socket in IPRAW6 mode (ioLibrary, w6100.h, ICMP6BLKR).

use std::net::IpAddr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    Icmpv6DstUnreachable, Icmpv6Message, Icmpv6Packet, Icmpv6Repr, IpProtocol, Ipv6Repr, NdiscRepr,
};

use crate::chips::is_set;
use crate::map::Common;

use super::Core;
use super::ip::IpHeader;
use super::ipv6::OF_IPV6;
use super::receive::{Cast, Origin};

/// NETMR.ANB and NETMR.M6B: no echo replies to what was sent to all nodes, or to the solicited-node address.
const PING_TO_ALL_BLOCK: u8 = 0x20;
const PING_TO_SOLICITED_BLOCK: u8 = 0x10;

impl Core {
    /// Whether a socket took it.
    pub(super) fn receive_icmpv6(&mut self, origin: &Origin, payload: &[u8]) -> bool {
        let (IpAddr::V6(from), IpAddr::V6(to)) = (origin.address, origin.destination) else { return false };
        let Ok(packet) = Icmpv6Packet::new_checked(payload) else {
            self.dropped.malformed += 1;
            return false;
        };
        if !packet.verify_checksum(&from, &to) {
            self.dropped.malformed += 1;
            return false;
        }
        let bit = block_bit(packet.msg_type());
        if bit == 0 || self.common.u8(Common::Icmp6blkr) & bit != 0 {
            let taken = self.receive_ip_raw(origin, IpProtocol::Icmpv6, payload);
            if bit != 0 || taken {
                return taken;
            }
        }
        if packet.msg_type() == Icmpv6Message::MldQuery {
            self.membership_queried(payload);
            return false;
        }
        match Icmpv6Repr::parse(&from, &to, &packet, &ChecksumCapabilities::ignored()) {
            Ok(message) => self.heed_icmpv6(origin, &message, payload),
            Err(_) => self.dropped.malformed += 1,
        }
        false
    }

    fn heed_icmpv6(&mut self, origin: &Origin, message: &Icmpv6Repr<'_>, payload: &[u8]) {
        match *message {
            Icmpv6Repr::EchoRequest { ident, seq_no, data } => {
                self.answer_echo(origin, &Icmpv6Repr::EchoReply { ident, seq_no, data });
            }
            Icmpv6Repr::EchoReply { ident, seq_no, .. } => {
                self.errand_answered(origin.address, ident, seq_no);
            }
            Icmpv6Repr::DstUnreachable { reason: Icmpv6DstUnreachable::PortUnreachable, header, data } => {
                self.peer_refused_over_ipv6(&header, data);
            }
            Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, .. }) => {
                self.solicited(origin, target_addr);
            }
            Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { target_addr, lladdr, .. }) => {
                self.advertised(origin, target_addr, lladdr);
            }
            Icmpv6Repr::Ndisc(NdiscRepr::RouterAdvert { .. }) => self.router_advertised(origin, payload),
            _ => {}
        }
    }

    fn answer_echo(&mut self, origin: &Origin, reply: &Icmpv6Repr<'_>) {
        let network_mode = self.common.u8(Common::Netmr);
        let is_blocked = match origin.cast {
            Cast::One => false,
            Cast::All => network_mode & PING_TO_ALL_BLOCK != 0,
            Cast::Solicited => network_mode & PING_TO_SOLICITED_BLOCK != 0,
            Cast::Many => true,
        };
        if is_blocked || is_set(self.facts.protocols.switches.ping_block[OF_IPV6], &self.common) {
            return;
        }
        let header = self.header_of_answer(origin, IpProtocol::Icmpv6);
        self.send_icmpv6(&header, reply);
    }

    /// A peer refused a datagram: UIP6R and UPORT6R say which.
    fn peer_refused_over_ipv6(&mut self, header: &Ipv6Repr, data: &[u8]) {
        if let (IpProtocol::Udp, [_, _, high, low, ..]) = (header.next_header, data) {
            self.common.set_ipv6(Common::Uip6r, header.dst_addr);
            self.common.set(Common::Uport6r, u16::from_be_bytes([*high, *low]).into());
            self.common.raise(Common::Ir, self.facts.protocols.alarms.unreachable[OF_IPV6]);
        }
    }

    /// A datagram for a port that no socket has; the packet is quoted as far as an answer of 1280 bytes has room
    /// (RFC 4443 section 3.1).
    pub(super) fn refuse_datagram_over_ipv6(&mut self, origin: &Origin, packet: &[u8]) {
        const QUOTED_BYTES: usize = 1280 - 40 - 8 - 40;
        let Some((header, data)) = quoted(packet) else { return };
        let reason = Icmpv6DstUnreachable::PortUnreachable;
        let data = &data[..data.len().min(QUOTED_BYTES)];
        let answer = self.header_of_answer(origin, IpProtocol::Icmpv6);
        self.send_icmpv6(&answer, &Icmpv6Repr::DstUnreachable { reason, header, data });
    }

    /// The header of an answer to a packet: it comes from the address that the packet was sent to, or from the own one for its
    /// sender where that was an address of many.
    pub(super) fn header_of_answer(&self, origin: &Origin, protocol: IpProtocol) -> IpHeader {
        let source = match (origin.cast, origin.address) {
            (Cast::One, _) => origin.destination,
            (_, IpAddr::V6(to)) => self.source_over_ipv6(0, to).into(),
            (_, IpAddr::V4(_)) => self.own_address().into(),
        };
        IpHeader::of_chip(origin.hardware_address, source, origin.address, protocol)
    }
}

fn quoted(packet: &[u8]) -> Option<(Ipv6Repr, &[u8])> {
    let packet = smoltcp::wire::Ipv6Packet::new_checked(packet).ok()?;
    let header = Ipv6Repr::parse(&packet).ok()?;
    Some((header, packet.payload()))
}

/// The bit of ICMP6BLKR that keeps a message from the chip; none of one that it does not look at.
fn block_bit(message: Icmpv6Message) -> u8 {
    match message {
        Icmpv6Message::EchoRequest => 0x10,
        Icmpv6Message::MldQuery => 0x08,
        Icmpv6Message::RouterAdvert => 0x04,
        Icmpv6Message::NeighborAdvert => 0x02,
        Icmpv6Message::NeighborSolicit => 0x01,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_that_the_chip_looks_at_can_be_kept_from_it() {
        let kinds = [1u8, 128, 129, 130, 133, 134, 135, 136].map(|kind| block_bit(kind.into()));
        assert_eq!(kinds, [0, 0x10, 0, 0x08, 0, 0x04, 0x01, 0x02]);
    }
}
