//! The JSON Schema of `[boards.<entry>]`.

use serde_json::{Map, Value, json};

use super::super::published::{Compare, Statistic};
use super::super::row::Quantity;
use super::BOARD_FIELDS;

/// The schema of an entry.
pub(in super::super) fn entry() -> Value {
    let mut properties = Map::new();
    for field in BOARD_FIELDS {
        let mut schema = shape(field.name);
        let description = format!("{} ({}; default {})", field.help, field.takes, field.default);
        schema["description"] = Value::from(description);
        properties.insert(field.name.to_owned(), schema);
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn shape(field: &str) -> Value {
    let scalar = json!({"type": ["string", "number", "boolean"]});
    match field {
        "settings" => json!({
            "type": "object",
            "additionalProperties": {"anyOf": [scalar, {"type": "array", "minItems": 1, "items": scalar}]},
        }),
        "network" => json!({"anyOf": [{"type": "string"}, {"type": "object"}]}),
        "traffic" => {
            let table = json!({"type": "object", "required": ["kind"], "additionalProperties": scalar});
            json!({"type": "array", "items": {"anyOf": [{"type": "string"}, table]}})
        }
        "peer" => json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "board": {"type": "string"},
                "firmware": {"type": "string"},
                "settings": {"type": "object", "additionalProperties": scalar},
            },
        }),
        "trigger" => json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "pin": {"type": ["string", "integer"]},
                "done": {"type": ["string", "integer"]},
                "period": {"type": "string"},
                "by": {"type": "string"},
                "from": {"type": "string"},
            },
        }),
        "measure" => json!({"enum": Quantity::ALL.map(|(name, _)| name)}),
        "skip" => json!({"type": "integer", "minimum": 0}),
        "samples" => json!({"type": "integer", "minimum": 1}),
        "published" => published(),
        _ => json!({"type": "string"}),
    }
}

/// One figure, a range of them, or the most of them.
fn published() -> Value {
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
