//! DNS messages (RFC 1035 section 4) as far as a server of addresses needs them: the header and the one question of a query,
//! and an answer with A records. Other sections of a query are not read, and a question's name is never compressed.

use std::net::Ipv4Addr;

pub(super) const HEADER_BYTES: usize = 12;
/// RFC 1035 section 2.3.4.
pub(super) const MOST_UDP_BYTES: usize = 512;
const MOST_LABEL_BYTES: usize = 63;
const MOST_NAME_BYTES: usize = 255;

pub(super) const TYPE_A: u16 = 1;
pub(super) const TYPE_ANY: u16 = 255;
pub(super) const CLASS_IN: u16 = 1;
pub(super) const CLASS_ANY: u16 = 255;

const FLAG_RESPONSE: u16 = 0x8000;
const FLAG_AUTHORITATIVE: u16 = 0x0400;
const FLAG_TRUNCATED: u16 = 0x0200;
const FLAG_RECURSION_DESIRED: u16 = 0x0100;
const FLAG_RECURSION_AVAILABLE: u16 = 0x0080;
const OPCODE: u16 = 0x7800;

/// RFC 1035 section 4.1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseCode {
    NoError = 0,
    FormatError = 1,
    NameError = 3,
    NotImplemented = 4,
    Refused = 5,
}

/// The header of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    id: u16,
    flags: u16,
    pub(super) questions: u16,
}

impl Header {
    /// None for what is shorter than a header, and for responses.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        let header = Self { id: word(0)?, flags: word(2)?, questions: word(4)? };
        (bytes.len() >= HEADER_BYTES && header.flags & FLAG_RESPONSE == 0).then_some(header)
    }

    pub(super) fn is_standard_query(self) -> bool {
        self.flags & OPCODE == 0
    }
}

/// A question: its labels, in lower case, and its bytes as they came, which the answer repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question<'a> {
    pub(super) labels: Vec<Vec<u8>>,
    pub(super) kind: u16,
    pub(super) class: u16,
    pub(super) bytes: &'a [u8],
}

impl<'a> Question<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Option<Self> {
        let rest = message.get(HEADER_BYTES..)?;
        let mut labels = Vec::new();
        let mut at = 0;
        loop {
            let length = usize::from(*rest.get(at)?);
            at += 1;
            if length == 0 {
                break;
            }
            if length > MOST_LABEL_BYTES || at + length >= MOST_NAME_BYTES {
                return None;
            }
            labels.push(rest.get(at..at + length)?.to_ascii_lowercase());
            at += length;
        }
        let fields = rest.get(at..at + 4)?;
        Some(Self {
            labels,
            kind: u16::from_be_bytes([fields[0], fields[1]]),
            class: u16::from_be_bytes([fields[2], fields[3]]),
            bytes: &rest[..at + 4],
        })
    }
}

/// An answer with as many of the addresses as find room; the truncation flag says that some did not, or that it was asked
/// for.
pub(super) fn answer(
    header: Header,
    question: Option<&Question<'_>>,
    code: ResponseCode,
    (addresses, ttl_s): (&[Ipv4Addr], u32),
    (most_bytes, truncate): (usize, bool),
) -> Vec<u8> {
    const RECORD_BYTES: usize = 16;
    let question_bytes = question.map_or(&[][..], |question| question.bytes);
    let room = most_bytes.saturating_sub(HEADER_BYTES + question_bytes.len()) / RECORD_BYTES;
    let fitting = if truncate { 0 } else { addresses.len().min(room) };
    let mut flags = FLAG_RESPONSE | FLAG_AUTHORITATIVE | FLAG_RECURSION_AVAILABLE | code as u16;
    flags |= header.flags & (OPCODE | FLAG_RECURSION_DESIRED);
    if truncate || fitting < addresses.len() {
        flags |= FLAG_TRUNCATED;
    }
    let answers = u16::try_from(fitting).expect("a message of at most 65535 bytes holds no 65536 records");
    let mut bytes = Vec::with_capacity(HEADER_BYTES + question_bytes.len() + fitting * RECORD_BYTES);
    for word in [header.id, flags, u16::from(question.is_some()), answers, 0, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(question_bytes);
    for address in &addresses[..fitting] {
        // RFC 1035 section 4.1.4: the name is a pointer to the question.
        bytes.extend([0xC0, HEADER_BYTES as u8]);
        bytes.extend(TYPE_A.to_be_bytes());
        bytes.extend(CLASS_IN.to_be_bytes());
        bytes.extend(ttl_s.to_be_bytes());
        bytes.extend(4_u16.to_be_bytes());
        bytes.extend(address.octets());
    }
    bytes
}
