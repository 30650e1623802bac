//! The bytes in the sender's buffer, message behind message, and the walk over the transmit windows that takes them
//! along. What a packet holds is decided when it is sent; so the walk goes no further than virtual time, and a message
//! that comes later still gets into the next packet.

use std::collections::VecDeque;

use units::Picoseconds;

use super::rounds::{Rounds, Window};
use super::timing::{STATISTICS_BYTES, Timing};

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
    /// Until when it is in which part.
    timeline: Vec<(usize, i64)>,
}

impl Entry {
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
    own_statistics: i64,
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
                (self.number, self.inside, self.last_packet) = (rounds.number(now), None, 0);
                (self.output_ends, self.own_opened) = (0, i64::MIN);
                now_ps
            }
        };
        let payload = i64::from(payload_bytes);
        self.entries.push_back(Entry { id, started, payload, bit_clock, sent: 0, timeline: Vec::new() });
    }

    /// Makes every decision up to a time.
    pub(super) fn advance(&mut self, rounds: &Rounds<'_>, until: i64) {
        self.time = until;
        while self.entries.iter().any(|entry| entry.sent < entry.payload) {
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
    pub(super) fn next_decision(&self, rounds: &Rounds<'_>) -> i64 {
        match &self.inside {
            Some(inside) => inside.now,
            None => Self::decision_in(rounds.window(self.number), rounds.timing()).now,
        }
    }

    /// The next part of a message's time and until when, and whether it is the last; nothing while that is open.
    pub(super) fn step(&self, id: u64, index: usize) -> Option<(usize, i64, bool)> {
        let entry = self.entries.iter().find(|entry| entry.id == id)?;
        let &(part, until) = entry.timeline.get(index)?;
        Some((part, until, entry.sent == entry.payload && index + 1 == entry.timeline.len()))
    }

    pub(super) fn timeline(&self, id: u64) -> &[(usize, i64)] {
        self.entries.iter().find(|entry| entry.id == id).map_or(&[], |entry| &entry.timeline)
    }

    pub(super) fn is_delivered(&self, id: u64) -> bool {
        self.entries.iter().any(|entry| entry.id == id && entry.sent == entry.payload)
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.entries.retain(|entry| entry.id != id);
    }

    /// The messages that were there when the sender's own window opened last and still are not sent, and those whose
    /// first bit still waits for the UART.
    pub(super) fn backlog(&self, timing: &Timing) -> usize {
        let left = |entry: &&Entry| {
            let was_there = entry.arrives_whole(timing) < self.own_opened;
            entry.sent < entry.payload && (was_there || entry.started > self.time)
        };
        self.entries.iter().filter(left).count()
    }

    fn decision_in(window: Window, timing: &Timing) -> InWindow {
        let statistics = if window.statistics { timing.occupied(STATISTICS_BYTES) } else { 0 };
        let now = match window.own {
            true => window.opens,
            false => window.opens + statistics + timing.delivered(0),
        };
        InWindow { window, now, own_statistics: if window.own { statistics } else { 0 }, is_first: true }
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
        let waiting: i64 = self.entries.iter().map(|entry| entry.arrived(now, timing) - entry.sent).sum();
        let Some(room) = timing.room(inside.window.opens + timing.window - now) else { return false };
        if self.last_packet > 0 && timing.sends_again(waiting) {
            if self.last_packet > room {
                return false;
            }
            inside.now += timing.occupied(self.last_packet);
            self.last_packet = 0;
            return true;
        }
        self.last_packet = 0;
        let bytes = waiting.min(room);
        if bytes > 0 {
            self.send(bytes, inside, timing);
            inside.now += timing.occupied(bytes);
            inside.is_first = false;
        } else if inside.own_statistics > 0 {
            inside.now += std::mem::take(&mut inside.own_statistics);
        } else {
            return false;
        }
        true
    }

    fn send(&mut self, bytes: i64, inside: &InWindow, timing: &Timing) {
        let delivered = inside.now + timing.delivered(bytes);
        let mut left = bytes;
        for entry in self.entries.iter_mut().filter(|entry| entry.sent < entry.payload) {
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
        self.last_packet = bytes;
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
