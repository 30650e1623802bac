//! A connection, followed segment by segment: each silence gets the cause that its end betrays.
//!
//! A pure acknowledgement does not tell by itself whether somebody waited for it. Who did sends at once when it comes; else the
//! silence goes on.

use crate::end::{Brought, End};
use crate::segment::{Address, Segment};
use crate::silence::{Cause, Side, Silence};

/// Shorter silences are the work of both ends.
const SHORTEST_PS: i64 = 3_000_000_000;
/// Who waited for an acknowledgement sends so soon after it; to this comes the way back.
const AT_ONCE_PS: i64 = 3_000_000_000;

/// An acknowledgement whose use is not yet known.
#[derive(Debug, Clone, Copy)]
struct Awaited {
    /// Of whom.
    by: Side,
    from_ps: i64,
    at_ps: i64,
    cause: Cause,
}

/// A connection.
#[derive(Debug, Clone)]
pub struct Conversation {
    client: Address,
    peer: Address,
    ends: [End; 2],
    both_scale: bool,
    last_ps: Option<i64>,
    /// When the client asked for the connection, until it is open.
    asked_ps: Option<i64>,
    way_ps: Option<i64>,
    awaited: Option<Awaited>,
    last_data: Option<Side>,
    first_ps: Option<i64>,
    /// Time in which the client had nothing to send and waited for nothing.
    idle_ps: i64,
    blocked_ps: [i64; 2],
    opening_ps: i64,
    silences: Vec<Silence>,
}

impl Conversation {
    /// A connection between two ends, before its first segment.
    pub fn between(client: Address, peer: Address) -> Self {
        Self {
            client,
            peer,
            ends: [End::default(), End::default()],
            both_scale: false,
            last_ps: None,
            asked_ps: None,
            way_ps: None,
            awaited: None,
            last_data: None,
            first_ps: None,
            idle_ps: 0,
            blocked_ps: [0; 2],
            opening_ps: 0,
            silences: Vec::new(),
        }
    }

    /// Whose connection it is.
    pub const fn ends(&self) -> (Address, Address) {
        (self.client, self.peer)
    }

    /// The silences so far, in order.
    pub fn silences(&self) -> &[Silence] {
        &self.silences
    }

    /// From a segment to the peer to what it brings back at once; nothing where the opening was not recorded.
    pub const fn way_ps(&self) -> Option<i64> {
        self.way_ps
    }

    /// From the first segment to the last, without the time in which the client had nothing to ask.
    pub fn busy_ps(&self) -> i64 {
        (self.last_ps.unwrap_or(0) - self.first_ps.unwrap_or(0) - self.idle_ps).max(0)
    }

    /// The time that openings took.
    pub const fn opening_ps(&self) -> i64 {
        self.opening_ps
    }

    /// How long an end could not send a segment, because the other took no more.
    pub const fn blocked_ps(&self, side: Side) -> i64 {
        self.blocked_ps[side.place()]
    }

    /// How many segments an end sent again.
    pub const fn repeated(&self, side: Side) -> u64 {
        self.ends[side.place()].repeated
    }

    /// How many bytes an end sent.
    pub const fn sent_bytes(&self, side: Side) -> u64 {
        self.ends[side.place()].sent_bytes
    }

    /// The least and the most that an end offered to take.
    pub fn window(&self, side: Side) -> (u32, u32) {
        let end = &self.ends[side.place()];
        (end.least_window.unwrap_or(0), end.most_window)
    }

    /// Takes the next segment of the connection. One that was recorded earlier than the last one is taken to be as late: no stretch of
    /// time is counted twice, so that sums have room.
    pub fn take(&mut self, segment: &Segment) {
        let side = if segment.from == self.client { Side::Client } else { Side::Peer };
        let last = *self.last_ps.get_or_insert(segment.at_ps);
        let now = segment.at_ps.max(last);
        let segment = &Segment { at_ps: now, ..*segment };
        let segment = &Segment { at_ps: now, ..*segment };
        self.first_ps.get_or_insert(now);
        self.count_blocked(last, now);
        let before = self.ends.clone();
        let brought = self.ends[side.place()].sends(segment);
        self.open(side, segment);
        let is_heard =
            segment.acknowledgement.is_some_and(|number| self.ends[side.other().place()].hears(number));
        self.ends[side.place()].offers(segment, self.both_scale);
        if !self.settle(side, segment, brought) {
            let from = self.awaited.map_or(last, |awaited| awaited.from_ps);
            self.judge(side, segment, brought, is_heard, from, &before);
        }
        if segment.bytes > 0 {
            self.last_data = Some(side);
        }
        self.last_ps = Some(now);
    }

    fn count_blocked(&mut self, last: i64, now: i64) {
        for side in [Side::Client, Side::Peer] {
            let [end, other] = [&self.ends[side.place()], &self.ends[side.other().place()]];
            if end.under_way() > 0 && end.is_blocked_by(other) {
                self.blocked_ps[side.place()] += now - last;
            }
        }
    }

    fn open(&mut self, side: Side, segment: &Segment) {
        if !segment.syn {
            return;
        }
        match side {
            Side::Client => {
                self.asked_ps.get_or_insert(segment.at_ps);
                self.both_scale = segment.scale.is_some();
            }
            Side::Peer => {
                self.both_scale &= segment.scale.is_some();
                if let Some(asked) = self.asked_ps.take() {
                    self.opening_ps += segment.at_ps - asked;
                    let is_quickest = self.ends[0].repeated == 0;
                    self.way_ps = self.way_ps.or(is_quickest.then_some(segment.at_ps - asked));
                }
            }
        }
    }

    /// Whether the segment is what somebody sent who waited for the acknowledgement before.
    fn settle(&mut self, side: Side, segment: &Segment, brought: Brought) -> bool {
        let Some(awaited) = self.awaited else { return false };
        let soon = AT_ONCE_PS.saturating_add(self.way_ps.unwrap_or(0));
        let is_used = brought == Brought::New && side == awaited.by && segment.at_ps - awaited.at_ps <= soon;
        if is_used {
            self.awaited = None;
            self.push(awaited.from_ps, awaited.at_ps, awaited.cause, side);
        } else if segment.length() > 0 || segment.rst {
            // Judged from the beginning of the silence, which nobody's acknowledgement has ended.
            return false;
        }
        is_used
    }

    fn judge(
        &mut self,
        side: Side,
        segment: &Segment,
        brought: Brought,
        is_heard: bool,
        from: i64,
        before: &[End; 2],
    ) {
        let (now, other) = (segment.at_ps, side.other());
        match brought {
            Brought::Nothing => self.await_use(side, is_heard, from, now, before),
            Brought::Again => {
                self.awaited = None;
                let is_probe =
                    segment.bytes <= 1 && before[side.place()].is_blocked_by(&before[other.place()]);
                let cause = if is_probe { Cause::Window } else { Cause::Retransmission };
                self.push(from, now, cause, side);
            }
            Brought::New => {
                self.awaited = None;
                if segment.bytes == 0 {
                    return;
                }
                let is_own = self.last_data == Some(side);
                match side {
                    // Nobody but the client knows why it asks no sooner.
                    Side::Client => self.idle_ps += if before[0].under_way() == 0 { now - from } else { 0 },
                    Side::Peer if is_own => self.push(from, now, Cause::Pause, side),
                    Side::Peer => self.push(from, now, Cause::Answer, side),
                }
            }
        }
    }

    /// A segment without data: what the other end does next says whether it waited for it.
    fn await_use(&mut self, side: Side, is_heard: bool, from: i64, now: i64, before: &[End; 2]) {
        let by = side.other();
        let [sender, receiver] = [&before[by.place()], &before[side.place()]];
        let is_blocked = sender.is_blocked_by(receiver);
        if self.awaited.is_some() || (!is_heard && !is_blocked) || now - from < SHORTEST_PS {
            return;
        }
        let cause = if is_blocked {
            Cause::Window
        } else if sender.under_way() < sender.whole_segment(receiver) {
            Cause::Nagle
        } else {
            Cause::OneAtATime
        };
        self.awaited = Some(Awaited { by, from_ps: from, at_ps: now, cause });
    }

    fn push(&mut self, from_ps: i64, to_ps: i64, cause: Cause, side: Side) {
        if to_ps - from_ps >= SHORTEST_PS {
            self.silences.push(Silence { from_ps, to_ps, cause, side });
        }
    }
}
