//! iperf 2's datagrams and heads: 32-bit words in network order.
//!
//! A datagram begins with its number, seconds and microseconds of sending; since 2.1 a fourth word has the number's upper half,
//! and what follows stands 4 bytes later. Both layouts are read. Facts are from iperf 2's payloads.h and from datagrams of
//! Debian's iperf 2.1.8.

use units::{PS_PER_S, PS_PER_US, Picoseconds};

/// The client's head: flags, threads, port, buffer length, bandwidth, amount.
pub(super) const CLIENT_HEAD_BYTES: usize = 24;
/// Number and time of sending, in the older layout.
const OLD_LAYOUT_BYTES: usize = 12;
/// With the upper half of the number.
const NEW_LAYOUT_BYTES: usize = 16;
/// The least datagram of a client: the new layout and the client's head.
pub(super) const LEAST_DATAGRAM_BYTES: usize = NEW_LAYOUT_BYTES + CLIENT_HEAD_BYTES;
/// In a head's flags: the server's report follows.
const HAS_REPORT: u32 = 0x8000_0000;
/// In a head's flags: numbers have 64 bits.
const LONG_NUMBERS: u32 = 0x0800_0000;
/// Ten words.
const REPORT_BYTES: usize = 40;

/// The beginning of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatagramHead {
    /// Counts datagrams; negative in the last one.
    pub(super) number: i64,
    /// When it was sent, on the sender's clock.
    pub(super) sent: Picoseconds,
    /// Whether numbers have 64 bits, and reports stand 4 bytes later.
    pub(super) long: bool,
}

/// What a server says about a UDP test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerReport {
    /// Bytes received.
    pub bytes: u64,
    /// From the first datagram to the last.
    pub time: Picoseconds,
    /// Datagrams that did not arrive.
    pub lost: u32,
    /// Datagrams that arrived after a later one.
    pub out_of_order: u32,
    /// Datagrams that were sent, as far as the server knows.
    pub datagrams: u32,
    /// Smoothed difference of transit times (RFC 1889, appendix A.8).
    pub jitter: Picoseconds,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn seconds_and_microseconds(seconds: u32, microseconds: u32) -> Picoseconds {
    // 32 bits of seconds would not fit in the range of picoseconds; the differences that are taken of them do.
    let seconds = i64::from(seconds % (1 << 22));
    Picoseconds::new(seconds * PS_PER_S + i64::from(microseconds) * PS_PER_US)
}

impl DatagramHead {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let low = word(bytes, 0)?;
        let sent = seconds_and_microseconds(word(bytes, 4)?, word(bytes, 8)?);
        let long = word(bytes, NEW_LAYOUT_BYTES).is_some_and(|flags| flags & LONG_NUMBERS != 0);
        let number = match word(bytes, 12) {
            Some(high) if long => (i64::from(high as i32) << 32) | i64::from(low),
            _ => i64::from(low as i32),
        };
        Some(Self { number, sent, long })
    }

    /// A client's datagram of a size, with a plain head.
    pub(super) fn datagram(number: i32, now: Picoseconds, bytes: usize) -> Vec<u8> {
        let mut datagram = Vec::with_capacity(bytes);
        let sent = [(now.ps() / PS_PER_S) as u32, (now.ps() % PS_PER_S / PS_PER_US) as u32];
        for word in [number as u32, sent[0], sent[1], 0] {
            datagram.extend(word.to_be_bytes());
        }
        datagram.extend(client_head(bytes as u32));
        datagram.extend((datagram.len()..bytes).map(|at| b'0' + (at % 10) as u8));
        datagram
    }
}

/// A client's head without flags: nothing is asked of the server.
pub(super) fn client_head(buffer_bytes: u32) -> Vec<u8> {
    [0, 1, u32::from(super::PORT), buffer_bytes, 0, 0]
        .iter()
        .flat_map(|word: &u32| word.to_be_bytes())
        .collect()
}

impl ServerReport {
    /// The answer to the last datagram, which it repeats.
    pub(super) fn answer(&self, last: &[u8], long: bool) -> Vec<u8> {
        let at = if long { NEW_LAYOUT_BYTES } else { OLD_LAYOUT_BYTES };
        let mut answer = last.to_vec();
        answer.resize(answer.len().max(at + REPORT_BYTES), 0);
        let flags = HAS_REPORT | if long { LONG_NUMBERS } else { 0 };
        let split =
            |time: Picoseconds| [(time.ps() / PS_PER_S) as u32, (time.ps() % PS_PER_S / PS_PER_US) as u32];
        let [seconds, microseconds] = split(self.time);
        let [jitter_seconds, jitter_microseconds] = split(self.jitter);
        let words = [
            flags,
            (self.bytes >> 32) as u32,
            self.bytes as u32,
            seconds,
            microseconds,
            self.lost,
            self.out_of_order,
            self.datagrams,
            jitter_seconds,
            jitter_microseconds,
        ];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        answer[at..at + REPORT_BYTES].copy_from_slice(&bytes);
        answer
    }

    /// Reads an answer in either layout.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let at = [OLD_LAYOUT_BYTES, NEW_LAYOUT_BYTES]
            .into_iter()
            .find(|at| word(bytes, *at).is_some_and(|flags| flags & HAS_REPORT != 0))?;
        let field = |index: usize| word(bytes, at + 4 * index);
        Some(Self {
            bytes: u64::from(field(1)?) << 32 | u64::from(field(2)?),
            time: seconds_and_microseconds(field(3)?, field(4)?),
            lost: field(5)?,
            out_of_order: field(6)?,
            datagrams: field(7)?,
            jitter: seconds_and_microseconds(field(8)?, field(9)?),
        })
    }
}
