//! What the connections of a recording waited for, in figures.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::Ipv4Addr;

use crate::conversation::Conversation;
use crate::file::{PacketsError, read};
use crate::link::Link;
use crate::segment::{Address, Segment};
use crate::silence::{Cause, Side, Silence};

/// More connections than this at a time are not followed: the oldest is told first and forgotten.
const MOST_CONVERSATIONS: usize = 1 << 16;

/// All silences of one cause and side.
#[derive(Debug, Clone, PartialEq)]
pub struct Waits {
    /// What they were spent on.
    pub cause: Cause,
    /// Who waited, sent again, answered or paused.
    pub side: Side,
    /// How long each was, in the order of the recording.
    pub lengths_ps: Vec<i64>,
    /// Of the time in which connections were busy.
    pub share: f64,
}

/// The figures of a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Connections.
    pub connections: usize,
    /// TCP segments.
    pub segments: usize,
    /// Without the time in which clients had nothing to ask.
    pub busy_ps: i64,
    /// The shortest way there and back, by the openings.
    pub way_ps: Option<i64>,
    /// By cause, the longest in all first.
    pub waits: Vec<Waits>,
    /// Of the client and of the peer: the share of the time in which it could not send because the other took no more.
    pub blocked_share: [f64; 2],
    /// The least and the most that each offered to take.
    pub window: [(u32, u32); 2],
    /// Bytes that each sent.
    pub sent_bytes: [u64; 2],
    /// Segments that each sent again.
    pub repeated: [u64; 2],
}

/// Reads a recording and follows its connections to or from an address, or all.
///
/// # Errors
/// When the file is no recording, or is broken, or nothing is known of what stands in front of IP in all of its packets.
pub fn report(file: impl Read, of: Option<Ipv4Addr>) -> Result<Report, PacketsError> {
    let mut found = Report::default();
    let mut open: BTreeMap<(Address, Address), Conversation> = BTreeMap::new();
    let mut all: Vec<Silence> = Vec::new();
    let mut totals = Totals::default();
    let (mut unknown, mut is_any_known) = (None, false);
    read(file, |packet| {
        match packet.link {
            Link::Other(number) => unknown = Some(number),
            _ => is_any_known = true,
        }
        let Some(segment) = Segment::of(&packet) else { return };
        if of.is_some_and(|address| segment.from.0 != address && segment.to.0 != address) {
            return;
        }
        found.segments += 1;
        let key = (segment.from.min(segment.to), segment.from.max(segment.to));
        let asks = segment.syn && segment.acknowledgement.is_none();
        let is_known =
            open.get(&key).is_some_and(|known| !asks || known.busy_ps() == 0 || known.way_ps().is_none());
        if !is_known {
            let ended = if open.len() >= MOST_CONVERSATIONS {
                open.pop_first().map(|(_, old)| old)
            } else {
                open.remove(&key)
            };
            ended.iter().for_each(|old| totals.add(&mut found, &mut all, old));
            let (client, peer) = roles(&segment, of);
            open.insert(key, Conversation::between(client, peer));
        }
        if let Some(conversation) = open.get_mut(&key) {
            conversation.take(&segment);
        }
    })?;
    if let (Some(number), false) = (unknown, is_any_known) {
        return Err(PacketsError::OtherLink(number));
    }
    open.values().for_each(|last| totals.add(&mut found, &mut all, last));
    totals.finish(&mut found, all);
    Ok(found)
}

/// Who asked, and who was asked: by the opening, else the address that is looked at was asked.
fn roles(first: &Segment, of: Option<Ipv4Addr>) -> (Address, Address) {
    let is_answer = first.syn && first.acknowledgement.is_some();
    let from_peer = is_answer || (!first.syn && of == Some(first.from.0));
    if from_peer { (first.to, first.from) } else { (first.from, first.to) }
}

#[derive(Debug, Default)]
struct Totals {
    blocked_ps: [i64; 2],
    opening_ps: Vec<i64>,
}

impl Totals {
    fn add(&mut self, found: &mut Report, all: &mut Vec<Silence>, one: &Conversation) {
        found.connections += 1;
        // Of all connections together there may be more than a recording is long.
        found.busy_ps = found.busy_ps.saturating_add(one.busy_ps());
        found.way_ps = match (found.way_ps, one.way_ps()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        if one.opening_ps() > 0 {
            self.opening_ps.push(one.opening_ps());
        }
        for side in [Side::Client, Side::Peer] {
            let place = side.place();
            self.blocked_ps[place] = self.blocked_ps[place].saturating_add(one.blocked_ps(side));
            found.sent_bytes[place] += one.sent_bytes(side);
            found.repeated[place] += one.repeated(side);
            let ((least, most), window) = (one.window(side), &mut found.window[place]);
            *window = (if window.1 == 0 { least } else { window.0.min(least) }, window.1.max(most));
        }
        all.extend_from_slice(one.silences());
    }

    fn finish(self, found: &mut Report, all: Vec<Silence>) {
        let busy = found.busy_ps.max(1) as f64;
        found.blocked_share = self.blocked_ps.map(|ps| (ps as f64 / busy).min(1.0));
        let mut groups: BTreeMap<(Cause, Side), Vec<i64>> = BTreeMap::new();
        for silence in all {
            groups.entry((silence.cause, silence.side)).or_default().push(silence.length_ps());
        }
        if !self.opening_ps.is_empty() {
            groups.insert((Cause::Opening, Side::Client), self.opening_ps);
        }
        let waits = groups.into_iter().map(|((cause, side), lengths_ps)| {
            let share = (lengths_ps.iter().map(|&ps| ps as f64).sum::<f64>() / busy).min(1.0);
            Waits { cause, side, lengths_ps, share }
        });
        found.waits = waits.collect();
        found.waits.sort_by(|a, b| b.share.total_cmp(&a.share));
    }
}
