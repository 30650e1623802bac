//! What a board file says of a part: a value for each field of its kind.

use units::Picoseconds;

use super::kinds::{KindField, Takes};

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A GPIO.
    Pin(u8),
    /// One of the words that the field takes.
    Word(&'static str),
    /// `true` or `false`.
    Switch(bool),
    /// A whole number.
    Number(u64),
    /// A time.
    Time(Picoseconds),
}

/// The values of a part's fields. A field that was left open has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Values(Vec<(&'static str, Value)>);

impl Values {
    pub(super) fn set(&mut self, field: &KindField, value: Value) {
        self.0.push((field.name, value));
    }

    pub(super) fn set_default(&mut self, field: &KindField) {
        let Some(text) = field.default else { return };
        let value = match field.takes {
            Takes::Word(words) => words.iter().copied().find(|word| *word == text).map(Value::Word),
            Takes::Switch => text.parse().ok().map(Value::Switch),
            Takes::Time { .. } => text.parse().ok().map(Value::Time),
            Takes::Number(..) => text.parse().ok().map(Value::Number),
            Takes::Pin | Takes::AnalogPin => text.parse().ok().map(Value::Pin),
        };
        self.set(field, value.expect("a default in the table of kinds fits its field"));
    }

    pub(super) fn get(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Every pin, with its field.
    pub(super) fn pins(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.0.iter().filter_map(|(field, value)| match value {
            Value::Pin(pin) => Some((*field, *pin)),
            _ => None,
        })
    }

    /// A pin that may be left open.
    pub(super) fn pin_if_given(&self, name: &str) -> Option<u8> {
        match self.get(name) {
            Some(Value::Pin(pin)) => Some(pin),
            _ => None,
        }
    }

    pub(super) fn pin(&self, name: &str) -> u8 {
        self.pin_if_given(name).unwrap_or_else(|| undeclared(name))
    }

    pub(super) fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Some(Value::Word(word)) => word,
            _ => undeclared(name),
        }
    }

    pub(super) fn switch(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Switch(on)) => on,
            _ => undeclared(name),
        }
    }

    pub(super) fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Number(number)) => number,
            _ => undeclared(name),
        }
    }

    /// The number of a port.
    pub(super) fn port(&self, name: &str) -> u8 {
        self.number(name) as u8
    }

    pub(super) fn time(&self, name: &str) -> Picoseconds {
        match self.get(name) {
            Some(Value::Time(time)) => time,
            _ => undeclared(name),
        }
    }
}

/// The reader has given every field of a kind its value, of the type that the kind declares.
fn undeclared(name: &str) -> ! {
    panic!("a kind of part asks for its field {name}, and declares none of that name and type")
}
