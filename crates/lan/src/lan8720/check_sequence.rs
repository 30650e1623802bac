//! The frame check sequence (IEEE 802.3 clause 3).

/// Of a frame; its lowest byte is sent first.
pub(super) fn of(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Whether that at the end of a frame is right.
pub(super) fn is_right(frame: &[u8]) -> bool {
    frame.split_last_chunk().is_some_and(|(bytes, sequence)| of(bytes) == u32::from_le_bytes(*sequence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_crc_32_is_as_the_catalogues_have_it() {
        assert_eq!(of(b"123456789"), 0xcbf4_3926);
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn one_wrong_bit_anywhere_is_found() {
        let frame = [&b"123456789"[..], &0xcbf4_3926_u32.to_le_bytes()].concat();
        assert!(is_right(&frame));
        for bit in 0..8 * frame.len() {
            let mut wrong = frame.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_right(&wrong), "bit {bit}");
        }
    }
}
