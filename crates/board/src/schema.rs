//! The JSON Schema of board files, and their fields and kinds of chips as JSON, made from the tables that the parser reads.

use fields::Field;
use serde_json::{Map, Value, json};

use super::file::FIELDS;
use super::kinds::{Kind, kinds};

/// The schema of board files (draft 2020-12).
pub fn board_schema() -> Value {
    let properties: Map<String, Value> =
        FIELDS.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
    let required = FIELDS.iter().filter(|field| field.is_needed()).map(|field| field.name);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire board",
        "type": "object",
        "required": required.collect::<Vec<_>>(),
        "additionalProperties": false,
        "properties": properties,
    })
}

/// Chips of the kinds of a table.
pub(super) fn chips_of(kinds: &[Kind]) -> Value {
    json!({"type": "object", "additionalProperties": {"oneOf": kinds.iter().map(chip).collect::<Vec<_>>()}})
}

fn chip(kind: &Kind) -> Value {
    let mut properties = Map::new();
    properties.insert("kind".to_owned(), json!({"const": kind.name}));
    for field in kind.fields {
        properties.insert(field.name.to_owned(), field.schema());
    }
    let required: Vec<&str> = ["kind"]
        .into_iter()
        .chain(kind.fields.iter().filter(|field| field.is_needed()).map(|field| field.name))
        .collect();
    json!({
        "type": "object", "description": kind.help, "required": required,
        "additionalProperties": false, "properties": properties,
    })
}

/// The fields of a board file itself, for reference pages.
pub fn board_fields() -> Value {
    FIELDS.iter().map(reference).collect()
}

/// The kinds of chips with their fields, for reference pages.
pub fn chip_kinds() -> Value {
    let kind = |kind: &Kind| {
        json!({
            "name": kind.name, "help": kind.help,
            "fields": kind.fields.iter().map(reference).collect::<Vec<_>>(),
        })
    };
    kinds().iter().map(kind).collect()
}

/// Of a field that may be left open the default is nothing.
fn reference(field: &Field) -> Value {
    let mut reference = field.reference();
    reference["default"] = json!(field.default.filter(|default| !default.is_empty()));
    reference["required"] = json!(field.is_needed());
    reference
}
