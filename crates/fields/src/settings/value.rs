//! Types and values of settings, in the units of the datasheets.

use std::fmt;

use serde::Serialize;
use units::{Hertz, PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Picoseconds};

use super::SettingError;

/// The type of a setting, with its range (both ends included).
#[derive(Debug, Clone, Copy)]
pub enum Kind {
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
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A time; zero is `none`.
    #[serde(serialize_with = "serialize_time")]
    Time(Picoseconds),
    /// A whole number, or a frequency in hertz.
    Integer(u64),
    /// A number.
    Number(f64),
    /// A word.
    Choice(&'static str),
    /// On or off.
    Switch(bool),
}

fn serialize_time<S: serde::Serializer>(time: &Picoseconds, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&Value::Time(*time))
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Time(time) if *time == Picoseconds::ZERO => f.write_str("none"),
            Value::Time(time) => f.write_str(&exact(*time)),
            Value::Integer(number) => number.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Choice(word) => f.write_str(word),
            Value::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
        }
    }
}

/// A time with all its digits: rounded it would be another value when it is read again.
fn exact(time: Picoseconds) -> String {
    let units = [("s", PS_PER_S), ("ms", PS_PER_MS), ("us", PS_PER_US), ("ns", PS_PER_NS), ("ps", 1)];
    let fits = |&&(_, scale): &&(&str, i64)| time.ps() >= scale;
    let &(unit, scale) = units.iter().find(fits).expect("a time that is not none is a picosecond at least");
    let decimals = scale.ilog10() as usize;
    let digits = format!("{}.{:0decimals$}", time.ps() / scale, time.ps() % scale);
    format!("{} {unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

impl Kind {
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

    fn read(&self, text: &str) -> Option<Value> {
        match self {
            Kind::Time { lowest, .. } if text == "none" || text == "0" => {
                (*lowest == Picoseconds::ZERO).then_some(Value::Time(Picoseconds::ZERO))
            }
            Kind::Time { .. } => text.parse().ok().map(Value::Time),
            Kind::Integer { unit, .. } => {
                let digits = text.strip_suffix(unit).unwrap_or(text).trim_end();
                // A negative number is out of range rather than malformed; no range reaches the largest value.
                if digits.parse::<i64>().is_ok_and(|number| number < 0) {
                    return Some(Value::Integer(u64::MAX));
                }
                digits.parse().ok().map(Value::Integer)
            }
            Kind::Frequency { .. } => match text.parse::<u64>() {
                Ok(hz) => Some(Value::Integer(hz)),
                Err(_) => text.parse::<Hertz>().ok().map(|frequency| Value::Integer(frequency.hz())),
            },
            Kind::Number { unit, .. } => {
                text.strip_suffix(unit).unwrap_or(text).trim_end().parse().ok().map(Value::Number)
            }
            Kind::Choice(words) => words.iter().find(|&&word| word == text).map(|word| Value::Choice(word)),
            Kind::Switch => match text {
                "on" | "true" | "yes" => Some(Value::Switch(true)),
                "off" | "false" | "no" => Some(Value::Switch(false)),
                _ => None,
            },
        }
    }

    fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Time { lowest, highest }, Value::Time(time)) => lowest <= time && time <= highest,
            (Kind::Integer { lowest, highest, .. }, Value::Integer(number))
            | (Kind::Frequency { lowest, highest }, Value::Integer(number)) => {
                lowest <= number && number <= highest
            }
            (Kind::Number { lowest, highest, .. }, Value::Number(number)) => {
                lowest <= number && number <= highest
            }
            _ => true,
        }
    }
}

/// What a setting takes, as it stands in errors and listings.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Time { lowest, highest } if *lowest == Picoseconds::ZERO => {
                write!(f, "none or a time up to {highest}, such as 10ms")
            }
            Kind::Time { lowest, highest } => write!(f, "a time from {lowest} to {highest}"),
            Kind::Integer { lowest, highest, unit: "" } => {
                write!(f, "a whole number from {lowest} to {highest}")
            }
            Kind::Integer { lowest, highest, unit } => write!(f, "{lowest} to {highest} {unit}"),
            Kind::Frequency { lowest, highest } => {
                let shown = |hz: u64| Hertz::new(hz).map_or_else(|| "0 Hz".to_owned(), |hz| hz.to_string());
                write!(f, "a frequency from {} to {}", shown(*lowest), shown(*highest))
            }
            Kind::Number { lowest, highest, unit: "" } => write!(f, "a number from {lowest} to {highest}"),
            Kind::Number { lowest, highest, unit } => write!(f, "{lowest} to {highest} {unit}"),
            Kind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Kind::Switch => f.write_str("on or off"),
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
            let kind = Kind::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::new(4_000_000_000_000) };
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
