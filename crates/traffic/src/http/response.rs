//! Reads one response out of a stream that may be cut anywhere.

use httparse::{Response, Status};
use thiserror::Error;

use super::body::{Body, Chunks};
use super::content::Content;

/// A head that is longer is refused.
const MOST_HEAD_BYTES: usize = 64 * 1024;
const MOST_HEADERS: usize = 100;

/// Why a stream is no response.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResponseError {
    /// The head cannot be parsed.
    #[error("the response's head is malformed: {0}")]
    Head(httparse::Error),
    /// The head does not end.
    #[error("the response's head is longer than {MOST_HEAD_BYTES} B")]
    LongHead,
    /// Content-Length is no number, or there are two that differ.
    #[error("the response's Content-Length is no single number")]
    Length,
    /// A chunk's size or end is malformed.
    #[error("a chunk of the response's body is malformed")]
    Chunk,
    /// The connection ended before the response did.
    #[error("the connection ended before the response was complete")]
    Truncated,
}

/// What a reader has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// More is to come.
    More,
    /// The response is complete.
    Complete {
        /// Its status code.
        status: u16,
        /// Whether the server will answer another request on this connection.
        keep_alive: bool,
        /// Bytes of content.
        body_bytes: u64,
        /// Bytes in all, with interim responses.
        response_bytes: u64,
    },
}

#[derive(Debug, Clone)]
struct Head {
    status: u16,
    keep_alive: bool,
    body: Body,
}

/// Reads one response.
#[derive(Debug, Clone)]
pub struct ResponseReader {
    /// The answer to HEAD has no body, whatever its head says (RFC 9112, section 6.3).
    to_head: bool,
    head_bytes: Vec<u8>,
    head: Option<Head>,
    content: Content,
    response_bytes: u64,
}

impl ResponseReader {
    /// A reader of the response to a request, which was HEAD or not.
    pub fn new(to_head: bool) -> Self {
        Self { to_head, head_bytes: Vec::new(), head: None, content: Content::default(), response_bytes: 0 }
    }

    /// The same, which also looks for a text in the content, unless it is empty.
    pub fn searching(self, text: &str) -> Self {
        Self { content: Content::searched_for(text), ..self }
    }

    /// Begins with the next response; buffers stay allocated.
    pub fn restart(&mut self) {
        self.head_bytes.clear();
        self.head = None;
        self.content.restart();
        self.response_bytes = 0;
    }

    /// Bytes of the response so far.
    pub fn response_bytes(&self) -> u64 {
        self.response_bytes
    }

    /// The CRC-32 of its content so far.
    pub fn body_crc32(&self) -> u32 {
        self.content.crc32()
    }

    /// Whether the text that is looked for stands in its content so far; true where none is.
    pub fn holds_the_text(&self) -> bool {
        self.content.holds_the_text()
    }

    /// Takes the next bytes: how many belong to this response, and what it has come to.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(usize, Progress), ResponseError> {
        let mut at = 0;
        while at < bytes.len() {
            let taken = match &mut self.head {
                None => self.take_head(&bytes[at..])?,
                Some(head) => {
                    head.body.take(&bytes[at..], &mut self.content).map_err(|_| ResponseError::Chunk)?
                }
            };
            at += taken;
            self.response_bytes += taken as u64;
            if self.head.as_ref().is_some_and(|head| head.body.is_complete()) {
                return Ok((at, self.complete()));
            }
        }
        Ok((at, Progress::More))
    }

    /// The connection has ended: whether that completes the response.
    pub fn end(&self) -> Result<Progress, ResponseError> {
        match &self.head {
            Some(head) if head.body == Body::UntilClose => Ok(self.complete()),
            _ => Err(ResponseError::Truncated),
        }
    }

    fn complete(&self) -> Progress {
        let Some(head) = &self.head else { return Progress::More };
        Progress::Complete {
            status: head.status,
            keep_alive: head.keep_alive && head.body != Body::UntilClose,
            body_bytes: self.content.bytes,
            response_bytes: self.response_bytes,
        }
    }

    /// Takes bytes up to the end of a line.
    fn take_head(&mut self, bytes: &[u8]) -> Result<usize, ResponseError> {
        let line_end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = line_end.map_or(bytes.len(), |at| at + 1);
        self.head_bytes.extend_from_slice(&bytes[..taken]);
        if self.head_bytes.len() > MOST_HEAD_BYTES {
            return Err(ResponseError::LongHead);
        }
        if !parses_now(&mut self.head_bytes) {
            return Ok(taken);
        }
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut response = Response::new(&mut headers);
        match response.parse(&self.head_bytes) {
            Ok(Status::Partial) => {}
            Ok(Status::Complete(_)) => {
                let head = Head::of(&response, self.to_head)?;
                // An interim response (RFC 9110, section 15.2) is followed by another head.
                let interim = (100..200).contains(&head.status) && head.status != 101;
                self.head = (!interim).then_some(head);
                self.head_bytes.clear();
            }
            Err(error) => return Err(ResponseError::Head(error)),
        }
        Ok(taken)
    }
}

/// Whether a head is to be parsed: at its end, and after its first line, so that what is no HTTP is told early. Empty lines
/// before it are dropped (RFC 9112, section 2.2).
pub(super) fn parses_now(head_bytes: &mut Vec<u8>) -> bool {
    if matches!(&head_bytes[..], b"\n" | b"\r\n") {
        head_bytes.clear();
    }
    let Some((b'\n', before)) = head_bytes.split_last() else { return false };
    before.ends_with(b"\n") || before.ends_with(b"\n\r") || !before.contains(&b'\n')
}

impl Head {
    fn of(response: &Response<'_, '_>, to_head: bool) -> Result<Self, ResponseError> {
        let status = response.code.unwrap_or(0);
        let fields = Fields::of(response.headers)?;
        let keep_alive = fields.keeps_alive(response.version.unwrap_or(0));
        let body = if to_head || (100..200).contains(&status) || status == 204 || status == 304 {
            Body::Length(0)
        } else if fields.chunked {
            Body::Chunks(Chunks::Size(Vec::new()))
        } else {
            fields.length.map_or(Body::UntilClose, Body::Length)
        };
        Ok(Self { status, keep_alive, body })
    }
}

/// The header fields that frame a message.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) length: Option<u64>,
    pub(super) chunked: bool,
    close: bool,
    keep: bool,
}

impl Fields {
    pub(super) fn of(headers: &[httparse::Header<'_>]) -> Result<Self, ResponseError> {
        let mut fields = Self::default();
        for header in headers {
            let value = std::str::from_utf8(header.value).unwrap_or("");
            let mut words = value.split(',').map(str::trim);
            if header.name.eq_ignore_ascii_case("content-length") {
                let digits = value.trim();
                let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok());
                let length: u64 = number.flatten().ok_or(ResponseError::Length)?;
                if fields.length.replace(length).is_some_and(|other| other != length) {
                    return Err(ResponseError::Length);
                }
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                fields.chunked = words.next_back().is_some_and(|word| word.eq_ignore_ascii_case("chunked"));
            } else if header.name.eq_ignore_ascii_case("connection") {
                for word in words {
                    fields.close |= word.eq_ignore_ascii_case("close");
                    fields.keep |= word.eq_ignore_ascii_case("keep-alive");
                }
            }
        }
        Ok(fields)
    }

    /// RFC 9112, section 9.3; `version` is the minor one.
    pub(super) fn keeps_alive(&self, version: u8) -> bool {
        !self.close && (version > 0 || self.keep)
    }
}
