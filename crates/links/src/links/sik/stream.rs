//! The bytes in the sender's buffer, message behind message, and the walk over the transmit windows that takes them
//! along. What a packet holds is decided when it is sent; so the walk goes no further than virtual time, and a message
//! that comes later still gets into the next packet.

use std::collections::VecDeque;

use units::Picoseconds;

use super::rounds::{Rounds, Window};
use super::timing::{MAX_DATA_BYTES, Room, STATISTICS_BYTES, Timing};

pub(super) const UART_IN: usize = 0;
const WAIT: usize = 1;
const EXCHANGE: usize = 2;
const AIR: usize = 3;
const AGAIN: usize = 4;
const UART_OUT: usize = 5;

/// A message on its way.
#[derive(Debug)]
struct Entry {
    id: u64,
    /// When its first bit comes in.
    started: i64,
    payload: i64,
    /// From its first delivery until the bit clock of the receiving radio's UART.
    bit_clock: i64,
    sent: i64,
    /// When its rest is given up.
    given_up: Option<i64>,
    /// Until when it is in which part.
    timeline: Vec<(usize, i64)>,
}

/// What is known of a message's next part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The part is not decided yet; this is when it is worth looking again.
    Open { look: i64 },
    /// The part lasts until then, and others follow.
    Part { part: usize, until: i64 },
    /// The last part lasts until then.
    Last { part: usize, until: i64 },
    /// The rest of the message never goes out; until then it waited.
    Lost { part: usize, until: i64 },
}

impl Entry {
    fn is_waiting(&self) -> bool {
        self.sent < self.payload && self.given_up.is_none()
    }

    fn arrived(&self, now: i64, timing: &Timing) -> i64 {
        ((now - self.started).max(0) / timing.byte_in).min(self.payload)
    }

    fn arrives_whole(&self, timing: &Timing) -> i64 {
        self.started + self.payload * timing.byte_in
    }

    /// Adds a part that lasts until then, where that is later than what came before.
    fn spend(&mut self, part: usize, until: i64) {
        if self.timeline.last().is_none_or(|&(_, before)| until > before) {
            self.timeline.push((part, until));
        }
    }
}

/// A window as far as the sender has got in it.
#[derive(Debug, Clone, Copy)]
struct InWindow {
    window: Window,
    /// When the sender decides what to send next.
    now: i64,
    /// Whether the sender has statistics to send, if it finds nothing better.
    statistics_due: bool,
    is_first: bool,
}

/// The sender's buffer and where its walk stands.
#[derive(Debug, Default)]
pub(super) struct Stream {
    entries: VecDeque<Entry>,
    /// The number of the window that the walk is in, or comes to next.
    number: i64,
    inside: Option<InWindow>,
    /// The bytes of the last packet while it may still go out again.
    last_packet: i64,
    /// Since when that packet has found no room for it, and what waits behind it.
    without_room_since: Option<i64>,
    /// When the receiving radio's UART has sent everything that it was given.
    output_ends: i64,
    /// When the sender's own window opened last.
    own_opened: i64,
    /// Up to when the walk was asked to go.
    time: i64,
}

impl Stream {
    pub(super) fn holds(&self, id: u64) -> bool {
        self.entries.iter().any(|entry| entry.id == id)
    }

    /// A message whose bytes come in from now on, or behind those of the one before.
    pub(super) fn add(
        &mut self,
        rounds: &Rounds<'_>,
        id: u64,
        now: Picoseconds,
        payload_bytes: u32,
        bit_clock: i64,
    ) {
        let now_ps = now.ps();
        let started = match self.entries.back() {
            Some(before) => now_ps.max(before.arrives_whole(rounds.timing())),
            None => {
                // An idle radio has nothing to send again.
                (self.number, self.inside) = (rounds.number(now), None);
                (self.last_packet, self.without_room_since) = (0, None);
                (self.output_ends, self.own_opened) = (0, i64::MIN);
                now_ps
            }
        };
        let payload = i64::from(payload_bytes);
        self.entries.push_back(Entry {
            id,
            started,
            payload,
            bit_clock,
            sent: 0,
            given_up: None,
            timeline: Vec::new(),
        });
    }

    /// Makes every decision up to a time.
    pub(super) fn advance(&mut self, rounds: &Rounds<'_>, until: i64) {
        self.time = until;
        // Messages are sent one after the other, the last one last.
        while self.entries.back().is_some_and(Entry::is_waiting) {
            let mut inside = self.inside.take().unwrap_or_else(|| self.enter(rounds));
            if inside.now > until {
                self.inside = Some(inside);
                return;
            }
            if self.decide(&mut inside, rounds.timing()) {
                self.inside = Some(inside);
            } else {
                self.number += 1;
            }
        }
    }

    /// When the sender decides next.
    fn next_decision(&self, rounds: &Rounds<'_>) -> i64 {
        match &self.inside {
            Some(inside) => inside.now,
            None => Self::decision_in(rounds.window(self.number), rounds.timing()).now,
        }
    }

    /// A part of a message's time, as far as it is decided.
    pub(super) fn step(&self, rounds: &Rounds<'_>, id: u64, index: usize) -> Step {
        let place = self
            .entries
            .iter()
            .position(|entry| entry.id == id)
            .expect("a message is added before it is asked for");
        let entry = &self.entries[place];
        match entry.timeline.get(index) {
            Some(&(part, until)) if entry.sent == entry.payload && index + 1 == entry.timeline.len() => {
                Step::Last { part, until }
            }
            Some(&(part, until)) => Step::Part { part, until },
            None => match entry.given_up {
                Some(until) => Step::Lost { part: WAIT, until },
                None => Step::Open { look: self.next_decision(rounds) + self.lead(place, rounds.timing()) },
            },
        }
    }

    /// What is in front of a message takes this long at least: it goes out in full packets at best.
    fn lead(&self, place: usize, timing: &Timing) -> i64 {
        let in_front = self.entries.range(..place).filter(|entry| entry.is_waiting());
        let bytes: i64 = in_front.map(|entry| entry.payload - entry.sent).sum();
        bytes / MAX_DATA_BYTES * timing.occupied(MAX_DATA_BYTES)
    }

    /// Until when a message was in which part, if it is delivered whole.
    pub(super) fn delivered(&mut self, id: u64) -> Option<Vec<(usize, i64)>> {
        let entry = self.entries.iter_mut().find(|entry| entry.id == id && entry.sent == entry.payload)?;
        Some(std::mem::take(&mut entry.timeline))
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.entries.retain(|entry| entry.id != id);
    }

    /// The messages that were there when the sender's own window opened last and still are not sent, and those whose
    /// first bit still waits for the UART.
    pub(super) fn backlog(&self, timing: &Timing) -> usize {
        let left = |entry: &&Entry| {
            let was_there = entry.arrives_whole(timing) < self.own_opened;
            entry.is_waiting() && (was_there || entry.started > self.time)
        };
        self.entries.iter().filter(left).count()
    }

    fn decision_in(window: Window, timing: &Timing) -> InWindow {
        let now = match window.own {
            true => window.opens,
            false => window.opens + timing.given_away(window.statistics),
        };
        InWindow { window, now, statistics_due: window.own && window.statistics, is_first: true }
    }

    fn enter(&mut self, rounds: &Rounds<'_>) -> InWindow {
        let window = rounds.window(self.number);
        if window.own {
            self.own_opened = window.opens;
        }
        Self::decision_in(window, rounds.timing())
    }

    /// What the sender does now; says whether it has another chance in this window.
    fn decide(&mut self, inside: &mut InWindow, timing: &Timing) -> bool {
        let now = inside.now;
        let waiting = self.waiting(now, timing);
        let room = match timing.room(inside.window.opens + timing.window - now) {
            Room::Bytes(bytes) => bytes,
            Room::After(wait) => {
                inside.now += wait;
                return true;
            }
            Room::None => return false,
        };
        if self.last_packet > 0 && timing.sends_again(waiting) {
            if self.last_packet > room {
                self.give_up_after(inside, timing);
                return Self::send_statistics(inside, room, timing);
            }
            inside.now += timing.occupied(self.last_packet);
            (self.last_packet, self.without_room_since) = (0, None);
            return true;
        }
        self.last_packet = 0;
        let bytes = waiting.min(room);
        if bytes == 0 {
            return Self::send_statistics(inside, room, timing);
        }
        self.send(bytes, inside, timing);
        inside.now += timing.occupied(bytes);
        inside.is_first = false;
        true
    }

    /// Where nothing else goes out, statistics that are due do; says whether they did.
    fn send_statistics(inside: &mut InWindow, room: i64, timing: &Timing) -> bool {
        let fits = inside.statistics_due && room >= STATISTICS_BYTES;
        if fits {
            inside.statistics_due = false;
            inside.now += timing.occupied(STATISTICS_BYTES);
        }
        fits
    }

    /// A packet that must go out again first keeps everything behind it until it finds room (`packet_get_next`). When the
    /// timers of both radios have run out meanwhile, it has tried each kind of window, and only more bytes would help.
    fn give_up_after(&mut self, inside: &InWindow, timing: &Timing) {
        let since = *self.without_room_since.get_or_insert(inside.now);
        if inside.now - since <= 2 * timing.statistics_period {
            return;
        }
        for entry in
            self.entries.iter_mut().filter(|entry| entry.is_waiting() && entry.arrives_whole(timing) < since)
        {
            entry.given_up = Some(inside.now);
        }
        self.without_room_since = Some(inside.now);
    }

    /// How many bytes wait for the air. Messages come in one behind the other, and more than a packet's are as good as
    /// more.
    fn waiting(&self, now: i64, timing: &Timing) -> i64 {
        let mut waiting = 0;
        for entry in self.entries.iter().filter(|entry| entry.is_waiting()) {
            let arrived = entry.arrived(now, timing) - entry.sent;
            waiting += arrived;
            if arrived == 0 || waiting >= MAX_DATA_BYTES {
                break;
            }
        }
        waiting
    }

    fn send(&mut self, bytes: i64, inside: &InWindow, timing: &Timing) {
        let delivered = inside.now + timing.delivered(bytes);
        let mut left = bytes;
        for entry in self.entries.iter_mut().filter(|entry| entry.is_waiting()) {
            let taken = left.min(entry.arrived(inside.now, timing) - entry.sent);
            if taken == 0 {
                break;
            }
            spend_until_sent(entry, inside, timing);
            entry.spend(AIR, delivered);
            let output_starts = self.output_ends.max(delivered + std::mem::take(&mut entry.bit_clock));
            self.output_ends = output_starts + taken * timing.byte_out;
            entry.sent += taken;
            left -= taken;
            if entry.sent == entry.payload {
                entry.spend(UART_OUT, self.output_ends);
            }
        }
        (self.last_packet, self.without_room_since) = (bytes, None);
    }
}

/// Says what the time was spent on before a packet was taken from the buffer.
fn spend_until_sent(entry: &mut Entry, inside: &InWindow, timing: &Timing) {
    if entry.timeline.is_empty() {
        entry.timeline.push((UART_IN, inside.now.min(entry.arrives_whole(timing))));
    }
    if inside.is_first {
        entry.spend(WAIT, inside.window.opens);
        entry.spend(EXCHANGE, inside.now);
    } else {
        entry.spend(AGAIN, inside.now);
    }
}
