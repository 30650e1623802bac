//! Blocks of CDC NCM (USB CDC NCM 1.0, chapter 3): frames in transfers, with a header and a table of where each frame is. These
//! are the blocks with 16-bit fields, which every device has to know.
//!
//! Left out: check sequences within blocks, and blocks with 32-bit fields.

use serde::{Deserialize, Serialize};

const HEADER: [u8; 4] = *b"NCMH";
const HEADER_BYTES: usize = 12;
/// A table without check sequences.
const TABLE: [u8; 4] = *b"NCM0";
const TABLE_HEADER_BYTES: usize = 8;
/// A table of one frame, and the entry of zeros that ends it.
const TABLE_BYTES: usize = TABLE_HEADER_BYTES + 2 * ENTRY_BYTES;
const ENTRY_BYTES: usize = 4;
/// Tables that a block may have here; more are left alone.
const MOST_TABLES: usize = 16;

/// What a device says of its blocks (there: 6.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Parameters {
    /// The longest block that it sends.
    pub(super) in_bytes: usize,
    /// The longest block that it takes.
    pub(super) out_bytes: usize,
    /// Where a frame begins: at `remainder` behind a multiple of it.
    divisor: usize,
    remainder: usize,
    /// Tables begin at a multiple of it.
    alignment: usize,
}

impl Default for Parameters {
    /// The least that a device may have (there: 6.2.1).
    fn default() -> Self {
        Self { in_bytes: 2048, out_bytes: 2048, divisor: 4, remainder: 0, alignment: 4 }
    }
}

impl Parameters {
    /// Those of an answer; nothing where no frame would fit into its blocks.
    pub(super) fn parse(answer: &[u8]) -> Option<Self> {
        let bytes: &[u8; 26] = answer.first_chunk()?;
        let word = |at: usize| half(bytes, at) + (half(bytes, at + 2) << 16);
        // Lengths in these blocks have 16 bits.
        let parameters = Self {
            in_bytes: word(4).min(0xffff),
            out_bytes: word(16).min(0xffff),
            divisor: half(bytes, 20).max(1),
            remainder: half(bytes, 22),
            alignment: half(bytes, 24).max(1),
        };
        let first = parameters.frame_at(parameters.table_at() + TABLE_BYTES);
        let is_sensible = parameters.in_bytes > HEADER_BYTES && parameters.out_bytes > first;
        is_sensible.then_some(parameters)
    }

    fn table_at(&self) -> usize {
        HEADER_BYTES.next_multiple_of(self.alignment)
    }

    fn frame_at(&self, least: usize) -> usize {
        let remainder = self.remainder % self.divisor;
        least.saturating_sub(remainder).next_multiple_of(self.divisor) + remainder
    }
}

/// A block with one frame; nothing where it is too long for the device. Where the block would fill whole packets, it is a byte
/// longer, so that its last packet ends it.
pub(super) fn block(
    frame: &[u8],
    sequence: u16,
    parameters: &Parameters,
    packet_bytes: usize,
) -> Option<Vec<u8>> {
    let table_at = parameters.table_at();
    let frame_at = parameters.frame_at(table_at + TABLE_BYTES);
    let mut bytes = vec![0; frame_at];
    bytes.extend_from_slice(frame);
    if bytes.len().is_multiple_of(packet_bytes) && bytes.len() < parameters.out_bytes {
        bytes.push(0);
    }
    if bytes.len() > parameters.out_bytes {
        return None;
    }
    let block_bytes = bytes.len();
    let mut put = |at: usize, value: usize| bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
    put(4, HEADER_BYTES);
    put(6, usize::from(sequence));
    put(8, block_bytes);
    put(10, table_at);
    put(table_at + 4, TABLE_BYTES);
    put(table_at + TABLE_HEADER_BYTES, frame_at);
    put(table_at + TABLE_HEADER_BYTES + 2, frame.len());
    bytes[..4].copy_from_slice(&HEADER);
    bytes[table_at..table_at + 4].copy_from_slice(&TABLE);
    Some(bytes)
}

/// The frames of a block. What lies outside of it, or is no table, is left alone.
pub(super) fn frames(block: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    if block.len() < HEADER_BYTES || block[..4] != HEADER {
        return found;
    }
    let mut table_at = half(block, 10);
    for _ in 0..MOST_TABLES {
        let Some(table) = block.get(table_at..).filter(|rest| rest.starts_with(&TABLE)) else { break };
        let length = table.get(4..6).map_or(0, |_| half(table, 4));
        let entries = table.get(TABLE_HEADER_BYTES..length).unwrap_or_default();
        for entry in entries.chunks_exact(ENTRY_BYTES) {
            let (from, bytes) = (half(entry, 0), half(entry, 2));
            if from == 0 || bytes == 0 {
                break;
            }
            found.extend(block.get(from..from + bytes));
        }
        table_at = table.get(6..8).map_or(0, |_| half(table, 6));
        if table_at == 0 {
            break;
        }
    }
    found
}

fn half(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// wNtbParameters of a device: blocks of 0x0c80 bytes to the host, `out` from it, frames at 2 behind a multiple of 4.
    fn parameters(out: u16) -> Parameters {
        let [low, high] = out.to_le_bytes();
        #[rustfmt::skip]
        let answer = [28, 0, 1, 0, 0x80, 0x0c, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, low, high, 0, 0, 4, 0, 2, 0, 4, 0, 1, 0];
        Parameters::parse(&answer).expect("they are sensible")
    }

    #[test]
    fn a_block_says_where_its_frame_is() {
        let frame = [0xab; 14];
        let block = block(&frame, 0x1234, &parameters(2048), 64).expect("it fits");
        #[rustfmt::skip]
        let expected = [
            b'N', b'C', b'M', b'H', 12, 0, 0x34, 0x12, 44, 0, 12, 0,
            b'N', b'C', b'M', b'0', 16, 0, 0, 0, 30, 0, 14, 0, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!((&block[..30], &block[30..]), (&expected[..], &frame[..]));
        assert_eq!(frames(&block), [&frame[..]]);
    }

    #[test]
    fn a_block_never_ends_with_a_full_packet_unless_it_is_the_longest() {
        let fills = [7; 64 - 30];
        assert_eq!(block(&fills, 0, &parameters(2048), 64).map(|block| block.len()), Some(65));
        assert_eq!(block(&fills, 0, &parameters(64), 64).map(|block| block.len()), Some(64));
        assert_eq!(block(&[7; 65 - 30], 0, &parameters(64), 64), None);
    }

    #[test]
    fn frames_of_several_tables_are_found_and_nonsense_is_left_alone() {
        let mut block = vec![0; 100];
        block[..12].copy_from_slice(&[b'N', b'C', b'M', b'H', 12, 0, 0, 0, 100, 0, 12, 0]);
        let table = |next: u8, from: u8| [b'N', b'C', b'M', b'0', 16, 0, next, 0, from, 0, 20, 0, 0, 0, 0, 0];
        block[12..28].copy_from_slice(&table(28, 44));
        block[28..44].copy_from_slice(&table(0, 70));
        block[44] = 1;
        block[70] = 2;
        assert_eq!(frames(&block).iter().map(|frame| frame[0]).collect::<Vec<_>>(), [1, 2]);
        // A frame beyond the end, a table that is its own next one, a block that is cut.
        block[28..44].copy_from_slice(&table(28, 90));
        assert_eq!(frames(&block).len(), 1);
        for length in 0..block.len() {
            frames(&block[..length]);
        }
        assert!(frames(b"NCMI????????").is_empty());
    }

    #[test]
    fn parameters_into_whose_blocks_no_frame_fits_are_none() {
        for length in 0..26 {
            assert_eq!(Parameters::parse(&[0xff; 26][..length]), None);
        }
        assert_eq!(Parameters::parse(&[0; 28]), None);
    }
}
