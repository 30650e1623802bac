//! The lines of a text file, one at a time out of one buffer, without their ends.

use std::io;
use std::ops::Range;

use crate::read::input::ByteStream;

/// Large enough that system calls vanish, small enough for the second-level cache; the longest line.
const BUFFER_BYTES: usize = 256 << 10;

pub(crate) struct Lines {
    reader: ByteStream,
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    at_end: bool,
    number: u64,
}

impl Lines {
    pub(crate) fn new(reader: ByteStream) -> Self {
        Self { reader, buffer: vec![0; BUFFER_BYTES], start: 0, filled: 0, at_end: false, number: 0 }
    }

    /// The number of the line that [`Self::next_line`] gave, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Where in [`Self::text`] the next line lies; nothing at the end of the file.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Range<usize>>> {
        let mut searched = self.start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                return Ok(Some(self.take(searched + at, 1)));
            }
            if self.at_end {
                return Ok((self.start < self.filled).then(|| self.take(self.filled, 0)));
            }
            searched = self.filled - self.start;
            self.fill()?;
        }
    }

    /// The bytes of a line; valid until the next call of [`Self::next_line`].
    pub(crate) fn text(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    fn take(&mut self, end: usize, end_bytes: usize) -> Range<usize> {
        let mut line = self.start..end;
        if self.buffer[line.clone()].ends_with(b"\r") {
            line.end -= 1;
        }
        self.start = end + end_bytes;
        self.number += 1;
        line
    }

    /// Moves the unfinished line to the front and reads on behind it.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        if self.filled == self.buffer.len() {
            let what = format!(
                "line {} is longer than {BUFFER_BYTES} bytes; export the file again",
                self.number + 1
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let read = loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.filled += read;
        self.at_end = read == 0;
        Ok(())
    }
}
