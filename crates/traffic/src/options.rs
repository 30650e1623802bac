//! How a client or a server declares its options, each once: name, kind, default, help and example. Parser, reference page,
//! schema and completion come from these tables; settings are made from pairs of text by the names in them. Defaults and
//! examples go through the same parser.

use std::net::IpAddr;
use std::str::FromStr;

use fields::{Field, Takes};
use thiserror::Error;

use crate::IpEndpoint;

pub(crate) use fields::text::{flag as switch, rate, size, time};

/// Reads a value as a user writes it: blanks around it do not count, and a word for on and off is one of the choice's. An
/// empty text may be given where the default is one.
fn canonical<'a>(option: &Field, value: &'a str) -> Option<&'a str> {
    let value = value.trim();
    let value = match (option.takes, value) {
        (Takes::Word(words), "true") if words.contains(&"yes") => "yes",
        (Takes::Word(words), "false") if words.contains(&"no") => "no",
        _ => value,
    };
    let unset = value.is_empty() && option.default == Some("");
    (unset || option.takes.holds(value)).then_some(value)
}

fn refused(option: &Field, value: &str) -> OptionError {
    let Field { name, takes, example, .. } = *option;
    let values = takes.values();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    OptionError::Value {
        name,
        value: value.to_owned(),
        takes: takes.to_string(),
        example,
        near: fields::or_nearest(value, &values),
        is_address: is_address(takes),
    }
}

fn is_address(takes: Takes) -> bool {
    matches!(takes, Takes::Address | Takes::Host | Takes::Endpoint(_))
}

/// A row of a table.
pub(crate) const fn option(
    name: &'static str,
    takes: Takes,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> Field {
    Field::new(name, takes, default, help, example)
}

/// The row of a client that says where it goes.
pub(crate) const fn to(takes: Takes, help: &'static str, example: &'static str) -> Field {
    Field::needed("to", takes, help, example)
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
    #[error("{name} is {value:?}, but takes {takes}, such as {example}{near}")]
    Value {
        /// Which option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        takes: String,
        /// A value that it takes.
        example: &'static str,
        /// What is near among values that can be counted, in words; empty where nothing is.
        near: String,
        /// Whether that is an address.
        is_address: bool,
    },
    /// A value must be given.
    #[error("{name} is not given; it takes {takes}, such as {example}")]
    Missing {
        /// Which option.
        name: &'static str,
        /// What it takes.
        takes: String,
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
    options: &'static [Field],
    given: &'a [(&'a str, &'a str)],
}

impl<'a> Values<'a> {
    /// Checks that each option that is given is there and takes its value, as far as its kind can tell, and that none is
    /// missing.
    fn new(options: &'static [Field], given: &'a [(&'a str, &'a str)]) -> Result<Self, OptionError> {
        let values = Self { options, given };
        for (name, value) in given {
            let Some(option) = options.iter().find(|option| option.name == *name) else {
                let known: Vec<&str> = options.iter().map(|option| option.name).collect();
                let hint = fields::hint(name, &known);
                return Err(OptionError::Unknown { name: (*name).to_owned(), hint });
            };
            canonical(option, value).ok_or_else(|| refused(option, value))?;
        }
        match options.iter().find(|option| option.default.is_none() && !values.is_given(option.name)) {
            Some(Field { name, takes, example, .. }) => {
                Err(OptionError::Missing { name, takes: takes.to_string(), example })
            }
            None => Ok(values),
        }
    }

    /// The values of the options of another table among them.
    pub(crate) fn of(&self, options: &'static [Field]) -> Self {
        Self { options, given: self.given }
    }

    /// Whether a value was given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// Refuses options that have another value than by default where they would do nothing, with the reason.
    pub(crate) fn have_no_use(&self, names: &[&'static str], reason: &str) -> Result<(), OptionError> {
        let is_set = |name: &str| self.is_given(name) && self.option(name).default != Some(self.text(name));
        match names.iter().find(|name| is_set(name)) {
            Some(name) => Err(OptionError::Together { name, reason: format!("{reason}; leave it out") }),
            None => Ok(()),
        }
    }

    /// The value of an option as text; of two that were given the later counts.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        let option = self.option(name);
        let given = self.given.iter().rfind(|(given, _)| *given == name);
        let value = given.map_or(option.default, |(_, value)| Some(*value));
        value.and_then(|value| canonical(option, value)).unwrap_or_default()
    }

    /// The value of an option as what it stands for.
    pub(crate) fn read<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, OptionError> {
        let text = self.text(name);
        read(text).ok_or_else(|| refused(self.option(name), text))
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

    fn option(&self, name: &str) -> &'static Field {
        self.options
            .iter()
            .find(|option| option.name == name)
            .expect("settings are read by the names of their table")
    }
}

/// Settings that are made from a table of options.
pub trait Declared: Sized {
    /// All options.
    const OPTIONS: &'static [Field];

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

/// An address with its port, or with the one that is usual.
pub(crate) fn endpoint(value: &str, usual_port: u16) -> Option<IpEndpoint> {
    let (address, port) = fields::text::endpoint(value, usual_port)?;
    Some(IpEndpoint { address, port })
}

/// What a datagram or a ping holds that goes over IPv6 in one packet of 1500 bytes, without 40 of its header and 8 of UDP or ICMP.
const MOST_BYTES_OVER_IPV6: u64 = 1500 - 40 - 8;

/// The same size where it fits one packet to an address.
pub(crate) fn fitting(name: &'static str, bytes: u32, to: IpAddr) -> Result<u32, OptionError> {
    if to.is_ipv4() || u64::from(bytes) <= MOST_BYTES_OVER_IPV6 {
        return Ok(bytes);
    }
    let reason =
        format!("over IPv6 a packet holds at most {MOST_BYTES_OVER_IPV6} bytes, and this would be {bytes}");
    Err(OptionError::Together { name, reason })
}

/// A list whose items stand between commas; an empty text is an empty list.
pub(crate) fn list<T>(value: &str, item: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').map(str::trim).filter(|text| !text.is_empty()).map(item).collect()
}
