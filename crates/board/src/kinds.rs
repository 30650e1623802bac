//! The kinds of chips that a board file may name, each with its fields. The parser, the JSON Schema and the reference page
//! all come from this table.

use units::Picoseconds;

/// A kind of chip.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// What `kind` says in a board file.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) help: &'static str,
    /// What a board file says of it.
    pub(super) fields: &'static [KindField],
}

/// A field of a kind of chip.
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

const PULLS: [&str; 3] = ["up", "down", "none"];
const LEVELS: [&str; 2] = ["high", "low"];

const fn required(name: &'static str, takes: Takes, help: &'static str, example: &'static str) -> KindField {
    KindField { name, takes, default: None, required: true, help, example }
}

const fn optional(
    name: &'static str,
    takes: Takes,
    default: &'static str,
    help: &'static str,
    example: &'static str,
) -> KindField {
    KindField { name, takes, default: Some(default), required: false, help, example }
}

const fn open(name: &'static str, takes: Takes, help: &'static str, example: &'static str) -> KindField {
    KindField { name, takes, default: None, required: false, help, example }
}

const SPI: KindField = required("spi", Takes::Number(0, 1), "the SPI port that it is on", "0");
const SELECT: KindField =
    open("select", Takes::Pin, "its chip select, low when it is meant; without one it is always meant", "17");
const WIZNET: &[KindField] = &[
    SPI,
    SELECT,
    open("reset", Takes::Pin, "its reset input, low resets", "20"),
    open("interrupt", Takes::Pin, "its interrupt output", "21"),
    open("clock", Takes::Pin, "its SCLK, for firmware that moves pins itself or by PIO", "18"),
    open("mosi", Takes::Pin, "its MOSI, likewise", "19"),
    open("miso", Takes::Pin, "its MISO, likewise", "16"),
    optional(
        "link_up",
        Takes::Time { least: Picoseconds::ZERO, most: Picoseconds::new(60_000_000_000_000) },
        "2.5 s",
        "how long its PHY negotiates after a reset, or after the cable is plugged in, until there is a link",
        "\"0 s\"",
    ),
];

const fn wiznet(name: &'static str, help: &'static str) -> Kind {
    Kind { name, help, fields: WIZNET }
}

/// All kinds.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "led",
        help: "a light-emitting diode: its pin is a net of its own name in recordings",
        fields: &[required("pin", Takes::Pin, "the pin that drives it", "25")],
    },
    Kind {
        name: "button",
        help: "a push button: it drives its pin while it is pressed, and its resistor pulls while it is not",
        fields: &[
            required("pin", Takes::Pin, "the pin that reads it", "14"),
            optional(
                "pressed_level",
                Takes::Word(&LEVELS),
                "low",
                "the level while it is pressed",
                "\"low\"",
            ),
            optional(
                "pull",
                Takes::Word(&PULLS),
                "none",
                "the board's resistor; with none the pad's own pull counts",
                "\"up\"",
            ),
            optional(
                "pressed",
                Takes::Switch,
                "false",
                "whether it is pressed when the board starts",
                "false",
            ),
        ],
    },
    Kind {
        name: "switch",
        help: "a switch or a fixed level: it drives its pin all the time, to a level that a program may change",
        fields: &[
            required("pin", Takes::Pin, "the pin that reads it", "24"),
            optional("level", Takes::Word(&LEVELS), "low", "the level when the board starts", "\"high\""),
        ],
    },
    Kind {
        name: "wire",
        help: "a wire between two pins: they are one net. SPI frames and UART bytes pass from a transmitting pin to \
               a receiving one",
        fields: &[
            required("pin", Takes::Pin, "one end", "14"),
            required("to", Takes::Pin, "the other end", "15"),
        ],
    },
    Kind {
        name: "spi-loopback",
        help: "a device on SPI that answers each frame with one that was sent to it",
        fields: &[
            SPI,
            SELECT,
            optional(
                "answer",
                Takes::Word(&["same", "previous"]),
                "same",
                "whether it answers with the frame that is being sent, or with the one before",
                "\"previous\"",
            ),
        ],
    },
    Kind {
        name: "voltage",
        help: "a voltage at an ADC input",
        fields: &[
            required("pin", Takes::AnalogPin, "the pin", "26"),
            required("millivolts", Takes::Number(0, 3600), "how much", "1650"),
        ],
    },
    Kind {
        name: "i2c-eeprom",
        help: "a serial EEPROM as the 24LC256: two address bytes, pages, a write time during which it does not answer",
        fields: &[
            required("i2c", Takes::Number(0, 1), "the I2C port that it is on", "0"),
            optional("address", Takes::Number(0x08, 0x77), "80", "its 7-bit address", "0x50"),
            optional("bytes", Takes::Number(128, 65536), "32768", "its size, a power of two", "32768"),
            optional("page_bytes", Takes::Number(1, 256), "64", "its page, a power of two", "64"),
            optional(
                "write_time",
                Takes::Time { least: Picoseconds::ZERO, most: Picoseconds::new(100_000_000_000) },
                "5 ms",
                "how long it is busy after a write",
                "\"5 ms\"",
            ),
        ],
    },
    Kind {
        name: "ideal-mac",
        help: "an Ethernet MAC in the address space of the MCU, which no RP2040 has: frames cost no bus time. \
               [The ideal MAC](ideal-mac.md) has its registers",
        fields: &[required("interrupt", Takes::Pin, "its interrupt output, low while a frame waits", "21")],
    },
    wiznet("w5100", "WIZnet W5100: Ethernet with a TCP/IP stack in hardware"),
    wiznet("w5100s", "WIZnet W5100S: Ethernet with a TCP/IP stack in hardware"),
    wiznet("w5200", "WIZnet W5200: Ethernet with a TCP/IP stack in hardware"),
    wiznet("w5500", "WIZnet W5500: Ethernet with a TCP/IP stack in hardware"),
];

/// The kind of a name.
pub(super) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}
