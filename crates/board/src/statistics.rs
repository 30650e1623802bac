//! Figures of the chip's own counting, by name: how they stand in a [`super::BoardRun`].

use std::collections::BTreeMap;

use super::Board;
use super::outcome::InterruptCount;

impl Board {
    /// Interrupts that were taken, the most frequent first.
    pub(super) fn interrupts(&self) -> Vec<InterruptCount> {
        let facts = self.chip.facts();
        let all = self.chip.interrupts().into_iter();
        let mut counts: Vec<InterruptCount> = all
            .map(|(line, count)| InterruptCount { line, name: facts.interrupt_name(line), count })
            .filter(|entry| entry.count > 0)
            .collect();
        counts.sort_by_key(|entry| (std::cmp::Reverse(entry.count), entry.line));
        counts
    }

    pub(super) fn bus_counts(&mut self) -> BTreeMap<&'static str, u64> {
        let [first, second] = self.parts().passed();
        let of_parts = [
            ("spi0_frames", first.spi_frames),
            ("spi1_frames", second.spi_frames),
            ("spi0_sck_hz", first.spi_clock_hz),
            ("spi1_sck_hz", second.spi_clock_hz),
            ("uart0_bytes", first.uart_bytes),
            ("uart1_bytes", second.uart_bytes),
            ("i2c0_bytes", first.i2c_bytes),
            ("i2c1_bytes", second.i2c_bytes),
        ];
        of_parts.into_iter().chain(self.chip.memory_counts()).collect()
    }

    pub(super) fn usb_console_is_there(&self) -> bool {
        self.chip.usb().is_some_and(|usb| usb.serial_is_open())
    }
}
