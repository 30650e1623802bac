//! What a field takes: of which type its value is and within which bounds. Its words stand in errors, listings and reference
//! pages, and its JSON Schema in those of files.

use std::fmt;
use std::net::Ipv4Addr;

use units::{Bytes, Hertz, PS_PER_MS, Picoseconds};

use crate::text;
use crate::{SettingError, Value};

/// What a field takes; of a range both ends are included.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// A time with its unit; `none` is allowed where the lowest is zero.
    Time {
        /// The shortest.
        lowest: Picoseconds,
        /// The longest.
        highest: Picoseconds,
    },
    /// A whole number of something.
    Integer {
        /// The least.
        lowest: u64,
        /// The most.
        highest: u64,
        /// Of what; a number may be written with it.
        unit: &'static str,
    },
    /// A frequency in whole hertz: a number with Hz, kHz or MHz.
    Frequency {
        /// The least, in hertz.
        lowest: u64,
        /// The most, in hertz.
        highest: u64,
    },
    /// A number.
    Number {
        /// The least.
        lowest: f64,
        /// The most.
        highest: f64,
        /// Of what.
        unit: &'static str,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// On or off.
    Switch,
    /// A whole number from the first to the second.
    Count(u64, u64),
    /// A time with its unit, from 0 to a day.
    Duration,
    /// A time with its unit, from 1 ms to a day: what recurs in it does not do so without end.
    Period,
    /// A size with its unit, from the first to the second in bytes.
    Size(u64, u64),
    /// Bits a second: a number, or one with bit/s, kbit/s or Mbit/s.
    Rate,
    /// true or false; yes or no are taken too.
    Flag,
    /// A TCP or UDP port.
    Port,
    /// An IPv4 address.
    Address,
    /// An IPv4 address, or one with a port; the port is this where none is given.
    Endpoint(u16),
    /// One of these words, the last of which an `or` stands before.
    Word(&'static [&'static str]),
    /// A text, which these words describe.
    Text(&'static str),
    /// Something that its owner reads, in these words and of this shape.
    Other(&'static str, Shape),
}

/// The shape of a value that its owner reads, as a JSON Schema.
pub type Shape = fn() -> serde_json::Value;

impl Takes {
    /// Reads a value as a user writes it.
    ///
    /// # Errors
    /// When the text is of another type, or out of range.
    pub fn parse(&self, name: &'static str, text: &str) -> Result<Value, SettingError> {
        let text = text.trim();
        let value = self.read(text).ok_or_else(|| SettingError::Malformed {
            name,
            text: text.to_owned(),
            expected: self.to_string(),
        })?;
        if self.allows(&value) {
            return Ok(value);
        }
        Err(SettingError::OutOfRange { name, text: text.to_owned(), expected: self.to_string() })
    }

    /// Whether a text is a value of this kind, as far as the kind can tell.
    pub fn holds(&self, text: &str) -> bool {
        self.read(text).is_some_and(|value| self.allows(&value))
    }

    fn read(&self, text: &str) -> Option<Value> {
        match *self {
            Self::Time { lowest, .. } if text == "none" || text == "0" => {
                (lowest == Picoseconds::ZERO).then_some(Value::Time(Picoseconds::ZERO))
            }
            Self::Time { .. } => text.parse().ok().map(Value::Time),
            Self::Integer { unit, .. } => {
                let digits = text.strip_suffix(unit).unwrap_or(text).trim_end();
                // A negative number is out of range rather than malformed; no range reaches the largest value.
                if digits.parse::<i64>().is_ok_and(|number| number < 0) {
                    return Some(Value::Integer(u64::MAX));
                }
                digits.parse().ok().map(Value::Integer)
            }
            Self::Frequency { .. } => match text.parse::<u64>() {
                Ok(hz) => Some(Value::Integer(hz)),
                Err(_) => text.parse::<Hertz>().ok().map(|frequency| Value::Integer(frequency.hz())),
            },
            Self::Number { unit, .. } => {
                text.strip_suffix(unit).unwrap_or(text).trim_end().parse().ok().map(Value::Number)
            }
            Self::Choice(words) | Self::Word(words) => {
                words.iter().find(|&&word| word == text).map(|word| Value::Choice(word))
            }
            Self::Switch => match text {
                "on" | "true" | "yes" => Some(Value::Switch(true)),
                "off" | "false" | "no" => Some(Value::Switch(false)),
                _ => None,
            },
            Self::Count(..) => text.parse().ok().map(Value::Integer),
            Self::Duration | Self::Period => text::time(text).map(Value::Time),
            Self::Size(..) => text::size(text).map(Value::Integer),
            Self::Rate => text::rate(text).map(Value::Integer),
            Self::Flag => text::flag(text).map(Value::Switch),
            Self::Port => text::port(text).map(|port| Value::Integer(u64::from(port))),
            Self::Address => text.parse::<Ipv4Addr>().ok().map(|_| Value::Text(text.to_owned())),
            Self::Endpoint(port) => text::endpoint(text, port).map(|_| Value::Text(text.to_owned())),
            Self::Text(_) | Self::Other(..) => Some(Value::Text(text.to_owned())),
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Time { lowest, highest }, Value::Time(time)) => lowest <= time && time <= highest,
            (Self::Period, Value::Time(time)) => time.ps() >= PS_PER_MS,
            (
                Self::Integer { lowest, highest, .. }
                | Self::Frequency { lowest, highest }
                | Self::Count(lowest, highest)
                | Self::Size(lowest, highest),
                Value::Integer(number),
            ) => lowest <= number && number <= highest,
            (Self::Number { lowest, highest, .. }, Value::Number(number)) => {
                lowest <= number && number <= highest
            }
            _ => true,
        }
    }
}

/// What a field takes, as it stands in errors, listings and reference pages.
impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time { lowest, highest } if *lowest == Picoseconds::ZERO => {
                write!(f, "none or a time up to {highest}, such as 10ms")
            }
            Self::Time { lowest, highest } => write!(f, "a time from {lowest} to {highest}"),
            Self::Integer { lowest, highest, unit: "" } => {
                write!(f, "a whole number from {lowest} to {highest}")
            }
            Self::Integer { lowest, highest, unit } => write!(f, "{lowest} to {highest} {unit}"),
            Self::Frequency { lowest, highest } => {
                let shown = |hz: u64| Hertz::new(hz).map_or_else(|| "0 Hz".to_owned(), |hz| hz.to_string());
                write!(f, "a frequency from {} to {}", shown(*lowest), shown(*highest))
            }
            Self::Number { lowest, highest, unit: "" } => write!(f, "a number from {lowest} to {highest}"),
            Self::Number { lowest, highest, unit } => write!(f, "{lowest} to {highest} {unit}"),
            Self::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Self::Switch => f.write_str("on or off"),
            Self::Count(least, u64::MAX) => write!(f, "a whole number from {least}"),
            Self::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Duration => f.write_str("a time of at most a day"),
            Self::Period => f.write_str("a time from 1 ms to a day"),
            Self::Size(0, u64::MAX) => f.write_str("a size"),
            Self::Size(least, most) => {
                write!(f, "a size from {} to {}", Bytes::new(*least), Bytes::new(*most))
            }
            Self::Rate => f.write_str("bits a second"),
            Self::Flag => f.write_str("true or false"),
            Self::Port => f.write_str("a port from 1 to 65535"),
            Self::Address => f.write_str("an IPv4 address"),
            Self::Endpoint(port) => write!(f, "an IPv4 address, or one with a port (else {port})"),
            Self::Word(words) => match words {
                [others @ .., last] => write!(f, "{} or {last}", others.join(", ")),
                [] => Ok(()),
            },
            Self::Text(what) | Self::Other(what, _) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_time_is_shown_so_that_it_reads_back_as_itself(ps in 0i64..=4_000_000_000_000) {
            let kind = Takes::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::new(4_000_000_000_000) };
            let time = Value::Time(Picoseconds::new(ps));
            prop_assert_eq!(kind.parse("interval", &time.to_string()).unwrap(), time);
        }
    }

    #[test]
    fn a_time_is_shown_in_its_largest_unit_without_idle_digits() {
        let shown = |ps| Value::Time(Picoseconds::new(ps)).to_string();
        assert_eq!(shown(10_000_000_000), "10 ms");
        assert_eq!(shown(2_003_750_000_000), "2.00375 s");
        assert_eq!(shown(102_400_000_000), "102.4 ms");
        assert_eq!(shown(0), "none");
    }
}
