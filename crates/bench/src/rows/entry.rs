//! Rows in a manifest: what all kinds of target have in common, and beside it what only one kind has.

use serde::Serialize;

use super::{BoundEntry, Figure, LatencyFigures, RowResult};
use crate::suite::{Amount, Row, SameBut, Statistic};
use crate::targets::Facts;

/// A row in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct RowEntry {
    /// The value of `run` in the tables.
    pub run: String,
    /// The suite's entry; of a link with the settings that vary.
    pub variant: String,
    /// What it is called in tables.
    pub title: String,
    /// The kind of target.
    pub target: &'static str,
    /// What only that kind has.
    #[serde(flatten)]
    pub facts: Facts,
    /// `messages`, `requests`, `latency` or `bulk`.
    pub measure: &'static str,
    /// What was measured.
    pub figure: Option<FigureEntry>,
    /// Median and mean, of rows that measure latencies.
    pub latency: Option<LatencyEntry>,
    /// What others measured.
    pub published: Option<PublishedEntry>,
    /// What its figures are to keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<BoundEntry>,
    /// The row that this one is compared with.
    pub same_but: Option<SameButEntry>,
    /// How many messages count.
    pub samples: usize,
    /// Messages that were left out at the start.
    pub skip: u64,
    /// The end of the run.
    pub end_ps: i64,
    /// Why there is no figure.
    pub problem: Option<String>,
}

/// A figure in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct FigureEntry {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Its unit.
    pub unit: &'static str,
    /// How many messages it comes from.
    pub n: usize,
    /// `median` or `mean` of latencies.
    pub statistic: Option<&'static str>,
}

/// What is told of a row's latencies.
#[derive(Debug, Clone, Serialize)]
pub struct LatencyEntry {
    /// Half of them are shorter.
    pub median: FigureEntry,
    /// Their sum by their number.
    pub mean: FigureEntry,
    /// The shortest.
    pub least_ps: i64,
    /// The longest.
    pub most_ps: i64,
    /// The mean time until the connection is there; nothing where not every message opens one.
    pub connect_ps: Option<f64>,
    /// The mean time from then on.
    pub processing_ps: Option<f64>,
}

impl LatencyEntry {
    fn of(row: &Row, figures: LatencyFigures) -> Self {
        let of = |statistic| figure_entry(row, figures.one(statistic), Some(statistic));
        Self {
            median: of(Statistic::Median),
            mean: of(Statistic::Mean),
            least_ps: figures.least_ps,
            most_ps: figures.most_ps,
            connect_ps: figures.parts.map(|(connect, _)| connect),
            processing_ps: figures.parts.map(|(_, processing)| processing),
        }
    }

    fn one(&self, statistic: Statistic) -> &FigureEntry {
        match statistic {
            Statistic::Median => &self.median,
            Statistic::Mean => &self.mean,
        }
    }
}

/// What others measured, in a manifest.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum PublishedEntry {
    /// The median of a link's entry.
    Median(PublishedMedianEntry),
    /// Any other figure.
    Figure(Box<PublishedFigureEntry>),
}

/// A published median in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PublishedMedianEntry {
    /// The median.
    pub median_ps: i64,
    /// Where it was published.
    pub source: String,
    /// What is to be known of it.
    pub note: Option<String>,
}

/// A published figure in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PublishedFigureEntry {
    /// As it was published; nothing for a range.
    pub value: Option<f64>,
    /// The least of a range.
    pub from: Option<f64>,
    /// The most of a range.
    pub to: Option<f64>,
    /// Its unit.
    pub unit: String,
    /// In the unit of the row's figure; a ratio where ratios are compared.
    pub in_unit: Option<f64>,
    /// Both ends of a range in that unit.
    pub range_in_unit: Option<(Option<f64>, f64)>,
    /// `median` or `mean` of latencies, where the publication says it.
    pub statistic: Option<&'static str>,
    /// Where it was published.
    pub source: String,
    /// What is to be known of it.
    pub note: Option<String>,
    /// `absolute`, `ratio` or `mechanism`.
    pub compare: &'static str,
    /// The row's figure, or its ratio, divided by it: 1 within a range.
    pub measured_share: Option<f64>,
    /// The part of a latency until the connection is there.
    pub connect_ps: Option<f64>,
    /// The part from then on.
    pub processing_ps: Option<f64>,
    /// What was published beside it as how many times another row.
    pub times: Option<TimesEntry>,
}

/// How many times that of another row a figure is.
#[derive(Debug, Clone, Serialize)]
pub struct TimesEntry {
    /// The other row.
    pub run: String,
    /// As published.
    pub published: f64,
    /// As measured; nothing where the other row was not run.
    pub measured: Option<f64>,
}

impl PublishedEntry {
    fn of(result: &RowResult, theirs: Option<f64>, rows: &Rows<'_>) -> Option<Self> {
        let row = &result.row;
        let published = row.published.as_ref()?;
        if let Some(median_ps) = published.median_ps() {
            let (source, note) = (published.source.clone(), published.note.clone());
            return Some(Self::Median(PublishedMedianEntry { median_ps, source, note }));
        }
        let (value, from, to) = parts_of(published.amount);
        let (in_unit, least, most) =
            parts_of(published.in_unit_of(row.measurement.quantity).unwrap_or(published.amount));
        Some(Self::Figure(Box::new(PublishedFigureEntry {
            value,
            from,
            to,
            unit: published.unit.clone(),
            in_unit,
            range_in_unit: most.map(|most| (least, most)),
            statistic: published.statistic.map(Statistic::name),
            source: published.source.clone(),
            note: published.note.clone(),
            compare: published.compare.name(),
            measured_share: result.share_of_published(theirs),
            connect_ps: published.parts.map(|parts| parts.connect),
            processing_ps: published.parts.map(|parts| parts.processing),
            times: published.times.as_ref().map(|times| {
                let other = rows(&times.row).and_then(|other| other.like(row.statistic()));
                let measured = result.figure.zip(other).map(|(own, other)| own.value / other.value);
                TimesEntry { run: times.row.clone(), published: times.value, measured }
            }),
        })))
    }
}

/// The figure, and both ends of a range.
fn parts_of(amount: Amount) -> (Option<f64>, Option<f64>, Option<f64>) {
    match amount {
        Amount::Exact(figure) => (Some(figure), None, None),
        Amount::Between(from, to) => (None, Some(from), Some(to)),
        Amount::AtMost(most) => (None, None, Some(most)),
    }
}

/// A comparison in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct SameButEntry {
    /// The other row.
    pub run: String,
    /// What differs.
    pub what: String,
    /// Its value here.
    pub here: Option<String>,
    /// Its value there.
    pub there: Option<String>,
    /// The other row's figure, where it was run.
    pub figure: Option<FigureEntry>,
}

/// Finds a row that was kept before by its name.
type Rows<'a> = dyn Fn(&str) -> Option<&'a RowEntry> + 'a;

impl RowEntry {
    /// The entry of a row; `rows` finds those that it is compared with.
    pub fn of(result: &RowResult, rows: &Rows<'_>) -> Self {
        let row = &result.row;
        let other = row.same_but.as_ref().and_then(|same| rows(&same.row));
        let theirs = other.and_then(|other| other.like(row.statistic())).map(|figure| figure.value);
        Self {
            run: row.name.clone(),
            variant: row.entry.clone(),
            title: row.title.clone(),
            target: result.entry.kind,
            facts: result.entry.facts.clone(),
            measure: row.measurement.quantity.name(),
            figure: result.figure.map(|figure| figure_entry(row, figure, row.statistic())),
            latency: result.latency.map(|figures| LatencyEntry::of(row, figures)),
            published: PublishedEntry::of(result, theirs, rows),
            bounds: BoundEntry::of(result),
            same_but: row.same_but.as_ref().map(|same| same_but_entry(same, result, other)),
            samples: result.samples.len(),
            skip: row.measurement.skip,
            end_ps: result.entry.end.ps(),
            problem: result.problem.clone(),
        }
    }

    /// The figure that another row's is compared with: of latencies the same statistic.
    fn like(&self, statistic: Option<Statistic>) -> Option<&FigureEntry> {
        match (&self.latency, statistic) {
            (Some(latency), Some(statistic)) => Some(latency.one(statistic)),
            _ => self.figure.as_ref(),
        }
    }
}

fn figure_entry(row: &Row, figure: Figure, statistic: Option<Statistic>) -> FigureEntry {
    let Figure { value, interval, n } = figure;
    let statistic = statistic.map(Statistic::name);
    FigureEntry { value, interval, unit: row.measurement.quantity.unit(), n, statistic }
}

/// A value that only one of the two rows changes is the target's own in the other.
fn same_but_entry(same: &SameBut, result: &RowResult, other: Option<&RowEntry>) -> SameButEntry {
    let SameBut { row, what, here, there } = same.clone();
    SameButEntry {
        here: here.or_else(|| result.entry.facts.setting(&what)),
        there: there.or_else(|| other.and_then(|other| other.facts.setting(&what))),
        figure: other.and_then(|other| other.like(result.row.statistic())).cloned(),
        run: row,
        what,
    }
}
