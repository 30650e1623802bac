//! The receiver on a line from another board: characters from the changes of a level, each bit sampled in its middle. It
//! starts with a falling edge that still is low half a bit later, and a stop bit that is low is a framing error, or a break
//! where all before it was low too (Arm PrimeCell UART PL011, DDI 0183, 2.4 and 3.3.1). Then it waits for a high level and
//! the next start bit.
//!
//! Nothing that is on the line shows in the chip before the character's stop bit is over. So the line need not be known up
//! to the present: the receiver says up to when the chip may run with what is known ([`Seen::Unknown`]). A line on which
//! nothing is under way is not needed before the middle of a stop bit, less one bit, of a character that would begin just
//! then.
//!
//! Left out: that start bits are found with a sixteenth of a bit, and that the chip has a character half a bit earlier, when
//! its stop bit has been sampled.

use std::collections::VecDeque;

use mcu::Edge;
use units::{PS_PER_S, Picoseconds};

use super::line::Format;
use super::registers::{DR_BE, DR_FE, DR_PE};

/// Characters are received in this way from a time on, or not at all.
type Since = (Picoseconds, Option<Reception>);

/// How characters are received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reception {
    pub(super) format: Format,
    /// Of the clock, in 1/64: a bit has 16 times as many cycles.
    pub(super) divider: u32,
    pub(super) hz: u64,
}

impl Reception {
    fn half_bits(&self, count: u32) -> Picoseconds {
        let ps = u128::from(count) * u128::from(self.divider) * PS_PER_S as u128 / (8 * u128::from(self.hz));
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 4))
    }

    /// From the beginning of a character to the middle of its stop bit.
    fn time_of_stop_sample(&self) -> Picoseconds {
        self.half_bits(2 * self.format.bits_before_stop() + 1)
    }
}

/// What can be said of the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is there.
    Character {
        /// When its stop bit is sampled.
        sampled: Picoseconds,
        /// When its stop bit is over.
        whole: Picoseconds,
        /// As UARTDR has it, with its errors.
        word: u16,
    },
    /// The chip may run up to this time; then more of the line has to be known.
    Unknown(Picoseconds),
    /// The receiver is off.
    Nothing,
}

/// The end of a line.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    pub(super) pin: u8,
    /// Characters that came while the pin was another function's.
    pub(super) unheard: u64,
    /// The level before the first of the edges.
    level: bool,
    /// In the order of time.
    edges: VecDeque<(Picoseconds, bool)>,
    /// Up to and including this time the edges are all that there are.
    known_to: Picoseconds,
    /// Characters begin after this time.
    idle_from: Picoseconds,
    receptions: VecDeque<Since>,
}

impl Receiver {
    /// The end of a line that was idle until now, at a pin.
    pub(super) fn new(pin: u8, at: Picoseconds, reception: Option<Reception>) -> Self {
        let receptions = VecDeque::from([(at, reception)]);
        let before = Picoseconds::new(at.ps() - 1);
        let edges = VecDeque::new();
        Self { pin, unheard: 0, level: true, edges, known_to: before, idle_from: before, receptions }
    }

    /// Characters that begin from now on are received like that.
    pub(super) fn set(&mut self, at: Picoseconds, reception: Option<Reception>) {
        let last = self.receptions.back_mut().expect("there is always one");
        if last.1 == reception {
            return;
        }
        if last.0 >= at {
            last.1 = reception;
        } else {
            self.receptions.push_back((at, reception));
        }
    }

    /// More is known of the line.
    pub(super) fn hear(&mut self, edges: &[Edge], known_to: Picoseconds) {
        self.edges.extend(edges.iter().map(|edge| (edge.at, edge.level)));
        self.known_to = self.known_to.max(known_to);
        if self.edges.is_empty() {
            self.forget(self.known_to);
        }
    }

    /// A character was received, whose stop bit was sampled then.
    pub(super) fn take(&mut self, sampled: Picoseconds) {
        self.forget(sampled);
    }

    fn forget(&mut self, to: Picoseconds) {
        self.idle_from = self.idle_from.max(to);
        let passed = self.edges.partition_point(|(at, _)| *at <= to);
        if let Some((_, level)) = self.edges.drain(..passed).next_back() {
            self.level = level;
        }
        while self.receptions.get(1).is_some_and(|(since, _)| *since <= to) {
            self.receptions.pop_front();
        }
    }

    fn reception_at(&self, at: Picoseconds) -> Option<Reception> {
        let valid = self.receptions.iter().rev().find(|(since, _)| *since <= at);
        valid.or(self.receptions.front()).and_then(|(_, reception)| *reception)
    }

    fn level_at(&self, at: Picoseconds) -> bool {
        self.edges.iter().take_while(|(edge, _)| *edge <= at).last().map_or(self.level, |(_, level)| *level)
    }

    /// What comes next on the line.
    pub(super) fn look(&self) -> Seen {
        let (mut level, mut from) = (self.level, self.idle_from);
        for &(at, now) in &self.edges {
            let falls = std::mem::replace(&mut level, now) && !now;
            if !falls || at <= from {
                continue;
            }
            let Some(reception) = self.reception_at(at) else { continue };
            if at + reception.time_of_stop_sample() > self.known_to {
                return Seen::Unknown(at + reception.time_of_stop_sample());
            }
            let middle = at + reception.half_bits(1);
            if self.level_at(middle) {
                // No start bit, but a glitch.
                from = middle;
                continue;
            }
            return self.character(at, reception);
        }
        self.needed_at().map_or(Seen::Nothing, Seen::Unknown)
    }

    fn character(&self, start: Picoseconds, reception: Reception) -> Seen {
        let format = reception.format;
        let stop = format.bits_before_stop();
        let level = |bit: u32| self.level_at(start + reception.half_bits(2 * bit + 1));
        let byte = (0..format.word_bits()).fold(0, |byte, bit| byte | u8::from(level(1 + bit)) << bit);
        let has_stop = level(stop);
        let is_right = format.parity_bit(byte).is_none_or(|parity| parity == level(stop - 1));
        let errors = match (has_stop, (1..stop).any(level)) {
            (false, false) => DR_BE | DR_FE,
            (has_stop, _) => (if has_stop { 0 } else { DR_FE }) | (if is_right { 0 } else { DR_PE }),
        };
        Seen::Character {
            sampled: start + reception.time_of_stop_sample(),
            whole: start + reception.half_bits(2 * stop + 2),
            word: u16::from(byte) | errors as u16,
        }
    }

    /// When more has to be known of a line on which nothing is under way.
    fn needed_at(&self) -> Option<Picoseconds> {
        let earliest = |&(since, reception): &Since| {
            reception.map(|one| since.max(self.known_to) + one.time_of_stop_sample() - one.half_bits(2))
        };
        self.receptions.iter().filter_map(earliest).min()
    }
}

#[cfg(test)]
#[path = "receiver_tests.rs"]
mod tests;
