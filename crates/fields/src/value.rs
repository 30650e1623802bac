//! The values that settings have.

use std::fmt;

use crate::Bound;
use serde::Serialize;
use units::{PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Picoseconds};

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
    /// A bound on a figure.
    Bound(Bound),
    /// A pin of the microcontroller.
    Pin(u8),
    /// Anything else, as it was written.
    Text(String),
}

/// What a value is, for owners that know what their field takes.
impl Value {
    /// A time; zero where it is `none`.
    ///
    /// # Panics
    /// When it is none: the field is declared otherwise.
    pub fn time(&self) -> Picoseconds {
        match self {
            Self::Time(time) => *time,
            other => panic!("{other} was not read as a time"),
        }
    }

    /// A whole number.
    ///
    /// # Panics
    /// Likewise.
    pub fn integer(&self) -> u64 {
        match self {
            Self::Integer(number) => *number,
            other => panic!("{other} was not read as a whole number"),
        }
    }

    /// A number.
    ///
    /// # Panics
    /// Likewise.
    pub fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            other => panic!("{other} was not read as a number"),
        }
    }

    /// A bound.
    ///
    /// # Panics
    /// Likewise.
    pub fn bound(&self) -> Bound {
        match self {
            Self::Bound(bound) => *bound,
            other => panic!("{other} was not read as a bound"),
        }
    }

    /// On or off.
    ///
    /// # Panics
    /// Likewise.
    pub fn switch(&self) -> bool {
        match self {
            Self::Switch(on) => *on,
            other => panic!("{other} was not read as a switch"),
        }
    }
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
            Value::Bound(bound) => bound.fmt(f),
            Value::Pin(pin) => pin.fmt(f),
            Value::Text(text) => f.write_str(text),
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
