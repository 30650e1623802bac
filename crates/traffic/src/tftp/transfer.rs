//! A transfer of a file: what goes next, what was acknowledged, and what is sent again (RFC 1350; with windows of
//! more than a block RFC 7440). Blocks are counted without bound; on the wire their numbers wrap.

use units::Picoseconds;

use super::packet::{self, Code};
use super::settings::Terms;
use crate::IpEndpoint;
use crate::outbox::after;

/// Whether a file is sent or stored.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// As it goes over the network.
    Send {
        bytes: Vec<u8>,
        /// The last block that was sent.
        sent: u64,
    },
    /// As it came over the network.
    Store {
        path: String,
        is_text: bool,
        bytes: Vec<u8>,
        room_bytes: usize,
        /// Blocks since the last acknowledgement.
        unacknowledged: u64,
        /// A gap was told already, until a block is the next one again.
        gap_told: bool,
    },
}

/// What became of a transfer by a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    GoesOn,
    /// The whole file was acknowledged, or came.
    Complete,
    /// It ends with an error that is told to the client.
    Broken(Code, &'static str),
}

/// A transfer.
#[derive(Debug, Clone)]
pub(super) struct Transfer {
    pub peer: IpEndpoint,
    pub work: Work,
    terms: Terms,
    /// The options, for as long as the client has not answered them.
    options: Option<Vec<u8>>,
    /// Blocks that the other side has acknowledged, or that came in order.
    blocks: u64,
    pub deadline: Picoseconds,
    pub retries: u32,
    /// The whole file came; only its last acknowledgement may have to be said again.
    pub is_complete: bool,
}

impl Transfer {
    pub(super) fn new(peer: IpEndpoint, work: Work, terms: Terms, options: Option<Vec<u8>>) -> Self {
        Self {
            peer,
            work,
            terms,
            options,
            blocks: 0,
            deadline: Picoseconds::ZERO,
            retries: 0,
            is_complete: false,
        }
    }

    /// One more time of silence begins.
    pub(super) fn wait_on(&mut self, now: Picoseconds) {
        self.retries += 1;
        self.deadline = after(now, self.terms.timeout);
    }

    /// What is said first, or again after a time without a packet that led on.
    pub(super) fn say(&mut self, now: Picoseconds) -> Vec<Vec<u8>> {
        self.deadline = after(now, self.terms.timeout);
        match (&self.options, &mut self.work) {
            (Some(options), _) => vec![options.clone()],
            (None, Work::Send { .. }) => self.window(),
            (None, Work::Store { unacknowledged, .. }) => {
                *unacknowledged = 0;
                vec![packet::acknowledgement(self.blocks as u16)]
            }
        }
    }

    /// The blocks behind the last one that was acknowledged.
    fn window(&mut self) -> Vec<Vec<u8>> {
        let Work::Send { bytes, sent } = &mut self.work else { return Vec::new() };
        let block_bytes = self.terms.block_bytes;
        *sent = last_block(bytes.len(), block_bytes).min(self.blocks + self.terms.window_blocks);
        let block = |number: u64| {
            let from = (number - 1) as usize * block_bytes;
            packet::data(number as u16, &bytes[from..bytes.len().min(from + block_bytes)])
        };
        (self.blocks + 1..=*sent).map(block).collect()
    }

    /// A block is acknowledged. One that was acknowledged before leads to nothing, or each would be sent twice from then on
    /// (RFC 1350: the Sorcerer's Apprentice).
    pub(super) fn acknowledged(&mut self, now: Picoseconds, number: u16) -> (Outcome, Vec<Vec<u8>>) {
        let Work::Send { bytes, sent } = &self.work else { return (Outcome::GoesOn, Vec::new()) };
        let further = u64::from(number.wrapping_sub(self.blocks as u16));
        if self.options.is_some() && number == 0 {
            self.options = None;
        } else if self.options.is_some() || further == 0 || further > sent - self.blocks {
            return (Outcome::GoesOn, Vec::new());
        }
        self.blocks += further;
        self.retries = 0;
        if self.blocks == last_block(bytes.len(), self.terms.block_bytes) {
            return (Outcome::Complete, Vec::new());
        }
        (Outcome::GoesOn, self.say(now))
    }

    /// A block came.
    pub(super) fn came(&mut self, now: Picoseconds, number: u16, arrived: &[u8]) -> (Outcome, Vec<Vec<u8>>) {
        let Work::Store { bytes, room_bytes, unacknowledged, gap_told, .. } = &mut self.work else {
            return (Outcome::GoesOn, Vec::new());
        };
        if self.is_complete {
            return (Outcome::GoesOn, self.say(now));
        }
        if number != (self.blocks + 1) as u16 {
            // Of a window that goes on behind a gap one block alone is answered.
            let is_told = std::mem::replace(gap_told, self.terms.window_blocks > 1);
            return (
                Outcome::GoesOn,
                if is_told || self.options.is_some() { Vec::new() } else { self.say(now) },
            );
        }
        if arrived.len() > self.terms.block_bytes {
            return (Outcome::Broken(Code::IllegalOperation, "The block is too long."), Vec::new());
        }
        if bytes.len() + arrived.len() > *room_bytes {
            return (Outcome::Broken(Code::DiskFull, "There is no room for that."), Vec::new());
        }
        self.options = None;
        self.retries = 0;
        self.blocks += 1;
        *gap_told = false;
        *unacknowledged += 1;
        bytes.extend(arrived);
        self.is_complete = arrived.len() < self.terms.block_bytes;
        if self.is_complete {
            return (Outcome::Complete, self.say(now));
        }
        let is_due = *unacknowledged >= self.terms.window_blocks;
        self.deadline = after(now, self.terms.timeout);
        (Outcome::GoesOn, if is_due { self.say(now) } else { Vec::new() })
    }
}

/// The number of a file's last block, which is shorter than the others and may be empty (RFC 1350, section 6).
fn last_block(bytes: usize, block_bytes: usize) -> u64 {
    (bytes / block_bytes) as u64 + 1
}
