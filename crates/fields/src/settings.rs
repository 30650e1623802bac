//! The values of declared fields, checked: every field has one.

use std::collections::BTreeMap;

use units::Picoseconds;

use crate::{Field, SettingError, Value};

/// The settings of a link, checked: every declared setting has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(BTreeMap<&'static str, Value>);

impl Settings {
    /// All defaults.
    ///
    /// # Panics
    /// When a declared default is not allowed by its own declaration.
    pub fn defaults(declared: &[Field]) -> Self {
        let value = |field: &Field| field.takes.parse(field.name, field.default.unwrap_or_default());
        let parsed = declared.iter().map(|setting| {
            (setting.name, value(setting).unwrap_or_else(|error| panic!("a default is allowed: {error}")))
        });
        Self(parsed.collect())
    }

    /// Sets one, from text as on the command line.
    ///
    /// # Errors
    /// When the link has no such setting, or the value is not allowed.
    pub fn set(
        &mut self,
        link: &str,
        declared: &[Field],
        name: &str,
        text: &str,
    ) -> Result<(), SettingError> {
        let setting = declared.iter().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| SettingError::unknown(link, name, declared))?;
        self.0.insert(setting.name, setting.takes.parse(setting.name, text)?);
        Ok(())
    }

    /// All values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(&name, value)| (name, value))
    }

    /// A time; zero where it is `none`.
    ///
    /// # Panics
    /// When no such time is declared.
    pub fn time(&self, name: &str) -> Picoseconds {
        match self.value(name) {
            Value::Time(time) => *time,
            other => panic!("{name} is {other}, not a time"),
        }
    }

    /// A time, or nothing where it is `none`.
    ///
    /// # Panics
    /// When no such time is declared.
    pub fn optional_time(&self, name: &str) -> Option<Picoseconds> {
        Some(self.time(name)).filter(|&time| time > Picoseconds::ZERO)
    }

    /// A whole number.
    ///
    /// # Panics
    /// When no such number is declared.
    pub fn integer(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Integer(number) => *number,
            other => panic!("{name} is {other}, not a whole number"),
        }
    }

    /// A number.
    ///
    /// # Panics
    /// When no such number is declared.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => *number,
            other => panic!("{name} is {other}, not a number"),
        }
    }

    /// One of the words that are declared.
    ///
    /// # Panics
    /// When no such choice is declared.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Choice(word) => word,
            other => panic!("{name} is {other}, not a choice"),
        }
    }

    /// On or off.
    ///
    /// # Panics
    /// When no such switch is declared.
    pub fn switch(&self, name: &str) -> bool {
        match self.value(name) {
            Value::Switch(on) => *on,
            other => panic!("{name} is {other}, not a switch"),
        }
    }

    fn value(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or_else(|| panic!("the link declares {name}"))
    }
}
