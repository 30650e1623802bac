//! Words that a machine takes in from pins whose levels were foretold, many at a time, while another channel of the DMA copies: the turns
//! of both channels are found first, and then what they move is moved.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::dma::{MOST_IN_ONE_GO, is_far_from_end};
use crate::bus::intake::{FEWEST_WORDS, MOST_WORDS};
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::peripherals::dma::beside::{Both, Coming};
use crate::peripherals::dma::flow::Channels;
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::pio::intake::Intake;

/// Where what is moved at one go stays in SRAM.
const FAR_FROM_END: std::ops::Range<u32> = SRAM_BASE..SRAM_BASE + SRAM_BYTES - 4 * MOST_IN_ONE_GO;

impl Bus {
    /// Lets many words come up to and including `until`, while a channel copies; false, before anything has happened, where that is not so.
    pub(super) fn take_many_in_beside_copy(
        &mut self,
        block: usize,
        intake: &mut Intake,
        channels: &Channels,
        until: Picoseconds,
    ) -> bool {
        let pio = &self.blocks.pio[block];
        let dma = &self.blocks.dma;
        let is_plain = !self.shares_memory && !self.blocks.bus_ctrl.is_counting() && !pio.has_aside();
        let ends_nothing = || is_plain && dma.ends_nothing_at_once(is_far_from_end);
        let Some(mut both) = dma.both_beside(channels).filter(|_| ends_nothing()) else { return false };
        let Some(even) = pio.even_intake(intake, until) else { return false };
        let count = self.words_to_memory(both.taken, even.count.min(MOST_WORDS));
        if count < FEWEST_WORDS || !is_apart(&both, count as u32) {
            return false;
        }
        let coming = Coming { depth: pio.depth_of_intake(intake.n), count };
        let comes_at = |number| pio.comes_at(intake, &even, number);
        let moved = dma.turns_beside(&both, (coming, comes_at), (until, MOST_IN_ONE_GO));
        let mut words = [0; MOST_WORDS];
        let words = &mut words[..moved.words];
        let io = &mut self.io;
        let has_taken = words.len() >= FEWEST_WORDS
            && self.blocks.pio[block].take_many_in(intake, &even, (words, Picoseconds::ZERO), io);
        if !has_taken {
            return false;
        }
        self.keep_many(&mut both.taken, words);
        let (mut from, mut to) = both.copied;
        self.copy_many((&mut from, &mut to), moved.copies, |bus, bytes| {
            bus.blocks.dma.sniff_copied(&both, bytes);
        });
        both.copied = (from, to);
        self.blocks.dma.leave_both(&both, &moved);
        self.dma_transfers += moved.words as u64 + u64::from(moved.copies);
        true
    }
}

/// Whether nothing that one channel moves has to do with what the other one does.
fn is_apart(both: &Both, words: u32) -> bool {
    let (from, to) = &both.copied;
    let lies_in_memory = |lane: &Lane| lane.lies_within(FAR_FROM_END);
    let is_apart = |lane: &Lane| both.taken.is_apart_from(words, lane);
    lies_in_memory(from) && lies_in_memory(to) && is_apart(from) && is_apart(to)
}
