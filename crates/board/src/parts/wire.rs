//! A wire between two pins.

use fields::Field;

use super::{Part, Wiring};
use crate::file::PartEntry;
use crate::fits::{Misfit, anywhere};
use crate::kinds::{Kind, PIN, no_header};

pub(crate) const KIND: Kind = Kind {
    name: "wire",
    help: "a wire between two pins: they are one net, on which the bits of UARTs are. Frames of an SPI go from its \
           transmitting pin to its receiving one",
    fields: &[Field::needed("pin", PIN, "one end", "14"), Field::needed("to", PIN, "the other end", "15")],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: anywhere,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let (pin, to) = (values.pin("pin"), values.pin("to"));
    if pin == to {
        return Err(Misfit::of("to", format!("is GPIO {to}, the same pin; a wire has two ends")));
    }
    Ok(Box::new(Wire { pin, to }))
}

#[derive(Debug, Clone)]
struct Wire {
    pin: u8,
    to: u8,
}

impl Part for Wire {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.wire(self.pin, self.to);
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }

    fn saved(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
}
