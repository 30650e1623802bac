//! A field that a user may write, declared once.

use serde_json::{Value as Json, json};

use crate::Takes;

/// A field: of a file, of a table in it, of a command line.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// As it is written.
    pub name: &'static str,
    /// What its value is.
    pub takes: Takes,
    /// What holds where it is not given, as a user would write it; nothing where it must be given.
    pub default: Option<&'static str>,
    /// What it does, in one line.
    pub help: &'static str,
    /// A value that it takes.
    pub example: &'static str,
    /// Values worth trying instead: what `explain` and `choose` vary. Empty where the value is given by the site or the board,
    /// or is nothing to be varied.
    pub alternatives: &'static [&'static str],
}

impl Field {
    /// One with a default.
    pub const fn new(
        name: &'static str,
        takes: Takes,
        default: &'static str,
        help: &'static str,
        example: &'static str,
    ) -> Self {
        Self { name, takes, default: Some(default), help, example, alternatives: &[] }
    }

    /// One that must be given.
    pub const fn needed(name: &'static str, takes: Takes, help: &'static str, example: &'static str) -> Self {
        Self { name, takes, default: None, help, example, alternatives: &[] }
    }

    /// What holds where it is not given; an empty text where it must be given.
    pub fn default_text(&self) -> &'static str {
        self.default.unwrap_or_default()
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
pub fn names(fields: &[Field]) -> Vec<&'static str> {
    fields.iter().map(|field| field.name).collect()
}
