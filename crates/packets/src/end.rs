//! One end of a connection as the packets show it: what it has sent, what of that was acknowledged, and what it takes.

use crate::segment::Segment;

/// The segment size where an opening does not say another (RFC 9293, 3.7.1).
const USUAL_SEGMENT: u32 = 536;

/// An end.
#[derive(Debug, Clone, Default)]
pub(crate) struct End {
    /// Behind the last byte that it sent; nothing before its first segment.
    pub(crate) next: Option<u32>,
    /// The first byte that was not acknowledged.
    pub(crate) acknowledged: Option<u32>,
    /// How much it takes behind what it acknowledged, once it said so.
    window: Option<u32>,
    scale: u8,
    /// Whether both ends said a scale; else neither counts.
    scales: bool,
    segment_size: Option<u32>,
    /// The longest segment that it sent.
    longest: u32,
    /// The least window that it offered after its opening, in bytes, and the most.
    pub(crate) least_window: Option<u32>,
    pub(crate) most_window: u32,
    pub(crate) sent_bytes: u64,
    pub(crate) repeated: u64,
}

/// What a segment brought of its sender's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Brought {
    /// No data.
    Nothing,
    /// Data that was not sent before.
    New,
    /// Data that was sent before.
    Again,
}

impl End {
    /// Takes a segment that it sent.
    pub(crate) fn sends(&mut self, segment: &Segment) -> Brought {
        if segment.syn {
            self.segment_size = segment.segment_size.map(u32::from);
            self.scale = segment.scale.unwrap_or(0);
        }
        let end = segment.sequence.wrapping_add(segment.length());
        let Some(next) = self.next else {
            self.next = Some(end);
            self.acknowledged = Some(segment.sequence);
            return if segment.length() == 0 { Brought::Nothing } else { Brought::New };
        };
        self.longest = self.longest.max(segment.bytes);
        if segment.length() == 0 {
            return Brought::Nothing;
        }
        if is_behind(end, next) {
            self.next = Some(end);
            self.sent_bytes += u64::from(segment.bytes);
            return Brought::New;
        }
        self.repeated += 1;
        Brought::Again
    }

    /// Says what it takes, by a segment that it sent.
    pub(crate) fn offers(&mut self, segment: &Segment, both_scale: bool) {
        self.scales = both_scale;
        let scale = if segment.syn || !both_scale { 0 } else { self.scale };
        let window = u32::from(segment.window) << scale;
        self.window = Some(window);
        if !segment.syn && !segment.rst {
            self.least_window = Some(self.least_window.map_or(window, |least| least.min(window)));
            self.most_window = self.most_window.max(window);
        }
    }

    /// Hears an acknowledgement; whether it was for something new.
    pub(crate) fn hears(&mut self, acknowledgement: u32) -> bool {
        let is_new = self.acknowledged.is_some_and(|acknowledged| is_behind(acknowledgement, acknowledged));
        if is_new {
            self.acknowledged = Some(acknowledgement);
        }
        is_new
    }

    /// What it sent and nobody acknowledged.
    pub(crate) fn under_way(&self) -> u32 {
        match (self.next, self.acknowledged) {
            (Some(next), Some(acknowledged)) if is_behind(next, acknowledged) => {
                next.wrapping_sub(acknowledged)
            }
            _ => 0,
        }
    }

    /// The most that it puts into a segment, where the other end takes segments of a size.
    pub(crate) fn whole_segment(&self, other: &Self) -> u32 {
        let told = other.segment_size.unwrap_or(USUAL_SEGMENT);
        // Options such as time stamps take room from each segment.
        if self.longest > 0 && self.longest + 40 >= told { self.longest.min(told) } else { told }
    }

    /// Whether it can send no whole segment more to an end that takes what it said.
    pub(crate) fn is_blocked_by(&self, other: &Self) -> bool {
        let Some(window) = other.window else { return false };
        let whole = self.whole_segment(other);
        let room = window.saturating_sub(self.under_way());
        // A window that never holds a segment is full when anything is under way.
        room < whole.min(window.div_ceil(2).max(1))
    }
}

/// Whether a number of a sequence stands behind another (RFC 9293, 3.4).
fn is_behind(a: u32, b: u32) -> bool {
    a != b && a.wrapping_sub(b) < 1 << 31
}
