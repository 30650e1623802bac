//! The kinds of parts that a board file may name: the table, and how a kind is declared. The parser, the JSON Schema, the
//! reference page, the board and the firmware's header all come from it. Each kind stands with its part, in one file of
//! `parts`; the chips of WIZnet come from the table of that crate.

use std::sync::LazyLock;

use ::wiznet::Model;
use units::Picoseconds;

use super::file::PartEntry;
use super::header::Defines;
use super::parts::{Part, button, eeprom, ideal_mac, led, loopback, switch, voltage, wire, wiznet};

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
    pub(super) fields: &'static [KindField],
    /// Whether it has an Ethernet port.
    pub(super) has_ethernet: bool,
    /// The part that a board file describes; what does not go together is refused in words that begin with a field.
    pub(super) build: fn(&PartEntry) -> Result<Box<dyn Part>, String>,
    /// What firmware is told of it.
    pub(super) header: fn(&PartEntry, &mut Defines),
}

/// A field of a kind of part.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindField {
    /// Its name.
    pub(super) name: &'static str,
    /// What it takes.
    pub(super) takes: Takes,
    /// Its value where the file is silent; nothing where it has to be given, or may be left open.
    pub(super) default: Option<&'static str>,
    /// Whether it has to be given.
    pub(super) required: bool,
    /// What it means.
    pub(super) help: &'static str,
    /// An example, as TOML.
    pub(super) example: &'static str,
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// A pin by its name or number.
    Pin,
    /// One of some pins: those that an ADC input can read.
    AnalogPin,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A whole number within bounds.
    Number(u64, u64),
    /// A time with its unit.
    Time {
        /// The shortest.
        least: Picoseconds,
        /// The longest.
        most: Picoseconds,
    },
}

impl Takes {
    /// In words.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Pin => "a pin: its name or its GPIO number".to_owned(),
            Self::AnalogPin => "a pin with an ADC input: GPIO 26 to 29".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Switch => "true or false".to_owned(),
            Self::Number(lowest, highest) => format!("a whole number from {lowest} to {highest}"),
            Self::Time { least, most } => format!("a time from {least} to {most}"),
        }
    }
}

/// A field that has to be given.
pub(super) const fn required(
    name: &'static str,
    takes: Takes,
    help: &'static str,
    example: &'static str,
) -> KindField {
    KindField { name, takes, default: None, required: true, help, example }
}

/// A field with a default.
pub(super) const fn optional(
    name: &'static str,
    takes: Takes,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> KindField {
    KindField { name, takes, default: Some(default), required: false, help, example }
}

/// A field that may be left open.
pub(super) const fn open(
    name: &'static str,
    takes: Takes,
    help: &'static str,
    example: &'static str,
) -> KindField {
    KindField { name, takes, default: None, required: false, help, example }
}

/// Fields of every part on SPI.
pub(super) const SPI: KindField = required("spi", Takes::Number(0, 1), "the SPI port that it is on", "0");
pub(super) const SELECT: KindField =
    open("select", Takes::Pin, "its chip select, low when it is meant; without one it is always meant", "17");

/// What firmware is told of a part of which it needs to know nothing.
pub(super) fn no_header(_: &PartEntry, _: &mut Defines) {}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lan::NetworkSetup;
    use mcu::{Outside, SpiFrame};

    use super::*;
    use crate::file::BoardFile;
    use crate::parts::{Around, Parts, Wiring};
    use crate::schema::schema_of;

    /// What a new part brings along: its kind, its state, and what it does.
    const ADDER: Kind = Kind {
        name: "adder",
        help: "a part that no board has yet: it answers a frame with the sum of those before",
        fields: &[SPI, required("reset", Takes::Pin, "its reset input, low resets", "20")],
        has_ethernet: false,
        build: |entry| {
            let (port, reset) = (entry.values.port("spi"), entry.values.pin("reset"));
            Ok(Box::new(Adder { port, reset, sum: 0 }))
        },
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
        assert!(schema_of(&TABLE).to_string().contains(ADDER.help));
        let refused = parse("mcu = 'rp2040'\n[chips.sum]\nkind = 'addre'\n").unwrap_err().to_string();
        assert_eq!(
            refused,
            "b.toml:3: chips.sum.kind is \"addre\", but it is one of adder; the nearest is adder"
        );
    }

    #[test]
    fn every_kind_makes_its_part_of_the_examples_of_its_fields() {
        for kind in kinds() {
            let given = |field: &KindField| format!("{} = {}\n", field.name, field.example);
            let text = |fields: &[&KindField]| {
                let fields: String = fields.iter().copied().map(given).collect();
                format!("mcu = 'rp2040'\n[chips.part]\nkind = '{}'\n{fields}", kind.name)
            };
            let all: Vec<&KindField> = kind.fields.iter().collect();
            let least: Vec<&KindField> = kind.fields.iter().filter(|field| field.required).collect();
            for fields in [all, least] {
                let board = BoardFile::parse("b.toml".as_ref(), &text(&fields)).unwrap();
                assert!(Parts::of(&board, &NetworkSetup::default(), 1).snapshot().is_some(), "{}", kind.name);
                assert!(board.header().starts_with("/* b: "), "{}", kind.name);
            }
        }
    }
}
