//! Frames (RFC 6455, section 5) out of a stream that may be cut anywhere, put together to messages.

use super::MOST_MESSAGE_BYTES;

const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
/// The longest payload of a control frame, and the longest length that stands in the second byte itself.
const MOST_CONTROL_BYTES: u64 = 125;
/// The second byte of a frame whose length follows in 16 or 64 bits.
const LENGTH_16: u8 = 126;
const LENGTH_64: u8 = 127;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A whole message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    Text(Vec<u8>),
    Binary(Vec<u8>),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    /// With its status code, if there is one.
    Close(Option<u16>),
}

/// The end of a connection without anything wrong (section 7.4.1).
pub(super) const NORMAL: u16 = 1000;

/// What a peer did that RFC 6455 forbids, or that is too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Violation {
    Protocol(&'static str),
    NotText,
    TooLong,
}

impl Violation {
    /// The status code with which the connection is closed.
    pub(super) fn code(self) -> u16 {
        match self {
            Self::Protocol(_) => 1002,
            Self::NotText => 1007,
            Self::TooLong => 1009,
        }
    }

    pub(super) fn sentence(self) -> String {
        match self {
            Self::Protocol(what) => format!("the peer broke RFC 6455: {what}"),
            Self::NotText => "a text message is not UTF-8".to_owned(),
            Self::TooLong => format!("a message is longer than {MOST_MESSAGE_BYTES} B"),
        }
    }
}

/// The head of a frame.
#[derive(Debug, Clone, Copy)]
struct Head {
    ends_message: bool,
    opcode: u8,
    length: u64,
    mask: [u8; 4],
}

/// Reads one message after another.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    /// A server's peer masks its frames, and a client's does not.
    expects_mask: bool,
    head_bytes: Vec<u8>,
    head: Option<Head>,
    /// Of the frame whose head has come, unmasked.
    payload: Vec<u8>,
    /// The fragments so far of a message, and whether it is text.
    fragments: Option<(bool, Vec<u8>)>,
}

impl Reader {
    pub(super) fn new(expects_mask: bool) -> Self {
        Self { expects_mask, head_bytes: Vec::new(), head: None, payload: Vec::new(), fragments: None }
    }

    /// Takes from `bytes` up to the end of the next message.
    pub(super) fn take(&mut self, bytes: &mut &[u8]) -> Result<Option<Message>, Violation> {
        loop {
            let Some(head) = self.head else {
                if bytes.is_empty() {
                    return Ok(None);
                }
                self.take_head(bytes)?;
                continue;
            };
            self.take_payload(head, bytes);
            if (self.payload.len() as u64) < head.length {
                return Ok(None);
            }
            self.head = None;
            if let Some(message) = self.frame(head)? {
                return Ok(Some(message));
            }
        }
    }

    fn take_head(&mut self, bytes: &mut &[u8]) -> Result<(), Violation> {
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            self.head_bytes.push(byte);
            if let Some(head) = self.parse_head()? {
                self.head_bytes.clear();
                self.head = Some(head);
                return Ok(());
            }
        }
        Ok(())
    }

    fn parse_head(&self) -> Result<Option<Head>, Violation> {
        let bytes = &self.head_bytes[..];
        let [first, second, ..] = *bytes else { return Ok(None) };
        let opcode = first & 0x0F;
        if first & RESERVED != 0 {
            return Err(Violation::Protocol("a reserved bit is set"));
        }
        if !matches!(opcode, CONTINUATION | TEXT | BINARY | CLOSE | PING | PONG) {
            return Err(Violation::Protocol("a frame is of no known kind"));
        }
        if (second & MASKED != 0) != self.expects_mask {
            let what = if self.expects_mask {
                "a client's frame has no mask"
            } else {
                "a server's frame has a mask"
            };
            return Err(Violation::Protocol(what));
        }
        let (length_bytes, short) = match second & !MASKED {
            LENGTH_16 => (2, 0),
            LENGTH_64 => (8, 0),
            short => (0, u64::from(short)),
        };
        let mask_bytes = if self.expects_mask { 4 } else { 0 };
        if bytes.len() < 2 + length_bytes + mask_bytes {
            return Ok(None);
        }
        let (length, mask) = bytes[2..].split_at(length_bytes);
        let length = length.iter().fold(short, |length, byte| length << 8 | u64::from(*byte));
        let head = Head {
            ends_message: first & FIN != 0,
            opcode,
            length,
            mask: mask.try_into().unwrap_or_default(),
        };
        self.check(head).map(Some)
    }

    fn check(&self, head: Head) -> Result<Head, Violation> {
        if head.opcode >= CLOSE {
            if head.length > MOST_CONTROL_BYTES || !head.ends_message {
                return Err(Violation::Protocol("a control frame is long or in fragments"));
            }
            return Ok(head);
        }
        if (head.opcode == CONTINUATION) != self.fragments.is_some() {
            return Err(Violation::Protocol("a fragment is out of order"));
        }
        let before = self.fragments.as_ref().map_or(0, |(_, bytes)| bytes.len() as u64);
        if before.saturating_add(head.length) > MOST_MESSAGE_BYTES as u64 {
            return Err(Violation::TooLong);
        }
        Ok(head)
    }

    fn take_payload(&mut self, head: Head, bytes: &mut &[u8]) {
        let missing = head.length - self.payload.len() as u64;
        let (taken, rest) = bytes.split_at(bytes.len().min(missing as usize));
        *bytes = rest;
        let at = self.payload.len();
        self.payload.extend_from_slice(taken);
        if self.expects_mask {
            apply(head.mask, at, &mut self.payload[at..]);
        }
    }

    /// A whole frame has come: the message that it ends.
    fn frame(&mut self, head: Head) -> Result<Option<Message>, Violation> {
        let payload = std::mem::take(&mut self.payload);
        match head.opcode {
            PING => return Ok(Some(Message::Ping(payload))),
            PONG => return Ok(Some(Message::Pong(payload))),
            CLOSE => return close(&payload).map(Some),
            _ => {}
        }
        let (is_text, mut bytes) = self.fragments.take().unwrap_or((head.opcode == TEXT, Vec::new()));
        if bytes.is_empty() {
            bytes = payload;
        } else {
            bytes.extend(payload);
        }
        if !head.ends_message {
            self.fragments = Some((is_text, bytes));
            return Ok(None);
        }
        if is_text && std::str::from_utf8(&bytes).is_err() {
            return Err(Violation::NotText);
        }
        Ok(Some(if is_text { Message::Text(bytes) } else { Message::Binary(bytes) }))
    }
}

fn close(payload: &[u8]) -> Result<Message, Violation> {
    match payload {
        [] => Ok(Message::Close(None)),
        [_] => Err(Violation::Protocol("a status code has one byte")),
        [high, low, reason @ ..] => {
            let code = u16::from_be_bytes([*high, *low]);
            // Section 7.4: these may be sent.
            if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
                return Err(Violation::Protocol("a status code is none that may be sent"));
            }
            std::str::from_utf8(reason).map_err(|_| Violation::NotText)?;
            Ok(Message::Close(Some(code)))
        }
    }
}

/// Masks or unmasks bytes that stand at `at` in their frame.
fn apply(mask: [u8; 4], at: usize, bytes: &mut [u8]) {
    for (place, byte) in (at..).zip(bytes) {
        *byte ^= mask[place % 4];
    }
}

impl Message {
    /// The message in one frame; with a mask as a client sends it.
    pub(super) fn frame(&self, mask: Option<[u8; 4]>) -> Vec<u8> {
        let status;
        let (opcode, payload): (u8, &[u8]) = match self {
            Self::Text(bytes) => (TEXT, bytes),
            Self::Binary(bytes) => (BINARY, bytes),
            Self::Ping(bytes) => (PING, bytes),
            Self::Pong(bytes) => (PONG, bytes),
            Self::Close(code) => {
                status = code.map(u16::to_be_bytes);
                (CLOSE, status.as_ref().map_or(&[], |bytes| &bytes[..]))
            }
        };
        let masked = if mask.is_some() { MASKED } else { 0 };
        let mut frame = Vec::with_capacity(14 + payload.len());
        frame.push(FIN | opcode);
        match payload.len() {
            length @ 0..=125 => frame.push(masked | length as u8),
            length @ 126..=65_535 => {
                frame.push(masked | LENGTH_16);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(masked | LENGTH_64);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend(mask.iter().flatten());
        let at = frame.len();
        frame.extend_from_slice(payload);
        if let Some(mask) = mask {
            apply(mask, 0, &mut frame[at..]);
        }
        frame
    }

    /// Bytes of the message itself.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(bytes) | Self::Binary(bytes) | Self::Ping(bytes) | Self::Pong(bytes) => bytes.len(),
            Self::Close(_) => 0,
        }
    }
}
