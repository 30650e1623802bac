//! What a PHY gives at RXD and CRS_DV: a frame as di-bits, the lower two bits of a byte first, each for a period of REF_CLK (RMII
//! specification 1.2). Between frames the pins stand still, and nothing is due.

use units::Picoseconds;

/// A period of REF_CLK.
pub const DIBIT: Picoseconds = Picoseconds::from_ns(20);
/// CRS_DV, above RXD1 and RXD0.
pub const CRS_DV: u8 = 4;
const PREAMBLE: u8 = 0b01;
const DELIMITER: u8 = 0b11;
/// Seven bytes and the delimiter's first three (IEEE 802.3 clause 3).
const PREAMBLE_DIBITS: usize = 31;

/// From the first bit on the wire to CRS_DV, and to the first di-bit. The LAN8720A's datasheet gives no such times; these are
/// those of another PHY with RMII, the DP83848 (T2.26.3 and T2.26.5 of its datasheet: 18.5 and 38 bits).
const CARRIER_DELAY: Picoseconds = Picoseconds::from_ns(180);
const DATA_DELAY: Picoseconds = Picoseconds::from_ns(380);
/// From a rising edge of REF_CLK to new levels: between 3 and 14 ns (LAN8720A datasheet 1.4, Table 5.10).
const OUTPUT_DELAY: Picoseconds = Picoseconds::from_ns(8);

/// REF_CLK: a rising edge, from which all others are whole periods away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// That edge.
    pub rise: Picoseconds,
}

impl Clock {
    /// The number of the last edge at or before a time.
    pub fn last_edge(&self, at: Picoseconds) -> i64 {
        (at - self.rise).ps().div_euclid(DIBIT.ps())
    }

    /// When an edge is.
    pub fn edge(&self, number: i64) -> Picoseconds {
        self.rise + Picoseconds::new(number * DIBIT.ps())
    }

    fn edge_from(&self, at: Picoseconds) -> Picoseconds {
        self.edge(self.last_edge(at - Picoseconds::new(1)) + 1)
    }
}

/// The di-bits of a frame with its preamble.
pub fn dibits(frame: &[u8]) -> impl Iterator<Item = u8> {
    let preamble = std::iter::repeat_n(PREAMBLE, PREAMBLE_DIBITS).chain([DELIMITER]);
    preamble.chain(frame.iter().flat_map(|byte| [0, 2, 4, 6].map(|shift| byte >> shift & 3)))
}

/// What RXD0, RXD1 and CRS_DV do for a frame whose first bit is on the wire at `start`: when they change first, and their levels, the
/// lowest bit RXD0, for a [`DIBIT`] each. Behind the last one they stay low.
pub fn frame_at_pins(
    clock: Clock,
    start: Picoseconds,
    frame: &[u8],
) -> (Picoseconds, impl Iterator<Item = u8>) {
    let first = clock.edge_from(start + CARRIER_DELAY);
    let silent = (clock.edge_from(start + DATA_DELAY) - first).ps() / DIBIT.ps();
    let silent = std::iter::repeat_n(0, usize::try_from(silent).unwrap_or(0));
    let levels = silent.chain(dibits(frame)).map(|dibit| dibit | CRS_DV).chain([0]);
    (first + OUTPUT_DELAY, levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock { rise: Picoseconds::from_ns(7) };

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
        let times = (0..).map(|n| (first + Picoseconds::new(DIBIT.ps() * n)).ps() / 1000);
        let mut seen: Vec<(i64, u8)> = times.zip(levels).collect();
        seen.dedup_by_key(|(_, level)| *level);
        let expected = [(1195, 4), (1395, 5), (2015, 7), (2035, 4), (2115, 7), (2155, 4), (2195, 0)];
        assert_eq!(seen, expected);
    }
}
