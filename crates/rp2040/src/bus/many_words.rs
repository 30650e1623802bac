//! Words that pass as memory that is copied: somebody outside takes them many at a time, and so does the DMA.

use mcu::ClockWords;
use units::Picoseconds;

use super::in_step::Pace;
use crate::bus::access::replicate;
use crate::bus::dma::is_sram;
use crate::bus::{Bus, Size};
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::pio::many_words::ManyPassed;
use crate::peripherals::pio::row::{Row, WordTimes};

/// Fewer words are passed one by one as quickly.
const FEWEST_WORDS: usize = 8;
/// What the times of edges are rounded by between two words.
const ROUNDED: Picoseconds = Picoseconds::new(3);

impl Bus {
    /// Passes many words, of which `next` is the first, behind `before`, whose transfers were not made; nothing, before anything has
    /// happened, where they do not go at once.
    pub(super) fn pass_many(
        &mut self,
        (block, row): (usize, &mut Row),
        Pace { even, steps }: &Pace,
        (from, mut to): (&mut Lane, Option<&mut Lane>),
        (before, next): (WordTimes, WordTimes),
        until: Picoseconds,
    ) -> Option<ManyPassed> {
        let moved = steps.feeds_at(before.takes).max(steps.empties_at(before.takes, before.ends));
        let is_apart = to.as_ref().is_none_or(|to| from.is_read_before(to));
        if moved + ROUNDED >= next.takes || !is_apart {
            return None;
        }
        let most = self.blocks.pio[block].words_until(row, even, until).min(ClockWords::MOST);
        let count = self.words_in_memory((*from, to.as_deref().copied()), most);
        if count < FEWEST_WORDS {
            return None;
        }
        let mut brought = [0; ClockWords::MOST];
        let mut source = *from;
        for word in &mut brought[..count] {
            let value = self.look_at_hand(source.transfer(), source.aligned());
            *word = replicate(value, Size::of_bytes(source.transfer().bytes));
            source.advance();
        }
        let mut taken = [0; ClockWords::MOST];
        let words = (&brought[..count], &mut taken[..count]);
        let passed = self.blocks.pio[block].pass_many(row, (even, steps), words, &mut self.io)?;
        let is_flash = !is_sram(from.aligned());
        for &word in &taken[..passed.count] {
            from.advance();
            if let Some(to) = &mut to {
                self.keep(to.transfer(), to.aligned(), word);
                to.advance();
            }
        }
        let count = passed.count as u64;
        if is_flash {
            self.xip.count_hits_of_dma(count);
        }
        self.dma_transfers += count * if to.is_some() { 2 } else { 1 };
        Some(passed)
    }

    /// How many of the next words move from and to memories as they are, where nobody else is told of a store.
    fn words_in_memory(&self, (mut from, mut to): (Lane, Option<Lane>), most: usize) -> usize {
        let is_at_hand = |_: &usize| {
            let is_told = to.is_some_and(|to| self.sram.is_near_code(to.aligned()));
            let is_at_hand = !is_told && self.are_in_memory(&from, to.as_ref());
            from.advance();
            if let Some(to) = &mut to {
                to.advance();
            }
            is_at_hand
        };
        (0..most).take_while(is_at_hand).count()
    }
}
