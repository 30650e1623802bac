//! Frames on their way out of the PC, each with the moment when the card has it.

use std::collections::VecDeque;

use units::Picoseconds;

use super::neighbours::Neighbours;
use crate::Frame;

/// Frames that wait for the wire; more are dropped and counted.
const MOST_FRAMES: usize = 65_536;

/// The way out.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) neighbours: Neighbours,
    send_time: Picoseconds,
    waiting: VecDeque<(Picoseconds, Frame)>,
    /// Frames that found the way out full.
    dropped: u64,
}

impl Output {
    pub(super) fn new(send_time: Picoseconds, neighbours: Neighbours) -> Self {
        Self { neighbours, send_time, waiting: VecDeque::new(), dropped: 0 }
    }

    /// Sends a packet once its neighbour is known; the frame's Ethernet addresses are filled in.
    pub(super) fn send_packet(&mut self, now: Picoseconds, frame: Vec<u8>) {
        if let Some(frame) = self.neighbours.address(now, frame) {
            self.send(now, frame);
        }
    }

    /// Sends a frame as it is.
    pub(super) fn send(&mut self, now: Picoseconds, frame: Vec<u8>) {
        if self.waiting.len() >= MOST_FRAMES {
            self.dropped += 1;
            return;
        }
        self.waiting.push_back((now + self.send_time, Frame::new(frame)));
    }

    /// Asks for neighbours again where it is time; answers the frames that were given up.
    pub(super) fn advance(&mut self, now: Picoseconds) -> Vec<Vec<u8>> {
        let (requests, lost) = self.neighbours.advance(now);
        requests.into_iter().for_each(|request| self.send(now, request));
        lost
    }

    /// When the next frame leaves.
    pub(super) fn next(&self) -> Option<Picoseconds> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// The next frame that has left by `now`.
    pub(super) fn take(&mut self, now: Picoseconds) -> Option<Frame> {
        if self.next()? > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, frame)| frame)
    }

    /// Frames that found the way out full, or waited for a neighbour too long.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped + self.neighbours.dropped
    }
}
