//! Where the time of the traced messages goes, as a table: the same columns as of links.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use attribution::BudgetSpan;

/// One row per share of a message's time.
pub(crate) fn spans_table(run: &str, spans: &[BudgetSpan]) -> RecordBatch {
    let n = spans.len();
    let whole =
        |of: fn(&BudgetSpan) -> i64| -> ArrayRef { Arc::new(spans.iter().map(of).collect::<Int64Array>()) };
    let text = |of: fn(&BudgetSpan) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(spans.iter().map(of)))
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("run", Arc::new(StringArray::from_iter_values(std::iter::repeat_n(run, n)))),
        ("index", whole(|span| span.message as i64)),
        ("stage", text(|span| &span.stage.name)),
        ("kind", text(|span| span.stage.kind)),
        ("start_ps", whole(|span| span.start.ps())),
        ("end_ps", whole(|span| span.end.ps())),
        ("bytes", whole(|span| span.bytes as i64)),
    ];
    RecordBatch::try_from_iter(columns).expect("every column has a row per span")
}
