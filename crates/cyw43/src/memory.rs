//! The memory of the radio's processor. Firmware that is uploaded there can be read back, and is executed by nobody.

use serde::{Deserialize, Serialize};

/// 512 KB from address 0.
pub(crate) const RAM_BYTES: u32 = 0x8_0000;

/// The memory, and how far the host wrote it from the beginning without a gap.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
    written: u32,
}

impl Default for Memory {
    fn default() -> Self {
        Self { bytes: vec![0; RAM_BYTES as usize], written: 0 }
    }
}

impl Memory {
    /// The bytes that the host wrote from address 0 on.
    pub(crate) fn image(&self) -> &[u8] {
        &self.bytes[..self.written as usize]
    }

    /// Four bytes; what is beyond the end reads as 0.
    pub(crate) fn word(&self, address: u32) -> u32 {
        let from = address as usize;
        let bytes = self.bytes.get(from..from + 4);
        bytes.map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// What the host writes; false beyond the end.
    pub(crate) fn write(&mut self, address: u32, bytes: u32, value: u32) -> bool {
        if address <= self.written {
            self.written = self.written.max((address + bytes).min(RAM_BYTES));
        }
        self.put(address, &value.to_le_bytes()[..bytes.min(4) as usize])
    }

    /// What the chip itself writes.
    pub(crate) fn put(&mut self, address: u32, bytes: &[u8]) -> bool {
        let from = address as usize;
        let place = self.bytes.get_mut(from..from + bytes.len());
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }
}
