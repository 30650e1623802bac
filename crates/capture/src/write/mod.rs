//! One writer per file format, each a sink for the changes of a [`crate::ChangeSource`]; the way out of the
//! main path. [`convert`] chooses the format by the file's name and leaves either a whole file or none.

mod logic2_csv;
mod sink;
mod spool;
mod vcd;

use std::io::{self, Write};
use std::path::Path;

pub use files::Existing;

use crate::change::ChangeSource;
use crate::error::CaptureError;
use sink::{Packing, Sink};
use spool::Spool;

/// Writes what is left of `source` as a value change dump, in the coarsest unit in which every time is exact.
/// `path` is named in errors.
///
/// # Errors
/// When the source cannot be read on, or `out` cannot be written.
pub fn write_vcd(
    source: &mut dyn ChangeSource,
    path: &Path,
    out: &mut dyn Write,
) -> Result<(), CaptureError> {
    let spool = Spool::fill(source, path)?;
    vcd::write(source.info(), spool, &mut WhileWanted { source, out })
        .map_err(|error| write_error(path, error))
}

/// Writes what is left of `source` as Saleae Logic 2 exports it: dates where the start is known and every time
/// is a whole number of nanoseconds, otherwise seconds from the start. `path` is named in errors.
///
/// # Errors
/// When the source cannot be read on, or `out` cannot be written.
pub fn write_logic2_csv(
    source: &mut dyn ChangeSource,
    path: &Path,
    out: &mut dyn Write,
) -> Result<(), CaptureError> {
    let spool = Spool::fill(source, path)?;
    logic2_csv::write(source.info(), spool, &mut WhileWanted { source, out })
        .map_err(|error| write_error(path, error))
}

/// Writes what is left of `source` to `path` in the format that its name ends in: `.vcd` or `.csv` (as Saleae
/// Logic 2), with `.gz`, `.xz` or `.zst` behind it compressed. The file appears when it is complete.
///
/// # Errors
/// When the name has no such ending, the file exists and is to be kept, the source cannot be read on, or the
/// file cannot be written.
pub fn convert(source: &mut dyn ChangeSource, path: &Path, existing: Existing) -> Result<(), CaptureError> {
    let (format, packing) = by_name(path)?;
    let mut sink = Sink::create(path, packing, existing).map_err(|error| write_error(path, error))?;
    match format {
        Format::Vcd => write_vcd(source, path, &mut sink)?,
        Format::Logic2Csv => write_logic2_csv(source, path, &mut sink)?,
    }
    check_wanted(source).and_then(|()| sink.finish()).map_err(|error| write_error(path, error))
}

/// What is written until the source is stopped: all of it was read before, so that the source itself says nothing any more.
struct WhileWanted<'a> {
    source: &'a dyn ChangeSource,
    out: &'a mut dyn Write,
}

impl Write for WhileWanted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_wanted(self.source)?;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn check_wanted(source: &dyn ChangeSource) -> io::Result<()> {
    if source.is_stopped() { Err(io::Error::other("stopped before its end")) } else { Ok(()) }
}

#[derive(Clone, Copy)]
enum Format {
    Vcd,
    Logic2Csv,
}

fn by_name(path: &Path) -> Result<(Format, Packing), CaptureError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (name, packing) = [(".gz", Packing::Gzip), (".xz", Packing::Xz), (".zst", Packing::Zstd)]
        .into_iter()
        .find_map(|(ending, packing)| Some((name.strip_suffix(ending)?, packing)))
        .unwrap_or((&name, Packing::None));
    if name.ends_with(".vcd") {
        Ok((Format::Vcd, packing))
    } else if name.ends_with(".csv") {
        Ok((Format::Logic2Csv, packing))
    } else {
        Err(CaptureError::Format {
            path: path.to_owned(),
            place: None,
            what: "captures are written as .vcd or .csv, also with .gz, .xz or .zst behind it; choose such a name"
                .to_owned(),
        })
    }
}

fn write_error(path: &Path, source: io::Error) -> CaptureError {
    CaptureError::Io { path: path.to_owned(), action: "write", source }
}
