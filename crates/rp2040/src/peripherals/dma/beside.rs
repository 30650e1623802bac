//! A channel that empties a port while another one copies beside it: whose turn it is and when, before anything is moved. What the two
//! move may then be moved at once.

use units::Picoseconds;

use super::arbiter::Arbiter;
use super::channel::SNIFF_EN;
use super::flow::Channels;
use super::lane::Lane;
use super::schedule::Schedule;
use super::{Dma, NEVER};

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
        let (mut now, mut came) = (moved, 0);
        let mut asked = None;
        let copier_ready = self.ready_at[both.copier];
        while let Some(next) = comes_at(came).filter(|_| came < coming.count) {
            let first = asked.map_or(copier_ready, |at: Picoseconds| at.min(copier_ready));
            let due = first.max(now.schedule.free());
            let left = both.copied.0.remaining - now.copies;
            if left < 2 || both.taken.remaining as usize - now.words < 2 {
                break;
            }
            // Of one instant the block comes first.
            if next <= due {
                if next > until || came - now.words == coming.depth {
                    break;
                }
                asked.get_or_insert(now.schedule.after_latency(next));
                came += 1;
                continue;
            }
            if due > until {
                break;
            }
            let is_due =
                |at: Option<Picoseconds>, index: usize| at.map_or(0, |at| u16::from(at <= due) << index);
            let candidates = is_due(asked, both.receiver) | is_due(Some(copier_ready), both.copier);
            let takes = now.arbiter.pick(candidates, self.high) == both.receiver;
            // It finds a word that is a picosecond ahead.
            if takes && (next - due).ps() <= 2 {
                break;
            }
            now.schedule.begin(due);
            if takes {
                now.schedule.occupy(1);
                now.words += 1;
                asked = asked.filter(|_| now.words < came);
            } else {
                let count = if asked.is_none() { (left - 1).min(most_at_once) } else { 1 };
                now.schedule.occupy(count);
                now.copies += count;
            }
            if asked.is_none() {
                moved = now;
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
