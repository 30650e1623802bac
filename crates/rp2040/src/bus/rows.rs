//! Rows of words that one channel of the DMA moves between memories, without a pause and without anybody else's turn between: each
//! is made at one go, and nothing follows from it but that the next one is due.

use crate::bus::Bus;
use crate::bus::dma::{DMA_MASTER, MOST_IN_ONE_GO, is_far_from_end};
use crate::memory::{self, SRAM_BASE};
use crate::peripherals::Source;
use crate::peripherals::dma::Row;

/// Fewer are made one by one.
const FEWEST_IN_A_ROW: u32 = 9;
/// The striped banks.
const BANKS: usize = 4;

impl Bus {
    /// Makes the row that is due; false, before anything has happened, where a transfer is more than a word that moves.
    #[inline]
    pub(super) fn move_due_row(&mut self) -> bool {
        let now = self.io.now.max(self.io.next_wake());
        let Some(row) = self.blocks.dma.due_row(MOST_IN_ONE_GO, now, self.io.clocks.sys_hz) else {
            return false;
        };
        if row.words < FEWEST_IN_A_ROW || !self.is_plain(&row) {
            return false;
        }
        self.io.now = now;
        self.flow = None;
        self.blocks.dma.begin_row(now);
        let waits = if self.shares_memory { self.contend_for_row(&row) } else { 0 };
        self.sram.move_words((row.read, row.read_step), (row.write, row.write_step), row.words);
        self.dma_transfers += u64::from(row.words);
        let due = self.blocks.dma.end_row(&row, waits);
        self.io.wake_at(Source::Dma, due);
        self.settle();
        true
    }

    /// Whether all words of a row lie within the striped banks, nobody counts accesses, and no code is where they go.
    fn is_plain(&self, row: &Row) -> bool {
        let end = |address: u32, step: u32| address.wrapping_add(step * (row.words - 1));
        let (last_read, last_write) = (end(row.read, row.read_step), end(row.write, row.write_step));
        is_far_from_end(row.read)
            && is_far_from_end(row.write)
            && memory::is_striped(row.read)
            && memory::is_striped(last_read)
            && memory::is_striped(row.write)
            && memory::is_striped(last_write)
            && !self.sram.is_near_code(row.write)
            && !self.sram.is_near_code(last_write)
            && !self.blocks.bus_ctrl.is_counting()
    }

    /// The waits of a row whose transfers all use their banks in the same two cycles. Who used them is the same from the second
    /// time on that the transfers come to the same banks, and so is what they wait. Gives the longest one.
    fn contend_for_row(&mut self, row: &Row) -> u32 {
        let cycle = self.cycle_now();
        let contention = &mut self.contention;
        let period = if row.read_step | row.write_step == 0 { 1 } else { BANKS };
        let mut waits = [0; BANKS];
        let mut most = 0;
        let words = row.words as usize;
        for number in 0..words.min(2 * period) {
            let read = row.read + row.read_step * number as u32 - SRAM_BASE;
            let write = row.write + row.write_step * number as u32 - SRAM_BASE;
            let read = contention.use_bank(memory::bank(read), DMA_MASTER, cycle);
            let write = contention.use_bank(memory::bank(write), DMA_MASTER, cycle + 1);
            most = most.max(read).max(write);
            waits[number % period] = read + write;
            self.bank_wait_cycles += read + write;
        }
        if most != 0 {
            let left = words.saturating_sub(2 * period);
            let sum_of = |count: usize| waits[..count].iter().sum::<u64>();
            self.bank_wait_cycles += (left / period) as u64 * sum_of(period) + sum_of(left % period);
        }
        most as u32
    }
}
