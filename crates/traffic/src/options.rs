//! How a client or a server declares its options, each once: name, kind, default, help and example. Parser, reference page,
//! schema and completion come from these tables; settings are made from pairs of text by the names in them. Defaults and
//! examples go through the same parser.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

use thiserror::Error;
use units::{Bytes, PS_PER_MS, Picoseconds};

use crate::Ipv4Endpoint;
use crate::outbox::seconds;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// A time with its unit, from 0 to a day.
    Time,
    /// A time with its unit, from 1 ms to a day: what recurs in it does not do so without end.
    Period,
    /// A size with its unit, from the first to the second in bytes.
    Size(u64, u64),
    /// Bits a second: a number, or one with bit/s, kbit/s or Mbit/s.
    Rate,
    /// true or false; yes or no are taken too.
    Switch,
    /// A TCP or UDP port.
    Port,
    /// An IPv4 address.
    Address,
    /// An IPv4 address, or one with a port; the port is this where none is given.
    Endpoint(u16),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A text, which these words describe.
    Text(&'static str),
}

impl OptionKind {
    /// Whether a text is a value of this kind, as far as the kind can tell.
    fn holds(self, text: &str) -> bool {
        match self {
            Self::Number(least, most) => text.parse().is_ok_and(|number| (least..=most).contains(&number)),
            Self::Time => time(text).is_some(),
            Self::Period => time(text).is_some_and(|time| time.ps() >= PS_PER_MS),
            Self::Size(least, most) => size(text).is_some_and(|size| (least..=most).contains(&size)),
            Self::Rate => rate(text).is_some(),
            Self::Switch => switch(text).is_some(),
            Self::Port => port(text).is_some(),
            Self::Address => text.parse::<Ipv4Addr>().is_ok(),
            Self::Endpoint(port) => endpoint(text, port).is_some(),
            Self::Choice(words) => words.contains(&text),
            Self::Text(_) => true,
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(least, u64::MAX) => write!(f, "a whole number from {least}"),
            Self::Number(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Time => f.write_str("a time of at most a day"),
            Self::Period => f.write_str("a time from 1 ms to a day"),
            Self::Size(0, u64::MAX) => f.write_str("a size"),
            Self::Size(least, most) => {
                write!(f, "a size from {} to {}", Bytes::new(*least), Bytes::new(*most))
            }
            Self::Rate => f.write_str("bits a second"),
            Self::Switch => f.write_str("true or false"),
            Self::Port => f.write_str("a port from 1 to 65535"),
            Self::Address => f.write_str("an IPv4 address"),
            Self::Endpoint(port) => write!(f, "an IPv4 address, or one with a port (else {port})"),
            Self::Choice(words) => match words {
                [others @ .., last] => write!(f, "{} or {last}", others.join(", ")),
                [] => Ok(()),
            },
            Self::Text(what) => f.write_str(what),
        }
    }
}

/// One option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// As it is written in network files and on the command line.
    pub name: &'static str,
    /// What the value is.
    pub kind: OptionKind,
    /// What holds when nothing is given, as a user would write it; nothing where a value must be given. An empty one may
    /// be given as well, and leaves the option unset.
    pub default: Option<&'static str>,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// A value worth trying.
    pub example: &'static str,
}

impl OptionSpec {
    /// Reads a value as a user writes it: blanks around it do not count, and a word for on and off is one of the choice's.
    fn canonical<'a>(&self, value: &'a str) -> Option<&'a str> {
        let value = value.trim();
        let value = match (self.kind, value) {
            (OptionKind::Choice(words), "true") if words.contains(&"yes") => "yes",
            (OptionKind::Choice(words), "false") if words.contains(&"no") => "no",
            _ => value,
        };
        let unset = value.is_empty() && self.default == Some("");
        (unset || self.kind.holds(value)).then_some(value)
    }

    fn refused(&self, value: &str) -> OptionError {
        let Self { name, kind: takes, example, .. } = *self;
        OptionError::Value { name, value: value.to_owned(), takes, example }
    }
}

/// A row of a table.
pub(crate) const fn option(
    name: &'static str,
    kind: OptionKind,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> OptionSpec {
    OptionSpec { name, kind, default: Some(default), help, example }
}

/// The row of a client that says where it goes.
pub(crate) const fn to(kind: OptionKind, help: &'static str, example: &'static str) -> OptionSpec {
    OptionSpec { name: "to", kind, default: None, help, example }
}

/// Why options were refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("{name}: there is no such option; {hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        hint: String,
    },
    /// The value is not what the option takes.
    #[error("{name} is {value:?}, but takes {takes}, such as {example}")]
    Value {
        /// Which option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        takes: OptionKind,
        /// A value that it takes.
        example: &'static str,
    },
    /// A value must be given.
    #[error("{name} is not given; it takes {takes}, such as {example}")]
    Missing {
        /// Which option.
        name: &'static str,
        /// What it takes.
        takes: OptionKind,
        /// A value that it takes.
        example: &'static str,
    },
    /// Values that cannot go together.
    #[error("{name}: {reason}")]
    Together {
        /// The option that is wrong beside the others.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// The values of a table's options: those that were given, and the defaults of the others.
#[derive(Debug)]
pub struct Values<'a> {
    options: &'static [OptionSpec],
    given: &'a [(&'a str, &'a str)],
}

impl<'a> Values<'a> {
    /// Checks that each option that is given is there and takes its value, as far as its kind can tell, and that none is
    /// missing.
    fn new(options: &'static [OptionSpec], given: &'a [(&'a str, &'a str)]) -> Result<Self, OptionError> {
        let values = Self { options, given };
        for (name, value) in given {
            let Some(option) = options.iter().find(|option| option.name == *name) else {
                let known: Vec<&str> = options.iter().map(|option| option.name).collect();
                let hint = fields::hint(name, &known);
                return Err(OptionError::Unknown { name: (*name).to_owned(), hint });
            };
            option.canonical(value).ok_or_else(|| option.refused(value))?;
        }
        match options.iter().find(|option| option.default.is_none() && !values.is_given(option.name)) {
            Some(OptionSpec { name, kind: takes, example, .. }) => {
                Err(OptionError::Missing { name, takes: *takes, example })
            }
            None => Ok(values),
        }
    }

    /// Whether a value was given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The value of an option as text; of two that were given the later counts.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        let option = self.option(name);
        let given = self.given.iter().rfind(|(given, _)| *given == name);
        let value = given.map_or(option.default, |(_, value)| Some(*value));
        value.and_then(|value| option.canonical(value)).unwrap_or_default()
    }

    /// The value of an option as what it stands for.
    pub(crate) fn read<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, OptionError> {
        let text = self.text(name);
        read(text).ok_or_else(|| self.option(name).refused(text))
    }

    /// The same of an option that an empty text leaves unset.
    pub(crate) fn read_if_set<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, OptionError> {
        self.read(name, |text| if text.is_empty() { Some(None) } else { read(text).map(Some) })
    }

    /// What a word of a choice stands for.
    pub(crate) fn choose<T: Copy>(&self, name: &str, meanings: &[(&str, T)]) -> Result<T, OptionError> {
        self.read(name, |text| meanings.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning))
    }

    fn option(&self, name: &str) -> &'static OptionSpec {
        self.options
            .iter()
            .find(|option| option.name == name)
            .expect("settings are read by the names of their table")
    }
}

/// Settings that are made from a table of options.
pub trait Declared: Sized {
    /// All options.
    const OPTIONS: &'static [OptionSpec];

    /// Reads them.
    ///
    /// # Errors
    /// When a value is not what its option takes after all, or goes ill with others.
    fn read(values: &Values<'_>) -> Result<Self, OptionError>;

    /// The defaults with pairs of name and value laid over them.
    ///
    /// # Errors
    /// When an option is not there, does not take its value, is missing, or goes ill with others.
    fn from_options(pairs: &[(&str, &str)]) -> Result<Self, OptionError> {
        Self::read(&Values::new(Self::OPTIONS, pairs)?)
    }
}

/// Sets what has the type of a field; for numbers and addresses.
pub(crate) fn parsed<T: FromStr>(value: &str) -> Option<T> {
    value.parse().ok()
}

/// true or false.
pub(crate) fn switch(value: &str) -> Option<bool> {
    match value {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// A time of at most a day, never negative.
pub(crate) fn time(value: &str) -> Option<Picoseconds> {
    let time: Picoseconds = value.parse().ok()?;
    (Picoseconds::ZERO <= time && time <= seconds(86_400)).then_some(time)
}

/// So many bytes.
pub(crate) fn size<T: TryFrom<u64>>(value: &str) -> Option<T> {
    let bytes: Bytes = value.parse().ok()?;
    T::try_from(bytes.get()).ok()
}

/// Bits a second, at least one.
pub(crate) fn rate(value: &str) -> Option<u64> {
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let scale: u64 = match unit.trim_start() {
        "" | "bit/s" => 1,
        "kbit/s" => 1_000,
        "Mbit/s" => 1_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale).filter(|rate| *rate > 0)
}

fn port(value: &str) -> Option<u16> {
    parsed(value).filter(|port| *port > 0)
}

/// An address with its port, or with the one that is usual.
pub(crate) fn endpoint(value: &str, usual_port: u16) -> Option<Ipv4Endpoint> {
    let (address, port) = match value.split_once(':') {
        Some((address, text)) => (address, port(text)?),
        None => (value, usual_port),
    };
    Some(Ipv4Endpoint { address: address.parse().ok()?, port })
}

/// A list whose items stand between commas; an empty text is an empty list.
pub(crate) fn list<T>(value: &str, item: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').map(str::trim).filter(|text| !text.is_empty()).map(item).collect()
}
