//! What an iperf 2 client says of a TCP test at the beginning of its connection: words of 32 bits in network order.
//!
//! The older head has 24 bytes: flags, streams, port, buffer, bandwidth, amount; its first flag asks the server to connect back
//! and send as well. Since 2.1 a head of 60 bytes has flags of its own for the other directions on the same connection. Facts
//! are from iperf 2's payloads.h and from heads of Debian's iperf 2.1.8.

use units::{PS_PER_MS, Picoseconds};

use crate::bulk::Amount;

/// The older head: flags, streams, port, buffer, bandwidth, amount.
const OLD_BYTES: usize = 24;
/// What a head is read up to; one that says it is longer adds nothing that is looked at.
const MOST_BYTES: usize = 60;
/// The server is to connect back to the port in the head, and send.
const ANSWERS: u32 = 0x8000_0000;
/// With `ANSWERS`: at once, and not after the client's own test.
const ANSWERS_NOW: u32 = 0x0000_0001;
/// The head is the longer one, and says how long.
const EXTENDED: u32 = 0x4000_0000;
const HAS_LENGTH: u32 = 0x0001_0000;
const LENGTH: u32 = 0x0000_01FE;
/// That test wants a direction on this connection.
const HAS_DIRECTION: u32 = 0x0400_0000;
/// In the upper flags: the server sends, and the client does not.
const REVERSE: u32 = 0x0400_0000;
/// In the upper flags: both send.
const FULL_DUPLEX: u32 = 0x0800_0000;
/// Upper and lower version of the protocol that the longer head says it is of.
const VERSION: [u32; 2] = [0x0002_0001, 0x0008_0003];
/// Amounts of time are in hundredths of a second.
const TICK: Picoseconds = Picoseconds::new(10 * PS_PER_MS);
/// The buffer that iperf 2 names in its head when none is chosen.
pub(super) const BUFFER_BYTES: u32 = 128 * 1024;

/// Which way the bytes of a TCP test go, seen from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The client sends.
    Send,
    /// The server sends on the client's connection (`--reverse`, since 2.1).
    Reverse,
    /// Both send on the client's connection (`--full-duplex`, since 2.1).
    FullDuplex,
    /// Both send, the server on a connection of its own (`--dualtest`).
    Dual,
    /// First the client sends, then the server on a connection of its own (`--tradeoff`).
    Tradeoff,
}

impl Direction {
    /// Whether the server opens a connection to the client.
    pub(super) fn connects_back(self) -> bool {
        matches!(self, Self::Dual | Self::Tradeoff)
    }
}

/// The head of a TCP test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TcpHead {
    pub(super) direction: Direction,
    /// Where the server is to connect to, if it is.
    pub(super) port: u16,
    pub(super) streams: u32,
    /// What the server is to send.
    pub(super) amount: Amount,
}

impl TcpHead {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self { direction, port, streams, .. } = *self;
        let port = u32::from(port);
        let amount = amount_word(self.amount);
        let words: Vec<u32> = match direction {
            // A client that asks for nothing says no amount either.
            Direction::Send => vec![0, streams, port, BUFFER_BYTES, 0, 0],
            Direction::Dual => vec![ANSWERS | ANSWERS_NOW, streams, port, BUFFER_BYTES, 0, amount],
            Direction::Tradeoff => vec![ANSWERS, streams, port, BUFFER_BYTES, 0, amount],
            Direction::Reverse | Direction::FullDuplex => {
                let flags = EXTENDED | HAS_DIRECTION | HAS_LENGTH | (MOST_BYTES as u32) << 1;
                let upper = if direction == Direction::Reverse { REVERSE } else { FULL_DUPLEX };
                let [high, low] = VERSION;
                vec![flags, streams, port, 0, 0, amount, 0, 0, upper, high, low, 0, 0, 0, 0]
            }
        };
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// Reads what stands at the beginning of a connection: a head, or nothing where there is none or not all of it has come.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |index: usize| -> Option<u32> {
            Some(u32::from_be_bytes(bytes.get(4 * index..4 * index + 4)?.try_into().ok()?))
        };
        let flags = word(0)?;
        let upper = if is_long(flags) && flags & HAS_DIRECTION != 0 { word(8)? } else { 0 };
        let direction = match flags {
            _ if upper & REVERSE != 0 => Direction::Reverse,
            _ if upper & FULL_DUPLEX != 0 => Direction::FullDuplex,
            _ if flags & ANSWERS == 0 => Direction::Send,
            _ if flags & ANSWERS_NOW != 0 => Direction::Dual,
            _ => Direction::Tradeoff,
        };
        Some(Self { direction, streams: word(1)?, port: word(2)? as u16, amount: amount_of(word(5)?) })
    }
}

/// Whether a head is the longer one with a length that reaches as far as is read.
fn is_long(flags: u32) -> bool {
    flags & EXTENDED != 0 && flags & HAS_LENGTH != 0 && (flags & LENGTH) >> 1 >= MOST_BYTES as u32
}

/// Negative for hundredths of a second, else bytes; what does not fit becomes the most that does.
fn amount_word(amount: Amount) -> u32 {
    match amount {
        Amount::Bytes(bytes) => bytes.min(i32::MAX.unsigned_abs().into()) as u32,
        Amount::Time(time) => {
            let ticks = (time.ps() / TICK.ps()).clamp(1, i32::MAX.into());
            (ticks as u32).wrapping_neg()
        }
    }
}

fn amount_of(word: u32) -> Amount {
    match word as i32 {
        ticks @ ..0 => {
            Amount::Time(Picoseconds::new(i64::from(ticks.unsigned_abs()).saturating_mul(TICK.ps())))
        }
        bytes => Amount::Bytes(bytes.unsigned_abs().into()),
    }
}

/// Collects the beginning of a connection until it tells what its client wants. Digits of an older client without any head read
/// as a head without flags.
#[derive(Debug, Clone)]
pub(super) enum HeadReader {
    Reading(Vec<u8>),
    Done,
}

impl HeadReader {
    pub(super) fn new() -> Self {
        Self::Reading(Vec::new())
    }

    /// Takes what came; gives the head once it is there.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<TcpHead> {
        let Self::Reading(head) = self else { return None };
        let room = MOST_BYTES - head.len();
        head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        let flags = u32::from_be_bytes(head.get(..4)?.try_into().ok()?);
        let wanted = if is_long(flags) { MOST_BYTES } else { OLD_BYTES };
        if head.len() < wanted {
            return None;
        }
        let parsed = TcpHead::parse(head);
        *self = Self::Done;
        parsed
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use units::PS_PER_S;

    use super::*;
    use crate::testing::pieces;

    fn direction() -> impl Strategy<Value = Direction> {
        use Direction::{Dual, FullDuplex, Reverse, Send, Tradeoff};
        prop_oneof![Just(Send), Just(Reverse), Just(FullDuplex), Just(Dual), Just(Tradeoff)]
    }

    #[test]
    fn a_reverse_head_is_that_of_debians_iperf() {
        // Of `iperf -c 127.0.0.1 -p 5901 -t 1 -R`.
        let recorded = [
            0x4401_0078,
            1,
            0x170D,
            0,
            0,
            0xFFFF_FF9C_u32,
            0,
            0,
            0x0400_0000,
            0x0002_0001,
            0x0008_0003,
            0,
            0,
            0,
            0,
        ];
        let recorded: Vec<u8> = recorded.iter().flat_map(|word| word.to_be_bytes()).collect();
        let amount = Amount::Time(Picoseconds::new(PS_PER_S));
        let head = TcpHead { direction: Direction::Reverse, port: 5901, streams: 1, amount };
        assert_eq!((head.bytes(), HeadReader::new().take(&recorded)), (recorded, Some(head)));
    }

    proptest! {
        #[test]
        fn a_head_is_read_as_it_was_written_however_it_is_cut(
            direction in direction(), port: u16, ticks in 1i64..1000, cuts in proptest::collection::vec(any::<usize>(), 0..6),
        ) {
            let amount = Amount::Time(Picoseconds::new(ticks * TICK.ps()));
            let head = TcpHead { direction, port, streams: 3, amount };
            let stream = [head.bytes(), b"0123456789".to_vec()].concat();
            let mut reader = HeadReader::new();
            let read: Vec<TcpHead> = pieces(&stream, &cuts).iter().filter_map(|piece| reader.take(piece)).collect();
            let expected = match direction {
                Direction::Send => TcpHead { amount: Amount::Bytes(0), ..head },
                _ => head,
            };
            prop_assert_eq!(read, [expected]);
        }

        #[test]
        fn any_beginning_is_read_once_or_not_at_all(
            stream in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(any::<usize>(), 0..6),
        ) {
            let read = |cuts: &[usize]| {
                let mut reader = HeadReader::new();
                pieces(&stream, cuts).iter().filter_map(|piece| reader.take(piece)).collect::<Vec<TcpHead>>()
            };
            prop_assert_eq!(read(&cuts), read(&[]));
            prop_assert!(read(&cuts).len() <= 1);
        }
    }
}
