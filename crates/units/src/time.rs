//! Time as signed whole picoseconds: the unit of every timestamp, latency and period in Airwire.

use std::fmt;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

use crate::decimal::{ParseQuantityError, UnitFamily};

/// Picoseconds in a nanosecond.
pub const PS_PER_NS: i64 = 1_000;
/// Picoseconds in a microsecond.
pub const PS_PER_US: i64 = 1_000_000;
/// Picoseconds in a millisecond.
pub const PS_PER_MS: i64 = 1_000_000_000;
/// Picoseconds in a second.
pub const PS_PER_S: i64 = 1_000_000_000_000;

const TIME_UNITS: UnitFamily = UnitFamily {
    units: &[
        ("ps", 1),
        ("ns", PS_PER_NS as i128),
        ("us", PS_PER_US as i128),
        ("µs", PS_PER_US as i128),
        ("ms", PS_PER_MS as i128),
        ("s", PS_PER_S as i128),
    ],
    known: "ps, ns, us, ms and s",
    finest: "1 ps",
    example: "10ms",
};

/// A duration, or a point in time counted from a run's start, in picoseconds. The range is ±106 days.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
pub struct Picoseconds(i64);

impl Picoseconds {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A number of picoseconds.
    pub const fn new(ps: i64) -> Self {
        Self(ps)
    }

    /// A number of nanoseconds.
    pub const fn from_ns(ns: i64) -> Self {
        Self(ns * PS_PER_NS)
    }

    /// The count of picoseconds.
    pub const fn ps(self) -> i64 {
        self.0
    }
}

impl Add for Picoseconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Picoseconds {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Picoseconds {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl FromStr for Picoseconds {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        TIME_UNITS.parse(text).map(Self)
    }
}

/// Five significant digits in the unit that keeps them readable: `102.4 ms`, `8.6667 us`, `0 s`.
impl fmt::Display for Picoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let (unit, scale) = match magnitude {
            0 => return f.write_str("0 s"),
            m if m < PS_PER_NS as u64 => ("ps", 1),
            m if m < PS_PER_US as u64 => ("ns", PS_PER_NS),
            m if m < PS_PER_MS as u64 => ("us", PS_PER_US),
            m if m < PS_PER_S as u64 => ("ms", PS_PER_MS),
            _ => ("s", PS_PER_S),
        };
        let value = self.0 as f64 / scale as f64;
        let decimals = if value.abs() >= 100.0 {
            2
        } else if value.abs() >= 10.0 {
            3
        } else {
            4
        };
        let text = format!("{value:.decimals$}");
        write!(f, "{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_parse_exactly_in_every_unit() {
        for (text, ps) in [
            ("1ps", 1),
            ("0.1ms", 100_000_000),
            ("102.4 ms", 102_400_000_000),
            ("-3us", -3_000_000),
            ("1_000ns", 1_000_000),
            ("2s", 2 * PS_PER_S),
        ] {
            assert_eq!(text.parse::<Picoseconds>().unwrap().ps(), ps, "{text}");
        }
    }

    #[test]
    fn a_time_without_a_unit_is_refused_with_an_example() {
        let message = "10".parse::<Picoseconds>().unwrap_err().to_string();
        assert!(message.contains("ps, ns, us, ms and s") && message.contains("10ms"), "{message}");
    }

    #[test]
    fn a_time_finer_than_a_picosecond_is_refused() {
        for text in ["0.1ps", "0.01ps", "0.00001ns", "1.0000000000000009s"] {
            let refused = text.parse::<Picoseconds>();
            assert!(matches!(refused, Err(ParseQuantityError::OutOfRange { .. })), "{text}: {refused:?}");
        }
        assert_eq!("1.000000000001000s".parse(), Ok(Picoseconds::new(1_000_000_000_001)));
    }

    #[test]
    fn signs_and_points_stand_where_a_number_has_them() {
        for text in ["1.5.5ms", "--5ms", "5-3ms", "+-1s", ".s"] {
            let refused = text.parse::<Picoseconds>();
            assert!(matches!(refused, Err(ParseQuantityError::NoNumber { .. })), "{text}: {refused:?}");
        }
    }

    proptest! {
        #[test]
        fn whole_picoseconds_survive_a_round_trip(ps in any::<i64>()) {
            prop_assert_eq!(format!("{ps}ps").parse::<Picoseconds>().unwrap().ps(), ps);
        }

        #[test]
        fn any_text_parses_or_is_refused_without_a_panic(text in ".{0,40}") {
            let _ = text.parse::<Picoseconds>();
        }
    }
}
