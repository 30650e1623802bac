//! What the PC reads out of ICMP messages itself: echo replies and notices that something is unreachable. Answers to pings
//! are smoltcp's.

use std::net::Ipv4Addr;

use smoltcp::wire::Icmpv4Packet;
use units::Picoseconds;

use super::segment::{address, ipv4_payload};
use super::{EchoReply, Unreachable};

pub(super) const PROTOCOL_ICMP: u8 = 1;
pub(super) const PROTOCOL_TCP: u8 = 6;
pub(super) const PROTOCOL_UDP: u8 = 17;

/// Message types of RFC 792.
const ECHO_REPLY: u8 = 0;
const UNREACHABLE: u8 = 3;
const ECHO_REQUEST: u8 = 8;

/// A message for an application.
#[derive(Debug)]
pub(super) enum Notice {
    Echo(EchoReply),
    Unreachable(Unreachable),
}

/// A ping that was sent to everyone: Linux does not answer (`icmp_echo_ignore_broadcasts`).
pub(super) fn is_ignored(frame: &[u8], own: Ipv4Addr) -> bool {
    let Some((PROTOCOL_ICMP, range)) = ipv4_payload(frame) else { return false };
    frame[range].first() == Some(&ECHO_REQUEST) && address(frame, 30) != own
}

/// The message in a frame, if it is for an application and whole.
pub(super) fn read(now: Picoseconds, frame: &[u8], own: Ipv4Addr) -> Option<Notice> {
    let (PROTOCOL_ICMP, range) = ipv4_payload(frame)? else { return None };
    let message = &frame[range];
    let intact = Icmpv4Packet::new_checked(message).ok()?.verify_checksum();
    if !intact || address(frame, 30) != own || message.len() < 8 {
        return None;
    }
    let from = address(frame, 26);
    match message[0] {
        ECHO_REPLY => Some(Notice::Echo(EchoReply {
            at: now,
            from,
            identifier: word(message, 4)?,
            sequence: word(message, 6)?,
            payload: message[8..].to_vec(),
        })),
        UNREACHABLE => unreachable(from, message, own).map(Notice::Unreachable),
        _ => None,
    }
}

/// The notice quotes the beginning of the packet that did not get through.
fn unreachable(from: Ipv4Addr, message: &[u8], own: Ipv4Addr) -> Option<Unreachable> {
    let quoted = message.get(8..)?;
    let header = usize::from(*quoted.first()? & 0x0F) * 4;
    if quoted.len() < header.max(20) + 8 || address(quoted, 12) != own {
        return None;
    }
    let protocol = quoted[9];
    let (local_port, remote_port) = match protocol {
        PROTOCOL_TCP | PROTOCOL_UDP => (word(quoted, header)?, word(quoted, header + 2)?),
        PROTOCOL_ICMP => (word(quoted, header + 4)?, 0),
        _ => (0, 0),
    };
    Some(Unreachable { from, code: message[1], protocol, to: address(quoted, 16), local_port, remote_port })
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
