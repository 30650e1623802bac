//! Packets that come in pieces (RFC 791 section 3.2), put together again. As in Linux, pieces that overlap spoil their packet, but one that
//! comes twice does not.

use std::collections::BTreeMap;

use units::Picoseconds;

use super::ip::ETHERNET_HEADER_BYTES;

/// Linux waits 30 s for the rest (`ipfrag_time`).
const PATIENCE: Picoseconds = Picoseconds::new(30 * units::PS_PER_S);

/// Packets whose pieces wait; more push out the oldest.
const MOST: usize = 64;

/// The longest payload: 65535 bytes without the header.
const LONGEST_PAYLOAD_BYTES: usize = 65_515;

/// Source, destination, protocol and identification.
type Key = ([u8; 8], u8, [u8; 2]);

#[derive(Debug, Clone)]
struct Partial {
    until: Picoseconds,
    /// Ethernet's and the packet's header, of the first piece.
    header: Option<Vec<u8>>,
    pieces: BTreeMap<usize, Vec<u8>>,
    total: Option<usize>,
}

/// All packets whose pieces wait.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragments {
    waiting: BTreeMap<Key, Partial>,
}

/// Whether a frame with a sound packet holds only a piece.
pub(super) fn is_piece(frame: &[u8]) -> bool {
    u16::from_be_bytes([frame[20], frame[21]]) & 0x3FFF != 0
}

impl Fragments {
    /// Takes a piece; answers the frame of the whole packet when this was the last that was missing.
    pub(super) fn take_in(&mut self, now: Picoseconds, frame: &[u8]) -> Option<Vec<u8>> {
        self.waiting.retain(|_, partial| partial.until > now);
        let key = key(frame)?;
        if !self.waiting.contains_key(&key) && self.waiting.len() >= MOST {
            let oldest = self.waiting.iter().min_by_key(|(_, partial)| partial.until).map(|(key, _)| *key);
            oldest.map(|oldest| self.waiting.remove(&oldest));
        }
        let partial = self.waiting.entry(key).or_insert_with(|| Partial {
            until: now + PATIENCE,
            header: None,
            pieces: BTreeMap::new(),
            total: None,
        });
        let fits = partial.add(frame);
        let whole = if fits { partial.whole() } else { None };
        if whole.is_some() || !fits {
            self.waiting.remove(&key);
        }
        whole
    }
}

impl Partial {
    /// False when the piece does not fit those that are here.
    fn add(&mut self, frame: &[u8]) -> bool {
        let header_bytes = usize::from(frame[ETHERNET_HEADER_BYTES] & 0x0F) * 4;
        let total_bytes = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
        let word = u16::from_be_bytes([frame[20], frame[21]]);
        let start = usize::from(word & 0x1FFF) * 8;
        let more = word & 0x2000 != 0;
        let at = ETHERNET_HEADER_BYTES + header_bytes;
        let piece = &frame[at..ETHERNET_HEADER_BYTES + total_bytes];
        let end = start + piece.len();
        let is_there = self.pieces.get(&start).is_some_and(|known| known == piece);
        if is_there && (more || self.total == Some(end)) {
            return true;
        }
        let overlaps = self.pieces.iter().any(|(&other, bytes)| other < end && start < other + bytes.len());
        let wrong = piece.is_empty() || more && !piece.len().is_multiple_of(8) || end > LONGEST_PAYLOAD_BYTES;
        if overlaps || wrong || self.total.is_some_and(|total| end > total || !more) {
            return false;
        }
        if !more {
            self.total = Some(end);
        }
        if start == 0 {
            self.header = Some(frame[..at].to_vec());
        }
        self.pieces.insert(start, piece.to_vec());
        true
    }

    fn whole(&self) -> Option<Vec<u8>> {
        let total = self.total?;
        if self.pieces.values().map(Vec::len).sum::<usize>() != total {
            return None;
        }
        let mut frame = self.header.clone()?;
        let packet_bytes = u16::try_from(frame.len() - ETHERNET_HEADER_BYTES + total).ok()?;
        frame[16..18].copy_from_slice(&packet_bytes.to_be_bytes());
        frame[20..22].fill(0);
        self.pieces.values().for_each(|piece| frame.extend_from_slice(piece));
        Some(frame)
    }
}

fn key(frame: &[u8]) -> Option<Key> {
    Some((frame.get(26..34)?.try_into().ok()?, frame[23], [frame[18], frame[19]]))
}
