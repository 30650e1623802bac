//! Where the time of the traced messages goes, as a table: the same columns as of links.

use arrow_array::RecordBatch;
use attribution::BudgetSpan;
use record::run_folder::{self, SpanRow};

/// One row per share of a message's time.
pub(crate) fn spans_table(run: &str, spans: &[BudgetSpan]) -> RecordBatch {
    run_folder::spans_table(run, spans.iter().map(row))
}

fn row(span: &BudgetSpan) -> SpanRow<'_> {
    let &BudgetSpan { message, ref stage, start, end, bytes } = span;
    SpanRow { message, stage, start, end, bytes }
}
