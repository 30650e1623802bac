//! Decompression on the fly: gzip, xz and zstd, told apart by their first bytes, with errors that say what to
//! do. Stands between the file and the readers; zip archives are not its business.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use crate::read::input::ByteStream;

const BUFFER_BYTES: usize = 128 << 10;
/// `xz -9` needs 65 MiB to decompress; only a crafted file asks for more than this.
const XZ_MEMORY_BYTES: u64 = 256 << 20;
/// The largest window that `zstd` uses without `--long=28` or more.
const ZSTD_WINDOW_LOG: u32 = 27;

/// A way of compressing one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Xz,
    Zstd,
}

impl Compression {
    /// The compression whose magic number `head` begins with.
    pub(crate) fn detect(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            // A skippable frame, which `pzstd` writes first.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }

    /// The decompressed content of `compressed`, all its members, streams or frames one after the other.
    pub(crate) fn decompress(self, compressed: ByteStream) -> io::Result<ByteStream> {
        let compressed = BufReader::with_capacity(BUFFER_BYTES, compressed);
        let decoder: ByteStream = match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(compressed)),
            Self::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY_BYTES, CONCATENATED)?;
                Box::new(XzDecoder::new_stream(compressed, stream))
            }
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(compressed)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        };
        Ok(Box::new(Decompressed { compression: self, decoder }))
    }
}

/// A decoder whose errors are sentences.
struct Decompressed {
    compression: Compression,
    decoder: ByteStream,
}

impl Read for Decompressed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).map_err(|error| self.explained(error))
    }
}

impl Decompressed {
    fn explained(&self, error: io::Error) -> io::Error {
        let name = self.compression.name();
        let sentence = match error.kind() {
            io::ErrorKind::Interrupted => return error,
            _ if error.raw_os_error().is_some() => return error,
            io::ErrorKind::UnexpectedEof => format!("the {name} data ends early; copy the file again"),
            _ if wants_too_much_memory(&error) => format!(
                "the {name} data needs more memory to decompress than a capture should; decompress it by itself"
            ),
            _ => format!("the {name} data is damaged ({error}); copy the file again"),
        };
        io::Error::new(io::ErrorKind::InvalidData, sentence)
    }
}

fn wants_too_much_memory(error: &io::Error) -> bool {
    let of_xz = error.get_ref().and_then(|inner| inner.downcast_ref::<liblzma::stream::Error>());
    // The binding of zstd passes on only the library's text.
    of_xz == Some(&liblzma::stream::Error::MemLimit) || error.to_string().contains("too much memory")
}
