//! Connections that are over but may still be spoken to (TIME-WAIT, RFC 9293 section 3.6.1). smoltcp would keep a whole
//! socket with its buffers for each; here it is one frame, the last acknowledgement, which answers whatever comes again.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::segment::{ACK, FIN, RST, SYN, Segment, Tuple, after};

/// Linux waits 60 s (`TCP_TIMEWAIT_LEN`).
const WAIT: Picoseconds = Picoseconds::new(60 * units::PS_PER_S);

/// More of them push out the oldest (Linux: `tcp_max_tw_buckets`).
const MOST: usize = 16_384;

#[derive(Debug, Clone)]
struct Waiting {
    last_acknowledgement: Vec<u8>,
    expected: u32,
    until: Picoseconds,
}

/// What becomes of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The connection is not here.
    Unknown,
    /// It is dealt with in silence.
    Nothing,
    /// It is dealt with by this frame.
    Frame(Vec<u8>),
}

/// All connections in TIME-WAIT.
#[derive(Debug, Default, Clone)]
pub(super) struct TimeWait {
    waiting: BTreeMap<Tuple, Waiting>,
    order: VecDeque<(Picoseconds, Tuple)>,
}

impl TimeWait {
    /// Takes a connection over, with its last frame.
    pub(super) fn insert(&mut self, now: Picoseconds, tuple: Tuple, last_acknowledgement: Vec<u8>) {
        self.expire(now);
        let Some(segment) = Segment::of(&last_acknowledgement) else { return };
        let until = now + WAIT;
        self.waiting.insert(tuple, Waiting { last_acknowledgement, expected: segment.acknowledgment, until });
        self.order.push_back((until, tuple));
        while self.order.len() > MOST {
            self.drop_oldest();
        }
    }

    /// Whether an own port is still in use towards a peer.
    pub(super) fn holds(&self, tuple: &Tuple) -> bool {
        self.waiting.contains_key(tuple)
    }

    /// Answers a segment of a connection that is here.
    pub(super) fn answer(&mut self, now: Picoseconds, segment: &Segment) -> Answer {
        self.expire(now);
        let tuple = segment.incoming();
        let Some(waiting) = self.waiting.get(&tuple) else { return Answer::Unknown };
        if segment.has(RST) {
            self.waiting.remove(&tuple);
            return Answer::Nothing;
        }
        if segment.has(SYN) && !segment.has(ACK) && after(segment.sequence, waiting.expected) {
            self.waiting.remove(&tuple);
            return Answer::Unknown;
        }
        if segment.payload_bytes > 0 || segment.flags & (FIN | SYN) != 0 {
            return Answer::Frame(waiting.last_acknowledgement.clone());
        }
        Answer::Nothing
    }

    fn expire(&mut self, now: Picoseconds) {
        while self.order.front().is_some_and(|(until, _)| *until <= now) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some((until, tuple)) = self.order.pop_front() else { return };
        if self.waiting.get(&tuple).is_some_and(|waiting| waiting.until == until) {
            self.waiting.remove(&tuple);
        }
    }
}
