//! Rows of boards in the tables of a run folder: their samples in the one that all kinds share, and their spans.

use std::sync::Arc;

use ::traffic::{Outcome, Sample};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use units::Picoseconds;

use super::BoardRowResult;
use attribution::BudgetSpan;
use record::run_folder::{SpanRow, samples_schema, spans_table};

/// What a sample is called among all kinds of measurement.
fn outcome(sample: &Sample) -> &'static str {
    if sample.outcome == Outcome::Ok && sample.done.is_some() { "paired" } else { "missed" }
}

/// One row per message.
pub fn samples_of(result: &BoardRowResult) -> RecordBatch {
    let samples = &result.samples;
    let n = samples.len();
    let kind = result.traffic.as_ref().map_or("", |(_, kind)| kind.as_str());
    let repeated = |value: &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(vec![value; n])) };
    let whole = |of: &dyn Fn(&Sample) -> Option<i64>| -> ArrayRef {
        Arc::new(samples.iter().map(of).collect::<Int64Array>())
    };
    let bytes = |of: fn(&Sample) -> u64| whole(&|sample| i64::try_from(of(sample)).ok());
    let time = |of: fn(&Sample) -> Option<Picoseconds>| whole(&|sample| of(sample).map(Picoseconds::ps));
    let good = |sample: &Sample| outcome(sample) == "paired";
    let error = |sample: &Sample| {
        let word = sample.outcome.word();
        (!good(sample))
            .then(|| sample.error.as_ref().map_or(word.to_owned(), |error| format!("{word}: {error}")))
    };
    let columns: Vec<ArrayRef> = vec![
        repeated(&result.row().name),
        repeated("board"),
        repeated(&result.row().entry),
        repeated(kind),
        Arc::new(StringArray::new_null(n)),
        bytes(|sample| sample.index),
        bytes(|sample| sample.payload_bytes),
        bytes(|sample| sample.request_bytes),
        bytes(|sample| sample.response_bytes),
        whole(&|sample| sample.connection.map(i64::from)),
        time(|sample| Some(sample.trigger)),
        time(|sample| sample.connect),
        time(|sample| sample.first_byte),
        whole(&|sample| sample.done.filter(|_| good(sample)).map(Picoseconds::ps)),
        whole(&|sample| sample.latency().filter(|_| good(sample)).map(Picoseconds::ps)),
        Arc::new(StringArray::from_iter_values(samples.iter().map(outcome))),
        Arc::new(
            samples
                .iter()
                .map(|sample| sample.status.map(|status| status.to_string()))
                .collect::<StringArray>(),
        ),
        Arc::new(samples.iter().map(error).collect::<StringArray>()),
    ];
    RecordBatch::try_new(samples_schema(), columns).expect("every column has a row per message")
}

/// Where the time of the traced messages goes: the same columns as of links.
pub fn board_spans(result: &BoardRowResult) -> RecordBatch {
    let spans = result.budget.as_ref().map_or(&[][..], |budget| &budget.spans);
    spans_table(&result.row().name, spans.iter().map(span_row))
}

fn span_row(span: &BudgetSpan) -> SpanRow<'_> {
    let &BudgetSpan { message, ref stage, start, end, bytes } = span;
    SpanRow { message, stage, start, end, bytes }
}
