//! Board files: TOML that says which MCU a board has, how its pins are called, and which chips are on them. Every error
//! names file, line and field.

mod given;
mod reader;

use std::path::Path;

use rp2040::FACTS;
use units::Picoseconds;

use super::BoardError;
use crate::toml_file::TomlFile;
use reader::Reader;

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
        Ok(Reader::of(TomlFile { path, text }).board()?)
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
