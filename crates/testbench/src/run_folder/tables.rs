//! The tables of a run folder as Arrow record batches: one row per message, and one per done edge that
//! completed none.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use capture::pairing::Pairing;

use crate::captures::CaptureResult;

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
        whole("connect_ps"),
        whole("first_byte_ps"),
        whole("done_ps"),
        whole("latency_ps"),
        text("outcome"),
        text("status"),
        text("error"),
    ]))
}

/// What all samples of a run have in common.
#[derive(Debug, Clone, Copy)]
pub struct SampleLabels<'a> {
    /// The run: a capture's path, a row's name.
    pub run: &'a str,
    /// `capture` or `link`.
    pub target: &'a str,
    /// The group or the suite's entry.
    pub variant: &'a str,
    /// The payload, where it is known.
    pub payload_bytes: Option<u64>,
}

/// One row per trigger.
pub fn samples_table(labels: &SampleLabels<'_>, pairing: &Pairing) -> RecordBatch {
    let n = pairing.len();
    let repeated = |value: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(vec![value; n])) };
    let no_text = || -> ArrayRef { Arc::new(StringArray::new_null(n)) };
    let no_number = || -> ArrayRef { Arc::new(Int64Array::new_null(n)) };
    let payload = labels.payload_bytes.and_then(|bytes| i64::try_from(bytes).ok());
    let latency = |t: capture::pairing::Trigger| t.done_ps.map(|done| done - t.trigger_ps);
    let columns: Vec<ArrayRef> = vec![
        repeated(labels.run),
        repeated(labels.target),
        repeated(labels.variant),
        repeated("one-way"),
        no_text(),
        Arc::new(Int64Array::from_iter_values(0..n as i64)),
        Arc::new(Int64Array::from(vec![payload; n])),
        no_number(),
        no_number(),
        no_number(),
        Arc::new(Int64Array::from(pairing.trigger_times_ps().to_vec())),
        no_number(),
        no_number(),
        Arc::new(pairing.triggers().map(|t| t.done_ps).collect::<Int64Array>()),
        Arc::new(pairing.triggers().map(latency).collect::<Int64Array>()),
        Arc::new(StringArray::from_iter_values(pairing.triggers().map(|t| t.outcome.name()))),
        no_text(),
        no_text(),
    ];
    RecordBatch::try_new(samples_schema(), columns).expect("every column has a row per trigger")
}

/// One row per done edge that completed no trigger.
pub fn edges_table(capture: &CaptureResult) -> RecordBatch {
    let (mut run, mut channel, mut outcome) =
        (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let (mut time_ps, mut index) = (Int64Builder::new(), Int64Builder::new());
    for done in capture.pairing.unpaired_dones() {
        run.append_value(&capture.source.name);
        channel.append_value("done");
        time_ps.append_value(done.done_ps);
        outcome.append_value(done.outcome.name());
        index.append_option(done.trigger_index.map(|i| i as i64));
    }
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("run", Arc::new(run.finish()), false),
        ("channel", Arc::new(channel.finish()), false),
        ("time_ps", Arc::new(time_ps.finish()), false),
        ("outcome", Arc::new(outcome.finish()), false),
        ("trigger_index", Arc::new(index.finish()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("every column has a row per edge")
}
