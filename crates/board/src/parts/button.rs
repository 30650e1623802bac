//! A push button: it drives its pin while it is pressed, and its resistor pulls while it is not.

use fields::{Field, Takes};

use super::{Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, anywhere};
use crate::kinds::{Kind, PIN, no_header};

const PULLS: [&str; 3] = ["up", "down", "none"];

pub(crate) const KIND: Kind = Kind {
    name: "button",
    help: "a push button: it drives its pin while it is pressed, and its resistor pulls while it is not",
    fields: &[
        Field::needed("pin", PIN, "the pin that reads it", "14"),
        Field::new(
            "pressed_level",
            Takes::Choice(&super::LEVELS),
            "low",
            "the level while it is pressed",
            "\"low\"",
        ),
        Field::new(
            "pull",
            Takes::Choice(&PULLS),
            "none",
            "the board's resistor; with none the pad's own pull counts",
            "\"up\"",
        ),
        Field::new("pressed", Takes::Flag, "false", "whether it is pressed when the board starts", "false"),
    ],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: anywhere,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    Ok(Box::new(Button {
        pin: values.pin("pin"),
        pressed_level: values.choice("pressed_level") == "high",
        pull: match values.choice("pull") {
            "up" => Some(true),
            "down" => Some(false),
            _ => None,
        },
        pressed: values.switch("pressed"),
    }))
}

#[derive(Debug, Clone)]
struct Button {
    pin: u8,
    pressed_level: bool,
    /// The level that its resistor gives while it is not pressed, if it has one.
    pull: Option<bool>,
    /// When the board starts.
    pressed: bool,
}

impl Part for Button {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        let level = if self.pressed { Some(self.pressed_level) } else { self.pull };
        wiring.level(self.pin, level);
    }

    fn pressed(&self, pressed: bool) -> Option<(u8, Option<bool>)> {
        Some((self.pin, if pressed { Some(self.pressed_level) } else { self.pull }))
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}
