//! CoAP messages (RFC 7252 section 3), both ways. What the RFC calls a message format error is an error, with the header where
//! there was one, so that a confirmable message can be rejected.

use thiserror::Error;

/// RFC 7252 section 3.
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 4;
const MOST_TOKEN_BYTES: usize = 8;
const PAYLOAD_MARKER: u8 = 0xFF;

/// Whether and how a message is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageType {
    /// Asks for an acknowledgement.
    Confirmable,
    /// Does not.
    NonConfirmable,
    /// Is one.
    Acknowledgement,
    /// Rejects a message.
    Reset,
}

/// Codes of methods and responses: class in the upper three bits, detail in the lower five.
#[allow(missing_docs, reason = "the names are those of RFC 7252, RFC 7959 and their registry")]
pub mod code {
    pub const EMPTY: u8 = 0;
    pub const GET: u8 = 1;
    pub const POST: u8 = 2;
    pub const PUT: u8 = 3;
    pub const DELETE: u8 = 4;
    pub const CREATED: u8 = response(2, 1);
    pub const DELETED: u8 = response(2, 2);
    pub const CHANGED: u8 = response(2, 4);
    pub const CONTENT: u8 = response(2, 5);
    pub const CONTINUE: u8 = response(2, 31);
    pub const BAD_REQUEST: u8 = response(4, 0);
    pub const BAD_OPTION: u8 = response(4, 2);
    pub const NOT_FOUND: u8 = response(4, 4);
    pub const METHOD_NOT_ALLOWED: u8 = response(4, 5);
    pub const NOT_ACCEPTABLE: u8 = response(4, 6);
    pub const REQUEST_ENTITY_INCOMPLETE: u8 = response(4, 8);
    pub const PRECONDITION_FAILED: u8 = response(4, 12);
    pub const REQUEST_ENTITY_TOO_LARGE: u8 = response(4, 13);
    pub const SERVICE_UNAVAILABLE: u8 = response(5, 3);
    pub const PROXYING_NOT_SUPPORTED: u8 = response(5, 5);

    const fn response(class: u8, detail: u8) -> u8 {
        class << 5 | detail
    }
}

/// Option numbers.
#[allow(missing_docs, reason = "the names are those of RFC 7252, RFC 7641 and RFC 7959")]
pub mod option {
    pub const IF_MATCH: u16 = 1;
    pub const URI_HOST: u16 = 3;
    pub const ETAG: u16 = 4;
    pub const IF_NONE_MATCH: u16 = 5;
    pub const OBSERVE: u16 = 6;
    pub const URI_PORT: u16 = 7;
    pub const LOCATION_PATH: u16 = 8;
    pub const URI_PATH: u16 = 11;
    pub const CONTENT_FORMAT: u16 = 12;
    pub const MAX_AGE: u16 = 14;
    pub const URI_QUERY: u16 = 15;
    pub const ACCEPT: u16 = 17;
    pub const LOCATION_QUERY: u16 = 20;
    pub const BLOCK2: u16 = 23;
    pub const BLOCK1: u16 = 27;
    pub const SIZE2: u16 = 28;
    pub const PROXY_URI: u16 = 35;
    pub const PROXY_SCHEME: u16 = 39;
    pub const SIZE1: u16 = 60;
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Whether and how it is acknowledged.
    pub kind: MessageType,
    /// A method, a response code or empty.
    pub code: u8,
    /// Matches acknowledgements to messages.
    pub id: u16,
    /// Matches responses to requests.
    pub token: Vec<u8>,
    /// Option numbers and values, in the order of the numbers.
    pub options: Vec<(u16, Vec<u8>)>,
    /// Empty for none.
    pub payload: Vec<u8>,
}

/// Why a datagram is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FormatError {
    /// To be ignored without an answer.
    #[error("a CoAP message has at least four bytes and version 1")]
    NotCoap,
    /// To be rejected if it is confirmable.
    #[error("message {id}: {reason}")]
    Format {
        /// Of the header.
        kind: MessageType,
        /// Of the header.
        id: u16,
        /// As a sentence.
        reason: &'static str,
    },
}

/// An option's delta or length with its extension (RFC 7252 section 3.1).
fn extended(nibble: u8, rest: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    let cut = |count| rest.split_at_checked(count).ok_or("an option ends in its header");
    match nibble {
        13 => cut(1).map(|(taken, rest)| (usize::from(taken[0]) + 13, rest)),
        14 => cut(2).map(|(taken, rest)| (usize::from(u16::from_be_bytes([taken[0], taken[1]])) + 269, rest)),
        15 => Err("an option's delta or length is reserved"),
        _ => Ok((usize::from(nibble), rest)),
    }
}

type Options = Vec<(u16, Vec<u8>)>;

fn parse_options(mut rest: &[u8]) -> Result<(Options, &[u8]), &'static str> {
    let mut options = Vec::new();
    let mut number = 0;
    while let Some((first, after)) = rest.split_first() {
        if *first == PAYLOAD_MARKER {
            return if after.is_empty() {
                Err("nothing follows the payload marker")
            } else {
                Ok((options, after))
            };
        }
        let (delta, after) = extended(first >> 4, after)?;
        let (length, after) = extended(first & 15, after)?;
        let (value, after) = after.split_at_checked(length).ok_or("an option ends beyond its message")?;
        number += delta;
        options
            .push((u16::try_from(number).map_err(|_| "an option number is beyond 65535")?, value.to_vec()));
        rest = after;
    }
    Ok((options, rest))
}

impl Message {
    /// A message without token, options and payload.
    pub fn new(kind: MessageType, code: u8, id: u16) -> Self {
        Self { kind, code, id, token: Vec::new(), options: Vec::new(), payload: Vec::new() }
    }

    /// The message in a datagram.
    ///
    /// # Errors
    /// When it has a format error.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let Some((header, rest)) = bytes.split_at_checked(HEADER_BYTES) else {
            return Err(FormatError::NotCoap);
        };
        if header[0] >> 6 != VERSION {
            return Err(FormatError::NotCoap);
        }
        let kind = match header[0] >> 4 & 3 {
            0 => MessageType::Confirmable,
            1 => MessageType::NonConfirmable,
            2 => MessageType::Acknowledgement,
            _ => MessageType::Reset,
        };
        let (code, id) = (header[1], u16::from_be_bytes([header[2], header[3]]));
        let format = |reason| FormatError::Format { kind, id, reason };
        let token_bytes = usize::from(header[0] & 15);
        if code == code::EMPTY && (token_bytes > 0 || !rest.is_empty()) {
            return Err(format("an empty message has only a header"));
        }
        if token_bytes > MOST_TOKEN_BYTES {
            return Err(format("a token has at most 8 bytes"));
        }
        let (token, rest) =
            rest.split_at_checked(token_bytes).ok_or(format("a token ends beyond its message"))?;
        let (options, payload) = parse_options(rest).map_err(format)?;
        Ok(Self { kind, code, id, token: token.to_vec(), options, payload: payload.to_vec() })
    }

    /// The bytes of the message.
    ///
    /// # Panics
    /// When the token has more than 8 bytes, an option more than 65804, or the options are out of order.
    pub fn encode(&self) -> Vec<u8> {
        let kind = self.kind as u8;
        assert!(self.token.len() <= MOST_TOKEN_BYTES, "a token has at most 8 bytes");
        let mut bytes = vec![VERSION << 6 | kind << 4 | self.token.len() as u8, self.code];
        bytes.extend(self.id.to_be_bytes());
        bytes.extend(&self.token);
        let mut before = 0;
        for (number, value) in &self.options {
            let delta = number.checked_sub(before).expect("options stand in the order of their numbers");
            let (delta, delta_more) = nibble(usize::from(delta));
            let (length, length_more) = nibble(value.len());
            bytes.push(delta << 4 | length);
            bytes.extend(delta_more);
            bytes.extend(length_more);
            bytes.extend(value);
            before = *number;
        }
        if !self.payload.is_empty() {
            bytes.push(PAYLOAD_MARKER);
            bytes.extend(&self.payload);
        }
        bytes
    }

    /// Adds an option behind those with the same number.
    pub fn add(&mut self, number: u16, value: &[u8]) {
        let place = self.options.partition_point(|(other, _)| *other <= number);
        self.options.insert(place, (number, value.to_vec()));
    }

    /// Adds an option whose value is a number, in as few bytes as it takes (RFC 7252 section 3.2).
    pub fn add_number(&mut self, number: u16, value: u32) {
        let bytes = value.to_be_bytes();
        self.add(number, &bytes[value.leading_zeros() as usize / 8..]);
    }

    /// The values of an option.
    pub fn values(&self, number: u16) -> impl Iterator<Item = &[u8]> {
        self.options.iter().filter(move |(other, _)| *other == number).map(|(_, value)| &value[..])
    }

    /// The first value of an option whose value is a number of at most four bytes.
    pub fn number(&self, number: u16) -> Option<u32> {
        let value = self.values(number).next()?;
        (value.len() <= 4).then(|| value.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
    }
}

fn nibble(value: usize) -> (u8, Vec<u8>) {
    match value {
        0..13 => (value as u8, Vec::new()),
        13..269 => (13, vec![(value - 13) as u8]),
        _ => {
            let more = u16::try_from(value - 269).expect("an option's delta and length are at most 65804");
            (14, more.to_be_bytes().to_vec())
        }
    }
}
