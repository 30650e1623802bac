//! The JSON Schema of network files, and all that they may hold as JSON for the reference page, made from the tables that the
//! parsers read.

use ::traffic::{KINDS, Kind, OptionKind, OptionSpec};
use ethernet::IMPAIRMENT_OPTIONS;
use fields::Setting;
use serde_json::{Map, Value, json};

use super::file::NetworkField;
use super::{NETWORK_FIELDS, WIFI_FIELDS};

/// What every client and server takes beside its options: name, what it takes, default, meaning, example.
const COMMON: [(&str, &str, &str, &str, &str); 2] = [
    ("kind", "the name of a kind", "its own name", "what it is", "\"ping\""),
    ("start", "a time", "0 s", "when it begins at the earliest", "\"2 s\""),
];

/// The schema of network files (draft 2020-12).
pub fn network_schema() -> Value {
    let mut properties = fields_of("");
    for table in ["cable", "pc"] {
        properties.insert(table.to_owned(), table_of(&fields_of(table)));
    }
    properties.insert("wifi".to_owned(), wifi());
    let own: Map<String, Value> =
        KINDS.iter().map(|kind| (kind.name.to_owned(), traffic(kind, false))).collect();
    let others: Vec<Value> = KINDS.iter().map(|kind| traffic(kind, true)).collect();
    properties.insert(
        "traffic".to_owned(),
        json!({
            "type": "object",
            "description": "clients and servers of the PC, by the names that the file gives them",
            "properties": own,
            "additionalProperties": {"oneOf": others},
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Airwire network",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// An access point between the board and its cable; the table alone is one with all defaults.
fn wifi() -> Value {
    let field = |setting: &Setting| {
        let mut field = setting.kind.schema();
        field["description"] = json!(format!("{} (default {})", setting.help, setting.default));
        (setting.name.to_owned(), field)
    };
    table_of(&WIFI_FIELDS.iter().map(field).collect())
}

fn table_of(properties: &Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn fields_of(table: &str) -> Map<String, Value> {
    let fields = NETWORK_FIELDS.iter().filter(|field| field.table == table);
    fields.map(|field| (field.name.to_owned(), field_schema(field))).collect()
}

fn field_schema(field: &NetworkField) -> Value {
    let kind = match field.example {
        "true" | "false" => "boolean",
        example if example.starts_with('"') => "string",
        _ => "integer",
    };
    json!({"type": kind, "description": format!("{} (default {})", field.help, field.default)})
}

/// A client or a server; under another name than that of its kind it says what it is.
fn traffic(kind: &Kind, under_another_name: bool) -> Value {
    let mut properties: Map<String, Value> =
        kind.options.iter().map(|option| (option.name.to_owned(), option_schema(option))).collect();
    properties.insert("kind".to_owned(), json!({"const": kind.name}));
    properties.insert("start".to_owned(), json!({"type": "string", "description": COMMON[1].3}));
    let needed = kind.options.iter().filter(|option| option.default.is_none()).map(|option| option.name);
    let required: Vec<&str> = under_another_name.then_some("kind").into_iter().chain(needed).collect();
    json!({
        "type": "object", "description": kind.title, "required": required,
        "additionalProperties": false, "properties": properties,
    })
}

fn option_schema(option: &OptionSpec) -> Value {
    let mut schema = match option.kind {
        // TOML has no numbers beyond these.
        OptionKind::Number(least, most) => {
            let most = most.min(i64::MAX.unsigned_abs());
            json!({"anyOf": [{"type": "integer", "minimum": least, "maximum": most}, {"type": "string"}]})
        }
        OptionKind::Port => json!({"type": ["integer", "string"], "minimum": 1, "maximum": u16::MAX}),
        OptionKind::Switch => json!({"anyOf": [{"type": "boolean"}, {"enum": ["yes", "no"]}]}),
        OptionKind::Choice(words) => {
            let mut values: Vec<Value> = words.iter().map(|word| json!(word)).collect();
            values.extend(words.contains(&"yes").then_some(json!(true)));
            values.extend(words.contains(&"no").then_some(json!(false)));
            values
                .extend(words.iter().filter_map(|word| word.parse::<u64>().ok()).map(|number| json!(number)));
            json!({"enum": values})
        }
        OptionKind::Size(..) | OptionKind::Rate => json!({"type": ["string", "integer"], "minimum": 0}),
        OptionKind::Time
        | OptionKind::Period
        | OptionKind::Address
        | OptionKind::Endpoint(_)
        | OptionKind::Text(_) => json!({"type": "string"}),
    };
    let default = option.default.filter(|default| !default.is_empty());
    let default = default.map_or_else(String::new, |default| format!(" (default {default})"));
    schema["description"] = json!(format!("{}{default}", option.help));
    schema
}

/// Everything that network files may hold, for reference pages.
pub fn network_reference() -> Value {
    let field = |field: &NetworkField| {
        json!({
            "table": field.table, "name": field.name, "takes": field.takes, "default": field.default,
            "help": field.help, "example": field.example,
        })
    };
    let option = |option: &OptionSpec| {
        json!({
            "name": option.name, "takes": option.kind.to_string(), "default": option.default,
            "help": option.help, "example": option.example,
        })
    };
    let kind = |kind: &Kind| {
        json!({
            "name": kind.name, "title": kind.title, "serves": kind.serves,
            "options": kind.options.iter().map(option).collect::<Vec<_>>(),
        })
    };
    let common = COMMON.map(|(name, takes, default, help, example)| {
        json!({"name": name, "takes": takes, "default": default, "help": help, "example": example})
    });
    let impairments = IMPAIRMENT_OPTIONS.iter().map(|option| {
        json!({
            "name": option.name, "takes": option.takes, "default": option.default,
            "help": option.help, "example": option.example,
        })
    });
    let setting = |setting: &Setting| {
        let example = setting.alternatives.first().copied().unwrap_or(setting.default);
        json!({
            "table": "wifi", "name": setting.name, "takes": setting.kind.to_string(), "default": setting.default,
            "help": setting.help, "example": example,
        })
    };
    json!({
        "wifi": WIFI_FIELDS.iter().map(setting).collect::<Vec<_>>(),
        "fields": NETWORK_FIELDS.iter().map(field).collect::<Vec<_>>(),
        "impairments": impairments.collect::<Vec<_>>(),
        "common": common,
        "kinds": KINDS.iter().map(kind).collect::<Vec<_>>(),
    })
}
