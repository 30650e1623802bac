//! `published` of `[boards.<entry>]`.

use super::super::published::{Amount, Compare, Parts, Published, Statistic, TIMES, Times, unit_names};
use super::super::row::Quantity;
use super::fields::PUBLISHED_FIELDS;
use fields::toml_file::{Misplaced, Told, TomlFile, Value, fields_of, plain, shown, told};

/// Far from what a number holds in any unit.
const LARGEST_FIGURE: f64 = 1e15;

type Outcome<T> = Result<T, Misplaced>;

/// The table, field by field.
struct Reader<'a> {
    file: TomlFile<'a>,
    field: String,
    table: &'a Value<'a>,
    fields: Vec<(&'a str, &'a Value<'a>)>,
}

impl Published {
    /// From a table of the suite, for a row that measures something; `rows` are the names of those before it.
    pub(in super::super) fn read(
        file: TomlFile<'_>,
        field: &str,
        value: &Value<'_>,
        quantity: Quantity,
        rows: &[&str],
    ) -> Outcome<Self> {
        let fields = fields_of(file.table_of(field, value)?);
        file.refuse_unknown(&format!("{field}."), &fields, &::fields::names(PUBLISHED_FIELDS))?;
        let fields = fields.into_iter().map(|(name, _, value)| (name, value)).collect();
        let reader = Reader { file, field: field.to_owned(), table: value, fields };
        let published = Self {
            amount: reader.amount()?,
            unit: reader.text("unit")?,
            statistic: reader.choice("statistic", &Statistic::ALL)?,
            source: reader.text("source")?,
            note: reader.find("note").map(|_| reader.text("note")).transpose()?,
            compare: reader.choice("compare", &Compare::ALL)?.unwrap_or(Compare::Absolute),
            parts: None,
            times: reader.times(rows)?,
        };
        reader.check(&published, quantity)?;
        let parts = reader.parts(&published, quantity)?;
        let published = Self { parts, ..published };
        Ok(published)
    }
}

impl<'a> Reader<'a> {
    fn find(&self, name: &str) -> Option<&'a Value<'a>> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    fn error<T>(&self, place: &Value<'_>, message: Told) -> Outcome<T> {
        Err(self.file.error(place.span(), message))
    }

    fn needed(&self, name: &str) -> Outcome<&'a Value<'a>> {
        self.find(name).map_or_else(
            || {
                let message =
                    told(&self.field, format!(": {name} is missing; it takes value, unit and source"));
                self.error(self.table, message)
            },
            Ok,
        )
    }

    fn text(&self, name: &str) -> Outcome<String> {
        self.file.text_of(&format!("{}.{name}", self.field), self.needed(name)?)
    }

    fn choice<T: Copy>(&self, name: &str, known: &[(&'static str, T)]) -> Outcome<Option<T>> {
        let Some(value) = self.find(name) else { return Ok(None) };
        self.file.choose(&format!("{}.{name}", self.field), value, known).map(Some)
    }

    /// One of `value`, `from` with `to`, and `at_most`.
    fn amount(&self) -> Outcome<Amount> {
        let given = ["value", "from", "to", "at_most"].map(|name| self.find(name).is_some());
        match given {
            [true, false, false, false] => Ok(Amount::Exact(self.number("value")?)),
            [false, false, false, true] => Ok(Amount::AtMost(self.number("at_most")?)),
            [false, true, true, false] => {
                let (from, to) = (self.number("from")?, self.number("to")?);
                if from < to {
                    return Ok(Amount::Between(from, to));
                }
                let message = told(
                    format!("{}.to", self.field),
                    format!(" is {to}, but it takes a number above {from}"),
                );
                self.error(self.needed("to")?, message)
            }
            [false, false, false, false] => {
                let message = told(&self.field, ": value is missing; it takes value, unit and source");
                self.error(self.table, message)
            }
            _ => {
                let message = told(
                    &self.field,
                    ": how much it is stands there twice or by half; give value, or from and to, or at_most",
                );
                self.error(self.table, message)
            }
        }
    }

    fn number(&self, name: &str) -> Outcome<f64> {
        let value = self.needed(name)?;
        let found = plain(value.get_ref()).and_then(|text| text.replace('_', "").parse::<f64>().ok());
        found.filter(|figure| *figure > 0.0 && *figure <= LARGEST_FIGURE).map_or_else(
            || {
                let shown = shown(value.get_ref());
                let message = told(
                    format!("{}.{name}", self.field),
                    format!(" is {shown}, but it takes a number above 0 and of at most {LARGEST_FIGURE:e}"),
                );
                self.error(value, message)
            },
            Ok,
        )
    }

    /// `connect` and `processing`, in the unit of the figure.
    fn parts(&self, published: &Published, quantity: Quantity) -> Outcome<Option<Parts>> {
        let names = ["connect", "processing"];
        let Some(first) = names.iter().find_map(|name| self.find(name)) else { return Ok(None) };
        if quantity != Quantity::Latency || published.compare == Compare::Ratio {
            let message = told(
                &self.field,
                ": connect and processing are parts of a latency, but this is none; leave them out",
            );
            return self.error(first, message);
        }
        let [connect, processing] = names.map(|name| {
            let amount = Amount::Exact(self.number(name)?);
            Ok(Published { amount, ..published.clone() }.in_unit_of(quantity))
        });
        let of = |part: Option<Amount>| match part {
            Some(Amount::Exact(ps)) => ps,
            _ => unreachable!("the unit was checked"),
        };
        Ok(Some(Parts { connect: of(connect?), processing: of(processing?) }))
    }

    /// `times` and `times_of`.
    fn times(&self, rows: &[&str]) -> Outcome<Option<Times>> {
        if self.find("times").is_none() && self.find("times_of").is_none() {
            return Ok(None);
        }
        let (value, row) = (self.number("times")?, self.text("times_of")?);
        if rows.contains(&row.as_str()) {
            return Ok(Some(Times { row, value }));
        }
        let hint = match fields::nearest(&row, rows) {
            Some(near) => format!("the nearest is {near}"),
            None => "there is none like it".to_owned(),
        };
        let message = told(
            format!("{}.times_of", self.field),
            format!(" is {row:?}, but it names a row that stands before this one; {hint}"),
        );
        self.error(self.needed("times_of")?, message)
    }

    fn check(&self, published: &Published, quantity: Quantity) -> Outcome<()> {
        if let Some(statistic) = self.find("statistic").filter(|_| quantity != Quantity::Latency) {
            let message = told(
                format!("{}.statistic", self.field),
                format!(
                    ": a statistic is of latencies, but the row has measure = {:?}; leave it out",
                    quantity.name()
                ),
            );
            return self.error(statistic, message);
        }
        let is_known =
            published.compare == Compare::Ratio || unit_names(quantity).contains(&&*published.unit);
        if is_known && published.in_unit_of(quantity).is_some() {
            return Ok(());
        }
        let takes = match published.compare {
            Compare::Ratio => format!("a ratio has the unit {TIMES:?}"),
            _ => format!("measure = {:?} has {}", quantity.name(), unit_names(quantity).join(", ")),
        };
        let message = told(format!("{}.unit", self.field), format!(" is {:?}, but {takes}", published.unit));
        self.error(self.needed("unit")?, message)
    }
}
