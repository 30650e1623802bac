//! ICMP: echo replies, "port unreachable" in both directions.

use std::net::IpAddr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv4DstUnreachable, Icmpv4Packet, Icmpv4Repr, IpProtocol, Ipv4Packet, Ipv4Repr};

use crate::chips::is_set;
use crate::map::Common;

use super::Core;
use super::ip::{IpHeader, OF_IPV4};
use super::receive::{Cast, Origin};

impl Core {
    /// An ICMP message; `taken` when a socket in IPRAW mode has it, which then answers echo requests itself.
    pub(super) fn receive_icmp(&mut self, origin: &Origin, payload: &[u8], taken: bool) {
        let message = Icmpv4Packet::new_checked(payload)
            .and_then(|packet| Icmpv4Repr::parse(&packet, &ChecksumCapabilities::default()));
        let Ok(message) = message else {
            self.dropped.malformed += 1;
            return;
        };
        match message {
            Icmpv4Repr::EchoRequest { ident, seq_no, data } => {
                let blocked = is_set(self.facts.protocols.switches.ping_block[OF_IPV4], &self.common);
                if origin.cast == Cast::One && !blocked && !taken {
                    self.answer_icmp(origin, &Icmpv4Repr::EchoReply { ident, seq_no, data });
                }
            }
            Icmpv4Repr::EchoReply { ident, seq_no, .. } => {
                self.errand_answered(origin.address, ident, seq_no);
            }
            Icmpv4Repr::DstUnreachable { reason: Icmpv4DstUnreachable::PortUnreachable, header, data } => {
                self.peer_refused(&header, data);
            }
            _ => {}
        }
    }

    /// A peer refused a datagram: UIPR and UPORTR say which (W5500 datasheet, UIPR).
    fn peer_refused(&mut self, header: &Ipv4Repr, data: &[u8]) {
        if header.next_header != IpProtocol::Udp || !self.map().has(Common::Uipr) {
            return;
        }
        if let [_, _, high, low, ..] = *data {
            self.common.set_address(Common::Uipr, header.dst_addr.octets());
            self.common.set(Common::Uportr, u64::from(u16::from_be_bytes([high, low])));
            self.common.raise(Common::Ir, self.facts.protocols.alarms.unreachable[OF_IPV4]);
        }
    }

    /// A datagram for a port that no socket has; the packet is all that the frame carried.
    pub(super) fn refuse_datagram(&mut self, origin: &Origin, packet: &[u8]) {
        let family = usize::from(origin.address.is_ipv6());
        let blocked = is_set(self.facts.protocols.switches.unreachable_block[family], &self.common);
        if origin.cast != Cast::One || blocked || self.is_network_card() {
            return;
        }
        match origin.address {
            IpAddr::V4(_) => self.refuse_datagram_over_ipv4(origin, packet),
            IpAddr::V6(_) => self.refuse_datagram_over_ipv6(origin, packet),
        }
    }

    fn refuse_datagram_over_ipv4(&mut self, origin: &Origin, packet: &[u8]) {
        const QUOTED_BYTES: usize = 8;
        let Ok(ip) = Ipv4Packet::new_checked(packet) else { return };
        let Ok(header) = Ipv4Repr::parse(&ip, &ChecksumCapabilities::ignored()) else { return };
        let data = &ip.payload()[..ip.payload().len().min(QUOTED_BYTES)];
        let reason = Icmpv4DstUnreachable::PortUnreachable;
        self.answer_icmp(origin, &Icmpv4Repr::DstUnreachable { reason, header, data });
    }

    fn answer_icmp(&mut self, origin: &Origin, message: &Icmpv4Repr<'_>) {
        let frame = self.icmp_frame(origin.hardware_address, origin.address, message);
        self.answer(frame);
    }

    pub(super) fn icmp_frame(
        &mut self,
        hardware_address: [u8; 6],
        destination: IpAddr,
        message: &Icmpv4Repr<'_>,
    ) -> Vec<u8> {
        let source = self.own_address().into();
        let header = IpHeader::of_chip(hardware_address, source, destination, IpProtocol::Icmp);
        let mut frame = self.begin_packet(&header, message.buffer_len());
        let start = frame.len();
        frame.resize(start + message.buffer_len(), 0);
        message.emit(&mut Icmpv4Packet::new_unchecked(&mut frame[start..]), &ChecksumCapabilities::default());
        frame
    }
}
