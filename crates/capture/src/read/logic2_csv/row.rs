//! One row of a Logic 2 export, read carefully: the time, and a level of exactly 0 or 1 for each channel.

use super::time::{self, RowTime};

/// A row that keeps the format.
pub(super) struct Row {
    pub(super) time: RowTime,
    /// Bit i is the level in column i.
    pub(super) column_levels: u64,
    /// Where the comma before the first level stands.
    pub(super) levels_at: usize,
}

/// Reads a row without its line end, which must have `channels` levels.
pub(super) fn parse(row: &[u8], channels: usize) -> Result<Row, String> {
    let levels_at = memchr::memchr(b',', row).unwrap_or(row.len());
    let (time_field, level_fields) = row.split_at(levels_at);
    if level_fields.len() == 2 * channels && level_fields.iter().step_by(2).all(|byte| *byte == b',') {
        let column_levels = levels(level_fields.chunks_exact(2).map(|field| &field[1..]))?;
        return Ok(Row { time: time::parse(time_field)?, column_levels, levels_at });
    }
    let columns = row.split(|byte| *byte == b',').count();
    if columns != channels + 1 {
        return Err(format!(
            "this row has {columns} columns, but the header has {}; export it again",
            channels + 1
        ));
    }
    let column_levels = levels(level_fields[1..].split(|byte| *byte == b','))?;
    Ok(Row { time: time::parse(time_field)?, column_levels, levels_at })
}

fn levels<'a>(fields: impl Iterator<Item = &'a [u8]>) -> Result<u64, String> {
    let mut levels = 0;
    for (column, field) in fields.enumerate() {
        match field {
            b"0" => {}
            b"1" => levels |= 1 << column,
            b"X" | b"x" => {
                return Err(format!(
                    "channel column {} has no data here (X); export a time range in which all channels were on",
                    column + 1
                ));
            }
            _ => {
                return Err(format!(
                    "{} in channel column {} is no level, which is 0 or 1; {}",
                    time::quoted(field),
                    column + 1,
                    if is_dressed(field) { "write it bare" } else { "export digital channels only" }
                ));
            }
        }
    }
    Ok(levels)
}

/// Whether a field is a level within quotes or blanks, as other programs write one.
fn is_dressed(field: &[u8]) -> bool {
    let inner = field.trim_ascii();
    let inner = inner.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(inner);
    matches!(inner.trim_ascii(), b"0" | b"1")
}
