//! The 4 kB of memory that the processors and the USB controller share (RP2040 datasheet 4.1.2.5 in device mode): the
//! setup packet, endpoint control words, buffer control words, data buffers. It is plain memory; what the words
//! mean for the bus is in device.rs.

use std::fmt;

use usb_host::Endpoint;

/// Bytes of memory.
pub(super) const DPRAM_BYTES: usize = 4096;
/// Endpoint control words from here up to the buffer control words.
pub(super) const CONTROL_START: u32 = 0x08;
const BUFFER_CONTROL_START: u32 = 0x80;
/// Data buffers from here on; the first two belong to endpoint 0.
pub(super) const CONTROL_END: u32 = 0x100;

/// Bits of an endpoint control word.
pub(super) mod endpoint_control {
    pub(crate) const ENABLE: u32 = 1 << 31;
    pub(crate) const DOUBLE_BUFFERED: u32 = 1 << 30;
    pub(crate) const INTERRUPT_PER_BUFF: u32 = 1 << 29;
    pub(crate) const INTERRUPT_PER_DOUBLE_BUFF: u32 = 1 << 28;
    pub(crate) const INTERRUPT_ON_STALL: u32 = 1 << 17;
    pub(crate) const INTERRUPT_ON_NAK: u32 = 1 << 16;
    /// The lowest six bits of the address are ignored.
    pub(crate) const BUFFER_ADDRESS: u32 = 0xffc0;
}

/// Bits of one half of a buffer control word; buffer 1 has them 16 bits higher.
pub(super) mod buffer_control {
    pub(crate) const FULL: u32 = 1 << 15;
    pub(crate) const LAST: u32 = 1 << 14;
    pub(crate) const DATA1: u32 = 1 << 13;
    /// Starts again with buffer 0; in the lower half only.
    pub(crate) const RESET: u32 = 1 << 12;
    /// For both buffers; in the lower half only.
    pub(crate) const STALL: u32 = 1 << 11;
    pub(crate) const AVAILABLE: u32 = 1 << 10;
    pub(crate) const LENGTH: u32 = 0x3ff;
}

/// Where an endpoint stands in the order of the words in the memory.
fn index(endpoint: Endpoint) -> u32 {
    u32::from(endpoint.number) * 2 + u32::from(endpoint.out)
}

/// The bit of an endpoint in BUFF_STATUS and its like.
pub(super) fn bit(endpoint: Endpoint) -> u32 {
    1 << index(endpoint)
}

/// The memory.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Dpram {
    #[serde(with = "sim::state::boxed_array")]
    bytes: Box<[u8; DPRAM_BYTES]>,
}

impl fmt::Debug for Dpram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dpram({DPRAM_BYTES} bytes)")
    }
}

impl Dpram {
    pub(super) fn new() -> Self {
        Self { bytes: Box::new([0; DPRAM_BYTES]) }
    }

    /// Reads 1, 2 or 4 bytes.
    pub(super) fn read(&self, offset: u32, size: u32) -> u32 {
        (0..size.min(4)).map(|n| u32::from(self.byte(offset.wrapping_add(n))) << (8 * n)).sum()
    }

    /// Writes the lowest 1, 2 or 4 bytes of a value.
    pub(super) fn write(&mut self, offset: u32, size: u32, value: u32) {
        for n in 0..size.min(4) {
            *self.byte_mut(offset.wrapping_add(n)) = (value >> (8 * n)) as u8;
        }
    }

    /// The control word of an endpoint other than 0.
    pub(super) fn endpoint_control(&self, endpoint: Endpoint) -> u32 {
        self.read(CONTROL_START + 4 * index(endpoint).saturating_sub(2), 4)
    }

    pub(super) fn buffer_control(&self, endpoint: Endpoint) -> u32 {
        self.read(BUFFER_CONTROL_START + 4 * index(endpoint), 4)
    }

    pub(super) fn set_buffer_control(&mut self, endpoint: Endpoint, word: u32) {
        self.write(BUFFER_CONTROL_START + 4 * index(endpoint), 4, word);
    }

    /// Copies a data buffer out; addresses wrap at the end of the memory.
    pub(super) fn copy_out(&self, offset: u32, to: &mut [u8]) {
        for (at, byte) in (offset..).zip(to) {
            *byte = self.byte(at);
        }
    }

    /// Fills a data buffer; addresses wrap at the end of the memory.
    pub(super) fn copy_in(&mut self, offset: u32, from: &[u8]) {
        for (at, byte) in (offset..).zip(from) {
            *self.byte_mut(at) = *byte;
        }
    }

    fn byte(&self, offset: u32) -> u8 {
        self.bytes[offset as usize % DPRAM_BYTES]
    }

    fn byte_mut(&mut self, offset: u32) -> &mut u8 {
        &mut self.bytes[offset as usize % DPRAM_BYTES]
    }
}
