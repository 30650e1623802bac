//! The W5500's frame (datasheet): a 16-bit offset, a control byte (block, write, operation mode), and data
//! until chip select rises or, in the fixed length modes, one, two or four bytes, after which the next header may follow.

use super::{AfterBurst, Burst, Opening};

const WRITE_BIT: u8 = 0b100;

/// As drivers' traces show; the datasheet draws the line as undefined.
pub(super) const HEADER_FILLERS: [u8; 3] = [0x01, 0x02, 0x03];
pub(super) const WRITE_FILLER: u8 = 0x03;

/// With chip select tied low (fixed data length mode) frames of fixed length follow each other without a pause.
pub(super) const AFTER_BURST: AfterBurst = AfterBurst::Header;

pub(super) fn open(header: [u8; 3]) -> Opening {
    let control = header[2];
    let left = match control & 0b11 {
        0b01 => Some(1),
        0b10 => Some(2),
        0b11 => Some(4),
        _ => None,
    };
    Opening::Burst(Burst {
        write: control & WRITE_BIT != 0,
        block: control >> 3,
        address: u16::from_be_bytes([header[0], header[1]]),
        left,
    })
}
