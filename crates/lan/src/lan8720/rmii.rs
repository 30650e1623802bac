//! What a PHY gives at RXD and CRS_DV: a frame as di-bits, the lower two bits of a byte first, each for a period of REF_CLK, or for ten
//! at 10 Mbit/s (RMII specification 1.2). Between frames the pins stand still, and nothing is due.

use ethernet::Speed;
use units::Picoseconds;

/// A period of REF_CLK.
const PERIOD: Picoseconds = Picoseconds::from_ns(20);
/// CRS_DV, above RXD1 and RXD0.
pub const CRS_DV: u8 = 4;
const PREAMBLE: u8 = 0b01;
const DELIMITER: u8 = 0b11;
/// Seven bytes and the delimiter's first three (IEEE 802.3 clause 3).
const PREAMBLE_DIBITS: usize = 31;

/// From the first bit on the wire to CRS_DV, and to the first di-bit. The LAN8720A's datasheet gives no such times; these are
/// those of another PHY with RMII at 100 Mbit/s, the DP83848 (T2.26.3 and T2.26.5 of its datasheet: 18.5 and 38 bits).
const CARRIER_DELAY_BITS: i64 = 18;
const DATA_DELAY_BITS: i64 = 38;
/// From a rising edge of REF_CLK to new levels: between 3 and 14 ns (LAN8720A datasheet 1.4, Table 5.10).
const OUTPUT_DELAY: Picoseconds = Picoseconds::from_ns(8);

/// The edges of REF_CLK that count: a rising edge, from which all others are whole di-bits away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Clock {
    rise: Picoseconds,
    dibit: Picoseconds,
}

impl Clock {
    /// All of them, by one.
    pub const fn at_100(rise: Picoseconds) -> Self {
        Self { rise, dibit: PERIOD }
    }

    /// Those of a link with this speed, by the same one.
    pub const fn at(self, speed: Speed) -> Self {
        let periods = if let Speed::Mbps10 = speed { 10 } else { 1 };
        Self { rise: self.rise, dibit: Picoseconds::new(PERIOD.ps() * periods) }
    }

    /// How long a di-bit takes.
    pub const fn dibit(&self) -> Picoseconds {
        self.dibit
    }

    /// How long so many bits take.
    pub fn bits(&self, bits: i64) -> Picoseconds {
        Picoseconds::new(self.dibit.ps() * bits / 2)
    }

    /// The number of the last edge at or before a time.
    #[inline]
    pub fn last_edge(&self, at: Picoseconds) -> i64 {
        (at - self.rise).ps().div_euclid(self.dibit.ps())
    }

    /// When an edge is.
    #[inline]
    pub fn edge(&self, number: i64) -> Picoseconds {
        self.rise + Picoseconds::new(number * self.dibit.ps())
    }

    fn edge_from(&self, at: Picoseconds) -> Picoseconds {
        self.edge(self.last_edge(at - Picoseconds::new(1)) + 1)
    }
}

/// The di-bits of a frame with its preamble.
pub fn dibits(frame: &[u8]) -> impl Iterator<Item = u8> {
    let preamble = std::iter::repeat_n(PREAMBLE, PREAMBLE_DIBITS).chain([DELIMITER]);
    preamble.chain(frame.iter().flat_map(|&byte| dibits_of(byte)))
}

/// The di-bits of a byte, the first in the lowest.
#[inline]
pub(super) fn dibits_of(byte: u8) -> [u8; 4] {
    let byte = u32::from(byte);
    ((byte | byte << 6 | byte << 12 | byte << 18) & 0x0303_0303).to_le_bytes()
}

/// What RXD0, RXD1 and CRS_DV do for a frame whose first bit is on the wire at `start`: when they change first, and their levels, the
/// lowest bit RXD0, for a di-bit each. Behind the last one they stay low.
pub fn frame_at_pins(clock: Clock, start: Picoseconds, frame: &[u8]) -> (Picoseconds, Vec<u8>) {
    let first = clock.edge_from(start + clock.bits(CARRIER_DELAY_BITS));
    let silent = (clock.edge_from(start + clock.bits(DATA_DELAY_BITS)) - first).ps() / clock.dibit.ps();
    let silent = usize::try_from(silent).unwrap_or(0);
    let begins = silent + PREAMBLE_DIBITS + 1;
    let mut levels = vec![CRS_DV; begins + 4 * frame.len() + 1];
    levels[silent..begins - 1].fill(CRS_DV | PREAMBLE);
    levels[begins - 1] = CRS_DV | DELIMITER;
    for (four, &byte) in levels[begins..].as_chunks_mut().0.iter_mut().zip(frame) {
        let all = u32::from_le_bytes([CRS_DV; 4]);
        *four = (u32::from_le_bytes(dibits_of(byte)) | all).to_le_bytes();
    }
    levels[begins + 4 * frame.len()] = 0;
    (first + OUTPUT_DELAY, levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock::at_100(Picoseconds::from_ns(7));

    #[test]
    fn the_lower_bits_of_a_byte_go_first() {
        let frame: Vec<u8> = dibits(&[0b11_10_01_00, 0xff]).skip(32).collect();
        assert_eq!(frame, [0, 1, 2, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn a_frame_begins_with_31_dibits_of_preamble_and_one_that_ends_it() {
        // As bytes: seven of 0x55 and 0xd5.
        let bits: Vec<u8> = dibits(&[]).collect();
        let bytes = bits.chunks(4).map(|four| four.iter().rev().fold(0, |byte, dibit| byte << 2 | dibit));
        assert_eq!(bytes.collect::<Vec<u8>>(), [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xd5]);
    }

    #[test]
    fn the_pins_change_after_rising_edges() {
        let (first, levels) = frame_at_pins(CLOCK, Picoseconds::from_ns(1000), &[0x00, 0x0f]);
        let times = (0..).map(|n| (first + Picoseconds::new(CLOCK.dibit().ps() * n)).ps() / 1000);
        let mut seen: Vec<(i64, u8)> = times.zip(levels).collect();
        seen.dedup_by_key(|(_, level)| *level);
        let expected = [(1195, 4), (1395, 5), (2015, 7), (2035, 4), (2115, 7), (2155, 4), (2195, 0)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn at_10_mbit_per_s_each_dibit_stands_for_ten_periods() {
        let slow = CLOCK.at(Speed::Mbps10);
        let (first, levels) = frame_at_pins(slow, Picoseconds::from_ns(1000), &[0x0f]);
        // The edges that count are at 7, 207, 407 ... ns: carrier 1.8 us behind the first bit, data 3.8 us behind it.
        assert_eq!(first, Picoseconds::from_ns(2807 + 8));
        let mut row = levels;
        assert_eq!(row.len(), 10 + 32 + 4 + 1);
        row.dedup();
        assert_eq!((row, slow.dibit()), (vec![4, 5, 7, 4, 0], Picoseconds::from_ns(200)));
    }
}
