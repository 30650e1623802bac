//! Board files: TOML that says which MCU a board has, how its pins are called, and which parts are on them (its `chips`). Every error
//! names file, line and field.

mod fields;
mod reader;

use std::path::Path;

use super::BoardError;
use super::fits::Misfit;
use super::kinds::{Kind, kinds};
use super::mcus::MCUS;
use super::parts::Part;
use ::fields::toml_file::TomlFile;
use ::fields::{Settings, Value};
pub(crate) use fields::board_fields;
use mcu::{Facts, McuKind};
use reader::Reader;

const MAX_FILE_BYTES: u64 = 1 << 20;

/// A board, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardFile {
    /// What it is called: its own `name`, or that of its file.
    pub name: String,
    /// A line for people.
    pub title: String,
    /// The microcontroller.
    pub mcu: &'static McuKind,
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
    pub(super) values: Settings,
}

impl PartEntry {
    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// What the file says of a field, or its default; nothing for one that is open, or that the kind does not have.
    pub fn value(&self, field: &str) -> Option<&Value> {
        self.values.get(field)
    }

    /// The pins that it is on, by their fields.
    pub fn pins(&self) -> impl Iterator<Item = (&'static str, u8)> {
        self.values.iter().filter_map(|(field, value)| match value {
            Value::Pin(pin) => Some((field, *pin)),
            _ => None,
        })
    }

    /// Whether it has an Ethernet port.
    pub fn has_ethernet(&self) -> bool {
        self.kind.has_ethernet
    }

    /// Whether a microcontroller has the ports and pins that it needs.
    pub(super) fn fits(&self, facts: &Facts) -> Result<(), Misfit> {
        (self.kind.fits)(self, facts)
    }

    /// The part itself; what does not go together is refused.
    pub(super) fn build(&self) -> Result<Box<dyn Part>, Misfit> {
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
        let text = files::read_text(path, MAX_FILE_BYTES).map_err(|error| unreadable(error.to_string()))?;
        Self::parse(path, &text)
    }

    /// Reads a board file from its text; `path` is what errors call it.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse(path: &Path, text: &str) -> Result<Self, BoardError> {
        Self::parse_for(&MCUS, path, text)
    }

    /// The same, for boards with other microcontrollers than those that come along.
    ///
    /// # Errors
    /// Like [`Self::open`].
    pub fn parse_for(mcus: &'static [&'static McuKind], path: &Path, text: &str) -> Result<Self, BoardError> {
        Ok(Reader::of(TomlFile { path, text }, kinds(), mcus).board()?)
    }

    /// The same as [`Self::parse`], with a table of kinds of its own.
    #[cfg(test)]
    pub(super) fn parse_with(kinds: &'static [Kind], path: &Path, text: &str) -> Result<Self, BoardError> {
        Ok(Reader::of(TomlFile { path, text }, kinds, &MCUS).board()?)
    }

    /// The GPIO of a pin by its name, by its number as `25` or `GP25`, or as its microcontroller calls it.
    ///
    /// # Errors
    /// When the board has none.
    pub fn pin(&self, name: &str) -> Result<u8, BoardError> {
        find_pin(&self.pins, name, self.mcu.facts).ok_or_else(|| BoardError::NoPin {
            board: self.name.clone(),
            name: name.to_owned(),
            hint: hint(&self.pins, name, self.mcu.facts),
        })
    }

    /// What a GPIO is called: by its first name, or as its microcontroller calls it.
    pub fn pin_name(&self, gpio: u8) -> String {
        let named = self.pins.iter().find(|(_, pin)| *pin == gpio);
        named.map_or_else(|| (self.mcu.facts.pin_name)(gpio), |(name, _)| name.clone())
    }
}

fn find_pin(pins: &[(String, u8)], name: &str, facts: &Facts) -> Option<u8> {
    let named = pins.iter().find(|(known, _)| known == name).map(|(_, pin)| *pin);
    let digits = name.strip_prefix("GPIO").or_else(|| name.strip_prefix("GP")).unwrap_or(name);
    let numbered = || digits.parse().ok().filter(|&pin| pin < facts.gpio_count);
    let own = || (0..facts.gpio_count).find(|&pin| (facts.pin_name)(pin) == name);
    named.or_else(numbered).or_else(own)
}

fn hint(pins: &[(String, u8)], name: &str, facts: &Facts) -> String {
    let last = facts.last_gpio();
    let names: Vec<&str> = pins.iter().map(|(name, _)| name.as_str()).collect();
    match ::fields::nearest(name, &names) {
        Some(near) => format!("; the nearest is {near}"),
        None if names.is_empty() => format!("; give its GPIO number, 0 to {last}"),
        None => format!("; it has {} and GPIO numbers 0 to {last}", names.join(", ")),
    }
}
