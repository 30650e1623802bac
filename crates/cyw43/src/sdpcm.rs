//! SDPCM: the frames of function 2, each with a header that says which channel it is of and how many more the chip takes.

/// Channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Channel {
    Control,
    Event,
    Data,
}

/// Length, its complement, sequence, channel, next length, header length, flow control, credit, two reserved.
const HEADER_BYTES: usize = 12;
/// Of a request: command, length, flags and id, status.
pub(crate) const REQUEST_BYTES: usize = 16;
/// Of an Ethernet frame: flags, priority, flags again, offset in words.
pub(crate) const FRAME_BYTES: usize = 4;
/// BDC version 2 in its first byte.
const FRAME_FLAGS: u8 = 0x20;
/// The WLAN firmware keeps its frames in buffers of this size and puts short ones at their end, as lengths show that were
/// measured on boards.
const SHORTEST_BYTES: usize = 256;
/// What a frame has in front beyond its headers, likewise.
const FRAME_PADDING: usize = 6;
const EVENT_PADDING: usize = 2;

/// A frame from the host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FromHost<'a> {
    pub(crate) sequence: u8,
    pub(crate) content: Content<'a>,
}

/// What is in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    Request(Request<'a>),
    /// An Ethernet frame for an interface.
    Frame(u8, &'a [u8]),
}

/// A question to the firmware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) command: u32,
    pub(crate) sets: bool,
    pub(crate) interface: u8,
    pub(crate) id: u16,
    pub(crate) data: &'a [u8],
}

/// Why a frame of the host's was thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Refused {
    /// Shorter than it says.
    Short,
    /// Length and complement do not match.
    Checksum,
    /// No such channel.
    Channel,
    /// It came beyond what the chip said that it takes.
    Credit,
}

impl Refused {
    /// What was wrong with it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Short => "it is shorter than its header says",
            Self::Checksum => "its length and the complement of it do not match",
            Self::Credit => {
                "it came beyond the credit that the radio gave, which the driver has to read first"
            }
            Self::Channel => "it is for a channel that the chip does not have",
        }
    }
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(half(bytes, at)?) | u32::from(half(bytes, at + 2)?) << 16)
}

/// Takes a frame of the host's apart.
pub(crate) fn parse(bytes: &[u8]) -> Result<FromHost<'_>, Refused> {
    let length = half(bytes, 0).ok_or(Refused::Short)?;
    if half(bytes, 2) != Some(!length) {
        return Err(Refused::Checksum);
    }
    let bytes =
        bytes.get(..usize::from(length)).filter(|bytes| bytes.len() >= HEADER_BYTES).ok_or(Refused::Short)?;
    let (sequence, channel, start) = (bytes[4], bytes[5] & 0x0f, usize::from(bytes[7]));
    let body = bytes.get(start..).filter(|_| start >= HEADER_BYTES).ok_or(Refused::Short)?;
    let content = match channel {
        0 => Content::Request(request(body).ok_or(Refused::Short)?),
        2 => frame(body).ok_or(Refused::Short)?,
        _ => return Err(Refused::Channel),
    };
    Ok(FromHost { sequence, content })
}

fn request(body: &[u8]) -> Option<Request<'_>> {
    let flags = half(body, 8)?;
    let length = word(body, 4)? as usize;
    let data = body.get(REQUEST_BYTES..)?;
    Some(Request {
        command: word(body, 0)?,
        sets: flags & 2 != 0,
        interface: (flags >> 12) as u8,
        id: half(body, 10)?,
        data: &data[..length.min(data.len())],
    })
}

fn frame(body: &[u8]) -> Option<Content<'_>> {
    let offset = FRAME_BYTES + 4 * usize::from(*body.get(3)?);
    Some(Content::Frame(body[2] & 0x0f, body.get(offset..)?))
}

/// A frame for the host, without what is only known when it is read.
pub(crate) fn build(channel: Channel, interface: u8, body: &[u8]) -> Vec<u8> {
    let (own, body_header) = match channel {
        Channel::Control => (0, 0),
        Channel::Event => (EVENT_PADDING, FRAME_BYTES),
        Channel::Data => (FRAME_PADDING, FRAME_BYTES),
    };
    let content = body_header + body.len();
    let payload = match channel {
        Channel::Control => body.len() - REQUEST_BYTES.min(body.len()),
        _ => body.len(),
    };
    let shortest = match channel {
        Channel::Control => SHORTEST_BYTES + payload % 4,
        _ => SHORTEST_BYTES + 2 + payload % 4,
    };
    let total = (HEADER_BYTES + own + content).max(shortest);
    let start = total - content;
    let mut bytes = vec![0; total];
    bytes[0..2].copy_from_slice(&(total as u16).to_le_bytes());
    bytes[2..4].copy_from_slice(&(!(total as u16)).to_le_bytes());
    bytes[5] = channel as u8;
    bytes[7] = start as u8;
    if channel != Channel::Control {
        bytes[start] = FRAME_FLAGS;
        bytes[start + 2] = interface;
    }
    bytes[start + body_header..].copy_from_slice(body);
    bytes
}

/// A frame that says nothing but how many more the chip takes.
pub(crate) fn credit_only() -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    bytes[0..2].copy_from_slice(&(HEADER_BYTES as u16).to_le_bytes());
    bytes[2..4].copy_from_slice(&(!(HEADER_BYTES as u16)).to_le_bytes());
    (bytes[5], bytes[7]) = (Channel::Data as u8, HEADER_BYTES as u8);
    bytes
}

/// Stamps a frame when the host reads it: its sequence, and up to which of its own the host may go.
pub(crate) fn stamp(bytes: &mut [u8], sequence: u8, credit: u8) {
    if bytes.len() >= HEADER_BYTES {
        (bytes[4], bytes[9]) = (sequence, credit);
    }
}

/// The answer to a request: its header with a status, and data.
pub(crate) fn answer(request: &Request<'_>, status: u32, data: &[u8]) -> Vec<u8> {
    let flags = u16::from(request.sets) << 1 | u16::from(request.interface) << 12 | u16::from(status != 0);
    let mut body = Vec::with_capacity(REQUEST_BYTES + data.len());
    body.extend(request.command.to_le_bytes());
    body.extend((data.len() as u32).to_le_bytes());
    body.extend(flags.to_le_bytes());
    body.extend(request.id.to_le_bytes());
    body.extend(status.to_le_bytes());
    body.extend(data);
    build(Channel::Control, 0, &body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lengths that were read from the bus of boards, by the length of the Ethernet frame.
    #[test]
    fn received_frames_are_as_long_as_on_boards() {
        for (frame, total) in [(74, 260), (121, 259), (175, 261), (450, 472)] {
            assert_eq!(build(Channel::Data, 0, &vec![0; frame]).len(), total, "{frame}");
        }
        assert_eq!(build(Channel::Control, 0, &vec![0; REQUEST_BYTES + 1044]).len(), 1072);
        assert_eq!(build(Channel::Control, 0, &[0; REQUEST_BYTES + 6]).len(), 258);
        assert_eq!(build(Channel::Event, 0, &[0; 73]).len(), 259);
    }

    #[test]
    fn a_frame_whose_length_is_damaged_is_refused() {
        let mut bytes = credit_only();
        bytes[2] ^= 1;
        assert_eq!(parse(&bytes), Err(Refused::Checksum));
        assert_eq!(parse(&bytes[..1]), Err(Refused::Short));
        assert_eq!(parse(&credit_only()), Err(Refused::Short));
    }

    proptest! {
        #[test]
        fn whatever_the_host_writes_is_taken_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..300), fits: bool) {
            if fits && bytes.len() >= 4 {
                let length = bytes.len() as u16;
                bytes[0..2].copy_from_slice(&length.to_le_bytes());
                bytes[2..4].copy_from_slice(&(!length).to_le_bytes());
            }
            let _ = parse(&bytes);
        }
    }
}
