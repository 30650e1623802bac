//! ICMP: echo replies, "port unreachable" in both directions.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv4DstUnreachable, Icmpv4Packet, Icmpv4Repr, IpProtocol, Ipv4Packet, Ipv4Repr};

use crate::map::Common;

use super::ip::IpHeader;
use super::receive::{Cast, Origin};
use super::{Core, interrupts};

/// MR.PB.
const PING_BLOCK: u8 = 0x10;
/// MR2.UDPURB of the W5100S.
const UNREACHABLE_BLOCK: u8 = 0x10;

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
                let blocked = self.common.u8(Common::Mr) & PING_BLOCK != 0;
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
            self.common.raise(Common::Ir, interrupts::UNREACHABLE);
        }
    }

    /// A datagram for a port that no socket has.
    pub(super) fn refuse_datagram(&mut self, origin: &Origin, ip: &Ipv4Packet<&[u8]>) {
        const QUOTED_BYTES: usize = 8;
        let blocked = self.common.u8(Common::Mr2) & UNREACHABLE_BLOCK != 0;
        if origin.cast != Cast::One || blocked || self.is_network_card() {
            return;
        }
        let Ok(header) = Ipv4Repr::parse(ip, &ChecksumCapabilities::ignored()) else { return };
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
        destination: [u8; 4],
        message: &Icmpv4Repr<'_>,
    ) -> Vec<u8> {
        let header = IpHeader::of_chip(hardware_address, destination, IpProtocol::Icmp);
        let mut frame = self.begin_packet(&header, message.buffer_len());
        let start = frame.len();
        frame.resize(start + message.buffer_len(), 0);
        message.emit(&mut Icmpv4Packet::new_unchecked(&mut frame[start..]), &ChecksumCapabilities::default());
        frame
    }
}
