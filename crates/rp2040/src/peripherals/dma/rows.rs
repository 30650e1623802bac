//! Rows of words that a channel moves which waits for nothing, while no other channel can: from and to addresses that stay or move on
//! by a word. The last word of a sequence always is an event of its own, so that what follows from it happens at its time.

use units::Picoseconds;

use super::channel::SNIFF_EN;
use super::{Dma, NEVER};

/// Words that are moved one after the other at one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    channel: usize,
    pub(crate) read: u32,
    pub(crate) read_step: u32,
    pub(crate) write: u32,
    pub(crate) write_step: u32,
    pub(crate) words: u32,
}

impl Dma {
    /// The words, `most` at the most, that the only channel that can do anything moves from `now` on, at this frequency of clk_sys.
    #[inline]
    pub(crate) fn due_row(&self, most: u32, now: Picoseconds, hz: u64) -> Option<Row> {
        let index = self.ready.trailing_zeros() as usize;
        let channel = self.channels.get(index)?;
        let alone = self.ready == 1 << index && self.next_tick == NEVER;
        let stands = self.standing >> channel.treq & 1 != 0;
        if !(alone && stands) || self.ready_at[index] > now || !self.schedule.is_of(hz) {
            return None;
        }
        let (read, read_step, read_ring) = channel.way(false);
        let (write, write_step, write_ring) = channel.way(true);
        let plain = channel.bytes == 4 && !channel.byte_swap && read_ring & write_ring == u32::MAX;
        let sniffed = channel.has(SNIFF_EN) && self.sniffer.watches(index);
        let words = channel.remaining.saturating_sub(1).min(most);
        let row = Row { channel: index, read: read & !3, read_step, write: write & !3, write_step, words };
        (plain && !sniffed).then_some(row)
    }

    /// A row begins.
    #[inline]
    pub(crate) fn begin_row(&mut self, now: Picoseconds) {
        self.current = self.arbiter.pick(self.ready, self.high);
        self.schedule.begin(now);
    }

    /// Its words were moved, of which one had to wait for the longest time; gives when the next transfer is due.
    #[inline]
    pub(crate) fn end_row(&mut self, row: &Row, wait_cycles: u32) -> Picoseconds {
        self.wait_cycles = wait_cycles;
        self.schedule.occupy(row.words - 1);
        self.schedule.occupy(wait_cycles.saturating_add(1));
        let channel = &mut self.channels[row.channel];
        for writes in [false, true] {
            let (address, step, _) = channel.way(writes);
            let remaining = channel.remaining - if writes { 0 } else { row.words };
            channel.go_to(address.wrapping_add(step * row.words), writes, remaining);
        }
        self.expect()
    }
}
