//! A file that is compressed on the fly, and in its place only when it is complete.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use files::{Existing, NewFile};
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;

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

pub(super) struct Sink(BufWriter<Encoder>);

enum Encoder {
    None(NewFile),
    Gzip(GzEncoder<NewFile>),
    Xz(XzEncoder<NewFile>),
    Zstd(zstd::stream::write::Encoder<'static, NewFile>),
}

impl Sink {
    pub(super) fn create(path: &Path, packing: Packing, existing: Existing) -> io::Result<Self> {
        let file = NewFile::create(path, existing)?;
        let encoder = match packing {
            Packing::None => Encoder::None(file),
            Packing::Gzip => Encoder::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Packing::Xz => Encoder::Xz(XzEncoder::new(file, XZ_LEVEL)),
            Packing::Zstd => Encoder::Zstd(zstd::stream::write::Encoder::new(file, ZSTD_LEVEL)?),
        };
        Ok(Self(BufWriter::with_capacity(BUFFER_BYTES, encoder)))
    }

    /// Ends the compression and puts the file in its place.
    pub(super) fn finish(self) -> io::Result<()> {
        let file = match self.0.into_inner().map_err(io::IntoInnerError::into_error)? {
            Encoder::None(file) => file,
            Encoder::Gzip(encoder) => encoder.finish()?,
            Encoder::Xz(encoder) => encoder.finish()?,
            Encoder::Zstd(encoder) => encoder.finish()?,
        };
        file.finish()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
