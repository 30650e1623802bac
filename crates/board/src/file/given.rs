//! The fields of a chip, checked one by one, into the part that they describe: what does not go together is refused here.

use std::collections::BTreeMap;

use units::Picoseconds;

use super::{Part, WiznetPart};
use crate::kinds::{Kind, KindField, Takes};

/// The values of a chip's fields, each as a number: GPIO, port, place of the word, picoseconds.
#[derive(Default)]
pub(super) struct Given(BTreeMap<&'static str, u64>);

impl Given {
    pub(super) fn set(&mut self, field: &KindField, value: u64) {
        self.0.insert(field.name, value);
    }

    pub(super) fn set_default(&mut self, field: &KindField) {
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

    pub(super) fn part(&self, kind: &'static Kind) -> Result<Part, String> {
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
