//! A suite's text into a checked [`Suite`]: every error names the file, the line and the field.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use links::{Definition, SettingError, Settings};
use toml::de::{DeTable, DeValue};
use units::Picoseconds;

use super::addresses::address_rows;
use super::boards::board_rows;
use super::bounds::{self, Measured};
use super::expand::{Choices, combinations, label, values_of};
use super::link_medians::attach;
use super::row::{LinkSetup, Measurement, Place, Row, TargetSetup};
use super::tables::{ENTRY_FIELDS, SUITE_FIELDS, TRIGGER_FIELDS, default_of};
use super::trigger::{Trigger, TriggerKind};
use super::{MAX_ROWS, Suite, SuiteError, name_of};
use fields::names;
use fields::toml_file::{Field, Misplaced, Told, TomlFile, Value, fields_of, shown, told};

const NOTHING: &str = "a suite names at least one link, such as [links.lora], one board, such as [boards.pingpong], or one address, such as [targets.my-board]";
const DEFAULT_PAYLOADS: [u64; 3] = [12, 128, 1024];

/// The file while it is read.
struct Reader<'a>(TomlFile<'a>);

/// What entries inherit from the suite.
#[derive(Clone)]
struct Defaults {
    samples: u64,
    payloads: Vec<u64>,
    trigger: Trigger,
}

/// A trigger from fields as a user writes them, by way of the same checks as in a suite.
pub(super) fn trigger(fields: &BTreeMap<String, String>) -> Result<Trigger, SuiteError> {
    let mut text = String::from("trigger = {");
    for (name, value) in fields {
        text.push_str(&format!(" {name:?} = {value:?},"));
    }
    text.push_str(" }");
    let path = Path::new("trigger");
    let reader = Reader(TomlFile { path, text: &text });
    let document = DeTable::parse(&text).map_err(|error| {
        reader.error(0..0, told("", format!("a field cannot be read: {}", error.message())))
    })?;
    let document = document.into_inner();
    let (_, _, value) = fields_of(&document)[0].clone();
    reader.trigger("trigger", value)
}

pub(super) fn suite(path: &Path, text: String) -> Result<Suite, SuiteError> {
    let reader = Reader(TomlFile { path, text: &text });
    let suite = reader.suite(&reader.0.parse()?)?;
    let (name, seed, rows) = suite;
    Ok(Suite { name, seed, rows, text, path: path.to_owned() })
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, message: Told) -> SuiteError {
        self.0.error(span, message).into()
    }

    fn suite(&self, table: &DeTable<'_>) -> Result<(String, u64, Vec<Row>), SuiteError> {
        let fields = fields_of(table);
        self.0.refuse_unknown("", &fields, &names(SUITE_FIELDS))?;
        let find = |wanted: &str| fields.iter().find(|(name, ..)| *name == wanted);
        let name = match find("name") {
            Some((_, _, value)) => self.0.text_of("name", value)?,
            None => name_of(self.0.path),
        };
        let seed = find("seed").map(|(_, _, value)| self.0.declared("", SUITE_FIELDS, "seed", value));
        let seed = seed.transpose()?.map_or_else(|| default_of("seed"), |seed| seed.integer());
        let defaults = self.defaults(
            "",
            &fields,
            &Defaults {
                samples: default_of("samples"),
                payloads: DEFAULT_PAYLOADS.to_vec(),
                trigger: Trigger::default(),
            },
        )?;
        let mut rows = find("links").map_or(Ok(Vec::new()), |(_, _, value)| self.links(value, &defaults))?;
        let boards = find("boards").map_or(Ok(Vec::new()), |(_, _, value)| board_rows(self.0, value))?;
        let addresses =
            find("targets").map_or(Ok(Vec::new()), |(_, _, value)| address_rows(self.0, value))?;
        if rows.is_empty() && boards.is_empty() && addresses.is_empty() {
            let place = find("links")
                .or(find("boards"))
                .or(find("targets"))
                .map_or(0..0, |(_, span, _)| span.clone());
            return Err(self.error(place, told("links", format!(": {NOTHING}"))));
        }
        // Rows of one name could not be told apart in a run folder.
        if let Some(row) = boards.iter().find(|board| rows.iter().any(|row| row.name == board.name)) {
            let message = told(
                format!("boards.{}", row.entry),
                format!(": a link has a row {} as well; rename the entry", row.name),
            );
            return Err(self.error(find("boards").map_or(0..0, |(_, span, _)| span.clone()), message));
        }
        rows.extend(boards);
        if let Some(row) = addresses.iter().find(|address| rows.iter().any(|row| row.name == address.name)) {
            let message =
                told(format!("targets.{}", row.entry), ": another entry has a row of that name; rename one");
            return Err(self.error(find("targets").map_or(0..0, |(_, span, _)| span.clone()), message));
        }
        rows.extend(addresses);
        rows.iter().try_for_each(one_line)?;
        Ok((name, seed, rows))
    }

    fn links(&self, value: &Value<'_>, defaults: &Defaults) -> Result<Vec<Row>, SuiteError> {
        let entries = fields_of(self.0.table_of("links", value)?);
        let (mut rows, mut names) = (Vec::new(), BTreeSet::new());
        for (entry, span, value) in entries {
            let known = rows.len();
            self.entry(entry, &span, value, defaults, &mut rows)?;
            // Rows of one name could not be told apart in a run folder.
            if let Some(row) = rows[known..].iter().find(|row| !names.insert(row.name.clone())) {
                let message = told(
                    format!("links.{entry}"),
                    format!(": there are two rows {}; give each value and payload once", row.name),
                );
                return Err(self.error(span, message));
            }
        }
        Ok(rows)
    }

    /// Samples, payloads and trigger, where they are given.
    fn defaults(
        &self,
        within: &str,
        fields: &[Field<'_>],
        inherited: &Defaults,
    ) -> Result<Defaults, SuiteError> {
        let mut found = inherited.clone();
        for (name, _, value) in fields {
            let field = format!("{within}{name}");
            match *name {
                "samples" => found.samples = self.0.declared(within, SUITE_FIELDS, name, value)?.integer(),
                "payloads" => found.payloads = self.payloads(&field, value)?,
                "trigger" => found.trigger = self.trigger(&field, value)?,
                _ => {}
            }
        }
        Ok(found)
    }

    fn entry(
        &self,
        entry: &str,
        span: &Range<usize>,
        value: &Value<'_>,
        defaults: &Defaults,
        rows: &mut Vec<Row>,
    ) -> Result<(), SuiteError> {
        let (within, known) = (format!("links.{entry}."), rows.len());
        let fields = fields_of(self.0.table_of(&format!("links.{entry}"), value)?);
        let own = self.defaults(&within, &fields, defaults)?;
        let named = fields.iter().find(|(name, ..)| *name == "link");
        let (link_name, place) = match named {
            Some((_, span, value)) => (self.0.text_of(&format!("{within}link"), value)?, span.clone()),
            None => (entry.to_owned(), span.clone()),
        };
        let link = links::find(&link_name)
            .map_err(|error| self.error(place, told(within.trim_end_matches('.'), format!(": {error}"))))?;
        let choices = self.choices(&within, &fields, link)?;
        let measurement = self.measurement(&within, &fields, own.samples)?;
        let measured = Measured::Link { has_currents: link.has_currents() };
        let bounds = fields
            .iter()
            .find(|(name, ..)| *name == "bounds")
            .map(|(name, _, value)| bounds::read(self.0, &format!("{within}{name}"), value, measured));
        let bounds = bounds.transpose()?.unwrap_or_default();
        let lengths = choices.iter().map(|(_, values)| values.len()).chain([own.payloads.len()]);
        let made = lengths.fold(1, usize::saturating_mul);
        if rows.len().saturating_add(made) > MAX_ROWS {
            let message = told(
                format!("links.{entry}"),
                format!(": with it the suite has more than {MAX_ROWS} rows; shorten its lists, or split it"),
            );
            return Err(self.error(span.clone(), message));
        }
        let place = |field: &str| {
            fields.iter().find(|(name, ..)| *name == field).map_or(span.clone(), |(_, span, _)| span.clone())
        };
        for combination in combinations(&choices) {
            let changes = combination.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let wrong = |error: &links::LinkError| {
                self.error(span.clone(), told(format!("links.{entry}"), format!(": {error}")))
            };
            let settings = link.settings_with(changes).map_err(|error| wrong(&error))?;
            link.program(&settings).map_err(|error| wrong(&error))?;
            let entry = label(entry, &choices, &combination);
            for &payload in &own.payloads {
                let payload_bytes = link.check_payload(payload).map_err(|error| {
                    self.error(place("payloads"), told(format!("{within}payloads"), format!(": {error}")))
                })?;
                let row = Row {
                    name: format!("{entry}/{payload}B"),
                    entry: entry.clone(),
                    title: link.title.to_owned(),
                    target: TargetSetup::Link(LinkSetup {
                        link,
                        settings: settings.clone(),
                        payload_bytes,
                        trigger: own.trigger.clone(),
                    }),
                    measurement: measurement.clone(),
                    same_but: None,
                    published: None,
                    bounds: bounds.clone(),
                    place: Place { path: self.0.path.to_owned(), line: self.0.line(span) },
                };
                row.check().map_err(|error| {
                    let field = error.field.split('.').next().unwrap_or_default();
                    self.error(
                        place(field),
                        told(format!("{within}{}", error.field), format!(" {}", error.sentence)),
                    )
                })?;
                rows.push(row);
            }
        }
        if let Some((name, _, value)) = fields.iter().find(|(name, ..)| *name == "published") {
            attach(self.0, &format!("{within}{name}"), value, &mut rows[known..])?;
        }
        Ok(())
    }

    /// When a row of an entry ends: after its samples, or before them where the entry says so.
    fn measurement(
        &self,
        within: &str,
        fields: &[Field<'_>],
        samples: u64,
    ) -> Result<Measurement, SuiteError> {
        let mut measurement = Measurement::of_samples(samples);
        for (name, _, value) in fields {
            let read = || self.0.declared(within, ENTRY_FIELDS, name, value);
            match *name {
                "stop_within" => measurement.stop_within = Some(read()?.number()),
                "limit" => measurement.limit = read()?.time(),
                _ => {}
            }
        }
        Ok(measurement)
    }

    /// The link's settings with the values that the entry gives them, each checked on its own line.
    fn choices(
        &self,
        within: &str,
        fields: &[Field<'_>],
        link: &Definition,
    ) -> Result<Vec<Choices>, SuiteError> {
        let mut choices = Vec::new();
        for (name, span, value) in fields.iter().filter(|(name, ..)| !names(ENTRY_FIELDS).contains(name)) {
            let values = values_of(value).map_err(|takes| {
                self.error(span.clone(), told(format!("{within}{name}"), format!(": {takes}")))
            })?;
            for text in &values {
                let mut settings: Settings = link.defaults();
                settings
                    .set(link.name, link.settings, name, text)
                    .map_err(|error| self.error(span.clone(), setting_message(within, name, &error)))?;
            }
            choices.push(((*name).to_owned(), values));
        }
        Ok(choices)
    }

    fn payloads(&self, field: &str, value: &Value<'_>) -> Result<Vec<u64>, SuiteError> {
        let expected = |value: &Value<'_>| {
            let shown = shown(value.get_ref());
            let message =
                told(field, format!(" is {shown}, but it takes sizes in bytes, such as [12, 128, 1024]"));
            self.error(value.span(), message)
        };
        match value.get_ref() {
            DeValue::Array(list) if !list.is_empty() => list
                .iter()
                .map(|payload| self.0.whole(field, payload, 0, u64::MAX >> 1).map_err(|_| expected(payload)))
                .collect(),
            _ => Err(expected(value)),
        }
    }

    fn trigger(&self, field: &str, value: &Value<'_>) -> Result<Trigger, SuiteError> {
        let fields = fields_of(self.0.table_of(field, value)?);
        let within = format!("{field}.");
        self.0.refuse_unknown(&within, &fields, &names(TRIGGER_FIELDS))?;
        let mut trigger = Trigger::default();
        for (name, span, value) in &fields {
            let field = format!("{within}{name}");
            match *name {
                "kind" => trigger.kind = self.kind(&field, value)?,
                "gate" => trigger.gate = Some(self.0.text_of(&field, value)?),
                "period" => trigger.period = Some(self.positive(&field, span, value)?),
                "by" => trigger.by = Some(self.positive(&field, span, value)?),
                "step" => trigger.step = Some(self.positive(&field, span, value)?),
                "offset" => trigger.offset = self.time(&field, value)?,
                _ => trigger.pause = self.time(&field, value)?,
            }
        }
        if trigger.kind == TriggerKind::Locked && trigger.gate.is_none() {
            let message =
                told(format!("{within}gate"), " is missing: a locked trigger names the gate that it follows");
            return Err(self.error(value.span(), message));
        }
        let taken = trigger.kind.fields();
        let idle = fields.iter().find(|(name, ..)| *name != "kind" && !taken.contains(name));
        if let Some((name, span, _)) = idle {
            let (kind, taken) = (trigger.kind.name(), taken.join(", "));
            let message = told(
                format!("{within}{name}"),
                format!(": a {kind} trigger has none; beside its kind it has {taken}"),
            );
            return Err(self.error(span.clone(), message));
        }
        Ok(trigger)
    }

    fn kind(&self, field: &str, value: &Value<'_>) -> Result<TriggerKind, SuiteError> {
        let text = self.0.text_of(field, value)?;
        let names = TriggerKind::ALL.map(|(name, _)| name);
        TriggerKind::ALL.iter().find(|(name, _)| *name == text).map(|(_, kind)| *kind).ok_or_else(|| {
            let near = fields::or_nearest(&text, &names);
            self.error(
                value.span(),
                told(field, format!(" is {text:?}, but it is one of {}{near}", names.join(", "))),
            )
        })
    }

    fn time(&self, field: &str, value: &Value<'_>) -> Result<Picoseconds, SuiteError> {
        let text = self.0.text_of(field, value)?;
        let time: Picoseconds =
            text.parse().map_err(|error| self.error(value.span(), told(field, format!(": {error}"))))?;
        if time < Picoseconds::ZERO {
            return Err(self.error(
                value.span(),
                told(field, format!(" is {text}, but time runs forward; give 0s or more")),
            ));
        }
        Ok(time)
    }

    fn positive(
        &self,
        field: &str,
        span: &Range<usize>,
        value: &Value<'_>,
    ) -> Result<Picoseconds, SuiteError> {
        let time = self.time(field, value)?;
        if time == Picoseconds::ZERO {
            let message = told(field, " is 0 s, but messages need time between them; give for example 250ms");
            return Err(self.error(span.clone(), message));
        }
        Ok(time)
    }
}

/// What is wrong with a setting.
pub(super) fn setting_message(within: &str, name: &str, error: &SettingError) -> Told {
    told(format!("{within}{name}"), error.words())
}

/// What ends a line somewhere: Unicode's mandatory breaks.
const ENDS_OF_LINES: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Refuses an entry or a title that is no line: both stand in tables, in names of rows and in other people's formats.
fn one_line(row: &Row) -> Result<(), Misplaced> {
    let of_row = [("name", &row.entry), ("title", &row.title)];
    let Some((what, text)) = of_row.into_iter().find(|(_, text)| text.contains(ENDS_OF_LINES)) else {
        return Ok(());
    };
    let message = format!(": its {what} is {text:?}, but it takes one line; leave line feeds out");
    let told = told(format!("{:?}", row.entry), message);
    Err(Misplaced { path: row.place.path.clone(), line: row.place.line, told })
}
