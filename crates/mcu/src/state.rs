//! The state of a chip, to go back to, to branch from, or to keep in a file. Its form is the chip's own: bytes, and a value
//! that only the chip can look into.

use std::any::Any;

use crate::Mcu;

/// Copies, and states for files.
pub trait State {
    /// A copy in the same state, with what stands around it; nothing when something of that cannot be copied. A copy can
    /// always be copied again.
    fn copy(&self) -> Option<Box<dyn Mcu>>;

    /// The state for a file: all but what stands around the chip, its boot ROM, and whatever a debugger set.
    fn state(&self) -> Vec<u8>;

    /// Reads what [`Self::state`] gave from the front of `bytes`: the state, and the bytes behind it. Nothing when it is
    /// damaged.
    fn read_state<'a>(&self, bytes: &'a [u8]) -> Option<(Box<dyn Any>, &'a [u8])>;

    /// Goes on in a state that [`Self::read_state`] gave, with what stands around this chip.
    ///
    /// # Panics
    /// When it is the state of a chip of another kind.
    fn take_state(&mut self, state: Box<dyn Any>);
}
