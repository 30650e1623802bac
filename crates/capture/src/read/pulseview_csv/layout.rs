//! The top of a PulseView export: comments with the channels and the sample rate, perhaps a row of labels, and
//! the first row of data. From these follow the columns and the kind of times.

use std::ops::Range;

use units::Hertz;

use crate::change::Channel;
use crate::read::clock::{self, SampleClock};
use crate::read::pulseview_csv::times::{Rule, Times, Unit};
use crate::read::quotes;

/// What stands above logic channels where labels are units.
const LOGIC_UNIT: &str = "logic";
const SEPARATORS: [u8; 3] = [b',', b'\t', b';'];

/// What the comments say.
#[derive(Debug, Default)]
pub(super) struct Comments {
    rate: Option<Hertz>,
    names: Vec<String>,
}

impl Comments {
    /// Takes what follows the `;` of a comment.
    pub(super) fn take(&mut self, comment: &str) -> Result<(), String> {
        let Some((key, value)) = comment.split_once(':') else { return Ok(()) };
        match key.trim() {
            "Samplerate" | "Sample rate" => {
                let rate = clock::parse_rate(value)
                    .ok_or_else(|| format!("`{}` is no sample rate", value.trim()))?;
                self.rate = Some(rate);
            }
            key if key.starts_with("Channels") => {
                self.names = value.split(',').map(|name| name.trim().to_owned()).collect();
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn rate(&self) -> Option<Hertz> {
        self.rate
    }
}

/// Where in a row everything stands.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) separator: u8,
    pub(super) columns: usize,
    pub(super) has_time: bool,
    /// The channels with their columns; analogue ones are left out where that can be known.
    pub(super) channels: Vec<(usize, Channel)>,
    pub(super) times: Times,
}

/// The separator of a row; a comma where there is only one column.
pub(super) fn separator(row: &[u8]) -> u8 {
    SEPARATORS.into_iter().find(|separator| row.contains(separator)).unwrap_or(b',')
}

/// Whether `row` has labels, not values.
pub(super) fn is_label_row(row: &[u8], comments: &Comments) -> bool {
    let separator = separator(row);
    let fields: Vec<&[u8]> = row.split(|byte| *byte == separator).collect();
    let number = |field: &&[u8]| std::str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    let named = fields.len() == comments.names.len()
        && fields.iter().zip(&comments.names).all(|(field, name)| *field == name.as_bytes());
    named || !fields.iter().all(number)
}

/// Why a row of labels has a quote that is not closed, where it has one: a spreadsheet quotes labels with separators, and
/// this format knows no quotes. A channel may be called so, as the comments say.
pub(super) fn open_quote(row: &[u8], comments: &Comments) -> Option<String> {
    let separator = separator(row);
    let is_open = |field: &[u8]| {
        let is_named = comments.names.iter().any(|name| name.as_bytes() == field);
        !is_named && field.strip_prefix(b"\"").is_some_and(|rest| !rest.ends_with(b"\""))
    };
    let mut fields = row.split(|byte| *byte == separator).map(<[u8]>::trim_ascii).enumerate();
    fields.find(|(_, field)| is_open(field)).map(|(column, field)| quotes::open_quote(column, &field[1..]))
}

/// The layout of a file by its comments, its labels (where there are any) and its first row of data.
pub(super) fn learn(comments: &Comments, labels: Option<&[u8]>, row: &[u8]) -> Result<Layout, String> {
    let separator = separator(labels.unwrap_or(row));
    let values: Vec<&[u8]> = row.split(|byte| *byte == separator).collect();
    let labels: Option<Vec<String>> = labels.map(|labels| {
        labels
            .split(|byte| *byte == separator)
            .map(|label| String::from_utf8_lossy(label).trim().to_owned())
            .collect()
    });
    if labels.as_ref().is_some_and(|labels| labels.len() != values.len()) {
        return Err(format!("the row has {} fields, unlike the labels above it", values.len()));
    }
    let data = data_columns(comments, labels.as_deref(), values.len())?;
    let units = labels.as_ref().filter(|labels| states_units(labels, &comments.names));
    let is_level = |column: usize| match units {
        Some(units) => units[column] == LOGIC_UNIT,
        None => matches!(values[column], b"0" | b"1"),
    };
    let name = |column: usize| match (comments.names.get(column - data.start), &labels) {
        (Some(name), _) => name.clone(),
        (None, Some(labels)) if units.is_none() => labels[column].clone(),
        _ => (column - data.start).to_string(),
    };
    let names: Vec<(usize, String)> =
        data.clone().filter(|column| is_level(*column)).map(|column| (column, name(column))).collect();
    if names.is_empty() {
        return Err("no column holds levels (0 or 1); export the logic channels".to_owned());
    }
    let has_time = data.start > 0;
    Ok(Layout {
        separator,
        columns: values.len(),
        has_time,
        channels: numbered(names, data.start),
        times: times(comments.rate, has_time.then(|| labels.as_ref().map(|labels| labels[0].as_str())))?,
    })
}

/// The columns of channels: behind the time, before the trigger, where a file has these.
fn data_columns(
    comments: &Comments,
    labels: Option<&[String]>,
    columns: usize,
) -> Result<Range<usize>, String> {
    let named = comments.names.len();
    let has_time = match labels {
        Some(labels) => is_time_label(&labels[0]) && (named == 0 || columns > named),
        None if named > 0 => columns > named,
        None => {
            let what = "there are neither labels nor a comment with the channels; export with the header";
            return Err(what.to_owned());
        }
    };
    let first = usize::from(has_time);
    // A column of triggers is known by the count alone: a channel may have that name.
    let has_trigger = named > 0 && columns == first + named + 1;
    let data = first..columns - usize::from(has_trigger);
    if named > 0 && data.len() != named {
        return Err(format!("the row has {columns} fields, but the comment above names {named} channels"));
    }
    Ok(data)
}

/// Whether labels are units (`logic`, `V`) rather than names, of which one might be `logic`.
fn states_units(labels: &[String], names: &[String]) -> bool {
    let named = names.iter().any(|name| name == LOGIC_UNIT);
    !named && labels.iter().any(|label| label == LOGIC_UNIT)
}

fn is_time_label(label: &str) -> bool {
    matches!(label, "Time" | "samples") || Unit::from_label(label).is_some()
}

/// Channels numbered as their names say (`D7`, `7`), or by position where a name has no number of its own.
fn numbered(names: Vec<(usize, String)>, first_column: usize) -> Vec<(usize, Channel)> {
    let numbers: Option<Vec<u32>> =
        names.iter().map(|(_, name)| name.strip_prefix('D').unwrap_or(name).parse().ok()).collect();
    let distinct = numbers.filter(|numbers| {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] < pair[1])
    });
    let channel = |(place, (column, label)): (usize, (usize, String))| {
        let by_position = u32::try_from(column - first_column).unwrap_or(u32::MAX);
        let index = distinct.as_ref().map_or(by_position, |numbers| numbers[place]);
        (column, Channel { index, label })
    };
    names.into_iter().enumerate().map(channel).collect()
}

/// The kind of times: `time_label` is `Some(Some(label))` for a labelled time column.
fn times(rate: Option<Hertz>, time_label: Option<Option<&str>>) -> Result<Times, String> {
    let sampled = rate.and_then(|rate| Some((rate, SampleClock::new(rate)?)));
    let Some(label) = time_label else {
        return match sampled {
            Some((_, clock)) => Ok(Times::Counted { clock, rows: 0 }),
            None => {
                Err("there is neither a time column nor a sample rate; export with `time=true` or the header"
                    .to_owned())
            }
        };
    };
    let unit = label.and_then(Unit::from_label);
    let bracketed = label.is_some_and(|label| label.starts_with("Time") && label != "Time");
    match (unit, sampled) {
        (Some(unit), Some((rate, clock))) if !bracketed => {
            Ok(Times::Sampled { clock, rate, unit, rule: Rule::Unknown, sample: 0 })
        }
        (Some(unit), _) => {
            Ok(Times::Stated { unit, first_ps: None, time_ps: 0, may_be_cut: !bracketed && rate.is_none() })
        }
        (None, Some((rate, clock))) => {
            let unit = Unit::from_rate(rate).ok_or("the sample rate is beyond 1 THz")?;
            Ok(Times::Sampled { clock, rate, unit, rule: Rule::Unknown, sample: 0 })
        }
        (None, None) => {
            Err("the time column has no unit and there is no sample rate; export with the header or \
                             with `label=units`"
                .to_owned())
        }
    }
}
