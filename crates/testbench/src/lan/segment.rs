//! What is read of a TCP segment in a frame.

/// The flags SYN, FIN and RST (RFC 9293, 3.1).
pub(crate) const SYN: u8 = 0b0010;
pub(crate) const SYN_FIN_RST: u8 = 0b0111;
pub(crate) const ACK: u8 = 0b1_0000;
const TCP: u8 = 6;

/// A TCP segment: its connection as seen by the sender, its sequence number, and what it carries.
#[derive(Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) ports: [u8; 4],
    pub(crate) sequence: u32,
    pub(crate) payload: &'a [u8],
    pub(crate) flags: u8,
}

pub(crate) fn is_ipv4(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&[0x08, 0x00])
}

/// The segment in a frame; nothing where that carries none.
pub(crate) fn segment_of(frame: &[u8]) -> Option<Segment<'_>> {
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
        payload: segment.get(offset..).unwrap_or_default(),
        flags: *segment.get(13)?,
    })
}
