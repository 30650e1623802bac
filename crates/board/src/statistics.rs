//! Figures of the chip's own counting, by name: how they stand in a [`super::BoardRun`].

use std::collections::BTreeMap;

use rp2040::FACTS;

use super::Board;
use super::outcome::InterruptCount;

/// The exception number of interrupt line 0.
const FIRST_INTERRUPT: usize = 16;
const INTERRUPT_LINES: u8 = 32;

/// The name of a line of the NVIC; those above 25 only software pends.
pub(super) fn interrupt_name(line: u8) -> &'static str {
    FACTS.interrupts.get(usize::from(line)).copied().unwrap_or("software interrupt")
}

impl Board {
    /// Interrupts that were taken, the most frequent first.
    pub(super) fn interrupts(&self) -> Vec<InterruptCount> {
        let taken = |line: u8| {
            [0, 1].map(|core| self.chip.core(core).exceptions_of(FIRST_INTERRUPT + usize::from(line)))
        };
        let mut counts: Vec<InterruptCount> = (0..INTERRUPT_LINES)
            .map(|line| InterruptCount { line, name: interrupt_name(line), count: taken(line).iter().sum() })
            .filter(|entry| entry.count > 0)
            .collect();
        counts.sort_by_key(|entry| (std::cmp::Reverse(entry.count), entry.line));
        counts
    }

    pub(super) fn bus_counts(&mut self) -> BTreeMap<&'static str, u64> {
        let [first, second] = self.parts().passed();
        let counts = self.chip.bus_counts();
        BTreeMap::from([
            ("spi0_frames", first.spi_frames),
            ("spi1_frames", second.spi_frames),
            ("uart0_bytes", first.uart_bytes),
            ("uart1_bytes", second.uart_bytes),
            ("i2c0_bytes", first.i2c_bytes),
            ("i2c1_bytes", second.i2c_bytes),
            ("xip_accesses", counts.xip_accesses),
            ("xip_misses", counts.xip_misses),
            ("dma_transfers", counts.dma_transfers),
            ("bank_wait_cycles", counts.bank_wait_cycles),
        ])
    }

    pub(super) fn usb_console_is_there(&self) -> bool {
        self.chip.usb().host().serial_open(0)
    }
}
