//! A growing view on the decompressed bytes of one archive member, which knows its place in the member so that
//! errors can name it. Knows nothing of what the bytes mean.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::CaptureError;
use crate::read::input::{MemberStream, read_error};

const INITIAL_BYTES: usize = 128 << 10;

pub(super) struct Window {
    path: PathBuf,
    member: String,
    stream: MemberStream,
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Place in the member of the byte at `start`.
    offset: u64,
}

impl Window {
    pub(super) fn new(path: &Path, member: &str, stream: MemberStream) -> Self {
        let (path, member) = (path.to_owned(), member.to_owned());
        Self { path, member, stream, buffer: vec![0; INITIAL_BYTES], start: 0, filled: 0, offset: 0 }
    }

    /// The bytes in view.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// Brings at least `count` bytes into view. The buffer grows only as far as bytes arrive.
    pub(super) fn ensure(&mut self, count: usize) -> Result<(), CaptureError> {
        while self.filled - self.start < count {
            if !self.read_on()? {
                return Err(self.error(self.filled - self.start, "it ends here, in the middle of its data"));
            }
        }
        Ok(())
    }

    /// The first bytes in view as an array.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], CaptureError> {
        self.ensure(N)?;
        Ok(self.bytes()[..N].try_into().expect("a slice of N bytes is an array of N bytes"))
    }

    /// Moves the view on by bytes that are in it.
    pub(super) fn consume(&mut self, count: usize) {
        assert!(count <= self.filled - self.start, "only bytes in view can be consumed");
        self.start += count;
        self.offset += count as u64;
    }

    /// Moves the view on by any number of bytes.
    pub(super) fn skip(&mut self, mut count: u64) -> Result<(), CaptureError> {
        while count > 0 {
            self.ensure(1)?;
            let step = self.bytes().len().min(usize::try_from(count).unwrap_or(usize::MAX));
            self.consume(step);
            count -= step as u64;
        }
        Ok(())
    }

    /// Whether the member ends where the view begins.
    pub(super) fn is_at_end(&mut self) -> Result<bool, CaptureError> {
        Ok(self.start == self.filled && !self.read_on()?)
    }

    /// An error at a byte of the view.
    pub(super) fn error(&self, at: usize, what: impl Into<String>) -> CaptureError {
        let place = format!("{} at byte {}", self.member, self.offset + at as u64);
        CaptureError::Format { path: self.path.clone(), place: Some(place), what: what.into() }
    }

    /// Reads more; false at the member's end.
    fn read_on(&mut self) -> Result<bool, CaptureError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.filled..]) {
                Ok(read) => {
                    self.filled += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(read_error(&self.path, error)),
            }
        }
    }
}
