//! A file that is written beside its place, compressed on the fly, and put there only when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use tempfile::{NamedTempFile, TempPath};

use crate::write::Existing;

const XZ_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;
const BUFFER_BYTES: usize = 128 << 10;

#[derive(Clone, Copy)]
pub(super) enum Packing {
    None,
    Gzip,
    Xz,
    Zstd,
}

pub(super) struct Sink {
    /// Removes the unfinished file when it is dropped.
    path: TempPath,
    encoder: BufWriter<Encoder>,
    existing: Existing,
}

enum Encoder {
    None(File),
    Gzip(GzEncoder<File>),
    Xz(XzEncoder<File>),
    Zstd(zstd::stream::write::Encoder<'static, File>),
}

impl Sink {
    /// Opens a temporary file in the folder of `path`.
    pub(super) fn beside(path: &Path, packing: Packing, existing: Existing) -> io::Result<Self> {
        if existing == Existing::Keep && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let (file, path) = temporary(folder)?.into_parts();
        let encoder = match packing {
            Packing::None => Encoder::None(file),
            Packing::Gzip => Encoder::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Packing::Xz => Encoder::Xz(XzEncoder::new(file, XZ_LEVEL)),
            Packing::Zstd => Encoder::Zstd(zstd::stream::write::Encoder::new(file, ZSTD_LEVEL)?),
        };
        Ok(Self { path, encoder: BufWriter::with_capacity(BUFFER_BYTES, encoder), existing })
    }

    /// Ends the compression and puts the file in its place.
    pub(super) fn finish(self, path: &Path) -> io::Result<()> {
        match self.encoder.into_inner().map_err(io::IntoInnerError::into_error)? {
            Encoder::None(_) => {}
            Encoder::Gzip(encoder) => drop(encoder.finish()?),
            Encoder::Xz(encoder) => drop(encoder.finish()?),
            Encoder::Zstd(encoder) => drop(encoder.finish()?),
        }
        let placed = match self.existing {
            Existing::Keep => self.path.persist_noclobber(path),
            Existing::Replace => self.path.persist(path),
        };
        placed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => error.error,
        })
    }
}

/// A temporary file with the permissions that any new file has.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn exists() -> io::Error {
    let what = "a file of that name exists; choose another name or say that it may be replaced";
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder.flush()
    }
}

impl Write for Encoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(file) => file.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Xz(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(file) => file.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Xz(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}
