//! A look at a TCP segment in a frame, beside smoltcp's own: what the wrapper needs to route it, to decide about
//! acknowledgements and to change its window on the way in or out. It checks lengths, not check sums; a segment that
//! smoltcp refuses has been looked at in vain.

use std::net::{IpAddr, Ipv4Addr};

use super::ipv6;

const ETHERNET_HEADER_BYTES: usize = 14;
const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const PROTOCOL_TCP: u8 = 6;

pub(super) const FIN: u8 = 0x01;
pub(super) const SYN: u8 = 0x02;
pub(super) const RST: u8 = 0x04;
pub(super) const PSH: u8 = 0x08;
pub(super) const ACK: u8 = 0x10;

/// The offset of the window in a TCP header (RFC 9293 section 3.1), and of the check sum.
const WINDOW_AT: usize = 14;
const CHECKSUM_AT: usize = 16;

/// The two ends of a connection as the PC sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tuple {
    pub local: IpAddr,
    pub remote: IpAddr,
    pub remote_port: u16,
    pub local_port: u16,
}

/// The fields of a TCP segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub source: IpAddr,
    pub destination: IpAddr,
    pub source_port: u16,
    pub destination_port: u16,
    pub sequence: u32,
    pub acknowledgment: u32,
    pub flags: u8,
    pub window: u16,
    pub payload_bytes: u32,
    tcp_at: usize,
    payload_at: usize,
}

/// Where the IPv4 payload of a frame begins and ends, and its protocol; nothing for fragments.
pub(super) fn ipv4_payload(frame: &[u8]) -> Option<(u8, std::ops::Range<usize>)> {
    if frame.get(12..14)? != ETHERTYPE_IPV4 {
        return None;
    }
    let packet = &frame[ETHERNET_HEADER_BYTES..];
    let first = *packet.first()?;
    let header = usize::from(first & 0x0F) * 4;
    let total = usize::from(word(packet, 2)?);
    let fragment = word(packet, 6)? & 0x3FFF;
    if first >> 4 != 4 || header < 20 || total < header || total > packet.len() || fragment != 0 {
        return None;
    }
    Some((packet[9], ETHERNET_HEADER_BYTES + header..ETHERNET_HEADER_BYTES + total))
}

/// An IPv4 address at an offset of a frame that [`ipv4_payload`] accepted: 26 is the source, 30 the destination.
pub(super) fn address(frame: &[u8], at: usize) -> Ipv4Addr {
    Ipv4Addr::new(frame[at], frame[at + 1], frame[at + 2], frame[at + 3])
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl Segment {
    /// The segment in a frame, if it holds one.
    pub(super) fn of(frame: &[u8]) -> Option<Self> {
        let (protocol, range, source, destination) = match ipv4_payload(frame) {
            Some((protocol, range)) => {
                (protocol, range, IpAddr::V4(address(frame, 26)), IpAddr::V4(address(frame, 30)))
            }
            None => ipv6::carried(frame)?,
        };
        if protocol != PROTOCOL_TCP {
            return None;
        }
        let tcp = &frame[range.clone()];
        let header = usize::from(*tcp.get(12)? >> 4) * 4;
        if header < 20 || header > tcp.len() {
            return None;
        }
        Some(Self {
            source,
            destination,
            source_port: word(tcp, 0)?,
            destination_port: word(tcp, 2)?,
            sequence: long(tcp, 4)?,
            acknowledgment: long(tcp, 8)?,
            flags: tcp[13],
            window: word(tcp, WINDOW_AT)?,
            payload_bytes: (tcp.len() - header) as u32,
            tcp_at: range.start,
            payload_at: range.start + header,
        })
    }

    /// Where its header begins in the frame.
    pub(super) fn tcp_at(&self) -> usize {
        self.tcp_at
    }

    pub(super) fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }

    /// Its connection when it comes from the peer.
    pub(super) fn incoming(&self) -> Tuple {
        Tuple {
            local: self.destination,
            remote: self.source,
            remote_port: self.source_port,
            local_port: self.destination_port,
        }
    }

    /// Its connection when the PC sends it.
    pub(super) fn outgoing(&self) -> Tuple {
        Tuple {
            local: self.source,
            remote: self.destination,
            remote_port: self.destination_port,
            local_port: self.source_port,
        }
    }

    /// Sequence numbers that it takes.
    pub(super) fn length(&self) -> u32 {
        self.payload_bytes + u32::from(self.has(SYN)) + u32::from(self.has(FIN))
    }

    /// The number after its last.
    pub(super) fn end(&self) -> u32 {
        self.sequence.wrapping_add(self.length())
    }

    /// Nothing but an acknowledgement.
    pub(super) fn is_pure_ack(&self) -> bool {
        self.flags & !PSH == ACK && self.payload_bytes == 0
    }

    /// Its frame without what it carries; lengths and check sums are left as they were.
    pub(super) fn without_payload(&self, frame: &[u8]) -> Vec<u8> {
        frame[..self.payload_at].to_vec()
    }

    /// Where an option's value begins in the frame, and its length.
    fn option(&self, frame: &[u8], wanted: u8) -> Option<(usize, usize)> {
        let mut at = self.tcp_at + 20;
        while at < self.payload_at {
            match frame[at] {
                0 => return None,
                1 => at += 1,
                kind => {
                    let length = usize::from(*frame.get(at + 1)?);
                    if length < 2 || at + length > self.payload_at {
                        return None;
                    }
                    if kind == wanted {
                        return Some((at + 2, length - 2));
                    }
                    at += length;
                }
            }
        }
        None
    }

    /// The window scale option of a SYN (RFC 7323 section 2.2).
    pub(super) fn window_scale(&self, frame: &[u8]) -> Option<u8> {
        match self.option(frame, 3)? {
            (at, 1) => Some(frame[at].min(14)),
            _ => None,
        }
    }

    /// The maximum segment size option of a SYN.
    pub(super) fn maximum_segment_size(&self, frame: &[u8]) -> Option<u16> {
        match self.option(frame, 2)? {
            (at, 2) => word(frame, at),
            _ => None,
        }
    }

    /// Writes another maximum segment size, where there is one.
    pub(super) fn set_maximum_segment_size(&self, frame: &mut [u8], bytes: u16) {
        if let Some((at, 2)) = self.option(frame, 2)
            && (at - self.tcp_at).is_multiple_of(2)
        {
            self.replace(frame, at - self.tcp_at, bytes);
        }
    }

    /// Whether it carries a timestamp.
    pub(super) fn has_timestamp(&self, frame: &[u8]) -> bool {
        matches!(self.option(frame, 8), Some((_, 8)))
    }

    /// Writes another window.
    pub(super) fn set_window(&self, frame: &mut [u8], window: u16) {
        self.replace(frame, WINDOW_AT, window);
    }

    /// Writes another window scale, where there is one.
    pub(super) fn set_window_scale(&self, frame: &mut [u8], shift: u8) {
        let Some((at, 1)) = self.option(frame, 3) else { return };
        let offset = at - self.tcp_at;
        let even = offset & !1;
        let Some(old) = word(frame, self.tcp_at + even) else { return };
        let new = if offset == even {
            u16::from(shift) << 8 | old & 0x00FF
        } else {
            old & 0xFF00 | u16::from(shift)
        };
        self.replace(frame, even, new);
    }

    /// Replaces a word of the header and mends the check sum (RFC 1624, equation 3).
    fn replace(&self, frame: &mut [u8], offset: usize, new: u16) {
        let at = self.tcp_at + offset;
        let sum_at = self.tcp_at + CHECKSUM_AT;
        let (Some(old), Some(sum)) = (word(frame, at), word(frame, sum_at)) else { return };
        let mut mended = u32::from(!sum) + u32::from(!old) + u32::from(new);
        while mended > 0xFFFF {
            mended = (mended & 0xFFFF) + (mended >> 16);
        }
        frame[at..at + 2].copy_from_slice(&new.to_be_bytes());
        frame[sum_at..sum_at + 2].copy_from_slice(&(!(mended as u16)).to_be_bytes());
    }
}

/// Whether sequence number `a` comes after `b`, around the wrap.
pub(super) fn after(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}
