//! A light-emitting diode: recordings show its pin under its name.

use fields::Field;

use super::Part;
use crate::file::PartEntry;
use crate::fits::anywhere;
use crate::header::Defines;
use crate::kinds::{Kind, PIN};

pub(crate) const KIND: Kind = Kind {
    name: "led",
    help: "a light-emitting diode: its pin is a net of its own name in recordings",
    fields: &[Field::needed("pin", PIN, "the pin that drives it", "25")],
    has_ethernet: false,
    outputs: &[],
    build: |_| Ok(Box::new(Led)),
    fits: anywhere,
    header,
};

/// Of several the firmware knows the first.
fn header(entry: &PartEntry, defines: &mut Defines) {
    if defines.is_first("led") {
        defines.define("BOARD_LED", &format!("{}u", entry.values.pin("pin")));
    }
}

#[derive(Debug, Clone)]
struct Led;

impl Part for Led {
    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}
