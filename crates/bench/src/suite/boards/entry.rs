//! `[boards.<entry>]` into rows: fields that are not given are those of the entry named by `same_but`, lists of settings stand
//! for a row each, and every error names the file, the line and the field.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use toml::de::DeValue;
use units::Picoseconds;

use super::super::MAX_ROWS;
use super::super::bounds::{self, Measured, RowBound};
use super::super::expand::{Choices, combinations, label, values_of};
use super::super::published::{Compare, Published};
use super::super::row::{Measurement, Place, Quantity, Row, SameBut, TargetSetup};
use super::super::traffic;
use super::differences::{difference_count, differences, same_but};
use super::fields::BOARD_FIELDS;
use super::toml_text::document_of;
use super::{BoardSetup, DEFAULT_BOARD, LineSetup, NetworkSource, PeerSetup, PinTrigger, peer};
use fields::toml_file::{Misplaced, TomlFile, Value, fields_of, shown, told};
use lan::{NetworkError, NetworkSetup, TrafficSetup};

const DEFAULT_LIMIT: Picoseconds = Picoseconds::new(10 * units::PS_PER_S);

type Outcome<T> = Result<T, Misplaced>;

/// An entry before its lists are expanded.
#[derive(Debug, Clone)]
struct Entry {
    title: String,
    setup: BoardSetup,
    choices: Vec<Choices>,
    measurement: Measurement,
}

/// What is said of an entry's own figures, and not of those of entries that name it in `same_but`.
struct Beside {
    published: Option<Published>,
    bounds: Vec<RowBound>,
}

/// The rows of all entries.
pub(in super::super) fn board_rows(file: TomlFile<'_>, value: &Value<'_>) -> Outcome<Vec<Row>> {
    let mut reader = Reader { file, entries: BTreeMap::new(), rows: Vec::new() };
    for (name, span, value) in fields_of(file.table_of("boards", value)?) {
        reader.entry(name, span, value)?;
    }
    let mut known = BTreeSet::new();
    if let Some(row) = reader.rows.iter().find(|row| !known.insert(&row.name)) {
        let message = told(
            format!("boards.{}", row.entry),
            format!(": there are two rows {}; give each value once", row.name),
        );
        return Err(Misplaced { path: file.path.to_owned(), line: row.place.line, told: message });
    }
    Ok(reader.rows)
}

struct Reader<'a> {
    file: TomlFile<'a>,
    entries: BTreeMap<String, Entry>,
    rows: Vec<Row>,
}

impl Reader<'_> {
    fn entry(&mut self, name: &str, span: Range<usize>, value: &Value<'_>) -> Outcome<()> {
        if name.trim().is_empty() {
            let message = told("boards", ": an entry has a name, such as [boards.pingpong]");
            return Err(self.file.error(span, message));
        }
        let within = format!("boards.{name}.");
        let table = self.file.table_of(&format!("boards.{name}"), value)?;
        let fields = fields_of(table);
        self.file.refuse_unknown(&within, &fields, &::fields::names(BOARD_FIELDS))?;
        let find =
            |wanted: &str| fields.iter().find(|(field, ..)| *field == wanted).map(|(_, _, value)| *value);
        let other = find("same_but").map(|value| self.other(&within, value)).transpose()?;
        let mut entry = match &other {
            Some(other) => self.entries[other].clone(),
            None => Entry::named(name),
        };
        if find("title").is_none() {
            name.clone_into(&mut entry.title);
        }
        // The names of one image are not those of another.
        if find("firmware").is_some() {
            entry.setup.symbols = None;
        }
        for (field, _, value) in &fields {
            self.set(&mut entry, &within, field, value)?;
        }
        if entry.setup.trigger.is_some() && find("measure").is_none() {
            entry.measurement.quantity = Quantity::Latency;
        }
        if let Some((field, message)) = peer::conflict(&entry.setup, &entry.measurement) {
            let place =
                fields.iter().find(|(known, ..)| *known == field).map_or(&span, |(_, place, _)| place);
            return Err(self
                .file
                .error(place.clone(), told(format!("{within}{field}"), format!(": {message}"))));
        }
        let known: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let published = find("published").map(|value| {
            let field = format!("{within}published");
            Published::read(self.file, &field, value, entry.measurement.quantity, &known)
        });
        let published = published.transpose()?;
        let bounds = find("bounds").map(|value| {
            let measured = Measured::Board(entry.measurement.quantity);
            bounds::read(self.file, &format!("{within}bounds"), value, measured)
        });
        let beside = Beside { published, bounds: bounds.transpose()?.unwrap_or_default() };
        self.expand(name, &span, &entry, beside, other.as_deref())?;
        self.entries.insert(name.to_owned(), entry);
        Ok(())
    }

    /// The entry that this one is compared with.
    fn other(&self, within: &str, value: &Value<'_>) -> Outcome<String> {
        let name = self.file.text_of(&format!("{within}same_but"), value)?;
        if self.entries.contains_key(&name) {
            return Ok(name);
        }
        let known: Vec<&str> = self.entries.keys().map(String::as_str).collect();
        let hint = match fields::nearest(&name, &known) {
            Some(near) => format!("the nearest is {near}"),
            None => format!(
                "before it stand {}",
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            ),
        };
        let message = told(
            format!("{within}same_but"),
            format!(" is {name:?}, but it names an entry that stands before this one; {hint}"),
        );
        Err(self.file.error(value.span(), message))
    }

    fn set(&self, entry: &mut Entry, within: &str, name: &str, value: &Value<'_>) -> Outcome<()> {
        let field = &format!("{within}{name}");
        let read = || self.file.declared(within, BOARD_FIELDS, name, value);
        let Entry { title, setup, choices, measurement } = entry;
        match name {
            "title" => *title = self.file.text_of(field, value)?,
            "board" => setup.board = self.name(field, value)?,
            "firmware" => setup.firmware = self.name(field, value)?,
            "symbols" => setup.symbols = Some(self.name(field, value)?),
            "settings" => {
                for (name, values) in self.settings(field, value)? {
                    choices.retain(|(known, _)| *known != name);
                    choices.push((name, values));
                }
            }
            "network" => setup.network = self.network(field, value)?,
            "traffic" => setup.traffic = self.traffic(field, value)?,
            "peer" => setup.peer = Some(PeerSetup::read(self.file, field, value, setup.peer.take())?),
            "lines" => setup.lines = LineSetup::read(self.file, field, value)?,
            "trigger" => {
                setup.trigger = Some(PinTrigger::read(self.file, field, value, setup.trigger.take())?);
            }
            "measure" => measurement.quantity = self.file.choose(field, value, &Quantity::ALL)?,
            "of" => measurement.of = Some(self.file.text_of(field, value)?),
            "skip" => measurement.skip = read()?.integer(),
            "skip_if_more" => measurement.skip_if_more = read()?.switch(),
            "samples" => measurement.samples = Some(read()?.integer()),
            "stop_within" => measurement.stop_within = Some(read()?.number()),
            "limit" => measurement.limit = read()?.time(),
            _ => {}
        }
        Ok(())
    }

    /// The name of something: of a board, or of a file.
    fn name(&self, field: &str, value: &Value<'_>) -> Outcome<String> {
        let name = self.file.text_of(field, value)?;
        if name.trim().is_empty() {
            return Err(self
                .file
                .error(value.span(), told(field, format!(" is {name:?}, but it takes a name"))));
        }
        Ok(name)
    }

    fn settings(&self, field: &str, value: &Value<'_>) -> Outcome<Vec<Choices>> {
        let mut choices = Vec::new();
        for (name, span, value) in fields_of(self.file.table_of(field, value)?) {
            let values = values_of(value).map_err(|takes| {
                self.file.error(span, told(format!("{field}.{name}"), format!(": {takes}")))
            })?;
            choices.push((name.to_owned(), values));
        }
        Ok(choices)
    }

    fn network(&self, field: &str, value: &Value<'_>) -> Outcome<NetworkSource> {
        if let DeValue::String(_) = value.get_ref() {
            return Ok(NetworkSource::File(self.name(field, value)?));
        }
        let text = document_of(self.file.table_of(field, value)?);
        let setup = NetworkSetup::parse(Path::new(field), &text).map_err(|error| {
            let message = match error {
                NetworkError::Misplaced(Misplaced { told: inner, .. }) => {
                    told(format!("{field}.{}", inner.field), inner.words)
                }
                other => told(field, format!(".{other}")),
            };
            self.file.error(value.span(), message)
        })?;
        Ok(NetworkSource::Inline(Box::new(setup), text))
    }

    fn traffic(&self, field: &str, value: &Value<'_>) -> Outcome<Vec<TrafficSetup>> {
        let DeValue::Array(list) = value.get_ref() else {
            let message = told(
                field,
                format!(" is {}, but it takes a list, such as [\"ping to=board\"]", shown(value.get_ref())),
            );
            return Err(self.file.error(value.span(), message));
        };
        list.iter().map(|value| traffic::read(self.file, field, value)).collect()
    }

    fn expand(
        &mut self,
        name: &str,
        span: &Range<usize>,
        entry: &Entry,
        beside: Beside,
        other: Option<&str>,
    ) -> Outcome<()> {
        let wrong = |file: &TomlFile<'_>, message: String| {
            Err(file.error(span.clone(), told(format!("boards.{name}"), format!(": {message}"))))
        };
        let Beside { published, bounds } = beside;
        if published.as_ref().is_some_and(|found| found.compare == Compare::Ratio) && other.is_none() {
            return wrong(&self.file, "a ratio is to another row; name that with same_but".to_owned());
        }
        let made = entry.choices.iter().map(|(_, values)| values.len()).fold(1, usize::saturating_mul);
        if self.rows.len().saturating_add(made) > MAX_ROWS {
            let message =
                format!("with it the suite has more than {MAX_ROWS} rows; shorten its lists, or split it");
            return wrong(&self.file, message);
        }
        let place = Place { path: self.file.path.to_owned(), line: self.file.line(span) };
        for combination in combinations(&entry.choices) {
            let row_name = label(name, &entry.choices, &combination);
            let title = label(&entry.title, &entry.choices, &combination);
            let setup = BoardSetup { settings: combination.into_iter().collect(), ..entry.setup.clone() };
            let same_but = match other.map(|other| self.compared(other, &setup)) {
                Some(Err(message)) => return wrong(&self.file, message),
                found => found.and_then(Result::ok),
            };
            self.rows.push(Row {
                name: row_name,
                entry: name.to_owned(),
                title,
                target: TargetSetup::Board(Box::new(setup)),
                measurement: entry.measurement.clone(),
                same_but,
                published: published.clone(),
                bounds: bounds.clone(),
                place: place.clone(),
            });
        }
        Ok(())
    }

    /// The row of an entry that differs least, which must be in one thing.
    fn compared(&self, other: &str, setup: &BoardSetup) -> Result<SameBut, String> {
        let rows = self.rows.iter().filter(|row| row.entry == other);
        let setups = rows.filter_map(|row| Some((row, row.board()?)));
        let nearest = setups.min_by_key(|(_, other)| difference_count(setup, other));
        let (row, other) = nearest.expect("every entry that is known has rows");
        let found = differences(setup, other);
        let what: Vec<String> = found.iter().map(|(what, ..)| what.clone()).collect();
        same_but(&row.name, found).ok_or_else(|| match what.len() {
            0 => format!("it is the same as {}; change one setting", row.name),
            many => format!(
                "it differs from {} in {many} things ({}), so nobody could tell which of them matters; change one",
                row.name,
                what.join(", ")
            ),
        })
    }
}

impl Entry {
    fn named(name: &str) -> Self {
        Self {
            title: name.to_owned(),
            setup: BoardSetup {
                board: DEFAULT_BOARD.to_owned(),
                firmware: format!("{name}.elf"),
                symbols: None,
                settings: BTreeMap::new(),
                network: NetworkSource::Default,
                traffic: Vec::new(),
                peer: None,
                lines: Vec::new(),
                trigger: None,
            },
            choices: Vec::new(),
            measurement: Measurement {
                quantity: Quantity::Messages,
                of: None,
                skip: 0,
                skip_if_more: false,
                samples: None,
                stop_within: None,
                limit: DEFAULT_LIMIT,
            },
        }
    }
}
