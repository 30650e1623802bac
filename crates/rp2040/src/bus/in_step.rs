//! Words of a PIO block that each bring the same transfers: one to the machine, whose FIFO is full again with it, and one from it,
//! where a channel empties it. Who comes next and when is known then, so that word follows on word without asking.

use super::fed_pio::is_striped;
use crate::bus::access::replicate;
use crate::bus::dma::is_sram;
use crate::bus::flow::is_at_hand;
use crate::bus::{Bus, Size};
use crate::peripherals::dma::flow::{Channels, Port, Steps};
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::pio::even_words::{EvenWords, Passed};
use crate::peripherals::pio::row::Row;
use units::Picoseconds;

/// Words that pass one by one before the next ones are tried as many.
const WORDS_ALONE: u32 = 7;

/// What words have in common that are alike, and when the transfers come that follow on each.
pub(super) struct Pace {
    pub(super) even: EvenWords,
    pub(super) steps: Steps,
}

impl Bus {
    /// Lets words of a row pass that end up to and including `until`, as long as the transfers between are in step with them; false
    /// when the row ended with one of them.
    pub(super) fn pass_in_step(
        &mut self,
        block: usize,
        row: &mut Row,
        (port, channels): (&Port, &Channels),
        until: Picoseconds,
    ) -> bool {
        let begins = self.blocks.pio[block].is_told_in_step(row)
            && self.is_next_in_step((block, row), channels, until)
            && self.blocks.dma.may_be_in_step(channels);
        if !begins {
            return true;
        }
        let (mut from, mut to) = self.blocks.dma.lanes(channels);
        let had_attention = self.attention;
        let mut goes_on = true;
        while goes_on
            && self.is_next_in_step((block, row), channels, until)
            && self.are_in_memory(&from, to.as_ref())
            && self.io.reactions.is_empty()
            && self.attention == had_attention
        {
            self.move_words_in_step((block, row), (port, channels), (&mut from, to.as_mut()));
            goes_on = self.pass_word_in_step((block, row), channels);
            if goes_on && let Some(pace) = self.pace_of((block, row), channels) {
                goes_on = self.pass_evenly((block, row), (channels, &pace), (&mut from, to.as_mut()), until);
                self.io.address = port.to;
            }
        }
        self.blocks.dma.leave_lanes(channels, (&from, to.as_ref()));
        goes_on
    }

    /// Whether a word ends in time before which the transfers of the word before are made, and none besides these.
    #[inline]
    fn is_next_in_step(&self, (block, row): (usize, &Row), channels: &Channels, until: Picoseconds) -> bool {
        let pio = &self.blocks.pio[block];
        pio.next_of_row(row).is_some_and(|word| {
            word.ends <= until
                && pio.asks_for_one(row, channels.empty_it())
                && self.blocks.dma.is_in_step(channels, word.takes)
        })
    }

    /// Whether the next words move from and to memories that let nobody wait and in which nobody counts them.
    #[inline]
    pub(super) fn are_in_memory(&self, from: &Lane, to: Option<&Lane>) -> bool {
        let (xip, is_counting) = (&self.xip, self.blocks.bus_ctrl.is_counting());
        let is_memory = if is_counting { is_striped } else { is_sram };
        let is_source = |address| is_memory(address) || !is_counting && is_at_hand(xip, address);
        from.goes_on()
            && is_source(from.aligned())
            && to.is_none_or(|to| to.goes_on() && is_memory(to.aligned()))
    }

    /// Makes the transfers, in the order in which the DMA does.
    #[inline]
    fn move_words_in_step(
        &mut self,
        (block, row): (usize, &mut Row),
        (port, channels): (&Port, &Channels),
        (from, mut to): (&mut Lane, Option<&mut Lane>),
    ) {
        let n = port.machine;
        while let Some((receives, at)) = self.blocks.dma.next_in_step(channels) {
            let pio = &mut self.blocks.pio[block];
            pio.meet_in_step(row, at);
            if let Some(to) = to.as_mut().filter(|_| receives) {
                let word = pio.hand_over(n, &mut self.io);
                self.keep(to.transfer(), to.aligned(), word);
                to.advance();
            } else {
                let value = self.bring_at_hand(from.transfer(), from.aligned());
                let word = replicate(value, Size::of_bytes(from.transfer().bytes));
                self.blocks.pio[block].be_handed(n, word, &mut self.io);
                from.advance();
            }
            self.dma_transfers += 1;
        }
        self.io.address = port.to;
    }

    /// The row passes a word, of which the DMA hears; false when it ended before.
    #[inline]
    fn pass_word_in_step(&mut self, (block, row): (usize, &mut Row), channels: &Channels) -> bool {
        let Some(word) = self.blocks.pio[block].next_of_row(row) else { return false };
        let goes_on = self.blocks.pio[block].pass_word(row, &mut self.io);
        if goes_on {
            self.hear_in_step(channels);
            self.blocks.pio[block].give_word(row, word, &mut self.io);
            self.hear_in_step(channels);
        }
        goes_on
    }

    #[inline]
    fn hear_in_step(&mut self, channels: &Channels) {
        let io = &mut self.io;
        if io.lines.take_dreq_rose() {
            self.blocks.dma.hear(channels, io.lines.dreq(), io.now);
        }
    }

    /// How words and transfers go on from here, where each word is like the one that has just passed.
    fn pace_of(&self, (block, row): (usize, &Row), channels: &Channels) -> Option<Pace> {
        let even = self.blocks.pio[block].even_words(row, &self.io)?;
        let begins = even.gives == channels.empty_it()
            && self.blocks.pio[block].asks_for_one(row, channels.empty_it());
        let steps = self.blocks.dma.steps(channels).filter(|_| begins)?;
        Some(Pace { even, steps })
    }

    /// Lets words pass that are like the one before, each with its transfers, of which only the last ones are put down; false when the
    /// row ended with one of them.
    fn pass_evenly(
        &mut self,
        (block, row): (usize, &mut Row),
        (channels, pace): (&Channels, &Pace),
        (from, mut to): (&mut Lane, Option<&mut Lane>),
        until: Picoseconds,
    ) -> bool {
        let Pace { even, steps } = pace;
        let had_attention = self.attention;
        let Some(mut before) = self.blocks.pio[block].word_before(row, even) else { return true };
        let mut words_alone = 0;
        // The last word whose transfers were made, and what came of the one behind it.
        let mut last = None;
        while let Some(word) = self.blocks.pio[block].next_of_row(row)
            && word.ends <= until
            && self.are_in_memory(from, to.as_deref())
            && self.io.reactions.is_empty()
            && self.attention == had_attention
        {
            let feeds = steps.feeds_at(before.takes);
            let empties = steps.empties_at(before.takes, before.ends);
            if feeds.max(empties) >= word.takes {
                break;
            }
            if words_alone == 0
                && let Some(many) =
                    self.pass_many((block, row), pace, (from, to.as_deref_mut()), (before, word), until)
            {
                last = Some((many.moved, Passed::Even));
                before = many.last;
                continue;
            }
            words_alone = if words_alone == 0 { WORDS_ALONE } else { words_alone - 1 };
            let value = self.bring_at_hand(from.transfer(), from.aligned());
            let pio = &mut self.blocks.pio[block];
            pio.meet_evenly(row, even, feeds, false);
            pio.be_handed_evenly(row, replicate(value, Size::of_bytes(from.transfer().bytes)));
            from.advance();
            if let Some(to) = &mut to {
                pio.meet_evenly(row, even, empties, true);
                let word = pio.hand_over_evenly(row);
                self.keep(to.transfer(), to.aligned(), word);
                to.advance();
            }
            self.dma_transfers += 1 + u64::from(to.is_some());
            let passed = self.blocks.pio[block].pass_even_word(row, even, &mut self.io);
            last = Some((before, passed));
            before = word;
            if passed != Passed::Even {
                break;
            }
        }
        let Some((moved, passed)) = last else { return true };
        self.blocks.dma.step(channels, (moved.takes, moved.ends));
        if passed != Passed::Nothing {
            self.blocks.dma.ask_for_step(channels, (before.takes, before.ends));
        } else {
            before = moved;
        }
        self.blocks.pio[block].end_even_words(row, before, &mut self.io);
        passed != Passed::Nothing
    }
}
