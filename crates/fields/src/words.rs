//! What a field takes, and its values, in words.

use std::fmt;

use units::{Bytes, Hertz, Picoseconds};

use crate::{TakesOf, Value, named};

impl TakesOf<'_> {
    /// A value as a user would write it.
    pub fn text(&self, value: &Value) -> String {
        let named = match (self, value) {
            (Self::Numbered(names), Value::Integer(number)) => {
                named::name_of(names, *number).map(str::to_owned)
            }
            (Self::AnyOf(names), Value::Integer(number)) => named::sum_of(names, *number),
            _ => None,
        };
        named.unwrap_or_else(|| value.to_string())
    }

    /// A value with its unit, for people.
    pub fn shown(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Quantity(quantity), Value::Integer(number)) => quantity.shown(*number),
            _ => self.text(value),
        }
    }

    /// The values that it takes, as a user would write them, where they can be counted.
    pub fn values(&self) -> Vec<String> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        match self {
            Self::Choice(words) | Self::Word(words) => owned(words),
            Self::Switch => owned(&["on", "off"]),
            Self::Flag => owned(&["true", "false"]),
            Self::Numbered(names) | Self::AnyOf(names) => named::listed(names),
            _ => Vec::new(),
        }
    }
}

/// What a field takes, as it stands in errors, listings and reference pages.
impl fmt::Display for TakesOf<'_> {
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
            Self::Between(lowest, highest) if lowest.ps() == 1 => write!(f, "a time of at most {highest}"),
            Self::Between(lowest, highest) => write!(f, "a time from {lowest} to {highest}"),
            Self::Size(0, u64::MAX) => f.write_str("a size"),
            Self::Size(least, most) => {
                write!(f, "a size from {} to {}", Bytes::new(*least), Bytes::new(*most))
            }
            Self::Percent(lowest, highest) => {
                write!(f, "a share from {lowest} % to {highest} %, such as \"1 %\"")
            }
            Self::Bound(units) => {
                let named: Vec<&str> =
                    units.iter().map(|unit| unit.name).filter(|name| !name.is_empty()).collect();
                write!(f, "a relation (<=, <, >= or >) and a limit in {}", either(&named))
            }
            Self::Rate => f.write_str("bits a second"),
            Self::Flag => f.write_str("true or false"),
            Self::Port => f.write_str("a port from 1 to 65535"),
            Self::Address => f.write_str("an IPv4 address"),
            Self::Host => f.write_str("an IPv4 or IPv6 address"),
            Self::Endpoint(port) => {
                write!(f, "an IPv4 or IPv6 address, or one with a port (else {port})")
            }
            Self::Word(words) => f.write_str(&either(words)),
            Self::Numbered(names) => f.write_str(&named::one_in_words(names)),
            Self::AnyOf(names) => f.write_str(&named::any_in_words(names)),
            Self::Quantity(quantity) => quantity.fmt(f),
            Self::Pin { which: "", .. } => f.write_str("a pin: its name or its GPIO number"),
            Self::Pin { which, lowest, highest } => write!(f, "a pin {which}: GPIO {lowest} to {highest}"),
            Self::ShortText(most) => write!(f, "a text of at most {most} bytes"),
            Self::Text(what) | Self::Other(what, _) => f.write_str(what),
        }
    }
}

/// Words of which one is meant: `a, b or c`.
fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}
