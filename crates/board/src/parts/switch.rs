//! A switch or a fixed level: it drives its pin all the time.

use fields::{Field, Takes};

use super::{LEVELS, Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, anywhere};
use crate::kinds::{Kind, PIN, no_header};

pub(crate) const KIND: Kind = Kind {
    name: "switch",
    help: "a switch or a fixed level: it drives its pin all the time, to a level that a program may change",
    fields: &[
        Field::needed("pin", PIN, "the pin that reads it", "24"),
        Field::new("level", Takes::Choice(&LEVELS), "low", "the level when the board starts", "\"high\""),
    ],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: anywhere,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    Ok(Box::new(Switch { pin: values.pin("pin"), level: values.choice("level") == "high" }))
}

#[derive(Debug, Clone)]
struct Switch {
    pin: u8,
    /// When the board starts.
    level: bool,
}

impl Part for Switch {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.level(self.pin, Some(self.level));
    }

    fn pressed(&self, pressed: bool) -> Option<(u8, Option<bool>)> {
        Some((self.pin, Some(pressed)))
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}
