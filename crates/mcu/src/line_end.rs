//! The end of a serial line, whichever UART is at it: frames from changes of level, each bit sampled in its middle. A falling edge
//! that is still low half a bit later is a start bit. After a frame the next one begins with a falling edge.
//!
//! Nothing of a frame shows in a chip before its stop bit is over. So the line need not be known up to the present: its end says
//! how far the chip may run with what is known ([`Next::Unknown`]). Where nothing is under way that is up to a frame that would
//! begin just now.
//!
//! Left out: that start bits are found with a sixteenth of a bit, and what a UART makes of the bits of a frame.

use std::collections::VecDeque;
use std::fmt::Debug;

use units::Picoseconds;

use crate::Edge;

/// How a UART receives frames.
pub trait Reception: Copy + PartialEq + Debug {
    /// So many halves of a bit.
    fn half_bits(&self, count: u32) -> Picoseconds;

    /// The start bit, the data bits and a parity bit, of at most 15 in all.
    fn bits_before_stop(&self) -> u32;

    /// How far the chip may be ahead of where it is told to stop.
    fn margin(&self) -> Picoseconds {
        Picoseconds::ZERO
    }

    /// From the beginning of a frame to the middle of its stop bit.
    fn until_stop_sample(&self) -> Picoseconds {
        self.half_bits(2 * self.bits_before_stop() + 1)
    }

    /// From the beginning of a frame to the end of its stop bit.
    fn whole(&self) -> Picoseconds {
        self.half_bits(2 * self.bits_before_stop() + 2)
    }
}

/// What can be said of the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next<R> {
    /// It is there.
    Frame(Frame<R>),
    /// The chip may run up to this time; then more of the line has to be known.
    Unknown(Picoseconds),
    /// The UART does not receive.
    Nothing,
}

/// A frame as it was sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<R> {
    /// When its stop bit was sampled.
    pub sampled: Picoseconds,
    /// When its stop bit is over.
    pub whole: Picoseconds,
    /// Its bits, the start bit lowest and the stop bit highest.
    pub bits: u16,
    /// How it was received.
    pub reception: R,
}

/// The end of a line.
#[derive(Debug, Clone)]
pub struct LineEnd<R> {
    /// The level before the first of the edges.
    level: bool,
    /// In the order of time.
    edges: VecDeque<(Picoseconds, bool)>,
    /// Up to and including this time the edges are all that there are.
    known_to: Picoseconds,
    /// Frames begin after this time.
    idle_from: Picoseconds,
    /// How frames are received that begin from a time on, or that they are not; the last one for good.
    receptions: VecDeque<(Picoseconds, Option<R>)>,
}

impl<R: Reception> LineEnd<R> {
    /// The end of a line that was idle until now.
    pub fn new(at: Picoseconds, reception: Option<R>) -> Self {
        let before = Picoseconds::new(at.ps() - 1);
        let receptions = VecDeque::from([(at, reception)]);
        Self { level: true, edges: VecDeque::new(), known_to: before, idle_from: before, receptions }
    }

    /// Frames that begin from now on are received like that.
    pub fn set(&mut self, at: Picoseconds, reception: Option<R>) {
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
    pub fn hear(&mut self, edges: &[Edge], known_to: Picoseconds) {
        self.edges.extend(edges.iter().map(|edge| (edge.at, edge.level)));
        self.known_to = self.known_to.max(known_to);
        if self.edges.is_empty() {
            self.take(self.known_to);
        }
    }

    /// A frame was received, whose stop bit was sampled then.
    pub fn take(&mut self, sampled: Picoseconds) {
        self.idle_from = self.idle_from.max(sampled);
        let passed = self.edges.partition_point(|(at, _)| *at <= sampled);
        if let Some((_, level)) = self.edges.drain(..passed).next_back() {
            self.level = level;
        }
        while self.receptions.get(1).is_some_and(|(since, _)| *since <= sampled) {
            self.receptions.pop_front();
        }
    }

    /// What comes next on the line.
    pub fn look(&self) -> Next<R> {
        let (mut level, mut from) = (self.level, self.idle_from);
        for &(at, now) in &self.edges {
            let falls = std::mem::replace(&mut level, now) && !now;
            if !falls || at <= from {
                continue;
            }
            let Some(reception) = self.reception_at(at) else { continue };
            let sampled = at + reception.until_stop_sample();
            if sampled > self.known_to {
                return Next::Unknown(sampled - reception.margin());
            }
            let middle = at + reception.half_bits(1);
            if self.level_at(middle) {
                // No start bit, but a glitch.
                from = middle;
                continue;
            }
            return Next::Frame(self.frame(at, reception));
        }
        self.needed_at().map_or(Next::Nothing, Next::Unknown)
    }

    fn frame(&self, start: Picoseconds, reception: R) -> Frame<R> {
        let stop = reception.bits_before_stop();
        let level = |bit: u32| self.level_at(start + reception.half_bits(2 * bit + 1));
        Frame {
            sampled: start + reception.until_stop_sample(),
            whole: start + reception.half_bits(2 * stop + 2),
            bits: (0..=stop).fold(0, |bits, bit| bits | u16::from(level(bit)) << bit),
            reception,
        }
    }

    fn reception_at(&self, at: Picoseconds) -> Option<R> {
        let valid = self.receptions.iter().rev().find(|(since, _)| *since <= at);
        valid.or(self.receptions.front()).and_then(|(_, reception)| *reception)
    }

    fn level_at(&self, at: Picoseconds) -> bool {
        self.edges.iter().take_while(|(edge, _)| *edge <= at).last().map_or(self.level, |(_, level)| *level)
    }

    /// When more has to be known of a line on which nothing is under way.
    fn needed_at(&self) -> Option<Picoseconds> {
        let earliest = |&(since, reception): &(Picoseconds, Option<R>)| {
            reception.map(|one| {
                since.max(self.known_to) + one.until_stop_sample() - one.half_bits(2) - one.margin()
            })
        };
        self.receptions.iter().filter_map(earliest).min()
    }
}

impl<R> Frame<R> {
    /// The level of a bit, of which the start bit is the first.
    pub fn bit(&self, number: u32) -> bool {
        self.bits >> number & 1 == 1
    }

    /// So many bits from the first data bit on.
    pub fn data(&self, count: u32) -> u16 {
        self.bits >> 1 & !(u16::MAX << count)
    }
}
