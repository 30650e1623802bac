//! Board files: TOML that says which MCU a board has, how its pins are called, and which parts are on them (its `chips`). Every error
//! names file, line and field.

mod reader;

use std::path::Path;

use super::BoardError;
use super::kinds::{Kind, kinds};
use super::parts::Part;
use super::values::{Value as PartValue, Values};
use fields::toml_file::TomlFile;
use reader::Reader;
use rp2040::FACTS;

pub(super) const FIELDS: [&str; 7] = ["name", "title", "mcu", "crystal", "flash", "pins", "chips"];
/// The last pin that a board may name.
pub(super) const LAST_GPIO: u8 = FACTS.gpio_count - 1;
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A board, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardFile {
    /// What it is called: its own `name`, or that of its file.
    pub name: String,
    /// A line for people.
    pub title: String,
    /// The crystal.
    pub crystal_hz: u64,
    /// The flash chip.
    pub flash_bytes: u32,
    /// Names of pins with their GPIO, in the order of the file.
    pub pins: Vec<(String, u8)>,
    /// The parts, in the order of the file.
    pub parts: Vec<PartEntry>,
}

/// A part of a board, as its file describes it.
#[derive(Debug, Clone)]
pub struct PartEntry {
    /// What the board calls it.
    pub name: String,
    pub(super) kind: &'static Kind,
    pub(super) values: Values,
}

impl PartEntry {
    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// What the file says of a field, or its default; nothing for one that is open, or that the kind does not have.
    pub fn value(&self, field: &str) -> Option<PartValue> {
        self.values.get(field)
    }

    /// The pins that it is on, by their fields.
    pub fn pins(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.values.pins()
    }

    /// Whether it has an Ethernet port.
    pub fn has_ethernet(&self) -> bool {
        self.kind.has_ethernet
    }

    /// The part itself; what does not go together is refused in words that begin with a field.
    pub(super) fn build(&self) -> Result<Box<dyn Part>, String> {
        (self.kind.build)(self)
    }
}

impl PartialEq for PartEntry {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.kind.name, &self.values) == (&other.name, other.kind.name, &other.values)
    }
}

impl Eq for PartEntry {}

impl BoardFile {
    /// Reads a board file.
    ///
    /// # Errors
    /// When it cannot be read or describes no board; the message names file, line and field.
    pub fn open(path: &Path) -> Result<Self, BoardError> {
        let unreadable =
            |reason: String| BoardError::Read { path: path.to_owned(), what: "board file", reason };
        let length = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
        if length > MAX_FILE_BYTES {
            return Err(unreadable(format!(
                "it has {length} bytes; a board file has at most {MAX_FILE_BYTES}"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        Self::parse(path, &text)
    }

    /// Reads a board file from its text; `path` is what errors call it.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, BoardError> {
        Self::parse_with(kinds(), path, text)
    }

    /// The same, with a table of kinds of its own.
    pub(super) fn parse_with(kinds: &'static [Kind], path: &Path, text: &str) -> Result<Self, BoardError> {
        Ok(Reader::of(TomlFile { path, text }, kinds).board()?)
    }

    /// The GPIO of a pin by its name, or by its number as `25` or `GP25`.
    ///
    /// # Errors
    /// When the board has none.
    pub fn pin(&self, name: &str) -> Result<u8, BoardError> {
        find_pin(&self.pins, name).ok_or_else(|| BoardError::NoPin {
            board: self.name.clone(),
            name: name.to_owned(),
            hint: hint(&self.pins, name),
        })
    }

    /// What a GPIO is called: by its first name, or as `GP25`.
    pub fn pin_name(&self, gpio: u8) -> String {
        let named = self.pins.iter().find(|(_, pin)| *pin == gpio);
        named.map_or_else(|| format!("GP{gpio}"), |(name, _)| name.clone())
    }
}

fn find_pin(pins: &[(String, u8)], name: &str) -> Option<u8> {
    let named = pins.iter().find(|(known, _)| known == name).map(|(_, pin)| *pin);
    let digits = name.strip_prefix("GPIO").or_else(|| name.strip_prefix("GP")).unwrap_or(name);
    named.or_else(|| digits.parse().ok().filter(|&pin| pin <= LAST_GPIO))
}

fn hint(pins: &[(String, u8)], name: &str) -> String {
    let names: Vec<&str> = pins.iter().map(|(name, _)| name.as_str()).collect();
    match fields::nearest(name, &names) {
        Some(near) => format!("; the nearest is {near}"),
        None if names.is_empty() => "; give its GPIO number, 0 to 29".to_owned(),
        None => format!("; it has {} and GPIO numbers 0 to 29", names.join(", ")),
    }
}
