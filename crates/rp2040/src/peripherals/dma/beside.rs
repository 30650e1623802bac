//! A channel that empties a port while another one copies beside it: whose turn it is and when, before anything is moved. What the two
//! move may then be moved at once.

use units::Picoseconds;

use super::arbiter::Arbiter;
use super::channel::SNIFF_EN;
use super::flow::Channels;
use super::lane::Lane;
use super::schedule::Schedule;
use super::{Dma, NEVER};

/// An access may find a word that comes so much later: to a block of PIO an edge that is a picosecond ahead counts as there.
const PICOSECONDS_AHEAD: i64 = 2;

/// Both of them, before they move anything: the end in memory of the one that empties the port, and both ends of the one that copies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Both {
    receiver: usize,
    copier: usize,
    pub(crate) taken: Lane,
    pub(crate) copied: (Lane, Lane),
}

/// Words that come to a port: how many its FIFO holds, and how many are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coming {
    pub(crate) depth: usize,
    pub(crate) count: usize,
}

/// What they have moved when the FIFO is empty for the last time, and how they go on from there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    pub(crate) words: usize,
    pub(crate) copies: u32,
    schedule: Schedule,
    arbiter: Arbiter,
}

impl Dma {
    /// Both, where the one that copies waits for nothing, nobody else is about to move, and no word waits.
    pub(crate) fn both_beside(&self, channels: &Channels) -> Option<Both> {
        let (receiver, copier) = (channels.only_receiver()?, self.ready.trailing_zeros() as usize);
        let [receives, copies] = [receiver, copier].map(|index| self.channels.get(index));
        let copies = copies.filter(|channel| self.ready == 1 << copier && self.stands(channel.treq))?;
        let is_plain = self.next_tick == NEVER && copier != receiver && !self.sniffer.watches(receiver);
        let [taken, from, to] =
            [(receives?, receiver, true), (copies, copier, false), (copies, copier, true)]
                .map(|(channel, index, writes)| Lane::new(channel, self.transfer(index), writes));
        is_plain.then_some(Both { receiver, copier, taken, copied: (from, to) })
    }

    /// Whether the channel that empties the port is not about to.
    pub(crate) fn waits_for_no_word(&self, channels: &Channels) -> bool {
        channels.only_receiver().is_some_and(|index| self.ready >> index & 1 == 0)
    }

    fn stands(&self, treq: u8) -> bool {
        self.standing >> treq & 1 != 0
    }

    /// Whose turn it is up to and including `until`, while words come at these times; the one that copies makes so many transfers at one
    /// go at the most.
    pub(crate) fn turns_beside(
        &self,
        both: &Both,
        (coming, comes_at): (Coming, impl Fn(usize) -> Option<Picoseconds>),
        (until, most_at_once): (Picoseconds, u32),
    ) -> Moved {
        let mut moved = Moved { words: 0, copies: 0, schedule: self.schedule, arbiter: self.arbiter };
        let copier_ready = self.ready_at[both.copier];
        let mut turns = Turns { both, copier_ready, high: self.high, came: 0, asked: None, moved };
        while let Some(next) = comes_at(turns.came).filter(|_| turns.came < coming.count && turns.go_on()) {
            let due = turns.due();
            // Of one instant the block comes first.
            let goes_on = match next <= due {
                true => next <= until && turns.word_comes(next, coming.depth),
                false => due <= until && turns.take_turn(due, next, most_at_once),
            };
            if !goes_on {
                break;
            }
            if turns.asked.is_none() {
                moved = turns.moved;
            }
        }
        moved
    }

    /// They have moved that, and are where these ends are; the bytes that were copied have been told.
    pub(crate) fn leave_both(&mut self, both: &Both, moved: &Moved) {
        (self.schedule, self.arbiter) = (moved.schedule, moved.arbiter);
        let (from, to) = &both.copied;
        self.channels[both.receiver].go_to(both.taken.address, true, both.taken.remaining);
        self.channels[both.copier].go_to(from.address, false, from.remaining);
        self.channels[both.copier].go_to(to.address, true, to.remaining);
    }

    /// Bytes are copied.
    pub(crate) fn sniff_copied(&mut self, both: &Both, bytes: &[u8]) {
        let channel = &self.channels[both.copier];
        if self.sniffer.watches(both.copier) && channel.has(SNIFF_EN) {
            self.sniffer.observe_many(bytes, channel.bytes);
        }
    }
}

/// Both while they take turns.
struct Turns<'a> {
    both: &'a Both,
    /// From when on the one that copies may, and which channels have priority.
    copier_ready: Picoseconds,
    high: u16,
    /// The words that have come, and from when on one of them may be taken.
    came: usize,
    asked: Option<Picoseconds>,
    moved: Moved,
}

impl Turns<'_> {
    /// The copies that are left.
    fn left(&self) -> u32 {
        self.both.copied.0.remaining - self.moved.copies
    }

    /// Whether neither is at the end of its sequence.
    fn go_on(&self) -> bool {
        self.left() >= 2 && self.both.taken.remaining as usize - self.moved.words >= 2
    }

    /// When the next transfer is due.
    fn due(&self) -> Picoseconds {
        let first = self.asked.map_or(self.copier_ready, |at| at.min(self.copier_ready));
        first.max(self.moved.schedule.free())
    }

    /// A word comes; false where the FIFO has no room for it.
    fn word_comes(&mut self, at: Picoseconds, depth: usize) -> bool {
        if self.came - self.moved.words == depth {
            return false;
        }
        self.asked.get_or_insert(self.moved.schedule.after_latency(at));
        self.came += 1;
        true
    }

    /// A transfer is due; false where it finds a word that comes a picosecond later.
    fn take_turn(&mut self, due: Picoseconds, next: Picoseconds, most_at_once: u32) -> bool {
        let is_due =
            |at: Option<Picoseconds>, index: usize| u16::from(at.is_some_and(|at| at <= due)) << index;
        let candidates =
            is_due(self.asked, self.both.receiver) | is_due(Some(self.copier_ready), self.both.copier);
        let takes = self.moved.arbiter.pick(candidates, self.high) == self.both.receiver;
        if takes && (next - due).ps() <= PICOSECONDS_AHEAD {
            return false;
        }
        self.moved.schedule.begin(due);
        if takes {
            self.moved.schedule.occupy(1);
            self.moved.words += 1;
            self.asked = self.asked.filter(|_| self.moved.words < self.came);
        } else {
            // Where nobody else is about to move, several are made at one go.
            let alone = self.asked.is_none();
            let count = if alone { (self.left() - 1).min(most_at_once) } else { 1 };
            self.moved.schedule.occupy(count);
            self.moved.copies += count;
        }
        true
    }
}
