//! How a service declares its options, each once: name, what it takes, default, help and example. The settings of a
//! service are parsed by these names; the defaults in the table are parsed by the same code.

use std::str::FromStr;

use thiserror::Error;
use units::Picoseconds;

/// One option of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceOption {
    /// Its name.
    pub name: &'static str,
    /// What it takes, in words.
    pub takes: &'static str,
    /// Its default, as a user would write it; empty for none.
    pub default: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// A value worth trying.
    pub example: &'static str,
}

/// Why an option was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// The service has no such option.
    #[error("{service} has no option \"{name}\". It has: {known}.")]
    Unknown {
        /// Which service.
        service: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The value is not of the kind that the option takes.
    #[error("{service}.{name} is \"{value}\", but takes {takes}. An example: {example}.")]
    Value {
        /// Which service.
        service: &'static str,
        /// Which option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        takes: &'static str,
        /// A value that it takes.
        example: &'static str,
    },
    /// Options that cannot go together.
    #[error("{service}: {reason}")]
    Together {
        /// Which service.
        service: &'static str,
        /// What is wrong, as a sentence.
        reason: String,
    },
}

/// What a service's settings have in common: a table, and a value set by its name.
pub(crate) trait Declared: Sized {
    const SERVICE: &'static str;
    const OPTIONS: &'static [ServiceOption];

    /// None when the value is not of the kind that the option takes.
    fn set(&mut self, name: &str, value: &str) -> Option<()>;

    /// Refuses what cannot go together, with a sentence.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// These settings with the given pairs of name and value laid over them.
    fn with_options(mut self, pairs: &[(&str, &str)]) -> Result<Self, OptionError> {
        for (name, value) in pairs {
            let Some(option) = Self::OPTIONS.iter().find(|option| option.name == *name) else {
                let known: Vec<_> = Self::OPTIONS.iter().map(|option| option.name).collect();
                return Err(OptionError::Unknown {
                    service: Self::SERVICE,
                    name: (*name).to_owned(),
                    known: known.join(", "),
                });
            };
            self.set(name, value.trim()).ok_or_else(|| OptionError::Value {
                service: Self::SERVICE,
                name: option.name,
                value: (*value).to_owned(),
                takes: option.takes,
                example: option.example,
            })?;
        }
        self.check().map_err(|reason| OptionError::Together { service: Self::SERVICE, reason })?;
        Ok(self)
    }
}

/// A number within bounds.
pub(crate) fn number<T: FromStr + PartialOrd + Copy>(value: &str, least: T, most: T) -> Option<T> {
    let number = value.parse().ok()?;
    (least <= number && number <= most).then_some(number)
}

/// yes or no.
pub(crate) fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// A duration of at most a day, never negative.
pub(crate) fn duration(value: &str) -> Option<Picoseconds> {
    let duration: Picoseconds = value.parse().ok()?;
    (Picoseconds::ZERO <= duration && duration <= crate::outbox::seconds(86_400)).then_some(duration)
}

/// A list whose items stand between commas; an empty text is an empty list.
pub(crate) fn list<T>(value: &str, item: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    value.split(',').map(str::trim).filter(|text| !text.is_empty()).map(item).collect()
}

/// What an empty text leaves unset.
pub(crate) fn optional<T: FromStr>(value: &str) -> Option<Option<T>> {
    if value.is_empty() { Some(None) } else { value.parse().ok().map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a service and its parser agree: every default, taken from the table, gives the defaults in code,
    /// and every example is taken.
    fn agrees<S: Declared + Default + PartialEq + std::fmt::Debug>() {
        let defaults: Vec<_> = S::OPTIONS.iter().map(|option| (option.name, option.default)).collect();
        assert_eq!(S::default().with_options(&defaults).unwrap(), S::default(), "{}", S::SERVICE);
        for option in S::OPTIONS {
            let taken = S::default().with_options(&[(option.name, option.example)]);
            assert!(taken.is_ok(), "{}.{}: {taken:?}", S::SERVICE, option.name);
            assert_ne!(
                taken.unwrap(),
                S::default(),
                "{}.{}: the example is the default",
                S::SERVICE,
                option.name
            );
            assert!(option.help.ends_with('.') && !option.takes.is_empty(), "{}.{}", S::SERVICE, option.name);
        }
    }

    #[test]
    fn every_default_and_every_example_in_the_tables_is_taken() {
        agrees::<crate::dhcp::Settings>();
        agrees::<crate::dns::Settings>();
        agrees::<crate::mqtt::Settings>();
        agrees::<crate::coap::Settings>();
        agrees::<crate::sntp::Settings>();
    }

    #[test]
    fn an_option_that_is_not_there_is_refused_with_those_that_are() {
        let message =
            crate::sntp::Settings::default().with_options(&[("epok", "1")]).unwrap_err().to_string();
        assert!(message.contains("\"epok\"") && message.contains("epoch"), "{message}");
    }

    #[test]
    fn a_value_of_another_kind_is_refused_with_an_example() {
        let message =
            crate::dns::Settings::default().with_options(&[("ttl", "soon")]).unwrap_err().to_string();
        assert!(message.contains("dns.ttl is \"soon\"") && message.contains("An example: "), "{message}");
    }
}
