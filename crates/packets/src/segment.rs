//! The TCP segment in a packet: what a follower of connections asks of it.

use std::net::Ipv4Addr;

use crate::file::Packet;

const TCP: u8 = 6;
const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;
/// Kinds of TCP options (RFC 9293, 3.1; RFC 7323, 2.2).
const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
const SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;

/// An end of a connection.
pub type Address = (Ipv4Addr, u16);

/// A TCP segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// When it was recorded.
    pub at_ps: i64,
    /// Who sent it.
    pub from: Address,
    /// To whom.
    pub to: Address,
    /// The number of its first byte.
    pub sequence: u32,
    /// The next byte that its sender waits for, where it says one.
    pub acknowledgement: Option<u32>,
    /// As it stands in the header, not scaled.
    pub window: u16,
    /// The bytes that it carries.
    pub bytes: u32,
    /// Asks for a connection.
    pub syn: bool,
    /// Ends its direction.
    pub fin: bool,
    /// Ends the connection at once.
    pub rst: bool,
    /// Of an opening segment: the longest that its sender takes.
    pub segment_size: Option<u16>,
    /// Of an opening segment: by how many bits its windows are shifted.
    pub scale: Option<u8>,
}

impl Segment {
    /// The segment of a packet; nothing where there is none, or less than its header was recorded.
    pub fn of(packet: &Packet) -> Option<Self> {
        let ip = packet.link.internet_packet(&packet.bytes)?;
        let header = usize::from(ip.first()? & 15) * 4;
        let total = usize::from(u16_at(ip, 2)?);
        let is_fragment = u16_at(ip, 6)? & 0x3fff != 0;
        if ip[0] >> 4 != 4 || header < 20 || *ip.get(9)? != TCP || is_fragment {
            return None;
        }
        let tcp = ip.get(header..)?;
        let offset = usize::from(tcp.get(12)? >> 4) * 4;
        let flags = *tcp.get(13)?;
        // A length of 0 stands for more than fits: the recorder saw it before the card cut it up.
        let total = if total == 0 { ip.len() } else { total };
        let bytes = total.checked_sub(header + offset)?;
        let options = if offset < 20 { return None } else { tcp.get(20..offset).unwrap_or(&[]) };
        let syn = flags & SYN != 0;
        let (segment_size, scale) = if syn { opening_options(options) } else { (None, None) };
        Some(Self {
            at_ps: packet.at_ps,
            from: (address(ip, 12)?, u16_at(tcp, 0)?),
            to: (address(ip, 16)?, u16_at(tcp, 2)?),
            sequence: u32_at(tcp, 4)?,
            acknowledgement: if flags & ACK == 0 { None } else { Some(u32_at(tcp, 8)?) },
            window: u16_at(tcp, 14)?,
            bytes: u32::try_from(bytes).ok()?,
            syn,
            fin: flags & FIN != 0,
            rst: flags & RST != 0,
            segment_size,
            scale,
        })
    }

    /// How many numbers of the sequence it takes.
    pub(crate) fn length(&self) -> u32 {
        self.bytes + u32::from(self.syn) + u32::from(self.fin)
    }
}

fn opening_options(mut options: &[u8]) -> (Option<u16>, Option<u8>) {
    let (mut segment_size, mut scale) = (None, None);
    while let Some((&kind, rest)) = options.split_first() {
        if kind == END_OF_OPTIONS {
            break;
        }
        if kind == NO_OPERATION {
            options = rest;
            continue;
        }
        let length = rest.first().map_or(0, |length| usize::from(*length));
        let (Some(value), true) = (options.get(2..length), length >= 2) else { break };
        match (kind, value.len()) {
            (SEGMENT_SIZE, 2) => segment_size = u16_at(value, 0),
            // RFC 7323, 2.3: more than 14 stands for 14.
            (WINDOW_SCALE, 1) => scale = Some(value[0].min(14)),
            _ => {}
        }
        options = &options[length..];
    }
    (segment_size, scale)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn address(bytes: &[u8], at: usize) -> Option<Ipv4Addr> {
    u32_at(bytes, at).map(Ipv4Addr::from)
}
