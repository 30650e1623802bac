//! ICMP (RFC 792): echo requests and their answers, and notices that something is unreachable, read and made.

use std::net::IpAddr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv4Packet, Icmpv4Repr, IpProtocol};
use units::Picoseconds;

use super::ip::{self, ETHERNET_HEADER_BYTES, LONGEST_PACKET_BYTES, Way};
use super::segment::address;
use super::{EchoReply, Unreachable};

pub(super) const PROTOCOL_ICMP: u8 = 1;
pub(super) const PROTOCOL_TCP: u8 = 6;
pub(super) const PROTOCOL_UDP: u8 = 17;

/// Message types.
const ECHO_REPLY: u8 = 0;
const UNREACHABLE: u8 = 3;
const ECHO_REQUEST: u8 = 8;

/// Codes of notices.
pub(super) const HOST_UNREACHABLE: u8 = 1;
pub(super) const PROTOCOL_UNREACHABLE: u8 = 2;
pub(super) const PORT_UNREACHABLE: u8 = 3;

/// A notice is at most this long (RFC 1812 section 4.3.2.3).
const LONGEST_NOTICE_BYTES: usize = 576;
const HEADER_BYTES: usize = 8;
const IP_HEADER_BYTES: usize = 20;

/// What a message is to the PC.
#[derive(Debug)]
pub(super) enum Message {
    /// For an application.
    Echo(EchoReply),
    /// For an application.
    Unreachable(Unreachable),
    /// A ping, with the frame that answers it.
    Ping(Vec<u8>),
}

/// The message in a frame with a sound packet, if it is whole and says anything.
pub(super) fn read(now: Picoseconds, frame: &[u8]) -> Option<Message> {
    let message = ip::payload(frame);
    let intact = Icmpv4Packet::new_checked(message).ok()?.verify_checksum();
    if !intact || message.len() < HEADER_BYTES {
        return None;
    }
    let Way { from, to } = Way::of(frame);
    match message[0] {
        ECHO_REPLY => Some(Message::Echo(EchoReply {
            at: now,
            from,
            identifier: word(message, 4)?,
            sequence: word(message, 6)?,
            payload: message[HEADER_BYTES..].to_vec(),
        })),
        UNREACHABLE => quoted(from, message[1], to, message.get(HEADER_BYTES..)?).map(Message::Unreachable),
        ECHO_REQUEST if message[1] == 0 && message.len() + IP_HEADER_BYTES <= LONGEST_PACKET_BYTES => {
            let answer = Icmpv4Repr::EchoReply {
                ident: word(message, 4)?,
                seq_no: word(message, 6)?,
                data: &message[HEADER_BYTES..],
            };
            Some(Message::Ping(frame_with(Way { from: to, to: from }, &answer)))
        }
        _ => None,
    }
}

/// A frame with an echo request.
pub(super) fn echo_request(way: Way, identifier: u16, sequence: u16, payload: &[u8]) -> Vec<u8> {
    frame_with(way, &Icmpv4Repr::EchoRequest { ident: identifier, seq_no: sequence, data: payload })
}

/// The notice that the packet in a frame was for nobody; nothing where it was not between two hosts.
pub(super) fn unreachable(frame: &[u8], code: u8) -> Option<Vec<u8>> {
    let (from, to) = ip::ends(frame);
    if !ip::is_one_host(from) || !ip::is_one_host(to) {
        return None;
    }
    let way = Way::of(frame).back();
    let packet_bytes = usize::from(word(frame, 16)?);
    let quoted_bytes = packet_bytes.min(LONGEST_NOTICE_BYTES - IP_HEADER_BYTES - HEADER_BYTES);
    let quoted = frame.get(ETHERNET_HEADER_BYTES..ETHERNET_HEADER_BYTES + quoted_bytes)?;
    Some(ip::frame(way, IpProtocol::Icmp, HEADER_BYTES + quoted.len(), |room| {
        room[0] = UNREACHABLE;
        room[1] = code;
        room[2..HEADER_BYTES].fill(0);
        room[HEADER_BYTES..].copy_from_slice(quoted);
        Icmpv4Packet::new_unchecked(room).fill_checksum();
    }))
}

/// A notice of `from` that quotes the beginning of a packet that `own` sent.
pub(super) fn quoted(from: IpAddr, code: u8, own: IpAddr, quoted: &[u8]) -> Option<Unreachable> {
    let header = usize::from(*quoted.first()? & 0x0F) * 4;
    if quoted.len() < header.max(IP_HEADER_BYTES) + 8 || address(quoted, 12) != own {
        return None;
    }
    let protocol = quoted[9];
    let (local_port, remote_port) = match protocol {
        PROTOCOL_TCP | PROTOCOL_UDP => (word(quoted, header)?, word(quoted, header + 2)?),
        PROTOCOL_ICMP => (word(quoted, header + 4)?, 0),
        _ => (0, 0),
    };
    Some(Unreachable { from, code, protocol, to: address(quoted, 16).into(), local_port, remote_port })
}

fn frame_with(way: Way, message: &Icmpv4Repr<'_>) -> Vec<u8> {
    ip::frame(way, IpProtocol::Icmp, message.buffer_len(), |room| {
        message.emit(&mut Icmpv4Packet::new_unchecked(room), &ChecksumCapabilities::default());
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
