//! The value of the options Block1 and Block2 (RFC 7959 section 2.2).

use super::message::Message;

/// Which piece of a body: its number, whether more follow, and its size as an exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) number: u32,
    pub(super) more: bool,
    exponent: u8,
}

/// RFC 7959 section 2.2: 2^20 blocks.
const MOST_NUMBER: u32 = (1 << 20) - 1;
/// 1024 bytes; 7 is reserved.
pub(super) const MOST_EXPONENT: u8 = 6;

impl Block {
    pub(super) fn new(number: u32, more: bool, exponent: u8) -> Self {
        Self { number, more, exponent: exponent.min(MOST_EXPONENT) }
    }

    /// The block option of a message; an error when there is one that says nothing sensible.
    pub(super) fn of(message: &Message, option: u16) -> Result<Option<Self>, ()> {
        let Some(value) = message.values(option).next() else { return Ok(None) };
        let number = message.number(option).filter(|_| value.len() <= 3).ok_or(())?;
        let block = Self { number: number >> 4, more: number & 8 != 0, exponent: (number & 7) as u8 };
        if block.exponent > MOST_EXPONENT || block.number > MOST_NUMBER { Err(()) } else { Ok(Some(block)) }
    }

    pub(super) fn bytes(self) -> usize {
        16 << self.exponent
    }

    pub(super) fn start(self) -> usize {
        self.number as usize * self.bytes()
    }

    pub(super) fn exponent(self) -> u8 {
        self.exponent
    }

    pub(super) fn value(self) -> u32 {
        self.number << 4 | u32::from(self.more) << 3 | u32::from(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::{MessageType, option};
    use super::*;

    #[test]
    fn block_values_are_those_of_the_rfc() {
        let mut message = Message::new(MessageType::Confirmable, 1, 1);
        message.add_number(option::BLOCK2, Block::new(1, true, 3).value());
        assert_eq!(message.options[0].1, [0x1B], "NUM 1, M 1, 128 bytes: RFC 7959 section 2.2");
        assert_eq!(Block::of(&message, option::BLOCK2), Ok(Some(Block::new(1, true, 3))));
        assert_eq!(Block::new(1, true, 3).start(), 128);
    }

    #[test]
    fn a_reserved_size_and_a_number_of_four_bytes_are_refused() {
        for value in [&[7][..], &[1, 0, 0, 0]] {
            let mut message = Message::new(MessageType::Confirmable, 1, 1);
            message.add(option::BLOCK2, value);
            assert_eq!(Block::of(&message, option::BLOCK2), Err(()));
        }
    }
}
