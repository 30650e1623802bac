//! A cable and its two directions. Full duplex: each direction has a wire of its own.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::impairment::Process;
use crate::{LaneCounters, Speed};

/// A cable between a port or a station and the switch.
#[derive(Debug, Clone)]
pub struct Cable {
    /// Its speed.
    pub speed: Speed,
    /// How long a bit travels.
    pub propagation: Picoseconds,
}

impl Cable {
    /// A cable of no length.
    pub const fn new(speed: Speed) -> Self {
        Self { speed, propagation: Picoseconds::ZERO }
    }
}

/// Which way a frame travels, as seen by the port or station whose cable it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the port or station.
    Outbound,
    /// To the port or station.
    Inbound,
}

/// What is at one end of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    End(usize),
    Switch,
    /// A cable that another took the place of.
    Nothing,
}

/// Where a cable is tapped, and the number of the tap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CableTap {
    pub(crate) number: usize,
    pub(crate) side: usize,
}

/// A cable in use.
#[derive(Debug, Clone)]
pub(crate) struct CableState {
    pub(crate) cable: Cable,
    pub(crate) plugged: bool,
    /// The speeds that its sides have agreed to, where they have said so.
    agreed: [Option<Speed>; 2],
    /// How often it was pulled: what entered before is lost.
    pub(crate) pulls: u32,
    pub(crate) tap: Option<CableTap>,
    /// The hop on it, and which of its members it is.
    pub(crate) hop: Option<(usize, usize)>,
    /// What is at its sides.
    pub(crate) terminals: [Terminal; 2],
    /// Whether what is there is told of a frame by its first bit.
    pub(crate) hears_bits: [bool; 2],
    /// Its directions, each named by the side that sends.
    pub(crate) lanes: [Lane; 2],
}

impl CableState {
    pub(crate) fn new(cable: Cable, queue_frames: [usize; 2]) -> Self {
        Self {
            cable,
            plugged: true,
            agreed: [None; 2],
            pulls: 0,
            tap: None,
            hop: None,
            terminals: [Terminal::Switch; 2],
            hears_bits: [false; 2],
            lanes: queue_frames.map(Lane::new),
        }
    }

    /// The speed of what is on the cable: its own, or a slower one that a side has agreed to.
    pub(crate) fn speed(&self) -> Speed {
        self.agreed.into_iter().flatten().fold(self.cable.speed, Speed::min)
    }

    /// A side has agreed to a speed with the other end, or has no link.
    pub(crate) fn agree(&mut self, side: usize, speed: Option<Speed>) {
        self.agreed[side] = speed;
    }

    /// Loses what is on the cable.
    pub(crate) fn cut(&mut self) {
        self.pulls = self.pulls.wrapping_add(1);
        self.lanes.iter_mut().for_each(Lane::clear);
    }
}

/// One direction of a cable.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    pub(crate) counters: LaneCounters,
    /// How many frames may wait for the wire.
    pub(crate) queue_frames: usize,
    /// When each waiting frame is on the wire.
    waiting: VecDeque<Picoseconds>,
    /// When the wire is free.
    free: Picoseconds,
    pub(crate) process: Option<Box<Process>>,
    /// Frames that impairments hold.
    pub(crate) inside_frames: u64,
    /// When the last frame in order leaves the impairments.
    pub(crate) last_leave: Picoseconds,
    /// Frames that the hop has.
    pub(crate) hop_frames: u32,
    last_hop: Picoseconds,
    /// When the last piece of wire is free.
    pub(crate) far_free: Picoseconds,
}

impl Lane {
    fn new(queue_frames: usize) -> Self {
        Self {
            counters: LaneCounters::default(),
            queue_frames,
            waiting: VecDeque::new(),
            free: Picoseconds::ZERO,
            process: None,
            inside_frames: 0,
            last_leave: Picoseconds::ZERO,
            hop_frames: 0,
            last_hop: Picoseconds::ZERO,
            far_free: Picoseconds::ZERO,
        }
    }

    /// Takes the wire for so long; says from when.
    pub(crate) fn occupy(&mut self, earliest: Picoseconds, length: Picoseconds) -> Picoseconds {
        let start = earliest.max(self.free);
        self.free = start + length;
        self.waiting.push_back(start);
        start
    }

    /// How many frames have yet to begin.
    pub(crate) fn waiting_frames(&mut self, now: Picoseconds) -> usize {
        while self.waiting.front().is_some_and(|&start| start <= now) {
            self.waiting.pop_front();
        }
        self.waiting.len()
    }

    /// When half of the frames that wait will have begun.
    pub(crate) fn half_begun(&self) -> Option<Picoseconds> {
        self.waiting.get(self.waiting.len() / 2).copied()
    }

    /// A frame leaves the hop at a time, but not before the one ahead of it; says when.
    pub(crate) fn leave_hop(&mut self, at: Picoseconds) -> Picoseconds {
        self.last_hop = self.last_hop.max(at);
        self.last_hop
    }

    fn clear(&mut self) {
        self.waiting.clear();
        self.hop_frames = 0;
        self.inside_frames = 0;
        for time in [&mut self.free, &mut self.last_leave, &mut self.last_hop, &mut self.far_free] {
            *time = Picoseconds::ZERO;
        }
    }
}
