//! The JSON Schema of suites, made from the same declarations that the parser reads: for editors and for checks.

use links::Definition;
use serde_json::{Map, Value, json};

use super::MAX_SAMPLES;
use super::trigger::TriggerKind;

/// The schema (draft 2020-12).
pub fn schema() -> Value {
    let definitions: Map<String, Value> =
        links::all().iter().map(|link| (link.name.to_owned(), entry(link))).collect();
    let own = |link: &Definition| json!({"$ref": format!("#/$defs/{}", link.name)});
    let said = json!({"required": ["link"], "anyOf": links::all().iter().map(own).collect::<Vec<_>>()});
    let named: Map<String, Value> = links::all()
        .iter()
        .map(|link| {
            (link.name.to_owned(), json!({"if": {"required": ["link"]}, "then": said, "else": own(link)}))
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire suite",
        "type": "object",
        "anyOf": [{"required": ["links"]}, {"required": ["boards"]}],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "description": "what the suite is called; by default as its file"},
            "seed": {"type": "integer", "minimum": 0, "description": "seed of all random streams"},
            "samples": samples(),
            "payloads": payloads(65_535),
            "trigger": trigger(),
            "links": {
                "type": "object",
                "minProperties": 1,
                "description": "entries; an entry bears the name of its link or says `link`",
                "properties": named,
                "additionalProperties": said,
            },
            "boards": {
                "type": "object",
                "minProperties": 1,
                "description": "entries that run firmware on a virtual board",
                "additionalProperties": super::boards::schema::entry(),
            },
        },
        "$defs": definitions,
    })
}

fn samples() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": MAX_SAMPLES, "description": "messages per row"})
}

fn payloads(highest: u32) -> Value {
    let size = json!({"type": "integer", "minimum": 1, "maximum": highest});
    json!({"type": "array", "minItems": 1, "items": size, "description": "sizes in bytes, a row for each"})
}

fn trigger() -> Value {
    let time =
        |description: &str| json!({"type": "string", "description": description, "examples": ["250ms"]});
    json!({
        "type": "object",
        "description": "when messages are triggered",
        "additionalProperties": false,
        "properties": {
            "kind": {"enum": TriggerKind::ALL.map(|(name, _)| name)},
            "period": time("interval; by default twice the link's mean latency plus its longest gate"),
            "by": time("what is added at most to a dithered or swept interval; by default the longest gate"),
            "step": time("what a swept interval grows by"),
            "gate": {"type": "string", "description": "the gate that a locked trigger follows"},
            "offset": time("how long after the gate opens"),
            "pause": time("between the end of a message and the next one of a closed loop"),
        },
    })
}

fn entry(link: &Definition) -> Value {
    let mut properties = Map::new();
    properties.insert("link".to_owned(), json!({"const": link.name}));
    properties.insert("samples".to_owned(), samples());
    properties.insert("payloads".to_owned(), payloads(link.max_payload_bytes));
    properties.insert("trigger".to_owned(), trigger());
    properties.insert("published".to_owned(), published(link));
    for name in ["stop_within", "limit"] {
        let field =
            super::BOARD_FIELDS.iter().find(|field| field.name == name).expect("boards have it as well");
        let description = format!("{} ({}; default none)", field.help, field.takes);
        properties.insert(name.to_owned(), json!({"type": "string", "description": description}));
    }
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
    let mut properties = Map::new();
    for setting in link.settings {
        properties.insert(setting.name.to_owned(), setting.takes.schema());
    }
    let text = |description: &str| json!({"type": "string", "description": description});
    let payload = json!({"type": "integer", "minimum": 1, "maximum": link.max_payload_bytes});
    properties.insert("payload".to_owned(), payload);
    properties.insert("median".to_owned(), text("the published median, such as 1.05 ms"));
    properties.insert("source".to_owned(), text("where it was published"));
    properties
        .insert("note".to_owned(), text("what is to be known of it, such as in what its setup differs"));
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
