//! The kinds of parts that a board file may name: the table, and how a kind is declared. The parser, the JSON Schema, the
//! reference page, the board and the firmware's header all come from it. Each kind stands with its part, in one file of
//! `parts`; the chips of WIZnet come from the table of that crate.

use std::sync::LazyLock;

use ::wiznet::Model;
use fields::{Field, Takes};
use mcu::Facts;
use units::{PS_PER_S, Picoseconds};

use super::file::PartEntry;
use super::fits::Misfit;
use super::header::Defines;
use super::mcus::{FIRST_ADC_GPIO, LAST_GPIO};
use super::parts::{
    Part, button, cyw43439, eeprom, ideal_mac, led, loopback, rmii_phy, switch, usb_network, voltage, wire,
    wiznet,
};

/// All kinds, in the order in which they are listed.
pub(super) fn kinds() -> &'static [Kind] {
    static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
        let mut kinds = vec![
            led::KIND,
            button::KIND,
            switch::KIND,
            wire::KIND,
            loopback::KIND,
            voltage::KIND,
            eeprom::KIND,
            ideal_mac::KIND,
            rmii_phy::KIND,
            cyw43439::KIND,
            usb_network::KIND,
        ];
        kinds.extend(Model::ALL.iter().copied().map(wiznet::kind));
        kinds
    });
    &KINDS
}

/// A kind of part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// What `kind` says in a board file.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) help: &'static str,
    /// What a board file says of it.
    pub(super) fields: &'static [Field],
    /// Whether it has an Ethernet port.
    pub(super) has_ethernet: bool,
    /// Outputs of its own, which are nets of the board beside the pins of the MCU.
    pub(super) outputs: &'static [&'static str],
    /// The part that a board file describes; what does not go together is refused.
    pub(super) build: fn(&PartEntry) -> Result<Box<dyn Part>, Misfit>,
    /// What it asks of the microcontroller beside it.
    pub(super) fits: fn(&PartEntry, &Facts) -> Result<(), Misfit>,
    /// What firmware is told of it.
    pub(super) header: fn(&PartEntry, &mut Defines),
}

/// Any pin of the microcontroller.
pub(super) const PIN: Takes = Takes::Pin { which: "", lowest: 0, highest: LAST_GPIO };
/// A pin that an ADC input can read.
pub(super) const ANALOG_PIN: Takes =
    Takes::Pin { which: "with an ADC input", lowest: FIRST_ADC_GPIO, highest: LAST_GPIO };

/// Fields of every part on SPI.
pub(super) const SPI: Field = Field::needed("spi", Takes::Count(0, 1), "the SPI port that it is on", "0");
pub(super) const SELECT: Field =
    Field::open("select", PIN, "its chip select, low when it is meant; without one it is always meant", "17");

/// Fields of every part with an Ethernet PHY.
pub(super) const RESET: Field = Field::open("reset", PIN, "its reset input, low resets", "20");
pub(super) const LINK_UP: Field = Field::new(
    "link_up",
    Takes::Between(Picoseconds::ZERO, Picoseconds::new(60 * PS_PER_S)),
    "2.5 s",
    "how long the PHY negotiates after a reset, or after the cable is plugged in, until there is a link",
    "\"0 s\"",
);

/// What firmware is told of a part of which it needs to know nothing.
pub(super) fn no_header(_: &PartEntry, _: &mut Defines) {}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lan::NetworkSetup;
    use mcu::{Outside, SpiFrame};
    use units::Picoseconds;

    use super::*;
    use crate::file::BoardFile;
    use crate::fits::on_spi;
    use crate::parts::{Around, Parts, Wiring};
    use crate::schema::chips_of;

    /// What a new part brings along: its kind, its state, and what it does.
    const ADDER: Kind = Kind {
        name: "adder",
        help: "a part that no board has yet: it answers a frame with the sum of those before",
        fields: &[SPI, Field::needed("reset", PIN, "its reset input, low resets", "20")],
        has_ethernet: false,
        outputs: &[],
        build: |entry| {
            let (port, reset) = (entry.values.integer("spi") as u8, entry.values.pin("reset"));
            Ok(Box::new(Adder { port, reset, sum: 0 }))
        },
        fits: on_spi,
        header: |entry, defines| defines.define("BOARD_ADDER_RSTN", &entry.values.pin("reset").to_string()),
    };

    #[derive(Debug, Clone)]
    struct Adder {
        port: u8,
        reset: u8,
        sum: u16,
    }

    impl Part for Adder {
        fn connect(&mut self, wiring: &mut Wiring<'_>) {
            wiring.spi(self.port, false);
            wiring.pins(1 << self.reset);
        }

        fn pins_changed(&mut self, _: Picoseconds, _: u32, around: &mut Around<'_>) {
            if around.is_low(self.reset) {
                self.sum = 0;
            }
        }

        fn spi_frame(&mut self, _: Picoseconds, frame: &SpiFrame, _: &mut Around<'_>) -> Option<u16> {
            let before = self.sum;
            self.sum += frame.sent;
            Some(before)
        }

        fn snapshot(&self) -> Option<Box<dyn Part>> {
            Some(Box::new(self.clone()))
        }
    }

    #[test]
    fn a_new_part_needs_its_own_file_and_a_line_of_the_table() {
        static TABLE: [Kind; 1] = [ADDER];
        let parse = |text: &str| BoardFile::parse_with(&TABLE, Path::new("b.toml"), text);
        let board = parse("mcu = 'rp2040'\n[chips.sum]\nkind = 'adder'\nspi = 1\nreset = 20\n").unwrap();
        let frame = |sent| SpiFrame {
            port: 1,
            start: Picoseconds::ZERO,
            sent,
            bits: 8,
            mode: 0,
            clock_hz: 1_000_000,
        };
        let mut parts = Parts::of(&board, &NetworkSetup::default(), 1);
        let send =
            |parts: &mut dyn Outside, sent| parts.spi_frame(Picoseconds::ZERO, frame(sent), &mut Vec::new());
        assert_eq!([3, 4].map(|sent| send(&mut parts, sent)), [0, 3]);
        let mut copy = parts.snapshot().expect("every part can be copied");
        parts.pins_changed(Picoseconds::ZERO, 1 << 20, 0, &mut Vec::new());
        assert_eq!((send(&mut parts, 1), send(&mut *copy, 1)), (0, 7));
        // Header, schema and refusals come from the table too.
        assert!(board.header().contains("#define BOARD_ADDER_RSTN 20\n"));
        assert!(chips_of(&TABLE).to_string().contains(ADDER.help));
        let refused = parse("mcu = 'rp2040'\n[chips.sum]\nkind = 'addre'\n").unwrap_err().to_string();
        assert_eq!(
            refused,
            "b.toml:3: chips.sum.kind is \"addre\", but it is one of adder; the nearest is adder"
        );
    }

    #[test]
    fn every_kind_makes_its_part_of_the_examples_of_its_fields() {
        for kind in kinds() {
            let given = |field: &Field| format!("{} = {}\n", field.name, field.example);
            let text = |fields: &[&Field]| {
                let fields: String = fields.iter().copied().map(given).collect();
                format!("mcu = 'rp2040'\n[chips.part]\nkind = '{}'\n{fields}", kind.name)
            };
            // A reference clock goes one way.
            let all: Vec<&Field> = kind.fields.iter().filter(|field| field.name != "refclko").collect();
            // A chip that has no pins of its own for a bus is on one of the board's.
            let is_bus = |field: &&Field| field.is_needed() || ["spi", "clock"].contains(&field.name);
            let least: Vec<&Field> = kind.fields.iter().filter(is_bus).collect();
            for fields in [all, least] {
                let board = BoardFile::parse("b.toml".as_ref(), &text(&fields)).unwrap();
                assert!(Parts::of(&board, &NetworkSetup::default(), 1).snapshot().is_some(), "{}", kind.name);
                assert!(board.header().starts_with("/* b: "), "{}", kind.name);
            }
        }
    }
}
