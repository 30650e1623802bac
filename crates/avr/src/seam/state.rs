//! States of an AVR: copies, and bytes for a file.

use std::any::Any;

use mcu::Mcu;

use crate::chip::{Avr, State};
use crate::io::Devices;

impl mcu::State for Avr {
    fn copy(&self) -> Option<Box<dyn Mcu>> {
        Some(Box::new(self.branch()?))
    }

    fn state(&self) -> Vec<u8> {
        postcard::to_stdvec(&(&self.state, &self.io.devices)).expect("a state of plain data can be written")
    }

    fn read_state<'a>(&self, bytes: &'a [u8]) -> Option<(Box<dyn Any>, &'a [u8])> {
        let (state, rest) = postcard::take_from_bytes::<(State, Devices)>(bytes).ok()?;
        self.fits(&state.0, &state.1).then(|| (Box::new(state) as Box<dyn Any>, rest))
    }

    fn take_state(&mut self, state: Box<dyn Any>) {
        let state = state.downcast::<(State, Devices)>().expect("a state comes from a chip of the same kind");
        self.take(state.0, state.1);
    }
}
