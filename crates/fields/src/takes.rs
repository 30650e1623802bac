//! What a field takes: of which type its value is and within which bounds. Its words are in `words`, and its JSON Schema in
//! `schema`.

use std::net::Ipv4Addr;

use units::{Hertz, PS_PER_MS, Picoseconds};

use crate::quantity::Quantity;
use crate::{Bound, LimitUnit, Value, named, text};

/// What a field of a table of ours takes.
pub type Takes = TakesOf<'static>;

/// What a field takes; of a range both ends are included.
#[derive(Debug, Clone, Copy)]
pub enum TakesOf<'a> {
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
        unit: &'a str,
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
        unit: &'a str,
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
    /// A time with its unit, from the first to the second; of zero its unit is written as well.
    Between(Picoseconds, Picoseconds),
    /// A size with its unit, from the first to the second in bytes.
    Size(u64, u64),
    /// A share in percent, from the first to the second percentage; its value is the share of 1.
    Percent(f64, f64),
    /// A bound on a figure: a relation, and a limit in one of these units.
    Bound(&'a [LimitUnit]),
    /// Bits a second: a number, or one with bit/s, kbit/s or Mbit/s.
    Rate,
    /// true or false; yes or no are taken too.
    Flag,
    /// A TCP or UDP port.
    Port,
    /// An IPv4 address.
    Address,
    /// An address of a host, of IPv4 or IPv6.
    Host,
    /// The same, or one with a port; the port is this where none is given.
    Endpoint(u16),
    /// One of these words, the last of which an `or` stands before.
    Word(&'static [&'static str]),
    /// One of these names, which stand between bars and are numbered from 0.
    Numbered(&'a str),
    /// A sum of these names, which stand between bars and are 1, 2, 4 and so on.
    AnyOf(&'a str),
    /// So many of a unit, in a word of 32 bits.
    Quantity(Quantity<'a>),
    /// A pin by its number, or by the name that its owner has for it.
    Pin {
        /// Which ones, behind the words `a pin`; empty where any will do.
        which: &'a str,
        /// The first.
        lowest: u8,
        /// The last.
        highest: u8,
    },
    /// A text, which these words describe.
    Text(&'a str),
    /// A text of at most so many bytes.
    ShortText(usize),
    /// Something that its owner reads, in these words and of this shape.
    Other(&'a str, Shape),
}

/// The shape of a value that its owner reads, as a JSON Schema.
pub type Shape = fn() -> serde_json::Value;

impl TakesOf<'_> {
    /// The value that a text is, where it is one.
    pub fn value(&self, text: &str) -> Option<Value> {
        self.read(text.trim()).filter(|value| self.allows(value))
    }

    /// Whether a text is a value of this kind, as far as the kind can tell.
    pub fn holds(&self, text: &str) -> bool {
        self.value(text).is_some()
    }

    pub(crate) fn read(&self, text: &str) -> Option<Value> {
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
            Self::Between(..) => text.parse().ok().map(Value::Time),
            Self::Numbered(names) => named::one(names, text).map(Value::Integer),
            Self::AnyOf(names) => named::any(names, text).map(Value::Integer),
            Self::Quantity(quantity) => quantity.read(text).map(Value::Integer),
            Self::Pin { .. } => text.parse().ok().map(Value::Pin),
            Self::Size(..) => text::size(text).map(Value::Integer),
            Self::Bound(units) => Bound::read(units, text).map(Value::Bound),
            Self::Rate => text::rate(text).map(Value::Integer),
            Self::Percent(..) => {
                let percent: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
                Some(Value::Number(percent / 100.0))
            }
            Self::Flag => text::flag(text).map(Value::Switch),
            Self::Port => text::port(text).map(|port| Value::Integer(u64::from(port))),
            Self::Address => text.parse::<Ipv4Addr>().ok().map(|_| Value::Text(text.to_owned())),
            Self::Host => text::address(text).map(|_| Value::Text(text.to_owned())),
            Self::Endpoint(port) => text::endpoint(text, port).map(|_| Value::Text(text.to_owned())),
            Self::ShortText(most) => (text.len() <= most).then(|| Value::Text(text.to_owned())),
            Self::Text(_) | Self::Other(..) => Some(Value::Text(text.to_owned())),
        }
    }

    pub(crate) fn allows(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Time { lowest, highest } | Self::Between(lowest, highest), Value::Time(time)) => {
                lowest <= time && time <= highest
            }
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
            (Self::Percent(lowest, highest), Value::Number(share)) => {
                (lowest / 100.0..=highest / 100.0).contains(share)
            }
            (Self::Pin { lowest, highest, .. }, Value::Pin(pin)) => lowest <= pin && pin <= highest,
            _ => true,
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
            prop_assert_eq!(kind.value(&time.to_string()), Some(time));
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
