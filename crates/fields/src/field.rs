//! A field that a user may write, declared once.

use serde_json::{Value as Json, json};
use units::{ParseQuantityError, Picoseconds};

use crate::{SettingError, TakesOf, Value, or_nearest};

/// The bytes of the longest word that people take for a unit, such as `nanoseconds`.
const LONGEST_UNIT: usize = 16;

/// A field of a table of ours.
pub type Field = FieldOf<'static>;

/// A field: of a file, of a table in it, of a command line, or of what a firmware image notes. It lives as long as whatever
/// declares it.
#[derive(Debug, Clone, Copy)]
pub struct FieldOf<'a> {
    /// As it is written.
    pub name: &'a str,
    /// What its value is.
    pub takes: TakesOf<'a>,
    /// What holds where it is not given, as a user would write it; an empty text where it may be left open, and nothing where
    /// it must be given.
    pub default: Option<&'a str>,
    /// What it does, in one line.
    pub help: &'a str,
    /// A value that it takes.
    pub example: &'a str,
    /// Values worth trying instead: what `explain` and `choose` vary. Empty where the value is given by the site or the board,
    /// or is nothing to be varied.
    pub alternatives: &'a [&'a str],
}

impl<'a> FieldOf<'a> {
    /// One with a default.
    pub const fn new(
        name: &'a str,
        takes: TakesOf<'a>,
        default: &'a str,
        help: &'a str,
        example: &'a str,
    ) -> Self {
        Self { name, takes, default: Some(default), help, example, alternatives: &[] }
    }

    /// One that must be given.
    pub const fn needed(name: &'a str, takes: TakesOf<'a>, help: &'a str, example: &'a str) -> Self {
        Self { name, takes, default: None, help, example, alternatives: &[] }
    }

    /// One that may be left open.
    pub const fn open(name: &'a str, takes: TakesOf<'a>, help: &'a str, example: &'a str) -> Self {
        Self::new(name, takes, "", help, example)
    }

    /// Whether it must be given.
    pub const fn is_needed(&self) -> bool {
        self.default.is_none()
    }

    /// What holds where it is not given; an empty text where it must be given, or may be left open.
    pub fn default_text(&self) -> &'a str {
        self.default.unwrap_or_default()
    }

    /// Reads a value as a user writes it.
    ///
    /// # Errors
    /// When the text is of another type, or out of range.
    pub fn parse(&self, text: &str) -> Result<Value, SettingError> {
        let text = text.trim();
        match self.takes.read(text) {
            Some(value) if self.takes.allows(&value) => Ok(value),
            Some(_) => Err(SettingError::OutOfRange {
                name: self.name.to_owned(),
                text: text.to_owned(),
                expected: self.expected_for(text),
            }),
            None => Err(self.refused(text)),
        }
    }

    /// That a text is no value of it.
    pub fn refused(&self, text: &str) -> SettingError {
        let (name, text) = (self.name.to_owned(), text.trim().to_owned());
        let expected = self.expected_for(&text);
        SettingError::Malformed { name, text, expected }
    }

    /// What it takes instead of a text, with the nearest where its values can be counted.
    pub fn expected_for(&self, text: &str) -> String {
        let values = self.takes.values();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        format!("{}{}{}", self.expected(), or_nearest(text, &values), self.unknown_unit(text))
    }

    /// The unit of a time that is none, where that is what is wrong.
    fn unknown_unit(&self, text: &str) -> String {
        let is_time = matches!(
            self.takes,
            TakesOf::Time { .. } | TakesOf::Between(..) | TakesOf::Duration | TakesOf::Period
        );
        match text.trim().parse::<Picoseconds>() {
            // What else stands behind a number is no mistake in a unit.
            Err(ParseQuantityError::UnknownUnit { unit, known, .. })
                if is_time && unit.chars().all(char::is_alphabetic) && unit.len() <= LONGEST_UNIT =>
            {
                format!("; {unit} is no unit of time here, but {known} are")
            }
            _ => String::new(),
        }
    }

    /// What it takes, with its example where the words alone do not show how that is written.
    pub fn expected(&self) -> String {
        match self.takes {
            TakesOf::Address => format!("{} such as {}", self.takes, self.example),
            TakesOf::Between(..) | TakesOf::Bound(_) => format!("{}, such as {}", self.takes, self.example),
            _ => self.takes.to_string(),
        }
    }

    /// Its value as JSON Schema (draft 2020-12), with what it means and its default.
    pub fn schema(&self) -> Json {
        let mut schema = self.takes.schema();
        let default = self.default.filter(|default| !default.is_empty());
        let default = default.map_or_else(String::new, |default| format!(" (default {default})"));
        schema["description"] = json!(format!("{}{default}", self.help));
        schema
    }

    /// All that a reference page says of it.
    pub fn reference(&self) -> Json {
        json!({
            "name": self.name, "takes": self.takes.to_string(), "default": self.default,
            "help": self.help, "example": self.example,
        })
    }
}

/// The names of declared fields.
pub fn names<'a>(fields: &[FieldOf<'a>]) -> Vec<&'a str> {
    fields.iter().map(|field| field.name).collect()
}
