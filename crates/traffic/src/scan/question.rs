//! What a server is asked, and what its answer tells of it.

use super::Speaks;

/// A question; each is asked on a connection of its own, and the next only where the answer tells too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// A request of HTTP/1.0.
    Http,
    /// A decimal number.
    Number,
    /// A decimal number and a newline.
    NumberLine,
    /// A whole record, for a server that hangs up on less than a head of its own, as iperf's does.
    Record,
}

/// How the server behaved until a question was over.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    /// What it sent; what comes beyond the most that is kept only counts.
    pub(super) bytes: Vec<u8>,
    /// How much it sent in all.
    pub(super) count: usize,
    /// Whether it spoke before it was asked.
    pub(super) unasked: bool,
    /// Whether it closed the connection.
    pub(super) closed: bool,
}

/// More than this is not needed to know a protocol.
const MOST_KEPT: usize = 512;
/// Longer than the heads of binary protocols; that of iperf 2 has 24 bytes.
const RECORD_BYTES: usize = 128;
/// Flags of 0 ask iperf's server for nothing but to take what comes, and the digits are the bytes of its client.
static RECORD: [u8; RECORD_BYTES] = record();

const fn record() -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    let mut n = 24;
    while n < RECORD_BYTES {
        bytes[n] = b'0' + (n % 10) as u8;
        n += 1;
    }
    bytes
}

/// A greeting is shorter than this.
pub(super) const MOST_GREETING: usize = 2048;
const MOST_LINE: usize = 60;

impl Question {
    pub(super) const FIRST: Self = Self::Http;

    pub(super) fn text(self) -> &'static [u8] {
        match self {
            Self::Http => b"GET / HTTP/1.0\r\n\r\n",
            Self::Number => b"1",
            Self::NumberLine => b"1\n",
            Self::Record => &RECORD,
        }
    }

    /// The one behind it; the last one is for a server that has hung up on each so far (`closes`) without a word.
    pub(super) fn next(self, closes: bool) -> Option<Self> {
        match self {
            Self::Http => Some(Self::Number),
            Self::Number => Some(Self::NumberLine),
            Self::NumberLine => closes.then_some(Self::Record),
            Self::Record => None,
        }
    }

    /// Whether the answer has all that is needed: the rest need not be waited for.
    pub(super) fn is_answered(self, heard: &Heard) -> bool {
        match self {
            Self::Http => heard.bytes.starts_with(b"HTTP/") || heard.bytes.len() >= self.text().len(),
            Self::Number | Self::Record => !heard.bytes.is_empty(),
            Self::NumberLine => heard.bytes.contains(&b'\n'),
        }
    }

    /// What the answer tells; nothing where another question may tell more.
    pub(super) fn tells(self, heard: &Heard) -> Option<Speaks> {
        if heard.unasked {
            return Some(if heard.count >= MOST_GREETING { Speaks::Source } else { Speaks::Greeting });
        }
        if heard.bytes.is_empty() {
            return None;
        }
        if heard.bytes.starts_with(self.text()) {
            return Some(Speaks::Echo);
        }
        match self {
            Self::Http if heard.bytes.starts_with(b"HTTP/") => Some(Speaks::Http),
            Self::Number if heard.bytes.trim_ascii() == b"2" => Some(Speaks::Counter),
            Self::NumberLine if heard.bytes.trim_ascii() == b"2" => Some(Speaks::CounterLines),
            _ => None,
        }
    }
}

impl Heard {
    pub(super) fn hear(&mut self, bytes: &[u8]) {
        let room = MOST_KEPT.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.count += bytes.len();
    }

    /// The first line, where it is text.
    pub(super) fn first_line(&self) -> Option<String> {
        first_line(&self.bytes)
    }
}

/// The first line of an answer, where it is text.
pub(super) fn first_line(answer: &[u8]) -> Option<String> {
    let line = answer.split(|&byte| byte == b'\r' || byte == b'\n').find(|line| !line.is_empty())?;
    let text = std::str::from_utf8(line).ok()?;
    (!text.chars().any(char::is_control)).then(|| text.chars().take(MOST_LINE).collect())
}
