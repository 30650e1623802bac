//! Rows of boards in a manifest.

use std::collections::BTreeMap;

use serde::Serialize;

use attribution::{BulkEvidence, Evidence};

use super::{BoardRowResult, Figure, Firmware, LatencyFigures, ReadyBoard};
use crate::suite::{Amount, BoardRow, SameBut, Statistic};

/// A row in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct BoardEntry {
    /// The value of `run` in the tables.
    pub run: String,
    /// The suite's entry.
    pub variant: String,
    /// What it is called in tables.
    pub title: String,
    /// The board.
    pub board: String,
    /// The image.
    pub firmware: FirmwareEntry,
    /// The board in the place of the PC.
    pub peer: Option<PeerEntry>,
    /// What every message carries; null where messages say their own.
    pub payload_bytes: Option<u64>,
    /// All settings of the image as they were in force.
    pub settings: BTreeMap<String, String>,
    /// The network: `default`, a file, or the table of the suite as a document.
    pub network: String,
    /// Which edges are messages to the peer.
    pub trigger: Option<String>,
    /// What ran on the PC beside its servers.
    pub traffic: Vec<String>,
    /// Whose messages the samples are.
    pub of: Option<String>,
    /// `messages`, `requests`, `latency` or `bulk`.
    pub measure: &'static str,
    /// What was measured.
    pub figure: Option<FigureEntry>,
    /// Median and mean, of rows that measure latencies.
    pub latency: Option<LatencyEntry>,
    /// What others measured.
    pub published: Option<PublishedEntry>,
    /// The row that this one is compared with.
    pub same_but: Option<SameButEntry>,
    /// How many messages count.
    pub samples: usize,
    /// Messages that were left out at the start.
    pub skip: u64,
    /// The end of the run.
    pub end_ps: i64,
    /// How it ended.
    pub ended: String,
    /// Why there is no figure.
    pub problem: Option<String>,
    /// What was counted on the board.
    pub counts: BTreeMap<&'static str, f64>,
    /// What was seen while messages were traced.
    pub evidence: Option<Evidence>,
    /// What was seen of a bulk transfer meanwhile.
    pub bulk: Option<BulkEvidence>,
    /// What a user should know of how the board's chips were treated.
    pub notes: Vec<String>,
}

/// A peer in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PeerEntry {
    /// The board.
    pub board: String,
    /// The image.
    pub firmware: FirmwareEntry,
    /// All settings of the image as they were in force.
    pub settings: BTreeMap<String, String>,
    /// How its run ended.
    pub ended: String,
    /// What was counted on it.
    pub counts: BTreeMap<&'static str, f64>,
    /// What was seen of it while messages were traced.
    pub evidence: Option<Evidence>,
}

/// An image in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct FirmwareEntry {
    /// Its name.
    pub name: String,
    /// SHA-256 of its file, in hexadecimal.
    pub sha256: String,
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
    fn of(row: &BoardRow, figures: LatencyFigures) -> Self {
        let of = |statistic| figure_entry(row, figures.of(statistic), Some(statistic));
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

/// A published figure in a manifest.
#[derive(Debug, Clone, Serialize)]
pub struct PublishedEntry {
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
    fn of(result: &BoardRowResult, theirs: Option<f64>, rows: &Rows<'_>) -> Option<Self> {
        let row = result.row();
        let published = row.published.as_ref()?;
        let (value, from, to) = parts_of(published.amount);
        let (in_unit, least, most) =
            parts_of(published.in_unit_of(row.measurement.quantity).unwrap_or(published.amount));
        Some(Self {
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
        })
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
type Rows<'a> = dyn Fn(&str) -> Option<&'a BoardEntry> + 'a;

impl BoardEntry {
    /// The entry of a row; `rows` finds those that it is compared with.
    pub fn of(result: &BoardRowResult, rows: &Rows<'_>) -> Self {
        let row = result.row();
        let other = row.same_but.as_ref().and_then(|same| rows(&same.row));
        let figure = result.figure.map(|figure| figure_entry(row, figure, row.statistic()));
        let theirs = other.and_then(|other| other.like(row.statistic())).map(|figure| figure.value);
        Self {
            run: row.name.clone(),
            variant: row.entry.clone(),
            title: row.title.clone(),
            board: result.ready.dut.board.name.clone(),
            firmware: firmware_entry(&result.ready.dut),
            peer: peer_entry(result),
            payload_bytes: result.ready.trigger.as_ref().and_then(|trigger| trigger.payload_bytes),
            settings: result.ready.dut.settings.clone(),
            network: row.setup.network.text().to_owned(),
            trigger: row.setup.trigger.as_ref().map(|trigger| trigger.to_string()),
            traffic: row.setup.traffic.iter().map(|one| one.to_string()).collect(),
            of: result.traffic.as_ref().map(|(name, _)| name.clone()),
            measure: row.measurement.quantity.name(),
            figure,
            latency: result.latency.map(|figures| LatencyEntry::of(row, figures)),
            published: PublishedEntry::of(result, theirs, rows),
            same_but: row.same_but.as_ref().map(|same| same_but_entry(same, result, other)),
            samples: result.samples.len(),
            skip: row.measurement.skip,
            end_ps: result.end_ps,
            ended: result.ended.clone(),
            problem: result.problem.clone(),
            counts: result.counts.clone(),
            evidence: result.budget.as_ref().map(|budget| budget.evidence.clone()),
            bulk: result.budget.as_ref().and_then(|budget| budget.bulk.clone()),
            notes: result.notes.clone(),
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

fn firmware_entry(ready: &ReadyBoard) -> FirmwareEntry {
    let Firmware { name, sha256 } = ready.firmware.clone();
    FirmwareEntry { name, sha256 }
}

fn peer_entry(result: &BoardRowResult) -> Option<PeerEntry> {
    let (ready, peer) = (result.ready.peer.as_ref()?, result.peer.as_ref()?);
    Some(PeerEntry {
        board: ready.board.name.clone(),
        firmware: firmware_entry(ready),
        settings: ready.settings.clone(),
        ended: peer.ended.clone(),
        counts: peer.counts.clone(),
        evidence: result.budget.as_ref().and_then(|budget| budget.peer_evidence.clone()),
    })
}

fn figure_entry(row: &BoardRow, figure: Figure, statistic: Option<Statistic>) -> FigureEntry {
    let Figure { value, interval, n } = figure;
    let statistic = statistic.map(Statistic::name);
    FigureEntry { value, interval, unit: row.measurement.quantity.unit(), n, statistic }
}

/// A value that only one of the two rows changes is the image's own in the other.
fn same_but_entry(same: &SameBut, result: &BoardRowResult, other: Option<&BoardEntry>) -> SameButEntry {
    let SameBut { row, what, here, there } = same.clone();
    // Of a peer's settings the name says that they are.
    let own = |settings: &BTreeMap<String, String>, peers: Option<&BTreeMap<String, String>>| match what
        .strip_prefix("peer.")
    {
        Some(name) => peers.and_then(|peers| peers.get(name)).cloned(),
        None => settings.get(&what).cloned(),
    };
    let ready = &result.ready;
    let of_other = |other: &BoardEntry| own(&other.settings, other.peer.as_ref().map(|peer| &peer.settings));
    SameButEntry {
        here: here.or_else(|| own(&ready.dut.settings, ready.peer.as_ref().map(|peer| &peer.settings))),
        there: there.or_else(|| other.and_then(of_other)),
        figure: other.and_then(|other| other.like(result.row().statistic())).cloned(),
        run: row,
        what,
    }
}
