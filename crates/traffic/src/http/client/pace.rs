//! When requests are due, and when one that waits is given up.

use units::Picoseconds;

use super::Client;
use crate::outbox::after;
use crate::schedule::Schedule;
use crate::{Outcome, Sample};

/// Whether a request is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Its latency counts from this time.
    Now(Picoseconds),
    Later,
    Never,
}

impl Client {
    /// The end of the time in which requests begin.
    pub(super) fn end(&self) -> Option<Picoseconds> {
        Some(after(self.start?, self.settings.duration?))
    }

    /// When the next request of an open loop is due; nothing where there is none.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        let due = Schedule::new(self.start?, self.settings.rate?).due(self.begun);
        let is_one = self.begun < self.settings.requests && self.end().is_none_or(|end| due < end);
        is_one.then_some(due)
    }

    pub(super) fn next(&self, now: Picoseconds) -> Next {
        let is_open_loop = self.settings.rate.is_some();
        match self.due() {
            Some(due) if due <= now => Next::Now(due),
            Some(_) => Next::Later,
            None if is_open_loop || self.begun >= self.settings.requests => Next::Never,
            None if self.end().is_some_and(|end| end <= now) => Next::Never,
            None => Next::Now(now),
        }
    }

    /// When a request that waits for a free lane is given up.
    pub(super) fn given_up_at(&self, due: Picoseconds) -> Picoseconds {
        let late = after(due, self.settings.timeout);
        self.end().map_or(late, |end| late.min(end))
    }

    /// In an open loop, waiting for a lane is part of what the time-out bounds.
    pub(super) fn answered_until(&self, now: Picoseconds, number: usize) -> Picoseconds {
        let due = self.lanes.get(number).sample.as_ref().map(|sample| sample.trigger);
        let from = due.filter(|_| self.settings.rate.is_some()).unwrap_or(now);
        after(from, self.settings.timeout)
    }

    /// Requests that are due and found no free lane end with their time-out, or with the run; what waits is bounded by both.
    pub(super) fn give_up_waiting(&mut self, now: Picoseconds) {
        if self.lanes.all_over() {
            return;
        }
        while let Some(due) = self.due().filter(|due| self.given_up_at(*due) <= now) {
            let error = "the request was due and never sent, since all connections were busy";
            let sample = Sample::begun(self.begun, due);
            self.samples.push(sample.failed(Outcome::TimedOut, error));
            self.begun += 1;
            self.unsent += 1;
        }
    }
}
