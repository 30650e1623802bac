//! A hop on a cable: whatever takes time of its own between two ends and is modelled elsewhere, such as a Wi-Fi access
//! point between a board and the switch.

use std::any::Any;
use std::fmt::Debug;

use units::Picoseconds;

use crate::Direction;

/// A link model on a cable. Frames of both directions are given to it in the order in which they reach it, and the network
/// keeps that order within each direction, whatever it answers.
pub trait Hop: Any + Debug + Send {
    /// The last bit of a frame reached it at `at`: when the first one leaves; nothing where the frame is lost.
    fn pass(&mut self, at: Picoseconds, direction: Direction, frame_bytes: usize) -> Option<Picoseconds>;

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Hop>>;
}
