//! The JSON Schema of network files, and all that they may hold as JSON for the reference page, made from the tables that the
//! parsers read.

use ::traffic::{KINDS, Kind};
use ethernet::IMPAIRMENT_OPTIONS;
use fields::{Field, Takes};
use serde_json::{Map, Value, json};

use super::file::NetworkField;
use super::{ACCESS_POINT_FIELDS, NETWORK_FIELDS, PC_STATION_FIELDS, PC_WIFI_FIELDS, WIFI_FIELDS};

/// What every client and server takes beside its options.
pub(super) const COMMON: [Field; 2] = [
    Field::new("kind", Takes::Text("the name of a kind"), "its own name", "what it is", "\"ping\""),
    Field::new("start", Takes::Text("a time"), "0 s", "when it begins at the earliest", "\"2 s\""),
];

/// The schema of network files (draft 2020-12).
pub fn network_schema() -> Value {
    let mut properties = fields_of("");
    for table in ["cable", "pc"] {
        properties.insert(table.to_owned(), table_of(&fields_of(table)));
    }
    properties.insert("wifi".to_owned(), table_of(&schemas(WIFI_FIELDS)));
    properties["pc"]["properties"]["wifi"] = table_of(&schemas(PC_WIFI_FIELDS));
    properties["pc"]["properties"]["station"] = table_of(&schemas(PC_STATION_FIELDS));
    properties.insert("access_points".to_owned(), access_points());
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

/// Access points, by the names that the file gives them.
fn access_points() -> Value {
    json!({
        "type": "object",
        "description": "access points that a station with a radio of its own finds on the air",
        "additionalProperties": table_of(&schemas(ACCESS_POINT_FIELDS)),
    })
}

fn schemas(fields: &[Field]) -> Map<String, Value> {
    fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect()
}

fn table_of(properties: &Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn fields_of(table: &str) -> Map<String, Value> {
    let own = NETWORK_FIELDS.iter().filter(|known| known.table == table);
    own.map(|known| (known.field.name.to_owned(), known.field.schema())).collect()
}

/// A client or a server; under another name than that of its kind it says what it is.
fn traffic(kind: &Kind, under_another_name: bool) -> Value {
    let mut properties: Map<String, Value> =
        kind.options.iter().map(|option| (option.name.to_owned(), option.schema())).collect();
    properties.insert("kind".to_owned(), json!({"const": kind.name}));
    properties.insert("start".to_owned(), json!({"type": "string", "description": COMMON[1].help}));
    let needed = kind.options.iter().filter(|option| option.default.is_none()).map(|option| option.name);
    let required: Vec<&str> = under_another_name.then_some("kind").into_iter().chain(needed).collect();
    json!({
        "type": "object", "description": kind.title, "required": required,
        "additionalProperties": false, "properties": properties,
    })
}

/// Everything that network files may hold, for reference pages.
pub fn network_reference() -> Value {
    let references = |fields: &[Field]| fields.iter().map(Field::reference).collect::<Vec<_>>();
    let of_table = |table: &str, field: &Field| {
        let mut reference = field.reference();
        reference["table"] = json!(table);
        reference
    };
    let fields = NETWORK_FIELDS.iter().map(|NetworkField { table, field, .. }| of_table(table, field));
    let kind = |kind: &Kind| {
        json!({
            "name": kind.name, "title": kind.title, "serves": kind.serves,
            "options": references(kind.options),
        })
    };
    json!({
        "wifi": WIFI_FIELDS.iter().map(|field| of_table("wifi", field)).collect::<Vec<_>>(),
        "pc_wifi": PC_WIFI_FIELDS.iter().map(|field| of_table("pc.wifi", field)).collect::<Vec<_>>(),
        "pc_station": PC_STATION_FIELDS.iter().map(|field| of_table("pc.station", field)).collect::<Vec<_>>(),
        "access_points": references(ACCESS_POINT_FIELDS),
        "fields": fields.collect::<Vec<_>>(),
        "impairments": IMPAIRMENT_OPTIONS.iter().map(|option| option.field.reference()).collect::<Vec<_>>(),
        "common": references(&COMMON),
        "kinds": KINDS.iter().map(kind).collect::<Vec<_>>(),
    })
}
