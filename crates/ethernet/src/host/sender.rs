//! What a connection has sent and how much more it may: an initial congestion window of ten segments (RFC 6928), slow
//! start and halving after a loss (RFC 5681), and Nagle's algorithm as Linux has it (Minshall's variant: only a short
//! segment that is not acknowledged holds back another short one). Into a small window it sends whole segments or the rest
//! (RFC 9293 section 3.8.6.2.1), and segments of at most half the largest window. A segment that is lost behind one that was
//! repeated is repeated at the acknowledgement of that one (NewReno, RFC 6582), and after a time-out one segment goes out, then
//! as many as slow start lets. smoltcp knows none of this; it is steered through the window that it sees.

use std::collections::VecDeque;

use super::limits::Limit;
use super::segment::{FIN, SYN, Segment, after};

/// RFC 6928.
const INITIAL_WINDOW_SEGMENTS: u32 = 10;

/// Acknowledgements that say nothing new before a segment counts as lost (RFC 5681).
pub(super) const DUPLICATES: u32 = 3;

/// The sending half of a connection, as seen on the wire.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    unacknowledged: u32,
    /// Where the segments end that are not acknowledged: Linux's congestion window counts segments.
    ends: VecDeque<u32>,
    next: u32,
    short_end: Option<u32>,
    segment_bytes: u32,
    peer_shift: u8,
    congestion_window: u32,
    /// The congestion window as smoltcp sees it: it stays the same while acknowledgements repeat, because smoltcp counts only
    /// those whose window stays the same.
    shown_window: u32,
    /// What the peer offered last.
    offered: u32,
    /// What smoltcp sees of that, as the window field says it.
    shown_field: u16,
    slow_start_threshold: u32,
    duplicates: u32,
    /// The SYN is not acknowledged yet.
    opening: bool,
    /// Losses up to here are one.
    recovery_end: Option<u32>,
    /// After a time-out: up to where segments were sent again.
    resent_to: Option<u32>,
    /// The next segment that is sent again fills a hole behind one that was repeated.
    fills_hole: bool,
    has_hole: bool,
    /// The next segment that is sent again is so because acknowledgements repeat.
    is_repeated_fast: bool,
    /// A time-out has changed what smoltcp may see.
    has_timed_out: bool,
    /// Segments with data that were sent again.
    pub(super) retransmitted: u64,
}

impl Sender {
    pub(super) fn new() -> Self {
        Self {
            unacknowledged: 0,
            ends: VecDeque::new(),
            next: 0,
            short_end: None,
            segment_bytes: 536,
            peer_shift: 0,
            congestion_window: u32::MAX,
            shown_window: u32::MAX,
            offered: 0,
            shown_field: 0,
            slow_start_threshold: u32::MAX,
            duplicates: 0,
            opening: true,
            recovery_end: None,
            resent_to: None,
            fills_hole: false,
            has_hole: false,
            is_repeated_fast: false,
            has_timed_out: false,
            retransmitted: 0,
        }
    }

    /// The peer's SYN said what it takes.
    pub(super) fn opened(&mut self, segment_bytes: u32, peer_shift: u8) {
        self.segment_bytes = segment_bytes.max(1);
        self.peer_shift = peer_shift;
        self.congestion_window = self.segment_bytes.saturating_mul(INITIAL_WINDOW_SEGMENTS);
        self.shown_window = self.congestion_window;
    }

    /// Whether a short segment is on its way.
    pub(super) fn short_in_flight(&self) -> bool {
        self.short_end.is_some_and(|end| after(end, self.unacknowledged))
    }

    /// Whether a FIN after so many bytes that are not acknowledged fits the window.
    pub(super) fn fits_fin(&self, bytes: usize) -> bool {
        bytes == 0 || bytes < self.offered.min(self.shown_window) as usize
    }

    /// The oldest sequence number that is not acknowledged.
    pub(super) fn unacknowledged(&self) -> u32 {
        self.unacknowledged
    }

    /// Sequence numbers that are not acknowledged.
    pub(super) fn in_flight(&self) -> u32 {
        self.next.wrapping_sub(self.unacknowledged)
    }

    /// Whether what waits has to wait for a larger window, `queued` being everything that is not acknowledged.
    pub(super) fn is_blocked(&self, queued: usize) -> bool {
        let unsent = u32::try_from(queued).unwrap_or(u32::MAX).saturating_sub(self.in_flight());
        unsent > 0 && unsent.min(self.segment_bytes) > self.room()
    }

    /// Which window what waits has to wait for.
    pub(super) fn window_limit(&self, queued: usize) -> Option<Limit> {
        let unsent = u32::try_from(queued).unwrap_or(u32::MAX).saturating_sub(self.in_flight());
        let fits_offer = unsent.min(self.segment_bytes) <= self.offered.saturating_sub(self.in_flight());
        let limit = if fits_offer { Limit::CongestionWindow } else { Limit::ReceiveWindow };
        self.is_blocked(queued).then_some(limit)
    }

    /// What may be sent now.
    pub(super) fn room(&self) -> u32 {
        if self.ends.len() >= (self.shown_window / self.segment_bytes).max(1) as usize {
            return 0;
        }
        self.offered.min(self.whole_segments()).saturating_sub(self.in_flight())
    }

    /// The congestion window in whole segments, as Linux counts it.
    fn whole_segments(&self) -> u32 {
        self.shown_window / self.segment_bytes * self.segment_bytes
    }

    /// Whether a step of the window field may be more than what fits.
    pub(super) fn is_coarse(&self) -> bool {
        self.peer_shift > 0
    }

    /// The window field that smoltcp is to see; nothing where it sees that already. What is on its way is always within it:
    /// smoltcp does not repeat what is outside.
    pub(super) fn steer(&mut self, queued: usize, force: bool) -> Option<u16> {
        let field = self.field(queued, force, self.peer_shift);
        (std::mem::replace(&mut self.shown_field, field) != field).then_some(field)
    }

    fn field(&self, queued: usize, force: bool, shift: u8) -> u16 {
        if self.resent_to.is_some() {
            // What was on its way counts as lost. A segment stays whole, though a field says it in coarse steps.
            let window = self.offered.min(self.whole_segments()).div_ceil(1 << shift);
            return u16::try_from(window).unwrap_or(u16::MAX).max(1);
        }
        let room = if self.is_blocked(queued) && !force { 0 } else { self.room() };
        let in_flight = self.in_flight();
        // Of coarse steps one more is shown, so that the last segment that fits is whole; the peer offers whole steps.
        let window = match room {
            0 => (in_flight >> shift).max(u32::from(in_flight > 0)),
            room => (in_flight + room).div_ceil(1 << shift),
        };
        u16::try_from(window).unwrap_or(u16::MAX)
    }

    /// Whether a segment is what smoltcp sends into a closed window.
    pub(super) fn is_probe(&self, segment: &Segment) -> bool {
        segment.payload_bytes == 1
            && !segment.has(SYN)
            && segment.sequence == self.unacknowledged
            && self.in_flight() == 0
            && self.shown_field == 0
    }

    /// A segment leaves; true when it carries data for the first time.
    pub(super) fn leaves(&mut self, segment: &Segment) -> bool {
        if segment.has(SYN) {
            self.unacknowledged = segment.sequence;
            self.next = segment.end();
            return false;
        }
        if segment.payload_bytes == 0 && !segment.has(FIN) {
            return false;
        }
        let new = after(segment.end(), self.next);
        if segment.payload_bytes > 0 && segment.payload_bytes < self.segment_bytes {
            self.short_end = Some(segment.end());
        }
        if new {
            self.next = segment.end();
            self.ends.push_back(self.next);
        } else {
            self.retransmitted += 1;
            self.repeats(segment.end());
        }
        new && segment.payload_bytes > 0
    }

    /// An acknowledgement came; answers the window field that smoltcp is to see.
    pub(super) fn acknowledged(&mut self, segment: &Segment, queued: usize) -> u16 {
        let newly = segment.acknowledgment.wrapping_sub(self.unacknowledged);
        let mut queued = queued;
        if after(segment.acknowledgment, self.unacknowledged) && !after(segment.acknowledgment, self.next) {
            self.unacknowledged = segment.acknowledgment;
            self.duplicates = 0;
            while self.ends.front().is_some_and(|end| !after(*end, self.unacknowledged)) {
                self.ends.pop_front();
            }
            if self.recovery_end.is_some_and(|end| !after(end, self.unacknowledged)) {
                (self.recovery_end, self.resent_to) = (None, None);
            }
            self.has_hole = self.recovery_end.is_some() && self.resent_to.is_none();
            (self.fills_hole, self.is_repeated_fast) = (self.has_hole, false);
            let of_the_syn = u32::from(std::mem::take(&mut self.opening));
            self.grow(newly - of_the_syn);
            queued = queued.saturating_sub((newly - of_the_syn) as usize);
            self.shown_window = self.congestion_window;
        } else if segment.is_pure_ack() && segment.acknowledgment == self.unacknowledged {
            self.duplicates = self.duplicates.saturating_add(1);
            self.is_repeated_fast |= self.duplicates == DUPLICATES;
        }
        let shift = if segment.has(SYN) { 0 } else { self.peer_shift };
        self.offered = u32::from(segment.window) << shift;
        self.shown_field = self.field(queued, false, shift);
        self.shown_field
    }

    fn grow(&mut self, bytes: u32) {
        let grown = if self.congestion_window < self.slow_start_threshold {
            bytes.min(2 * self.segment_bytes)
        } else {
            (self.segment_bytes * self.segment_bytes / self.congestion_window.max(1)).max(1)
        };
        self.congestion_window = self.congestion_window.saturating_add(grown);
    }

    /// A segment goes out again: behind one that was repeated, because acknowledgements repeat, or after a time-out.
    fn repeats(&mut self, end: u32) {
        if std::mem::take(&mut self.fills_hole) {
            return;
        }
        if std::mem::take(&mut self.is_repeated_fast) {
            if self.recovery_end.is_none() {
                self.lost();
                self.congestion_window = self.slow_start_threshold;
            }
            return;
        }
        if self.resent_to.is_none_or(|resent_to| !after(end, resent_to)) {
            self.lost();
            self.congestion_window = self.segment_bytes;
            self.shown_window = self.congestion_window;
            self.has_timed_out = true;
        }
        self.resent_to = Some(end);
    }

    fn lost(&mut self) {
        let in_flight = self.next.wrapping_sub(self.unacknowledged);
        self.slow_start_threshold = (in_flight / 2).max(2 * self.segment_bytes);
        self.recovery_end = Some(self.next);
    }

    /// The window field that smoltcp saw last.
    pub(super) fn shown_field(&self) -> u16 {
        self.shown_field
    }

    /// Whether there was a time-out since somebody asked last, after which smoltcp has to see a smaller window.
    pub(super) fn take_time_out(&mut self) -> bool {
        std::mem::take(&mut self.has_timed_out)
    }

    /// Whether the last acknowledgement says that the segment behind a repeated one was lost as well, of which smoltcp knows nothing.
    pub(super) fn take_hole(&mut self) -> bool {
        std::mem::take(&mut self.has_hole)
    }
}
