//! The JSON Schema of `[boards.<entry>]`.

use serde_json::{Map, Value, json};

use super::super::published::{Compare, Statistic};
use super::super::row::Quantity;
use super::BOARD_FIELDS;

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
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "board": {"type": "string"},
            "firmware": {"type": "string"},
            "settings": {"type": "object", "additionalProperties": scalar()},
        },
    })
}

pub(super) fn trigger() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "pin": {"type": ["string", "integer"]},
            "done": {"type": ["string", "integer"]},
            "period": {"type": "string"},
            "by": {"type": "string"},
            "from": {"type": "string"},
        },
    })
}

pub(super) fn measure() -> Value {
    json!({"enum": Quantity::ALL.map(|(name, _)| name)})
}

/// One figure, a range of them, or the most of them.
pub(super) fn published() -> Value {
    let number = json!({"type": "number", "exclusiveMinimum": 0});
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
        "properties": {
            "value": number,
            "from": number,
            "to": number,
            "at_most": number,
            "unit": {"type": "string"},
            "statistic": {"enum": Statistic::ALL.map(|(name, _)| name)},
            "source": {"type": "string"},
            "note": {"type": "string"},
            "compare": {"enum": Compare::ALL.map(|(name, _)| name)},
            "connect": number,
            "processing": number,
            "times": number,
            "times_of": {"type": "string"},
        },
    })
}
