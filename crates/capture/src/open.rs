//! Finds out which format a capture has, whatever its name, and opens the reader for it: the first step of the
//! main path. Decompression is in `read::compressed`, the formats themselves are in `read`.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use crate::change::{ChangeSource, ChannelSelector};
use crate::error::CaptureError;
use crate::read::compressed::Compression;
use crate::read::input::{Archive, ArchiveFile, ByteStream, Input, read_error};
use crate::read::{foreign, logic2_csv, pulseview_csv, sal, sigrok, vcd};

/// Enough for the comments at the top of any text format that we know.
const HEAD_BYTES: u64 = 64 << 10;
/// The most that a compressed archive may grow to in the temporary folder.
const SPOOLED_BYTES: u64 = 16 << 30;

/// Which channels to read.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// The channels, in the order in which they become bits of `Change::levels`; all of the file's when empty.
    pub channels: Vec<ChannelSelector>,
}

/// Opens a capture of any supported format, compressed or not, by its content.
///
/// # Errors
/// When the file cannot be opened, has no known format, or lacks a channel that was asked for.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let input = files::Input::open(path).map_err(|source| unopened(path, source))?;
    if input.is_pipe() {
        return open_stream(path, Box::new(input), options);
    }
    open_file(path, Arc::new(input.into_file()), options)
}

/// Opens a capture that is open already, so that nothing else is read when its name changes hands; `path` stands for it in
/// errors.
///
/// # Errors
/// As [`open`].
pub fn open_file(
    path: &Path,
    file: Arc<File>,
    options: &OpenOptions,
) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let metadata = file.metadata().map_err(|source| unopened(path, source))?;
    if metadata.is_dir() {
        return Err(refused(path, "this is a folder; name a capture file in it"));
    }
    let at_rest = metadata.is_file().then(|| ArchiveFile::OnDisk(Arc::clone(&file)));
    decompress_and_route(path, Box::new(file), at_rest, options)
}

/// Opens a capture that can be read only once, such as a pipe; `path` stands for it in errors.
///
/// # Errors
/// As [`open`].
pub fn open_stream(
    path: &Path,
    stream: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn ChangeSource>, CaptureError> {
    decompress_and_route(path, stream, None, options)
}

fn unopened(path: &Path, source: io::Error) -> CaptureError {
    CaptureError::Io { path: path.to_owned(), action: "open", source }
}

/// Opens a capture that is already in memory; `name` stands for it in errors.
///
/// # Errors
/// As [`open`].
pub fn open_bytes(
    name: &Path,
    bytes: Vec<u8>,
    options: &OpenOptions,
) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let bytes: Arc<[u8]> = bytes.into();
    let stream = Cursor::new(Arc::clone(&bytes));
    decompress_and_route(name, Box::new(stream), Some(ArchiveFile::InMemory(bytes)), options)
}

fn decompress_and_route(
    path: &Path,
    reader: ByteStream,
    at_rest: Option<ArchiveFile>,
    options: &OpenOptions,
) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let (head, reader) = peek(path, reader)?;
    if head.is_empty() {
        return Err(refused(path, "the file is empty (0 bytes); export or copy it again"));
    }
    let Some(compression) = Compression::detect(&head) else {
        return route(path, &head, reader, at_rest, options);
    };
    let plain = compression.decompress(reader).map_err(|source| read_error(path, source))?;
    let (head, plain) = peek(path, plain)?;
    if head.is_empty() {
        let what = format!("the {} data holds nothing; export or copy it again", compression.name());
        return Err(refused(path, &what));
    }
    if let Some(inner) = Compression::detect(&head) {
        let what = format!(
            "it is compressed twice, by {} within {}; decompress it once",
            inner.name(),
            compression.name()
        );
        return Err(refused(path, &what));
    }
    route(path, &head, plain, None, options)
}

/// Chooses the reader by the decompressed content.
fn route(
    path: &Path,
    head: &[u8],
    reader: ByteStream,
    at_rest: Option<ArchiveFile>,
    options: &OpenOptions,
) -> Result<Box<dyn ChangeSource>, CaptureError> {
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        let file = match at_rest {
            Some(file) => file,
            None => spool(path, reader)?,
        };
        return open_archive(Archive { path: path.to_owned(), file }, options);
    }
    let (head, reader) = without_byte_order_mark(head, reader);
    let input = Input::new(path, reader);
    if logic2_csv::looks_like(head) {
        logic2_csv::open(input, options)
    } else if pulseview_csv::looks_like(head) {
        pulseview_csv::open(input, options)
    } else if vcd::looks_like(head) {
        vcd::open(input, options)
    } else {
        Err(refused(path, &foreign::explain(path, head)))
    }
}

fn open_archive(archive: Archive, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let names: Vec<String> = archive.members()?.into_iter().map(|member| member.name).collect();
    if sal::is_member(&mut names.iter().map(String::as_str)) {
        sal::open(archive, options)
    } else if sigrok::is_session(&names) {
        sigrok::open(archive, options)
    } else {
        Err(refused(&archive.path, &foreign::explain_archive(&names)))
    }
}

/// The first bytes, and a reader that begins with them again.
fn peek(path: &Path, mut reader: ByteStream) -> Result<(Vec<u8>, ByteStream), CaptureError> {
    let mut head = Vec::new();
    reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(|source| read_error(path, source))?;
    let whole = Cursor::new(head.clone()).chain(reader);
    Ok((head, Box::new(whole)))
}

fn without_byte_order_mark(head: &[u8], mut reader: ByteStream) -> (&[u8], ByteStream) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let Some(rest) = head.strip_prefix(MARK) else { return (head, reader) };
    let mut mark = [0; MARK.len()];
    reader.read_exact(&mut mark).expect("the mark is in the part that was read already");
    (rest, reader)
}

/// Copies an archive to where it can be read at several places at once.
fn spool(path: &Path, reader: ByteStream) -> Result<ArchiveFile, CaptureError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::InvalidData => read_error(path, source),
        _ => CaptureError::Io { path: path.to_owned(), action: "decompress", source },
    };
    let mut temporary = tempfile::tempfile().map_err(failed)?;
    let copied = io::copy(&mut reader.take(SPOOLED_BYTES + 1), &mut temporary).map_err(failed)?;
    if copied > SPOOLED_BYTES {
        let what = format!(
            "the archive in it is larger than {} GiB; decompress it yourself and name the result",
            SPOOLED_BYTES >> 30
        );
        return Err(refused(path, &what));
    }
    Ok(ArchiveFile::OnDisk(Arc::new(temporary)))
}

fn refused(path: &Path, what: &str) -> CaptureError {
    CaptureError::Format { path: path.to_owned(), place: None, what: what.to_owned() }
}
