//! A voltage at an ADC input.

use fields::{Field, Takes};

use super::{Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, anywhere};
use crate::kinds::{ANALOG_PIN, Kind, no_header};

pub(crate) const KIND: Kind = Kind {
    name: "voltage",
    help: "a voltage at an ADC input",
    fields: &[
        Field::needed("pin", ANALOG_PIN, "the pin", "26"),
        Field::needed("millivolts", Takes::Count(0, 3600), "how much", "1650"),
    ],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: anywhere,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    Ok(Box::new(Voltage { pin: values.pin("pin"), microvolts: values.integer("millivolts") as i32 * 1000 }))
}

#[derive(Debug, Clone)]
struct Voltage {
    pin: u8,
    microvolts: i32,
}

impl Part for Voltage {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.voltage(self.pin, self.microvolts);
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}
