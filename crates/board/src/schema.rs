//! The JSON Schema of board files, and the kinds of chips as JSON, made from the table that the parser reads.

use rp2040::FACTS;
use serde_json::{Map, Value, json};

use super::file::LAST_GPIO;
use super::kinds::{Kind, KindField, Takes, kinds};

/// The schema of board files (draft 2020-12).
pub fn board_schema() -> Value {
    schema_of(kinds())
}

/// The same, of a table of kinds.
pub(super) fn schema_of(kinds: &[Kind]) -> Value {
    let chips: Vec<Value> = kinds.iter().map(chip).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire board",
        "type": "object",
        "required": ["mcu"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "description": "what the board is called; by default as its file"},
            "title": {"type": "string", "description": "a line for people"},
            "mcu": {"enum": [FACTS.name]},
            "crystal": {"type": "string", "description": "the crystal (default 12 MHz)", "examples": ["12 MHz"]},
            "flash": {"type": "string", "description": "size of the flash chip (default 2 MiB)", "examples": ["2 MiB"]},
            "pins": {
                "type": "object",
                "description": "names of pins with their GPIO",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": LAST_GPIO},
            },
            "chips": {
                "type": "object",
                "description": "the chips on the board, by the names that it gives them",
                "additionalProperties": {"oneOf": chips},
            },
        },
    })
}

fn chip(kind: &Kind) -> Value {
    let mut properties = Map::new();
    properties.insert("kind".to_owned(), json!({"const": kind.name}));
    for field in kind.fields {
        properties.insert(field.name.to_owned(), value(field));
    }
    let required: Vec<&str> = ["kind"]
        .into_iter()
        .chain(kind.fields.iter().filter(|field| field.required).map(|field| field.name))
        .collect();
    json!({
        "type": "object", "description": kind.help, "required": required,
        "additionalProperties": false, "properties": properties,
    })
}

fn value(field: &KindField) -> Value {
    let mut schema = match field.takes {
        Takes::Pin => {
            json!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": LAST_GPIO}, {"type": "string"}]})
        }
        Takes::AnalogPin => {
            json!({"anyOf": [{"type": "integer", "minimum": FACTS.adc_gpios.start(), "maximum": LAST_GPIO}, {"type": "string"}]})
        }
        Takes::Word(words) => json!({"enum": words}),
        Takes::Switch => json!({"type": "boolean"}),
        Takes::Number(lowest, highest) => json!({"type": "integer", "minimum": lowest, "maximum": highest}),
        Takes::Time { .. } => json!({"type": "string"}),
    };
    let default = field.default.map_or_else(String::new, |default| format!(" (default {default})"));
    schema["description"] = json!(format!("{}{default}", field.help));
    schema
}

/// The kinds of chips with their fields, for reference pages.
pub fn chip_kinds() -> Value {
    let field = |field: &KindField| {
        json!({
            "name": field.name, "takes": field.takes.in_words(), "default": field.default,
            "required": field.required, "help": field.help, "example": field.example,
        })
    };
    let kind = |kind: &Kind| {
        json!({
            "name": kind.name, "help": kind.help,
            "fields": kind.fields.iter().map(field).collect::<Vec<_>>(),
        })
    };
    kinds().iter().map(kind).collect()
}
