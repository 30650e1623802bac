//! The JSON Schema of suites, made from the same declarations that the parser reads: for editors and for checks.

use links::Definition;
use serde_json::{Map, Value, json};

use super::tables::{ENTRY_FIELDS, FIGURE_FIELDS, SUITE_FIELDS, payload, properties};

/// The schema (draft 2020-12).
pub fn schema() -> Value {
    let definitions: Map<String, Value> =
        links::all().iter().map(|link| (link.name.to_owned(), entry(link))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire suite",
        "type": "object",
        "anyOf": [{"required": ["links"]}, {"required": ["boards"]}, {"required": ["targets"]}],
        "additionalProperties": false,
        "properties": properties(SUITE_FIELDS),
        "$defs": definitions,
    })
}

/// Entries of links.
pub(super) fn links() -> Value {
    let own = |link: &Definition| json!({"$ref": format!("#/$defs/{}", link.name)});
    let said = json!({"required": ["link"], "anyOf": links::all().iter().map(own).collect::<Vec<_>>()});
    let named: Map<String, Value> = links::all()
        .iter()
        .map(|link| {
            (link.name.to_owned(), json!({"if": {"required": ["link"]}, "then": said, "else": own(link)}))
        })
        .collect();
    json!({"type": "object", "minProperties": 1, "properties": named, "additionalProperties": said})
}

/// Entries of boards.
pub(super) fn boards() -> Value {
    json!({"type": "object", "minProperties": 1, "additionalProperties": super::boards::schema::entry()})
}

fn entry(link: &Definition) -> Value {
    let mut properties = properties(ENTRY_FIELDS);
    properties["link"] = json!({"const": link.name});
    properties["payloads"]["items"] = payload(link.max_payload_bytes);
    properties["published"] = published(link);
    for setting in link.settings {
        let one = setting.takes.schema();
        let description = format!("{} (default {})", setting.help, setting.default_text());
        let several = json!({"type": "array", "minItems": 1, "items": one});
        properties
            .insert(setting.name.to_owned(), json!({"description": description, "anyOf": [one, several]}));
    }
    json!({"type": "object", "title": link.title, "additionalProperties": false, "properties": properties})
}

/// Figures of others, each with what tells its row from the others of the entry.
fn published(link: &Definition) -> Value {
    let mut properties = properties(FIGURE_FIELDS);
    properties["payload"] = payload(link.max_payload_bytes);
    for setting in link.settings {
        properties.insert(setting.name.to_owned(), setting.takes.schema());
    }
    let figure = json!({
        "type": "object",
        "required": ["median", "source"],
        "additionalProperties": false,
        "properties": properties,
    });
    json!({
        "type": "array",
        "minItems": 1,
        "items": figure,
        "description": "medians that others measured, each with the payload and settings of its row",
    })
}
