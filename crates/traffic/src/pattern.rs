//! Bytes that a seed and a position determine, so that the other end can tell whether a stream is whole without a copy of it,
//! and where it first differs.

/// The constants of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;
const MIX_1: u64 = 0xBF58_476D_1CE4_E5B9;
const MIX_2: u64 = 0x94D0_49BB_1331_11EB;

/// An endless stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    seed: u64,
}

impl Pattern {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    fn word(self, index: u64) -> [u8; 8] {
        let mut z = self.seed.wrapping_add(GOLDEN_GAMMA.wrapping_mul(index.wrapping_add(1)));
        z = (z ^ (z >> 30)).wrapping_mul(MIX_1);
        z = (z ^ (z >> 27)).wrapping_mul(MIX_2);
        (z ^ (z >> 31)).to_le_bytes()
    }

    /// So many bytes from `position` on.
    pub fn bytes(self, position: u64, count: usize) -> Vec<u8> {
        let skipped = (position % 8) as usize;
        let words = (skipped + count).div_ceil(8);
        let mut bytes = Vec::with_capacity(words * 8);
        for index in 0..words as u64 {
            bytes.extend_from_slice(&self.word((position / 8).wrapping_add(index)));
        }
        bytes.truncate(skipped + count);
        bytes.drain(..skipped);
        bytes
    }

    /// Where `bytes`, which stand at `position`, first differ from the stream, counted from its start.
    pub fn first_difference(self, position: u64, bytes: &[u8]) -> Option<u64> {
        let expected = self.bytes(position, bytes.len());
        if expected == bytes {
            return None;
        }
        let at = expected.iter().zip(bytes).position(|(a, b)| a != b)?;
        Some(position + at as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_first_outputs_of_seed_1234567() {
        // Rosetta Code, task "Pseudo-random numbers/Splitmix64".
        let numbers = [6457827717110365317u64, 3203168211198807973, 9817491932198370423];
        let expected: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(Pattern::new(1234567).bytes(0, 24), expected);
    }

    #[test]
    fn any_part_of_the_stream_is_the_same_as_in_the_whole() {
        let pattern = Pattern::new(7);
        let whole = pattern.bytes(0, 100);
        for start in 0..40 {
            assert_eq!(pattern.bytes(start, 33), whole[start as usize..start as usize + 33]);
        }
    }

    #[test]
    fn a_flipped_bit_is_found_where_it_stands() {
        let pattern = Pattern::new(7);
        let mut bytes = pattern.bytes(13, 50);
        assert_eq!(pattern.first_difference(13, &bytes), None);
        bytes[20] ^= 1;
        assert_eq!(pattern.first_difference(13, &bytes), Some(33));
    }
}
