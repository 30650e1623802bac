//! Whatever has its own Ethernet port inside a network.

use std::any::Any;
use std::fmt::Debug;

use units::Picoseconds;

use crate::{Frame, Speed};

/// A station: a state machine with an Ethernet port. Its network serialises what it sends.
pub trait Station: Any + Debug + Send {
    /// A frame is here: its last bit arrived at `at`. Only intact ones are told.
    fn receive(&mut self, at: Picoseconds, frame: &Frame);

    /// When something happens in it of its own accord.
    fn next_event(&self) -> Option<Picoseconds>;

    /// Lets everything happen that is due up to and including `at`.
    fn advance(&mut self, at: Picoseconds);

    /// The next frame that it wants to send now.
    fn take_frame(&mut self) -> Option<Frame>;

    /// Its cable was plugged in (with the speed that was agreed) or pulled.
    fn link_changed(&mut self, at: Picoseconds, link: Option<Speed>);

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Station>>;
}
