//! A hop between cables: whatever takes time of its own between two ends and is modelled elsewhere, such as the channel of a
//! Wi-Fi access point. Several cables may share one: each is a member.

use std::any::Any;
use std::fmt::Debug;

use units::Picoseconds;

use crate::Direction;

/// A hop of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HopId(pub(crate) usize);

/// A frame that a hop let go, or lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HopPassed {
    /// The number that it was offered by.
    pub ticket: u64,
    /// When its first bit leaves; nothing where it is lost.
    pub leaves: Option<Picoseconds>,
    /// From when to when it was kept there, because its receiver dozed.
    pub kept: Option<(Picoseconds, Picoseconds)>,
}

/// A link model on cables. Frames are given to it in the order in which they reach it. The network keeps the order in which it
/// lets the frames of one direction of a cable go.
pub trait Hop: Any + Debug + Send {
    /// The last bit of a frame from the cable of a member reached it at `at`; false where it is lost at once.
    fn offer(
        &mut self,
        at: Picoseconds,
        member: usize,
        direction: Direction,
        frame_bytes: usize,
        ticket: u64,
    ) -> bool;

    /// When something happens in it.
    fn next_event(&self) -> Option<Picoseconds>;

    /// Lets everything happen that is due up to and including `at`.
    fn advance(&mut self, at: Picoseconds);

    /// The next frame that it is done with; each that was offered comes once.
    fn take(&mut self) -> Option<HopPassed>;

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Hop>>;
}
