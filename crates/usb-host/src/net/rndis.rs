//! Messages of RNDIS (Microsoft, [MS-RNDIS]): requests and answers over the control pipe, and frames in transfers.
//!
//! Left out: out-of-band data, and what a device says of its own accord but that it is connected.

/// Length of the header of a frame; the frame follows it.
const FRAME_HEADER_BYTES: usize = 44;
/// The longest answer that a host asks for (Linux: CONTROL_BUFFER_SIZE).
pub(super) const ANSWER_BYTES: u16 = 1025;
/// The longest transfer that this host takes.
const TRANSFER_BYTES: u32 = 2048;

const PACKET: u32 = 1;
const INITIALIZE: u32 = 2;
const QUERY: u32 = 4;
const SET: u32 = 5;
/// Set in the type of an answer.
const COMPLETION: u32 = 0x8000_0000;
const PERMANENT_ADDRESS: u32 = 0x0101_0101;
const PACKET_FILTER: u32 = 0x0001_010e;
/// Directed frames, all groups, broadcasts, and any (NDIS_PACKET_TYPE): the PC's port is a bridge's.
const EVERYTHING: u32 = 0x1 | 0x4 | 0x8 | 0x20;

/// What the host says, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Command {
    Initialize,
    /// Which Ethernet address the host is to have.
    Address,
    /// Which frames the device is to hand over: from here on it does.
    Filter,
}

impl Command {
    /// The one behind it.
    pub(super) fn next(self) -> Option<Self> {
        match self {
            Self::Initialize => Some(Self::Address),
            Self::Address => Some(Self::Filter),
            Self::Filter => None,
        }
    }

    fn kind(self) -> u32 {
        match self {
            Self::Initialize => INITIALIZE,
            Self::Address => QUERY,
            Self::Filter => SET,
        }
    }

    /// Its bytes; the number is told back by the answer.
    pub(super) fn message(self, number: u32) -> Vec<u8> {
        let words = match self {
            Self::Initialize => vec![1, 0, TRANSFER_BYTES],
            // Object, length of what follows and where it is from the number on, handle of the device.
            Self::Address => vec![PERMANENT_ADDRESS, 48, 20, 0],
            Self::Filter => vec![PACKET_FILTER, 4, 20, 0, EVERYTHING],
        };
        let room = if self == Self::Address { 48 } else { 0 };
        let length = 12 + 4 * words.len() + room;
        let words = [self.kind(), length as u32, number].into_iter().chain(words);
        let mut message: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        message.resize(length, 0);
        message
    }

    /// Whether an answer is to it, and says that it was done; nothing where it answers something else.
    pub(super) fn is_done(self, number: u32, answer: &[u8]) -> Option<bool> {
        let is_meant =
            word(answer, 0)? == self.kind() | COMPLETION && word(answer, 8)? == number && answer.len() >= 16;
        is_meant.then(|| word(answer, 12) == Some(0))
    }
}

/// A frame as a transfer. Where it would fill whole packets, it is a byte longer, so that its last packet ends it.
pub(super) fn transfer(frame: &[u8], packet_bytes: usize) -> Vec<u8> {
    let length = FRAME_HEADER_BYTES + frame.len();
    let padded = length + usize::from(length.is_multiple_of(packet_bytes));
    // Where the frame begins is counted from behind the first two words.
    let words = [PACKET, length as u32, FRAME_HEADER_BYTES as u32 - 8, frame.len() as u32];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.resize(FRAME_HEADER_BYTES, 0);
    bytes.extend_from_slice(frame);
    bytes.resize(padded, 0);
    bytes
}

/// The frames of a transfer; what is none is left alone.
pub(super) fn frames(mut transfer: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let (Some(kind), Some(length)) = (word(transfer, 0), word(transfer, 4)) {
        let Some((message, rest)) = transfer.split_at_checked(length as usize) else { break };
        if message.len() < FRAME_HEADER_BYTES {
            break;
        }
        if let (PACKET, Some(from), Some(bytes)) = (kind, word(message, 8), word(message, 12)) {
            let from = (from as usize).saturating_add(8);
            found.extend(message.get(from..from.saturating_add(bytes as usize)));
        }
        transfer = rest;
    }
    found
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_as_the_protocol_has_them() {
        #[rustfmt::skip]
        assert_eq!(
            Command::Initialize.message(7),
            [2, 0, 0, 0, 24, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0],
        );
        #[rustfmt::skip]
        assert_eq!(
            Command::Filter.message(9),
            [5, 0, 0, 0, 32, 0, 0, 0, 9, 0, 0, 0, 0x0e, 1, 1, 0, 4, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0x2d, 0, 0, 0],
        );
        assert_eq!(Command::Address.message(8).len(), 76);
    }

    #[test]
    fn an_answer_belongs_to_its_command_and_says_whether_it_was_done() {
        let answer = |kind: u32, number: u32, status: u32| {
            [kind, 16, number, status].into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>()
        };
        assert_eq!(Command::Filter.is_done(9, &answer(0x8000_0005, 9, 0)), Some(true));
        assert_eq!(Command::Filter.is_done(9, &answer(0x8000_0005, 9, 0xc000_0001)), Some(false));
        for other in [answer(0x8000_0005, 8, 0), answer(0x8000_0004, 9, 0), Vec::new(), vec![0; 12]] {
            assert_eq!(Command::Filter.is_done(9, &other), None);
        }
    }

    #[test]
    fn a_frame_comes_out_of_its_transfer_again() {
        let frame: Vec<u8> = (0..60).collect();
        let sent = transfer(&frame, 64);
        assert_eq!(
            (sent.len(), &sent[..16]),
            (104, &[1, 0, 0, 0, 104, 0, 0, 0, 36, 0, 0, 0, 60, 0, 0, 0][..])
        );
        let two = [sent.clone(), sent].concat();
        assert_eq!(frames(&two), [&frame[..], &frame[..]]);
        // 44 + 84 bytes are two packets.
        let padded = transfer(&[5; 84], 64);
        assert_eq!((padded.len(), frames(&padded)), (129, vec![&[5; 84][..]]));
    }

    #[test]
    fn nonsense_has_no_frames() {
        let sent = transfer(&[3; 60], 64);
        for length in 0..sent.len() {
            assert!(frames(&sent[..length]).is_empty());
        }
        let mut beyond = sent.clone();
        beyond[12] = 61;
        assert!(frames(&beyond).is_empty());
        beyond[8..12].copy_from_slice(&[0xff; 4]);
        assert!(frames(&beyond).is_empty());
        assert!(frames(&[0; 200]).is_empty());
    }
}
