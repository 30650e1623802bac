//! Settings of an image: 32-bit words in its flash that it declares as `const volatile uint32_t setting_<name>`, and that are
//! given other values before the chip starts. Compilers that put them among the variables (GCC does, for they are volatile)
//! leave the first values in flash all the same: those are changed. The image stays the one that is flashed on a board; only
//! these words differ. `kind` knows what a word holds; the firmware notes that in a section of its ELF.

mod changed_file;
mod kind;

use std::collections::BTreeMap;

use mcu::image::Image;
use thiserror::Error;

pub use changed_file::changed_image_file;
use kind::Kind;

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
    /// Where the image has the word.
    pub address: u32,
    /// The word as it stands in memory, the first byte first.
    pub bytes: [u8; 4],
    /// What it is for, where the image notes it.
    pub meaning: Option<String>,
    kind: Kind,
}

/// A setting that cannot be given to an image.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingProblem {
    /// The image has none of that name.
    #[error("{image} has no setting {name}{hint}")]
    Unknown {
        /// The image.
        image: String,
        /// As the user wrote it.
        name: String,
        /// What there is.
        hint: String,
    },
    /// The value is none for it.
    #[error("{name} is {value:?}, but it takes {takes}")]
    Value {
        /// The setting.
        name: String,
        /// As the user wrote it.
        value: String,
        /// What it takes.
        takes: String,
    },
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

impl ImageSetting {
    /// Its value as a number.
    pub fn value(&self) -> u32 {
        u32::from_le_bytes(self.bytes)
    }

    /// Its value as a user would write it.
    pub fn text(&self) -> String {
        self.kind.text(self.bytes)
    }

    /// Its value with its unit.
    pub fn shown(&self) -> String {
        self.kind.shown(self.bytes)
    }

    /// What it takes, such as `on or off`.
    pub fn takes(&self) -> String {
        self.kind.to_string()
    }

    fn word_of(&self, text: &str) -> Result<[u8; 4], SettingProblem> {
        let text = text.trim();
        self.kind.word(text).ok_or_else(|| SettingProblem::Value {
            name: self.name.clone(),
            value: text.to_owned(),
            takes: self.takes(),
        })
    }
}

/// The settings that an image declares, in the order of names.
///
/// # Errors
/// When it notes a kind that is none.
pub fn image_settings(image: &Image) -> Result<Vec<ImageSetting>, SettingProblem> {
    let notes = notes_of(image);
    let words = image.symbols().variables(PREFIX).filter(|(_, variable)| variable.size == WORD_BYTES);
    let declared = words.filter_map(|(symbol, variable)| {
        let bytes = image.read(variable.loaded_at, WORD_BYTES as usize)?.try_into().ok()?;
        Some((&symbol[PREFIX.len()..], variable.loaded_at, bytes))
    });
    let settings = declared.map(|(name, address, bytes)| {
        let note = notes.get(name);
        let kind = match note {
            Some((noted, _)) => Kind::noted(noted).ok_or_else(|| SettingProblem::Note {
                image: image.name().to_owned(),
                name: name.to_owned(),
                noted: noted.clone(),
            })?,
            None => Kind::by_name(name),
        };
        let meaning = note.map(|(_, meaning)| meaning.clone());
        Ok(ImageSetting { name: name.to_owned(), address, bytes, meaning, kind })
    });
    settings.collect()
}

/// Kind and meaning by name. Compilers leave more than one NUL between notes, to align them.
fn notes_of(image: &Image) -> BTreeMap<String, (String, String)> {
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
        let bytes = setting.word_of(value)?;
        changed = changed.with_bytes(setting.address, &bytes).expect("the word was read from the image");
    }
    Ok(changed)
}

fn unknown(image: &Image, declared: &[ImageSetting], name: &str) -> SettingProblem {
    let names: Vec<&str> = declared.iter().map(|setting| setting.name.as_str()).collect();
    let hint = match fields::nearest(name, &names) {
        Some(near) => format!("; the nearest is {near}"),
        None if names.is_empty() => {
            "; it has none at all: a setting is a word in flash, const volatile uint32_t setting_<name>, and its \
             name is known from an ELF (or --symbols)"
                .to_owned()
        }
        None => format!("; it has {}", names.join(", ")),
    };
    SettingProblem::Unknown { image: image.name().to_owned(), name: name.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_number_of_its_unit_is_refused_with_what_it_takes() {
        let setting = ImageSetting {
            name: "poll_ms".to_owned(),
            address: 0,
            bytes: [0; 4],
            meaning: None,
            kind: Kind::by_name("poll_ms"),
        };
        let sentence = setting.word_of("1500 us").unwrap_err().to_string();
        assert_eq!(
            sentence,
            "poll_ms is \"1500 us\", but it takes a time in whole milliseconds, such as 64 ms or 64"
        );
    }
}
