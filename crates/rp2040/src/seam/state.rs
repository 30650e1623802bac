//! States of the RP2040: copies, and bytes for a file.

use std::any::Any;

use mcu::Mcu;

use crate::chip::{self, Rp2040};

impl mcu::State for Rp2040 {
    fn copy(&self) -> Option<Box<dyn Mcu>> {
        Some(Box::new(self.branch()?))
    }

    fn state(&self) -> Vec<u8> {
        postcard::to_stdvec(&Rp2040::state(self)).expect("a state of plain data can be written")
    }

    fn read_state<'a>(&self, bytes: &'a [u8]) -> Option<(Box<dyn Any>, &'a [u8])> {
        let (state, rest) = postcard::take_from_bytes::<chip::State>(bytes).ok()?;
        Some((Box::new(state), rest))
    }

    fn take_state(&mut self, state: Box<dyn Any>) {
        let state = state.downcast().expect("a state comes from a chip of the same kind");
        Rp2040::take_state(self, *state);
    }
}
