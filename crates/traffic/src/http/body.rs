//! The end of a body: by Content-Length, by chunks or by the end of the connection (RFC 9112, section 6).

use httparse::Status;

use super::content::Content;

/// A chunk's size line or a trailer line may be so long; extensions are passed over.
const MOST_LINE_BYTES: usize = 8 * 1024;

/// How far a body has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// So many bytes are still to come.
    Length(u64),
    /// Chunks, in a state of their own.
    Chunks(Chunks),
    /// Whatever comes before the connection ends.
    UntilClose,
}

/// Where in a chunked body the next byte stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chunks {
    /// In the line with the size, of which this is the beginning.
    Size(Vec<u8>),
    /// In the data, of which so much is still to come.
    Data(u64),
    /// In the line end after the data, of which so many bytes have come.
    DataEnd(u8),
    /// In the trailer, so far into its present line.
    Trailer(usize),
    Done,
}

/// What is wrong with a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadChunk;

impl Body {
    pub(super) fn is_complete(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunks(Chunks::Done))
    }

    /// Takes what belongs to the body: how many bytes that was. `content` hears of those that are no framing.
    pub(super) fn take(&mut self, bytes: &[u8], content: &mut Content) -> Result<usize, BadChunk> {
        match self {
            Self::UntilClose => {
                content.take(bytes);
                Ok(bytes.len())
            }
            Self::Length(left) => {
                let taken = (*left).min(bytes.len() as u64);
                *left -= taken;
                content.take(&bytes[..taken as usize]);
                Ok(taken as usize)
            }
            Self::Chunks(chunks) => {
                let mut at = 0;
                while at < bytes.len() && *chunks != Chunks::Done {
                    let (taken, data) = chunks.take(&bytes[at..])?;
                    content.take(&bytes[at..at + data as usize]);
                    at += taken;
                }
                Ok(at)
            }
        }
    }
}

impl Chunks {
    /// Takes at least one byte of `bytes`, which is not empty.
    fn take(&mut self, bytes: &[u8]) -> Result<(usize, u64), BadChunk> {
        match self {
            Self::Size(line) => {
                line.push(bytes[0]);
                if bytes[0] == b'\n' {
                    *self = after_size(line)?;
                } else if line.len() > MOST_LINE_BYTES {
                    return Err(BadChunk);
                }
                Ok((1, 0))
            }
            Self::Data(left) => {
                let taken = (*left).min(bytes.len() as u64);
                *left -= taken;
                if *left == 0 {
                    *self = Self::DataEnd(0);
                }
                Ok((taken as usize, taken))
            }
            Self::DataEnd(count) => {
                let expected = if *count == 0 { b'\r' } else { b'\n' };
                if bytes[0] != expected {
                    return Err(BadChunk);
                }
                *self = if *count == 0 { Self::DataEnd(1) } else { Self::Size(Vec::new()) };
                Ok((1, 0))
            }
            Self::Trailer(length) => {
                match bytes[0] {
                    b'\n' if *length == 0 => *self = Self::Done,
                    b'\n' => *length = 0,
                    b'\r' => {}
                    _ if *length >= MOST_LINE_BYTES => return Err(BadChunk),
                    _ => *length += 1,
                }
                Ok((1, 0))
            }
            Self::Done => Ok((0, 0)),
        }
    }
}

fn after_size(line: &[u8]) -> Result<Chunks, BadChunk> {
    match httparse::parse_chunk_size(line) {
        Ok(Status::Complete((_, 0))) => Ok(Chunks::Trailer(0)),
        Ok(Status::Complete((_, size))) => Ok(Chunks::Data(size)),
        _ => Err(BadChunk),
    }
}
