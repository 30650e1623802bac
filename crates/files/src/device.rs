//! What is written to as it is, since no file can take its place: a device, or a pipe. A pipe that nobody reads is refused after
//! a while, and one whose reader has left or does not read holds nobody.

use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::path::Path;

use crate::patience::Patience;

/// A device or a pipe to write to.
#[derive(Debug)]
pub(crate) struct Device {
    file: File,
    /// Only of a pipe.
    patience: Option<Patience>,
}

impl Device {
    /// Opens what `metadata` is of.
    ///
    /// # Errors
    /// When it cannot be opened, or is a pipe that nobody reads.
    pub(crate) fn open(path: &Path, metadata: &Metadata) -> io::Result<Self> {
        if !is_pipe(metadata) {
            return Ok(Self { file: File::options().write(true).open(path)?, patience: None });
        }
        let patience = Patience::begin();
        loop {
            match open_at_once(path) {
                Err(error) if has_no_reader(&error) && patience.is_over() => {
                    return Err(broken("nobody reads from this pipe; start its reader first"));
                }
                Err(error) if has_no_reader(&error) => patience.pause_for_other_end()?,
                opened => return Ok(Self { file: opened?, patience: Some(patience) }),
            }
        }
    }
}

impl Write for Device {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(patience) = &self.patience else { return self.file.write(bytes) };
        patience.until_done(|| (&self.file).write(bytes)).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => {
                broken("the reader of this pipe left before the end; have it read all")
            }
            _ => error,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, what)
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_metadata: &Metadata) -> bool {
    false
}

/// Opens without waiting for a reader, and later writes without waiting for it either.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

#[cfg(unix)]
fn has_no_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENXIO)
}

#[cfg(not(unix))]
fn has_no_reader(_error: &io::Error) -> bool {
    false
}
