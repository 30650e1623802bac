//! What is read of a TCP segment in a frame.

/// The flag of a segment that opens a connection (RFC 9293, 3.1).
pub const SYN: u8 = 0b0010;
/// The flags of segments that open, close or reset a connection.
pub const SYN_FIN_RST: u8 = 0b0111;
/// The flag of a segment that acknowledges.
pub const ACK: u8 = 0b1_0000;
const TCP: u8 = 6;
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

/// How many bytes for an application a frame carries: of TCP its payload, of all else over IPv4 what follows a header as long
/// as UDP's.
pub fn payload_bytes(frame: &[u8]) -> usize {
    if let Some(segment) = segment_of(frame) {
        return segment.payload.len();
    }
    let Some(packet) = frame.get(14..).filter(|packet| is_ipv4(frame) && packet.len() >= 20) else {
        return 0;
    };
    let header = usize::from(packet[0] & 0x0f) * 4;
    let length = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    length.min(packet.len()).saturating_sub(header + UDP_HEADER_BYTES)
}

/// The segment in a frame; nothing where that carries none.
pub fn segment_of(frame: &[u8]) -> Option<Segment<'_>> {
    let packet = frame.get(14..).filter(|_| is_ipv4(frame))?;
    let header = usize::from(packet.first()? & 0x0f) * 4;
    let length = usize::from(u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]));
    if *packet.get(9)? != TCP {
        return None;
    }
    let segment = packet.get(header..length.min(packet.len()))?;
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
