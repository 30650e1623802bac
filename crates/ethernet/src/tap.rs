//! Taps: a copy of each frame that passes one end of a cable, with the time of its first bit there, until it is taken.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::{Direction, Marks};

/// Frames that wait to be taken; what comes while there are so many is counted and left out.
const TAPPED_FRAMES: usize = 16_384;

/// A tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TapId(pub(crate) usize);

/// A frame at a tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tapped {
    /// Where.
    pub tap: TapId,
    /// The first bit of its preamble was there at this time; one that was lost on the way there has the time of its loss.
    pub at: Picoseconds,
    /// Which way it went, as seen by the port or station of the tap.
    pub direction: Direction,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its check sequence is right.
    pub intact: bool,
    /// What was done to it up to there.
    pub marks: Marks,
}

impl Marks {
    /// What was done, as words for a comment.
    pub fn words(&self) -> Vec<&'static str> {
        let marks = [
            (self.corrupted, "one bit flipped by impairment (corrupt)"),
            (self.bit_errors, "wrong check sequence by impairment (bit_errors)"),
            (self.duplicated, "a copy follows by impairment (duplicate)"),
            (self.copy, "a copy by impairment (duplicate)"),
            (self.reordered, "held back by impairment (reorder)"),
        ];
        let done = marks.into_iter().filter(|(done, _)| *done).map(|(_, words)| words);
        done.chain(self.lost.map(|reason| reason.words())).collect()
    }
}

/// What taps saw.
#[derive(Debug, Clone, Default)]
pub(crate) struct TapLog {
    waiting: VecDeque<Tapped>,
    pub(crate) left_out: u64,
}

impl TapLog {
    pub(crate) fn push(&mut self, tapped: Tapped) {
        if self.waiting.len() >= TAPPED_FRAMES {
            self.left_out += 1;
            return;
        }
        self.waiting.push_back(tapped);
    }

    pub(crate) fn pop(&mut self) -> Option<Tapped> {
        self.waiting.pop_front()
    }
}
