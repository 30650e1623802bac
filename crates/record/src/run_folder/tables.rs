//! The tables of a run folder as Arrow record batches: one row per message, and one per done edge that
//! completed none.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use units::Picoseconds;

use super::Stage;
use crate::{Exchange, Sample, Samples};

/// The columns of `samples/`; the same for every kind of traffic, null where one does not apply.
pub fn samples_schema() -> SchemaRef {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let whole = |name: &str| Field::new(name, DataType::Int64, true);
    Arc::new(Schema::new(vec![
        text("run"),
        text("target"),
        text("variant"),
        text("traffic"),
        text("direction"),
        whole("index"),
        whole("payload_bytes"),
        whole("request_bytes"),
        whole("response_bytes"),
        whole("connection"),
        whole("trigger_ps"),
        whole("sent_ps"),
        whole("connect_ps"),
        whole("first_byte_ps"),
        whole("done_ps"),
        whole("latency_ps"),
        text("outcome"),
        text("answer"),
        text("status"),
        text("error"),
    ]))
}

/// What all samples of a run have in common.
#[derive(Debug, Clone, Copy)]
pub struct SampleLabels<'a> {
    /// The run: a capture's path, a row's name.
    pub run: &'a str,
    /// The kind of target: `capture`, `link`, `board`.
    pub target: &'a str,
    /// The group or the suite's entry.
    pub variant: &'a str,
    /// The load: `one-way`, or the kind of a client or a server.
    pub traffic: &'a str,
    /// The payload, where it is known of all messages alike.
    pub payload_bytes: Option<u64>,
}

/// One row per message.
pub fn samples_table(labels: &SampleLabels<'_>, samples: &Samples) -> RecordBatch {
    let n = samples.len();
    let repeated = |value: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(vec![value; n])) };
    let times = |of: fn(&Sample<'_>) -> Option<Picoseconds>| -> ArrayRef {
        Arc::new(samples.iter().map(|sample| of(&sample).map(Picoseconds::ps)).collect::<Int64Array>())
    };
    let payload = labels.payload_bytes.and_then(|bytes| i64::try_from(bytes).ok());
    let exchanged =
        Exchanged { samples, is_known: samples.iter().next().is_some_and(|one| one.exchange.is_some()) };
    let columns: Vec<ArrayRef> = vec![
        repeated(labels.run),
        repeated(labels.target),
        repeated(labels.variant),
        repeated(labels.traffic),
        Arc::new(StringArray::new_null(n)),
        Arc::new(samples.iter().map(|sample| i64::try_from(sample.index).ok()).collect::<Int64Array>()),
        match exchanged.is_known {
            true => exchanged.whole(|one| i64::try_from(one.payload_bytes).ok()),
            false => Arc::new(Int64Array::from(vec![payload; n])),
        },
        exchanged.whole(|one| i64::try_from(one.request_bytes).ok()),
        exchanged.whole(|one| i64::try_from(one.response_bytes).ok()),
        exchanged.whole(|one| one.connection.map(i64::from)),
        Arc::new(Int64Array::from(samples.trigger_times_ps().to_vec())),
        exchanged.whole(|one| one.sent.map(Picoseconds::ps)),
        exchanged.whole(|one| one.connect.map(Picoseconds::ps)),
        exchanged.whole(|one| one.first_byte.map(Picoseconds::ps)),
        times(|sample| sample.done),
        times(|sample| sample.latency()),
        Arc::new(StringArray::from_iter_values(samples.iter().map(|sample| sample.outcome.name()))),
        exchanged.text(|one| one.answer.map(str::to_owned)),
        exchanged.text(|one| one.status.map(|status| status.to_string())),
        exchanged.text(|one| one.error.clone()),
    ];
    RecordBatch::try_new(samples_schema(), columns).expect("every column has a row per message")
}

/// Columns of what clients and servers know of their messages; null where nobody does.
struct Exchanged<'a> {
    samples: &'a Samples,
    is_known: bool,
}

impl Exchanged<'_> {
    fn whole(&self, of: fn(&Exchange) -> Option<i64>) -> ArrayRef {
        if !self.is_known {
            return Arc::new(Int64Array::new_null(self.samples.len()));
        }
        Arc::new(self.samples.iter().map(|sample| sample.exchange.and_then(of)).collect::<Int64Array>())
    }

    fn text(&self, of: fn(&Exchange) -> Option<String>) -> ArrayRef {
        if !self.is_known {
            return Arc::new(StringArray::new_null(self.samples.len()));
        }
        Arc::new(self.samples.iter().map(|sample| sample.exchange.and_then(of)).collect::<StringArray>())
    }
}

/// A done edge that completed no trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrayDone {
    /// When it came.
    pub time_ps: i64,
    /// `late`, `duplicate` or `spurious`.
    pub outcome: &'static str,
    /// The trigger whose completion it would have been, where it is late.
    pub trigger_index: Option<usize>,
}

/// One row per done edge of a run that completed no trigger.
pub fn edges_table(run: &str, dones: impl IntoIterator<Item = StrayDone>) -> RecordBatch {
    let (mut runs, mut channel, mut outcome) =
        (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let (mut time_ps, mut index) = (Int64Builder::new(), Int64Builder::new());
    for done in dones {
        runs.append_value(run);
        channel.append_value("done");
        time_ps.append_value(done.time_ps);
        outcome.append_value(done.outcome);
        index.append_option(done.trigger_index.map(|i| i as i64));
    }
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("run", Arc::new(runs.finish()), false),
        ("channel", Arc::new(channel.finish()), false),
        ("time_ps", Arc::new(time_ps.finish()), false),
        ("outcome", Arc::new(outcome.finish()), false),
        ("trigger_index", Arc::new(index.finish()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("every column has a row per edge")
}

/// A part of a message's time.
#[derive(Debug, Clone, Copy)]
pub struct SpanRow<'a> {
    /// The message's index.
    pub message: u64,
    /// What it goes to.
    pub stage: &'a Stage,
    /// Its start.
    pub start: Picoseconds,
    /// Its end.
    pub end: Picoseconds,
    /// Bytes that were moved.
    pub bytes: u64,
}

/// The columns of `spans/`.
pub fn spans_schema() -> SchemaRef {
    let text = |name: &str, may_miss: bool| Field::new(name, DataType::Utf8, may_miss);
    let whole = |name: &str| Field::new(name, DataType::Int64, false);
    Arc::new(Schema::new(vec![
        text("run", false),
        whole("index"),
        text("cause", false),
        text("site", false),
        text("subject", true),
        text("detail", true),
        whole("start_ps"),
        whole("end_ps"),
        whole("bytes"),
    ]))
}

/// One row per part of a message's time.
pub fn spans_table<'a>(run: &str, spans: impl Iterator<Item = SpanRow<'a>>) -> RecordBatch {
    let spans: Vec<SpanRow<'_>> = spans.collect();
    let whole =
        |of: fn(&SpanRow<'_>) -> i64| -> ArrayRef { Arc::new(spans.iter().map(of).collect::<Int64Array>()) };
    let code = |of: fn(&Stage) -> &'static str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(spans.iter().map(|span| of(span.stage))))
    };
    let runs = StringArray::from_iter_values(std::iter::repeat_n(run, spans.len()));
    let subjects: StringArray = spans.iter().map(|span| span.stage.subject_code()).collect();
    let details: StringArray = spans.iter().map(|span| span.stage.detail()).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(runs),
        whole(|span| span.message as i64),
        code(|stage| stage.cause.code()),
        code(|stage| stage.site.code()),
        Arc::new(subjects),
        Arc::new(details),
        whole(|span| span.start.ps()),
        whole(|span| span.end.ps()),
        whole(|span| span.bytes as i64),
    ];
    RecordBatch::try_new(spans_schema(), columns).expect("every column has a row per span")
}
