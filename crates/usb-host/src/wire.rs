//! Full-speed packets and the time they take on the wire (USB 2.0 chapters 7 and 8). Data packets count their stuffed
//! bits exactly; those of tokens and handshakes (two at the most) are left out, and so are cable delays.

use units::{PS_PER_MS, Picoseconds};

/// A frame: from start of frame to start of frame.
pub const FRAME_PS: i64 = PS_PER_MS;
/// The largest packet of a bulk, interrupt or control endpoint (USB 2.0 5.5.3).
pub(crate) const MAX_PACKET_BYTES: usize = 64;
/// SYNC, PID, 16 bits with CRC5, end of packet.
pub(crate) const TOKEN_BITS: i64 = 8 + 8 + 16 + 3;
/// SYNC, PID, end of packet.
pub(crate) const HANDSHAKE_BITS: i64 = 8 + 8 + 3;
/// Between any two packets; USB 2.0 7.1.18.1 allows 2 to 6.5 bit times.
pub(crate) const GAP_BITS: i64 = 4;
/// How long the host waits for an answer (USB 2.0 7.1.19.1: 16 to 18 bit times).
pub(crate) const TIMEOUT_BITS: i64 = 18;
/// Nothing may be on the wire so shortly before the frame ends (USB 2.0 11.2.5, EOF1).
pub(crate) const FRAME_END_BITS: i64 = 32;

/// SYNC, PID, CRC16, end of packet.
const DATA_OVERHEAD_BITS: i64 = 8 + 8 + 16 + 3;
const PID_DATA0: u8 = 0xc3;
const PID_DATA1: u8 = 0x4b;

/// The time of a number of bits at 12 Mbit/s.
pub fn bit_times(bits: i64) -> Picoseconds {
    Picoseconds::new(bits * 250_000 / 3)
}

/// A data packet.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct Packet {
    /// DATA1, else DATA0.
    pub data1: bool,
    /// In halves, as serde knows arrays of 32 elements at the most.
    bytes: [[u8; MAX_PACKET_BYTES / 2]; 2],
    length: u8,
    /// It was longer than any packet may be: the host takes it for babble.
    pub oversize: bool,
}

impl Packet {
    /// A packet; what exceeds the largest packet is cut off and noted.
    pub fn new(data1: bool, payload: &[u8]) -> Self {
        Self::filled(data1, payload.len(), |bytes| bytes.copy_from_slice(&payload[..bytes.len()]))
    }

    /// A packet whose payload is filled in place.
    pub fn filled(data1: bool, length_bytes: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut bytes = [[0; MAX_PACKET_BYTES / 2]; 2];
        let length = length_bytes.min(MAX_PACKET_BYTES);
        fill(&mut bytes.as_flattened_mut()[..length]);
        Self { data1, bytes, length: length as u8, oversize: length_bytes > MAX_PACKET_BYTES }
    }

    /// Its data.
    pub fn payload(&self) -> &[u8] {
        &self.bytes.as_flattened()[..usize::from(self.length)]
    }

    /// Its length on the wire, stuffed bits and all.
    pub fn wire_bits(&self) -> i64 {
        DATA_OVERHEAD_BITS + 8 * i64::from(self.length) + self.stuffed_bits()
    }

    /// A 0 follows every six 1s (USB 2.0 7.1.9); the last bit of SYNC counts as the first 1.
    fn stuffed_bits(&self) -> i64 {
        let pid = if self.data1 { PID_DATA1 } else { PID_DATA0 };
        let crc = crc16(self.payload()).to_le_bytes();
        let (mut ones, mut stuffed) = (1, 0);
        for &byte in std::iter::once(&pid).chain(self.payload()).chain(&crc) {
            for bit in 0..8 {
                ones = if byte >> bit & 1 == 1 { ones + 1 } else { 0 };
                if ones == 6 {
                    stuffed += 1;
                    ones = 0;
                }
            }
        }
        stuffed
    }
}

/// The longest a data packet of so many bytes can be, with a stuffed bit after every six.
pub(crate) fn longest_data_bits(payload_bytes: usize) -> i64 {
    let bits = 8 * payload_bytes as i64;
    DATA_OVERHEAD_BITS + bits + (bits + 25) / 6
}

/// CRC16 of data packets (USB 2.0 8.3.5.2), as it is sent: least significant bit first.
fn crc16(payload: &[u8]) -> u16 {
    let crc = payload.iter().fold(0xffff_u16, |crc, &byte| {
        (0..8).fold(crc ^ u16::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xa001 } else { crc >> 1 })
    });
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_of_a_setup_packet_is_the_one_that_analysers_show() {
        // GET_DESCRIPTOR (device, 64 bytes): 80 06 00 01 00 00 40 00, CRC 0x94dd on the wire as dd 94.
        assert_eq!(crc16(&[0x80, 0x06, 0x00, 0x01, 0x00, 0x00, 0x40, 0x00]).to_le_bytes(), [0xdd, 0x94]);
    }

    #[test]
    fn an_empty_packet_has_no_stuffed_bits_and_35_bits() {
        assert_eq!(Packet::new(true, &[]).wire_bits(), 35);
    }

    #[test]
    fn ones_alone_need_a_stuffed_bit_after_every_six() {
        let zeros = Packet::new(false, &[0; 60]).wire_bits();
        let ones = Packet::new(false, &[0xff; 60]).wire_bits();
        assert!((ones - zeros - 80).abs() <= 3, "{zeros} and {ones}");
        assert!(ones <= longest_data_bits(60));
    }
}
