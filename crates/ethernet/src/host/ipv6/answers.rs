//! What the PC answers over IPv6 without a program's doing: echo replies and notices. It remembers nobody for that: an answer goes
//! to the Ethernet address that the question came from.

use smoltcp::wire::{Icmpv6Packet, IpAddress, IpProtocol, Ipv6Repr, UdpPacket};

use super::{HEADER_BYTES, HOP_LIMIT, Packet, frame_with};

/// A notice quotes as much as leaves it in the smallest packet that every link takes (RFC 4443 section 2.4).
const LONGEST_NOTICE_BYTES: usize = 1280;

/// Types and codes of notices (RFC 4443 sections 3.1 and 3.4).
const UNREACHABLE: u8 = 1;
const NO_PORT: u8 = 4;
const PARAMETER_PROBLEM: u8 = 4;
const UNKNOWN_NEXT_HEADER: u8 = 1;

impl Packet<'_> {
    /// The reply is the request with another type.
    pub(super) fn echo(&self, message: &[u8]) -> Vec<u8> {
        const ECHO_REPLY: u8 = 129;
        self.frame(IpProtocol::Icmpv6, message.len(), |room| {
            room.copy_from_slice(message);
            room[0] = ECHO_REPLY;
            Icmpv6Packet::new_unchecked(room).fill_checksum(&self.own, &self.source);
        })
    }

    /// A datagram over IPv6 always has a check sum (RFC 8200 section 8.1).
    pub(super) fn refuse_datagram(&self, datagram: &[u8]) -> Option<Vec<u8>> {
        let packet = UdpPacket::new_checked(datagram).ok()?;
        let ends = (IpAddress::Ipv6(self.source), IpAddress::Ipv6(self.to));
        let is_sound = packet.checksum() != 0 && packet.verify_checksum(&ends.0, &ends.1);
        if is_sound { self.notice([UNREACHABLE, NO_PORT], 0) } else { None }
    }

    /// The notice that the PC has no protocol of that number.
    pub(super) fn refuse_protocol(&self, named_at: u32) -> Option<Vec<u8>> {
        self.notice([PARAMETER_PROBLEM, UNKNOWN_NEXT_HEADER], named_at)
    }

    /// A notice of a type and a code, with its number and the packet as far as there is room.
    fn notice(&self, [kind, code]: [u8; 2], number: u32) -> Option<Vec<u8>> {
        const NOTICE_HEADER_BYTES: usize = 8;
        let bytes: &[u8] = self.packet.clone().into_inner();
        let room = LONGEST_NOTICE_BYTES - HEADER_BYTES - NOTICE_HEADER_BYTES;
        let quoted = bytes.get(..self.packet.total_len().min(room))?;
        Some(self.frame(IpProtocol::Icmpv6, NOTICE_HEADER_BYTES + quoted.len(), |room| {
            room[..4].copy_from_slice(&[kind, code, 0, 0]);
            room[4..NOTICE_HEADER_BYTES].copy_from_slice(&number.to_be_bytes());
            room[NOTICE_HEADER_BYTES..].copy_from_slice(quoted);
            Icmpv6Packet::new_unchecked(room).fill_checksum(&self.own, &self.source);
        }))
    }

    /// Of an answer to one; its length is still to come.
    pub(super) fn header(&self, protocol: IpProtocol) -> Ipv6Repr {
        Ipv6Repr {
            src_addr: self.own,
            dst_addr: self.source,
            next_header: protocol,
            payload_len: 0,
            hop_limit: HOP_LIMIT,
        }
    }

    fn frame(&self, protocol: IpProtocol, bytes: usize, write: impl FnOnce(&mut [u8])) -> Vec<u8> {
        frame_with([self.asker, self.mac], &self.header(protocol), bytes, write)
    }
}
