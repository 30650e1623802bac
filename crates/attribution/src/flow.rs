//! A bulk transfer over TCP as its sender has it: when what it sent next did not fit the window yet, how much was under way, and
//! how long an acknowledgement took. All of it follows from the segments that passed the sender's end of the way.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::spans::Span;
use lan::TracedFrame;
use lan::segment::{ACK, SYN, segment_of};

/// A segment at one end of its way.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    from_board: bool,
    at_board: bool,
    start: Picoseconds,
    end: Picoseconds,
    ports: [u8; 4],
    sequence: u32,
    acknowledgement: u32,
    window: u16,
    flags: u8,
    shift: Option<u8>,
    payload_bytes: u32,
}

impl Seen {
    /// The segment in a frame; nothing where that carries none.
    pub fn of(frame: &TracedFrame) -> Option<Self> {
        let segment = segment_of(&frame.bytes)?;
        Some(Self {
            from_board: frame.from_board,
            at_board: frame.at_board,
            start: frame.start,
            end: frame.end,
            ports: segment.ports,
            sequence: segment.sequence,
            acknowledgement: segment.acknowledgement,
            window: segment.window,
            flags: segment.flags,
            shift: segment.window_shift(),
            payload_bytes: segment.payload.len() as u32,
        })
    }

    /// When its sender has begun with it, or it has arrived.
    fn at(&self, from_board: bool) -> Picoseconds {
        if self.from_board == from_board { self.start } else { self.end }
    }

    fn segment_end(&self) -> u32 {
        self.sequence.wrapping_add(self.payload_bytes).wrapping_add(u32::from(self.flags & SYN != 0))
    }
}

/// How long a segment was under way until its acknowledgement came.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundTrip {
    /// When that came.
    pub(super) at: Picoseconds,
    pub(super) time: Picoseconds,
    pub(super) bytes: u32,
}

/// A transfer.
#[derive(Debug, Default)]
pub struct Transfer {
    /// The PC's port, and the board's.
    pub(super) ports: (u16, u16),
    /// When what the sender sent next did not fit the window.
    pub(super) full: Vec<Span>,
    /// When something was not acknowledged.
    pub(super) outstanding: Vec<Span>,
    /// What the receiver offered, and when.
    pub(super) offers: Vec<(Picoseconds, u32)>,
    /// What was not acknowledged after each segment that was sent.
    pub(super) under_way: Vec<(Picoseconds, u32)>,
    pub(super) round_trips: Vec<RoundTrip>,
    /// When segments were sent again.
    pub(super) repeated: Vec<Picoseconds>,
    /// The payload of the longest segment.
    pub(super) segment_bytes: u32,
}

/// The transfer of the connection that carried the most in a direction; nothing where none carried any.
pub fn transfer(seen: &[Seen], from_board: bool) -> Option<Transfer> {
    let mut carried: BTreeMap<[u8; 4], u64> = BTreeMap::new();
    let at_sender = || seen.iter().filter(|one| one.at_board == from_board);
    for one in at_sender().filter(|one| one.from_board == from_board && one.payload_bytes > 0) {
        *carried.entry(one.ports).or_default() += u64::from(one.payload_bytes);
    }
    let ports = *carried.iter().max_by_key(|(_, bytes)| **bytes)?.0;
    let reversed = [ports[2], ports[3], ports[0], ports[1]];
    let of_it = |one: &&Seen| one.ports == if one.from_board == from_board { ports } else { reversed };
    let mut own: Vec<Seen> = at_sender().filter(of_it).copied().collect();
    own.sort_by_key(|one| one.at(from_board));
    let mut sender = Sender::default();
    for one in &own {
        if one.from_board == from_board { sender.sends(one) } else { sender.hears(one) }
    }
    if let (false, Some(last)) = (sender.unacknowledged.is_empty(), own.last()) {
        sender.found.outstanding.push((sender.since, last.end));
    }
    let [own_port, other] = [[ports[0], ports[1]], [ports[2], ports[3]]].map(u16::from_be_bytes);
    sender.found.ports = if from_board { (other, own_port) } else { (own_port, other) };
    Some(sender.found)
}

/// The sender's state while its segments are gone through.
#[derive(Default)]
struct Sender {
    found: Transfer,
    own_shift: Option<u8>,
    /// Of the receiver's windows.
    shift: u8,
    next: u32,
    acknowledged: u32,
    /// Up to where the window reaches.
    edge: u32,
    /// The last segment with something new, while it is the last; with the edges that were heard of since.
    last: Option<Seen>,
    edge_then: u32,
    edges: Vec<(Picoseconds, u32)>,
    unacknowledged: VecDeque<(u32, Picoseconds, u32)>,
    since: Picoseconds,
}

impl Sender {
    fn sends(&mut self, one: &Seen) {
        if one.flags & SYN != 0 {
            self.own_shift = one.shift;
            (self.next, self.acknowledged, self.edge) =
                (one.segment_end(), one.segment_end(), one.segment_end());
            return;
        }
        if one.payload_bytes == 0 {
            return;
        }
        if !is_after(one.segment_end(), self.next) {
            self.found.repeated.push(one.start);
            return;
        }
        if let Some(last) = self.last {
            self.found.full.extend(self.was_full(&last, one));
        }
        if self.unacknowledged.is_empty() {
            self.since = one.start;
        }
        self.next = one.segment_end();
        self.unacknowledged.push_back((self.next, one.start, one.payload_bytes));
        self.found.under_way.push((one.start, self.next.wrapping_sub(self.acknowledged)));
        self.found.segment_bytes = self.found.segment_bytes.max(one.payload_bytes);
        (self.last, self.edge_then) = (Some(*one), self.edge);
        self.edges.clear();
    }

    /// From one segment to the point where the next one fits, unless it fitted before the line was free again.
    fn was_full(&self, last: &Seen, next: &Seen) -> Option<Span> {
        let fits = |edge: u32| !is_after(next.segment_end(), edge);
        let opened = self.edges.iter().find(|(_, edge)| fits(*edge)).map_or(next.start, |(at, _)| *at);
        (!fits(self.edge_then) && opened > last.end).then_some((last.start, opened))
    }

    fn hears(&mut self, one: &Seen) {
        if one.flags & SYN != 0 {
            // Both have to offer it (RFC 7323, 2.2), and of who sends first it is not known yet whether the other one will.
            self.shift = one.shift.unwrap_or(0);
        }
        if one.flags & ACK == 0 {
            return;
        }
        let scaled = one.flags & SYN == 0 && self.own_shift.is_some();
        let window = u32::from(one.window) << if scaled { self.shift } else { 0 };
        self.found.offers.push((one.end, window));
        self.edge = one.acknowledgement.wrapping_add(window);
        self.edges.push((one.end, self.edge));
        if !is_after(one.acknowledgement, self.acknowledged) {
            return;
        }
        self.acknowledged = one.acknowledgement;
        while let Some(&(end, start, bytes)) = self.unacknowledged.front() {
            if is_after(end, self.acknowledged) {
                break;
            }
            self.unacknowledged.pop_front();
            self.found.round_trips.push(RoundTrip { at: one.end, time: one.end - start, bytes });
            if self.unacknowledged.is_empty() {
                self.found.outstanding.push((self.since, one.end));
            }
        }
    }
}

/// Sequence numbers wrap: what is ahead by less than half of them is later (RFC 9293, 3.4).
fn is_after(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() > 0
}

#[cfg(test)]
mod tests {
    use units::PS_PER_US;

    use super::*;

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn seen(us: i64, from_board: bool, sequence: u32, payload_bytes: u32) -> Seen {
        let ports = if from_board { [0, 9, 0, 80] } else { [0, 80, 0, 9] };
        let (flags, window) = (ACK, 0);
        Seen {
            from_board,
            at_board: false,
            start: at(us),
            end: at(us + 5),
            ports,
            sequence,
            acknowledgement: 0,
            window,
            flags,
            shift: None,
            payload_bytes,
        }
    }

    fn opened(us: i64) -> Seen {
        Seen { flags: SYN, ..seen(us, false, u32::MAX - 1000, 0) }
    }

    fn acknowledges(us: i64, acknowledgement: u32, window: u16) -> Seen {
        Seen { acknowledgement, window, ..seen(us, true, 0, 0) }
    }

    #[test]
    fn a_window_of_two_segments_is_full_until_the_acknowledgement_has_come() {
        let first = u32::MAX - 999;
        let after = |bytes: u32| first.wrapping_add(bytes);
        let found = transfer(
            &[
                opened(0),
                acknowledges(10, first, 2000),
                seen(20, false, first, 1000),
                seen(30, false, after(1000), 1000),
                acknowledges(500, after(2000), 2000),
                seen(505, false, after(2000), 1000),
                seen(515, false, after(3000), 1000),
                acknowledges(900, after(4000), 3000),
                seen(1200, false, after(4000), 1000),
            ],
            false,
        )
        .unwrap();
        assert_eq!(found.full, [(at(30), at(505)), (at(515), at(905))], "from 905 on the sender had room");
        assert_eq!(found.outstanding, [(at(20), at(505)), (at(505), at(905)), (at(1200), at(1205))]);
        assert_eq!(found.round_trips.iter().map(|one| one.time).max(), Some(at(485)));
        assert_eq!(found.under_way.iter().map(|one| one.1).max(), Some(2000));
        assert_eq!((found.ports, found.segment_bytes), ((80, 9), 1000));
    }

    #[test]
    fn windows_are_scaled_where_both_offer_it() {
        let offered = |own: Option<u8>, theirs: Option<u8>| {
            let opening = Seen { shift: own, ..opened(0) };
            let agreed = Seen { flags: SYN | ACK, shift: theirs, ..acknowledges(5, 0, 100) };
            let data = seen(20, false, u32::MAX - 999, 10);
            let found = transfer(&[opening, agreed, acknowledges(30, 0, 100), data], false).unwrap();
            found.offers.iter().map(|one| one.1).collect::<Vec<u32>>()
        };
        assert_eq!(offered(Some(7), Some(2)), [100, 400]);
        assert_eq!(offered(Some(7), None), [100, 100]);
        assert_eq!(offered(None, Some(2)), [100, 100]);
    }

    #[test]
    fn a_segment_that_comes_again_is_counted_and_changes_nothing() {
        let first = u32::MAX - 999;
        let segments = [opened(0), seen(20, false, first, 1000), seen(99, false, first, 1000)];
        let found = transfer(&segments, false).unwrap();
        assert_eq!(found.repeated, [at(99)]);
        assert_eq!(found.under_way.len(), 1);
    }

    #[test]
    fn without_payload_there_is_no_transfer() {
        assert!(transfer(&[opened(0), acknowledges(9, 1, 100)], false).is_none());
    }
}
