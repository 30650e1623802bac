//! A device on SPI that answers with what it is sent.

use fields::{Field, Takes};
use mcu::SpiFrame;
use units::Picoseconds;

use super::{OnSpi, Part, SpiDevice};
use crate::file::PartEntry;
use crate::fits::{Misfit, on_spi};
use crate::kinds::{Kind, SELECT, SPI, no_header};

pub(crate) const KIND: Kind = Kind {
    name: "spi-loopback",
    help: "a device on SPI that answers each frame with one that was sent to it",
    fields: &[
        SPI,
        SELECT,
        Field::new(
            "answer",
            Takes::Choice(&["same", "previous"]),
            "same",
            "whether it answers with the frame that is being sent, or with the one before",
            "\"previous\"",
        ),
    ],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: on_spi,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let device = SpiLoopback { previous: values.choice("answer") == "previous", last: 0 };
    Ok(Box::new(OnSpi::new(values.integer("spi") as u8, values.pin_if_given("select"), Box::new(device))))
}

/// An echo.
#[derive(Debug, Clone)]
struct SpiLoopback {
    previous: bool,
    last: u16,
}

impl SpiDevice for SpiLoopback {
    fn frame(&mut self, _: Picoseconds, frame: &SpiFrame) -> u16 {
        let before = std::mem::replace(&mut self.last, frame.sent);
        if self.previous { before } else { frame.sent }
    }

    fn snapshot(&self) -> Option<Box<dyn SpiDevice>> {
        Some(Box::new(self.clone()))
    }
}
