//! What others have published of a link: medians, each with the row of its entry that it belongs to. A figure names its row by
//! payload and settings; one that belongs to no row, to several or to one that has a figure already is refused.

use std::collections::BTreeMap;

use links::{Definition, Settings, Value as Setting};
use toml::de::DeValue;
use units::Picoseconds;

use super::parse::setting_message;
use super::published::Published;
use super::row::{LinkSetup, Row};
use super::tables::FIGURE_FIELDS;
use fields::names;
use fields::toml_file::{Field, Misplaced, Told, TomlFile, Value, fields_of, plain, shown, told};

const EXAMPLE: &str = "[{ payload = 12, median = \"1.05 ms\", source = \"...\" }]";

type Outcome<T> = Result<T, Misplaced>;

/// Something that the row of a figure must have: a payload or the value of a setting.
struct Condition<'a> {
    name: &'a str,
    value: Wanted,
    place: &'a Value<'a>,
}

#[derive(PartialEq)]
enum Wanted {
    Payload(u64),
    Setting(Setting),
}

/// Gives the rows of an entry their published figures.
pub(super) fn attach(file: TomlFile<'_>, field: &str, value: &Value<'_>, rows: &mut [Row]) -> Outcome<()> {
    let list = match value.get_ref() {
        DeValue::Array(list) if !list.is_empty() => list,
        other => {
            let message =
                told(field, format!(" is {}, but it takes a list of tables: {EXAMPLE}", shown(other)));
            return Err(file.error(value.span(), message));
        }
    };
    let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, value) in list.iter().enumerate() {
        let within = format!("{field}[{number}]");
        let (place, published) = Reader { file, within: &within }.figure(value, rows)?;
        if let Some(line) = lines.insert(place, file.line(&value.span())) {
            let name = &rows[place].name;
            let message =
                told(within, format!(": row {name} has a published median on line {line}; keep one of both"));
            return Err(file.error(value.span(), message));
        }
        rows[place].published = Some(published);
    }
    Ok(())
}

struct Reader<'a> {
    file: TomlFile<'a>,
    /// The name of the figure, such as `links.uart.published[0]`.
    within: &'a str,
}

impl Reader<'_> {
    fn error(&self, place: &Value<'_>, message: Told) -> Misplaced {
        self.file.error(place.span(), message)
    }

    /// A figure, and which of the rows it belongs to.
    fn figure(&self, value: &Value<'_>, rows: &[Row]) -> Outcome<(usize, Published)> {
        let DeValue::Table(table) = value.get_ref() else {
            let message =
                told(self.within, format!(" is {}, but it takes a table: {EXAMPLE}", shown(value.get_ref())));
            return Err(self.error(value, message));
        };
        let fields = fields_of(table);
        let link = setup_of(rows.first().expect("an entry has rows")).link;
        let known: Vec<&str> = names(FIGURE_FIELDS)
            .into_iter()
            .chain(link.settings.iter().map(|setting| setting.name))
            .collect();
        self.file.refuse_unknown(&format!("{}.", self.within), &fields, &known)?;
        let find =
            |wanted: &str| fields.iter().find(|(name, ..)| *name == wanted).map(|(_, _, value)| *value);
        let needed = |wanted: &str| {
            let missing =
                || told(self.within, format!(": {wanted} is missing; a figure has median and source"));
            find(wanted).ok_or_else(|| self.error(value, missing()))
        };
        let text = |name: &str, value| self.file.text_of(&format!("{}.{name}", self.within), value);
        let published = Published::median(
            self.median(needed("median")?)?,
            text("source", needed("source")?)?,
            find("note").map(|value| text("note", value)).transpose()?,
        );
        let conditions = self.conditions(&fields, link)?;
        Ok((self.row(value, &conditions, rows)?, published))
    }

    fn median(&self, value: &Value<'_>) -> Outcome<Picoseconds> {
        let field = format!("{}.median", self.within);
        let text = self.file.text_of(&field, value)?;
        let median: Picoseconds =
            text.parse().map_err(|error| self.error(value, told(&field, format!(": {error}"))))?;
        if median <= Picoseconds::ZERO {
            let message =
                told(field, format!(" is {text}, but every message takes time; give it such as \"1.05 ms\""));
            return Err(self.error(value, message));
        }
        Ok(median)
    }

    fn conditions<'v>(&self, fields: &[Field<'v>], link: &Definition) -> Outcome<Vec<Condition<'v>>> {
        let asked =
            fields.iter().filter(|(name, ..)| *name == "payload" || !names(FIGURE_FIELDS).contains(name));
        asked
            .map(|&(name, _, place)| {
                let value = match name {
                    "payload" => Wanted::Payload(self.payload(place, link)?),
                    _ => Wanted::Setting(self.setting(name, place, link)?),
                };
                Ok(Condition { name, value, place })
            })
            .collect()
    }

    fn payload(&self, value: &Value<'_>, link: &Definition) -> Outcome<u64> {
        self.file.whole(&format!("{}.payload", self.within), value, 1, u64::from(link.max_payload_bytes))
    }

    fn setting(&self, name: &str, value: &Value<'_>, link: &Definition) -> Outcome<Setting> {
        let text = plain(value.get_ref()).ok_or_else(|| {
            let shown = shown(value.get_ref());
            let message = told(
                format!("{}.{name}", self.within),
                format!(" is {shown}, but a figure belongs to one row; give one value"),
            );
            self.error(value, message)
        })?;
        let mut settings = link.defaults();
        settings.set(link.name, link.settings, name, &text).map_err(|error| {
            self.error(value, setting_message(&format!("{}.", self.within), name, &error))
        })?;
        Ok(setting_of(&settings, name).clone())
    }

    /// The one row that meets all conditions. An entry has every combination of its lists, so that where no row meets all of
    /// them there is one that no row meets.
    fn row(&self, place: &Value<'_>, conditions: &[Condition<'_>], rows: &[Row]) -> Outcome<usize> {
        if let Some(unmet) = conditions.iter().find(|one| !rows.iter().any(|row| one.is_met_by(row))) {
            let known = distinct(rows.iter().map(|row| unmet.shown_of(row)));
            let message = told(
                format!("{}.{}", self.within, unmet.name),
                format!(
                    " is {}, but no row of this entry has that; give one of {}",
                    unmet.shown(),
                    known.join(", ")
                ),
            );
            return Err(self.error(unmet.place, message));
        }
        let meant = |row: &Row| conditions.iter().all(|one| one.is_met_by(row));
        let mut places = (0..rows.len()).filter(|&place| meant(&rows[place]));
        let first = places.next().expect("an entry has every combination of its lists");
        let Some(second) = places.next() else { return Ok(first) };
        let message = told(
            self.within,
            format!(
                ": rows {} and {} are both meant; name {} as well",
                rows[first].name,
                rows[second].name,
                differences(&rows[first], &rows[second]).join(", ")
            ),
        );
        Err(self.error(place, message))
    }
}

impl Condition<'_> {
    fn of_row(&self, row: &Row) -> Wanted {
        match self.value {
            Wanted::Payload(_) => Wanted::Payload(u64::from(setup_of(row).payload_bytes)),
            Wanted::Setting(_) => Wanted::Setting(setting_of(&setup_of(row).settings, self.name).clone()),
        }
    }

    fn is_met_by(&self, row: &Row) -> bool {
        self.of_row(row) == self.value
    }

    fn shown(&self) -> String {
        self.value.to_string()
    }

    fn shown_of(&self, row: &Row) -> String {
        self.of_row(row).to_string()
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Payload(bytes) => bytes.fmt(f),
            Self::Setting(value) => value.fmt(f),
        }
    }
}

fn setting_of<'a>(settings: &'a Settings, name: &str) -> &'a Setting {
    settings
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
        .expect("unknown settings are refused")
}

fn setup_of(row: &Row) -> &LinkSetup {
    row.link().expect("the entry is a link's")
}

/// Each text once, in order.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// In what two rows of an entry differ.
fn differences(a: &Row, b: &Row) -> Vec<&'static str> {
    let (a, b) = (setup_of(a), setup_of(b));
    let payload = (a.payload_bytes != b.payload_bytes).then_some("payload");
    let settings = a.settings.iter().zip(b.settings.iter()).filter(|(one, other)| one.1 != other.1);
    payload.into_iter().chain(settings.map(|((name, _), _)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_has_a_setting_that_is_named_as_a_field_of_a_figure() {
        for link in links::all() {
            let clash = link.settings.iter().find(|setting| names(FIGURE_FIELDS).contains(&setting.name));
            assert!(clash.is_none(), "{}: {clash:?}", link.name);
        }
    }
}
