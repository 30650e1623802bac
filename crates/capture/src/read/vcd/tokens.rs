//! The words of a value change dump: everything between white space, with the line that each stands on.

use std::io;
use std::ops::Range;

use crate::error::CaptureError;
use crate::read::input::{Input, read_error};

/// Also the longest word, which only a vector of as many bits reaches.
const BUFFER_BYTES: usize = 256 << 10;

pub(super) struct Tokens {
    input: Input,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
    at_end: bool,
    line: u64,
}

impl Tokens {
    pub(super) fn new(input: Input) -> Self {
        Self { input, buffer: vec![0; BUFFER_BYTES], at: 0, filled: 0, at_end: false, line: 1 }
    }

    /// Where in [`Self::bytes`] the next word lies; nothing at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Range<usize>>, CaptureError> {
        loop {
            self.skip_white_space();
            let rest = &self.buffer[self.at..self.filled];
            if let Some(length) = rest.iter().position(|byte| *byte <= b' ') {
                let word = self.at..self.at + length;
                self.at = word.end;
                return Ok(Some(word));
            }
            if self.at_end {
                let word = self.at..self.filled;
                self.at = self.filled;
                return Ok((!word.is_empty()).then_some(word));
            }
            self.fill()?;
        }
    }

    /// A word's bytes; valid until the next call of [`Self::next`].
    pub(super) fn bytes(&self, word: Range<usize>) -> &[u8] {
        &self.buffer[word]
    }

    /// Skips words until after `$end`.
    pub(super) fn skip_to_end(&mut self) -> Result<(), CaptureError> {
        while let Some(word) = self.next()? {
            if self.bytes(word) == b"$end" {
                return Ok(());
            }
        }
        Err(self.refused("the file ends before an $end; export or copy it again"))
    }

    pub(super) fn refused(&self, what: &str) -> CaptureError {
        CaptureError::Format {
            path: self.input.path.clone(),
            place: Some(self.line.to_string()),
            what: what.to_owned(),
        }
    }

    fn skip_white_space(&mut self) {
        while let Some(byte) = self.buffer[self.at..self.filled].first().filter(|byte| **byte <= b' ') {
            self.line += u64::from(*byte == b'\n');
            self.at += 1;
        }
    }

    /// Moves the unfinished word to the front and reads on behind it.
    fn fill(&mut self) -> Result<(), CaptureError> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        if self.filled == self.buffer.len() {
            return Err(self.refused(&format!("a word is longer than {BUFFER_BYTES} bytes; this is no VCD")));
        }
        let read = loop {
            match self.input.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(read_error(&self.input.path, source)),
                Ok(read) => break read,
            }
        };
        self.filled += read;
        self.at_end = read == 0;
        Ok(())
    }
}
