//! Saleae Logic 2's export of digital channels: a header, then one row for each change of a level, with the
//! time as an ISO 8601 date or as seconds. Streams in one buffer of fixed size.
//!
//! Every row is checked in full. Rows with the shape of the one before take a fast path ([`shape`]), all
//! others a careful one ([`row`]), which also words the errors. Leaves out analog columns and rows without
//! data (`X`), which it refuses.

mod blocks;
mod header;
mod row;
mod shape;
#[cfg(test)]
mod tests;
mod time;

use std::path::PathBuf;

use crate::change::{CaptureInfo, Change, ChangeSource};
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::input::{Input, read_error};
use crate::read::select::select;

use crate::civil;
use blocks::{BUFFER_BYTES, Blocks};
pub(crate) use header::looks_like;
use shape::Shape;

const FORMAT: &str = "Saleae Logic 2 CSV";
const BATCH_CHANGES: usize = 8_192;
const PS_PER_S: u64 = 1_000_000_000_000;
/// Rows read carefully before a shape is learned again after one that fitted nothing; doubled each time.
const MOST_ROWS_BETWEEN_SHAPES: u32 = 64;

/// Opens a stream of this format; reads its header and looks at its first row.
pub(crate) fn open(input: Input, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let Input { path, reader } = input;
    let mut lines = Blocks::new(reader);
    let (fields, header_bytes) = loop {
        let refused = |what| CaptureError::Format { path: path.clone(), place: Some("1".to_owned()), what };
        // A header that does not fit is looked at as if the file ended there: a quote may be why it goes on.
        let is_all = lines.at_end() || lines.is_full();
        if let Some(header) = header::parse(lines.buffered(), is_all).map_err(refused)? {
            if lines.at_end() || lines.buffered()[..header.1].ends_with(b"\n") {
                break header;
            }
            return Err(refused(format!("the header takes more than {BUFFER_BYTES} bytes")));
        }
        lines.fill().map_err(|source| read_error(&path, source))?;
    };
    let channels = header::channels(&path, &fields)?;
    let columns = select(&path, &channels, &options.channels)?;
    let header_lines = memchr::memchr_iter(b'\n', &lines.buffered()[..header_bytes]).count();
    lines.consume(header_bytes, header_lines as u64);

    let selected = columns.iter().map(|column| channels[*column].clone()).collect();
    let info = CaptureInfo { format: FORMAT, channels: selected, start: None, sample_rate: None };
    let mut source = Logic2Csv {
        path,
        lines,
        channel_count: channels.len(),
        selection: Selection::new(columns, channels.len()),
        info,
        origin: Origin { absolute: false, ps: 0 },
        progress: Progress { time_ps: 0, levels: 0 },
        first_row_read: false,
        blank_line: None,
        shape: None,
        patience: Patience { rows_left: 0, next: 1 },
    };
    source.find_origin()?;
    Ok(Box::new(source))
}

/// The columns that make up the levels of a change.
struct Selection {
    columns: Vec<usize>,
    /// Whether bit i is simply column i.
    all_in_order: bool,
}

impl Selection {
    fn new(columns: Vec<usize>, channel_count: usize) -> Self {
        let all_in_order = columns.iter().copied().eq(0..channel_count);
        Self { columns, all_in_order }
    }

    #[inline(always)]
    fn levels(&self, column_levels: u64) -> u64 {
        if self.all_in_order {
            return column_levels;
        }
        let picked = self.columns.iter().enumerate();
        picked.fold(0, |levels, (bit, column)| levels | (column_levels >> column & 1) << bit)
    }
}

/// The time of the first row, which is the capture's zero.
struct Origin {
    absolute: bool,
    ps: i128,
}

/// The last row that was read.
#[derive(Clone, Copy)]
struct Progress {
    time_ps: i64,
    levels: u64,
}

/// How long to wait before a shape is learned again: irregular files would learn one for each row in vain.
struct Patience {
    rows_left: u32,
    next: u32,
}

struct Logic2Csv {
    path: PathBuf,
    lines: Blocks,
    channel_count: usize,
    selection: Selection,
    info: CaptureInfo,
    origin: Origin,
    progress: Progress,
    first_row_read: bool,
    /// An empty line, which only the end of the file may follow.
    blank_line: Option<u64>,
    shape: Option<Shape>,
    patience: Patience,
}

impl ChangeSource for Logic2Csv {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        match self.fill(batch) {
            // The row at fault is not consumed, so the error comes again with the next call.
            Err(_) if !batch.is_empty() => Ok(()),
            result => result,
        }
    }

    fn end_ps(&self) -> i64 {
        self.progress.time_ps
    }
}

impl Logic2Csv {
    /// Takes zero, start and kind of the times from the first row.
    fn find_origin(&mut self) -> Result<(), CaptureError> {
        while self.lines.complete().is_empty() {
            if !self.read_on()? {
                return Err(self.error(None, "it has a header but no rows; export it again"));
            }
        }
        let line = next_line(self.lines.complete());
        if line.row.is_empty() {
            return Err(self.error(None, "it has a header but no rows; export it again"));
        }
        let first = row::parse(line.row, self.channel_count).map_err(|what| self.row_error(&line, &what))?;
        self.origin = Origin { absolute: first.time.absolute, ps: first.time.ps };
        if first.time.absolute {
            let start = civil::rfc3339(first.time.ps).ok_or_else(|| {
                self.row_error(&line, "the first row lies outside of the years 0 to 9999 in UTC")
            })?;
            self.info.start = Some(start);
        }
        Ok(())
    }

    /// Reads more of the file; false at its end.
    fn read_on(&mut self) -> Result<bool, CaptureError> {
        if self.lines.at_end() {
            return Ok(false);
        }
        if self.lines.is_full() {
            let what = format!("this row takes more than {BUFFER_BYTES} bytes");
            return Err(self.error(Some(self.lines.number()), &what));
        }
        self.lines.fill().map_err(|source| read_error(&self.path, source))?;
        Ok(true)
    }

    fn fill(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.reserve(BATCH_CHANGES);
        while batch.len() < BATCH_CHANGES {
            if self.lines.complete().is_empty() {
                if !self.read_on()? {
                    return Ok(());
                }
            } else if !self.read_shaped_rows(batch) {
                self.read_row(batch)?;
            }
        }
        Ok(())
    }

    /// Reads rows on the fast path; false if not even the next one can be.
    fn read_shaped_rows(&mut self, batch: &mut Vec<Change>) -> bool {
        let Some(shape) = &self.shape else { return false };
        let rows = self.lines.complete();
        let count = shape.scan(rows, BATCH_CHANGES - batch.len(), &self.selection, &mut self.progress, batch);
        if count == 0 {
            self.shape = None;
            return false;
        }
        let row_bytes = shape.row_bytes();
        self.lines.consume(count * row_bytes, count as u64);
        self.patience = Patience { rows_left: 0, next: 1 };
        true
    }

    /// Reads one row with care.
    fn read_row(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        let line = next_line(self.lines.complete());
        if line.row.is_empty() {
            self.blank_line.get_or_insert(self.lines.number());
            self.shape = None;
            let line_bytes = line.bytes.len();
            self.lines.consume(line_bytes, 1);
            return Ok(());
        }
        if let Some(number) = self.blank_line {
            return Err(self.error(
                Some(number),
                "an empty line stands between the rows; remove it, or export the file again",
            ));
        }
        let row = row::parse(line.row, self.channel_count).map_err(|what| self.row_error(&line, &what))?;
        let time_ps = self.row_ps(&row, &line)?;
        let levels = self.selection.levels(row.column_levels);
        if !self.first_row_read || levels != self.progress.levels {
            batch.push(Change { time_ps, levels });
        }
        if self.patience.rows_left > 0 {
            self.patience.rows_left -= 1;
        } else if let Some(digits) = &row.time.digits {
            let line = line.bytes;
            self.shape = Shape::learn(line, digits, self.origin.ps, row.levels_at, self.channel_count);
            self.patience.rows_left = self.patience.next - 1;
            self.patience.next = (self.patience.next * 2).min(MOST_ROWS_BETWEEN_SHAPES);
        }
        self.progress = Progress { time_ps, levels };
        self.first_row_read = true;
        let line_bytes = line.bytes.len();
        self.lines.consume(line_bytes, 1);
        Ok(())
    }

    /// The row's time since the first row, which must not lie before the row above.
    fn row_ps(&self, row: &row::Row, line: &Line) -> Result<i64, CaptureError> {
        let refused = |what: &str| self.error(Some(self.lines.number()), what);
        if row.time.absolute != self.origin.absolute {
            return Err(refused("the first row has another kind of time: dates and seconds do not mix"));
        }
        let time_ps = i64::try_from(row.time.ps - self.origin.ps).map_err(|_| {
            let field = time::quoted(&line.row[..row.levels_at]);
            refused(&format!("the time {field} lies more than 106 days from the first row"))
        })?;
        let last_ps = self.progress.time_ps;
        if time_ps < last_ps {
            let (from, to) = (seconds(last_ps), seconds(time_ps));
            return Err(refused(&format!(
                "time goes backwards from {from} to {to} after the first row; export the file again"
            )));
        }
        Ok(time_ps)
    }

    /// What is wrong with the next row, unless it is only that its rest is missing.
    fn row_error(&self, line: &Line, what: &str) -> CaptureError {
        let cut_off = !line.bytes.ends_with(b"\n");
        let what = if cut_off { "the file ends in the middle of a row; export it again" } else { what };
        self.error(Some(self.lines.number()), what)
    }

    fn error(&self, line: Option<u64>, what: &str) -> CaptureError {
        let place = line.map(|number| number.to_string());
        CaptureError::Format { path: self.path.clone(), place, what: what.to_owned() }
    }
}

/// A line with and without its end.
struct Line<'a> {
    bytes: &'a [u8],
    row: &'a [u8],
}

fn next_line(lines: &[u8]) -> Line<'_> {
    let end = memchr::memchr(b'\n', lines).map_or(lines.len(), |at| at + 1);
    let bytes = &lines[..end];
    let row = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    Line { bytes, row: row.strip_suffix(b"\r").unwrap_or(row) }
}

/// Picoseconds in seconds, exactly, without trailing zeros.
fn seconds(ps: i64) -> String {
    let sign = if ps < 0 { "-" } else { "" };
    let (whole, rest) = (ps.unsigned_abs() / PS_PER_S, ps.unsigned_abs() % PS_PER_S);
    let text = format!("{sign}{whole}.{rest:012}");
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}
