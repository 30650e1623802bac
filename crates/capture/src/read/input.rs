//! The bytes of a capture after decompression: as a stream for text formats, as an archive whose members
//! can be read side by side for zip formats. Knows zip, and no capture format.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive, result::ZipError};

use crate::error::CaptureError;

/// Compressed bytes that a member is read by; a member of a few kilobytes needs no more.
const MEMBER_BUFFER_BYTES: usize = 64 << 10;

/// Bytes from a file, a pipe, memory or a decoder.
pub(crate) type ByteStream = Box<dyn Read + Send>;

/// A decompressed stream and the path that errors name.
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) reader: ByteStream,
}

impl Input {
    pub(crate) fn new(path: &Path, reader: ByteStream) -> Self {
        Self { path: path.to_owned(), reader }
    }
}

/// An error while reading. Decoders say what is wrong with the data in a sentence of their own.
pub(crate) fn read_error(path: &Path, source: io::Error) -> CaptureError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::InvalidData => CaptureError::Format { path, place: None, what: source.to_string() },
        _ => CaptureError::Io { path, action: "read", source },
    }
}

/// An archive (zip) that can be opened once per member, so that members can be read side by side.
pub(crate) struct Archive {
    pub(crate) path: PathBuf,
    pub(crate) file: ArchiveFile,
}

/// Where the archive lies.
pub(crate) enum ArchiveFile {
    /// In the user's file, or in a temporary one without a name, because it was compressed or came through a pipe.
    OnDisk(Arc<File>),
    InMemory(Arc<[u8]>),
}

/// An independent position in an archive.
pub(crate) enum ArchiveHandle {
    /// The file is not opened again: its name may be somebody else's by now.
    File {
        file: Arc<File>,
        at: u64,
    },
    Memory(Cursor<Arc<[u8]>>),
}

impl Read for ArchiveHandle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, at } => {
                let read = read_at(file, buffer, *at)?;
                *at += read as u64;
                Ok(read)
            }
            Self::Memory(cursor) => cursor.read(buffer),
        }
    }
}

impl Seek for ArchiveHandle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File { file, at } => {
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(offset) => file.metadata()?.len().checked_add_signed(offset),
                    SeekFrom::Current(offset) => at.checked_add_signed(offset),
                };
                *at = place.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(*at)
            }
            Self::Memory(cursor) => cursor.seek(to),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

/// A member of an archive as its directory describes it.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Size when decompressed, as the directory claims: never a reason to allocate that much.
    pub(crate) bytes: u64,
    start: u64,
    compressed_bytes: u64,
    method: CompressionMethod,
    encrypted: bool,
    crc32: u32,
}

impl Archive {
    /// A further, independent handle on the archive.
    pub(crate) fn handle(&self) -> ArchiveHandle {
        match &self.file {
            ArchiveFile::OnDisk(file) => ArchiveHandle::File { file: Arc::clone(file), at: 0 },
            ArchiveFile::InMemory(bytes) => ArchiveHandle::Memory(Cursor::new(Arc::clone(bytes))),
        }
    }

    /// The archive's members, in the order of its directory.
    pub(crate) fn members(&self) -> Result<Vec<Member>, CaptureError> {
        let mut zip = ZipArchive::new(BufReader::new(self.handle())).map_err(|error| self.damaged(error))?;
        let mut members = Vec::with_capacity(zip.len());
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index).map_err(|error| self.damaged(error))?;
            members.push(Member {
                name: String::from_utf8_lossy(entry.name_raw()).into_owned(),
                bytes: entry.size(),
                start: entry.data_start().expect("opening an entry finds the start of its data"),
                compressed_bytes: entry.compressed_size(),
                method: entry.compression(),
                encrypted: entry.encrypted(),
                crc32: entry.crc32(),
            });
        }
        Ok(members)
    }

    /// The content of a member from its start; its length and checksum are verified when it ends.
    pub(crate) fn stream(&self, member: &Member) -> Result<MemberStream, CaptureError> {
        let refused = |what: String| {
            Err(CaptureError::Format { path: self.path.clone(), place: Some(member.name.clone()), what })
        };
        if member.encrypted {
            return refused("it is encrypted; unpack the archive with its password first".to_owned());
        }
        let mut handle = self.handle();
        handle.seek(SeekFrom::Start(member.start)).map_err(|source| CaptureError::Io {
            path: self.path.clone(),
            action: "read",
            source,
        })?;
        let stored = handle.take(member.compressed_bytes);
        let body = match member.method {
            CompressionMethod::Stored => Body::Stored(stored),
            CompressionMethod::Deflated => {
                Body::Deflated(Box::new(DeflateDecoder::new_with_buf(stored, vec![0; MEMBER_BUFFER_BYTES])))
            }
            other => {
                return refused(format!(
                    "it is packed by the method {other:?}, but only stored and deflated members are read; \
                     unpack the archive and zip it again"
                ));
            }
        };
        Ok(MemberStream { member: member.clone(), body, crc: Crc::new(), bytes: 0 })
    }

    fn damaged(&self, error: ZipError) -> CaptureError {
        match error {
            ZipError::Io(source) if source.raw_os_error().is_some() => {
                CaptureError::Io { path: self.path.clone(), action: "read", source }
            }
            error => CaptureError::Format {
                path: self.path.clone(),
                place: None,
                what: format!("the zip archive is damaged or cut off ({error}); copy or export it again"),
            },
        }
    }
}

enum Body {
    Stored(Take<ArchiveHandle>),
    Deflated(Box<DeflateDecoder<Take<ArchiveHandle>>>),
}

/// The decompressed content of one member. Its errors are sentences that name the member.
pub(crate) struct MemberStream {
    member: Member,
    body: Body,
    crc: Crc,
    bytes: u64,
}

impl Read for MemberStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.body {
            Body::Stored(stored) => stored.read(buffer),
            Body::Deflated(inflater) => inflater.read(buffer),
        };
        let read = read.map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => self.broken("cannot be decompressed"),
        })?;
        self.crc.update(&buffer[..read]);
        self.bytes += read as u64;
        if self.bytes > self.member.bytes {
            return Err(self.broken("is longer than the archive's directory says"));
        }
        if read == 0 && !buffer.is_empty() {
            if self.bytes < self.member.bytes {
                return Err(self.broken("ends early"));
            }
            if self.crc.sum() != self.member.crc32 {
                return Err(self.broken("does not have the checksum that the archive's directory gives"));
            }
        }
        Ok(read)
    }
}

impl MemberStream {
    fn broken(&self, what: &str) -> io::Error {
        let sentence = format!(
            "the archive member {} {what} after {} of {} bytes; copy or export the file again",
            self.member.name, self.bytes, self.member.bytes
        );
        io::Error::new(io::ErrorKind::InvalidData, sentence)
    }
}
