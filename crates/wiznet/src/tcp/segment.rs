//! TCP headers between bytes and fields, their checksum, and the answer to a segment that nobody waits for. It stands
//! between IP and the [`Connection`](super::Connection). Options other than the maximum segment size are skipped: the chip
//! knows no others.

use std::net::IpAddr;

/// The bits of the flags field (RFC 9293 section 3.1).
pub(crate) mod flag {
    pub(crate) const FIN: u8 = 0x01;
    pub(crate) const SYN: u8 = 0x02;
    pub(crate) const RST: u8 = 0x04;
    pub(crate) const PSH: u8 = 0x08;
    pub(crate) const ACK: u8 = 0x10;
}

const HEADER_BYTES: usize = 20;
const OPTION_END: u8 = 0;
const OPTION_NO_OPERATION: u8 = 1;
const OPTION_MSS: u8 = 2;
const OPTION_MSS_BYTES: u8 = 4;
const PROTOCOL_TCP: u32 = 6;

/// A TCP header in host order, with the only option that the chip knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Header {
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) sequence: u32,
    /// Says something only with [`flag::ACK`].
    pub(crate) acknowledgement: u32,
    pub(crate) flags: u8,
    pub(crate) window: u16,
    /// The maximum segment size option.
    pub(crate) mss: Option<u16>,
}

impl Header {
    /// The header and the payload of a segment, which is all that IP carried; none if it is shorter than it says.
    pub(crate) fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let fixed: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let header_bytes = usize::from(fixed[12] >> 4) * 4;
        let options = bytes.get(HEADER_BYTES..header_bytes)?;
        let header = Self {
            source_port: u16::from_be_bytes([fixed[0], fixed[1]]),
            destination_port: u16::from_be_bytes([fixed[2], fixed[3]]),
            sequence: u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]),
            acknowledgement: u32::from_be_bytes([fixed[8], fixed[9], fixed[10], fixed[11]]),
            flags: fixed[13],
            window: u16::from_be_bytes([fixed[14], fixed[15]]),
            mss: mss_among(options),
        };
        Some((header, &bytes[header_bytes..]))
    }

    /// Appends the segment to `out`, checksum included; the payload is in two pieces because it comes out of a ring.
    pub(crate) fn emit(&self, source: IpAddr, destination: IpAddr, payload: [&[u8]; 2], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.source_port.to_be_bytes());
        out.extend_from_slice(&self.destination_port.to_be_bytes());
        out.extend_from_slice(&self.sequence.to_be_bytes());
        out.extend_from_slice(&self.acknowledgement.to_be_bytes());
        out.extend_from_slice(&[if self.mss.is_some() { 6 << 4 } else { 5 << 4 }, self.flags]);
        out.extend_from_slice(&self.window.to_be_bytes());
        out.extend_from_slice(&[0; 4]);
        if let Some(mss) = self.mss {
            out.extend_from_slice(&[OPTION_MSS, OPTION_MSS_BYTES]);
            out.extend_from_slice(&mss.to_be_bytes());
        }
        payload.iter().for_each(|piece| out.extend_from_slice(piece));
        let checksum = !folded_sum(source, destination, &out[start..]);
        out[start + 16..start + 18].copy_from_slice(&checksum.to_be_bytes());
    }

    /// Whether all of `wanted` are set.
    pub(crate) fn has(&self, wanted: u8) -> bool {
        self.flags & wanted == wanted
    }

    /// How far the segment reaches in sequence numbers: its payload, and one for each of SYN and FIN.
    pub(crate) fn sequence_length(&self, payload_bytes: usize) -> u32 {
        payload_bytes as u32 + u32::from(self.has(flag::SYN)) + u32::from(self.has(flag::FIN))
    }
}

fn mss_among(mut options: &[u8]) -> Option<u16> {
    loop {
        match *options {
            [OPTION_NO_OPERATION, ref rest @ ..] => options = rest,
            [OPTION_MSS, OPTION_MSS_BYTES, high, low, ..] => return Some(u16::from_be_bytes([high, low])),
            [] | [OPTION_END, ..] => return None,
            [_, length, ..] if length >= 2 => options = options.get(usize::from(length)..)?,
            [..] => return None,
        }
    }
}

/// The one's complement sum over pseudo header and segment (RFC 9293 section 3.1), not complemented. The pseudo header of IPv6
/// has longer fields of the same values.
fn folded_sum(source: IpAddr, destination: IpAddr, bytes: &[u8]) -> u16 {
    let words = |bytes: &[u8]| -> u64 {
        let pairs = bytes.chunks_exact(2);
        let last = pairs.remainder().first().map_or(0, |&byte| u64::from(byte) << 8);
        pairs.map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]]))).sum::<u64>() + last
    };
    let of_address = |address: IpAddr| match address {
        IpAddr::V4(address) => words(&address.octets()),
        IpAddr::V6(address) => words(&address.octets()),
    };
    let pseudo_header =
        of_address(source) + of_address(destination) + u64::from(PROTOCOL_TCP) + bytes.len() as u64;
    let mut sum = pseudo_header + words(bytes);
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum as u16
}

/// Whether a received segment's checksum is right.
pub(crate) fn checksum_is_right(source: IpAddr, destination: IpAddr, bytes: &[u8]) -> bool {
    folded_sum(source, destination, bytes) == 0xFFFF
}

/// What to answer to a segment that belongs to no socket (RFC 9293 section 3.10.7.1): nothing to a reset.
pub(crate) fn reset_for(header: &Header, payload_bytes: usize) -> Option<Header> {
    if header.has(flag::RST) {
        return None;
    }
    let reset = Header {
        source_port: header.destination_port,
        destination_port: header.source_port,
        flags: flag::RST,
        ..Header::default()
    };
    Some(if header.has(flag::ACK) {
        Header { sequence: header.acknowledgement, ..reset }
    } else {
        let acknowledgement = header.sequence.wrapping_add(header.sequence_length(payload_bytes));
        Header { acknowledgement, flags: flag::RST | flag::ACK, ..reset }
    })
}

/// A segment that leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) header: Header,
    /// The 16-bit pointer to its first byte in the transmit memory.
    pub(crate) payload_start: u16,
    pub(crate) payload_bytes: u16,
}

impl Outgoing {
    /// The payload's two pieces in the ring `tx`.
    pub(crate) fn payload<'a>(&self, tx: &'a [u8]) -> [&'a [u8]; 2] {
        let bytes = usize::from(self.payload_bytes).min(tx.len());
        if bytes == 0 {
            return [&[], &[]];
        }
        let start = usize::from(self.payload_start) % tx.len();
        let first = bytes.min(tx.len() - start);
        [&tx[start..start + first], &tx[..bytes - first]]
    }
}
