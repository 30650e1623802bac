//! The texts of an image by the numbers that frames have: the addresses of symbols in the section `.defmt`, whose names are JSON.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mcu::image::DefmtSymbols;
use serde::Deserialize;

use super::format::Format;

/// The forms of frames that are known: in the fourth, symbols name their crate as well.
const VERSIONS: [&str; 2] = ["3", "4"];
/// Set flags are compared with values of this many bytes.
const FLAG_BYTES: usize = 16;

/// How frames are told apart in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One behind the other, without anything between.
    Raw,
    /// [`super::rzcobs`].
    Rzcobs,
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message, with its level.
    Message(&'static str),
    /// A message without a level (`defmt::println!`).
    Line,
    /// What `defmt::write!` writes into another text.
    Written,
    /// A value of any other kind.
    Value,
}

/// A text of the image.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The whole name, which the debug information has as well.
    pub(super) symbol: String,
    formats: OnceLock<Vec<Option<Format>>>,
}

impl Entry {
    fn new(kind: Kind, text: String, symbol: &str) -> Self {
        Self { kind, text, symbol: symbol.to_owned(), formats: OnceLock::new() }
    }

    /// Its variants where it is the text of an enum; else one, itself.
    pub(super) fn formats(&self) -> &[Option<Format>] {
        self.formats.get_or_init(|| match self.kind {
            Kind::Value => self.text.split('|').map(Format::parse).collect(),
            _ => vec![Format::parse(&self.text)],
        })
    }
}

/// What says which flags' names belong together: those of one use of `defmt::bitflags!`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlagsKey {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) disambiguator: String,
    pub(super) crate_name: Option<String>,
}

/// The texts of an image.
#[derive(Debug)]
pub(super) struct Table {
    entries: BTreeMap<u16, Entry>,
    pub(super) timestamp: Option<Entry>,
    flags: BTreeMap<FlagsKey, Vec<(u128, String, u128)>>,
    pub(super) encoding: Encoding,
}

/// The name of a symbol, in the JSON that the macros write.
#[derive(Deserialize)]
struct Name {
    package: String,
    disambiguator: String,
    tag: String,
    data: String,
    crate_name: Option<String>,
}

impl Table {
    /// # Errors
    /// With a sentence where the image's frames are of a form that is not known.
    pub(super) fn of(symbols: &DefmtSymbols) -> Result<Self, String> {
        let newer = "and this Airwire has not learned that; use a defmt of version 0.3 or 1";
        let version = symbols.version().ok_or("its ELF does not say the version of its defmt frames")?;
        if !VERSIONS.contains(&version) {
            return Err(format!("its defmt frames are of version {version}, {newer}"));
        }
        let encoding = match symbols.encoding() {
            Some("rzcobs") => Encoding::Rzcobs,
            Some("raw") => Encoding::Raw,
            Some(other) => return Err(format!("its defmt frames are encoded as {other}, {newer}")),
            None => return Err("its ELF does not say how its defmt frames are encoded".to_owned()),
        };
        let mut table = Self { entries: BTreeMap::new(), timestamp: None, flags: BTreeMap::new(), encoding };
        for symbol in symbols.symbols() {
            // Other tools have names of their own there.
            if let Ok(name) = serde_json::from_str::<Name>(&symbol.name) {
                table.add(name, &symbol.name, symbol.address, &symbol.contents);
            }
        }
        table.flags.values_mut().for_each(|values| values.sort_by_key(|(place, ..)| *place));
        Ok(table)
    }

    fn add(&mut self, name: Name, symbol: &str, address: u32, contents: &[u8]) {
        let kind = match name.tag.strip_prefix("defmt_") {
            Some("timestamp") => {
                self.timestamp = Some(Entry::new(Kind::Written, name.data, symbol));
                return;
            }
            Some("bitflags_value") => {
                self.add_flag(name, contents);
                return;
            }
            Some("println") => Kind::Line,
            Some("write") => Kind::Written,
            Some("prim" | "derived" | "bitflags" | "str") => Kind::Value,
            Some("trace") => Kind::Message("TRACE"),
            Some("debug") => Kind::Message("DEBUG"),
            Some("info") => Kind::Message("INFO"),
            Some("warn") => Kind::Message("WARN"),
            Some("error") => Kind::Message("ERROR"),
            _ => return,
        };
        // Frames have no larger numbers.
        if let Ok(number) = u16::try_from(address) {
            self.entries.insert(number, Entry::new(kind, name.data, symbol));
        }
    }

    /// The text is `type::place::flag`, the symbol's contents are its value.
    fn add_flag(&mut self, name: Name, contents: &[u8]) {
        let Name { package, disambiguator, crate_name, data, .. } = name;
        let parts: Vec<&str> = data.split("::").collect();
        let [name, place, flag] = parts[..] else { return };
        let value: Option<[u8; FLAG_BYTES]> = contents.try_into().ok();
        let (Ok(place), Some(value)) = (place.parse::<u128>(), value) else { return };
        let key = FlagsKey { name: name.to_owned(), package, disambiguator, crate_name };
        let value = u128::from_le_bytes(value);
        self.flags.entry(key).or_default().push((place, flag.to_owned(), value));
    }

    /// The text of a number.
    pub(super) fn entry(&self, number: u16) -> Option<&Entry> {
        self.entries.get(&number)
    }

    /// The text of a number if it is no message.
    pub(super) fn inner(&self, number: u16) -> Option<&Entry> {
        self.entry(number).filter(|entry| !matches!(entry.kind, Kind::Message(_)))
    }

    /// The flags of a type in the order of their definition, each with its value.
    pub(super) fn flags(&self, key: &FlagsKey) -> Option<impl Iterator<Item = (&str, u128)>> {
        Some(self.flags.get(key)?.iter().map(|(_, name, value)| (name.as_str(), *value)))
    }
}
