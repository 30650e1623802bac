//! ICMPv6 (RFC 4443) as the PC's programs have it: echo requests of their own with the replies, and notices that a packet of theirs
//! did not get through.

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv6Packet, Icmpv6Repr, IpProtocol};
use units::Picoseconds;

use super::{HEADER_BYTES, address, frame};
use crate::host::icmp::{HOST_UNREACHABLE, PORT_UNREACHABLE, PROTOCOL_TCP, PROTOCOL_UDP};
use crate::host::{EchoReply, Unreachable};

/// Message types.
pub(super) const UNREACHABLE: u8 = 1;
pub(super) const ECHO_REQUEST: u8 = 128;
pub(super) const ECHO_REPLY: u8 = 129;
pub(super) const ROUTER_SOLICITATION: u8 = 133;
pub(super) const SOLICITATION: u8 = 135;
pub(super) const ADVERTISEMENT: u8 = 136;

const PROTOCOL_ICMPV6: u8 = 58;
const MESSAGE_HEADER_BYTES: usize = 8;
/// Where a packet names its protocol and its source, and where it goes.
const NEXT_HEADER_AT: usize = 6;
const SOURCE_AT: usize = 8;
const DESTINATION_AT: usize = 24;

/// A frame with an echo request.
pub(in crate::host) fn echo_request(
    (from, to): (Ipv6Addr, Ipv6Addr),
    identifier: u16,
    sequence: u16,
    payload: &[u8],
) -> Vec<u8> {
    let request = Icmpv6Repr::EchoRequest { ident: identifier, seq_no: sequence, data: payload };
    frame((from, to), IpProtocol::Icmpv6, request.buffer_len(), |room| {
        let mut packet = Icmpv6Packet::new_unchecked(room);
        request.emit(&from, &to, &mut packet, &ChecksumCapabilities::default());
    })
}

/// The reply in a message that is intact.
pub(super) fn echo_reply(now: Picoseconds, from: Ipv6Addr, message: &[u8]) -> Option<EchoReply> {
    Some(EchoReply {
        at: now,
        from: from.into(),
        identifier: word(message, 4)?,
        sequence: word(message, 6)?,
        payload: message.get(MESSAGE_HEADER_BYTES..)?.to_vec(),
    })
}

/// The notice in a message that is intact.
pub(super) fn unreachable(from: Ipv6Addr, own: Ipv6Addr, message: &[u8]) -> Option<Unreachable> {
    /// Codes (section 3.1); all others but these two say that the host is out of reach.
    const NO_ROUTE: u8 = 0;
    const NO_PORT: u8 = 4;
    let code = match *message.get(1)? {
        NO_ROUTE => 0,
        NO_PORT => PORT_UNREACHABLE,
        _ => HOST_UNREACHABLE,
    };
    quoted(from.into(), code, own.into(), message.get(MESSAGE_HEADER_BYTES..)?)
}

/// A notice of `from` that quotes the beginning of a packet that `own` sent.
pub(in crate::host) fn quoted(from: IpAddr, code: u8, own: IpAddr, quoted: &[u8]) -> Option<Unreachable> {
    if quoted.len() < HEADER_BYTES + 8 || address(quoted, SOURCE_AT) != own {
        return None;
    }
    let protocol = quoted[NEXT_HEADER_AT];
    let (local_port, remote_port) = match protocol {
        PROTOCOL_TCP | PROTOCOL_UDP => (word(quoted, HEADER_BYTES)?, word(quoted, HEADER_BYTES + 2)?),
        PROTOCOL_ICMPV6 => (word(quoted, HEADER_BYTES + 4)?, 0),
        _ => (0, 0),
    };
    let to = address(quoted, DESTINATION_AT).into();
    Some(Unreachable { from, code, protocol, to, local_port, remote_port })
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
