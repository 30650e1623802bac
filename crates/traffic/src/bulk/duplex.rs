//! One connection of a bulk transfer: its sending half and its receiving half.

use std::collections::VecDeque;

use bytes::Bytes;
use crc32fast::Hasher;
use units::Picoseconds;

use crate::meter::{Interval, Meter};
use crate::pattern::Pattern;
use crate::{Action, Connection, Event};

/// What is sent at a time, where nobody says otherwise.
pub(crate) const BLOCK_BYTES: usize = 16 * 1024;
/// What a test of iperf sends at a time at most.
pub(crate) const MOST_BLOCK_BYTES: usize = 128 * 1024;
/// Results that a server keeps; the oldest go first, and are counted.
pub(crate) const MOST_KEPT: usize = 1024;

/// How much to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// For so long.
    Time(Picoseconds),
}

/// What passed in one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Direction {
    /// When and how much; of what was sent, up to the acknowledgement of the last byte where the seat can tell.
    pub whole: Option<Interval>,
    /// The same in intervals.
    pub intervals: Vec<Interval>,
    /// Of all bytes, where a seed determines them.
    pub crc32: u32,
    /// The place of the first byte that is not the seed's.
    pub first_difference: Option<u64>,
}

impl Direction {
    /// How many bytes.
    pub fn bytes(&self) -> u64 {
        self.whole.map_or(0, |whole| whole.bytes)
    }
}

/// The result of one connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transfer {
    /// What was sent.
    pub sent: Direction,
    /// What was received.
    pub received: Direction,
    /// Why it broke off.
    pub error: Option<String>,
}

/// What the bytes are.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Those of a seed, checked on arrival.
    Pattern(Pattern),
    /// The digits that iperf sends, after a head, and whatever the peer sends.
    Digits(Vec<u8>),
    /// The same in blocks of so many bytes, each of which begins with the head.
    Blocks(Vec<u8>, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Nothing to send: ends when the peer ends.
    Silent,
    Until(Amount),
    Draining,
    Finished,
}

#[derive(Debug, Clone)]
pub(crate) struct Duplex {
    connection: Connection,
    content: Content,
    sending: Sending,
    /// What is sent at a time.
    block_bytes: usize,
    deadline: Option<Picoseconds>,
    sent: Meter,
    sent_crc: Hasher,
    received: Meter,
    received_crc: Hasher,
    first_difference: Option<u64>,
    is_open: bool,
    peer_finished: bool,
    error: Option<String>,
    over: bool,
}

impl Duplex {
    pub(crate) fn new(
        connection: Connection,
        content: Content,
        send: Option<Amount>,
        interval: Option<Picoseconds>,
    ) -> Self {
        Self {
            connection,
            content,
            sending: send.map_or(Sending::Silent, Sending::Until),
            block_bytes: BLOCK_BYTES,
            deadline: None,
            sent: Meter::new(interval),
            sent_crc: Hasher::new(),
            received: Meter::new(interval),
            received_crc: Hasher::new(),
            first_difference: None,
            is_open: false,
            peer_finished: false,
            error: None,
            over: false,
        }
    }

    /// The same with so much at a time.
    pub(crate) fn in_blocks_of(mut self, bytes: usize) -> Self {
        self.block_bytes = bytes;
        self
    }

    /// The connection is open.
    pub(crate) fn open(&mut self, now: Picoseconds, actions: &mut VecDeque<Action>) {
        self.is_open = true;
        if let Sending::Until(amount) = self.sending {
            self.sent.start(now);
            if let Amount::Time(time) = amount {
                self.deadline = Some(now + time);
            }
            actions.push_back(Action::WantRoom(self.connection, self.block_bytes));
        }
    }

    pub(crate) fn wake_at(&self) -> Option<Picoseconds> {
        self.deadline
    }

    /// Whether the connection was opened.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether the connection broke off.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn sent_bytes(&self) -> u64 {
        self.sent.whole().map_or(0, |whole| whole.bytes)
    }

    pub(crate) fn received_bytes(&self) -> u64 {
        self.received.whole().map_or(0, |whole| whole.bytes)
    }

    /// In both directions together.
    pub(crate) fn passed_bytes(&self) -> u64 {
        self.sent_bytes() + self.received_bytes()
    }

    /// Sends on a connection that is open and on which nothing was to be sent so far.
    pub(crate) fn send_too(&mut self, now: Picoseconds, amount: Amount, actions: &mut VecDeque<Action>) {
        if self.sending == Sending::Silent && !self.over {
            self.sending = Sending::Until(amount);
            self.open(now, actions);
        }
    }

    pub(crate) fn handle(&mut self, now: Picoseconds, event: &Event<'_>, actions: &mut VecDeque<Action>) {
        match event {
            Event::Wake if self.deadline.is_some_and(|at| at <= now) => self.drain(actions),
            Event::Room(..) => self.send(now, actions),
            Event::Drained(_) => self.finish(now, actions),
            Event::Received(_, bytes) => self.receive(now, bytes),
            Event::PeerFinished(_) => self.peer_finished(now, actions),
            Event::Closed(_, reason) => self.close(now, *reason),
            _ => {}
        }
    }

    fn send(&mut self, now: Picoseconds, actions: &mut VecDeque<Action>) {
        let Sending::Until(amount) = self.sending else { return };
        let position = self.sent.whole().map_or(0, |whole| whole.bytes);
        let count = match amount {
            Amount::Bytes(bytes) => (bytes - position.min(bytes)).min(self.block_bytes as u64) as usize,
            Amount::Time(_) => self.block_bytes,
        };
        if count > 0 {
            let bytes = self.content.bytes(position, count);
            if matches!(self.content, Content::Pattern(_)) {
                self.sent_crc.update(&bytes);
            }
            self.sent.count(now, bytes.len() as u64);
            actions.push_back(Action::SendBlock(self.connection, bytes));
        }
        if matches!(amount, Amount::Bytes(bytes) if position + count as u64 >= bytes) {
            self.drain(actions);
        } else {
            actions.push_back(Action::WantRoom(self.connection, self.block_bytes));
        }
    }

    /// Sends no more, and waits for the last acknowledgement.
    fn drain(&mut self, actions: &mut VecDeque<Action>) {
        self.deadline = None;
        if matches!(self.sending, Sending::Until(_)) {
            self.sending = Sending::Draining;
            actions.push_back(Action::WantRoom(self.connection, 0));
        }
    }

    fn finish(&mut self, now: Picoseconds, actions: &mut VecDeque<Action>) {
        if self.sending == Sending::Draining {
            self.sent.finish(now);
            self.sending = Sending::Finished;
            actions.push_back(Action::Finish(self.connection));
            self.over |= self.peer_finished;
        }
    }

    fn receive(&mut self, now: Picoseconds, bytes: &[u8]) {
        let position = self.received.whole().map_or(0, |whole| whole.bytes);
        if let (Content::Pattern(pattern), None) = (&self.content, self.first_difference) {
            self.first_difference = pattern.first_difference(position, bytes);
        }
        if matches!(self.content, Content::Pattern(_)) {
            self.received_crc.update(bytes);
        }
        self.received.count(now, bytes.len() as u64);
    }

    fn peer_finished(&mut self, now: Picoseconds, actions: &mut VecDeque<Action>) {
        self.peer_finished = true;
        if self.received.whole().is_some() {
            self.received.finish(now);
        }
        if self.sending == Sending::Silent {
            self.sending = Sending::Finished;
            actions.push_back(Action::Finish(self.connection));
        }
        self.over |= self.sending == Sending::Finished;
    }

    fn close(&mut self, now: Picoseconds, reason: Option<&str>) {
        if !self.over && (reason.is_some() || self.sending != Sending::Finished || !self.peer_finished) {
            self.error = Some(reason.unwrap_or("the connection was closed before its end").to_owned());
            for meter in [&mut self.sent, &mut self.received] {
                if meter.whole().is_some() {
                    meter.finish(now);
                }
            }
        }
        self.deadline = None;
        self.over = true;
    }

    pub(crate) fn transfer(&self) -> Transfer {
        let direction = |meter: &Meter, crc: &Hasher, first_difference| Direction {
            whole: meter.whole(),
            intervals: meter.intervals().to_vec(),
            crc32: crc.clone().finalize(),
            first_difference,
        };
        Transfer {
            sent: direction(&self.sent, &self.sent_crc, None),
            received: direction(&self.received, &self.received_crc, self.first_difference),
            error: self.error.clone(),
        }
    }
}

impl Content {
    fn bytes(&self, position: u64, count: usize) -> Bytes {
        match self {
            Self::Pattern(pattern) => pattern.bytes(position, count).into(),
            Self::Digits(head) => {
                let of_head =
                    usize::try_from(position).ok().and_then(|at| head.get(at..)).unwrap_or_default();
                let phase = (position % 10) as usize;
                if of_head.is_empty() && phase + count <= DIGITS.len() {
                    return Bytes::from_static(&DIGITS[phase..phase + count]);
                }
                let mut bytes = Vec::with_capacity(count);
                bytes.extend_from_slice(&of_head[..of_head.len().min(count)]);
                let digit = |at: u64| b'0' + (at % 10) as u8;
                bytes.extend((position + bytes.len() as u64..position + count as u64).map(digit));
                bytes.into()
            }
            Self::Blocks(head, size) => {
                let byte = |at: u64| head.get(at as usize).copied().unwrap_or(b'0' + (at % 10) as u8);
                (position..position + count as u64).map(|at| byte(at % size)).collect()
            }
        }
    }
}

/// The digits from 0 to 9, again and again: a block of them from any one on.
static DIGITS: [u8; MOST_BLOCK_BYTES + 9] = {
    let mut digits = [0; MOST_BLOCK_BYTES + 9];
    let mut at = 0;
    while at < digits.len() {
        digits[at] = b'0' + (at % 10) as u8;
        at += 1;
    }
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_begin_with_their_head_from_any_position() {
        let content = Content::Blocks(b"HEAD".to_vec(), 12);
        let whole = b"HEAD45678901HEAD45678901HEAD4567";
        for (position, count) in [(0, 32), (2, 3), (11, 2), (13, 12), (30, 2)] {
            assert_eq!(content.bytes(position as u64, count), whole[position..position + count]);
        }
    }

    #[test]
    fn digits_follow_their_head_from_any_position() {
        let content = Content::Digits(b"HEAD".to_vec());
        let whole: Vec<u8> =
            b"HEAD".iter().copied().chain((4..30_000).map(|at| b'0' + (at % 10) as u8)).collect();
        for (position, count) in [(0, 30_000), (0, 3), (2, 20_001), (4, 10), (17, 12_345), (29_999, 1)] {
            assert_eq!(content.bytes(position as u64, count), whole[position..position + count]);
        }
    }
}
