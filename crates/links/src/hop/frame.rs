//! What is on a channel: frames, and who sends them.

use std::collections::VecDeque;

use sim::RandomStream;
use units::Picoseconds;

use super::crossing::Crossing;
use crate::stage::{BusyChannel, Load, PhyRate};

/// Which way a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the wire over the access point to the station.
    ToStation,
    /// From the station over the access point to the wire.
    FromStation,
}

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Somebody's, with the number that it was given.
    Data { way: Way, ticket: u64 },
    /// A null frame by which a station says that it is awake.
    Awake,
    /// The one by which it says that it dozes.
    Dozes,
    /// A PS-Poll.
    Poll,
}

/// A frame for the air, between the access point and a station.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) station: usize,
    pub(super) content: Content,
    pub(super) mpdu_bytes: u32,
    /// How often it was not acknowledged.
    pub(super) failures: u32,
    /// When its sender may contend for it at the earliest.
    pub(super) ready: Picoseconds,
    /// From when to when the access point kept it, because its station dozed.
    pub(super) kept: Option<Kept>,
}

impl Frame {
    /// The same where it was kept from one time to another, and perhaps before.
    pub(super) fn kept_until(self, since: Picoseconds, until: Picoseconds) -> Self {
        let from = self.kept.map_or(since, |(from, _)| from);
        Self { kept: Some((from, until)), ..self }
    }
}

/// From when to when an access point kept a frame for a station that dozed.
pub type Kept = (Picoseconds, Picoseconds);

/// How far a sender is with the frame at the head of its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contention {
    /// When the channel is its own to contend for.
    from: Picoseconds,
    /// Slots that it has yet to count.
    slots: u64,
    failures: u32,
}

/// The access point, or a station.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    pub(super) queue: VecDeque<Frame>,
    contention: Option<Contention>,
    others: Crossing<BusyChannel>,
    random: RandomStream,
}

impl Sender {
    pub(super) fn new(others: BusyChannel, seed: u64, path: &str) -> Self {
        Self {
            queue: VecDeque::new(),
            contention: None,
            others: Crossing::new(others, seed, &format!("{path}/others")),
            random: RandomStream::named(seed, &format!("{path}/frame")),
        }
    }

    /// Begins to contend for the frame at the head, where it does not yet.
    pub(super) fn contend(&mut self, now: Picoseconds, rate: PhyRate) {
        let Some(head) = self.queue.front().filter(|_| self.contention.is_none()) else { return };
        let others = self.others.cross(Picoseconds::ZERO, Load::whole(0)).at;
        let slots = self.random.below(rate.window(0) + 1);
        self.contention = Some(Contention { from: head.ready.max(now) + others, slots, failures: 0 });
    }

    /// When slots begin to count, once the channel is idle from a time on.
    fn counts_from(&self, idle_from: Picoseconds, rate: PhyRate) -> Option<Picoseconds> {
        self.contention.map(|contention| contention.from.max(idle_from) + rate.interframe())
    }

    /// When its frame begins, if nobody else's does before.
    pub(super) fn starts(&self, idle_from: Picoseconds, rate: PhyRate) -> Option<Picoseconds> {
        let slots = self.contention?.slots as i64;
        Some(self.counts_from(idle_from, rate)? + Picoseconds::new(slots * rate.slot().ps()))
    }

    /// The channel is taken by another from a time on: what was counted of its slots counts.
    pub(super) fn freeze(&mut self, at: Picoseconds, idle_from: Picoseconds, rate: PhyRate) {
        let Some(from) = self.counts_from(idle_from, rate) else { return };
        let counted = (at - from).ps().max(0) / rate.slot().ps();
        if let Some(contention) = &mut self.contention {
            contention.slots = contention.slots.saturating_sub(counted as u64);
        }
    }

    /// Its frame came through, or is given up.
    pub(super) fn is_through(&mut self) {
        self.contention = None;
    }

    /// Nobody acknowledged it: it contends again from a time on, in a longer window.
    pub(super) fn failed(&mut self, from: Picoseconds, rate: PhyRate) {
        let failures = self.contention.map_or(1, |contention| contention.failures + 1);
        let slots = self.random.below(rate.window(failures) + 1);
        self.contention = Some(Contention { from, slots, failures });
    }

    /// Whether an attempt fails of such a probability.
    pub(super) fn errs(&mut self, frame_error: f64) -> bool {
        frame_error > 0.0 && self.random.chance(frame_error)
    }
}
