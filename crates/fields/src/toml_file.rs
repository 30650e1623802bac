//! What files of ours in TOML have in common while they are read: places become lines, values of the wrong type and
//! unknown fields become sentences that name the field and say what would be right.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::FieldOf;

/// A value with its place.
pub type Value<'a> = Spanned<DeValue<'a>>;
/// A field's name, the place of the name, and the value.
pub type Field<'a> = (&'a str, Range<usize>, &'a Value<'a>);

/// Something that is wrong at a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}:{line}: {told}", path.display())]
pub struct Misplaced {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// Which field, and what of it.
    pub told: Told,
}

/// What is wrong with a field. Whoever looks for the field finds it here, and not in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// With the tables that it is in, such as `chips.LED.pin`; empty where it is about none.
    pub field: String,
    /// How the sentence goes on behind it: what it is, and what would be right.
    pub words: String,
}

/// What is wrong with a field, in words that go on behind its name.
pub fn told(field: impl Into<String>, words: impl Into<String>) -> Told {
    Told { field: field.into(), words: words.into() }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.field, self.words)
    }
}

/// A file while it is read.
#[derive(Debug, Clone, Copy)]
pub struct TomlFile<'a> {
    /// What errors call it.
    pub path: &'a Path,
    /// What it holds.
    pub text: &'a str,
}

impl<'a> TomlFile<'a> {
    /// The file as a table.
    pub fn parse(self) -> Result<DeTable<'a>, Misplaced> {
        let document = DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            let place = self.text.get(span.clone()).map(str::trim).filter(|place| is_short(place));
            let place = place.map_or_else(String::new, |place| format!(", at `{place}`"));
            self.error(span, told("", format!("this is not TOML: {message}{place}")))
        })?;
        Ok(document.into_inner())
    }

    /// What is wrong at the line of a place.
    pub fn error(&self, span: Range<usize>, Told { field, words }: Told) -> Misplaced {
        let told = told(in_one_line(field), in_one_line(words));
        Misplaced { path: self.path.to_owned(), line: self.line(&span), told }
    }

    /// The line of a place, from 1.
    pub fn line(&self, span: &Range<usize>) -> usize {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// A whole number within bounds.
    pub fn whole(&self, field: &str, value: &Value<'_>, lowest: u64, highest: u64) -> Result<u64, Misplaced> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.filter(|number| (lowest..=highest).contains(number)).ok_or_else(|| {
            let shown = shown(value.get_ref());
            let message =
                told(field, format!(" is {shown}, but it takes a whole number from {lowest} to {highest}"));
            self.error(value.span(), message)
        })
    }

    /// The value of a field; `name` is what the file has for it.
    pub fn value_of(
        &self,
        name: &str,
        field: &FieldOf<'_>,
        value: &Value<'_>,
    ) -> Result<crate::Value, Misplaced> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
            }
            other => plain(other),
        };
        text.as_deref().and_then(|text| field.takes.value(text)).ok_or_else(|| {
            let (shown, text) = (shown(value.get_ref()), text.unwrap_or_default());
            self.error(
                value.span(),
                told(name, format!(" is {shown}, but it takes {}", field.expected_for(&text))),
            )
        })
    }

    /// The value of a field of a table; `within` is what the file has before its name.
    ///
    /// # Panics
    /// When the table declares no such field.
    pub fn declared(
        &self,
        within: &str,
        declared: &[crate::Field],
        name: &str,
        value: &Value<'_>,
    ) -> Result<crate::Value, Misplaced> {
        let field = declared.iter().find(|field| field.name == name);
        let field = field.unwrap_or_else(|| panic!("{name} is declared in its table"));
        self.value_of(&format!("{within}{name}"), field, value)
    }

    /// A text in quotes.
    pub fn text_of(&self, field: &str, value: &Value<'_>) -> Result<String, Misplaced> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            other => Err(self.error(
                value.span(),
                told(field, format!(" is {}, but it takes a text in quotes", shown(other))),
            )),
        }
    }

    /// A table.
    pub fn table_of<'v>(&self, field: &str, value: &'v Value<'_>) -> Result<&'v DeTable<'v>, Misplaced> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            other => Err(self.error(
                value.span(),
                told(field, format!(" is {}, but it takes a table, such as [{field}]", shown(other))),
            )),
        }
    }

    /// One of several names.
    pub fn choose<T: Copy>(
        &self,
        field: &str,
        value: &Value<'_>,
        known: &[(&'static str, T)],
    ) -> Result<T, Misplaced> {
        let text = self.text_of(field, value)?;
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        known.iter().find(|(name, _)| *name == text).map(|(_, one)| *one).ok_or_else(|| {
            let near = crate::or_nearest(&text, &names);
            let message = told(field, format!(" is {text:?}, but it is one of {}{near}", names.join(", ")));
            self.error(value.span(), message)
        })
    }

    /// Refuses the first field that is not known.
    pub fn refuse_unknown(
        &self,
        within: &str,
        fields: &[Field<'_>],
        known: &[&str],
    ) -> Result<(), Misplaced> {
        let Some((name, span, _)) = fields.iter().find(|(name, ..)| !known.contains(name)) else {
            return Ok(());
        };
        let hint = crate::hint(name, known);
        Err(self.error(
            span.clone(),
            told(format!("{within}{name}"), format!(": there is no such field; {hint}")),
        ))
    }
}

/// A table's fields in the order of the file.
pub fn fields_of<'a>(table: &'a DeTable<'_>) -> Vec<Field<'a>> {
    let mut fields: Vec<Field<'_>> =
        table.iter().map(|(name, value)| (name.get_ref().as_ref(), name.span(), value)).collect();
    fields.sort_by_key(|(_, span, _)| span.start);
    fields
}

/// A value as a user would write it on the command line.
pub fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(on) => Some(on.to_string()),
        _ => None,
    }
}

/// A value as it stands in a sentence.
pub fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Array(list) if list.is_empty() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        other => plain(other).unwrap_or_else(|| "a date".to_owned()),
    }
}

/// Names that a user quotes may hold line breaks and worse.
pub fn in_one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    message.chars().map(plain).collect()
}

/// Whether a piece of the file helps in a sentence.
fn is_short(place: &str) -> bool {
    !place.is_empty() && place.len() <= 40 && !place.contains(char::is_control)
}
