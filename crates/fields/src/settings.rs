//! The values of declared fields, checked: every field has one.

use std::collections::BTreeMap;

use units::Picoseconds;

use crate::{Field, SettingError, Value, names};

/// The values of a list of fields, checked: every field that has a default has a value, and the others have one once they are
/// set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings(BTreeMap<&'static str, Value>);

impl Settings {
    /// All defaults.
    ///
    /// # Panics
    /// When a declared default is not allowed by its own declaration.
    pub fn defaults(declared: &[Field]) -> Self {
        let value = |field: &Field| {
            field.parse(field.default_text()).unwrap_or_else(|error| panic!("a default is allowed: {error}"))
        };
        let given = declared.iter().filter(|field| !field.default_text().is_empty());
        Self(given.map(|field| (field.name, value(field))).collect())
    }

    /// Sets one, from text as on the command line.
    ///
    /// # Errors
    /// When its owner has no such setting, or the value is not allowed.
    pub fn set(
        &mut self,
        owner: &str,
        declared: &[Field],
        name: &str,
        text: &str,
    ) -> Result<(), SettingError> {
        let field = declared.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| SettingError::unknown(owner, name, &names(declared)))?;
        self.put(field, field.parse(text)?);
        Ok(())
    }

    /// Sets one to a value that was read already.
    pub fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name, value);
    }

    /// The value of a field, where it has one.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
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

    /// A pin.
    ///
    /// # Panics
    /// When no such pin is declared, or it was left open.
    pub fn pin(&self, name: &str) -> u8 {
        self.pin_if_given(name).unwrap_or_else(|| panic!("{name} is declared as a pin that is given"))
    }

    /// A pin that may be left open.
    ///
    /// # Panics
    /// When it is declared as something else.
    pub fn pin_if_given(&self, name: &str) -> Option<u8> {
        match self.get(name) {
            Some(Value::Pin(pin)) => Some(*pin),
            Some(other) => panic!("{name} is {other}, not a pin"),
            None => None,
        }
    }

    fn value(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("{name} is declared and has a value"))
    }
}
