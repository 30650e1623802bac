//! The W5100's frame (datasheet): an operation code, a 16-bit address, one data byte. The W5100S takes the
//! same header and any number of data bytes (datasheet).

use super::{Burst, Opening};

const WRITE: u8 = 0xF0;
const READ: u8 = 0x0F;

/// The chip counts the bytes that it has taken (datasheet, SPI).
pub(super) const HEADER_FILLERS: [u8; 3] = [0x00, 0x01, 0x02];
pub(super) const WRITE_FILLER: u8 = 0x03;

pub(super) fn open(header: [u8; 3], data_bytes: Option<u32>) -> Opening {
    let write = match header[0] {
        WRITE => true,
        READ => false,
        _ => return Opening::Nonsense,
    };
    Opening::Burst(Burst {
        write,
        block: 0,
        address: u16::from_be_bytes([header[1], header[2]]),
        left: data_bytes,
    })
}
