//! CSV export of PulseView and sigrok-cli (libsigrok's output module `csv`): one row per sample, or per change
//! with `dedup=true`. Analogue columns are passed over.

mod layout;
mod times;

use std::ops::Range;
use std::path::PathBuf;

use crate::change::{CaptureInfo, Change, ChangeSource, Channel};
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::fold::Fold;
use crate::read::input::{Input, read_error};
use crate::read::lines::Lines;
use crate::read::select::select;
use layout::{Comments, Layout};
use times::{Times, shown};

const FORMAT: &str = "PulseView CSV";
const BATCH_CHANGES: usize = 4096;

/// Whether a text that begins with `head` is an export of PulseView or sigrok-cli.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    if let Some(comment) = first.strip_prefix(b";") {
        return [b"sigrok".as_slice(), b"DSView", b"Samplerate"]
            .iter()
            .any(|word| memchr::memmem::find(comment, word).is_some());
    }
    let separator = layout::separator(first);
    let mut fields = first.split(|byte| *byte == separator);
    let time = fields.next().unwrap_or_default();
    let unit = [b"milliseconds".as_slice(), b"microseconds", b"nanoseconds", b"picoseconds", b"samples"];
    let mut fields = fields.peekable();
    unit.contains(&time) && fields.peek().is_some()
        || time == b"logic" && fields.all(|field| field == b"logic")
}

/// Opens an export.
pub(crate) fn open(input: Input, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let mut rows = Rows { path: input.path, lines: Lines::new(input.reader) };
    let mut comments = Comments::default();
    let mut labels: Option<Vec<u8>> = None;
    let first_row = loop {
        let Some(row) = rows.next(Some(&mut comments))? else {
            return Err(rows.refused("the export has no rows; record or export it again"));
        };
        let text = rows.lines.text(row.clone());
        if labels.is_some() || !layout::is_label_row(text, &comments) {
            break row;
        }
        if let Some(what) = layout::open_quote(text, &comments) {
            return Err(rows.refused(&what));
        }
        labels = Some(text.to_vec());
    };
    let Layout { separator, columns, has_time, channels, times } =
        layout::learn(&comments, labels.as_deref(), rows.lines.text(first_row.clone()))
            .map_err(|what| rows.refused(&what))?;
    let all: Vec<Channel> = channels.iter().map(|(_, channel)| channel.clone()).collect();
    let selected = select(&rows.path, &all, &options.channels)?;
    let behind_time = usize::from(has_time);
    Ok(Box::new(PulseviewSource {
        info: CaptureInfo {
            format: FORMAT,
            channels: selected.iter().map(|place| all[*place].clone()).collect(),
            start: None,
            sample_rate: comments.rate(),
        },
        columns: Columns {
            separator,
            has_time,
            count: columns - behind_time,
            selected: selected.iter().map(|place| channels[*place].0 - behind_time).collect(),
        },
        rows,
        next_row: Some(first_row),
        times,
        values: None,
        fold: Fold::default(),
        ended: false,
        end_ps: 0,
    }))
}

/// The rows of the file: its lines without comments and blanks.
struct Rows {
    path: PathBuf,
    lines: Lines,
}

impl Rows {
    fn next(&mut self, mut comments: Option<&mut Comments>) -> Result<Option<Range<usize>>, CaptureError> {
        while let Some(line) = self.lines.next_line().map_err(|source| read_error(&self.path, source))? {
            match self.lines.text(line.clone()) {
                [] => {}
                [b';', comment @ ..] => {
                    if let Some(comments) = comments.as_deref_mut() {
                        comments
                            .take(&String::from_utf8_lossy(comment))
                            .map_err(|what| self.refused(&what))?;
                    }
                }
                _ => return Ok(Some(line)),
            }
        }
        Ok(None)
    }

    fn refused(&self, what: &str) -> CaptureError {
        CaptureError::Format {
            path: self.path.clone(),
            place: Some(self.lines.number().to_string()),
            what: what.to_owned(),
        }
    }
}

/// The columns behind the time, and which of them are read.
struct Columns {
    separator: u8,
    has_time: bool,
    count: usize,
    /// In the order of the levels.
    selected: Vec<usize>,
}

impl Columns {
    /// The time field, where there is one, and the rest of the row.
    fn split<'a>(&self, row: &'a [u8]) -> (Option<&'a [u8]>, &'a [u8]) {
        if !self.has_time {
            return (None, row);
        }
        match memchr::memchr(self.separator, row) {
            Some(at) => (Some(&row[..at]), &row[at + 1..]),
            None => (Some(row), &[]),
        }
    }

    fn levels(&self, values: &[u8]) -> Result<u64, String> {
        let all_single = values.len() == 2 * self.count - 1
            && values.iter().skip(1).step_by(2).all(|byte| *byte == self.separator);
        if all_single {
            return self.gather(|column| &values[2 * column..=2 * column]);
        }
        let fields: Vec<&[u8]> = values.split(|byte| *byte == self.separator).collect();
        if fields.len() != self.count {
            return Err(format!(
                "the row has {} values, but {} are due; the file may be cut off, so export it again",
                fields.len(),
                self.count
            ));
        }
        self.gather(|column| fields[column])
    }

    fn gather<'a>(&self, field: impl Fn(usize) -> &'a [u8]) -> Result<u64, String> {
        let mut levels = 0;
        for (bit, column) in self.selected.iter().enumerate() {
            match field(*column) {
                b"0" => {}
                b"1" => levels |= 1 << bit,
                other => {
                    return Err(format!(
                        "`{}` is no level (0 or 1); name the trigger and the done channel if others are analogue",
                        shown(other)
                    ));
                }
            }
        }
        Ok(levels)
    }
}

struct PulseviewSource {
    info: CaptureInfo,
    rows: Rows,
    /// The first row, which was read to learn the layout.
    next_row: Option<Range<usize>>,
    columns: Columns,
    times: Times,
    /// The values of the last row, if there was one: most rows only repeat them.
    values: Option<Vec<u8>>,
    fold: Fold,
    ended: bool,
    end_ps: i64,
}

impl ChangeSource for PulseviewSource {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        while !self.ended && batch.len() < BATCH_CHANGES {
            let row = match self.next_row.take() {
                Some(row) => Some(row),
                None => self.rows.next(None)?,
            };
            let taken = match row {
                Some(row) => self.take_row(row, batch),
                None => self.finish(batch),
            };
            taken.map_err(|what| self.rows.refused(&what))?;
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.end_ps
    }
}

impl PulseviewSource {
    fn take_row(&mut self, row: Range<usize>, batch: &mut Vec<Change>) -> Result<(), String> {
        let (time, values) = self.columns.split(self.rows.lines.text(row));
        self.times.row(time)?;
        if self.values.as_deref() != Some(values) {
            let levels = self.columns.levels(values)?;
            let kept = self.values.get_or_insert_default();
            kept.clear();
            kept.extend_from_slice(values);
            self.fold.state(self.times.now_ps()?, levels, batch);
        }
        Ok(())
    }

    fn finish(&mut self, batch: &mut Vec<Change>) -> Result<(), String> {
        self.end_ps = self.times.end_ps()?;
        self.fold.finish(batch);
        self.ended = true;
        Ok(())
    }
}
