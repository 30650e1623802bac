//! The 32 bits that every transfer on gSPI begins with.

use serde::{Deserialize, Serialize};

/// Which part of the chip a transfer is with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Function {
    /// Registers of the bus itself.
    Bus,
    /// The backplane: cores and memory.
    Backplane,
    /// Packets for the WLAN firmware, and from it.
    Wlan,
    /// A second channel for packets, which nobody uses.
    Second,
}

impl Function {
    /// Its number.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Data follow from the host; otherwise from the chip.
    pub is_write: bool,
    /// The address counts up with the bytes.
    pub increments: bool,
    /// With whom.
    pub function: Function,
    /// 17 bits.
    pub address: u32,
    /// 1 to 2048.
    pub bytes: u32,
}

/// What a length of 0 means.
const LONGEST_BYTES: u32 = 2048;

impl Command {
    /// Takes a command apart.
    pub fn of(word: u32) -> Self {
        let function = match word >> 28 & 3 {
            0 => Function::Bus,
            1 => Function::Backplane,
            2 => Function::Wlan,
            _ => Function::Second,
        };
        Self {
            is_write: word >> 31 == 1,
            increments: word >> 30 & 1 == 1,
            function,
            address: word >> 11 & 0x1_ffff,
            bytes: match word & 0x7ff {
                0 => LONGEST_BYTES,
                bytes => bytes,
            },
        }
    }

    /// The command as 32 bits.
    pub fn word(&self) -> u32 {
        u32::from(self.is_write) << 31
            | u32::from(self.increments) << 30
            | (self.function.index() as u32) << 28
            | (self.address & 0x1_ffff) << 11
            | self.bytes & 0x7ff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_command_is_what_its_word_says(word: u32) {
            prop_assert_eq!(Command::of(word).word(), word);
        }
    }
}
