//! `[targets.<entry>]` into rows: boards on the network of this computer, by their addresses. A row has one client or server,
//! which is the one that would load a virtual board. Every error names the file, the line and the field.

use std::ops::Range;

use fields::toml_file::{Misplaced, Told, TomlFile, Value, fields_of, told};
use fields::{Field, Takes, names};
use lan::TrafficSetup;
use serde_json::{Map, Value as Json, json};
use units::{PS_PER_S, Picoseconds};

use super::bounds::{self, Measured};
use super::probe::Probe;
use super::published::{Compare, Published};
use super::row::{Measurement, Place, Quantity, Row, SameBut, TargetSetup};
use super::tables::{BOUNDS, SKIP_IF_MORE, STOP_WITHIN, limit};
use super::{boards, traffic};

/// What a row keeps at most.
const MOST_SAMPLES: u64 = 10_000_000;
const DEFAULT_LIMIT: Picoseconds = Picoseconds::new(10 * PS_PER_S);

type Outcome<T> = Result<T, Misplaced>;

/// A board at an address, and what loads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressSetup {
    /// The board's address or name, as the suite has it.
    pub address: String,
    /// The client that asks it, or the server that it calls.
    pub traffic: TrafficSetup,
}

impl AddressSetup {
    /// In what two differ: a comparison that says what a change brings must change one thing.
    fn differences(&self, other: &Self) -> Vec<(&'static str, String, String)> {
        let pairs = [
            ("address", self.address.clone(), other.address.clone()),
            ("traffic", self.traffic.to_string(), other.traffic.to_string()),
        ];
        pairs.into_iter().filter(|(_, here, there)| here != there).collect()
    }
}

/// The fields of an entry, declared once: parser, schema and reference page come from here.
pub const ADDRESS_FIELDS: &[Field] = &[
    Field::new(
        "title",
        Takes::Text("a text"),
        "the entry's name",
        "what the row is called in tables",
        "\"ping-pong, my board\"",
    ),
    Field::needed(
        "address",
        Takes::Text("an IPv4 address, or a name that this computer can resolve"),
        "the board on the network of this computer; a port is an option of the traffic",
        "\"192.168.1.50\"",
    ),
    Field::needed(
        "traffic",
        Takes::Other(
            "a client or a server: a text as for --traffic, or a table with kind and options",
            one_of_traffic,
        ),
        "what loads the board: a client that asks it (board stands for its address), or a server that it calls",
        "\"pingpong rounds=1000\"",
    ),
    Field::new(
        "measure",
        Takes::Other("messages, requests, latency or bulk", boards::schema::measure),
        "what the traffic is about",
        "what is told: messages or requests per second, the time of a message, or bits per second",
        "\"latency\"",
    ),
    Field::new("skip", Takes::Count(0, MOST_SAMPLES), "0", "messages that are left out at the start", "1"),
    SKIP_IF_MORE,
    Field::new(
        "samples",
        Takes::Count(1, MOST_SAMPLES),
        "none",
        "the row ends after so many messages that count",
        "1000",
    ),
    STOP_WITHIN,
    limit("10 s"),
    BOUNDS,
    Field::new(
        "same_but",
        Takes::Text("the name of an entry before this one"),
        "none",
        "the entry that this one is compared with: it has all of that entry's fields but title, published, bounds and those that it \
         gives itself, and either the address or the traffic differs",
        "\"pingpong\"",
    ),
    Field::new(
        "published",
        Takes::Other("a table as in entries of boards", boards::schema::published),
        "none",
        "what others measured",
        "{ value = 723, unit = \"messages/s\", source = \"...\" }",
    ),
];

fn one_of_traffic() -> Json {
    let scalar = json!({"type": ["string", "number", "boolean"]});
    json!({"anyOf": [{"type": "string"}, {"type": "object", "required": ["kind"], "additionalProperties": scalar}]})
}

/// The schema of all entries.
pub(super) fn schema() -> Json {
    let mut properties = Map::new();
    for field in ADDRESS_FIELDS {
        let mut schema = field.takes.schema();
        schema["description"] = Json::from(format!("{} ({})", field.help, field.takes));
        properties.insert(field.name.to_owned(), schema);
    }
    let entry = json!({"type": "object", "additionalProperties": false, "properties": properties});
    json!({"type": "object", "minProperties": 1, "additionalProperties": entry})
}

/// An entry as far as it was given.
#[derive(Debug, Clone)]
struct Entry {
    address: Option<String>,
    traffic: Option<TrafficSetup>,
    /// What is told, where the entry says it.
    quantity: Option<Quantity>,
    measurement: Measurement,
}

/// The rows of all entries.
pub(super) fn address_rows(file: TomlFile<'_>, value: &Value<'_>) -> Outcome<Vec<Row>> {
    let mut reader = Reader { file, entries: Vec::new(), rows: Vec::new() };
    for (name, span, value) in fields_of(file.table_of("targets", value)?) {
        reader.entry(name, &span, value)?;
    }
    Ok(reader.rows)
}

struct Reader<'a> {
    file: TomlFile<'a>,
    entries: Vec<(String, Entry)>,
    rows: Vec<Row>,
}

impl Reader<'_> {
    fn entry(&mut self, name: &str, span: &Range<usize>, value: &Value<'_>) -> Outcome<()> {
        let file = self.file;
        let within = format!("targets.{name}.");
        let wrong = |place: Range<usize>, message: Told| Err(file.error(place, message));
        let fields = fields_of(file.table_of(within.trim_end_matches('.'), value)?);
        file.refuse_unknown(&within, &fields, &names(ADDRESS_FIELDS))?;
        let find =
            |wanted: &str| fields.iter().find(|(field, ..)| *field == wanted).map(|(_, _, value)| *value);
        let other = find("same_but").map(|value| self.other(&within, value)).transpose()?;
        let mut entry = other.map_or_else(Entry::default, |place| self.entries[place].1.clone());
        for (field, _, value) in &fields {
            set(file, &mut entry, &within, field, value)?;
        }
        let Some(address) = entry.address.clone() else {
            return wrong(
                span.clone(),
                told(format!("{within}address"), " is missing, such as address = \"192.168.1.50\""),
            );
        };
        let Some(traffic) = entry.traffic.clone() else {
            return wrong(
                span.clone(),
                told(format!("{within}traffic"), " is missing, such as traffic = \"pingpong rounds=1000\""),
            );
        };
        let quantity = entry.quantity.unwrap_or_else(|| Probe::of(&traffic.kind).quantity);
        let measurement = Measurement { quantity, ..entry.measurement.clone() };
        let setup = AddressSetup { address, traffic };
        let same_but = match other.map(|place| self.compared(place, &setup)).transpose() {
            Ok(same_but) => same_but,
            Err(message) => {
                return wrong(span.clone(), told(within.trim_end_matches('.'), format!(": {message}")));
            }
        };
        let known: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let published = find("published")
            .map(|value| Published::read(file, &format!("{within}published"), value, quantity, &known));
        let published = published.transpose()?;
        if published.as_ref().is_some_and(|found| found.compare == Compare::Ratio) && same_but.is_none() {
            return wrong(
                span.clone(),
                told(format!("{within}published"), ": a ratio is to another row; name that with same_but"),
            );
        }
        let bounds = find("bounds")
            .map(|value| bounds::read(file, &format!("{within}bounds"), value, Measured::Address(quantity)));
        let title = find("title").map(|value| file.text_of(&format!("{within}title"), value)).transpose()?;
        self.rows.push(Row {
            name: name.to_owned(),
            entry: name.to_owned(),
            title: title.unwrap_or_else(|| name.to_owned()),
            target: TargetSetup::Address(Box::new(setup)),
            measurement,
            same_but,
            published,
            bounds: bounds.transpose()?.unwrap_or_default(),
            place: Place { path: file.path.to_owned(), line: file.line(span) },
        });
        self.entries.push((name.to_owned(), entry));
        Ok(())
    }

    /// The place of the entry that this one is compared with.
    fn other(&self, within: &str, value: &Value<'_>) -> Outcome<usize> {
        let name = self.file.text_of(&format!("{within}same_but"), value)?;
        self.entries.iter().position(|(known, _)| *known == name).ok_or_else(|| {
            let known: Vec<&str> = self.entries.iter().map(|(known, _)| known.as_str()).collect();
            let hint = fields::hint(&name, &known);
            let message = told(
                format!("{within}same_but"),
                format!(" is {name:?}, but it names an entry that stands before this one; {hint}"),
            );
            self.file.error(value.span(), message)
        })
    }

    fn compared(&self, place: usize, setup: &AddressSetup) -> Result<SameBut, String> {
        let (row, other) = (&self.rows[place], self.rows[place].address().expect("rows are of addresses"));
        let mut found = setup.differences(other);
        match (found.pop(), found.is_empty()) {
            (Some((what, here, there)), true) => Ok(SameBut {
                row: row.name.clone(),
                what: what.to_owned(),
                here: Some(here),
                there: Some(there),
            }),
            (Some(_), false) => Err(format!(
                "it differs from {} in both address and traffic, so nobody could tell which of them matters; change one",
                row.name
            )),
            (None, _) => Err(format!("it is the same as {}; change its address or its traffic", row.name)),
        }
    }
}

fn set(file: TomlFile<'_>, entry: &mut Entry, within: &str, name: &str, value: &Value<'_>) -> Outcome<()> {
    let field = &format!("{within}{name}");
    let read = || file.declared(within, ADDRESS_FIELDS, name, value);
    let measurement = &mut entry.measurement;
    match name {
        "address" => entry.address = Some(address(file, field, value)?),
        "traffic" => entry.traffic = Some(one(file, field, value)?),
        "measure" => entry.quantity = Some(file.choose(field, value, &Quantity::ALL)?),
        "skip" => measurement.skip = read()?.integer(),
        "skip_if_more" => measurement.skip_if_more = read()?.switch(),
        "samples" => measurement.samples = Some(read()?.integer()),
        "stop_within" => measurement.stop_within = Some(read()?.number()),
        "limit" => measurement.limit = read()?.time(),
        _ => {}
    }
    Ok(())
}

fn address(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Outcome<String> {
    let text = file.text_of(field, value)?;
    let is_plain = !text.trim().is_empty() && !text.contains([':', '/', ' ']);
    if is_plain {
        return Ok(text);
    }
    if fields::text::address(text.trim()).is_some_and(|address| address.is_ipv6()) {
        let message = told(
            field,
            format!(
                " is {text:?}, but a board at an address is asked over IPv4 alone; give its IPv4 address, or measure it on a \
             virtual board with to=board6"
            ),
        );
        return Err(file.error(value.span(), message));
    }
    let message = told(
        field,
        format!(
            " is {text:?}, but it takes an address or a name without a port, such as \"192.168.1.50\"; a port stands in \
         traffic, such as \"http to=board:8080\""
        ),
    );
    Err(file.error(value.span(), message))
}

/// A client goes to the board unless it says otherwise.
fn one(file: TomlFile<'_>, field: &str, value: &Value<'_>) -> Outcome<TrafficSetup> {
    let setup = traffic::read(file, field, value)?.to_the_board();
    setup
        .check(None)
        .map_err(|error| file.error(value.span(), told(field, format!(": {}{error}", setup.name))))?;
    Ok(setup)
}

impl Default for Entry {
    fn default() -> Self {
        let measurement = Measurement { limit: DEFAULT_LIMIT, ..Measurement::of_all() };
        Self { address: None, traffic: None, quantity: None, measurement }
    }
}
