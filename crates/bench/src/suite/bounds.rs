//! `bounds` of an entry: what its figures are to keep. Fields are declared once; which of them a row has follows from what it
//! runs on and what it measures, so that a bound on a figure that it has not is refused before anything runs.

use fields::toml_file::{Misplaced, TomlFile, Value, fields_of, told};
use fields::{Bound, Field, LimitUnit, Takes, names};
use serde_json::json;

use super::row::Quantity;
use super::tables::properties;

/// A bound of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowBound {
    /// The figure, as the suite names it.
    pub name: &'static str,
    /// The same by what it is.
    pub bounded: Bounded,
    /// What it is to keep.
    pub bound: Bound,
}

/// A figure of a row that a bound may be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounded {
    /// A percentile (type 7) or the mean of latencies, by its name in summaries.
    Latency(&'static str),
    /// What a row measures a second.
    Rate(Quantity),
    /// The share of messages that were not answered.
    Loss,
    /// What the image takes of the flash.
    Flash,
    /// What the image takes of RAM.
    Ram,
    /// What a message takes of the sender's battery, with the time until the next one.
    Energy,
}

impl Bounded {
    /// The unit in which it is kept; a share has the unit 1.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Latency(_) => Quantity::Latency.unit(),
            Self::Rate(quantity) => quantity.unit(),
            Self::Loss => "1",
            Self::Flash | Self::Ram => "B",
            Self::Energy => "J",
        }
    }

    /// Whether a row of a link, or of a board that measures something, has it.
    fn is_of(self, measured: Measured) -> bool {
        match (self, measured) {
            (Self::Latency(_) | Self::Loss, Measured::Link { .. }) => true,
            (Self::Energy, Measured::Link { has_currents }) => has_currents,
            (Self::Latency(_) | Self::Loss, Measured::Board(quantity) | Measured::Address(quantity)) => {
                quantity != Quantity::Bulk
            }
            (Self::Rate(rate), Measured::Board(quantity) | Measured::Address(quantity)) => rate == quantity,
            (Self::Flash | Self::Ram | Self::Energy, Measured::Board(_)) => true,
            (_, Measured::Link { .. } | Measured::Address(_)) => false,
        }
    }
}

/// What an entry measures.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measured {
    /// Latencies of a link.
    Link {
        /// Whether the currents of its radio are known.
        has_currents: bool,
    },
    /// Something of a virtual board.
    Board(Quantity),
    /// Something of a board at an address, whose image nobody knows.
    Address(Quantity),
}

impl Measured {
    /// In a sentence.
    fn in_words(self) -> String {
        match self {
            Self::Link { .. } => "a row of a link".to_owned(),
            Self::Board(quantity) | Self::Address(quantity) => {
                format!("a row with measure = {:?}", quantity.name())
            }
        }
    }
}

const TIMES: &[LimitUnit] = &[
    LimitUnit::decimal("ns", 3),
    LimitUnit::decimal("us", 6),
    LimitUnit::decimal("ms", 9),
    LimitUnit::decimal("s", 12),
];
const MESSAGES: &[LimitUnit] = &[LimitUnit::decimal("messages/s", 0), LimitUnit::decimal("", 0)];
const REQUESTS: &[LimitUnit] = &[LimitUnit::decimal("requests/s", 0), LimitUnit::decimal("", 0)];
const BITS: &[LimitUnit] = &[
    LimitUnit::decimal("bit/s", 0),
    LimitUnit::decimal("kbit/s", 3),
    LimitUnit::decimal("Mbit/s", 6),
    LimitUnit { name: "kB/s", exponent: 3, factor: 8.0 },
    LimitUnit { name: "MB/s", exponent: 6, factor: 8.0 },
    LimitUnit { name: "KiB/s", exponent: 0, factor: 8.0 * 1024.0 },
    LimitUnit { name: "MiB/s", exponent: 0, factor: 8.0 * 1024.0 * 1024.0 },
];
const SHARES: &[LimitUnit] = &[LimitUnit::decimal("%", -2)];
const ENERGIES: &[LimitUnit] = &[
    LimitUnit::decimal("nJ", -9),
    LimitUnit::decimal("uJ", -6),
    LimitUnit::decimal("mJ", -3),
    LimitUnit::decimal("J", 0),
];
const SIZES: &[LimitUnit] = &[
    LimitUnit::decimal("B", 0),
    LimitUnit::decimal("kB", 3),
    LimitUnit { name: "KiB", exponent: 0, factor: 1024.0 },
    LimitUnit { name: "MiB", exponent: 0, factor: 1024.0 * 1024.0 },
];

const fn latency(name: &'static str, help: &'static str) -> Field {
    Field::open(name, Takes::Bound(TIMES), help, "\"<= 5 ms\"")
}

/// What may be bounded.
const BOUND_FIELDS: &[Field] = &[
    latency("median", "half of the messages take no longer"),
    latency("p50", "the median under its other name"),
    latency("p75", "three quarters of the messages take no longer"),
    latency("p95", "95 % of the messages take no longer"),
    latency("p99", "99 % of the messages take no longer"),
    latency("max", "the longest message"),
    latency("mean", "the sum of all latencies by their number"),
    Field::open("loss", Takes::Bound(SHARES), "the share of messages without an answer", "\"<= 0.1 %\""),
    Field::open(
        "messages_per_second",
        Takes::Bound(MESSAGES),
        "the figure of a row with measure = \"messages\"",
        "\">= 3000\"",
    ),
    Field::open(
        "requests_per_second",
        Takes::Bound(REQUESTS),
        "the figure of a row with measure = \"requests\"",
        "\">= 500\"",
    ),
    Field::open(
        "bits_per_second",
        Takes::Bound(BITS),
        "the figure of a row with measure = \"bulk\"",
        "\">= 10 Mbit/s\"",
    ),
    Field::open(
        "flash",
        Takes::Bound(SIZES),
        "from the beginning of the flash to the last byte of the image",
        "\"<= 64 KiB\"",
    ),
    Field::open(
        "ram",
        Takes::Bound(SIZES),
        "what the sections of the image's ELF take of RAM, with the stack that the linker reserves",
        "\"<= 40 KiB\"",
    ),
    Field::open(
        "energy",
        Takes::Bound(ENERGIES),
        "what a message takes of the battery of a link's sender, or of a board, with the time until the next one; of a bulk \
         transfer what a kB takes",
        "\"<= 5 mJ\"",
    ),
];

/// What a field of the table bounds.
fn bounded(name: &str) -> Bounded {
    match name {
        "median" => Bounded::Latency("p50"),
        "loss" => Bounded::Loss,
        "messages_per_second" => Bounded::Rate(Quantity::Messages),
        "requests_per_second" => Bounded::Rate(Quantity::Requests),
        "bits_per_second" => Bounded::Rate(Quantity::Bulk),
        "flash" => Bounded::Flash,
        "ram" => Bounded::Ram,
        "energy" => Bounded::Energy,
        percentile => {
            let declared = BOUND_FIELDS.iter().find(|field| field.name == percentile);
            Bounded::Latency(declared.expect("a bound is declared in its table").name)
        }
    }
}

/// The bounds of an entry, in the order of the file.
pub(super) fn read(
    file: TomlFile<'_>,
    field: &str,
    value: &Value<'_>,
    measured: Measured,
) -> Result<Vec<RowBound>, Misplaced> {
    let within = format!("{field}.");
    let fields = fields_of(file.table_of(field, value)?);
    file.refuse_unknown(&within, &fields, &names(BOUND_FIELDS))?;
    let read = fields.into_iter().map(|(name, span, value)| {
        let declared =
            BOUND_FIELDS.iter().find(|field| field.name == name).expect("unknown fields are refused");
        let bounded = bounded(declared.name);
        if !bounded.is_of(measured) {
            let has: Vec<&str> =
                names(BOUND_FIELDS).into_iter().filter(|name| self::bounded(name).is_of(measured)).collect();
            let message = told(
                format!("{within}{name}"),
                format!(": {} has no such figure; it has {}", measured.in_words(), has.join(", ")),
            );
            return Err(file.error(span, message));
        }
        let bound = file.declared(&within, BOUND_FIELDS, name, value)?.bound();
        Ok(RowBound { name: declared.name, bounded, bound })
    });
    read.collect()
}

impl RowBound {
    /// A bound by itself, as a test has it: `p95` and `<= 5 ms`.
    ///
    /// # Errors
    /// When there is no such figure, or the text is no bound on it.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let declared = BOUND_FIELDS.iter().find(|field| field.name == name);
        let declared = declared.ok_or_else(|| {
            format!("there is no figure {name}; {}", fields::hint(name, &names(BOUND_FIELDS)))
        })?;
        let bound = declared.parse(text).map_err(|error| error.to_string())?.bound();
        Ok(Self { name: declared.name, bounded: bounded(declared.name), bound })
    }
}

/// The table as JSON Schema; which of its fields a row has is for the parser to say.
pub(super) fn schema() -> serde_json::Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties(BOUND_FIELDS)})
}
