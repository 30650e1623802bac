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

/// A frame on its way to the MAC.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// Levels of CRS_DV, RXD1 and RXD0, each for a period.
    levels: Vec<u8>,
    first: Picoseconds,
    next: usize,
}

impl Receiver {
    /// A frame whose first bit is on the wire at `start`.
    pub fn new(clock: Clock, start: Picoseconds, frame: &[u8]) -> Self {
        let first = clock.edge_from(start + CARRIER_DELAY);
        let silent = (clock.edge_from(start + DATA_DELAY) - first).ps() / DIBIT.ps();
        let silent = std::iter::repeat_n(0, usize::try_from(silent).unwrap_or(0));
        let mut levels: Vec<u8> = silent.chain(dibits(frame)).map(|dibit| dibit | CRS_DV).collect();
        levels.push(0);
        Self { levels, first: first + OUTPUT_DELAY, next: 0 }
    }

    /// When the pins change next; nothing once the frame has gone by.
    pub fn next_change(&self) -> Option<Picoseconds> {
        (self.next < self.levels.len()).then(|| self.first + Picoseconds::new(self.next as i64 * DIBIT.ps()))
    }

    /// The levels from the next change on.
    pub fn step(&mut self) -> u8 {
        let levels = self.levels.get(self.next).copied().unwrap_or(0);
        let rest = self.levels.get(self.next..).unwrap_or_default();
        self.next += rest.iter().take_while(|&&other| other == levels).count().max(1);
        levels
    }
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
    fn the_pins_change_after_rising_edges_and_only_where_a_level_does() {
        let mut receiver = Receiver::new(CLOCK, Picoseconds::from_ns(1000), &[0x00, 0x0f]);
        let mut seen = Vec::new();
        while let Some(at) = receiver.next_change() {
            seen.push((at.ps() / 1000, receiver.step()));
        }
        // The wire at 1000; carrier at 1180, on the grid 1187, 8 behind it; data at 1380, on the grid 1387.
        let expected = [(1195, 4), (1395, 5), (2015, 7), (2035, 4), (2115, 7), (2155, 4), (2195, 0)];
        assert_eq!(seen, expected);
    }
}
