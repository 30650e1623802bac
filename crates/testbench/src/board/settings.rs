//! Settings of an image: 32-bit words in its flash that it declares as `const volatile uint32_t setting_<name>`, and that are
//! given other values before the chip starts. Compilers that put them among the variables (GCC does, for they are volatile)
//! leave the first values in flash all the same: those are changed. The image stays the one that is flashed on a board; only
//! these words differ.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use mcu::image::Image;
use thiserror::Error;
use units::{Bytes, Hertz, Picoseconds};

/// What the names of such words begin with.
const PREFIX: &str = "setting_";
const WORD_BYTES: u32 = 4;

/// A setting of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageSetting {
    /// Its name, without `setting_`.
    pub name: String,
    /// Where the image has the word.
    pub address: u32,
    /// The word as it stands in memory, the first byte first.
    pub bytes: [u8; 4],
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
        takes: &'static str,
    },
}

impl ImageSetting {
    /// Its value as a number.
    pub fn value(&self) -> u32 {
        u32::from_le_bytes(self.bytes)
    }

    /// Its value as a user would write it: an address where the name says that it is one.
    pub fn text(&self) -> String {
        let last = self.name.rsplit('_').next().unwrap_or_default();
        if ["address", "ip", "gateway", "mask", "subnet", "netmask", "server", "dns", "broker"]
            .contains(&last)
        {
            return Ipv4Addr::from(self.bytes).to_string();
        }
        self.value().to_string()
    }
}

/// The settings that an image declares, in the order of names.
pub fn image_settings(image: &Image) -> Vec<ImageSetting> {
    let words = image.symbols().variables(PREFIX).filter(|(_, variable)| variable.size == WORD_BYTES);
    let declared = words.filter_map(|(name, variable)| {
        let bytes = image.read(variable.loaded_at, WORD_BYTES as usize)?.try_into().ok()?;
        Some(ImageSetting { name: name[PREFIX.len()..].to_owned(), address: variable.loaded_at, bytes })
    });
    declared.collect()
}

/// The image with other values of some of its settings.
///
/// # Errors
/// When it has no such setting, or a value is none.
pub fn with_settings(image: &Image, values: &BTreeMap<String, String>) -> Result<Image, SettingProblem> {
    let declared = image_settings(image);
    let mut changed = image.clone();
    for (name, value) in values {
        let found = declared.iter().find(|setting| setting.name == *name);
        let setting = found.ok_or_else(|| unknown(image, &declared, name))?;
        let bytes = word_of(name, value)?;
        changed = changed.with_bytes(setting.address, &bytes).expect("the word was read from the image");
    }
    Ok(changed)
}

fn unknown(image: &Image, declared: &[ImageSetting], name: &str) -> SettingProblem {
    let names: Vec<&str> = declared.iter().map(|setting| setting.name.as_str()).collect();
    let hint = match links::nearest(name, &names) {
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

/// The bytes of a setting's word: a whole number, or what the end of the setting's name says that it is.
fn word_of(name: &str, text: &str) -> Result<[u8; 4], SettingProblem> {
    let (text, holds) = (text.trim(), Holds::of(name));
    let word = number(text).map(u32::to_le_bytes).or_else(|| holds.word(text));
    word.ok_or_else(|| SettingProblem::Value {
        name: name.to_owned(),
        value: text.to_owned(),
        takes: holds.takes(),
    })
}

/// A number as C has it, with `_` between digits.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.replace('_', "").parse().ok(),
    }
}

/// What a setting's word holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Hertz,
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Bytes,
    /// A number, a switch or an address: its name has no unit.
    NoQuantity,
}

impl Holds {
    /// By the unit in which its name ends.
    fn of(name: &str) -> Self {
        match name.rsplit('_').next().unwrap_or_default() {
            "hz" => Self::Hertz,
            "s" => Self::Seconds,
            "ms" => Self::Milliseconds,
            "us" => Self::Microseconds,
            "ns" => Self::Nanoseconds,
            "bytes" => Self::Bytes,
            _ => Self::NoQuantity,
        }
    }

    /// The bytes that a text with a unit, a switch or an address stands for, the first one first.
    fn word(self, text: &str) -> Option<[u8; 4]> {
        let count = match self {
            Self::Hertz => text.parse::<Hertz>().ok()?.hz(),
            Self::Bytes => text.parse::<Bytes>().ok()?.get(),
            Self::Seconds => whole(text, units::PS_PER_S)?,
            Self::Milliseconds => whole(text, units::PS_PER_MS)?,
            Self::Microseconds => whole(text, units::PS_PER_US)?,
            Self::Nanoseconds => whole(text, units::PS_PER_NS)?,
            Self::NoQuantity => match text {
                "on" | "true" => 1,
                "off" | "false" => 0,
                _ => return text.parse().ok().map(|address: Ipv4Addr| address.octets()),
            },
        };
        u32::try_from(count).ok().map(u32::to_le_bytes)
    }

    fn takes(self) -> &'static str {
        match self {
            Self::Hertz => "a frequency of at most 4294967295 Hz, such as 33 MHz or 33000000",
            Self::Seconds => "a time in whole seconds, such as 2 s or 2",
            Self::Milliseconds => "a time in whole milliseconds, such as 64 ms or 64",
            Self::Microseconds => "a time in whole microseconds, such as 500 us or 500",
            Self::Nanoseconds => "a time in whole nanoseconds, such as 30 ns or 30",
            Self::Bytes => "a size, such as 2 KiB or 2048",
            Self::NoQuantity => {
                "a whole number from 0 to 4294967295, on or off, or an IPv4 address such as 192.168.1.50"
            }
        }
    }
}

/// A time as a whole number of a unit.
fn whole(text: &str, unit_ps: i64) -> Option<u64> {
    let time: Picoseconds = text.parse().ok()?;
    u64::try_from(time.ps() / unit_ps).ok().filter(|_| time.ps() % unit_ps == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, text: &str) -> Option<u32> {
        word_of(name, text).ok().map(u32::from_le_bytes)
    }

    #[test]
    fn quantities_are_written_in_the_unit_of_the_name() {
        assert_eq!(word("spi_hz", "33 MHz"), Some(33_000_000));
        assert_eq!(word("spi_hz", "33250000"), Some(33_250_000));
        assert_eq!(word("poll_ms", "64 ms"), Some(64));
        assert_eq!(word("poll_ms", "2s"), Some(2000));
        assert_eq!(word("poll_us", "1.5 ms"), Some(1500));
        assert_eq!(word("window_bytes", "2 KiB"), Some(2048));
        assert_eq!(word("count", "0xff"), Some(255));
        assert_eq!([word("interrupts", "on"), word("interrupts", "off")], [Some(1), Some(0)]);
    }

    #[test]
    fn an_address_has_its_first_octet_at_the_lowest_address() {
        assert_eq!(word_of("server_address", "192.168.1.50"), Ok([192, 168, 1, 50]));
    }

    #[test]
    fn a_setting_with_a_unit_is_no_switch_and_no_address() {
        for name in ["spi_hz", "keep_alive_s", "poll_ms", "poll_us", "work_ns", "window_bytes"] {
            for text in ["on", "false", "192.168.1.50"] {
                assert!(word_of(name, text).is_err(), "{name}={text}");
            }
            assert_eq!(word(name, "0x10"), Some(16), "{name}");
        }
    }

    #[test]
    fn what_is_no_whole_number_of_its_unit_is_refused_with_what_it_takes() {
        let sentence = word_of("poll_ms", "1500 us").unwrap_err().to_string();
        assert_eq!(
            sentence,
            "poll_ms is \"1500 us\", but it takes a time in whole milliseconds, such as 64 ms or 64"
        );
        assert!(word_of("count", "-1").is_err() && word_of("count", "5000000000").is_err());
        assert!(word_of("spi_hz", "33 MB").is_err() && word_of("count", "33 MHz").is_err());
    }
}
