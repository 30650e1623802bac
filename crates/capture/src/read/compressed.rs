//! Decompression on the fly: gzip, xz and zstd, told apart by their first bytes, with errors that say what to
//! do. Stands between the file and the readers; zip archives are not its business.

use std::io::{self, Read};

use crate::read::input::ByteStream;
use crate::read::parts::{Behind, Parts};

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
        let decoder = Box::new(Parts::new(self, compressed)?);
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
        if let Some(behind) = Behind::of(&error) {
            let what =
                format!("{behind} of the {name} data; cut off what is behind it, or copy the file again");
            return io::Error::new(io::ErrorKind::InvalidData, what);
        }
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
