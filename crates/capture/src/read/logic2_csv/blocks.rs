//! A text file in pieces: one buffer that is filled again and again and always ends its visible part with
//! whole lines. Counts lines; knows nothing of what they mean.

use std::io::{self, Read};

/// Large enough that system calls vanish, small enough that the buffer stays in the second-level cache.
pub(super) const BUFFER_BYTES: usize = 256 << 10;

pub(super) struct Blocks {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    /// End of the last whole line in the buffer; of the file's last piece once that is in.
    complete: usize,
    filled: usize,
    at_end: bool,
    /// The number of the line at `start`, from 1.
    number: u64,
}

impl Blocks {
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        let buffer = vec![0; BUFFER_BYTES];
        Self { reader, buffer, start: 0, complete: 0, filled: 0, at_end: false, number: 1 }
    }

    /// The lines in the buffer, each with its end; only the file's last may lack it.
    pub(super) fn complete(&self) -> &[u8] {
        &self.buffer[self.start..self.complete]
    }

    /// Everything in the buffer, whether its last line is whole or not.
    pub(super) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// Whether nothing follows the buffer.
    pub(super) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Whether a line does not fit into the buffer, so that filling it is in vain.
    pub(super) fn is_full(&self) -> bool {
        self.filled - self.start == self.buffer.len()
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn consume(&mut self, bytes: usize, lines: u64) {
        self.start += bytes;
        self.complete = self.complete.max(self.start);
        self.number += lines;
    }

    /// Reads until another whole line is there, the file ends or the buffer is full.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.complete -= self.start;
        self.start = 0;
        while !self.at_end && self.filled < self.buffer.len() {
            let read = match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            self.at_end = read == 0;
            let fresh = &self.buffer[self.filled..self.filled + read];
            let line_end = memchr::memrchr(b'\n', fresh).map(|at| self.filled + at + 1);
            self.filled += read;
            if let Some(end) = line_end {
                self.complete = end;
                return Ok(());
            }
        }
        if self.at_end {
            self.complete = self.filled;
        }
        Ok(())
    }
}
