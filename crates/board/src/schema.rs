//! The JSON Schema of board files, and their fields and kinds of chips as JSON, made from the tables that the parser reads.

use fields::Field;
use mcu::Facts;
use serde_json::{Map, Value, json};

use super::file::board_fields as fields_of_boards;
use super::kinds::{Kind, kinds};
use super::mcus::{MCUS, in_bytes, in_hertz};

/// The schema of board files (draft 2020-12).
pub fn board_schema() -> Value {
    let fields = fields_of_boards();
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
    let required = fields.iter().filter(|field| field.is_needed()).map(|field| field.name);
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
    fields_of_boards().iter().map(reference).collect()
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

/// The microcontrollers that board files may name, with the limits of what such a file says, for reference pages.
pub fn microcontrollers() -> Value {
    let microcontroller = |facts: &Facts| {
        let [lowest, highest] = [facts.crystal_hz.start(), facts.crystal_hz.end()].map(|&hz| in_hertz(hz));
        let [least, most] =
            [facts.flash_bytes.start(), facts.flash_bytes.end()].map(|&bytes| in_bytes(bytes));
        json!({
            "name": facts.name, "title": facts.title, "last_gpio": facts.last_gpio(),
            "first_pin": (facts.pin_name)(0), "last_pin": (facts.pin_name)(facts.last_gpio()),
            "lowest_crystal": lowest, "highest_crystal": highest, "usual_crystal": in_hertz(facts.usual_crystal_hz),
            "least_flash": least, "most_flash": most, "usual_flash": in_bytes(u64::from(facts.usual_flash_bytes)),
        })
    };
    MCUS.iter().map(|kind| microcontroller(kind.facts)).collect()
}

/// Of a field that may be left open the default is nothing.
fn reference(field: &Field) -> Value {
    let mut reference = field.reference();
    reference["default"] = json!(field.default.filter(|default| !default.is_empty()));
    reference["required"] = json!(field.is_needed());
    reference
}
