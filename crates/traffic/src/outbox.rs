//! The actions that a service has decided on and that its seat has not fetched yet, and those that wait for their time.
//! What waits is bounded; what finds no place is counted and dropped.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use crate::Action;

/// Datagrams that may wait for their time in one service.
const MOST_WAITING: usize = 1024;

#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox {
    ready: VecDeque<Action>,
    waiting: VecDeque<(Picoseconds, Action)>,
    dropped: u64,
}

impl Outbox {
    pub(crate) fn push(&mut self, action: Action) {
        self.ready.push_back(action);
    }

    /// An action for later, behind those of the same time; false where it found no place.
    pub(crate) fn push_at(&mut self, now: Picoseconds, at: Picoseconds, action: Action) -> bool {
        if at <= now {
            self.push(action);
        } else if self.waiting.len() >= MOST_WAITING {
            self.dropped += 1;
            return false;
        } else {
            let place = self.waiting.partition_point(|(other, _)| *other <= at);
            self.waiting.insert(place, (at, action));
        }
        true
    }

    /// Makes ready what has come due.
    pub(crate) fn release(&mut self, now: Picoseconds) {
        while self.waiting.front().is_some_and(|(at, _)| *at <= now) {
            let (_, action) = self.waiting.pop_front().expect("the front was there a line above");
            self.ready.push_back(action);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Action> {
        self.ready.pop_front()
    }

    pub(crate) fn wake_at(&self) -> Option<Picoseconds> {
        self.waiting.front().map(|(at, _)| *at)
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// A point in time so much later, or the end of time.
pub(crate) fn after(now: Picoseconds, duration: Picoseconds) -> Picoseconds {
    Picoseconds::new(now.ps().saturating_add(duration.ps()))
}

/// Whole seconds, or the end of time.
pub(crate) fn seconds(seconds: u32) -> Picoseconds {
    Picoseconds::new(i64::from(seconds).saturating_mul(PS_PER_S))
}
