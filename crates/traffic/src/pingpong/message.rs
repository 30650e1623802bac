//! The messages of ping-pong: a counter as decimal text, bytes with a sequence number, a pattern and a CRC, or a line of text.

use crate::pattern::Pattern;

/// A message of bytes holds at least its sequence number and its CRC.
pub const LEAST_MESSAGE_BYTES: u32 = 8;
const SEQUENCE_BYTES: usize = 4;
const CRC_BYTES: usize = 4;
/// Hexadecimal digits of the number of a line.
const NUMBER_DIGITS: usize = 8;

/// What the client sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload {
    /// A decimal number; the answer is the number plus one, the next message that plus one again.
    Counter {
        /// The first number.
        start: u64,
        /// Whether a newline ends each message and answer.
        newline: bool,
    },
    /// So many bytes (at least [`LEAST_MESSAGE_BYTES`]): sequence number, pattern, CRC-32; the answer is the same.
    Bytes {
        /// The size of a message.
        bytes: u32,
        /// Of the pattern.
        seed: u64,
    },
    /// A line of so many bytes (at least [`LEAST_MESSAGE_BYTES`]): its number as eight hexadecimal digits, letters, and a
    /// newline where there is room; the answer is the same. An echo that takes all it gets for text stands it.
    Text {
        /// The size of a message.
        bytes: u32,
        /// Of the letters.
        seed: u64,
    },
}

impl Payload {
    /// The message that an answer says it is for, by its number alone, if fewer than `sent` were sent: of numbers that wrapped
    /// the latest.
    pub(crate) fn index_of_answer(self, answer: &[u8], sent: u64) -> Option<u64> {
        let newest = sent.checked_sub(1)?;
        match self {
            Self::Counter { start, .. } => {
                let number: u64 = std::str::from_utf8(answer).ok()?.trim().parse().ok()?;
                let twice = number.wrapping_sub(1).wrapping_sub(start);
                Some(twice / 2).filter(|index| twice % 2 == 0 && *index <= newest)
            }
            Self::Bytes { .. } => {
                let number = u32::from_be_bytes(answer.get(..SEQUENCE_BYTES)?.try_into().ok()?);
                newest_of(number, newest)
            }
            Self::Text { .. } => {
                let digits = std::str::from_utf8(answer.get(..NUMBER_DIGITS)?).ok()?;
                newest_of(u32::from_str_radix(digits, 16).ok()?, newest)
            }
        }
    }

    /// The message of an index, and the answer that it must get.
    pub fn exchange(self, index: u64) -> (Vec<u8>, Vec<u8>) {
        match self {
            Self::Counter { start, newline } => {
                let number = start.wrapping_add(index.wrapping_mul(2));
                (number_text(number, newline), number_text(number.wrapping_add(1), newline))
            }
            Self::Bytes { bytes, seed } => {
                let message = message_of_bytes(index, bytes, seed);
                (message.clone(), message)
            }
            Self::Text { bytes, seed } => {
                let message = line_of_text(index, bytes, seed);
                (message.clone(), message)
            }
        }
    }
}

/// The latest index of a number, which wraps.
fn newest_of(number: u32, newest: u64) -> Option<u64> {
    newest.checked_sub(u64::from((newest as u32).wrapping_sub(number)))
}

fn number_text(number: u64, newline: bool) -> Vec<u8> {
    let mut text = number.to_string();
    if newline {
        text.push('\n');
    }
    text.into_bytes()
}

fn message_of_bytes(index: u64, bytes: u32, seed: u64) -> Vec<u8> {
    let bytes = bytes.max(LEAST_MESSAGE_BYTES) as usize;
    // The sequence number is that of the wire: it wraps.
    let mut message = (index as u32).to_be_bytes().to_vec();
    message.extend(
        Pattern::new(seed).bytes(index.wrapping_mul(bytes as u64), bytes - SEQUENCE_BYTES - CRC_BYTES),
    );
    message.extend(crc32fast::hash(&message).to_be_bytes());
    message
}

fn line_of_text(index: u64, bytes: u32, seed: u64) -> Vec<u8> {
    let letters = bytes.max(LEAST_MESSAGE_BYTES) as usize - NUMBER_DIGITS;
    let mut line = format!("{:08x}", index as u32).into_bytes();
    let pattern = Pattern::new(seed).bytes(index.wrapping_mul(letters as u64), letters);
    line.extend(pattern.into_iter().map(|byte| b'a' + byte % 26));
    if letters != 0 {
        line.pop();
        line.push(b'\n');
    }
    line
}

/// Says how what was received for the message of an index is wrong, which differs from the answer at byte `at`.
pub(super) fn describe_difference(payload: Payload, index: u64, received: &[u8], at: usize) -> String {
    let (message, expected) = payload.exchange(index);
    let [sent, expected] =
        [&message, &expected].map(|bytes| String::from_utf8_lossy(bytes).trim_end().to_owned());
    // What comes later must not change the sentence, which is said at the first byte that differs.
    let is_echo = received.get(..=at).is_some_and(|received| message.starts_with(received));
    match payload {
        Payload::Counter { .. } if is_echo => {
            format!(
                "the answer begins like the message `{sent}` and not like `{expected}`: measure an echo with payload=text"
            )
        }
        Payload::Counter { .. } | Payload::Text { .. } => {
            format!("the answer differs from `{expected}` in byte {at}")
        }
        Payload::Bytes { .. } if at < SEQUENCE_BYTES => "the answer has another sequence number".to_owned(),
        Payload::Bytes { .. } => {
            format!("the answer differs from the message in byte {at}, and so from its CRC")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_bytes_carries_its_number_and_the_crc_of_all_before_it() {
        let (message, answer) = Payload::Bytes { bytes: 12, seed: 1 }.exchange(0x0102_0304);
        assert_eq!((message.len(), &message[..4]), (12, &[1, 2, 3, 4][..]));
        assert_eq!(message[8..], crc32fast::hash(&message[..8]).to_be_bytes());
        assert_eq!(message, answer);
        assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926, "the check value of CRC-32/ISO-HDLC");
    }

    #[test]
    fn an_echo_of_a_number_is_told_as_one_with_what_measures_it() {
        let counter = Payload::Counter { start: 1, newline: true };
        let echo =
            "the answer begins like the message `9` and not like `10`: measure an echo with payload=text";
        assert_eq!(describe_difference(counter, 4, b"9\n", 0), echo);
        assert_eq!(describe_difference(counter, 4, b"11\n", 1), "the answer differs from `10` in byte 1");
        let text = Payload::Text { bytes: 8, seed: 1 };
        assert_eq!(
            describe_difference(text, 2, b"00000003", 7),
            "the answer differs from `00000002` in byte 7"
        );
    }

    #[test]
    fn an_answer_tells_which_message_it_is_for() {
        let counter = Payload::Counter { start: 7, newline: false };
        let bytes = Payload::Bytes { bytes: 12, seed: 1 };
        let text = Payload::Text { bytes: 12, seed: 1 };
        for payload in [counter, bytes, text] {
            for index in [0, 1, 99] {
                assert_eq!(payload.index_of_answer(&payload.exchange(index).1, 100), Some(index));
            }
            assert_eq!(payload.index_of_answer(&payload.exchange(100).1, 100), None, "it was not sent yet");
            assert_eq!(payload.index_of_answer(b"x", 100), None);
        }
        assert_eq!(counter.index_of_answer(b"9", 100), None, "what was sent, and not what it must get");
        let wrapped = (1 << 32) + 5;
        assert_eq!(bytes.index_of_answer(&bytes.exchange(wrapped).1, wrapped + 3), Some(wrapped));
        assert_eq!(text.index_of_answer(&text.exchange(wrapped).1, wrapped + 3), Some(wrapped));
    }

    #[test]
    fn a_line_of_text_is_printable_up_to_its_newline_and_no_two_are_alike() {
        for bytes in [8, 9, 12, 100] {
            let lines: Vec<_> =
                (0..50).map(|index| Payload::Text { bytes, seed: 2 }.exchange(index)).collect();
            for (n, (line, answer)) in lines.iter().enumerate() {
                assert_eq!((line, line.len()), (answer, bytes as usize));
                assert!(line[..8].iter().all(u8::is_ascii_hexdigit));
                assert!(line.len() == 8 || line.ends_with(b"\n"));
                assert!(line[8..].iter().rev().skip(1).all(u8::is_ascii_lowercase));
                assert!(!lines[..n].iter().any(|(other, _)| other == line));
            }
        }
    }

    #[test]
    fn the_counter_goes_up_by_two_from_message_to_message() {
        let counter = Payload::Counter { start: 1, newline: false };
        assert_eq!(counter.exchange(0), (b"1".to_vec(), b"2".to_vec()));
        assert_eq!(counter.exchange(499), (b"999".to_vec(), b"1000".to_vec()));
    }
}
