//! Sizes in whole bytes.

use std::fmt;
use std::str::FromStr;

use crate::decimal::{ParseQuantityError, UnitFamily};

const SIZE_UNITS: UnitFamily = UnitFamily {
    units: &[
        ("", 1),
        ("B", 1),
        ("kB", 1_000),
        ("KB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
    ],
    known: "B, kB, KiB, MB and MiB",
    finest: "1 B",
    example: "1024B",
};

/// A number of bytes, for example of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);

impl Bytes {
    /// A number of bytes.
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// The count of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl FromStr for Bytes {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = SIZE_UNITS.parse(text)?;
        u64::try_from(bytes)
            .map(Self)
            .map_err(|_| ParseQuantityError::OutOfRange { text: text.to_owned(), finest: SIZE_UNITS.finest })
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_with_and_without_a_unit() {
        assert_eq!("12B".parse(), Ok(Bytes::new(12)));
        assert_eq!("1 KiB".parse(), Ok(Bytes::new(1024)));
        assert_eq!("128".parse(), Ok(Bytes::new(128)));
    }

    #[test]
    fn a_part_of_a_unit_is_a_size_where_it_is_whole_bytes() {
        assert_eq!("1.5KiB".parse(), Ok(Bytes::new(1536)));
        for text in ["12.05", "12.0009B", "1.005KiB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_negative_size_is_refused() {
        assert!("-1B".parse::<Bytes>().is_err());
    }
}
