//! The JSON Schema of `[boards.<entry>]`.

use ::fields::Field;
use serde_json::{Map, Value, json};

use super::super::published::{Compare, Statistic};
use super::super::row::Quantity;
use super::fields::{BOARD_FIELDS, LINE_FIELDS, PEER_FIELDS, PUBLISHED_FIELDS, TRIGGER_FIELDS};

/// The schema of an entry.
pub(in super::super) fn entry() -> Value {
    let mut properties = Map::new();
    for field in BOARD_FIELDS {
        let mut schema = field.takes.schema();
        let description = format!("{} ({}; default {})", field.help, field.takes, field.default_text());
        schema["description"] = Value::from(description);
        properties.insert(field.name.to_owned(), schema);
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn scalar() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

pub(super) fn settings() -> Value {
    let list = json!({"type": "array", "minItems": 1, "items": scalar()});
    json!({"type": "object", "additionalProperties": {"anyOf": [scalar(), list]}})
}

pub(super) fn network() -> Value {
    json!({"anyOf": [{"type": "string"}, {"type": "object"}]})
}

pub(super) fn traffic() -> Value {
    let table = json!({"type": "object", "required": ["kind"], "additionalProperties": scalar()});
    json!({"type": "array", "items": {"anyOf": [{"type": "string"}, table]}})
}

pub(super) fn peer() -> Value {
    table(PEER_FIELDS)
}

pub(super) fn lines() -> Value {
    let mut line = table(LINE_FIELDS);
    line["required"] = json!(["from", "to"]);
    json!({"type": "array", "minItems": 1, "items": line})
}

pub(super) fn trigger() -> Value {
    table(TRIGGER_FIELDS)
}

/// A table whose fields have no words of their own in the schema.
fn table(fields: &[Field]) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": shapes(fields)})
}

fn shapes(fields: &[Field]) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.to_owned(), field.takes.schema())).collect()
}

pub(super) fn peer_settings() -> Value {
    json!({"type": "object", "additionalProperties": scalar()})
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn pin() -> Value {
    json!({"type": ["string", "integer"]})
}

pub(super) fn number() -> Value {
    json!({"type": "number", "exclusiveMinimum": 0})
}

pub(super) fn statistic() -> Value {
    json!({"enum": Statistic::ALL.map(|(name, _)| name)})
}

pub(super) fn compare() -> Value {
    json!({"enum": Compare::ALL.map(|(name, _)| name)})
}

pub(in super::super) fn measure() -> Value {
    json!({"enum": Quantity::ALL.map(|(name, _)| name)})
}

/// One figure, a range of them, or the most of them.
pub(in super::super) fn published() -> Value {
    let amounts = [&["value"][..], &["from", "to"], &["at_most"]];
    json!({
        "type": "object",
        "required": ["unit", "source"],
        "oneOf": amounts.map(|names| json!({"required": names})),
        "dependentRequired": {
            "from": ["to"],
            "to": ["from"],
            "connect": ["processing"],
            "processing": ["connect"],
            "times": ["times_of"],
            "times_of": ["times"],
        },
        "additionalProperties": false,
        "properties": shapes(PUBLISHED_FIELDS),
    })
}
