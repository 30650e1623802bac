//! What the cores wait for, while somebody wants to know: their sleeps, each with what ended it, and their looks at a UART that
//! could not take more. Nothing of it changes a run.

use mcu::Slept;
use units::Picoseconds;

/// What is kept; later entries are left out.
const MOST_KEPT: usize = 1 << 20;

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pub(crate) sleeps: Vec<Slept>,
    pub(crate) full_uart: Vec<Picoseconds>,
}

impl Waits {
    pub(crate) fn slept(&mut self, slept: Slept) {
        if self.sleeps.len() < MOST_KEPT {
            self.sleeps.push(slept);
        }
    }

    pub(crate) fn saw_full_uart(&mut self, at: Picoseconds) {
        if self.full_uart.len() < MOST_KEPT {
            self.full_uart.push(at);
        }
    }
}
