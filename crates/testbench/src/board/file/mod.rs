//! Board files: TOML that says which MCU a board has, how its pins are called, and which chips are on them. Every error
//! names file, line and field.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeValue;
use units::{Bytes, Hertz, Picoseconds};

use super::BoardError;
use super::kinds::{self, KINDS, Kind, KindField, Takes};
use crate::toml_file::{Field, Misplaced, TomlFile, Value, fields_of, shown};

pub(super) const FIELDS: [&str; 7] = ["name", "title", "mcu", "crystal", "flash", "pins", "chips"];
/// GPIO 0 to 29 (RP2040 datasheet 1.4).
pub(super) const LAST_GPIO: u8 = 29;
const FIRST_ANALOG_GPIO: u8 = 26;
/// What the oscillator takes (RP2040 datasheet 2.16.1).
const CRYSTAL_HZ: (u64, u64) = (1_000_000, 15_000_000);
const FLASH_BYTES: (u64, u64) = (64 << 10, 16 << 20);
const MAX_CHIPS: usize = 100;
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
    /// The chips, in the order of the file.
    pub chips: Vec<Chip>,
}

/// A chip on a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// What the board calls it.
    pub name: String,
    /// What it is.
    pub part: Part,
}

/// What a chip is, with what the file says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A light.
    Led {
        /// GPIO.
        pin: u8,
    },
    /// A push button.
    Button {
        /// GPIO.
        pin: u8,
        /// The level while it is pressed.
        pressed_level: bool,
        /// The level that its resistor gives while it is not, if it has one.
        pull: Option<bool>,
        /// Whether it is pressed when the board starts.
        pressed: bool,
    },
    /// A level.
    Switch {
        /// GPIO.
        pin: u8,
        /// The level when the board starts.
        level: bool,
    },
    /// Two pins joined.
    Wire {
        /// One end.
        pin: u8,
        /// The other end.
        to: u8,
    },
    /// An echo on SPI.
    SpiLoopback {
        /// SPI port.
        port: u8,
        /// Its chip select.
        select: Option<u8>,
        /// Whether it answers with the frame before.
        previous: bool,
    },
    /// A voltage at an ADC input.
    Voltage {
        /// GPIO.
        pin: u8,
        /// How much.
        microvolts: i32,
    },
    /// A serial EEPROM.
    I2cEeprom {
        /// I2C port.
        port: u8,
        /// 7-bit address.
        address: u8,
        /// Size.
        bytes: u32,
        /// Page.
        page_bytes: u32,
        /// How long a write takes.
        write_time: Picoseconds,
    },
    /// An Ethernet chip of WIZnet.
    Wiznet(WiznetPart),
    /// An Ethernet MAC in the address space of the MCU.
    IdealMac {
        /// Its interrupt output.
        interrupt: u8,
    },
}

/// An Ethernet chip of WIZnet on an SPI port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WiznetPart {
    /// Which.
    pub model: wiznet::Model,
    /// SPI port.
    pub port: u8,
    /// Its chip select.
    pub select: Option<u8>,
    /// Its reset input.
    pub reset: Option<u8>,
    /// Its interrupt output.
    pub interrupt: Option<u8>,
    /// Its SCLK, where firmware may move the pins without an SPI port.
    pub clock: Option<u8>,
    /// Its MOSI, likewise.
    pub mosi: Option<u8>,
    /// Its MISO, likewise.
    pub miso: Option<u8>,
    /// How long its PHY negotiates before there is a link.
    pub link_up: Picoseconds,
}

impl Part {
    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Led { .. } => "led",
            Self::Button { .. } => "button",
            Self::Switch { .. } => "switch",
            Self::Wire { .. } => "wire",
            Self::SpiLoopback { .. } => "spi-loopback",
            Self::Voltage { .. } => "voltage",
            Self::I2cEeprom { .. } => "i2c-eeprom",
            Self::IdealMac { .. } => "ideal-mac",
            Self::Wiznet(part) => match part.model {
                wiznet::Model::W5100 => "w5100",
                wiznet::Model::W5100S => "w5100s",
                wiznet::Model::W5200 => "w5200",
                wiznet::Model::W5500 => "w5500",
            },
        }
    }
}

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
        Ok(Reader { file: TomlFile { path, text }, pins: Vec::new() }.board()?)
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
    match links::nearest(name, &names) {
        Some(near) => format!("; the nearest is {near}"),
        None if names.is_empty() => "; give its GPIO number, 0 to 29".to_owned(),
        None => format!("; it has {} and GPIO numbers 0 to 29", names.join(", ")),
    }
}

struct Reader<'a> {
    file: TomlFile<'a>,
    pins: Vec<(String, u8)>,
}

impl Reader<'_> {
    fn board(mut self) -> Result<BoardFile, Misplaced> {
        let document = self.file.parse()?;
        let fields = fields_of(&document);
        self.file.refuse_unknown("", &fields, &FIELDS)?;
        let find =
            |wanted: &str| fields.iter().find(|(name, ..)| *name == wanted).map(|(_, _, value)| *value);
        let text = |name: &str| find(name).map(|value| self.file.text_of(name, value)).transpose();
        let path = self.file.path;
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let name = text("name")?.unwrap_or(stem);
        let title = text("title")?.unwrap_or_else(|| name.clone());
        self.mcu(find("mcu"))?;
        let crystal_hz = self.crystal(find("crystal"))?;
        let flash_bytes = self.flash(find("flash"))?;
        if let Some(value) = find("pins") {
            self.read_pins(value)?;
        }
        let chips = find("chips").map_or(Ok(Vec::new()), |value| self.chips(value))?;
        Ok(BoardFile { name, title, crystal_hz, flash_bytes, pins: self.pins, chips })
    }

    fn mcu(&self, value: Option<&Value<'_>>) -> Result<(), Misplaced> {
        let Some(value) = value else {
            return Err(self.file.error(0..0, "mcu is missing: write mcu = \"rp2040\"".to_owned()));
        };
        let text = self.file.text_of("mcu", value)?;
        if text.eq_ignore_ascii_case("rp2040") {
            return Ok(());
        }
        Err(self
            .file
            .error(value.span(), format!("mcu is {text:?}, but the virtual board has an \"rp2040\"")))
    }

    fn crystal(&self, value: Option<&Value<'_>>) -> Result<u64, Misplaced> {
        let Some(value) = value else { return Ok(mcu::chip::Setup::default().crystal_hz) };
        let text = self.file.text_of("crystal", value)?;
        let wrong = |what: String| self.file.error(value.span(), format!("crystal{what}"));
        let hz = text.parse::<Hertz>().map_err(|error| wrong(format!(": {error}")))?.hz();
        if hz < CRYSTAL_HZ.0 || hz > CRYSTAL_HZ.1 {
            return Err(wrong(format!(" is {text}, but the RP2040's oscillator takes 1 MHz to 15 MHz")));
        }
        Ok(hz)
    }

    fn flash(&self, value: Option<&Value<'_>>) -> Result<u32, Misplaced> {
        let Some(value) = value else { return Ok(mcu::chip::Setup::default().flash_bytes) };
        let text = self.file.text_of("flash", value)?;
        let wrong = |what: String| self.file.error(value.span(), format!("flash{what}"));
        let bytes = text.parse::<Bytes>().map_err(|error| wrong(format!(": {error}")))?.get();
        if !bytes.is_power_of_two() || bytes < FLASH_BYTES.0 || bytes > FLASH_BYTES.1 {
            return Err(wrong(format!(" is {text}, but it takes a power of two from 64 KiB to 16 MiB")));
        }
        Ok(bytes as u32)
    }

    fn read_pins(&mut self, value: &Value<'_>) -> Result<(), Misplaced> {
        for (name, span, value) in fields_of(self.file.table_of("pins", value)?) {
            if name.is_empty() || find_pin(&[], name).is_some() {
                let message =
                    format!("pins.{name:?}: a name of a pin is no number; give for example LED = 25");
                return Err(self.file.error(span, message));
            }
            let gpio = self.file.whole(&format!("pins.{name}"), value, 0, u64::from(LAST_GPIO))?;
            self.pins.push((name.to_owned(), gpio as u8));
        }
        Ok(())
    }

    fn chips(&self, value: &Value<'_>) -> Result<Vec<Chip>, Misplaced> {
        let entries = fields_of(self.file.table_of("chips", value)?);
        if let Some((_, span, _)) = entries.get(MAX_CHIPS) {
            return Err(self.file.error(span.clone(), format!("chips: a board has at most {MAX_CHIPS}")));
        }
        entries.iter().map(|entry| self.chip(entry)).collect()
    }

    fn chip(&self, (name, span, value): &Field<'_>) -> Result<Chip, Misplaced> {
        let within = format!("chips.{name}");
        let fields = fields_of(self.file.table_of(&within, value)?);
        let kind = self.kind(&within, span, &fields)?;
        let known: Vec<&str> =
            ["kind"].into_iter().chain(kind.fields.iter().map(|field| field.name)).collect();
        self.file.refuse_unknown(&format!("{within}."), &fields, &known)?;
        let mut given = Given::default();
        for field in kind.fields {
            let at = fields.iter().find(|(name, ..)| *name == field.name);
            match at {
                Some((_, _, value)) => {
                    given.set(field, self.value(&format!("{within}.{}", field.name), field, value)?);
                }
                None if field.required => {
                    let message = format!(
                        "{within}.{} is missing: it is {}, such as {}",
                        field.name, field.help, field.example
                    );
                    return Err(self.file.error(span.clone(), message));
                }
                None => given.set_default(field),
            }
        }
        let part = given
            .part(kind)
            .map_err(|message| self.file.error(span.clone(), format!("{within}.{message}")))?;
        Ok(Chip { name: (*name).to_owned(), part })
    }

    fn kind(
        &self,
        within: &str,
        span: &std::ops::Range<usize>,
        fields: &[Field<'_>],
    ) -> Result<&'static Kind, Misplaced> {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let Some((_, _, value)) = fields.iter().find(|(name, ..)| *name == "kind") else {
            let message = format!("{within}.kind is missing: it is one of {}", names.join(", "));
            return Err(self.file.error(span.clone(), message));
        };
        let text = self.file.text_of(&format!("{within}.kind"), value)?;
        kinds::find(&text).ok_or_else(|| {
            let near = links::nearest(&text, &names)
                .map_or(String::new(), |near| format!("; the nearest is {near}"));
            let message = format!("{within}.kind is {text:?}, but it is one of {}{near}", names.join(", "));
            self.file.error(value.span(), message)
        })
    }

    fn value(&self, name: &str, field: &KindField, value: &Value<'_>) -> Result<u64, Misplaced> {
        let wrong = |what: String| self.file.error(value.span(), format!("{name} {what}"));
        let expected =
            || wrong(format!("is {}, but it takes {}", shown(value.get_ref()), field.takes.in_words()));
        match (field.takes, value.get_ref()) {
            (Takes::Pin | Takes::AnalogPin, _) => self.pin(name, field, value),
            (Takes::Word(words), DeValue::String(text)) => {
                words.iter().position(|word| word == text).map(|index| index as u64).ok_or_else(expected)
            }
            (Takes::Switch, DeValue::Boolean(on)) => Ok(u64::from(*on)),
            (Takes::Number(lowest, highest), DeValue::Integer(_)) => {
                self.file.whole(name, value, lowest, highest)
            }
            (Takes::Time { least, most }, DeValue::String(text)) => {
                let time: Picoseconds = text.parse().map_err(|error| wrong(format!(": {error}")))?;
                let within = (least..=most).contains(&time);
                if within { Ok(time.ps() as u64) } else { Err(expected()) }
            }
            _ => Err(expected()),
        }
    }

    fn pin(&self, name: &str, field: &KindField, value: &Value<'_>) -> Result<u64, Misplaced> {
        let wrong = |what: String| {
            self.file.error(value.span(), format!("{name} is {}, but {what}", shown(value.get_ref())))
        };
        let gpio = match value.get_ref() {
            DeValue::Integer(_) => self.file.whole(name, value, 0, u64::from(LAST_GPIO))? as u8,
            DeValue::String(text) => find_pin(&self.pins, text)
                .ok_or_else(|| wrong(format!("[pins] has no such name{}", hint(&self.pins, text))))?,
            _ => return Err(wrong(format!("it takes {}", field.takes.in_words()))),
        };
        if field.takes == Takes::AnalogPin && gpio < FIRST_ANALOG_GPIO {
            return Err(wrong(format!("it takes {}", field.takes.in_words())));
        }
        Ok(u64::from(gpio))
    }
}

/// The values of a chip's fields, each as a number: GPIO, port, place of the word, picoseconds.
#[derive(Default)]
struct Given(BTreeMap<&'static str, u64>);

impl Given {
    fn set(&mut self, field: &KindField, value: u64) {
        self.0.insert(field.name, value);
    }

    fn set_default(&mut self, field: &KindField) {
        let Some(text) = field.default else { return };
        let value = match field.takes {
            Takes::Word(words) => words.iter().position(|word| *word == text).map(|index| index as u64),
            Takes::Switch => Some(u64::from(text == "true")),
            Takes::Time { .. } => text.parse::<Picoseconds>().ok().map(|time| time.ps() as u64),
            Takes::Number(..) | Takes::Pin | Takes::AnalogPin => text.parse().ok(),
        };
        self.set(field, value.expect("a default in the table of kinds fits its field"));
    }

    fn number(&self, name: &str) -> u64 {
        *self.0.get(name).expect("a required field was given, and others have a default")
    }

    fn gpio(&self, name: &str) -> u8 {
        self.number(name) as u8
    }

    fn part(&self, kind: &'static Kind) -> Result<Part, String> {
        let select = || self.0.get("select").map(|&pin| pin as u8);
        // The words of levels begin with high, those of pulls with up.
        Ok(match kind.name {
            "led" => Part::Led { pin: self.gpio("pin") },
            "button" => Part::Button {
                pin: self.gpio("pin"),
                pressed_level: self.number("pressed_level") == 0,
                pull: [Some(true), Some(false), None][self.number("pull") as usize],
                pressed: self.number("pressed") == 1,
            },
            "switch" => Part::Switch { pin: self.gpio("pin"), level: self.number("level") == 0 },
            "wire" => self.wire()?,
            "spi-loopback" => Part::SpiLoopback {
                port: self.gpio("spi"),
                select: select(),
                previous: self.number("answer") == 1,
            },
            "voltage" => {
                Part::Voltage { pin: self.gpio("pin"), microvolts: self.number("millivolts") as i32 * 1000 }
            }
            "i2c-eeprom" => self.eeprom()?,
            "ideal-mac" => Part::IdealMac { interrupt: self.gpio("interrupt") },
            "w5100" => self.wiznet(wiznet::Model::W5100),
            "w5100s" => self.wiznet(wiznet::Model::W5100S),
            "w5200" => self.wiznet(wiznet::Model::W5200),
            "w5500" => self.wiznet(wiznet::Model::W5500),
            other => unreachable!("the table of kinds has {other}, and nobody makes it"),
        })
    }

    fn wiznet(&self, model: wiznet::Model) -> Part {
        let pin = |name| self.0.get(name).map(|&pin| pin as u8);
        Part::Wiznet(WiznetPart {
            model,
            port: self.gpio("spi"),
            select: pin("select"),
            reset: pin("reset"),
            interrupt: pin("interrupt"),
            clock: pin("clock"),
            mosi: pin("mosi"),
            miso: pin("miso"),
            link_up: Picoseconds::new(self.number("link_up") as i64),
        })
    }

    fn wire(&self) -> Result<Part, String> {
        let (pin, to) = (self.gpio("pin"), self.gpio("to"));
        if pin == to {
            return Err(format!("to is GPIO {to}, the same pin; a wire has two ends"));
        }
        Ok(Part::Wire { pin, to })
    }

    fn eeprom(&self) -> Result<Part, String> {
        let (bytes, page_bytes) = (self.number("bytes"), self.number("page_bytes"));
        for (name, value) in [("bytes", bytes), ("page_bytes", page_bytes)] {
            if !value.is_power_of_two() {
                return Err(format!("{name} is {value}, but it takes a power of two"));
            }
        }
        if page_bytes > bytes {
            return Err(format!("page_bytes is {page_bytes}, but the chip has {bytes} bytes"));
        }
        Ok(Part::I2cEeprom {
            port: self.gpio("i2c"),
            address: self.gpio("address"),
            bytes: bytes as u32,
            page_bytes: page_bytes as u32,
            write_time: Picoseconds::new(self.number("write_time") as i64),
        })
    }
}
