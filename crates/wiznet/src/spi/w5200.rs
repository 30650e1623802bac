//! The W5200's frame (datasheet): a 16-bit address, a bit that says write, a 15-bit length, so many data bytes.

use super::{Burst, Opening};

const WRITE_BIT: u16 = 0x8000;

/// As on the W5100, its forebear; the datasheet is silent.
pub(super) const HEADER_FILLERS: [u8; 4] = [0x00, 0x01, 0x02, 0x03];
pub(super) const WRITE_FILLER: u8 = 0x03;

pub(super) fn open(header: [u8; 4]) -> Opening {
    let length = u16::from_be_bytes([header[2], header[3]]);
    let data_bytes = u32::from(length & !WRITE_BIT);
    if data_bytes == 0 {
        return Opening::Nonsense;
    }
    Opening::Burst(Burst {
        write: length & WRITE_BIT != 0,
        block: 0,
        address: u16::from_be_bytes([header[0], header[1]]),
        left: Some(data_bytes),
    })
}
