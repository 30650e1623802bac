//! Quotes in the labels of a table that do not fit together: what is wrong, and what to do.

/// A message shows at most so much of a label.
const SHOWN_CHARACTERS: usize = 24;

/// A field that nothing closes; `column` counts from 0.
pub(super) fn open_quote(column: usize, field: &[u8]) -> String {
    let (column, begins) = (column + 1, begin_of(field));
    format!("in column {column} the quote before `{begins}` is not closed; close it, or export it again")
}

/// A quote in the midst of a quoted field.
pub(super) fn quote_within(column: usize, field: &[u8]) -> String {
    let (column, begins) = (column + 1, begin_of(field));
    format!("in column {column} a quote ends the label `{begins}` too early; double it, or export it again")
}

/// Enough of a label to find it, on one line.
fn begin_of(field: &[u8]) -> String {
    let label = String::from_utf8_lossy(field);
    label.chars().take_while(|c| !c.is_control()).take(SHOWN_CHARACTERS).collect()
}
