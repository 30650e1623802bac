//! The header line of a Logic 2 export: `Time [s]` and one label a channel, quoted as in RFC 4180.
//! Gives the channels.

use std::path::Path;

use crate::change::{Channel, MAX_CHANNELS};
use crate::error::CaptureError;
use crate::read::quotes::{open_quote, quote_within};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
const TIME_LABEL: &str = "Time [s]";

/// Whether a file that begins with `head` is a digital export of Logic 2.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let head = head.strip_prefix(b"\"").unwrap_or(head);
    head.starts_with(TIME_LABEL.as_bytes())
}

/// Where in a field the header's parser stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote within a quoted field: the field's end, or the first half of a doubled quote.
    QuoteSeen,
}

/// The fields of the header and the number of bytes that it takes, or nothing while its end is not in sight.
/// At the end of the file the rest is the header.
///
/// # Errors
/// Where a quote is not closed, or something stands behind the one that closes: what is wrong and what to do. Whatever
/// follows would become part of a label.
pub(super) fn parse(bytes: &[u8], at_end: bool) -> Result<Option<(Vec<String>, usize)>, String> {
    let skipped = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut fields = Vec::new();
    let mut field = Vec::new();
    let mut place = Place::FieldStart;
    for (at, byte) in bytes.iter().enumerate().skip(skipped) {
        place = match (place, byte) {
            (Place::FieldStart, b'"') => Place::Quoted,
            (Place::Quoted, b'"') => Place::QuoteSeen,
            (Place::QuoteSeen, b'"') => {
                field.push(b'"');
                Place::Quoted
            }
            (Place::Quoted, _) => {
                field.push(*byte);
                Place::Quoted
            }
            (_, b',') => {
                fields.push(label(&mut field));
                Place::FieldStart
            }
            (_, b'\n') => {
                fields.push(label(&mut field));
                return Ok(Some((fields, at + 1)));
            }
            (Place::QuoteSeen, byte) if *byte != b'\r' => return Err(quote_within(fields.len(), &field)),
            _ => {
                field.push(*byte);
                Place::Plain
            }
        };
    }
    match (at_end, place) {
        (true, Place::Quoted) => Err(open_quote(fields.len(), &field)),
        (true, _) => {
            fields.push(label(&mut field));
            Ok(Some((fields, bytes.len())))
        }
        (false, _) => Ok(None),
    }
}

/// Takes the field; a carriage return at its end belongs to the line's end.
fn label(field: &mut Vec<u8>) -> String {
    let label = String::from_utf8_lossy(field.strip_suffix(b"\r").unwrap_or(field)).into_owned();
    field.clear();
    label
}

/// Why fields are no header, and what to do: a table that was saved by a spreadsheet often has other separators.
fn no_header(fields: &[String]) -> String {
    let behind = fields.first().and_then(|first| first.strip_prefix(TIME_LABEL)).unwrap_or_default();
    match behind.chars().next() {
        Some(';') => {
            "its columns are parted by semicolons; save it with commas, or export it again".to_owned()
        }
        Some('\t') => "its columns are parted by tabs; save it with commas, or export it again".to_owned(),
        _ => format!("the header does not begin with `{TIME_LABEL}` and a comma; export it again"),
    }
}

/// The channels that the header's fields name: their number is that of `Channel 7`, or else their position.
pub(super) fn channels(path: &Path, fields: &[String]) -> Result<Vec<Channel>, CaptureError> {
    let refused =
        |what: String| CaptureError::Format { path: path.to_owned(), place: Some("1".to_owned()), what };
    let labels = match fields {
        [time, labels @ ..] if time == TIME_LABEL => labels,
        _ => return Err(refused(no_header(fields))),
    };
    if labels.iter().any(|label| label.contains('\r')) {
        return Err(refused("its lines end in carriage returns alone; save it with line feeds".to_owned()));
    }
    if labels.is_empty() || labels.len() > MAX_CHANNELS {
        return Err(refused(format!(
            "the header names {} channels; export between 1 and {MAX_CHANNELS}",
            labels.len()
        )));
    }
    let numbered = |(position, label): (u32, &String)| Channel {
        index: label.strip_prefix("Channel ").and_then(|number| number.parse().ok()).unwrap_or(position),
        label: label.clone(),
    };
    Ok((0..).zip(labels).map(numbered).collect())
}
