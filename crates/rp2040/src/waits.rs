//! What the cores wait for, while somebody wants to know: their sleeps, each with what ended it, their looks at a UART that
//! could not take more or had not sent all, and those of core 0 at a clock. Nothing of it changes a run.

use mcu::{ClockWaits, Slept};
use units::Picoseconds;

use crate::bus::block::Block;
use crate::peripherals::timer;
use crate::peripherals::uart::Transmitter;

/// What is kept; later entries are left out.
const MOST_KEPT: usize = 1 << 20;
/// A loop that looks at nothing but a UART comes round in less.
const LONGEST_LOOP: Picoseconds = Picoseconds::new(2 * units::PS_PER_US);
/// SYST_CSR and SYST_CVR: whether SysTick has come round, and its count (RP2040 datasheet 2.4.8).
const SYSTICK: [u32; 2] = [0xe000_e010, 0xe000_e018];

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    pub(crate) sleeps: Vec<Slept>,
    pub(crate) full_uart: Vec<Picoseconds>,
    /// The last look of core 0, at a UART that had not sent all.
    busy_look: Option<Picoseconds>,
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
        if !is_of_a_uart(address) {
            self.busy_look = None;
        }
        match () {
            () if handles => self.at_clock.handle(at),
            () if is_of_a_clock(address) => self.at_clock.look(at, hz),
            () => self.at_clock.act(),
        }
    }

    /// The thread of core 0 went on looking at these registers in turn, up to a time.
    pub(crate) fn looks_on(&mut self, addresses: &[u32], until: Picoseconds) {
        if addresses.iter().all(|&address| is_of_a_clock(address)) {
            self.at_clock.look_on(until);
        }
    }

    /// A core looks at what a UART's transmitter does. A program that only wants room looks once before each byte; one that waits
    /// until all is sent, such as the `stdio_flush` of the Pico SDK, does nothing else between two looks.
    pub(crate) fn saw_transmitter(&mut self, transmitter: Transmitter, at: Picoseconds) {
        let before = self.busy_look.take().filter(|before| at - *before <= LONGEST_LOOP);
        match transmitter {
            Transmitter::Full => self.saw_full_uart(at),
            Transmitter::Busy => {
                if let Some(before) = before {
                    if self.full_uart.last() != Some(&before) {
                        self.saw_full_uart(before);
                    }
                    self.saw_full_uart(at);
                }
                self.busy_look = Some(at);
            }
            Transmitter::Idle => {}
        }
    }

    /// A core writes to a UART.
    pub(crate) fn wrote_to_uart(&mut self) {
        self.busy_look = None;
    }

    fn saw_full_uart(&mut self, at: Picoseconds) {
        if self.full_uart.len() < MOST_KEPT {
            self.full_uart.push(at);
        }
    }
}

fn is_of_a_uart(address: u32) -> bool {
    matches!(Block::on_apb(address).filter(|_| address >> 28 == 4), Some(Block::Uart(_)))
}

fn is_of_a_clock(address: u32) -> bool {
    SYSTICK.contains(&address)
        || address >> 28 == 4
            && Block::on_apb(address) == Some(Block::Timer)
            && timer::shows_count(address & 0xffc)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: u32 = 0x4003_4018;
    const SPI: u32 = 0x4003_c008;

    fn us(count: i64) -> Picoseconds {
        Picoseconds::new(count * units::PS_PER_US)
    }

    fn look(waits: &mut Waits, transmitter: Transmitter, at: Picoseconds) {
        waits.accesses(FLAGS, at, 125_000_000, false);
        waits.saw_transmitter(transmitter, at);
    }

    #[test]
    fn a_core_that_looks_again_and_again_until_all_is_sent_waits() {
        let mut waits = Waits::default();
        (10..14).for_each(|at| look(&mut waits, Transmitter::Busy, us(at)));
        look(&mut waits, Transmitter::Idle, us(14));
        assert_eq!(waits.full_uart, [10, 11, 12, 13].map(us));
    }

    #[test]
    fn one_look_before_each_byte_is_no_wait_although_the_byte_before_is_on_its_way() {
        let mut waits = Waits::default();
        for at in 10..14 {
            look(&mut waits, Transmitter::Busy, us(at));
            waits.wrote_to_uart();
        }
        assert!(waits.full_uart.is_empty());
        look(&mut waits, Transmitter::Full, us(14));
        assert_eq!(waits.full_uart, [us(14)]);
    }

    #[test]
    fn looks_between_which_something_else_is_done_are_no_wait_until_all_is_sent() {
        let mut waits = Waits::default();
        for at in 10..14 {
            look(&mut waits, Transmitter::Busy, us(at));
            waits.accesses(SPI, us(at), 125_000_000, false);
        }
        look(&mut waits, Transmitter::Busy, us(20));
        look(&mut waits, Transmitter::Busy, us(30));
        assert!(waits.full_uart.is_empty());
    }
}
