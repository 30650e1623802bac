//! What a connection has sent and how much more it may: an initial congestion window of ten segments (RFC 6928), slow
//! start and halving after a loss (RFC 5681), and Nagle's algorithm as Linux has it (Minshall's variant: only a short
//! segment that is not acknowledged holds back another short one). smoltcp starts with 2 KB and knows neither; it is
//! steered through the window that it sees. After a time-out smoltcp sends its whole window again, not one segment.

use super::segment::{FIN, SYN, Segment, after};

/// RFC 6928.
const INITIAL_WINDOW_SEGMENTS: u32 = 10;

/// Acknowledgements that say nothing new before a segment counts as lost (RFC 5681).
const DUPLICATES: u32 = 3;

/// The sending half of a connection, as seen on the wire.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    unacknowledged: u32,
    next: u32,
    short_end: Option<u32>,
    segment_bytes: u32,
    peer_shift: u8,
    congestion_window: u32,
    /// The congestion window as smoltcp sees it: it stays the same while acknowledgements repeat, because smoltcp counts only
    /// those whose window stays the same.
    shown_window: u32,
    /// What the peer offered last, within the congestion window.
    window: u32,
    slow_start_threshold: u32,
    duplicates: u32,
    /// The SYN is not acknowledged yet.
    opening: bool,
    /// Losses up to here are one.
    recovery_end: Option<u32>,
    /// Segments with data that were sent again.
    pub(super) retransmitted: u64,
}

impl Sender {
    pub(super) fn new() -> Self {
        Self {
            unacknowledged: 0,
            next: 0,
            short_end: None,
            segment_bytes: 536,
            peer_shift: 0,
            congestion_window: u32::MAX,
            shown_window: u32::MAX,
            window: 0,
            slow_start_threshold: u32::MAX,
            duplicates: 0,
            opening: true,
            recovery_end: None,
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
        bytes == 0 || bytes < self.window as usize
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
        } else {
            self.retransmitted += 1;
            self.lost();
        }
        new && segment.payload_bytes > 0
    }

    /// An acknowledgement came; answers the window field that smoltcp is to see.
    pub(super) fn acknowledged(&mut self, segment: &Segment) -> u16 {
        let newly = segment.acknowledgment.wrapping_sub(self.unacknowledged);
        if after(segment.acknowledgment, self.unacknowledged) && !after(segment.acknowledgment, self.next) {
            self.unacknowledged = segment.acknowledgment;
            self.duplicates = 0;
            if self.recovery_end.is_some_and(|end| !after(end, self.unacknowledged)) {
                self.recovery_end = None;
            }
            let of_the_syn = u32::from(std::mem::take(&mut self.opening));
            self.grow(newly - of_the_syn);
            self.shown_window = self.congestion_window;
        } else if segment.is_pure_ack() && segment.acknowledgment == self.unacknowledged {
            self.duplicates = self.duplicates.saturating_add(1);
        }
        let shift = if segment.has(SYN) { 0 } else { self.peer_shift };
        let offered = u32::from(segment.window) << shift;
        self.window = offered.min(self.shown_window);
        (self.window >> shift) as u16
    }

    fn grow(&mut self, bytes: u32) {
        let grown = if self.congestion_window < self.slow_start_threshold {
            bytes.min(2 * self.segment_bytes)
        } else {
            (self.segment_bytes * self.segment_bytes / self.congestion_window.max(1)).max(1)
        };
        self.congestion_window = self.congestion_window.saturating_add(grown);
    }

    fn lost(&mut self) {
        if self.recovery_end.is_some_and(|end| after(end, self.unacknowledged)) {
            return;
        }
        let in_flight = self.next.wrapping_sub(self.unacknowledged);
        self.slow_start_threshold = (in_flight / 2).max(2 * self.segment_bytes);
        self.congestion_window =
            if self.duplicates >= DUPLICATES { self.slow_start_threshold } else { self.segment_bytes };
        self.recovery_end = Some(self.next);
    }
}
