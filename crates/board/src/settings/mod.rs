//! Settings of an image: 32-bit words in its flash that it declares as `const volatile uint32_t setting_<name>`, or texts whose
//! bound it notes, that are
//! given other values before the chip starts. Compilers that put them among the variables (GCC does, for they are volatile)
//! leave the first values in flash all the same: those are changed. The image stays the one that is flashed on a board; only
//! these words differ. A setting is a field that the image declares: what its word holds is in a note of its ELF (`kind`).

mod changed_file;
mod kind;

use std::collections::BTreeMap;

use fields::{FieldOf, SettingError, TakesOf};
use mcu::image::Image;
use thiserror::Error;

pub use changed_file::changed_image_file;

/// What the names of such words begin with.
const PREFIX: &str = "setting_";
const WORD_BYTES: u32 = 4;
/// The section of notes: of each setting name, kind and meaning, each with a NUL behind it.
const NOTES: &str = "settings";
const NOTE_TEXTS: usize = 3;

/// A setting of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageSetting {
    /// Its name, without `setting_`.
    pub name: String,
    /// Where the image has it.
    pub address: u32,
    /// It as it stands in memory, the first byte first: a word, or a text with zeros behind it.
    pub bytes: Vec<u8>,
    /// What it is for, where the image notes it.
    pub meaning: Option<String>,
    /// What the word holds, in the words of the note.
    note: Option<String>,
    /// The value that the image was built with, as a user would write it.
    built_in: String,
}

/// A setting that cannot be given to an image.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingProblem {
    /// The image has none of that name, or the value is none for it.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The image notes a kind that is none.
    #[error("{image} notes its setting {name} as {noted:?}, which is no kind of setting; build it again")]
    Note {
        /// The image.
        image: String,
        /// The setting.
        name: String,
        /// What it notes.
        noted: String,
    },
}

/// Kind and meaning of a setting, as an image notes them.
type Note = (String, String);

impl ImageSetting {
    /// A setting as an image declares it; the kind where that makes no sense.
    fn of(name: &str, address: u32, bytes: Vec<u8>, note: Option<Note>) -> Result<Self, String> {
        let (note, meaning) = note.unzip();
        if let Some(note) = note.as_ref().filter(|note| kind::noted(note).is_none()) {
            return Err(note.clone());
        }
        let (name, built_in) = (name.to_owned(), String::new());
        let mut setting = Self { name, address, bytes, meaning, note, built_in };
        setting.built_in = setting.text();
        Ok(setting)
    }

    /// It as a declared field, by which it is read, refused, described and offered.
    pub fn field(&self) -> FieldOf<'_> {
        let note = self.note.as_deref();
        let takes = note.and_then(kind::noted).unwrap_or_else(|| kind::by_name(&self.name));
        let example = if matches!(takes, TakesOf::Address) { "192.168.1.50" } else { &self.built_in };
        FieldOf::new(&self.name, takes, &self.built_in, self.meaning.as_deref().unwrap_or_default(), example)
    }

    /// Its value as a number; a text is none.
    pub fn value(&self) -> Option<u32> {
        let word = self.bytes.first_chunk().copied().filter(|_| !kind::is_text(&self.field().takes));
        word.map(u32::from_le_bytes)
    }

    /// Its value as a user would write it.
    pub fn text(&self) -> String {
        let takes = self.field().takes;
        takes.text(&kind::value_of(&takes, &self.name, &self.bytes))
    }

    /// Its value with its unit.
    pub fn shown(&self) -> String {
        let takes = self.field().takes;
        takes.shown(&kind::value_of(&takes, &self.name, &self.bytes))
    }

    /// What it takes, such as `on or off`.
    pub fn takes(&self) -> String {
        self.field().expected()
    }

    /// The bytes that a text stands for. A switch is written as the number in its word as well.
    fn bytes_of(&self, text: &str) -> Result<Vec<u8>, SettingError> {
        let field = self.field();
        let value = match (field.takes, text.trim()) {
            (TakesOf::Switch, "1") => field.parse("on")?,
            (TakesOf::Switch, "0") => field.parse("off")?,
            (_, text) => field.parse(text)?,
        };
        kind::bytes_of(&field.takes, &value, self.bytes.len()).ok_or_else(|| field.refused(text))
    }
}

/// The settings that an image declares, in the order of names.
///
/// # Errors
/// When it notes a kind that is none.
pub fn image_settings(image: &Image) -> Result<Vec<ImageSetting>, SettingProblem> {
    let notes = notes_of(image);
    let is_text = |name: &str| {
        notes.get(name).and_then(|(noted, _)| kind::noted(noted)).is_some_and(|takes| kind::is_text(&takes))
    };
    let declared = image.symbols().variables(PREFIX).filter_map(|(symbol, variable)| {
        let name = &symbol[PREFIX.len()..];
        let is_setting = variable.size == WORD_BYTES || is_text(name);
        let bytes = is_setting.then(|| image.read(variable.loaded_at, variable.size as usize)).flatten()?;
        Some((name, variable.loaded_at, bytes.to_vec()))
    });
    let settings = declared.map(|(name, address, bytes)| {
        ImageSetting::of(name, address, bytes, notes.get(name).cloned()).map_err(|noted| {
            SettingProblem::Note { image: image.name().to_owned(), name: name.to_owned(), noted }
        })
    });
    settings.collect()
}

/// Kind and meaning by name. Compilers leave more than one NUL between notes, to align them.
fn notes_of(image: &Image) -> BTreeMap<String, Note> {
    let section = image.symbols().notes(NOTES).unwrap_or_default();
    let texts = section.split(|&byte| byte == 0).filter(|text| !text.is_empty());
    let texts: Vec<String> = texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let (notes, _) = texts.as_chunks::<NOTE_TEXTS>();
    notes.iter().map(|[name, kind, meaning]| (name.clone(), (kind.clone(), meaning.clone()))).collect()
}

/// The image with other values of some of its settings.
///
/// # Errors
/// When it has no such setting, or a value is none.
pub fn with_settings(image: &Image, values: &BTreeMap<String, String>) -> Result<Image, SettingProblem> {
    let declared = image_settings(image)?;
    let mut changed = image.clone();
    for (name, value) in values {
        let found = declared.iter().find(|setting| setting.name == *name);
        let setting = found.ok_or_else(|| unknown(image, &declared, name))?;
        let bytes = setting.bytes_of(value)?;
        changed = changed.with_bytes(setting.address, &bytes).expect("it was read from the image");
    }
    Ok(changed)
}

fn unknown(image: &Image, declared: &[ImageSetting], name: &str) -> SettingError {
    let names: Vec<&str> = declared.iter().map(|setting| setting.name.as_str()).collect();
    match SettingError::unknown(image.name(), name, &names) {
        SettingError::Unknown { owner, name, .. } if names.is_empty() => {
            let hint = if image.symbols().is_empty() {
                "it has no names, by which its settings are known; give the ELF of the same build as symbols (--symbols)"
            } else {
                "it has none at all: a setting is a word in flash, const volatile uint32_t setting_<name>"
            };
            SettingError::Unknown { owner, name, hint: hint.to_owned() }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_number_of_its_unit_is_refused_with_what_it_takes() {
        let setting = ImageSetting::of("poll_ms", 0, vec![0; 4], None).unwrap();
        let sentence = setting.bytes_of("1500 us").unwrap_err().to_string();
        assert_eq!(
            sentence,
            "poll_ms is \"1500 us\", but it takes a time in whole milliseconds, such as 64 ms or 64"
        );
    }

    #[test]
    fn an_address_is_refused_with_an_example() {
        let note = ("address".to_owned(), "the board's".to_owned());
        let setting = ImageSetting::of("ip", 0, vec![192, 168, 1, 2], Some(note)).unwrap();
        let sentence = setting.bytes_of("5").unwrap_err().to_string();
        assert_eq!(sentence, "ip is \"5\", but it takes an IPv4 address such as 192.168.1.50");
        let field = setting.field();
        assert_eq!((field.default_text(), field.help), ("192.168.1.2", "the board's"));
    }
}
