//! In which order the bytes of a 32-bit value are on the line. Each byte goes out with its highest bit first.

use serde::{Deserialize, Serialize};

/// The order that the driver has set, or that of a chip that was just powered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum WordOrder {
    /// In halves of 16 bits, as the chip comes up.
    #[default]
    Halves,
    /// The lowest byte first: WORD32 and BIG_ENDIAN.
    LowFirst,
    /// The highest byte first: WORD32 alone.
    HighFirst,
}

impl WordOrder {
    /// What the two bits of register 0 ask for.
    pub fn of(is_word32: bool, is_big_endian: bool) -> Self {
        match (is_word32, is_big_endian) {
            (_, true) => Self::LowFirst,
            (true, false) => Self::HighFirst,
            (false, false) => Self::Halves,
        }
    }

    /// The value as a shift register of 32 bits has it, the first bit on the line being the highest; and back, since each
    /// order is its own inverse.
    pub fn swap(self, value: u32) -> u32 {
        match self {
            Self::HighFirst => value,
            Self::LowFirst => value.swap_bytes(),
            Self::Halves => value.rotate_left(16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes b0 (the lowest) to b3 as each order sends them.
    #[test]
    fn each_order_sends_the_bytes_as_the_chip_does() {
        let word = u32::from_le_bytes([0xb0, 0xb1, 0xb2, 0xb3]);
        for (order, line) in [
            (WordOrder::Halves, [0xb1, 0xb0, 0xb3, 0xb2]),
            (WordOrder::LowFirst, [0xb0, 0xb1, 0xb2, 0xb3]),
            (WordOrder::HighFirst, [0xb3, 0xb2, 0xb1, 0xb0]),
        ] {
            assert_eq!(order.swap(word).to_be_bytes(), line, "{order:?}");
            assert_eq!(order.swap(order.swap(word)), word, "{order:?}");
        }
    }
}
