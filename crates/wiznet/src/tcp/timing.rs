//! What time does to a connection: segments sent again with doubling waits, the end of patience, late acknowledgements,
//! keep-alive, and the question for a window that stays closed.

use units::Picoseconds;

use super::connection::{Connection, Status, interrupt};
use super::memory::Pointers;
use super::settings::Settings;

impl Connection {
    /// When time next does something.
    pub(crate) fn next_event(&self, settings: &Settings) -> Option<Picoseconds> {
        [self.retry.deadline, self.ack_deadline, self.linger_deadline, self.keep_alive_deadline(settings)]
            .into_iter()
            .flatten()
            .min()
    }

    /// Does what is due up to and including `now`.
    pub(crate) fn advance(&mut self, now: Picoseconds, settings: &Settings, pointers: &Pointers) {
        let is_due = |deadline: Option<Picoseconds>| deadline.is_some_and(|deadline| deadline <= now);
        if is_due(self.ack_deadline) {
            self.ack_deadline = None;
            self.ack_due = true;
        }
        if is_due(self.keep_alive_deadline(settings)) {
            self.probe_due = true;
        }
        if is_due(self.linger_deadline) {
            self.end(if self.status == Status::FinWait { interrupt::TIMEOUT } else { 0 });
        }
        if is_due(self.retry.deadline) {
            self.retry.deadline = None;
            self.time_out(settings, pointers);
        }
    }

    /// The peer did not answer in time: everything from the first unacknowledged byte on is sent again ("TCP packets (sent
    /// earlier) are retransmitted", W5200 datasheet, RCR), or the socket closes.
    fn time_out(&mut self, settings: &Settings, pointers: &Pointers) {
        self.retry.unanswered = self.retry.unanswered.saturating_add(1);
        self.retry.doublings = self.retry.doublings.saturating_add(1);
        if self.retry.unanswered > u16::from(settings.retry_count) {
            self.end(interrupt::TIMEOUT);
        } else if matches!(self.status, Status::SynSent | Status::SynRecv) {
            self.syn_due = true;
        } else {
            self.next = 0;
            self.probe_due = self.is_blocked(pointers) || self.highest == 0;
        }
    }

    /// Starts the wait for an answer, unless one is on already.
    pub(super) fn await_answer(&mut self, now: Picoseconds, settings: &Settings) {
        let wait = settings.retry_wait(self.retry.doublings);
        self.retry.deadline.get_or_insert(now + wait);
    }

    /// With nothing on its way and the window closed, nobody but a timer would ever speak again.
    pub(super) fn arm_persist(&mut self, now: Picoseconds, settings: &Settings, pointers: &Pointers) {
        if self.next == 0 && self.is_blocked(pointers) && !self.probe_due {
            self.await_answer(now, settings);
        }
    }

    fn is_blocked(&self, pointers: &Pointers) -> bool {
        self.sends_data()
            && self.next < u32::from(pointers.tx_pending_bytes())
            && u32::from(self.peer_window) <= self.next
    }

    pub(super) fn may_keep_alive(&self) -> bool {
        self.exchanged && matches!(self.status, Status::Established | Status::CloseWait)
    }

    fn keep_alive_deadline(&self, settings: &Settings) -> Option<Picoseconds> {
        let idle = self.retry.deadline.is_none() && self.highest == 0 && !self.probe_due;
        let wait = settings.keep_alive_wait().filter(|_| idle && self.may_keep_alive())?;
        Some(self.last_activity + wait)
    }
}
