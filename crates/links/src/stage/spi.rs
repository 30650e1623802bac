//! The wire between a host and a radio or a network chip: what a transaction on an SPI bus takes. Links make
//! [`Constant`](super::Constant) stages of it. Waiting for the bus behind another device is left out.

use units::{Hertz, Picoseconds};

/// A host's SPI master, as the chip at its other end sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpiBus {
    /// Of SCK.
    pub clock: Hertz,
    /// From the last bit of a byte to the first of the next, where the host needs time to hand it over.
    pub byte_gap: Picoseconds,
    /// From select low to the first bit, and from the last bit to select high, together.
    pub select_overhead: Picoseconds,
}

impl SpiBus {
    /// From select low to select high.
    pub fn transaction(&self, bytes: u32) -> Picoseconds {
        let gaps = Picoseconds::new(self.byte_gap.ps() * i64::from(bytes.saturating_sub(1)));
        self.select_overhead + self.clock.edge(8 * u64::from(bytes)) + gaps
    }

    /// `count` transactions of `bytes` each, with a pause after each.
    pub fn transactions(&self, count: u32, bytes: u32, pause: Picoseconds) -> Picoseconds {
        Picoseconds::new((self.transaction(bytes) + pause).ps() * i64::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bus(clock: &str, byte_gap_ns: i64, select_overhead_ns: i64) -> SpiBus {
        SpiBus {
            clock: clock.parse().unwrap(),
            byte_gap: Picoseconds::from_ns(byte_gap_ns),
            select_overhead: Picoseconds::from_ns(select_overhead_ns),
        }
    }

    #[test]
    fn a_byte_takes_eight_clocks() {
        assert_eq!(bus("8 MHz", 0, 0).transaction(33), Picoseconds::from_ns(33_000));
    }

    #[test]
    fn there_is_a_gap_between_bytes_but_none_after_the_last() {
        assert_eq!(bus("8 MHz", 500, 100).transaction(3), Picoseconds::from_ns(3_000 + 1_000 + 100));
        assert_eq!(bus("8 MHz", 500, 100).transaction(1), Picoseconds::from_ns(1_100));
    }

    #[test]
    fn transactions_have_a_pause_each() {
        let pause = Picoseconds::from_ns(100);
        assert_eq!(bus("8 MHz", 0, 0).transactions(3, 2, pause), Picoseconds::from_ns(6_300));
    }
}
