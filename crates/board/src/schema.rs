//! The JSON Schema of board files, and the kinds of chips as JSON, made from the table that the parser reads.

use mcu::Facts;
use serde_json::{Map, Value, json};

use super::kinds::{Kind, KindField, Takes, kinds};
use super::mcus::{MCUS, first_adc_gpio, in_bytes, in_hertz, last_gpio, usual};

/// The schema of board files (draft 2020-12).
pub fn board_schema() -> Value {
    schema_of(kinds())
}

/// The same, of a table of kinds.
pub(super) fn schema_of(kinds: &[Kind]) -> Value {
    let chips: Vec<Value> = kinds.iter().map(chip).collect();
    let mcus: Vec<&str> = MCUS.iter().map(|kind| kind.facts.name).collect();
    let crystal = usual(|facts| in_hertz(facts.usual_crystal_hz));
    let flash = usual(|facts| in_bytes(u64::from(facts.usual_flash_bytes)));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire board",
        "type": "object",
        "required": ["mcu"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "description": "what the board is called; by default as its file"},
            "title": {"type": "string", "description": "a line for people"},
            "mcu": {"enum": mcus},
            "crystal": {"type": "string", "description": format!("the crystal (default {crystal})"), "examples": ["12 MHz"]},
            "flash": {"type": "string", "description": format!("size of the flash chip (default {flash})"), "examples": ["2 MiB"]},
            "pins": {
                "type": "object",
                "description": "names of pins with their GPIO",
                "additionalProperties": {"type": "integer", "minimum": 0, "maximum": last_gpio()},
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
            json!({"anyOf": [{"type": "integer", "minimum": 0, "maximum": last_gpio()}, {"type": "string"}]})
        }
        Takes::AnalogPin => {
            json!({"anyOf": [{"type": "integer", "minimum": first_adc_gpio(), "maximum": last_gpio()}, {"type": "string"}]})
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

/// The microcontrollers that board files may name, with the limits of what such a file says, for reference pages.
pub fn microcontrollers() -> Value {
    let microcontroller = |facts: &Facts| {
        let [lowest, highest] = [facts.crystal_hz.start(), facts.crystal_hz.end()].map(|&hz| in_hertz(hz));
        let [least, most] =
            [facts.flash_bytes.start(), facts.flash_bytes.end()].map(|&bytes| in_bytes(bytes));
        json!({
            "name": facts.name, "title": facts.title, "last_gpio": facts.last_gpio(),
            "lowest_crystal": lowest, "highest_crystal": highest, "usual_crystal": in_hertz(facts.usual_crystal_hz),
            "least_flash": least, "most_flash": most, "usual_flash": in_bytes(u64::from(facts.usual_flash_bytes)),
        })
    };
    MCUS.iter().map(|kind| microcontroller(kind.facts)).collect()
}
