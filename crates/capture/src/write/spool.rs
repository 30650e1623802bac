//! All changes of a source, set aside: a format's header states the unit of its times, and which unit is exact
//! is known only at the end.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::SpooledTempFile;

use crate::change::{Change, ChangeSource};
use crate::error::CaptureError;
use crate::read::clock::greatest_common_divisor;

/// Beyond this the changes go to a temporary file.
const MEMORY_BYTES: usize = 32 << 20;
const CHANGE_BYTES: usize = 16;

pub(super) struct Spool {
    file: SpooledTempFile,
    /// The largest number of picoseconds that divides every time; 0 if all times are 0.
    pub(super) finest_ps: u64,
    pub(super) end_ps: i64,
}

impl Spool {
    pub(super) fn fill(source: &mut dyn ChangeSource, path: &Path) -> Result<Self, CaptureError> {
        let write_error = |source| CaptureError::Io { path: path.to_owned(), action: "write", source };
        let mut writer = BufWriter::new(SpooledTempFile::new(MEMORY_BYTES));
        let mut batch = Vec::new();
        let mut finest_ps = 0;
        loop {
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            for change in &batch {
                finest_ps = greatest_common_divisor(finest_ps, change.time_ps.unsigned_abs());
                writer.write_all(&encode(change)).map_err(write_error)?;
            }
        }
        let end_ps = source.end_ps();
        let mut file = writer.into_inner().map_err(|error| write_error(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(write_error)?;
        Ok(Self { file, finest_ps: greatest_common_divisor(finest_ps, end_ps.unsigned_abs()), end_ps })
    }

    /// The changes in their order.
    pub(super) fn changes(self) -> impl Iterator<Item = io::Result<Change>> {
        let mut reader = BufReader::new(self.file);
        std::iter::from_fn(move || {
            let mut bytes = [0; CHANGE_BYTES];
            match reader.read_exact(&mut bytes) {
                Ok(()) => Some(Ok(decode(bytes))),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
                Err(error) => Some(Err(error)),
            }
        })
    }
}

fn encode(change: &Change) -> [u8; CHANGE_BYTES] {
    let bits = u128::from(change.time_ps as u64) << 64 | u128::from(change.levels);
    bits.to_le_bytes()
}

fn decode(bytes: [u8; CHANGE_BYTES]) -> Change {
    let bits = u128::from_le_bytes(bytes);
    Change { time_ps: (bits >> 64) as i64, levels: bits as u64 }
}
