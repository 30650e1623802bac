//! The sniffer: a checksum of what one channel carries (RP2040 datasheet 2.5.5.2, SNIFF_CTRL and SNIFF_DATA in 2.5.7). Its
//! results for words are held to values that were read from the chip.
//!
//! Left out: what the upper half of SNIFF_DATA holds in the 16-bit modes, which nobody states; it is 0 here.

use crc32fast::Hasher;

const EN: u32 = 1 << 0;
const DMACH_LSB: u32 = 1;
const CALC_LSB: u32 = 5;
const BSWAP: u32 = 1 << 9;
const OUT_REV: u32 = 1 << 10;
const OUT_INV: u32 = 1 << 11;
const WRITABLE: u32 = 0xfff;

const CALC_CRC32: u32 = 0x0;
const CALC_CRC32R: u32 = 0x1;
const CALC_CRC16: u32 = 0x2;
const CALC_CRC16R: u32 = 0x3;
const CALC_EVEN: u32 = 0xe;
const CALC_SUM: u32 = 0xf;

/// IEEE 802.3, and CCITT moved to the upper half, so that both shift out at bit 31.
const CRC32_POLYNOMIAL: u32 = 0x04c1_1db7;
const CRC16_POLYNOMIAL: u32 = 0x1021 << 16;

static CRC32_TABLE: [u32; 256] = table(CRC32_POLYNOMIAL);
static CRC16_TABLE: [u32; 256] = table(CRC16_POLYNOMIAL);

const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            let overflow = remainder >> 31 != 0;
            remainder <<= 1;
            if overflow {
                remainder ^= polynomial;
            }
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
}

/// SNIFF_CTRL and SNIFF_DATA.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Sniffer {
    pub(super) control: u32,
    accumulator: u32,
}

impl Sniffer {
    /// Sets SNIFF_CTRL; false when it asks for a calculation that does not exist.
    pub(super) fn write_control(&mut self, value: u32) -> bool {
        self.control = value & WRITABLE;
        matches!(self.calculation(), CALC_CRC32..=CALC_CRC16R | CALC_EVEN | CALC_SUM)
    }

    pub(super) fn set_data(&mut self, seed: u32) {
        self.accumulator = seed;
    }

    /// SNIFF_DATA as it is shown.
    pub(super) fn data(&self) -> u32 {
        let data =
            if self.control & OUT_REV != 0 { self.accumulator.reverse_bits() } else { self.accumulator };
        if self.control & OUT_INV != 0 { !data } else { data }
    }

    /// Whether it looks at a channel.
    #[inline]
    pub(super) fn watches(&self, channel: usize) -> bool {
        self.control & EN != 0 && (self.control >> DMACH_LSB & 0xf) as usize == channel
    }

    fn calculation(&self) -> u32 {
        self.control >> CALC_LSB & 0xf
    }

    /// Many transfers of `size` bytes pass one after the other.
    pub(super) fn observe_many(&mut self, bytes: &[u8], size: u8) {
        if self.calculation() == CALC_CRC32R && self.control & BSWAP == 0 {
            self.accumulator = crc32_reversed(self.accumulator, bytes);
            return;
        }
        for one in bytes.chunks_exact(size.into()) {
            let value = one.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            self.observe(value, size);
        }
    }

    /// A transfer of 1, 2 or 4 bytes passes.
    pub(super) fn observe(&mut self, value: u32, bytes: u8) {
        let unused_bits = 32 - 8 * u32::from(bytes);
        let mut value = value << unused_bits >> unused_bits;
        if self.control & BSWAP != 0 {
            value = value.swap_bytes() >> unused_bits;
        }
        // A CRC takes the bytes as they lie in memory; its reversed kin turns each of them round.
        let (forward, backward) = (value.to_le_bytes(), value.reverse_bits().to_be_bytes());
        let count = usize::from(bytes);
        let accumulator = self.accumulator;
        self.accumulator = match self.calculation() {
            CALC_CRC32 => crc(&CRC32_TABLE, accumulator, &forward[..count]),
            CALC_CRC32R => crc(&CRC32_TABLE, accumulator, &backward[..count]),
            CALC_CRC16 => crc(&CRC16_TABLE, accumulator << 16, &forward[..count]) >> 16,
            CALC_CRC16R => crc(&CRC16_TABLE, accumulator << 16, &backward[..count]) >> 16,
            CALC_EVEN => accumulator ^ value.count_ones() & 1,
            CALC_SUM => accumulator.wrapping_add(value),
            _ => accumulator,
        };
    }
}

/// The CRC of bytes that are turned round. The register of the library has its bits the other way round, and is inverted.
fn crc32_reversed(seed: u32, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(!seed.reverse_bits());
    hasher.update(bytes);
    (!hasher.finalize()).reverse_bits()
}

fn crc(table: &[u32; 256], seed: u32, bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(seed, |remainder, &byte| remainder << 8 ^ table[(remainder >> 24 ^ u32::from(byte)) as usize])
}
