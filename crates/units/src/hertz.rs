//! Frequencies in whole hertz and the exact times of a clock's edges.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use crate::decimal::{ParseQuantityError, UnitFamily};
use crate::time::{PS_PER_S, Picoseconds};

const FREQUENCY_UNITS: UnitFamily = UnitFamily {
    units: &[
        ("Hz", 1),
        ("kHz", 1_000),
        ("KHz", 1_000),
        ("MHz", 1_000_000),
        ("GHz", 1_000_000_000),
        ("hz", 1),
        ("khz", 1_000),
        ("mhz", 1_000_000),
        ("ghz", 1_000_000_000),
    ],
    known: "Hz, kHz, MHz and GHz",
    finest: "1 Hz",
    example: "100MHz",
};

/// A clock frequency in hertz; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Hertz(NonZeroU64);

impl Hertz {
    /// A frequency, or nothing when it is zero.
    pub const fn new(hz: u64) -> Option<Self> {
        match NonZeroU64::new(hz) {
            Some(hz) => Some(Self(hz)),
            None => None,
        }
    }

    /// The number of cycles a second.
    pub const fn hz(self) -> u64 {
        self.0.get()
    }

    /// The time of edge `n`, counted from edge 0: floor(n · 10¹² / hz), never from a rounded period.
    ///
    /// # Panics
    /// When the edge lies beyond the range of [`Picoseconds`]; readers check that with [`Self::try_edge`].
    pub fn edge(self, n: u64) -> Picoseconds {
        self.try_edge(n).expect("an edge lies within 106 days of the clock's start")
    }

    /// Like [`Self::edge`], or nothing when the edge is out of range.
    pub fn try_edge(self, n: u64) -> Option<Picoseconds> {
        if let Some(product) = n.checked_mul(PS_PER_S as u64) {
            // The same in 64 bits, where it fits: drivers of a bus ask for millions of edges.
            return i64::try_from(product / self.hz()).ok().map(Picoseconds::new);
        }
        let ps = u128::from(n) * PS_PER_S as u128 / u128::from(self.hz());
        i64::try_from(ps).ok().map(Picoseconds::new)
    }
}

impl FromStr for Hertz {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hz = FREQUENCY_UNITS.parse(text)?;
        u64::try_from(hz).ok().and_then(Self::new).ok_or_else(|| ParseQuantityError::OutOfRange {
            text: text.to_owned(),
            finest: FREQUENCY_UNITS.finest,
        })
    }
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hz() {
            hz if hz % 1_000_000 == 0 => write!(f, "{} MHz", hz / 1_000_000),
            hz if hz % 1_000 == 0 => write!(f, "{} kHz", hz / 1_000),
            hz => write!(f, "{hz} Hz"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_not_a_multiple_of_a_rounded_period() {
        let clock = Hertz::new(133_000_000).unwrap();
        assert_eq!(clock.edge(1).ps(), 7_518);
        assert_eq!(clock.edge(133_000_000).ps(), PS_PER_S);
    }

    #[test]
    fn a_frequency_of_zero_is_refused() {
        assert!("0Hz".parse::<Hertz>().is_err());
        assert!("-1 MHz".parse::<Hertz>().is_err());
        assert_eq!("24 MHz".parse::<Hertz>().unwrap().hz(), 24_000_000);
    }

    #[test]
    fn an_edge_beyond_the_range_is_nothing() {
        assert_eq!(Hertz::new(1).unwrap().try_edge(u64::MAX), None);
    }
}
