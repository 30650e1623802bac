//! The fields of suites and of their entries of links, declared once: the parser takes their names from here, and the schema
//! their shapes and what they mean. Those of entries of boards are in `boards/fields.rs`.

use fields::{Field, Shape, Takes};
use serde_json::{Map, Value, json};
use units::Picoseconds;

use super::MAX_SAMPLES;
use super::trigger::TriggerKind;

/// A day of virtual time takes many days of the host.
const LONGEST_LIMIT: Picoseconds = Picoseconds::new(86_400 * units::PS_PER_S);
/// The largest message of any link.
const LARGEST_PAYLOAD: u32 = 65_535;
const TEXT: Takes = Takes::Other("a text in quotes", text);
const TIME: Takes = Takes::Other("a time", time);

const fn table(name: &'static str, shape: Shape, help: &'static str, example: &'static str) -> Field {
    Field::new(name, Takes::Other("a table", shape), "", help, example)
}

const SAMPLES: Field = Field::new("samples", Takes::Count(1, MAX_SAMPLES), "1000", "messages per row", "500");
const PAYLOADS: Field = Field::new(
    "payloads",
    Takes::Other("sizes in bytes", || payloads(LARGEST_PAYLOAD)),
    "[12, 128, 1024]",
    "sizes in bytes, a row for each",
    "[12, 128]",
);
const TRIGGER: Field = table("trigger", trigger, "when messages are triggered", "{ kind = \"fixed\" }");

/// The fields of a suite.
pub(super) const SUITE_FIELDS: &[Field] = &[
    Field::new("name", TEXT, "", "what the suite is called; by default as its file", "\"field\""),
    Field::new("seed", Takes::Count(0, u64::MAX >> 1), "1", "seed of all random streams", "7"),
    SAMPLES,
    PAYLOADS,
    TRIGGER,
    table(
        "links",
        super::schema::links,
        "entries; an entry bears the name of its link or says `link`",
        "[links.lora]",
    ),
    table(
        "boards",
        super::schema::boards,
        "entries that run firmware on a virtual board",
        "[boards.pingpong]",
    ),
    table(
        "targets",
        super::addresses::schema,
        "entries that measure a board on the network of this computer, by its address",
        "[targets.my-board]",
    ),
];

/// What an entry may say beside its link's settings.
pub(super) const ENTRY_FIELDS: &[Field] = &[
    Field::new("link", TEXT, "the entry's name", "the link", "\"lora\""),
    SAMPLES,
    PAYLOADS,
    TRIGGER,
    table(
        "published",
        || json!({"type": "array"}),
        "medians that others measured",
        "[{ median = \"1 ms\" }]",
    ),
    STOP_WITHIN,
    LIMIT,
    BOUNDS,
];

/// Whether messages of `skip` count after all, of boards.
pub(super) const SKIP_IF_MORE: Field = Field::new(
    "skip_if_more",
    Takes::Flag,
    "false",
    "whether messages are skipped only if others follow, for firmware that asks once",
    "true",
);

/// The row ends before its samples, of links and boards alike.
pub(super) const STOP_WITHIN: Field = Field::new(
    "stop_within",
    Takes::Percent(0.01, 50.0),
    "none",
    "the row ends once the 95 % interval of its figure reaches no farther to either side than this",
    "\"1 %\"",
);
const LIMIT: Field = limit("none");
/// What figures are to keep, likewise.
pub(super) const BOUNDS: Field = Field::open(
    "bounds",
    Takes::Other("a table of figures, each with a relation and a limit", super::bounds::schema),
    "what figures of the row are to keep; a run in which one is broken exits with 1",
    "{ p95 = \"<= 5 ms\" }",
);

/// The same at a virtual time.
pub(super) const fn limit(default: &'static str) -> Field {
    let help = "the row ends at this virtual time at the latest";
    Field::new("limit", Takes::Between(Picoseconds::new(1), LONGEST_LIMIT), default, help, "\"60 s\"")
}

/// What a trigger says.
pub(super) const TRIGGER_FIELDS: &[Field] = &[
    Field::new("kind", Takes::Other("a kind of trigger", kinds), "dithered", "", "\"fixed\""),
    time_of("period", "interval; by default twice the link's mean latency plus its longest gate"),
    time_of("by", "what is added at most to a dithered or swept interval; by default the longest gate"),
    time_of("step", "what a swept interval grows by"),
    Field::new("gate", TEXT, "", "the gate that a locked trigger follows", "\"slot\""),
    time_of("offset", "how long after the gate opens"),
    time_of("pause", "between the end of a message and the next one of a closed loop"),
];

const fn time_of(name: &'static str, help: &'static str) -> Field {
    Field::new(name, TIME, "", help, "\"250ms\"")
}

/// What a published median says beside the settings of its row.
pub(super) const FIGURE_FIELDS: &[Field] = &[
    Field::new("payload", Takes::Other("a size in bytes", || payload(LARGEST_PAYLOAD)), "", "", "12"),
    Field::needed("median", TEXT, "the published median, such as 1.05 ms", "\"1.05 ms\""),
    Field::needed("source", TEXT, "where it was published", "\"somebody, table 2\""),
    Field::new("note", TEXT, "", "what is to be known of it, such as in what its setup differs", "\"...\""),
];

/// The number that holds where a suite does not give a field.
///
/// # Panics
/// When it is no field of a suite with a whole number as its default.
pub(super) fn default_of(name: &str) -> u64 {
    let field = SUITE_FIELDS.iter().find(|field| field.name == name).expect("a suite has such a field");
    field.parse(field.default_text()).expect("a default is allowed").integer()
}

/// Fields as properties of a schema, with what they mean where that is said.
pub(super) fn properties(fields: &[Field]) -> Map<String, Value> {
    let property = |field: &Field| {
        let mut schema = field.takes.schema();
        if !field.help.is_empty() {
            schema["description"] = json!(field.help);
        }
        (field.name.to_owned(), schema)
    };
    fields.iter().map(property).collect()
}

/// Several sizes of messages.
pub(super) fn payloads(highest: u32) -> Value {
    json!({"type": "array", "minItems": 1, "items": payload(highest)})
}

/// The size of a message.
pub(super) fn payload(highest: u32) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": highest})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn time() -> Value {
    json!({"type": "string", "examples": ["250ms"]})
}

fn kinds() -> Value {
    json!({"enum": TriggerKind::ALL.map(|(name, _)| name)})
}

fn trigger() -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties(TRIGGER_FIELDS)})
}
