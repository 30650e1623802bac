//! What the cores wait for, while somebody wants to know: their sleeps, each with what ended it, their looks at a UART that
//! could not take more, and those of core 0 at a clock. Nothing of it changes a run.

use mcu::{ClockWaits, Slept};
use units::Picoseconds;

use crate::bus::block::Block;
use crate::peripherals::timer;

/// What is kept; later entries are left out.
const MOST_KEPT: usize = 1 << 20;
/// SYST_CSR and SYST_CVR: whether SysTick has come round, and its count (RP2040 datasheet 2.4.8).
const SYSTICK: [u32; 2] = [0xe000_e010, 0xe000_e018];

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pub(crate) sleeps: Vec<Slept>,
    pub(crate) full_uart: Vec<Picoseconds>,
    pub(crate) at_clock: ClockWaits,
}

impl Waits {
    /// What ended since the last call.
    pub(crate) fn take(&mut self) -> mcu::Waits {
        mcu::Waits {
            sleeps: std::mem::take(&mut self.sleeps),
            full_uart: std::mem::take(&mut self.full_uart),
            at_uart: Vec::new(),
            at_clock: self.at_clock.take(),
        }
    }

    pub(crate) fn slept(&mut self, slept: Slept) {
        if slept.core == 0 {
            self.at_clock.act();
        }
        if self.sleeps.len() < MOST_KEPT {
            self.sleeps.push(slept);
        }
    }

    /// Core 0 accesses something that is no memory, in an interrupt's handler or not.
    pub(crate) fn accesses(&mut self, address: u32, at: Picoseconds, hz: u64, handles: bool) {
        match () {
            () if handles => self.at_clock.handle(at),
            () if is_of_a_clock(address) => self.at_clock.look(at, hz),
            () => self.at_clock.act(),
        }
    }

    pub(crate) fn saw_full_uart(&mut self, at: Picoseconds) {
        if self.full_uart.len() < MOST_KEPT {
            self.full_uart.push(at);
        }
    }
}

fn is_of_a_clock(address: u32) -> bool {
    SYSTICK.contains(&address)
        || address >> 28 == 4
            && Block::on_apb(address) == Some(Block::Timer)
            && timer::shows_count(address & 0xffc)
}
