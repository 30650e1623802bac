//! The members, streams or frames of compressed data, one after the other, and what follows behind the last: padding where the
//! compression's own program takes it, anything else is an error. Without this a decoder takes what follows for a further
//! part that is damaged or cut off, though the data before it is whole.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::GzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::Stream;

use crate::read::compressed::Compression;
use crate::read::input::ByteStream;

const BUFFER_BYTES: usize = 128 << 10;
/// `xz -9` needs 65 MiB to decompress; only a crafted file asks for more than this.
const XZ_MEMORY_BYTES: u64 = 256 << 20;
/// The largest window that `zstd` uses without `--long=28` or more.
const ZSTD_WINDOW_LOG: u32 = 27;
/// The longest magic number, that of xz.
const MAGIC_BYTES: usize = 6;
/// What follows is counted so far; a pipe need not end.
const COUNTED_BYTES: u64 = 1 << 30;
/// The padding between and behind streams of xz is a multiple of this (The .xz File Format, 2.2).
const XZ_PADDING_BYTES: u64 = 4;

/// The decompressed content of all parts.
pub(super) struct Parts {
    compression: Compression,
    /// Nothing when all is over.
    part: Option<Part>,
}

enum Part {
    Gzip(GzDecoder<Ahead>),
    Xz(XzDecoder<Ahead>),
    Zstd(zstd::stream::read::Decoder<'static, Ahead>),
}

impl Parts {
    pub(super) fn new(compression: Compression, compressed: ByteStream) -> io::Result<Self> {
        let reader = BufReader::with_capacity(BUFFER_BYTES, compressed);
        let part = Part::begin(compression, Ahead { held: Cursor::default(), reader })?;
        Ok(Self { compression, part: Some(part) })
    }
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(part) = &mut self.part {
            let read = part.reader().read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let Some(part) = self.part.take() else { break };
            let behind = part.end();
            self.part = match next_part(self.compression, behind)? {
                Some(next) => Some(Part::begin(self.compression, next)?),
                None => None,
            };
        }
        Ok(0)
    }
}

impl Part {
    fn begin(compression: Compression, from: Ahead) -> io::Result<Self> {
        Ok(match compression {
            Compression::Gzip => Self::Gzip(GzDecoder::new(from)),
            Compression::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES, 0)?;
                Self::Xz(XzDecoder::new_stream(from, stream))
            }
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(from)?.single_frame();
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Self::Zstd(decoder)
            }
        })
    }

    fn reader(&mut self) -> &mut dyn Read {
        match self {
            Self::Gzip(decoder) => decoder,
            Self::Xz(decoder) => decoder,
            Self::Zstd(decoder) => decoder,
        }
    }

    fn end(self) -> Ahead {
        match self {
            Self::Gzip(decoder) => decoder.into_inner(),
            Self::Xz(decoder) => decoder.into_inner(),
            Self::Zstd(decoder) => decoder.finish(),
        }
    }
}

/// Where a further part begins, behind padding that its format has; nothing at the end.
fn next_part(compression: Compression, mut behind: Ahead) -> io::Result<Option<Ahead>> {
    let padding = match compression {
        Compression::Zstd => 0,
        Compression::Gzip | Compression::Xz => behind.skip_zeros()?,
    };
    let head = behind.peek(MAGIC_BYTES)?;
    let is_aligned = compression != Compression::Xz || padding.is_multiple_of(XZ_PADDING_BYTES);
    if head.is_empty() && is_aligned {
        return Ok(None);
    }
    // `gzip -dc` takes zeros at the end alone.
    let may_follow = is_aligned && (compression != Compression::Gzip || padding == 0);
    if may_follow && Compression::detect(head) == Some(compression) {
        return Ok(Some(behind));
    }
    let counted = io::copy(&mut behind.take(COUNTED_BYTES), &mut io::sink())?;
    Err(io::Error::new(io::ErrorKind::InvalidData, Behind { bytes: padding + counted }))
}

/// That something follows which belongs to nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    bytes: u64,
}

impl Behind {
    /// What an error of [`Parts`] says of it.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            1 => write!(f, "1 byte follows behind the end"),
            bytes if bytes >= COUNTED_BYTES => {
                write!(f, "{COUNTED_BYTES} bytes or more follow behind the end")
            }
            bytes => write!(f, "{bytes} bytes follow behind the end"),
        }
    }
}

impl std::error::Error for Behind {}

/// A reader of which some bytes can be looked at before they are read, however few of them come at a time.
struct Ahead {
    held: Cursor<Vec<u8>>,
    reader: BufReader<ByteStream>,
}

impl Ahead {
    /// So many of the next bytes; fewer at the end.
    fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        let mut held = Vec::with_capacity(count);
        self.by_ref().take(count as u64).read_to_end(&mut held)?;
        // What was held before and is not among these is behind them.
        let at = self.held.position() as usize;
        held.extend_from_slice(&self.held.get_ref()[at..]);
        self.held = Cursor::new(held);
        Ok(&self.held.get_ref()[..count.min(self.held.get_ref().len())])
    }

    fn skip_zeros(&mut self) -> io::Result<u64> {
        let mut skipped = 0;
        loop {
            let next = match self.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                next => next?,
            };
            let zeros = next.iter().take_while(|byte| **byte == 0).count();
            let is_over = zeros < next.len() || next.is_empty();
            self.consume(zeros);
            skipped += zeros as u64;
            if is_over {
                return Ok(skipped);
            }
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.held.read(buffer)? {
            0 => self.reader.read(buffer),
            read => Ok(read),
        }
    }
}

impl BufRead for Ahead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let at = self.held.position() as usize;
        if at < self.held.get_ref().len() { Ok(&self.held.get_ref()[at..]) } else { self.reader.fill_buf() }
    }

    fn consume(&mut self, count: usize) {
        let at = self.held.position();
        if (at as usize) < self.held.get_ref().len() {
            self.held.set_position(at + count as u64);
        } else {
            self.reader.consume(count);
        }
    }
}
