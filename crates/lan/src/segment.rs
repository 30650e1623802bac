//! What is read of a TCP segment in a frame.

/// The flag of a segment that opens a connection (RFC 9293, 3.1).
pub const SYN: u8 = 0b0010;
/// The flags of segments that open, close or reset a connection.
pub const SYN_FIN_RST: u8 = 0b0111;
/// The flag of a segment that acknowledges.
pub const ACK: u8 = 0b1_0000;
const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;
/// Echo requests and replies (RFC 4443, 4).
const ICMPV6_ECHOES: [u8; 2] = [128, 129];
const IPV6_HEADER_BYTES: usize = 40;
/// Kinds of options (RFC 9293, 3.1; RFC 7323, 2.2).
const END_OF_OPTIONS: u8 = 0;
const NO_OPERATION: u8 = 1;
const WINDOW_SCALE: u8 = 3;
const UDP_HEADER_BYTES: usize = 8;

/// A TCP segment: its connection as seen by the sender, its sequence number, and what it carries.
#[derive(Debug)]
pub struct Segment<'a> {
    /// Source port, then destination port, in the order of the wire.
    pub ports: [u8; 4],
    /// The number of its first byte.
    pub sequence: u32,
    /// The number of the byte that its sender expects next.
    pub acknowledgement: u32,
    /// The bytes of the application.
    pub payload: &'a [u8],
    /// The byte of flags.
    pub flags: u8,
    /// The window field, as it stands there.
    pub window: u16,
    options: &'a [u8],
}

impl Segment<'_> {
    /// The shift of the window scale option (RFC 7323, 2.2), where there is one.
    pub fn window_shift(&self) -> Option<u8> {
        let mut rest = self.options;
        loop {
            rest = match rest {
                [END_OF_OPTIONS, ..] | [] => return None,
                [NO_OPERATION, rest @ ..] => rest,
                [WINDOW_SCALE, 3, shift, ..] => return Some(*shift),
                [_, length, ..] => rest.get(usize::from(*length).max(2)..)?,
                [_] => return None,
            };
        }
    }
}

/// Whether a frame carries IPv4.
pub fn is_ipv4(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&[0x08, 0x00])
}

/// What a packet of either family carries.
pub(super) struct Carried<'a> {
    pub(super) protocol: u8,
    /// As far as the packet goes.
    pub(super) bytes: &'a [u8],
    /// Source and destination, each as the packet has it.
    pub(super) ends: [&'a [u8]; 2],
}

/// What the packet in a frame carries; nothing where that is none, or has further headers of IPv6.
pub(super) fn carried(frame: &[u8]) -> Option<Carried<'_>> {
    let packet = frame.get(14..)?;
    let long = |at: usize| Some(usize::from(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?])));
    if is_ipv4(frame) {
        let header = usize::from(packet.first()? & 0x0f) * 4;
        let bytes = packet.get(header..long(2)?.min(packet.len()))?;
        return Some(Carried {
            protocol: *packet.get(9)?,
            bytes,
            ends: [packet.get(12..16)?, packet.get(16..20)?],
        });
    }
    if frame.get(12..14) != Some(&[0x86, 0xDD]) {
        return None;
    }
    let end = (IPV6_HEADER_BYTES + long(4)?).min(packet.len());
    let bytes = packet.get(IPV6_HEADER_BYTES..end)?;
    Some(Carried { protocol: *packet.get(6)?, bytes, ends: [packet.get(8..24)?, packet.get(24..40)?] })
}

/// Whether a frame that holds no TCP segment carries something of a program: over IPv4 whatever it is, and over IPv6 what is no
/// talk of neighbours, routers and groups.
pub fn is_of_a_program(frame: &[u8]) -> bool {
    let is_one = |carried: Carried<'_>| match carried.protocol {
        ICMPV6 => carried.bytes.first().is_some_and(|kind| ICMPV6_ECHOES.contains(kind)),
        protocol => protocol == UDP,
    };
    is_ipv4(frame) || carried(frame).is_some_and(is_one)
}

/// How many bytes for an application a frame carries: of TCP its payload, of all else what follows a header as long as UDP's.
pub fn payload_bytes(frame: &[u8]) -> usize {
    if let Some(segment) = segment_of(frame) {
        return segment.payload.len();
    }
    let carried = carried(frame).filter(|_| is_of_a_program(frame));
    carried.map_or(0, |carried| carried.bytes.len().saturating_sub(UDP_HEADER_BYTES))
}

/// The segment in a frame; nothing where that carries none.
pub fn segment_of(frame: &[u8]) -> Option<Segment<'_>> {
    let segment = carried(frame).filter(|carried| carried.protocol == TCP)?.bytes;
    let offset = usize::from(segment.get(12)? >> 4) * 4;
    Some(Segment {
        ports: segment.get(0..4)?.try_into().ok()?,
        sequence: u32::from_be_bytes(segment.get(4..8)?.try_into().ok()?),
        acknowledgement: u32::from_be_bytes(segment.get(8..12)?.try_into().ok()?),
        payload: segment.get(offset..).unwrap_or_default(),
        flags: *segment.get(13)?,
        window: u16::from_be_bytes(segment.get(14..16)?.try_into().ok()?),
        options: segment.get(20..offset).unwrap_or_default(),
    })
}
