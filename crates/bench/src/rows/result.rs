//! What became of a row.

use arrow_array::RecordBatch;
use capture::pairing::Outcomes;
use record::run_folder::{SampleLabels, spans_schema};
use record::{Samples, Statistics};

use super::figure::{Figure, MedianInterval};
use super::measure::Measure;
use crate::suite::{Compare, Row, Statistic};
use crate::target::{Observations, TargetEntry};

/// A row that was run.
#[derive(Debug, Clone)]
pub struct RowResult {
    /// What was asked.
    pub row: Row,
    /// What it was run on.
    pub entry: TargetEntry,
    /// The messages that count; none once a run folder holds them.
    pub samples: Samples,
    /// How many messages had which fate.
    pub outcomes: Outcomes,
    /// What their latencies say.
    pub statistics: Statistics,
    /// The figure of the row.
    pub figure: Option<Figure>,
    /// Of rows that measure latencies.
    pub latency: Option<LatencyFigures>,
    /// Why there is no figure, or not the one that was wanted.
    pub problem: Option<String>,
    /// Where the time of some messages went; empty once a run folder holds it.
    pub observed: Observations,
}

/// What is told of the same latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyFigures {
    /// Half of them are shorter.
    pub median: Figure,
    /// Their sum by their number.
    pub mean: Figure,
    /// The shortest.
    pub least_ps: i64,
    /// The longest.
    pub most_ps: i64,
    /// The mean of the time until the connection is there, and of what follows; nothing where not every message opens one.
    pub parts: Option<(f64, f64)>,
}

impl LatencyFigures {
    /// Of a row that measures latencies.
    pub(super) fn of(
        row: &Row,
        samples: &Samples,
        statistics: &Statistics,
        measure: Measure,
    ) -> Option<Self> {
        row.statistic()?;
        let quantity = row.measurement.quantity;
        let of =
            |statistic| Figure::of(quantity, statistic, samples, MedianInterval::of(statistics, measure));
        let latencies = || samples.answered().filter_map(|sample| sample.latency()).map(|time| time.ps());
        Some(Self {
            median: of(Statistic::Median)?,
            mean: of(Statistic::Mean)?,
            least_ps: latencies().min()?,
            most_ps: latencies().max()?,
            parts: connect_and_processing(samples),
        })
    }

    /// One of them.
    pub fn one(self, statistic: Statistic) -> Figure {
        match statistic {
            Statistic::Median => self.median,
            Statistic::Mean => self.mean,
        }
    }
}

/// Means, where every message opens a connection.
fn connect_and_processing(samples: &Samples) -> Option<(f64, f64)> {
    let times = samples.answered().map(|sample| {
        let connect = (sample.exchange?.connect? - sample.trigger).ps();
        Some((connect as f64, (sample.latency()?.ps() - connect) as f64))
    });
    let times: Vec<(f64, f64)> = times.collect::<Option<_>>()?;
    let mean = |of: fn(&(f64, f64)) -> f64| times.iter().map(of).sum::<f64>() / times.len() as f64;
    (!times.is_empty()).then(|| (mean(|one| one.0), mean(|one| one.1)))
}

impl RowResult {
    /// What its samples have in common.
    pub fn labels(&self) -> SampleLabels<'_> {
        SampleLabels {
            run: &self.row.name,
            target: self.entry.kind,
            variant: &self.row.entry,
            traffic: &self.entry.traffic,
            payload_bytes: self.entry.payload_bytes,
        }
    }

    /// Where the time of some messages went; an empty table where that is not known, or kept already.
    pub fn spans_table(&self) -> RecordBatch {
        self.observed.spans.clone().unwrap_or_else(|| RecordBatch::new_empty(spans_schema()))
    }

    /// This row's figure as a share of the published one, or of a published ratio its ratio to `other`, the figure of the row
    /// of `same_but`. A range of single messages is of no figure.
    pub fn share_of_published(&self, other: Option<f64>) -> Option<f64> {
        let published = self.row.published.as_ref()?;
        let quantity = self.row.measurement.quantity;
        if published.is_of_single_messages(quantity) {
            return None;
        }
        let own = self.figure?.value;
        let found = if published.compare == Compare::Ratio { own / other? } else { own };
        Some(published.in_unit_of(quantity)?.share(found))
    }

    /// Drops what the run folder holds.
    pub(super) fn forget(&mut self) {
        self.samples = Samples::default();
        self.observed = Observations::default();
    }
}
